"""What only follows from rules can be refused by a person, and cannot be withdrawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bridge.app import open_app
from bridge.settings import load
from symbolic.deduced import Deduced
from symbolic.world import View
from tests.cli import Memex

NOTES = """\
* Family
#+begin_src knowledge
(:entity "Ada" :relation "parent" :value "Bo")
(:entity "Bo" :relation "parent" :value "Cy")
#+end_src
"""
RULES = """\
% name: grandparents
grandparent(X, Z) <= parent(X, Y) & parent(Y, Z).
elder(X, Z) <= grandparent(X, Z).
"""


@pytest.fixture
def family(memex: Memex) -> Memex:
    memex.write("family.org", NOTES)
    memex.write("system/rules/family.dl", RULES)
    return memex.begin()


@contextmanager
def view(memex: Memex) -> Iterator[View]:
    with open_app(load(str(memex.root), str(memex.state), memex.now)) as app:
        yield app.view


def deduced(memex: Memex, relation: str) -> Deduced | None:
    with view(memex) as seen:
        return next(iter(seen.deduced(relation=relation)), None)


def fid(memex: Memex, relation: str) -> str:
    found = deduced(memex, relation)
    assert found is not None
    return found.triple.statement().fid


def test_a_rejected_deduction_is_withheld_and_feeds_nothing_until_that_is_undone(
    family: Memex,
) -> None:
    grand = fid(family, "grandparent")
    event = family.decide("reject", grand, "--reason", "not by blood")["event"]
    held = deduced(family, "grandparent")
    assert held is not None
    assert (held.spells, held.withheld) == ((), ((None, None),))
    assert deduced(family, "elder") is None
    assert [(line["body"]["key"], line["body"]["scope"]) for line in family.journal("reject")] == [
        ("*", "everywhere")
    ]
    family.run("reject", grand).expect(0)
    assert len(family.journal("reject")) == 1
    family.run("undo", str(event)).expect(0)
    assert fid(family, "elder")
    assert family.rebuild()


def test_what_only_follows_is_not_retracted_and_the_refusal_names_its_premises(
    family: Memex,
) -> None:
    grand, elder = fid(family, "grandparent"), fid(family, "elder")
    premises = [family.fact(f"{one} parent ?")["id"] for one in ("Ada", "Bo")]
    before = family.journal_bytes()
    family.run("retract", grand).expect(4).names("grandparents", *premises, "Ada parent Bo")
    family.run("retract", elder).expect(4).names(grand, "ada grandparent cy")
    assert family.journal_bytes() == before
    family.run("retract", premises[0]).expect(0)
    assert deduced(family, "elder") is None


def test_what_is_stated_as_well_is_retracted_and_then_still_follows(family: Memex) -> None:
    declared = family.declare('(:entity "Ada" :relation "grandparent" :value "Cy")')
    grand = fid(family, "grandparent")
    assert declared["fact"]["id"] == grand
    family.run("retract", grand).expect(0)
    assert deduced(family, "grandparent") is not None
    family.run("retract", grand).expect(4).names("grandparents")


def test_a_constraint_flags_and_settling_it_closes_it_until_it_says_more(family: Memex) -> None:
    family.write("system/rules/odd.dl", "% name: oldest\n<= elder(X, Y) & parent(X, Z).\n").sync()
    with view(family) as seen:
        [conflict] = [c for c in seen.conflicts() if c.constraint == "rule:oldest"]
    assert fid(family, "elder") in conflict.members
    stated = family.fact("Ada parent Bo")["id"]
    family.run("settle", conflict.id, "--keep", stated).expect(4).names("elder")
    family.run("settle", conflict.id, "--both").expect(0)
    with view(family) as seen:
        [conflict] = [c for c in seen.conflicts() if c.constraint == "rule:oldest"]
    assert conflict.state == "settled"
