"""Journal lines as they are kept: which a file still holds, which a `redo` carries, chain ends.

A line once folded counts for good. If the files no longer hold it (`here` is 0) and no `redo` that
they hold carries it, its chain is behind, until a sync writes the `redo`. A `redo` that no file
holds any longer is forgotten: what it carried is behind again, its envelope never counted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping

from symbolic.journal.lines import Fault, redone
from symbolic.records import Line
from symbolic.store.codec import line_order, pack_line, unpack_line
from symbolic.store.work import want


def take(db: sqlite3.Connection, lines: Iterable[Line], *, whole: bool) -> dict[str, Line]:
    """Keep the lines that the files hold; return those that were not known, carried ones too."""
    held = list(lines)
    fresh = {line.hash: line for line in held if not _known(db, line.hash)}
    known = whole and db.execute("select 1 from line limit 1").fetchone() is not None
    if known or len(fresh) < len(held):
        want(db, (line.hash for line in held))
        db.execute("update line set here = 1 where here = 0 and hash in (select k from want)")
    if known:
        db.execute("update line set here = 0 where here = 1 and hash not in (select k from want)")
        _forget(db)
    for line in list(fresh.values()):
        old = redone(line) if line.kind == "redo" and line.body else None
        if isinstance(old, Line) and not _known(db, old.hash):
            fresh.setdefault(old.hash, old)
    here = {line.hash for line in held}
    db.executemany(
        "insert into line(hash, ord, dev, seq, prev, kind, person, here, carries, text)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (x.hash, line_order(x), x.dev, x.seq, x.prev, x.kind, int(x.person),
             int(x.hash in here), _carried(x), pack_line(x))
            for x in fresh.values()
        ],
    )  # fmt: skip
    _end(db, fresh)
    return fresh


def _known(db: sqlite3.Connection, event: str) -> bool:
    return db.execute("select 1 from line where hash = ?", (event,)).fetchone() is not None


def _carried(line: Line) -> str | None:
    """Return the hash of the line that a `redo` carries."""
    if line.kind != "redo" or not line.body:
        return None
    old = redone(line)
    return None if isinstance(old, Fault) else old.hash


def _forget(db: sqlite3.Connection) -> None:
    """Forget the redo lines that no file holds."""
    rows = db.execute(
        "select hash, dev from line indexed by line_away where here = 0 and kind = 'redo'"
    ).fetchall()
    db.executemany("delete from line where hash = ?", [row[:1] for row in rows])
    for dev in {row[1] for row in rows}:
        db.execute("delete from tip where dev = ?", (dev,))
        db.execute(
            "insert into tip select hash, dev, seq from line l where dev = ?"
            " and not exists (select 1 from line where prev = l.hash)",
            (dev,),
        )


def _end(db: sqlite3.Connection, fresh: Mapping[str, Line]) -> None:
    """Note the ends of the branches that new lines make longer, and the runs they tell of."""
    below = {line.prev for line in fresh.values()}
    ends = [x for x in fresh.values() if x.hash not in below]
    older = below - fresh.keys()
    db.executemany("delete from tip where hash = ?", [(event,) for event in older])
    db.executemany(
        "insert or ignore into tip select ?1, ?2, ?3"
        " where not exists (select 1 from line where prev = ?1)",
        [(x.hash, x.dev, x.seq) for x in ends],
    )
    runs = {(x.dev, x.run) for x in fresh.values()}
    db.executemany("insert or ignore into run values (?, ?)", sorted(runs))


# --- what is asked of them --------------------------------------------------------------------


def runs(db: sqlite3.Connection, dev: str) -> set[str]:
    """Return the runs of the lines of `dev`."""
    return {row[0] for row in db.execute("select run from run where dev = ?", (dev,))}


def lacks(db: sqlite3.Connection, dev: str, here: Collection[str] | None) -> bool:
    """Return whether a line of `dev` is not among `here`, or in no file if that is None."""
    if here is None:
        sql = "select 1 from line indexed by line_away where here = 0 and dev = ? limit 1"
        return db.execute(sql, (dev,)).fetchone() is not None
    rows = db.execute("select hash from line where dev = ?", (dev,)).fetchall()
    return any(row[0] not in here for row in rows)


def several(db: sqlite3.Connection) -> bool:
    """Return whether the journal has more than one end: other devices, or a branch."""
    return db.execute("select 1 from tip limit 1 offset 1").fetchone() is not None


def tips(db: sqlite3.Connection) -> dict[str, tuple[tuple[int, str], ...]]:
    """Return {device: (seq, hash) of the ends of its branches}."""
    found: dict[str, tuple[tuple[int, str], ...]] = {}
    for dev, seq, event in db.execute("select dev, seq, hash from tip order by dev, seq, hash"):
        found[dev] = (*found.get(dev, ()), (seq, event))
    return found


def opened(db: sqlite3.Connection, dev: str) -> Line | None:
    """Return the last `open` line of `dev`."""
    row = db.execute(
        "select text, void from line where kind = 'open' and dev = ? order by seq desc limit 1",
        (dev,),
    ).fetchone()
    return None if row is None else unpack_line(row[0], bool(row[1]))


def newest(db: sqlite3.Connection) -> str:
    """Return the newest `at` of all lines, "" if there is none."""
    row = db.execute("select ord from line order by ord desc limit 1").fetchone()
    return "" if row is None else str(row[0]).split("\x01", 1)[0]


def behind(db: sqlite3.Connection) -> list[Line]:
    """Return the lines that count and are in no file, neither as they are nor carried."""
    rows = db.execute(
        "select text, void from line l indexed by line_away"
        " where here = 0 and void = 0 and kind <> 'redo'"
        " and not exists (select 1 from line where carries = l.hash and carries is not null)"
        " order by ord"
    ).fetchall()
    return [unpack_line(text, bool(void)) for text, void in rows]
