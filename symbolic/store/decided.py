"""Decisions of several devices: what diverges, and which lines are held (docs/fold.md, section 12).

Nothing is kept while one device alone has written. After that `deed` has the groups and places of
each decision, so that a change looks at the decisions its own groups hang together with.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable

from symbolic.canon import sid
from symbolic.decided import HUMAN, MACHINE, decision
from symbolic.divergence import Board, Decision
from symbolic.records import Line, Statement, Written
from symbolic.store import lines, places
from symbolic.store.bodies import Mention
from symbolic.store.codec import dumps, unpack_line
from symbolic.store.work import Work, column, has, joined

_KINDS = ", ".join(f"'{kind}'" for kind in HUMAN)
_MACHINE = ", ".join(f"'{kind}'" for kind in MACHINE)
_DECISIONS = (
    f"select hash from line where void = 0 and ((person = 1 and kind in ({_KINDS}))"
    f" or (person = 0 and kind in ({_MACHINE})))"
)


class _Reads:
    """How the store reads statements and finds keys; notes the places it was asked for."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._finder = places.Finder(work.db)
        self.asked: set[int] = set()

    def canonical(self, written: Written) -> Statement | None:
        """Return today's statement, None if it does not read."""
        return self._work.statement(written)

    def place(self, written: Written, key: str, quoted: str, text: str) -> str | None:
        """Return today's heading key, None if it is lost."""
        mention = Mention(
            role="track", written=written, key=key, quote_hash=quoted, text_hash=text
        )
        number, _ = lines.place_of(self._work, sid(written), mention, self._finder)
        if number in self._work.places:
            places.resolve(self._work)
            self._work.places.discard(number)
        self.asked.add(number)
        row = self._work.db.execute("select resolved from place where id = ?", (number,)).fetchone()
        return None if row is None or row[0] is None else str(row[0])


class Sight:
    """Who has seen what."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._lines: dict[str, Line | None] = {}
        self._carriers: dict[str, list[str]] = {}
        rows = db.execute("select dev from tip group by dev having count(*) > 1").fetchall()
        self._forked = {row[0] for row in rows}

    def line(self, event: str) -> Line | None:
        """Return a line by its hash."""
        if event not in self._lines:
            row = self._db.execute("select text from line where hash = ?", (event,)).fetchone()
            self._lines[event] = None if row is None else unpack_line(row[0])
        return self._lines[event]

    def seen(self, event: str, other: str) -> bool:
        """Return whether the line `event` has `other` in its `seen`, itself or as a redo."""
        if event == other:
            return False
        if other not in self._carriers:
            rows = self._db.execute("select hash from line where carries = ?", (other,)).fetchall()
            self._carriers[other] = [other, *(row[0] for row in rows)]
        return any(self._below(event, one) for one in self._carriers[other])

    def _below(self, event: str, other: str) -> bool:
        line, old = self.line(event), self.line(other)
        if line is None or old is None:
            return False
        heads: tuple[tuple[int, str], ...] = line.seen.get(old.dev, ())
        if line.dev == old.dev:
            heads = (*heads, (line.seq - 1, line.prev))
        return any(self._at_or_below(seq, head, old) for seq, head in heads)

    def _at_or_below(self, seq: int, head: str, old: Line) -> bool:
        if old.dev not in self._forked:
            return old.seq <= seq
        while True:
            row = self._db.execute("select seq, prev from line where hash = ?", (head,)).fetchone()
            if row is None:
                return old.seq <= seq
            if row[0] <= old.seq:
                return head == old.hash
            seq, head = row[0] - 1, row[1]


def play(work: Work, *, anew: bool) -> None:
    """Work out again what diverges in the groups of the noted decisions."""
    db = work.db
    if not work.several:
        return
    reads, sight = _Reads(work), Sight(db)
    if anew or work.all_decided or not has(db, "select 1 from deed limit 1"):
        db.execute("delete from deed")
        db.execute("delete from divergence")
        noted: Collection[str] = [row[0] for row in db.execute(_DECISIONS).fetchall()]
    else:
        noted = work.decided
    made: dict[str, Decision] = {}
    for event in noted:
        _index(work, event, made, reads, sight)
    events = _component(db, noted)
    for event in events - made.keys():
        _decision(work, event, made, reads, sight)
    board = Board(made, sight.seen).play()
    _keep(db, events, board)
    _hold(work, made, board)


def _decision(
    work: Work, event: str, made: dict[str, Decision], reads: _Reads, sight: Sight
) -> Decision | None:
    row = work.db.execute("select undone, void from line where hash = ?", (event,)).fetchone()
    line = sight.line(event)
    if row is None or row[1] or line is None:
        return None
    found = decision(line, reads, row[0] is None)
    if found is not None:
        made[event] = found
    return found


def _index(
    work: Work, event: str, made: dict[str, Decision], reads: _Reads, sight: Sight
) -> None:
    """Note the groups, places and references of a decision."""
    db = work.db
    db.execute("delete from deed where line = ?", (event,))
    reads.asked = set()
    found = _decision(work, event, made, reads, sight)
    if found is None:
        return
    refers = {ref.rpartition(":")[0] for ref in found.refs} | ({found.of} if found.of else set())
    rows: list[tuple[str, str, int | None]] = [(event, one.group, None) for one in found.stances]
    rows += [(event, f"event {other}", None) for other in refers]
    rows += [(event, f"event {event}", number) for number in (None, *reads.asked)]
    db.executemany("insert into deed values (?, ?, ?)", rows)


def _component(db: sqlite3.Connection, noted: Iterable[str]) -> set[str]:
    """Return all decisions that hang together with the noted ones by a group or a reference."""
    events: set[str] = set()
    todo = set(noted)
    while todo:
        events |= todo
        groups = column(db, todo, "select distinct grp from want cross join deed on line = k")
        found = column(db, groups, "select distinct line from want cross join deed on grp = k")
        todo = {str(event) for event in found} - events
    return events


def _keep(db: sqlite3.Connection, events: Collection[str], board: Board) -> None:
    old = column(db, events, "select distinct id from want cross join divergence on event = k"
                 " and key = 0")
    db.executemany("delete from divergence where id = ?", [(name,) for name in old])
    db.executemany(
        "insert into divergence values (?, ?, ?, 0)",
        [
            (one.id, event, dumps([one.keys, one.events, one.stands, one.refs, one.pairs]))
            for one in board.divergences for event in one.events
        ],
    )


def _hold(work: Work, made: Collection[str], board: Board) -> None:
    """Take out the lines that are held now, put in those that no longer are."""
    db = work.db
    db.executemany("delete from beaten where line = ? and key = 0", [(event,) for event in made])
    db.executemany(
        "insert into beaten values (?, ?, 0)",
        [(event, fid) for event, fids in board.beaten.items() for fid in fids],
    )
    changed: list[str] = []
    for event, held, acts, kind in joined(
        db, made, "select hash, held, acts, kind from want cross join line on hash = k"
    ):
        event = str(event)
        now = int(event in board.held)
        says = board.acts(event) if kind in ("reconcile", "undo") else None
        if (held, acts) != (now, says):
            db.execute("update line set held = ?, acts = ? where hash = ?", (now, says, event))
            changed.append(event)
    lines.again_for(work, changed)
