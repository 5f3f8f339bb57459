"""From the candidates of a round to pieces and supports.

Every candidate is a support of its head. What of it is new - time that no piece of the head covers
at that trust - becomes a piece. Candidates that hold always are settled by set SQL, those with a
stretch of time head by head with interval arithmetic.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from symbolic.deduction.plan import Plan
from symbolic.deduction.spans import Cover, Span, meet, minus, news
from symbolic.deduction.state import MIXED, Guard, Key, Run, blended
from symbolic.deduction.tables import BEGINNING, CLOSED, END, KINDS, PREMISES, WITHHELD

_ALWAYS = f"c.lo = {BEGINNING} and c.hi = {END} and c.imprecise = 0"
_SAME = "q.p = c.p and q.e = c.e and q.v = c.v and q.head is not null"
_COVERED = (
    f"exists (select 1 from piece q indexed by piece_pe where {_SAME} and q.lo <= c.lo"
    " and q.hi >= c.hi and q.trust >= c.trust and q.imprecise <= c.imprecise)"
)
_HEAD = (
    "(select q.head from piece q indexed by piece_pe where q.p in (c.p, c.p + 4) and q.e = c.e"
    " and q.v = c.v and q.head is not null limit 1)"
)
_LOST = "(select l.head from lost l where l.p = c.p and l.e = c.e and l.v = c.v)"
_PREMISES = ", ".join(PREMISES)
_OWN = ", ".join(f"c.{one}" for one in PREMISES)


def merge(
    run: Run, plans: Mapping[int, Plan], heads: frozenset[int], guarded: frozenset[int],
    guard: Guard, *, count: int, plain: bool,
) -> set[int]:  # fmt: skip
    """Turn `cand`, `count` rows whose heads are `heads`, into pieces and supports, and empty it.

    Return the `piece.p` that have new pieces. `plain` promises that all candidates hold always,
    precisely and at one trust.
    """
    db = run.db
    since = run.last
    if plain and not run.touched.fallen:
        grown = _plain(run, heads, count)
        if run.last - since == count:
            db.execute("delete from cand")
            run.note(since, grown)
            return grown
    else:
        if not plain:
            smooth(db, plans)
        grown = _always(run, guarded)
        if not plain:
            grown |= _timed(run, guarded, guard)
    run.touched.supports += db.execute(
        f"insert or ignore into support select {_HEAD}, c.rule,"
        f" {_OWN}, c.lo, c.hi, c.trust, c.imprecise"
        " from cand c order by c.p, c.e, c.v"
    ).rowcount
    db.execute(f"insert or ignore into touched select {_HEAD} from cand c")
    db.execute("delete from cand")
    run.note(since, grown)
    return grown


def _plain(run: Run, heads: frozenset[int], count: int) -> set[int]:
    """Make the pieces of heads that are new, each with its first support, and leave the rest.

    Heads come in order, so that both tables grow at their ends.
    """
    db = run.db
    checked = ""
    if any(run.numbers.at(p).pieces for p in heads):
        free = all(p % KINDS == CLOSED or run.numbers.at(p).stated == 0 for p in heads)
        same = _SAME.replace(" and q.head is not null", "") if free else _SAME
        checked = f"where not exists (select 1 from piece q indexed by piece_pe where {same})"
    made = db.execute(
        "insert into fresh(p, e, v, trust, c) select p, e, v, trust, min(rowid) from cand c"
        f" {checked} group by p, e, v"
    ).rowcount
    if not made:
        return set()
    last = {"last": run.last}
    db.execute(
        "insert into piece(id, p, e, v, lo, hi, trust, imprecise, head, round)"
        f" select :last + n, p, e, v, {BEGINNING}, {END}, trust, 0, :last + n, :last + 1"
        " from fresh",
        last,
    )
    db.execute(
        f"insert into support select :last + f.n, c.rule, {_OWN}, c.lo, c.hi, c.trust, 0"
        " from fresh f cross join cand c on c.rowid = f.c",
        last,
    )
    run.touched.supports += made
    if made < count:
        db.execute("delete from cand where rowid in (select c from fresh)")
    return _counted(run, made, heads)


def _always(run: Run, guarded: frozenset[int]) -> set[int]:
    """Make the pieces of candidates that hold always and bring something new."""
    db = run.db
    listed = ", ".join(map(str, sorted(guarded)))
    made = db.execute(
        "insert into fresh(p, e, v, trust) select p, e, v, max(trust) from cand c"
        f" where {_ALWAYS} and p not in ({listed}) and not {_COVERED} group by p, e, v"
    ).rowcount
    if not made:
        return set()
    db.execute(
        "insert into piece(id, p, e, v, lo, hi, trust, imprecise, head, round)"
        f" select :last + n, p, e, v, {BEGINNING}, {END}, trust, 0,"
        f" coalesce({_HEAD}, {_LOST}, :last + n), :last + 1 from fresh c",
        {"last": run.last},
    )
    return _counted(run, made, frozenset())


def _counted(run: Run, made: int, heads: frozenset[int]) -> set[int]:
    """Count the `made` pieces in `fresh`, of one of `heads` where there is but one."""
    db = run.db
    rows = (
        db.execute("select p, trust, trust, ? from fresh where n = 1", (made,))
        if len(heads) == 1
        else db.execute("select p, min(trust), max(trust), count(*) from fresh group by p")
    ).fetchall()
    db.execute("delete from fresh")
    for p, trust, other, count in rows:
        known = run.numbers.at(p)
        known.pieces += count
        known.trust = blended(known.trust, trust if trust == other else MIXED)
    run.last += made
    run.touched.derived += made
    return {row[0] for row in rows}


# --- stretches of time ------------------------------------------------------------------------


def smooth(db: sqlite3.Connection, plans: Mapping[int, Plan]) -> None:
    """Cut what is not absent throughout into the stretches in which it is."""
    rows = db.execute(
        f"select rowid, p, e, v, rule, {_PREMISES}, lo, hi, trust, imprecise, rough from cand"
        " where rough is not null"
    ).fetchall()
    if not rows:
        return
    cut = []
    for row in rows:
        *same, lo, hi, trust, imprecise, rough = row[1:]
        held = _held(db, plans[row[4]], str(rough))
        cut += [(*same, *span, trust, imprecise) for span in minus((lo, hi), held)]
    db.executemany("delete from cand where rowid = ?", [(row[0],) for row in rows])
    db.executemany(
        f"insert into cand(p, e, v, rule, {_PREMISES}, lo, hi, trust, imprecise)"
        f" values ({', '.join('?' * (8 + len(PREMISES)))})",
        cut,
    )


def _held(db: sqlite3.Connection, plan: Plan, rough: str) -> list[Span]:
    """Return when the absent triples of a candidate hold."""
    ends = list(map(int, rough.split(" ")))
    found: list[Span] = []
    for places, one, other in zip(plan.absent, ends[::2], ends[1::2], strict=True):
        for p in places:
            for e, v in {(one, other), (other, one)} if plan.turns(p) else {(one, other)}:
                found += db.execute(
                    "select lo, hi from piece indexed by piece_pe where p = ? and e = ? and v = ?",
                    (p, e, v),
                ).fetchall()
    return found


def _timed(run: Run, guarded: frozenset[int], guard: Guard) -> set[int]:
    """Make the pieces of candidates that do not hold always, or that may be withheld."""
    db = run.db
    listed = ", ".join(map(str, sorted(guarded)))
    rows = db.execute(
        "select p, e, v, lo, hi, trust, imprecise from cand c"
        f" where (not ({_ALWAYS}) or p in ({listed})) and not {_COVERED} order by p, e, v"
    ).fetchall()
    if not rows:
        return set()
    found = [(key, list(same)) for key, same in groupby(rows, key=itemgetter(0, 1, 2))]
    cuts = guard.cuts([key for key, _ in found if key[0] in guarded]) if guarded else {}
    grown: set[int] = set()
    made: list[tuple[int, ...]] = []
    turn = run.last + 1
    for key, same in found:
        head, parts = _parts(run, key, [Cover(*row[3:]) for row in same], cuts.get(key, ()))
        for place, part in parts:
            run.last += 1
            head = head or run.last
            made.append((run.last, place, *key[1:], *part, head, turn))
            known = run.numbers.at(place)
            known.pieces += 1
            if place == key[0]:
                grown.add(place)
                always = (part.lo, part.hi, part.imprecise) == (BEGINNING, END, 0)
                known.trust = blended(known.trust, part.trust if always else MIXED)
    run.touched.derived += len(made)
    db.executemany(
        "insert into piece(id, p, e, v, lo, hi, trust, imprecise, head, round)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        made,
    )
    return grown


def _parts(
    run: Run, key: Key, found: Sequence[Cover], cuts: Sequence[Span]
) -> tuple[int | None, list[tuple[int, Cover]]]:
    """Return the head of a triple, if it has one, and its new pieces by `piece.p`."""
    p, e, v = key
    covered: dict[int, list[Cover]] = {p: [], p + WITHHELD: []}
    head: int | None = None
    for place, *cover, its in run.db.execute(
        "select p, lo, hi, trust, imprecise, head from piece indexed by piece_pe"
        " where p in (?, ?) and e = ? and v = ? and head is not null",
        (p, p + WITHHELD, e, v),
    ).fetchall():
        covered[place].append(Cover(*cover))
        head = its
    if head is None:
        row = run.db.execute(
            "select head from lost where p = ? and e = ? and v = ?", key
        ).fetchone()
        head = None if row is None else row[0]
    kept, held = list(found), list[Cover]()
    if cuts:
        kept = [c._replace(lo=lo, hi=hi) for c in found for lo, hi in minus((c.lo, c.hi), cuts)]
        held = [c._replace(lo=lo, hi=hi) for c in found for lo, hi in meet((c.lo, c.hi), cuts)]
    parts = [(p, part) for part in news(covered[p], kept)]
    return head, [*parts, *((p + WITHHELD, part) for part in news(covered[p + WITHHELD], held))]
