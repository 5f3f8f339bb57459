"""S37, S21, S31: what rules derive is answered with every premise and rule, and falls with them."""

from __future__ import annotations

import pytest

from tests.cli import Memex, relation

RULES = """\
% name: colleagues
colleague(X, Y) <= works_at(X, Z) & works_at(Y, Z) & X != Y.
% name: neighbours
colleague(X, Y) <= shares_desk(X, Y).
"""
ONTOLOGY = (
    relation("works-at", policy="temporal", functional="t")
    + relation("within", transitive="t")
    + relation("home", policy="exclusive", functional="t")
)
PROSE = """\
* Ada
- within :: Oslo
Ada works at Acme.
* Bo
Bo works at Acme.
* Oslo
- within :: Norway
"""


@pytest.fixture
def notes(memex: Memex) -> Memex:
    memex.write("a.org", PROSE).write("system/rules/work.dl", RULES).ontology(ONTOLOGY).begin()
    memex.declare('(:entity "Ada" :relation :works-at :value "Acme" :from "2020")')
    memex.declare('(:entity "Bo" :relation :works-at :value "Acme" :from "2022" :to "2023")')
    return memex


def derived(notes: Memex, pattern: str, *flags: str) -> list[str]:
    return notes.query(pattern, "--all", *flags).says


def test_s37_every_premise_and_the_rule_down_to_the_line(notes: Memex) -> None:
    found = notes.fact("Ada colleague Bo")
    assert found["provenance"] == "deduced"
    assert found["spells"] == [["2022-01-01", "2024-01-01"]]
    told = notes.run("why", found["id"]).expect(0)
    told.names("rule colleagues (work.dl:2)", "Ada works-at Acme", "Bo works-at Acme", "declare of")
    audit = notes.run("audit", found["id"][:10]).expect(0)
    audit.names("deduced", "rule colleagues", "system/journal/")
    premises = {p for step in found["derived_by"] for p in step["premises"]}
    assert premises == {notes.fact("Ada works-at Acme")["id"], notes.fact("Bo works-at Acme")["id"]}


def test_s37_two_independent_proofs_are_both_listed(notes: Memex) -> None:
    notes.declare('(:entity "Ada" :relation :shares-desk :value "Bo")')
    found = notes.fact("Ada colleague Bo")
    assert {step["rule"] for step in found["derived_by"]} == {"colleagues", "neighbours"}
    told = notes.run("why", found["id"]).expect(0)
    told.names("proof 1, 1 step", "proof 2, 1 step", "rule colleagues", "rule neighbours")
    one = notes.run("why", found["id"], "--limit", "1").expect(0)
    assert "proof 2" not in one.out and "there are more" in one.out


def test_s21_what_rested_on_it_alone_falls_and_returns(notes: Memex) -> None:
    assert derived(notes, "Ada within Norway") == ["Ada within Norway"]
    digest = notes.digest()
    notes.edit("a.org", "- within :: Norway\n", "").sync()
    assert derived(notes, "Ada within Norway") == []
    notes.edit("a.org", "* Oslo\n", "* Oslo\n- within :: Norway\n").sync()
    assert derived(notes, "Ada within Norway") == ["Ada within Norway"]
    assert notes.digest() == digest


def test_s21_a_second_derivation_outlives_the_first(notes: Memex) -> None:
    shared = notes.declare('(:entity "Ada" :relation :shares-desk :value "Bo")')
    works = notes.fact("Bo works-at Acme")["id"]
    notes.run("retract", works).expect(0)
    assert derived(notes, "Ada colleague Bo") == ["Ada colleague Bo"]
    notes.run("undo", shared["event"]).expect(0)
    assert derived(notes, "Ada colleague Bo") == []


def test_s31_rules_run_twice_change_nothing(notes: Memex) -> None:
    digest = notes.digest()
    notes.sync()
    notes.write("system/rules/work.dl", "% only a comment more\n" + RULES).sync()
    assert notes.digest() == digest
    notes.rebuild()
    assert notes.digest() == digest


def test_what_is_deduced_is_withheld_where_a_base_fact_stands_against_it(notes: Memex) -> None:
    notes.write("system/rules/work.dl", RULES + "home(X, Y) <= within(X, Y).\n").sync()
    assert "Ada home Oslo" in derived(notes, "Ada home ?")
    notes.declare('(:entity "Ada" :relation :home :value "Paris")')
    assert notes.query("Ada home ?").says == ["Ada home Paris"]
    [held] = [f for f in notes.query("Ada home ?", "--all").facts if f["value"] == "Oslo"]
    assert held["labels"] == ["withheld"]
    notes.run("why", held["id"]).expect(0).names("withheld always")


def test_questions_of_a_time_see_what_was_derived_then(notes: Memex) -> None:
    assert notes.query("Ada colleague ?", "--at", "2023-06").says == ["Ada colleague Bo"]
    assert notes.query("Ada colleague ?").says == []
    assert derived(notes, "Ada colleague Bo") == ["Ada colleague Bo"]
    assert "Ada colleague Bo [2022-01-01, 2024-01-01)" in notes.history("Ada")
