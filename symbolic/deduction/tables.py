"""The tables of the engine: what feeds rules, what follows, and the supports that carry it.

::

    predicate ◄── piece ──(head)──► the first piece of a derived triple
                    ▲
                    └── support (head, rule, p1..p8)            rule: its text, by number

A piece is a stretch of time in which a triple holds at one trust. A base fact gives one for each
spell; a derived triple one for each stretch that was new when it was found. Pieces are never
changed: they come in rounds with growing ids and go when nothing carries them any more. Those of
one derived triple may overlap where a better proof came later, and share one `head`.

A piece's `p` is eight times its predicate plus a kind. Open bounds are BEGINNING and END, so that
intersections are `max` and `min`.
"""

from __future__ import annotations

import sqlite3
from typing import Final, NamedTuple

BEGINNING: Final = -1
"""Before every instant: an open start. Instants count from year 1, so none is negative."""

END: Final = 1 << 62
"""After every instant: an open end."""

WIDTH: Final = 8
"""Premises a support has room for; the language allows no more positive atoms in a body."""

STATED: Final = 0
"""Kind of a piece: read from a base fact, or derived by a rule."""

CLOSED: Final = 1
"""Kind of a piece: derived by the closure of a transitive relation."""

MAXIMAL: Final = 2
"""Kind of a piece: a maximal spell of a triple, for atoms with `@S`."""

WITHHELD: Final = 4
"""Added to the kind of a piece that a base rival withholds: no atom reads it."""

KINDS: Final = 8

PREMISES: Final = tuple(f"p{number}" for number in range(1, WIDTH + 1))

TABLES: Final = f"""
create table predicate(id integer primary key, domain text not null, relation text not null,
  denied int not null, trust int, stated int not null default 0,
  pieces int not null default 0, fed int not null default 0,
  spelled int not null default 0, wide int not null default 0, unique(domain, relation, denied));
create table rule(id integer primary key, text text not null unique);
create table piece(id integer primary key, p int not null, e int not null, v int not null,
  lo int not null, hi int not null, trust int not null, imprecise int not null,
  fact int, head int, round int not null);
create index piece_pe on piece(p, e, v);
create index piece_pv on piece(p, v, e);
create index piece_fact on piece(fact) where fact is not null;
create index piece_head on piece(head) where head is not null;
create table support(head int not null, rule int not null,
  {", ".join(f"{one} int not null default 0" for one in PREMISES)},
  lo int not null, hi int not null, trust int not null, imprecise int not null,
  primary key(head, rule, {", ".join(PREMISES)}, lo)) without rowid;
create table capped(head integer primary key);
create table silent(rule int not null, domain text not null, count int not null,
  primary key(rule, domain)) without rowid;
"""

SUPPORT_INDICES: Final = tuple(
    (f"support_{one}", f"create index support_{one} on support({one}) where {one} > 0")
    for one in PREMISES
)

DROPPED: Final = ("predicate", "rule", "piece", "support", "capped", "silent")
"""The tables that are emptied when all is derived again."""

SCRATCH: Final = f"""
create temp table cand(p int, e int, v int, rule int,
  {", ".join(f"{one} int default 0" for one in PREMISES)},
  lo int, hi int, trust int, imprecise int, rough text);
create temp table fresh(n integer primary key, p int, e int, v int, trust int, c int);
create temp table struck(head int, rule int,
  {", ".join(f"{one} int not null default 0" for one in PREMISES)});
create temp table kept(head int, rule int, {", ".join(f"{one} int" for one in PREMISES)}, lo int,
  primary key(head, rule, {", ".join(PREMISES)}, lo)) without rowid;
create temp table dropped(head int, rule int, {", ".join(f"{one} int" for one in PREMISES)},
  lo int);
create temp table gone(id integer primary key);
create temp table hit(head integer primary key);
create temp table lost(p int, e int, v int, head int, primary key(p, e, v)) without rowid;
create temp table goal(p int, e int, v int, head int, primary key(p, e, v)) without rowid;
create temp table touched(head integer primary key);
create temp table moved(p int, e int, v int, primary key(p, e, v)) without rowid;
"""


class Row(NamedTuple):
    """A stretch of a base fact, as it feeds rules. `p` is that of a stated piece."""

    fact: int
    p: int
    e: int
    v: int
    lo: int
    hi: int
    trust: int
    imprecise: int = 0


def script(db: sqlite3.Connection, text: str) -> None:
    """Run statements inside the caller's transaction, as `executescript` would not."""
    for statement in text.split(";"):
        if statement.strip():
            db.execute(statement)
