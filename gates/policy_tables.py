"""The order of the stack: vectors, invariants, priorities and type levels."""

from __future__ import annotations

from gates.rows import Invariant, Level, Priority, Vector

VECTORS: tuple[Vector, ...] = (
    Vector(0, "repl-lint", "code written without a trial run; warns only"),
    Vector(1, "syntax", "written code that does not parse"),
    Vector(2, "protected-path", "a path that holds secrets or steers the agent"),
    Vector(3, "content-exposure", "text shaped like a secret"),
    Vector(4, "vault-secret", "a value of the vault in outgoing text"),
    Vector(5, "privacy-tag", "text under a private tag"),
    Vector(6, "privacy-text", "a private tag named in outgoing text"),
    Vector(7, "shell-safety", "a destructive or injecting command"),
    Vector(8, "network-exfiltration", "a host that is not on the allow list"),
    Vector(9, "high-impact", "running code, deleting, moving, publishing, sending"),
)

INVARIANTS: tuple[Invariant, ...] = (
    Invariant(
        1, "transparency", "block",
        "a mutating action says why in more than 10 visible characters that are not stop words",
    ),
    Invariant(2, "autonomy", "note", "dependence on a proprietary service is debt"),
    Invariant(3, "bloat", "warn", "a new skill stays small"),
    Invariant(4, "modularity", "ask", "a change of a core path carries a justification"),
    Invariant(5, "mentorship", "ask", "a high-impact action carries a note to learn from"),
    Invariant(6, "sustainability", "note", "use of a remote model is debt"),
)
"""The rank picks which reason is shown first, never the verdict."""

MIN_EXPLANATION = 10
"""An explanation of this many visible characters or fewer explains nothing."""

PRIORITIES: tuple[Priority, ...] = tuple(
    Priority(name, priority)
    for priority, names in (
        (600, "permissions vault"),
        (500, "policy"),
        (400, "code-tools"),
        (300, "literate"),
        (250, "model-router"),
        (200, "repl"),
        (150, "dispatcher messaging"),
        (100, "cli archivist config diagnostics memory org standards self-improve"),
        (95, "validator"),
        (90, "context-manager"),
        (80, "orchestrator"),
        (50, "shell provider"),
    )
    for name in names.split()
)

DEFAULT_PRIORITY = 10

OBJECT_LEVELS: tuple[Level, ...] = tuple(
    Level(name, level)
    for level, names in (
        (0, "note memory"),
        (1, "skill tool"),
        (2, "learned-rule"),
        (3, "policy ontology queue vault journal trace"),
        (5, "gate code"),
    )
    for name in names.split()
)

GATE_LEVEL = 9
"""Level of a gate that states none."""

CHANNEL_LEVELS: tuple[Level, ...] = tuple(
    Level(name, level)
    for level, names in ((0, "unknown heartbeat"), (1, "model gateway"), (2, "person"))
    for name in names.split()
)
