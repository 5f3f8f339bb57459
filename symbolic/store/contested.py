"""Human admissions that overlap under an exclusive constraint (docs/fold.md, section 12).

What they hold is let go first, then the change is folded as if all of them stood, and what does not
stand is held. `held` is 2 for these lines. Without a second device there are none.
"""

from __future__ import annotations

from collections.abc import Collection

from symbolic.contested import Admission, Answers, Pair, contest
from symbolic.records import Line, Overlap, Policy
from symbolic.rivals import Around
from symbolic.store import lines
from symbolic.store.codec import dumps, unpack_line
from symbolic.store.decided import Sight
from symbolic.store.reading import CONFLICT, conflicts
from symbolic.store.work import Work, has, joined
from symbolic.world import Conflict, View

_EXCLUSIVE = f"select {CONFLICT} from conflict c where policy = 'exclusive' and overlap = 'yes'"
_ANSWERS = (
    "select text from line where void = 0 and undone is null"
    " and kind in ('settle', 'reconcile', 'ontology')"
)
_LIVE = (
    "select a.line, f.fid from want cross join fact f on f.fid = k join assertion a"
    " on a.fact = f.id where a.state = 'live' and a.line is not null and a.kind <> 'reading'"
)


def let_go(work: Work) -> None:
    """Put in again what was held, so that what overlaps it can be seen."""
    # `held > 0` is what the index is of: SQLite does not see that 2 is more.
    rows = work.db.execute("select hash from line where held = 2 and held > 0").fetchall()
    if not rows:
        return
    events = [str(row[0]) for row in rows]
    work.db.execute("update line set held = 0 where held = 2 and held > 0")
    lines.again_for(work, events)


def play(work: Work, view: View) -> bool:
    """Work out what diverges and hold what does not stand; whether anything is held."""
    db = work.db
    if has(db, "select 1 from divergence limit 1"):
        db.execute("delete from divergence where key = 1")
    if has(db, "select 1 from beaten limit 1"):
        db.execute("delete from beaten where key = 1")
    if not work.several:
        return False
    overlaps = [
        (conflict, pairs)
        for conflict in conflicts(db, db.execute(f"{_EXCLUSIVE} order by c.id").fetchall())
        if (pairs := _pairs(conflict, view))
    ]
    if not overlaps:
        return False
    fids = {fid for _, pairs in overlaps for pair in pairs for fid in pair}
    sight = Sight(db)
    found = _admissions(work, fids, sight)
    answers = Answers.of(unpack_line(row[0]) for row in db.execute(_ANSWERS).fetchall())
    diverging, held = contest(overlaps, found, answers, sight.seen)
    db.executemany(
        "insert into divergence values (?, ?, ?, 1)",
        [
            (one.id, event, dumps([one.keys, one.events, one.stands, one.refs, one.pairs]))
            for one in diverging for event in one.events
        ],
    )
    db.executemany("update line set held = 2 where hash = ?", [(event,) for event in held])
    db.executemany(
        "insert into beaten values (?, ?, 1)",
        [(event, fid) for event in held for fid in held[event]],
    )
    lines.again_for(work, sorted(held))
    return bool(held)


def _pairs(conflict: Conflict, view: View) -> Collection[Pair]:
    """Return the facts of a conflict that surely overlap under an exclusive policy."""
    found = set()
    for fid in conflict.members:
        fact = view.fact(fid)
        if fact is None:
            continue
        for clash in Around(view, fact.statement, None, fact).clashes():
            sure = clash.overlap is Overlap.YES and clash.policy is Policy.EXCLUSIVE
            if sure and clash.constraint == conflict.constraint and clash.rival is not None:
                found.add(frozenset((fid, clash.rival)))
    return {pair for pair in found if pair <= set(conflict.members)}


def _admissions(work: Work, fids: Collection[str], sight: Sight) -> list[Admission]:
    """Return the persons' lines by which facts stand, and the undos that brought such back."""
    found = []
    said: dict[str, str] = {}
    for event, fid in joined(work.db, fids, _LIVE):
        said[str(event)] = str(fid)
    for event, fid in said.items():
        line = sight.line(event)
        if line is not None and line.person:
            found.append(Admission(event, line.order, fid, event))
            found += [
                Admission(undo.hash, undo.order, fid, event) for undo in _undos(work, event)
            ]
    return sorted(found, key=lambda one: one.order)


def _undos(work: Work, event: str) -> list[Line]:
    rows = work.db.execute(
        "select text from line where kind = 'undo' and acts = ? and undone is null and void = 0"
        " and person = 1",
        (event,),
    ).fetchall()
    return [unpack_line(row[0]) for row in rows]
