"""The seed: what the gate tables say as facts, and that rows and facts come and go together."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gates.rows import Permission, PrivacyTag, ProtectedPath, ShellPattern, ToolRow, TrustedHost
from gates.tables import SHIPPED, Tables
from ontology.bootstrap import Seed, seed, tables_hash
from ontology.class_closure import above
from symbolic.canon import canonical
from symbolic.names import fold
from symbolic.records import GateRow, NameKind, Policy

SEED = seed()


def members(made: Seed, wanted: str) -> set[tuple[str, str]]:
    """Return (entity, source) of everything in a class, subclasses included."""
    classes = made.declarations.classes
    within = {n for n in classes if n == fold(wanted) or fold(wanted) in above(classes, n)}
    return {
        (row.written.entity, row.source)
        for row in made.rows
        if row.written.relation == "member-of-class" and fold(row.written.value) in within
    }


def about(entity: str, relation: str) -> list[tuple[str, str]]:
    return [
        (row.written.value, row.source)
        for row in SEED.rows
        if row.written.entity == entity and row.written.relation == relation
    ]


def test_n1_the_vocabulary_is_50_to_70_exclusive_words_with_their_sources() -> None:
    assert 50 <= len(SEED.vocabulary) <= 70
    assert {entry.policy for entry in SEED.vocabulary} == {Policy.EXCLUSIVE}
    known = {f"gate-vector-{n}" for n in range(10)} | {"permission-table", "tool-table",
                                                       "self-build"}
    assert {entry.source for entry in SEED.vocabulary} <= known
    assert {row.source for row in SEED.rows} == {
        "gate-vector-2", "gate-vector-5", "gate-vector-7", "gate-vector-8",
        "permission-table", "tool-table", "self-build",
    }


def test_r5_counts_by_source_and_kind() -> None:
    kinds = Counter(entry.kind for entry in SEED.vocabulary)
    assert kinds == {"class": 36, "relation": 15, "quality": 8, "provenance": 4}
    classes = Counter(
        e.source for e in SEED.vocabulary if e.kind == "class" and e.name != "secret-files"
    )
    assert classes == {
        "gate-vector-2": 11, "gate-vector-7": 8, "gate-vector-8": 2, "self-build": 2,
        "gate-vector-5": 3, "permission-table": 3, "tool-table": 6,
    }


def test_r5_every_row_is_in_exactly_one_class_per_table() -> None:
    held = Counter(
        (row.source, row.written.entity)
        for row in SEED.rows
        if row.written.relation == "member-of-class"
    )
    assert set(held.values()) == {1}
    expected = [
        *(("gate-vector-2", row.pattern) for row in SHIPPED.protected_paths),
        *(("gate-vector-7", row.name) for row in SHIPPED.shell_patterns),
        *(("gate-vector-8", row.host) for row in SHIPPED.trusted_hosts),
        *(("gate-vector-5", row.tag) for row in SHIPPED.privacy_tags),
        *(("permission-table", row.tool) for row in SHIPPED.permissions),
        *(("tool-table", row.tool) for row in SHIPPED.tools),
        *(("self-build", row.pattern) for row in SHIPPED.self_build_paths),
    ]
    assert sorted(held) == sorted(expected)


def test_n2_secret_files_holds_env_from_vector_2() -> None:
    found = members(SEED, "secret-files")
    assert (".env", "gate-vector-2") in found
    assert len(found) == 35
    entry = next(e for e in SEED.vocabulary if e.name == "secret-files")
    assert ".env" in entry.members


def test_n3_rm_is_catastrophic_and_telegram_is_trusted() -> None:
    assert about("rm -rf /", "classified-as") == [("catastrophic", "gate-vector-7")]
    assert about("api.telegram.org", "classified-as") == [("trusted", "gate-vector-8")]
    assert about("api.telegram.org", "member-of-class") == [("trusted-domain", "gate-vector-8")]


def test_declarations_of_the_seed() -> None:
    decls = SEED.declarations
    classified = decls.relations["classified as"]
    assert classified.functional
    assert classified.policy is Policy.EXCLUSIVE
    assert decls.classes["trusted domain"].disjoint == ("untrusted domain",)
    assert decls.classes["untrusted domain"].disjoint == ("trusted domain",)
    assert decls.classes["ssh key file"].parents == ("secret files",)
    assert {decl.policy for decl in decls.classes.values()} == {Policy.EXCLUSIVE}
    assert decls.gate_classes == set(decls.classes)
    assert "classified as" in decls.gate_relations
    assert decls.spelling["catastrophic"] == "catastrophic"


def test_people_keep_their_own_policy_for_what_a_thing_is() -> None:
    assert SEED.declarations.relations["member of class"].policy is None
    assert "member of class" not in SEED.declarations.gate_relations


def test_rows_read_as_statements_and_no_two_clash() -> None:
    said = [canonical(row.written, SEED.declarations) for row in SEED.rows]
    kinds = {statement.entity.kind for statement in said}
    assert kinds == {NameKind.PATH, NameKind.SYMBOL, NameKind.COMMAND, NameKind.HOST,
                     NameKind.NAME}
    assert {statement.value.kind for statement in said} == {NameKind.NAME}
    qualities = [s for s in said if s.relation.canon == "classified as"]
    assert len({s.entity for s in qualities}) == len(qualities)


def test_a_class_named_like_a_quantity_stays_a_name() -> None:
    tables = replace(SHIPPED, privacy_tags=(PrivacyTag("@x", "3d"),))
    row = next(r for r in seed(tables).rows if r.written.entity == "@x")
    assert canonical(row.written).value.kind is NameKind.NAME


ADDED = [
    ("protected_paths", ProtectedPath("*.kdbx", "key-store-file"), 1),
    ("protected_paths", ProtectedPath("*.ovpn", "vpn-file"), 1),
    ("shell_patterns", ShellPattern("fork-bomb", r":\(\)", "fork-command", ":(){ :|:& };:",
                                    "catastrophic"), 2),
    ("trusted_hosts", TrustedHost("example.org", "trusted-domain", "trusted"), 2),
    ("privacy_tags", PrivacyTag("@family", "private-content"), 1),
    ("permissions", Permission("calendar.read", "read-only-tool", "ask"), 1),
    ("tools", ToolRow("calendar.read", "file-io-tool"), 1),
]


@pytest.mark.parametrize(("table", "row", "facts"), ADDED)
def test_a_row_added_is_a_fact_added(table: str, row: object, facts: int) -> None:
    tables = replace(SHIPPED, **{table: (*getattr(SHIPPED, table), row)})
    made = seed(tables)
    assert set(SEED.rows) < set(made.rows)
    assert len(made.rows) == len(SEED.rows) + facts
    assert tables_hash(tables) != tables_hash()


def test_a_new_class_of_paths_lies_under_secret_files() -> None:
    row = ProtectedPath("*.ovpn", "vpn-file")
    tables = replace(SHIPPED, protected_paths=(*SHIPPED.protected_paths, row))
    made = seed(tables)
    assert ("*.ovpn", "gate-vector-2") in members(made, "secret-files")
    assert "vpn file" in made.declarations.gate_classes
    assert "vpn-file" in {entry.name for entry in made.vocabulary}


TABLES_OF_FACTS = ("protected_paths", "shell_patterns", "trusted_hosts", "privacy_tags",
                   "permissions", "tools", "self_build_paths")


@given(st.sampled_from(TABLES_OF_FACTS), st.data())
def test_a_row_removed_takes_its_facts_and_no_other(table: str, data: st.DataObject) -> None:
    rows = getattr(SHIPPED, table)
    gone = data.draw(st.sampled_from(rows))
    tables: Tables = replace(SHIPPED, **{table: tuple(row for row in rows if row != gone)})
    made = seed(tables)
    lost: set[GateRow] = set(SEED.rows) - set(made.rows)
    assert set(made.rows) < set(SEED.rows)
    assert len(lost) == (2 if table in ("shell_patterns", "trusted_hosts") else 1)
    # A listed class outlives its last row.
    assert [e.name for e in made.vocabulary] == [e.name for e in SEED.vocabulary]
    assert tables_hash(tables) != tables_hash()


def test_the_hash_covers_vocabulary_and_declarations() -> None:
    assert tables_hash() == tables_hash(Tables())
    assert tables_hash(replace(SHIPPED, qualities=SHIPPED.qualities[1:])) != tables_hash()
    loose = tuple(replace(r, functional=False) for r in SHIPPED.relations)
    assert tables_hash(replace(SHIPPED, relations=loose)) != tables_hash()
    assert tables_hash(replace(SHIPPED, priorities=())) == tables_hash()
