"""The gate tables: counts, names, and that each row does what its own examples say."""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase

import pytest

from gates import policy_tables
from gates.path_tables import PROSE_AND_CODE, WORD_PATTERNS
from gates.rows import ContentCategory, ShellPattern
from gates.tables import SHIPPED

TOOLS = [
    "note.read", "note.append", "note.write", "file.read", "file.write", "file.move",
    "file.delete", "shell.run", "code.run", "net.fetch", "message.send", "model.send",
    "memory.write", "rule.suggest", "rule.modify", "skill.create", "skill.modify",
]


def test_vectors_are_numbered_from_zero_to_nine() -> None:
    assert [vector.id for vector in SHIPPED.vectors] == list(range(10))
    assert len({vector.name for vector in SHIPPED.vectors}) == 10


def test_protected_paths_are_35_patterns_in_11_classes() -> None:
    counts = Counter(row.member_of for row in SHIPPED.protected_paths)
    assert len({row.pattern for row in SHIPPED.protected_paths}) == 35
    assert counts == {
        "secret-config-file": 4, "credential-file": 2, "ssh-key-file": 4, "key-store-file": 4,
        "gpg-key-file": 6, "token-file": 2, "secret-named-file": 1, "account-file": 3,
        "cloud-config-file": 4, "certificate-file": 3, "password-file": 2,
    }


def test_word_patterns_are_rows_and_never_step_back_for_data_files() -> None:
    assert set(WORD_PATTERNS) <= {row.pattern for row in SHIPPED.protected_paths}
    assert not set(PROSE_AND_CODE) & {".txt", ".json", ".yaml", ".toml", ".ini", ".csv"}
    assert all(any(fnmatchcase(name, p) for p in WORD_PATTERNS)
               for name in ("token", "my-secret", "id_rsa", "passwd"))


def test_every_exception_names_rows_or_stands_for_itself() -> None:
    assert {row.decision for row in SHIPPED.path_exceptions} == {"allow", "ask", "skip"}


@pytest.mark.parametrize("row", SHIPPED.shell_patterns, ids=lambda row: row.name)
def test_a_shell_row_matches_its_own_example_and_no_other(row: ShellPattern) -> None:
    matching = [r.name for r in SHIPPED.shell_patterns if re.search(r.pattern, row.example)]
    assert matching == [row.name]


def test_the_eight_shell_patterns_have_their_names() -> None:
    assert [row.name for row in SHIPPED.shell_patterns] == [
        "destructive-rm", "destructive-dd", "destructive-mkfs", "destructive-format",
        "disk-wipe", "disk-wipe-b", "injection-backtick", "injection-subshell",
    ]


@pytest.mark.parametrize("row", SHIPPED.content_categories, ids=lambda row: row.name)
def test_a_content_row_finds_and_leaves_what_it_says(row: ContentCategory) -> None:
    assert row.found
    assert row.clean
    assert all(re.search(row.pattern, text) for text in row.found)
    assert not any(re.search(row.pattern, text) for text in row.clean)
    assert not re.search(r"\(\?[=!<]", row.pattern), "no look-around: it must match in linear time"


def test_content_categories_have_their_names() -> None:
    assert [row.name for row in SHIPPED.content_categories] == [
        "pem-key", "pgp-key", "pgp-public", "openai-key", "google-key", "github-token",
        "slack-token", "env-assignment", "generic-secret",
    ]


def test_every_tool_is_judged_and_belongs_to_one_family() -> None:
    assert sorted(row.tool for row in SHIPPED.permissions) == sorted(TOOLS)
    families = Counter(row.tool for row in SHIPPED.tools)
    assert set(families) == set(TOOLS)
    assert set(families.values()) == {1}
    assert {row.tier for row in SHIPPED.permissions} == {"by-effect"}


def test_invariants_are_ranked_without_gaps() -> None:
    assert [row.name for row in SHIPPED.invariants] == [
        "transparency", "autonomy", "bloat", "modularity", "mentorship", "sustainability",
    ]
    assert [row.rank for row in SHIPPED.invariants] == [1, 2, 3, 4, 5, 6]


def test_priorities_and_levels() -> None:
    order = {row.name: row.priority for row in SHIPPED.priorities}
    assert order["permissions"] > order["policy"] > order["dispatcher"] > order["validator"]
    assert len(order) == len(SHIPPED.priorities)
    levels = {row.name: row.level for row in SHIPPED.object_levels}
    assert (levels["note"], levels["skill"], levels["learned-rule"]) == (0, 1, 2)
    assert (levels["journal"], levels["gate"]) == (3, 5)
    assert max(row.level for row in SHIPPED.channel_levels) < policy_tables.GATE_LEVEL
