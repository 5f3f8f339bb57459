"""S1: the same fact proposed twice is one fact; the second heading joins its groundings."""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, paths, relation, say

DIARY = """
    * 2022-03-14 Monday
    Ines works at Halden since 2022-03.
"""
LETTER = """
    * To my sister
    [2022-05-01 Sun]
    You asked: Ines works at Halden since March 2022, and likes it.
"""
FIRST = candidate(
    "Ines", "works-at", "Halden", "Ines works at Halden since 2022-03", path="diary.org",
    outline=["2022-03-14 Monday"], valid_from="2022-03", confidence="0.9",
)  # fmt: skip
SECOND = candidate(
    "Ines", "works-at", "Halden", "Ines works at Halden since March 2022", path="letter.org",
    outline=["To my sister"], valid_from="2022-03", confidence="0.4",
)  # fmt: skip

KINDS = {
    "undeclared": {},
    "functional": {"functional": "t"},
    "coexistent": {"functional": "t", "policy": "coexistent"},
    "temporal": {"functional": "t", "policy": "temporal"},
    "exclusive": {"functional": "t", "policy": "exclusive"},
}
every_kind = pytest.mark.parametrize("properties", KINDS.values(), ids=KINDS.keys())


@pytest.fixture
def notes(memex: Memex) -> Memex:
    return memex.write("diary.org", DIARY).write("letter.org", LETTER)


def admitted(notes: Memex) -> None:
    """Admit the first candidate, as a person where the relation asks for one."""
    [line] = notes.propose(FIRST)
    notes.admit(line["proposal"])


@every_kind
def test_s1_the_same_candidate_again_is_a_no_op(
    notes: Memex, properties: dict[str, str]
) -> None:
    notes.ontology(relation("works-at", **properties)).begin()
    [first] = notes.propose(FIRST)
    [again] = notes.propose(FIRST)
    assert first["new"] is True and again["new"] is False
    assert again["proposal"] == first["proposal"]
    assert len(notes.queue()) == 1

    notes.admit(first["proposal"])
    before = notes.digest(), notes.journal_bytes()
    [after] = notes.propose(FIRST)
    assert (after["proposal"], after["outcome"], after["new"]) == (
        first["proposal"], "duplicate", False,
    )  # fmt: skip
    assert notes.queue() == [] and notes.admit_auto() == []
    assert (notes.digest(), notes.journal_bytes()) == before


@every_kind
def test_s1_a_second_heading_joins_the_groundings(
    notes: Memex, properties: dict[str, str]
) -> None:
    notes.ontology(relation("works-at", **properties)).begin()
    admitted(notes)
    one = notes.fact("Ines works-at Halden")

    assert notes.take(SECOND) == ["duplicate"], "a duplicate needs no person in any relation"

    fact = notes.fact("Ines works-at ?")
    assert fact["id"] == one["id"]
    assert paths(fact) == ["diary.org", "letter.org"]
    assert fact["superseded_by"] is None and fact["supersedes"] == []
    assert fact["contradicted_by"] == [] and notes.conflicts() == []
    assert fact["spells"] == one["spells"]
    assert fact["labels"] == ["current"]


def test_s1_twice_in_one_batch_is_one_fact(notes: Memex) -> None:
    notes.begin().propose(FIRST + FIRST + SECOND)
    assert sorted(say(line["candidate"]) for line in notes.queue()) == ["Ines works-at Halden"] * 2
    assert [verdict["outcome"] for verdict in notes.admit_auto()] == ["admitted", "duplicate"]
    assert paths(notes.fact("Ines works-at Halden")) == ["diary.org", "letter.org"]


def test_s1_one_line_for_each_fact_and_heading(notes: Memex) -> None:
    """Two quotes of one heading that say the same are one line of the queue, closed by one yes."""
    notes.write(
        "diary.org",
        """
        * Twice
        Ines works at Halden. Again: Ines really works for Halden now.
        """,
    ).begin()
    place = {"path": "diary.org", "outline": ["Twice"]}
    notes.propose(
        candidate("Ines", "works-at", "Halden", "Ines works at Halden", **place)
        + candidate("Ines", "works-at", "Halden", "Ines really works for Halden", **place)
    )
    [line] = notes.queue()
    notes.admit(line["proposal"])
    assert notes.queue() == []


def test_s1_read_from_prose_and_proposed_is_one_fact(notes: Memex) -> None:
    """A person's block and a model say the same: the stronger provenance is printed."""
    notes.write(
        "work.org",
        """
        * Work
        #+begin_src knowledge
        (:entity "Ines" :relation :works-at :value "Halden" :from 2022-03)
        #+end_src
        """,
    ).begin()
    assert notes.take(FIRST + SECOND) == ["duplicate", "duplicate"]
    fact = notes.fact("Ines works-at ?")
    assert fact["provenance"] == "human-authored"
    assert paths(fact) == ["diary.org", "letter.org", "work.org"]


def test_s1_what_joined_holds_the_fact_when_the_first_heading_goes(notes: Memex) -> None:
    notes.begin()
    notes.take(FIRST + SECOND)
    notes.delete("diary.org").sync()
    assert paths(notes.fact("Ines works-at Halden")) == ["letter.org"]
