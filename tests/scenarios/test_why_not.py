"""Why not: every single change that `pp why-not` lists does, done through `pp`, what it says."""

from __future__ import annotations

import pytest

from tests.cli import Json, Memex, candidate, relation

ONTOLOGY = (
    relation("born-in", policy="exclusive", functional="t")
    + relation("likes", policy="exclusive", opposite="hates")
    + relation("hates", policy="exclusive", opposite="likes")
    + relation("works-at", policy="exclusive", functional="t")
    + relation("caused-by", min_sources="2")
)
PROSE = """\
* Ada
Ada was born in Oslo. Ada was born in Rome. Ada likes rain. Ada hates rain.
Ada works at Acme from 2019 to 2021. Ada works at Hooli. The leak was caused by frost.
"""


@pytest.fixture
def notes(memex: Memex) -> Memex:
    memex.write("ada.org", PROSE).ontology(ONTOLOGY).begin()
    memex.declare('(:entity "Ada" :relation :born-in :value "Oslo")')
    memex.declare('(:entity "Ada" :relation :likes :value "rain")')
    memex.declare('(:entity "Ada" :relation :works-at :value "Acme" :from "2019" :to "2021")')
    return memex


def said(entity: str, name: str, value: str, quote: str) -> str:
    return candidate(entity, name, value, quote, path="ada.org", outline=["Ada"])


LINES = {
    "born": said("Ada", "born-in", "Rome", "Ada was born in Rome"),
    "hates": said("Ada", "hates", "rain", "Ada hates rain"),
    "hooli": said("Ada", "works-at", "Hooli", "Ada works at Hooli"),
    "leak": said("The leak", "caused-by", "frost", "The leak was caused by frost"),
}


def asked(notes: Memex, line: str, *flags: str) -> Json:
    [proposed] = notes.propose(line)
    return notes.run("why-not", proposed["proposal"], "--json", *flags).expect(0).one


@pytest.mark.parametrize("name", sorted(LINES))
def test_every_change_that_has_a_command_does_what_it_says(notes: Memex, name: str) -> None:
    found = asked(notes, LINES[name], "--all")
    assert found["tried"] == len(found["changes"])
    tried = [change for change in found["changes"] if change["command"]]
    assert {change["command"][0] for change in tried} >= {"admit"}
    for number, change in enumerate(tried):
        twin = notes.twin(f"twin{number}", journal=True)
        twin.sync()
        if change["command"][0] != "admit":
            twin.run(*change["command"]).expect(0)
        [line] = twin.queue()
        verdict = twin.admit(line["proposal"], code=0 if change["lets_in"] else 4)
        assert verdict["outcome"] == change["outcome"], change


def test_what_an_edited_ontology_would_do_it_does(notes: Memex) -> None:
    found = asked(notes, LINES["born"])
    changes = {change["change"]: change for change in found["changes"]}
    policy = changes["born-in had the policy coexistent in the ontology"]
    assert (policy["outcome"], policy["by_person"]) == ("flagged", False)
    notes.ontology(ONTOLOGY.replace(":POLICY: exclusive", ":POLICY: coexistent", 1)).sync()
    [verdict] = notes.admit_auto()
    assert verdict["outcome"] == "flagged"


def test_an_opposite_counts_as_gone_only_from_both_sides(notes: Memex) -> None:
    found = asked(notes, LINES["hates"])
    assert "hates had no OPPOSITE in the ontology" in [c["change"] for c in found["changes"]]


def test_a_bar_is_found_and_lifted(notes: Memex) -> None:
    [proposed] = notes.propose(LINES["leak"])
    notes.run("reject", proposed["proposal"], "--reason", "no").expect(0)
    found = notes.run("why-not", proposed["proposal"], "--json").expect(0).one
    assert found["outcome"] == "rejected"
    undone = [c for c in found["changes"] if c["command"][:1] == ["undo"]]
    assert [c["outcome"] for c in undone] == ["admitted"] and undone[0]["by_person"]


def test_nothing_of_a_trial_stays(notes: Memex) -> None:
    [proposed] = notes.propose(LINES["hates"])
    digest, journal = notes.digest(), notes.journal_bytes()
    assert notes.run("why-not", proposed["proposal"], "--all").expect(0).out.count("*** if ") > 3
    assert (notes.digest(), notes.journal_bytes()) == (digest, journal)
    notes.rebuild()
    assert notes.digest() == digest


def test_what_is_no_proposal_is_told_where_to_go(notes: Memex) -> None:
    fact = notes.fact("Ada born-in Oslo")
    told = notes.run("why-not", fact["id"]).expect(2)
    told.names("is no proposal", "pp why")
