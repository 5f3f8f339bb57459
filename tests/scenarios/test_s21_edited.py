"""S21: what the prose no longer says is stale, out of current answers, and may come back."""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, relation

LONDON = candidate(
    "Ada", "born-in", "London", "Ada was born in London", path="people.org", outline=["Ada"]
)
PARIS = LONDON.replace("London", "Paris")
POLICIES = {
    "coexistent": {"functional": "t"},
    "exclusive": {"functional": "t", "policy": "exclusive"},
    "temporal": {"functional": "t", "policy": "temporal"},
}


@pytest.fixture(params=POLICIES.values(), ids=POLICIES.keys())
def people(memex: Memex, request: pytest.FixtureRequest) -> Memex:
    memex.write("people.org", "* Ada\n[2020-01-01]\nAda was born in London.\n")
    return memex.ontology(relation("born-in", **request.param)).begin()


def accept(people: Memex, line: str) -> str:
    [proposed] = people.propose(line)
    people.admit(proposed["proposal"])
    return str(people.fact("Ada born-in ?")["id"])


def test_s21_the_old_fact_is_stale_and_the_new_one_a_fresh_proposal(people: Memex) -> None:
    london = accept(people, LONDON)
    people.edit("people.org", "London", "Paris").sync()

    assert people.current("Ada born-in ?", "--all") == []
    assert people.current("Ada born-in ?", "--at", "2021") == []
    audit = people.run("audit", london, "--json").expect(0).one
    assert audit["fact"]["standing"] == "stale" and audit["fact"]["labels"] == []
    people.run("audit", london).expect(0).names("stale")

    [fresh] = people.propose(PARIS)
    assert fresh["new"] is True
    assert people.admit(fresh["proposal"])["outcome"] == "admitted", "a stale fact blocks nothing"
    assert people.current("Ada born-in ?") == ["Ada born-in Paris"]
    assert people.conflicts() == []


def test_s21_a_quote_that_returns_brings_the_admission_back(people: Memex) -> None:
    """Under the same id, with nothing to decide again."""
    london = accept(people, LONDON)
    before = people.digest()
    people.edit("people.org", "London", "Paris").sync()
    people.edit("people.org", "Paris", "London").sync()
    assert people.fact("Ada born-in ?")["id"] == london
    assert people.queue() == []
    assert people.digest() == before


@pytest.mark.parametrize(
    "text",
    [
        "* Ada\n[2020-01-01]\nMuch more text. Ada was\n   born in London. And more.\n",
        "* Ada\n[2020-01-01]\nAda was *born* in [[file:x.org][London]].\n",
        "* Ada\r\n[2020-01-01]\r\nAda was born in London.\r\n",
        "* TODO [#A] Ada :person:\n[2020-01-01]\nAda was born in London.\n",
    ],
    ids=["refilled", "markup", "line ends", "keyword and tags"],
)
def test_s21_an_edit_that_keeps_the_quote_keeps_the_fact(people: Memex, text: str) -> None:
    london = accept(people, LONDON)
    people.write("people.org", text.encode()).sync()
    assert people.fact("Ada born-in ?")["id"] == london


def test_s21_a_proposal_whose_quote_goes_lapses_and_returns(people: Memex) -> None:
    people.propose(LONDON)
    people.edit("people.org", "London", "Paris").sync()
    assert people.queue() == [] and people.admit_auto() == []
    people.edit("people.org", "Paris", "London").sync()
    assert len(people.queue()) == 1


def test_s21_a_failed_extraction_is_not_no_longer_said(people: Memex) -> None:
    """What a reader got wrong unsays nothing that another one got right."""
    london = accept(people, LONDON)
    people.propose('{"entity": "Ada", "relation": "born-in", "value"\n', code=7)
    assert people.fact("Ada born-in ?")["id"] == london
    people.propose(PARIS, code=4)
    people.propose("", code=0)
    assert people.fact("Ada born-in ?")["id"] == london


def test_s21_a_file_that_cannot_be_read_for_a_while_costs_no_decision(people: Memex) -> None:
    """It is named; made readable again, everything stands under its old id, nothing is re-asked."""
    london = accept(people, LONDON)
    before = people.digest()
    good = (people.root / "people.org").read_bytes()
    people.write("people.org", good + b"F\xfcr\n")
    [skipped] = people.run("sync", "--json").expect(0, 1).one["files"]["skipped"]
    assert skipped["path"] == "people.org"
    assert people.rebuild()["result"] == "equal"
    people.write("people.org", good).sync()
    assert people.fact("Ada born-in ?")["id"] == london
    assert people.queue() == [] and people.digest() == before


def test_s21_a_persons_block_goes_stale_with_its_line_and_returns_with_it(memex: Memex) -> None:
    block = """
        * Ada
        #+begin_src knowledge
        (:entity "Ada" :relation :born-in :value "London")
        (:entity "Ada" :relation :studied :value "mathematics")
        #+end_src
    """
    memex.write("people.org", block).begin()
    born = memex.fact("Ada born-in ?")["id"]
    memex.edit("people.org", '(:entity "Ada" :relation :born-in :value "London")\n', "").sync()
    assert memex.current("Ada ? ?", "--all") == ["Ada studied mathematics"]
    memex.write("people.org", block).sync()
    assert memex.fact("Ada born-in ?")["id"] == born


def test_s21_an_extracted_fact_follows_its_text(memex: Memex) -> None:
    memex.write("people.org", "* Ada\n:PROPERTIES:\n:BIRTHPLACE: London\n:END:\n- town :: Bath\n")
    memex.begin()
    memex.edit("people.org", "London", "Paris").edit("people.org", "Bath", "Lyon").sync()
    assert memex.current("Ada birthplace ?", "--all") == ["Ada birthplace Paris"]
    assert memex.current("Ada town ?", "--all") == ["Ada town Lyon"]


def test_s21_what_a_person_declared_needs_no_quote(people: Memex) -> None:
    accept(people, LONDON)
    people.declare('(:entity "Ada" :relation :born-in :value "London")')
    people.edit("people.org", "London", "Paris").sync()
    assert people.current("Ada born-in ?") == ["Ada born-in London"]


def test_s21_what_was_before_holds_again_when_its_successor_goes_stale(memex: Memex) -> None:
    memex.write("a.org", "* A\n[2020-01-01]\nAda lives in London.\n")
    memex.write("b.org", "* B\n[2022-01-01]\nAda lives in Paris.\n")
    memex.ontology(relation("lives-in", functional="t", policy="temporal")).begin()
    for name, town in (("a", "London"), ("b", "Paris")):
        memex.take(
            candidate("Ada", "lives-in", town, f"Ada lives in {town}", path=f"{name}.org",
                      outline=[name.upper()])
        )  # fmt: skip
    assert memex.current("Ada lives-in ?") == ["Ada lives-in Paris"]
    memex.delete("b.org").sync()
    assert memex.current("Ada lives-in ?") == ["Ada lives-in London"]
