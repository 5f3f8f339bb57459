"""Paths the gates protect: secret files, exceptions to them, and the program's own ground."""

from __future__ import annotations

from gates.rows import GuardedPlace, PathException, ProtectedPath, SelfBuildPath

SOURCE = "gate-vector-2"
SELF_BUILD = "self-build"
SECRET_FILES = "secret-files"


def _rows(member_of: str, patterns: str) -> tuple[ProtectedPath, ...]:
    return tuple(ProtectedPath(pattern, member_of) for pattern in patterns.split())


PROTECTED_PATHS: tuple[ProtectedPath, ...] = (
    *_rows("secret-config-file", ".env .env.example .env.local .env.production"),
    *_rows("credential-file", "*credentials* *cred*"),
    *_rows("ssh-key-file", "*id_rsa* *id_dsa* *id_ecdsa* *id_ed25519*"),
    *_rows("key-store-file", "*.pem *.key *.p12 *.pfx"),
    *_rows("gpg-key-file", "*.asc *.gpg *.pgp secring.* pubring.* private-keys-v1.d/*"),
    *_rows("token-file", "token* *token*"),
    *_rows("secret-named-file", "*secret*"),
    *_rows("account-file", ".netrc .git-credentials auth.json"),
    *_rows("cloud-config-file", ".aws/credentials .aws/config .kube/config kubeconfig"),
    *_rows("certificate-file", "*.cert *.crt *.csr"),
    *_rows("password-file", "*password* *passwd*"),
)

WORD_PATTERNS = (
    "*token*", "token*", "*secret*", "*password*", "*passwd*", "*cred*", "*credentials*",
    "*id_rsa*", "*id_dsa*", "*id_ecdsa*", "*id_ed25519*",
)
"""Patterns that fire on a word in a name; a note about tokens is no token."""

PROSE_AND_CODE = (
    ".org", ".md", ".rst", ".tex", ".py", ".el", ".lisp", ".sh", ".c", ".h", ".js", ".ts", ".rs",
    ".go",
)
"""Suffixes on which word patterns step back; never .txt .json .yaml .toml .ini .csv."""

PATH_EXCEPTIONS: tuple[PathException, ...] = (
    PathException((".env.example",), "allow", "a template holds no secret", effects=("read",)),
    PathException(("*.pub",), "ask", "the public half of a key pair"),
    PathException(WORD_PATTERNS, "skip", "prose or code about secrets", suffixes=PROSE_AND_CODE),
)

GUARDED_PLACES: tuple[GuardedPlace, ...] = (
    GuardedPlace(".passepartout*", "anywhere", 3, "configuration and state of the agent"),
    GuardedPlace("system/*", "memex", 3, "ontology, rules, journal, trace, flight plans"),
    GuardedPlace("hooks/*", "repository", 3, "programs that version control runs"),
    GuardedPlace("config", "repository", 3, "settings that name programs to run"),
    GuardedPlace("*", "repository", 3, "version control's own files"),
    GuardedPlace("*", "config", 3, "the user's own gate rows and settings"),
    GuardedPlace("*", "state", 3, "indices, vault, pending approvals"),
    GuardedPlace("*", "package", 5, "the installed program"),
)

SELF_BUILD_PATHS: tuple[SelfBuildPath, ...] = (
    *(
        SelfBuildPath(f"{folder}/*", "core-harness-file", 5)
        for folder in ("bridge", "gates", "memex", "neuro", "ontology", "symbolic")
    ),
    SelfBuildPath("skills/*", "skill-file", 1),
)
"""What the agent may build on itself: skills, under approval; the harness never."""
