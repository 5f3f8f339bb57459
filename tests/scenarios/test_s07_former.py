"""S7: "former CEO of Y" without a date is over, nobody knows since when."""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, relation

FORMER = candidate(
    "Aksel", "ceo-of", "Brisling", "Aksel, former CEO of Brisling", path="papers.org",
    outline=["Obituary"], valid_to="?",
)  # fmt: skip
NEW = candidate(
    "Petra", "ceo-of", "Brisling", "Petra is CEO of Brisling", path="papers.org",
    outline=["Portrait"],
)  # fmt: skip
POLICIES = {
    "coexistent": {},
    "temporal": {"policy": "temporal"},
    "temporal, one at a time": {"policy": "temporal", "functional": "t"},
}
every_policy = pytest.mark.parametrize("properties", POLICIES.values(), ids=POLICIES.keys())


@pytest.fixture
def papers(memex: Memex) -> Memex:
    return memex.write(
        "papers.org",
        """
        * Portrait
        [2022-01-10 Mon]
        Petra is CEO of Brisling.
        * Obituary
        [2023-05-02 Tue]
        Aksel, former CEO of Brisling, has died.
        """,
    )


@every_policy
def test_s7_former_is_not_current_nor_known_before_its_evidence(
    papers: Memex, properties: dict[str, str]
) -> None:
    papers.ontology(relation("ceo-of", **properties)).begin()
    assert papers.take(FORMER) == ["admitted"]

    assert papers.current("Aksel ceo-of ?") == []
    for when in ("1990", "2023-05-01", "2023-05-02", "2024", "2090"):
        assert papers.current("Aksel ceo-of ?", "--at", when) == [], when
    assert "past" not in papers.query("Aksel ? ?", "--all", "--at", "2023-05-01").only["labels"]
    assert papers.query("Aksel ? ?", "--all", "--at", "2023-05-03").only["labels"] == ["past"]

    [fact] = papers.timeline("Aksel")
    assert fact["spells"] == [] and fact["valid_to"] == "?" and fact["valid_from"] is None
    assert fact["labels"] == ["past"] and fact["standing"] == "standing"


@every_policy
@pytest.mark.parametrize("turned", [False, True], ids=["former first", "former last"])
def test_s7_former_closes_nothing_and_is_closed_by_nothing(
    papers: Memex, properties: dict[str, str], turned: bool
) -> None:
    """It is no point: whoever holds the office stays, and no conflict is made of it."""
    papers.ontology(relation("ceo-of", **properties)).begin()
    for line in (NEW, FORMER) if turned else (FORMER, NEW):
        assert papers.take(line) == ["admitted"]
    assert papers.current("? ceo-of Brisling") == ["Petra ceo-of Brisling"]
    assert papers.conflicts() == []


def test_s7_former_of_the_same_person_does_not_end_what_is_said_later(papers: Memex) -> None:
    """Former CEO of one firm, now CEO of another: only the second is current."""
    papers.write("more.org", "* More\n[2024-02-02 Fri]\nAksel is CEO of Tidemark.\n")
    papers.ontology(relation("ceo-of", policy="temporal", functional="t")).begin()
    now = candidate(
        "Aksel", "ceo-of", "Tidemark", "Aksel is CEO of Tidemark", path="more.org",
        outline=["More"],
    )  # fmt: skip
    assert papers.take(now) == ["admitted"]
    assert papers.take(FORMER) == ["admitted"]
    assert papers.current("Aksel ceo-of ?") == ["Aksel ceo-of Tidemark"]
    assert len(papers.timeline("Aksel", "ceo-of")) == 2
    assert papers.conflicts() == []


def test_s7_a_known_start_with_an_unknown_end_is_over_by_its_first_evidence(papers: Memex) -> None:
    papers.ontology(relation("ceo-of", policy="temporal"))
    quote = "Aksel, former CEO of Brisling from 2019 on"
    papers.edit("papers.org", "Aksel, former CEO of Brisling", quote).begin()
    papers.take(
        candidate(
            "Aksel", "ceo-of", "Brisling", quote, path="papers.org", outline=["Obituary"],
            valid_from="2019", valid_to="?",
        )
    )
    assert papers.fact("Aksel ? ?")["spells"] == [["2019", "2023-05-02"]]
    assert papers.current("Aksel ceo-of ?", "--at", "2021") == ["Aksel ceo-of Brisling"]
    assert papers.current("Aksel ceo-of ?", "--at", "2023-06") == []


def test_s7_an_unknown_start_with_a_known_end_begins_with_its_first_evidence(papers: Memex) -> None:
    papers.ontology(relation("ceo-of", policy="temporal"))
    quote = "Aksel will be CEO of Brisling until the end of 2023"
    papers.edit("papers.org", "Aksel, former CEO of Brisling, has died", quote).begin()
    papers.take(
        candidate(
            "Aksel", "ceo-of", "Brisling", quote, path="papers.org", outline=["Obituary"],
            valid_from="?", valid_to="2024",
        )
    )
    assert papers.fact("Aksel ? ?")["spells"] == [["2023-05-02", "2024"]]
    assert papers.current("Aksel ceo-of ?", "--at", "2022") == []


def test_s7_without_any_date_it_is_past_and_in_the_history(papers: Memex) -> None:
    """The heading has no date and none is made up."""
    papers.write("undated.org", "* Undated\nAksel, former CEO of Brisling, says hello.\n").begin()
    papers.take(FORMER.replace("papers.org", "undated.org").replace("Obituary", "Undated"))
    papers.now = "2025-06-02T12:00:00Z"
    assert papers.current("Aksel ? ?") == []
    [fact] = papers.timeline("Aksel")
    assert fact["labels"] == ["past"] and fact["spells"] == []


def test_s7_a_person_may_write_it_as_a_block(papers: Memex) -> None:
    papers.write(
        "block.org",
        """
        * Block
        [2023-05-02 Tue]
        #+begin_src knowledge
        (:entity "Bo" :relation :ceo-of :value "Halden" :to "?")
        #+end_src
        """,
    ).begin()
    papers.now = "2025-06-02T12:00:00Z"
    assert papers.current("Bo ? ?") == []
    assert [fact["labels"] for fact in papers.timeline("Bo")] == [["past"]]
