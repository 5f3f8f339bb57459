"""Words of the seed vocabulary: the classes, relations, qualities and provenances of the gates.

Rows name their class, so a row of a new class needs no line here; a line keeps a class in the
vocabulary while it has no row, and says what it lies under or excludes.
"""

from __future__ import annotations

from gates.action_tables import NETWORK_SOURCE, PERMISSION_SOURCE, SHELL_SOURCE, TOOL_SOURCE
from gates.content_tables import PRIVACY_SOURCE
from gates.path_tables import SECRET_FILES, SELF_BUILD
from gates.path_tables import SOURCE as PATH_SOURCE
from gates.rows import SeedClass, SeedRelation, SeedWord

SEED_CLASSES: tuple[SeedClass, ...] = (
    SeedClass(SECRET_FILES, PATH_SOURCE),
    *(
        SeedClass(name, PATH_SOURCE, parent=SECRET_FILES)
        for name in (
            "secret-config-file", "credential-file", "ssh-key-file", "key-store-file",
            "gpg-key-file", "token-file", "secret-named-file", "account-file",
            "cloud-config-file", "certificate-file", "password-file",
        )
    ),
    *(
        SeedClass(name, SHELL_SOURCE)
        for name in (
            "catastrophic-command", "raw-copy-command", "filesystem-creation-command",
            "disk-format-command", "disk-wipe-command", "signature-wipe-command",
            "injection-pattern", "subshell-injection-pattern",
        )
    ),
    SeedClass("trusted-domain", NETWORK_SOURCE, disjoint=("untrusted-domain",)),
    SeedClass("untrusted-domain", NETWORK_SOURCE, disjoint=("trusted-domain",)),
    *(SeedClass(name, SELF_BUILD) for name in ("core-harness-file", "skill-file")),
    *(
        SeedClass(name, PRIVACY_SOURCE)
        for name in ("private-content", "financial-content", "health-content")
    ),
    *(
        SeedClass(name, PERMISSION_SOURCE)
        for name in ("read-only-tool", "write-tool", "eval-tool")
    ),
    *(
        SeedClass(name, TOOL_SOURCE)
        for name in (
            "code-search-tool", "file-io-tool", "shell-tool", "note-tool", "network-tool",
            "self-build-tool",
        )
    ),
)

MEMBER_OF_CLASS = "member-of-class"
CLASSIFIED_AS = "classified-as"

SEED_RELATIONS: tuple[SeedRelation, ...] = (
    SeedRelation(MEMBER_OF_CLASS, PATH_SOURCE, shared=True),
    SeedRelation(CLASSIFIED_AS, SHELL_SOURCE, functional=True),
    SeedRelation("depends-on", SELF_BUILD, shared=True),
    SeedRelation("has-level", SELF_BUILD),
    SeedRelation("reads-file", PATH_SOURCE),
    SeedRelation("writes-file", "gate-vector-1"),
    SeedRelation("exposes-content", "gate-vector-3"),
    SeedRelation("contains-secret", "gate-vector-4"),
    SeedRelation("carries-private-tag", PRIVACY_SOURCE),
    SeedRelation("names-private-tag", "gate-vector-6"),
    SeedRelation("runs-command", SHELL_SOURCE),
    SeedRelation("contacts-host", NETWORK_SOURCE),
    SeedRelation("requires-approval", "gate-vector-9"),
    SeedRelation("permitted-as", PERMISSION_SOURCE),
    SeedRelation("uses-tool", TOOL_SOURCE),
)

SEED_QUALITIES: tuple[SeedWord, ...] = (
    *(SeedWord(name, SHELL_SOURCE) for name in (
        "catastrophic", "dangerous", "moderate", "harmless",
    )),
    *(SeedWord(name, NETWORK_SOURCE) for name in ("trusted", "untrusted")),
    SeedWord("protected", PATH_SOURCE),
    SeedWord("private", PRIVACY_SOURCE),
)

SEED_PROVENANCES: tuple[SeedWord, ...] = tuple(
    SeedWord(name, SELF_BUILD)
    for name in ("gate-outcome", "human-authored", "deduced", "llm-proposed")
)
