"""The law of the store: what it holds after any history is what one fold of the whole gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic.digest import digest_d, digest_f
from symbolic.records import Declarations
from symbolic.store.store import Store
from symbolic.world import Change, View
from tests.symbolic.histories import DECLARATIONS, OTHER, ROWS, History, histories

pytestmark = pytest.mark.law


def everything(view: View) -> dict[str, object]:
    """Return all that a view answers, digested or not, but for the time a reading was seen."""
    return {
        "facts": [
            (f.fid, f.standing, f.closed, sorted(map(repr, f.assertions))) for f in view.facts()
        ],
        "spells": {f.fid: view.spells(f.fid) for f in view.facts()},
        "policies": {f.fid: view.policy(f.statement) for f in view.facts()},
        "conflicts": view.conflicts(),
        "conflicts_of": {f.fid: view.conflicts_of(f.fid) for f in view.facts()},
        "bars": view.bars(),
        "proposals": view.proposals(),
        "tracks": view.tracks(),
        "undone": dict(view.undone()),
        "lines": list(view.lines()),
        "headings": list(view.headings()),
        "said at": {h.key: [f.fid for f in view.facts_at(h.key)] for h in view.headings()},
        "D": digest_d(view, {}),
        "F": digest_f(view, {}),
    }


def store(declarations: Declarations = DECLARATIONS, zone: str = "UTC") -> Store:
    return Store.memory(declarations=declarations, rows=ROWS, zone=zone)


def same(one: View, other: View) -> None:
    mine, theirs = everything(one), everything(other)
    for part, found in mine.items():
        assert found == theirs[part], part


@given(histories())
def test_changes_one_by_one_give_what_one_change_gives(history: History) -> None:
    with store() as kept, store() as fresh:
        for step in history.steps:
            kept.apply(step)
        fresh.apply(history.whole)
        same(kept, fresh)


@given(histories(max_steps=4), st.booleans())
def test_other_declarations_and_another_zone_apply_to_the_whole_history(
    history: History, early: bool
) -> None:
    with store(OTHER) as kept, store(zone="Asia/Tokyo") as fresh:
        middle = len(history.steps) // 2 if early else len(history.steps)
        for at, step in enumerate((*history.steps, Change())):
            if at == middle:
                kept.apply(Change(declarations=DECLARATIONS, zone="Asia/Tokyo"))
            kept.apply(step)
        fresh.apply(history.whole)
        same(kept, fresh)


@given(histories(max_steps=4))
def test_lines_already_folded_are_passed_over(history: History) -> None:
    with store() as kept:
        kept.apply(history.whole)
        before = everything(kept)
        touched = kept.apply(history.whole)
        assert everything(kept) == before
        assert not touched.facts and not touched.conflicts


@given(histories(max_steps=4))
def test_what_touched_leaves_out_is_as_before(history: History) -> None:
    with store() as kept:
        for step in history.steps:
            facts = {f.fid: (f.standing, kept.spells(f.fid)) for f in kept.facts()}
            conflicts = {c.id: c for c in kept.conflicts()}
            touched = kept.apply(step)
            after = {f.fid: (f.standing, kept.spells(f.fid)) for f in kept.facts()}
            now = {c.id: c for c in kept.conflicts()}
            for fid in {*facts, *after} - touched.facts:
                assert facts.get(fid) == after.get(fid)
            for name in {*conflicts, *now} - touched.conflicts:
                assert conflicts.get(name) == now.get(name)
