"""S10: "yesterday" in an old heading is the day before that heading; without a date it is no day.

Read by sentence patterns, through `pp propose` without a model.
"""

from __future__ import annotations

import pytest

from tests.cli import Json, Memex

ONTOLOGY = """\
* APPROVED joined
:PROPERTIES:
:KIND: relation
:PATTERN: joined
:END:
"""


def proposed(memex: Memex, dated: str, sentence: str) -> Json:
    """Return the one candidate of a heading that says `sentence`."""
    memex.ontology(ONTOLOGY).write("note.org", f"* Note\n{dated}\n{sentence}\n").begin()
    lines = memex.run("propose", "--json").expect(0).lines
    found = [line["candidate"] for line in lines if "candidate" in line]
    assert len(found) == 1, lines
    return dict(found[0])


@pytest.mark.parametrize(("words", "start"), [
    ("yesterday", "2019-02-28"),
    ("today", "2019-03-01"),
    ("last month", "2019-02"),
    ("last year", "2018"),
    ("on Monday", "2019-02-25"),
    ("in February", "2019-02"),
])  # fmt: skip
def test_s10_a_relative_date_is_that_of_its_heading(memex: Memex, words: str, start: str) -> None:
    found = proposed(memex, "[2019-03-01 Fri]", f"Ada joined Halden {words}.")
    assert (found["entity"], found["relation"], found["value"]) == ("Ada", "joined", "Halden")
    assert found["valid_from"] == start
    assert "unresolved" not in found["rationale"]


@pytest.mark.parametrize(("words", "told"), [
    ("yesterday", "yesterday"),
    ("last month", "last month"),
    ("in February", "February"),
    ("on the 14th", "the 14th"),
])  # fmt: skip
@pytest.mark.parametrize("now", ["2022-02-15T00:00:00Z", "2025-06-01T12:00:00Z"])
def test_s10_without_a_date_it_is_unresolved_and_flagged(
    memex: Memex, words: str, told: str, now: str
) -> None:
    """Never today's date, never an invented one, whatever the clock says."""
    memex.now = now
    found = proposed(memex, "", f"Ada joined Halden {words}.")
    assert found.get("valid_from") is None and found.get("valid_to") is None
    assert f"unresolved: '{told}'" in found["rationale"]


def test_s10_coarse_evidence_is_not_made_finer(memex: Memex) -> None:
    created = ":PROPERTIES:\n:CREATED: 2019-03\n:END:"
    found = proposed(memex, created, "Ada joined Halden yesterday.")
    assert found["valid_from"] == "2019"
