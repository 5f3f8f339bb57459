"""N1, N2, N3, N6, N7, N8: sentences of the seed that are tests (N15 stands beside S31)."""

from __future__ import annotations

import re
from itertools import permutations

import pytest

from tests.cli import Memex, candidate, relation

SOURCE = re.compile(r"gate-vector-\d|permission-table|tool-table|self-build\b.*")


# --- N1, N2, N3: what the gate tables say on their own ------------------------------------------


def test_n1_the_seed_vocabulary_stands_without_memex_and_model(memex: Memex) -> None:
    entries = memex.run("ontology", "list", "--json").expect(0).one["entries"]
    assert 50 <= len(entries) <= 70
    assert {entry["policy"] for entry in entries} == {"exclusive"}
    for entry in entries:
        assert SOURCE.fullmatch(entry["source"]), entry
    assert len({(entry["kind"], entry["name"]) for entry in entries}) == len(entries)
    assert memex.snapshot() == {}, "nothing was written"


def test_n1_the_same_vocabulary_stands_in_a_fresh_memex(memex: Memex) -> None:
    seed = memex.run("ontology", "list", "--json").one["entries"]
    memex.begin()
    assert memex.run("ontology", "list", "--json").expect(0).one["entries"] == seed
    # Classes above those of the gate rows follow from them.
    counted = {k for k, n in memex.status()["facts"]["by_provenance"].items() if n}
    assert counted == {"gate-outcome", "deduced"}


def test_n1_every_gate_row_is_a_member_of_one_class_per_table(memex: Memex) -> None:
    memex.begin()
    seen: dict[tuple[str, str, str], list[str]] = {}
    for fact in memex.query("? member-of-class ?", "--all").facts:
        assert fact["provenance"] == "gate-outcome"
        for source in fact["sources"]:
            row = (fact["entity_kind"], fact["entity"], source["id"])
            seen.setdefault(row, []).append(fact["value"])
    assert seen and all(len(classes) == 1 for classes in seen.values()), seen


def test_n2_secret_files_holds_env(memex: Memex) -> None:
    memex.begin()
    facts = memex.query("? member-of-class secret-files").facts
    [env] = [fact for fact in facts if fact["entity"] == ".env"]
    assert env["sources"] == [{"type": "gate", "id": "gate-vector-2"}]
    assert env["provenance"] == "gate-outcome" and env["policy"] == "exclusive"
    assert len(facts) == 35, "a class query follows the closure of declared classes"


@pytest.mark.parametrize(
    ("pattern", "source"),
    [
        ('"rm -rf /" classified-as catastrophic', "gate-vector-7"),
        ('(:command "rm -rf /" :classified-as :catastrophic)', "gate-vector-7"),
        ("api.telegram.org classified-as trusted", "gate-vector-8"),
        ('(:domain "api.telegram.org" :classified-as :trusted)', "gate-vector-8"),
        ('(fact-query :host "api.telegram.org" :relation :classified-as :value :trusted)',
         "gate-vector-8"),
    ],
)  # fmt: skip
def test_n3_the_gate_rows_answer(memex: Memex, pattern: str, source: str) -> None:
    memex.begin()
    answer = memex.query(pattern)
    assert answer.status == "verified"
    assert answer.only["sources"] == [{"type": "gate", "id": source}]


def test_n3_a_chain_ends_at_the_gate_row(memex: Memex) -> None:
    memex.begin()
    fid = memex.query('"rm -rf /" classified-as ?').only["id"]
    memex.run("audit", fid).expect(0).names("gate-vector-7")


def test_n3_a_gate_row_is_never_contradicted_away(memex: Memex) -> None:
    """Neither retracted, rejected, superseded, denied nor outvoted: exit 4, the row named."""
    memex.begin()
    before = memex.digest()
    fid = memex.query('"rm -rf /" classified-as ?').only["id"]
    harmless = '(:command "rm -rf /" :classified-as :harmless)'
    memex.run("retract", fid).expect(4).names("gate-vector-7")
    memex.run("reject", fid).expect(4).names("gate-vector-7")
    memex.run("supersede", fid, harmless).expect(4).names("gate-vector-7")
    memex.run("declare", harmless).expect(4).names("catastrophic")
    memex.run("declare", '(:command "rm -rf /" :classified-as :catastrophic :not t)').expect(4)
    assert memex.digest() == before

    memex.write("note.org", "* Note\nThe command rm -rf / is Harmless here.\n").sync()
    line = candidate(
        "rm -rf /", "classified-as", "Harmless", "rm -rf / is Harmless", path="note.org",
        outline=["Note"], entity_kind="command",
    )  # fmt: skip
    memex.propose(line)
    assert [v["outcome"] for v in memex.admit_auto(code=4)] == ["blocked"]


def test_n3_what_a_gate_reads_waits_for_a_person(memex: Memex) -> None:
    """--auto admits nothing into a class of the seed."""
    memex.write("note.org", "* Note\nThe file Notes.txt is one of the Secret Files.\n").begin()
    line = candidate(
        "Notes.txt", "member-of-class", "Secret Files", "Notes.txt is one of the Secret Files",
        path="note.org", outline=["Note"], entity_kind="path",
    )  # fmt: skip
    assert memex.take(line, code=6) == ["needs-review"]


# --- N6, N7: a contrary fact under the three policies -------------------------------------------

FIRST, SECOND = ("2020-01-01", "Rome"), ("2022-01-01", "Oslo")


