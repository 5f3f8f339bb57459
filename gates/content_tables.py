"""Shapes of secrets in text, and the tags that make text private."""

from __future__ import annotations

from gates.rows import ContentCategory, PrivacyTag

SOURCE = "gate-vector-3"
PRIVACY_SOURCE = "gate-vector-5"

_DASH = "-" * 5
_RUN = "Zx81Qp72" * 6


def _armour(words: str) -> str:
    return f"{_DASH}BEGIN {words}{_DASH}"


CONTENT_CATEGORIES: tuple[ContentCategory, ...] = (
    ContentCategory(
        "pem-key",
        r"-----BEGIN +(?:(?:RSA|DSA|EC|OPENSSH|ENCRYPTED) +)?PRIVATE +KEY *-----",
        (
            _armour("RSA PRIVATE KEY"),
            _armour("PRIVATE KEY"),
            _armour("ENCRYPTED PRIVATE KEY"),
        ),
        (_armour("CERTIFICATE"), "begin with a private key"),
    ),
    ContentCategory(
        "pgp-key",
        r"-----BEGIN +PGP +PRIVATE +KEY(?: +BLOCK)? *-----",
        (_armour("PGP PRIVATE KEY BLOCK"),),
        (_armour("PGP SIGNATURE"),),
    ),
    ContentCategory(
        "pgp-public",
        r"-----BEGIN +PGP +PUBLIC +KEY +BLOCK *-----",
        (_armour("PGP PUBLIC KEY BLOCK"),),
        (_armour("PGP SIGNATURE"),),
    ),
    ContentCategory(
        "openai-key",
        r"\bsk-[A-Za-z0-9_-]{20,}",
        ("sk-" + _RUN[:24],),
        ("task-management-for-the-whole-team", "sk-8"),
    ),
    ContentCategory(
        "google-key",
        r"\bAIza[0-9A-Za-z_-]{35}",
        ("AIza" + _RUN[:35],),
        ("AIza" + _RUN[:20],),
    ),
    ContentCategory(
        "github-token",
        r"\bgh[pousr]_[A-Za-z0-9]{36,}",
        ("ghp_" + _RUN[:36], "gho_" + _RUN[:40]),
        ("ghp_" + _RUN[:12],),
    ),
    ContentCategory(
        "slack-token",
        r"\bxox[baprs]-[A-Za-z0-9-]{24,}",
        ("xoxb-" + _RUN[:24],),
        ("xoxb-short",),
    ),
    ContentCategory(
        "env-assignment",
        r"\b[A-Za-z_][A-Za-z0-9_]*=[A-Za-z0-9+/=_\-]{20,}",
        ("SERVICE_KEY=" + _RUN[:20], "service_key=" + _RUN[:20]),
        ("LANG=en_GB.UTF-8",),
    ),
    ContentCategory(
        "generic-secret",
        r"(?i)(?:api|secret|password|token)[A-Za-z_]* *[:=] *[\"']?[A-Za-z0-9_\-]{16,}",
        ("password: " + _RUN[:16], 'api_key = "' + _RUN[:20] + '"'),
        ("password: short",),
    ),
)

PRIVACY_TAGS: tuple[PrivacyTag, ...] = (
    PrivacyTag("@personal", "private-content"),
    PrivacyTag("@finance", "financial-content"),
    PrivacyTag("@health", "health-content"),
)
"""Compared without colons and in any case; PRIVACY_FILTER_TAGS replaces them."""
