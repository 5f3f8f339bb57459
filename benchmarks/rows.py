"""The raw side of the store's benchmarks: the very rows that a change wrote, inserted by hand.

A change is applied once and what it left is read off; putting just that into another copy of the
file, by prepared statements with all values known, is the least that any code could do.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile

PRAGMAS = (
    "journal_mode=wal", "synchronous=normal", "cache_size=-65536", "temp_store=memory",
    "wal_autocheckpoint=20000",
)  # fmt: skip
"""As the store sets them."""

Insert = tuple[str, Sequence[object]]


@dataclass(slots=True)
class Marks:
    """What stood in each table before."""

    db: sqlite3.Connection
    last: dict[str, int]
    quotes: set[str]

    @classmethod
    def of(cls, db: sqlite3.Connection) -> Marks:
        """Note where each table with row ids ends."""
        rows = db.execute(
            "select name from sqlite_master where type = 'table' and sql not like '%without rowid'"
        ).fetchall()
        return cls(db, {name: _last(db, name) for (name,) in rows}, set(_quotes(db)))

    def new(self) -> list[Insert]:
        """Return the inserts of what came since the last call."""
        found: list[Insert] = []
        for table, last in self.last.items():
            now = _last(self.db, table)
            if now > last:
                rows = self.db.execute(
                    f"select rowid, * from {table} where rowid > ?", (last,)
                ).fetchall()
                found += [_insert(self.db, table, row) for row in rows]
                self.last[table] = now
        known = _quotes(self.db)
        fresh = known.keys() - self.quotes
        self.quotes |= fresh
        return found + [("insert into quote values (?, ?)", (k, known[k])) for k in fresh]


def _quotes(db: sqlite3.Connection) -> dict[str, str]:
    """Return the one table without row ids that an admission adds to."""
    return dict(db.execute("select hash, text from quote").fetchall())


def _last(db: sqlite3.Connection, table: str) -> int:
    return int(db.execute(f"select coalesce(max(rowid), 0) from {table}").fetchone()[0])


_SQL: dict[str, tuple[str, bool]] = {}


def _insert(db: sqlite3.Connection, table: str, row: Sequence[object]) -> Insert:
    if table not in _SQL:
        columns = [info[1] for info in db.execute(f"pragma table_info({table})")]
        named = "id" in columns
        marks = ", ".join("?" * (len(columns) + (not named)))
        names = ", ".join(columns if named else ["rowid", *columns])
        _SQL[table] = (f"insert into {table}({names}) values ({marks})", named)
    sql, named = _SQL[table]
    return sql, tuple(row[1:]) if named else tuple(row)


def bare(path: Path) -> sqlite3.Connection:
    """Open a copy of a store as a plain database under the store's pragmas."""
    db = sqlite3.connect(path, isolation_level=None, cached_statements=256)
    for pragma in PRAGMAS:
        db.execute(f"pragma {pragma}").fetchone()
    return db


def one_by_one(db: sqlite3.Connection, inserts: Sequence[Insert]) -> None:
    """Insert rows in one transaction."""
    db.execute("begin immediate")
    for sql, values in inserts:
        db.execute(sql, values)
    db.execute("commit")


def many(db: sqlite3.Connection, inserts: Sequence[Insert]) -> None:
    """Insert rows in one transaction, all of a table in one `executemany`."""
    tables: dict[str, list[Sequence[object]]] = {}
    for sql, values in inserts:
        tables.setdefault(sql, []).append(values)
    db.execute("begin immediate")
    for sql, rows in tables.items():
        db.executemany(sql, rows)
    db.execute("commit")


def copy(store: Path, to: Path) -> Path:
    """Copy a closed store; a left-over log of the old file would bring its rows along."""
    for suffix in ("", "-wal", "-shm"):
        to.with_name(to.name + suffix).unlink(missing_ok=True)
    copyfile(store, to)
    return to
