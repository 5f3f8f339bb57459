"""Writing near.db: the difference between old rows and new, and which row of near.f32 is whose."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from neuro.near import links
from neuro.near.rows import COLUMNS, Row, row_of, values
from neuro.near.tokens import column, grams
from symbolic.names import fold

Columns = tuple[object, ...]

_INSERT = (
    f"insert into heading(id, folded, mark, {COLUMNS})"
    f" values ({', '.join('?' * (3 + len(COLUMNS.split(','))))})"
)
_UPDATE = (
    f"update heading set (folded, mark, {COLUMNS})"
    f" = ({', '.join('?' * (2 + len(COLUMNS.split(','))))}) where id = ?"
)


@dataclass(slots=True)
class _Difference:
    """What changes: rows to make, rows to change (id, old, new), rows to drop (id, mark, old)."""

    fresh: list[Row] = field(default_factory=list)
    altered: list[tuple[int, Row, Row]] = field(default_factory=list)
    gone: list[tuple[int, str, Row]] = field(default_factory=list)


def replace(
    db: sqlite3.Connection,
    changed: Mapping[str, tuple[str, Sequence[Row]]],
    removed: Iterable[str],
) -> None:
    """Make the rows of the paths in `changed` what is given, and forget those in `removed`."""
    removed = [path for path in removed if path not in changed]
    what = _Difference()
    empty = db.execute("select 1 from heading limit 1").fetchone() is None
    for path, (_, rows) in changed.items():
        _compare(what, [] if empty else _there(db, path), rows)
    for path in removed:
        _compare(what, _there(db, path), [])
    _alter(db, what)
    db.executemany("delete from file where path = ?", [(path,) for path in removed])
    db.executemany(
        "insert or replace into file values (?, ?)",
        [(path, token) for path, (token, _) in changed.items()],
    )


def _there(db: sqlite3.Connection, path: str) -> list[tuple[int, str, Row]]:
    query = f"select id, mark, {COLUMNS} from heading where path = ?"
    return [(row[0], row[1], row_of(row[2:])) for row in db.execute(query, (path,))]


def _compare(what: _Difference, old: list[tuple[int, str, Row]], new: Sequence[Row]) -> None:
    by_key = {row.key: (number, mark, row) for number, mark, row in old}
    taken: set[int] = set()
    for row in new:
        was = by_key.get(row.key)
        if was is None or was[0] in taken:
            what.fresh.append(row)
            continue
        taken.add(was[0])
        if was[2] != row:
            what.altered.append((was[0], was[2], row))
    what.gone += [entry for entry in old if entry[0] not in taken]


def _alter(db: sqlite3.Connection, what: _Difference) -> None:
    fresh = _numbered(db, what.fresh)
    _unlink(db, [number for number, _, _ in what.gone])
    _unsay(db, [(number, row) for number, _, row in what.gone])
    db.executemany("delete from heading where id = ?", [(number,) for number, _, _ in what.gone])
    respoken = [(n, old, new) for n, old, new in what.altered if _spoken(old) != _spoken(new)]
    _unsay(db, [(number, old) for number, old, _ in respoken])
    relinked = [(number, new) for number, old, new in what.altered if old.links != new.links]
    _unlink(db, [number for number, _ in relinked])
    marked = [(number, row, row.mark) for number, row in fresh]
    db.executemany(_INSERT, [(n, fold(row.title), mark, *values(row)) for n, row, mark in marked])
    remade = [(number, old, new, new.mark) for number, old, new in what.altered]
    db.executemany(
        _UPDATE, [(fold(new.title), mark, *values(new), n) for n, _, new, mark in remade]
    )
    _say(db, [*fresh, *((number, new) for number, _, new in respoken)])
    _link(db, [*fresh, *relinked])
    _carry(db, {mark: number for number, mark, _ in what.gone}, marked)
    _silence(db, [n for n, old, _, mark in remade if old.mark != mark])
    _silence(db, [number for number, _, _ in what.gone])


def _numbered(db: sqlite3.Connection, rows: Sequence[Row]) -> list[tuple[int, Row]]:
    last = int(db.execute("select coalesce(max(id), 0) from heading").fetchone()[0])
    return list(enumerate(rows, start=last + 1))


def _carry(
    db: sqlite3.Connection, gone: Mapping[str, int], fresh: Sequence[tuple[int, Row, str]]
) -> None:
    """Give the vector of a heading that left to one that came with the same embedded text."""
    free = dict(gone)
    moved = [(n, old) for n, _, mark in fresh if (old := free.pop(mark, None)) is not None]
    db.executemany("update or replace vector set heading = ? where heading = ?", moved)
    db.executemany("update or replace held set heading = ? where heading = ?", moved)


def _silence(db: sqlite3.Connection, ids: Sequence[int]) -> None:
    """Take away the vectors of headings, and what was noted of them."""
    for table in ("vector", "held"):
        db.executemany(f"delete from {table} where heading = ?", [(number,) for number in ids])


def _spoken(row: Row) -> tuple[str, str, str]:
    return row.title, "\n".join(row.ancestors), row.text


def _tokens(row: Row) -> tuple[str, str, str, str]:
    title, ancestors, text = parts = _spoken(row)
    return column(title), column(ancestors), column(text), grams("\n".join(parts))


def _say(db: sqlite3.Connection, rows: Sequence[tuple[int, Row]]) -> None:
    db.executemany(
        "insert into words(rowid, title, ancestors, body, grams) values (?, ?, ?, ?, ?)",
        [(number, *_tokens(row)) for number, row in rows],
    )


def _unsay(db: sqlite3.Connection, rows: Sequence[tuple[int, Row]]) -> None:
    """Take rows out of FTS5, which without content has to be told what they held."""
    db.executemany(
        "insert into words(words, rowid, title, ancestors, body, grams)"
        " values ('delete', ?, ?, ?, ?, ?)",
        [(number, *_tokens(row)) for number, row in rows],
    )


def forget_words(db: sqlite3.Connection) -> None:
    """Write the words anew: what FTS5 was told to take out stands in its segments till then."""
    db.execute("insert into words(words) values ('optimize')")


def _link(db: sqlite3.Connection, rows: Sequence[tuple[int, Row]]) -> None:
    db.executemany(
        "insert or ignore into link values (?, ?, ?, ?)",
        [(*link, number) for number, row in rows for link in links.kept(row)],
    )


def _unlink(db: sqlite3.Connection, ids: Sequence[int]) -> None:
    db.executemany("delete from link where heading = ?", [(number,) for number in ids])


# --- vectors ------------------------------------------------------------------------------------


def current(db: sqlite3.Connection, fresh: Sequence[tuple[int, str]]) -> list[int]:
    """Return the indexes of `fresh` whose heading still has the mark that was embedded."""
    query = "select mark from heading where id = ?"
    return [
        index for index, (number, mark) in enumerate(fresh)
        if db.execute(query, (number,)).fetchone() == (mark,)
    ]


def slots(db: sqlite3.Connection, count: int, dim: int) -> list[int]:
    """Return `count` slots of `dim` floats that no vector uses, the first ones, ascending."""
    ends = "select max((slot + 1) * dim) from vector where dim <> ?"
    others = db.execute(ends, (dim,)).fetchone()[0] or 0
    floor = -(-int(others) // dim)
    top, used = db.execute(
        "select coalesce(max(slot) + 1, 0), count(*) from vector where dim = ? and slot >= ?",
        (dim, floor),
    ).fetchone()
    start = max(int(top), floor)
    if start - floor == int(used):
        return list(range(start, start + count))
    taken = {row[0] for row in db.execute("select slot from vector where dim = ?", (dim,))}
    holes = [slot for slot in range(floor, start) if slot not in taken][:count]
    return [*holes, *range(start, start + count - len(holes))]


def name_vectors(
    db: sqlite3.Connection, model: str, dim: int, ids: Sequence[int], slots: Sequence[int]
) -> None:
    """Say whose the vectors in `slots` are."""
    db.execute("insert or replace into model values (?, ?)", (model, dim))
    db.executemany("delete from held where heading = ?", [(number,) for number in ids])
    db.executemany(
        "insert or replace into vector values (?, ?, ?, ?)",
        [(number, model, dim, slot) for number, slot in zip(ids, slots, strict=True)],
    )
