"""S22: a heading that goes takes its own grounding only; record time still shows both."""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, paths

THEN, LATER, NOW = "2025-01-10T12:00:00Z", "2025-03-10T12:00:00Z", "2025-05-01T12:00:00Z"


def said(path: str, title: str) -> str:
    return candidate(
        "Ada", "born-in", "London", "Ada was born in London", path=path, outline=[title]
    )


@pytest.fixture
def people(memex: Memex) -> Memex:
    memex.now = THEN
    memex.write("people.org", "* Ada\nAda was born in London.\n* Other\nNothing.\n")
    memex.write("rest.org", "* Rest\nNothing of note.\n")
    memex.write("letters.org", "* From Ada\nAda was born in London, she says.\n")
    memex.begin()
    memex.take(said("people.org", "Ada") + said("letters.org", "From Ada"))
    return memex


@pytest.mark.parametrize("gone", ["the heading", "the file", "the sentence"])
def test_s22_only_that_grounding_goes(people: Memex, gone: str) -> None:
    fact = people.fact("Ada born-in ?")
    assert paths(fact) == ["letters.org", "people.org"]
    people.now = LATER
    if gone == "the heading":
        people.edit("people.org", "* Ada\nAda was born in London.\n", "")
    elif gone == "the sentence":
        people.edit("people.org", "Ada was born in London.\n", "")
    else:
        people.delete("people.org")
    people.sync()
    people.now = NOW
    after = people.query("Ada born-in ?").only
    assert after["id"] == fact["id"] and after["standing"] == "standing"
    assert paths(after) == ["letters.org"]

    then = people.query("Ada born-in ?", "--as-of", "2025-02-01").only
    assert paths(then) == ["letters.org", "people.org"]
    if gone != "the sentence":
        assert [g["line"] for g in then["groundings"] if g["path"] == "people.org"] == [None]
    assert people.rebuild()["result"] == "equal"
    assert paths(people.query("Ada born-in ?", "--as-of", "2025-02-01").only) == paths(then)


def test_s22_as_of_the_time_after_it_went_shows_one(people: Memex) -> None:
    people.now = LATER
    people.delete("people.org").sync()
    people.now = NOW
    assert paths(people.query("Ada born-in ?", "--as-of", "2025-04-01").only) == ["letters.org"]


def test_s22_before_it_was_known_nothing_is_claimed(people: Memex) -> None:
    people.now = NOW
    answer = people.query("Ada born-in ?", "--as-of", "2024-12-31")
    assert answer.facts == () and answer.status == "unverified"


def test_s22_the_last_grounding_gone_makes_it_stale_not_forgotten(people: Memex) -> None:
    fid = people.fact("Ada born-in ?")["id"]
    people.now = LATER
    people.delete("people.org").delete("letters.org").sync()
    people.now = NOW
    assert people.current("Ada born-in ?", "--all") == []
    assert people.run("audit", fid, "--json").expect(0).one["fact"]["standing"] == "stale"
    assert len(people.status()["lost"]) == 2, "listed with their last place"
    assert paths(people.query("Ada born-in ?", "--as-of", "2025-02-01").only) == [
        "letters.org", "people.org",
    ]  # fmt: skip


def test_s22_retracted_at_one_heading_it_stands_by_the_other(people: Memex) -> None:
    fact = people.fact("Ada born-in ?")
    people.decide("retract", fact["id"], "--heading", "people.org#Ada#1")
    assert paths(people.fact("Ada born-in ?")) == ["letters.org"]
    people.decide("retract", fact["id"])
    assert people.current("Ada born-in ?", "--all") == []
