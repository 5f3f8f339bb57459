"""Maximal spells: what an atom with `@S` reads, made again for the triples that moved."""

from __future__ import annotations

from collections.abc import Sequence

from symbolic.deduction.retract import remove
from symbolic.deduction.spans import Cover, levels, union
from symbolic.deduction.state import Run
from symbolic.deduction.tables import KINDS, MAXIMAL


def refresh(run: Run, places: Sequence[int]) -> None:
    """Make the maximal spells of the triples in `moved` of one predicate, `places`, again."""
    db = run.db
    listed = ", ".join(map(str, places))
    known = run.numbers.at(places[0])
    place = known.number * KINDS + MAXIMAL
    gone: list[int] = []
    made: list[tuple[int, ...]] = []
    for e, v in db.execute(f"select distinct e, v from moved where p in ({listed})").fetchall():
        covers = [Cover(*row) for row in db.execute(
            "select lo, hi, trust, imprecise from piece indexed by piece_pe"
            f" where p in ({listed}) and e = ? and v = ?", (e, v),
        )]  # fmt: skip
        now = set(spells(covers))
        for number, *cover in db.execute(
            "select id, lo, hi, trust, imprecise from piece indexed by piece_pe"
            " where p = ? and e = ? and v = ?", (place, e, v),
        ).fetchall():  # fmt: skip
            if Cover(*cover) in now:
                now.remove(Cover(*cover))
            else:
                gone.append(number)
        made += [(place, e, v, *cover) for cover in sorted(now)]
    if gone:
        remove(run, gone)
    since = run.last
    rows = [(since + at, *row) for at, row in enumerate(made, start=1)]
    db.executemany(
        "insert into piece(id, p, e, v, lo, hi, trust, imprecise, round)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, 0)",
        rows,
    )
    run.last += len(rows)
    if rows:
        run.note(since, [place])


def spells(covers: Sequence[Cover]) -> list[Cover]:
    """Return the maximal spells with the weakest trust each has, and the weakest precise one."""
    if not covers:
        return []
    found: list[Cover] = []
    profile = levels(covers)
    for lo, hi in union((cover.lo, cover.hi) for cover in covers):
        inside = [level for level in profile if lo <= level.lo and level.hi <= hi]
        trust = min(level.trust for level in inside)
        sures = [level.sure for level in inside if level.sure is not None]
        sure = min(sures) if len(sures) == len(inside) else None
        if sure is not None:
            found.append(Cover(lo, hi, sure, 0))
        if sure != trust:
            found.append(Cover(lo, hi, trust, 1))
    return found
