"""Who links to whom, found from near.db alone: by key, by path, or by a title.

A link is kept as it was read and resolved when it is asked for, so a heading that comes, goes or is
renamed elsewhere changes nothing here. A title that several headings have names none of them; a
file of that title goes before a heading.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from memex.keys import parse_path_key
from neuro.near.rows import Link, Row
from symbolic.names import fold

_MANY = 500

IN_FILE = "title-in"
"""A link to a heading of a file by title: kept beside its key, as the heading may lie deeper."""

_JOINS = (
    "l.kind = 'heading' and h.key = l.value",
    "l.kind = 'path' and h.path = l.value and h.is_file = 1",
    f"l.kind = '{IN_FILE}' and h.folded = l.value and h.path = l.path",
    "l.kind = 'name' and h.folded = l.value",
)

Groups = dict[int, frozenset[int]]


def kept(row: Row) -> Iterator[tuple[str, str, str]]:
    """Yield a row's links as (value, kind, path) of the table `link`."""
    for link in dict.fromkeys(row.links):
        yield from _kept(link)


def _kept(link: Link) -> Iterator[tuple[str, str, str]]:
    if link.kind == "name":
        yield fold(link.value), "name", ""
    elif link.kind in ("heading", "path"):
        yield link.value, link.kind, ""
        place = parse_path_key(link.value) if link.kind == "heading" else None
        if place is not None and len(place.outline) == 1:
            yield fold(place.outline[0]), IN_FILE, place.path


def forward(db: sqlite3.Connection, ids: Iterable[int]) -> Groups:
    """Return {id: the headings it links to}."""
    pairs = [
        (one, to, how, value)
        for how, join in enumerate(_JOINS)
        for one, to, value in _asked(
            db, "select l.heading, h.id, l.value from link l cross join heading h"
            f" on {join} where l.heading in", ids,
        )
    ]
    return _grouped(db, pairs)


def backward(db: sqlite3.Connection, ids: Iterable[int]) -> Groups:
    """Return {id: the headings that link to it}."""
    pairs = [
        (one, to, how, value)
        for how, join in enumerate(_JOINS)
        for one, to, value in _asked(
            db, "select l.heading, h.id, l.value from heading h cross join link l"
            f" on {join} where h.id in", ids,
        )
    ]
    turned: dict[int, set[int]] = {}
    for one, others in _grouped(db, pairs).items():
        for other in others:
            turned.setdefault(other, set()).add(one)
    return {one: frozenset(others) for one, others in turned.items()}


def _grouped(db: sqlite3.Connection, pairs: list[tuple[int, int, int, str]]) -> Groups:
    names = {value for _, _, how, value in pairs if how == len(_JOINS) - 1}
    owners = {name: owner for name in names if (owner := _owner(db, name)) is not None}
    groups: dict[int, set[int]] = {}
    for one, to, how, value in pairs:
        if one != to and (how != len(_JOINS) - 1 or owners.get(value) == to):
            groups.setdefault(one, set()).add(to)
    return {one: frozenset(others) for one, others in groups.items()}


def _owner(db: sqlite3.Connection, folded: str) -> int | None:
    """Return the one file, else the one heading, with this folded title."""
    for files in (1, 0):
        found = db.execute(
            "select id from heading where folded = ? and is_file = ? limit 2", (folded, files)
        ).fetchall()
        if len(found) == 1:
            return int(found[0][0])
    return None


def _asked(
    db: sqlite3.Connection, query: str, ids: Iterable[int]
) -> Iterator[tuple[int, int, str]]:
    every = list(dict.fromkeys(ids))
    for first in range(0, len(every), _MANY):
        part = every[first : first + _MANY]
        yield from db.execute(f"{query} ({', '.join('?' * len(part))})", part)
