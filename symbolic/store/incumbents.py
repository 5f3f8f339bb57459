"""Incumbents: readings refused because a rival already stood (docs/fold.md, section 4).

Incumbent lines depend on one another through the facts they name, in journal order, so those that
share facts are played again together from the states the bars left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symbolic.store.assertions import LIVE, REFUSED
from symbolic.store.work import Work, column, has, joined


@dataclass(slots=True)
class _State:
    """One assertion: its state and what ended it, as stored and as found now."""

    number: int
    fact: int
    reading: bool
    stored: tuple[str, str | None]
    now: tuple[str, str | None]


def play(work: Work) -> None:
    """Work out again which readings the incumbents of dirty facts refuse."""
    db = work.db
    if not (work.incumbents or work.facts):
        return
    if not work.incumbents and not has(db, "select 1 from incumbent limit 1"):
        return
    seeds = set(work.incumbents)
    seeds.update(
        str(fid)
        for fid in column(
            db,
            work.facts,
            "select distinct fid from want cross join fact f on f.id = k"
            " join incumbent using (fid)",
        )
    )
    fids, lines = _component(work, seeds)
    states = _states(work, fids)
    for event, kept, refused in lines:
        if not any(s.now[0] == LIVE for fid in kept for s in states.get(fid, ())):
            continue
        for state in (s for fid in refused for s in states.get(fid, ())):
            if state.reading and state.now[0] == LIVE:
                state.now = (REFUSED, event)
    changed = [s for group in states.values() for s in group if s.now != s.stored]
    db.executemany(
        "update assertion set state = ?, ended_by = ? where id = ?",
        [(*s.now, s.number) for s in changed],
    )
    work.facts.update(s.fact for s in changed)


Played = tuple[str, list[str], list[str]]
"""An incumbent line: hash, kept fids, refused fids."""


def _component(work: Work, seeds: Iterable[str]) -> tuple[set[str], list[Played]]:
    """Return the facts that share incumbent lines with `seeds`, and those lines in order."""
    seen: set[str] = set()
    todo = set(seeds)
    lines: dict[str, tuple[str, list[str], list[str]]] = {}
    while todo:
        seen |= todo
        rows = joined(
            work.db,
            todo,
            "select distinct i.line from want cross join incumbent i on i.fid = k",
        )
        fresh = [row[0] for row in rows if row[0] not in lines]
        todo = set()
        for event, order, fid, kept in joined(
            work.db,
            fresh,
            "select line, ord, fid, kept from want cross join incumbent on line = k",
        ):
            _, mine, refused = lines.setdefault(str(event), (str(order), [], []))
            (mine if kept else refused).append(str(fid))
            if fid not in seen:
                todo.add(str(fid))
    ordered = sorted(lines.items(), key=lambda item: item[1][0])
    return seen, [(event, kept, refused) for event, (_, kept, refused) in ordered]


def _states(work: Work, fids: Iterable[str]) -> dict[str, Sequence[_State]]:
    found: dict[str, list[_State]] = {}
    for fid, number, fact, kind, state, by, base, base_by in joined(
        work.db,
        fids,
        "select fid, a.id, f.id, a.kind, a.state, a.ended_by, a.base, a.base_ended"
        " from want cross join fact f on fid = k join assertion a on a.fact = f.id",
    ):
        assert isinstance(number, int) and isinstance(fact, int)
        stored = (str(state), None if by is None else str(by))
        now = (str(base), None if base_by is None else str(base_by))
        found.setdefault(str(fid), []).append(
            _State(number, fact, kind == "reading", stored, now)
        )
    return dict(found)