def towns(memex: Memex, **properties: str) -> tuple[str, str]:
    """Return two contrary candidates of two dated headings."""
    lines = []
    for day, town in (FIRST, SECOND):
        memex.write(f"{town.lower()}.org", f"* Note on {town}\n[{day}]\nIda lives in {town}.\n")
        lines.append(
            candidate("Ida", "lives-in", town, f"Ida lives in {town}", path=f"{town.lower()}.org",
                      outline=[f"Note on {town}"])
        )  # fmt: skip
    memex.ontology(relation("lives-in", functional="t", **properties)).begin()
    return lines[0], lines[1]


def test_n6_exclusive_rejects_the_second(memex: Memex) -> None:
    first, second = towns(memex, policy="exclusive")
    [line] = memex.propose(first)
    memex.admit(line["proposal"])
    assert memex.take(second, code=4) == ["blocked"]
    assert memex.current("Ida ? ?", "--all") == ["Ida lives-in Rome"]


def test_n6_coexistent_keeps_both_and_cross_references_them(memex: Memex) -> None:
    first, second = towns(memex, policy="coexistent")
    assert memex.take(first) == ["admitted"]
    assert memex.take(second) == ["flagged"]
    oslo, rome = sorted(memex.query("Ida ? ?").facts, key=lambda fact: fact["value"])
    assert rome["contradicted_by"] == [oslo["id"]] and oslo["contradicted_by"] == [rome["id"]]
    assert memex.conflicts() == [["Ida lives-in Oslo", "Ida lives-in Rome"]]


def test_n6_temporal_supersedes_and_keeps_the_timeline(memex: Memex) -> None:
    first, second = towns(memex, policy="temporal")
    assert memex.take(first) == ["admitted"]
    assert memex.take(second) == ["superseding"]
    rome, oslo = memex.timeline("Ida", "lives-in")
    assert rome["superseded_by"] == oslo["id"] and oslo["supersedes"] == [rome["id"]]
    assert memex.history("Ida") == [
        "Ida lives-in Rome [2020-01-01, 2022-01-01)", "Ida lives-in Oslo [2022-01-01, …)",
    ]  # fmt: skip
    assert memex.current("Ida ? ?") == ["Ida lives-in Oslo"] and memex.conflicts() == []


@pytest.mark.parametrize("policy", ["coexistent", "temporal"])
def test_n6_a_settled_conflict_reopens_with_a_new_member(memex: Memex, policy: str) -> None:
    towns(memex, policy=policy)
    for town in ("Rome", "Oslo"):
        memex.declare(f'(:entity "Bo" :relation :lives-in :value "{town}" :from 2020)')
    [conflict] = memex.run("contradictions", "--json").expect(1).one["conflicts"]
    memex.decide("settle", conflict["id"], "--both")
    assert memex.conflicts() == [] and memex.status()["conflicts"] == {"open": 0, "settled": 1}
    memex.declare('(:entity "Bo" :relation :lives-in :value "Bergen" :from 2020)')
    [again] = memex.run("contradictions", "--json").expect(1).one["conflicts"]
    assert again["id"] == conflict["id"] and len(again["facts"]) == 3
    memex.run("contradictions").expect(1).names("settle")


def test_n7_a_new_class_and_a_new_relation_are_coexistent_and_made_by_their_first_fact(
    memex: Memex,
) -> None:
    memex.write("note.org", "* Note\nNabokov is an Author. Nabokov lectured on Kafka.\n").begin()
    said = candidate(
        "Nabokov", "member-of-class", "author", "Nabokov is an Author", path="note.org",
        outline=["Note"],
    ) + candidate(
        "Nabokov", "lectured-on", "Kafka", "Nabokov lectured on Kafka", path="note.org",
        outline=["Note"],
    )  # fmt: skip
    assert memex.take(said) == ["admitted", "admitted"]
    entries = {
        (entry["kind"], entry["name"]): entry
        for entry in memex.run("ontology", "list", "--json").expect(0).one["entries"]
    }
    assert entries["class", "author"]["policy"] == "coexistent"
    assert entries["class", "author"]["members"] == ["Nabokov"]
    assert entries["relation", "lectured-on"]["policy"] == "coexistent"
    assert entries["class", "author"]["source"] == "use"
    assert {fact["policy"] for fact in memex.query("Nabokov lectured-on ?").facts} == {"coexistent"}

    memex.decide("retract", memex.fact("Nabokov member-of-class ?")["id"])
    names = {e["name"] for e in memex.run("ontology", "list", "--json").one["entries"]}
    assert "author" not in names, "a word that exists by use goes with its last use"


# --- N8: Tuesday, Friday, Sunday ----------------------------------------------------------------

DAYS = {"X": "2024-05-07 Tue", "Y": "2024-05-10 Fri", "Z": "2024-05-12 Sun"}


@pytest.mark.parametrize("order", list(permutations(DAYS)), ids="".join)
def test_n8_tuesday_friday_sunday_and_z_is_current(memex: Memex, order: tuple[str, ...]) -> None:
    for value, day in DAYS.items():
        memex.write(f"{value}.org", f"* Note {value}\n[{day}]\nThe status of Boat is {value}.\n")
    memex.ontology(relation("status", functional="t", policy="temporal")).begin()
    for value in order:
        memex.take(
            candidate("Boat", "status", value, f"status of Boat is {value}", path=f"{value}.org",
                      outline=[f"Note {value}"])
        )  # fmt: skip
    assert memex.history("Boat", "status") == [
        "Boat status X [2024-05-07, 2024-05-10)",
        "Boat status Y [2024-05-10, 2024-05-12)",
        "Boat status Z [2024-05-12, …)",
    ]
    assert memex.current("Boat status ?") == ["Boat status Z"]
    assert memex.current("Boat status ?", "--at", "2024-05-09") == ["Boat status X"]
