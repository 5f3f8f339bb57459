"""The law of the store: what it holds after any history is what one fold of the whole gives."""

from __future__ import annotations

from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic.digest import digest_d, digest_f
from symbolic.names import fold as folded
from symbolic.records import Declarations
from symbolic.store import fresh
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
    with store() as kept, store() as new:
        for step in history.steps:
            kept.apply(step)
        new.apply(history.whole)
        same(kept, new)


def stored(kept: Store) -> list[tuple[object, ...]]:
    """Return the rows of facts and assertions as they are kept, but for their numbers."""
    return [
        *kept._db.execute(
            "select fid, cls, domain, polarity, start, end, standing, closed_at, closed_by, policy,"
            " dates, spells, trusted, sig from fact order by fid"
        ),
        *kept._db.execute(
            "select f.fid, a.source, a.kind, a.path, a.line, a.ord, a.heading, a.key, a.written,"
            " a.quote, a.quote_hash, a.own_date, a.start, a.at_heading, a.said, a.spelled, a.state,"
            " a.ended_by, a.base, a.base_ended, a.resolved, a.date from assertion a"
            " left join fact f on f.id = a.fact order by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13"
        ),
        *kept._db.execute(
            "select sid, key, quote_hash, text_hash, anchored, resolved, via, held, date, probe,"
            " base, base_anchored from place order by 1, 2, 3, 4"
        ),
    ]


@given(histories(), st.booleans())
def test_facts_inserted_whole_are_what_stage_by_stage_makes(history: History, cold: bool) -> None:
    steps = [history.whole] if cold else history.steps
    with store() as whole, store() as staged:
        for step in steps:
            whole.apply(step)
        with (
            patch.object(fresh, "_met", lambda work, said, fids: list(fids)),
            patch.object(fresh, "_meets", lambda db, one: True),
        ):
            for step in steps:
                staged.apply(step)
        assert stored(whole) == stored(staged)
        same(whole, staged)


@given(histories(max_steps=4), st.booleans())
def test_other_declarations_and_another_zone_apply_to_the_whole_history(
    history: History, early: bool
) -> None:
    with store(OTHER) as kept, store(zone="Asia/Tokyo") as new:
        middle = len(history.steps) // 2 if early else len(history.steps)
        for at, step in enumerate((*history.steps, Change())):
            if at == middle:
                kept.apply(Change(declarations=DECLARATIONS, zone="Asia/Tokyo"))
            kept.apply(step)
        new.apply(history.whole)
        same(kept, new)


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


@given(histories(max_steps=4), st.text("0123456789abcdef", min_size=1, max_size=2))
def test_ids_and_titles_are_found_by_index_as_by_a_walk(history: History, prefix: str) -> None:
    with store() as kept:
        kept.apply(history.whole)
        walked = [*kept.facts(), *kept.lines(), *kept.proposals(), *kept.conflicts()]
        wanted = [name for found in walked if (name := ident(found)).startswith(prefix)]
        assert [ident(found) for found in kept.starting(prefix)] == wanted
        for title in {heading.title for heading in history.whole.headings}:
            alike = [h for h in kept.headings() if folded(h.title) == folded(title)]
            assert list(kept.titled(title)) == alike


def ident(found: object) -> str:
    return str(
        next(value for name in ("fid", "hash", "id") if (value := getattr(found, name, None)))
    )
