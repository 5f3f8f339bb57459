"""What falls when a premise is gone: over-delete by supports, as set SQL.

A piece stands as long as one kept support covers it whose premises all came in an earlier round:
such supports cannot run in a circle. A piece that has none left falls, and takes the supports it
was a premise of with it, and so on. What fell though another support would carry it is derived
again afterwards, from the supports that are left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from symbolic.deduction.state import Run
from symbolic.deduction.tables import KINDS, PREMISES, WITHHELD


def remove(run: Run, ids: Iterable[int]) -> None:
    """Remove pieces and all that falls with them."""
    run.db.executemany("insert or ignore into gone values (?)", ((one,) for one in ids))
    _fall(run)


def strike(run: Run) -> None:
    """Remove the supports in `struck` and all that falls with them."""
    db = run.db
    keys = ", ".join(("head", "rule", *PREMISES))
    struck = db.execute(
        f"delete from support where ({keys}) in (select {keys} from struck)"
    ).rowcount
    if struck:
        run.touched.struck += struck
        db.execute("insert or ignore into hit select head from struck")
        if _uncovered(run):
            _fall(run)
    db.execute("delete from struck")


def strike_rule(run: Run, number: int, heads: Iterable[int] | None = None) -> None:
    """Remove the supports by a rule, of all heads or of those under the places `heads`."""
    db = run.db
    chosen = "rule = ?"
    if heads is not None:
        listed = ", ".join(str(p) for head in heads for p in (head, head + WITHHELD))
        chosen += (
            f" and head in (select head from piece where p in ({listed}) and head is not null)"
        )
    db.execute(f"insert or ignore into hit select head from support where {chosen}", (number,))
    found = db.execute(f"delete from support where {chosen}", (number,)).rowcount
    if found:
        run.touched.struck += found
        if _uncovered(run):
            _fall(run)


def _fall(run: Run) -> None:
    """Remove the pieces in `gone`, then those that have lost what they stood on."""
    db = run.db
    while True:
        for one in PREMISES[: run.width]:
            chosen = f"{one} > 0 and {one} in (select id from gone)"
            db.execute(f"insert or ignore into hit select head from support where {chosen}")
            run.touched.struck += db.execute(f"delete from support where {chosen}").rowcount
        rows = db.execute(
            "delete from piece where id in (select id from gone) returning p, e, v, head"
        ).fetchall()
        db.execute("delete from gone")
        _count(run, rows)
        if not rows or not _uncovered(run):
            break
    db.execute("insert or ignore into goal select l.* from lost l cross join capped using (head)")


def _count(run: Run, rows: list[tuple[int, int, int, int | None]]) -> None:
    db = run.db
    run.changed.update(row[0] & ~WITHHELD for row in rows)
    derived = [(p & ~WITHHELD, e, v, head) for p, e, v, head in rows if head is not None]
    if derived:
        db.executemany("insert or ignore into lost values (?, ?, ?, ?)", derived)
        run.lost.update(row[0] for row in derived)
        run.touched.fallen += len(derived)
        for p, count in Counter(row[0] for row in derived).items():
            run.numbers.at(p).pieces -= count
    for p, count in Counter(row[0] for row in rows if row[3] is None).items():
        if p % KINDS == 0:
            run.numbers.at(p).stated -= count
            run.touched.stated += count
    moved = [row[:3] for row in rows if row[0] in run.watched]
    if moved:
        db.executemany("insert or ignore into moved values (?, ?, ?)", moved)
        run.moved.update(row[0] for row in moved)


def _uncovered(run: Run) -> bool:
    """Put the pieces of `hit` heads that nothing earlier covers into `gone`."""
    db = run.db
    earlier = " and ".join(
        f"(s.{one} = 0 or (select b.round from piece b where b.id = s.{one}) < q.round)"
        for one in PREMISES[: run.width]
    )
    db.execute(
        "insert or ignore into goal select q.p & ~4, q.e, q.v, q.head"
        " from hit cross join capped using (head)"
        " cross join piece q indexed by piece_head on q.head = hit.head"
    )
    found = db.execute(
        "insert or ignore into gone select q.id from hit cross join piece q indexed by piece_head"
        " on q.head = hit.head where not exists ("
        "select 1 from support s where s.head = q.head and s.lo <= q.lo and s.hi >= q.hi"
        f" and s.trust >= q.trust and s.imprecise <= q.imprecise and {earlier})"
    ).rowcount
    db.execute("delete from hit")
    return found > 0
