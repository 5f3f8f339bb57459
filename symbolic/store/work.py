"""One transaction at work: what it reads by, and what it found that has to be computed again.

Stages run in one order (update.py) and each leaves keys here for the next: places, assertions,
facts, then spells and conflicts. Keys are few for one journal line and many for a cold load;
the code is the same, since every stage fetches by a join with the temporary table `want`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from symbolic.canon import canonical, term_key
from symbolic.records import Declarations, Name, Statement, Term, Value, Written
from symbolic.store.codec import make_term
from symbolic.vocabulary import Vocabulary

Row = tuple[object, ...]

_REMEMBERED = 100_000


class Terms:
    """The term dictionary: integer ids, remembered in both directions.

    What is remembered may come from a transaction that was rolled back, so a store forgets it then.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._ids: dict[str, int] = {}
        self._terms: dict[int, Term] = {}

    def id_of(self, term: Term) -> int:
        """Return the id of a term, given now if it has none."""
        key = term_key(term)
        found = self._ids.get(key) or self._stored(key)
        if found is None:
            unit = term.unit if isinstance(term, Value) else None
            cursor = self._db.execute("insert into term(key, unit) values (?, ?)", (key, unit))
            found = self._ids[key] = int(cursor.lastrowid or 0)
        return found

    def learn(self, terms: Iterable[Term]) -> None:
        """Give many terms their ids in one go: `id_of` knows them afterwards."""
        keys = {term_key(term): term for term in terms}
        fresh = keys.keys() - self._ids.keys()
        for key, number in joined(
            self._db, fresh, "select key, id from want cross join term on key = k"
        ):
            assert isinstance(number, int)
            self._ids[str(key)] = number
        last = self.last()
        rows = []
        for key, term in keys.items():
            if key not in self._ids:
                last += 1
                self._ids[key] = last
                rows.append((last, key, term.unit if isinstance(term, Value) else None))
        self._db.executemany("insert into term(id, key, unit) values (?, ?, ?)", rows)

    def last(self) -> int:
        """Return the id that was given last, 0 for none."""
        return int(self._db.execute("select coalesce(max(id), 0) from term").fetchone()[0])

    def find(self, term: Term) -> int | None:
        """Return the id of a term, None if nothing uses it."""
        key = term_key(term)
        return self._ids.get(key) or self._stored(key)

    def _stored(self, key: str) -> int | None:
        row = self._db.execute("select id from term where key = ?", (key,)).fetchone()
        if row is None:
            return None
        self._ids[key] = int(row[0])
        return int(row[0])

    def term(self, number: int) -> Term:
        """Return the term with an id, shown in its canonical form."""
        found = self._terms.get(number)
        if found is None:
            key, unit = self._db.execute(
                "select key, unit from term where id = ?", (number,)
            ).fetchone()
            found = self._terms[number] = make_term(key, unit)
        return found

    def name(self, number: int) -> Name:
        """Return the name with an id."""
        found = self.term(number)
        assert isinstance(found, Name)
        return found

    def trim(self) -> None:
        """Drop what is remembered if it has grown large."""
        if len(self._ids) + len(self._terms) > _REMEMBERED:
            self.forget()

    def forget(self) -> None:
        """Drop what is remembered."""
        self._ids.clear()
        self._terms.clear()


class Changed(NamedTuple):
    """A fact that is not as it was, with its terms, which stay known when its row is gone."""

    number: int
    fid: str
    domain: str
    e: int
    r: int
    v: int
    polarity: bool


@dataclass(slots=True, kw_only=True)
class Work:
    """A transaction. The sets hold what the stages still have to do.

    `fresh` are facts inserted whole (fresh.py); for `fresh_in_time` policy or spells are left.
    """

    db: sqlite3.Connection
    terms: Terms
    words: Vocabulary
    zone: str
    seen_at: str = ""
    places: set[int] = field(default_factory=set)
    assertions: set[int] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)
    at_headings: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    incumbents: set[str] = field(default_factory=set)
    facts: set[int] = field(default_factory=set)
    fresh: list[Changed] = field(default_factory=list)
    fresh_in_time: list[Changed] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    gone: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Entity and value of facts that nobody says any more, by ids that may be given again."""
    conflicts: set[str] = field(default_factory=set)
    decided: set[str] = field(default_factory=set)
    all_decided: bool = False
    several: bool = False
    """Whether the journal has more than one end: other devices, or a branch."""
    redacted: bool = False

    @property
    def declarations(self) -> Declarations:
        """The declarations that all is read under."""
        return self.words.declarations

    def settle_down(self) -> None:
        """Forget what had to be computed again: it is."""
        for noted in (
            self.places, self.assertions, self.classes, self.at_headings, self.closed,
            self.incumbents, self.facts, self.fresh, self.fresh_in_time,
        ):  # fmt: skip
            noted.clear()

    def statement(self, written: Written) -> Statement | None:
        """Return today's statement of `written`, None if it does not read."""
        try:
            return canonical(written, self.declarations, self.zone)
        except ValueError:  # BadValue, and an entity or value kind that there is not
            return None


def want(db: sqlite3.Connection, keys: Iterable[object]) -> None:
    """Fill the temporary table `want` with `keys`, for one join."""
    db.execute("delete from want")
    db.executemany("insert or ignore into want values (?)", zip(keys, strict=False))


@lru_cache
def _of_one(sql: str) -> str:
    return sql.replace("from want", "from (select ?1 as k) as want")


def joined(db: sqlite3.Connection, keys: Iterable[object], sql: str) -> Iterator[Row]:
    """Return the rows of `sql`, which joins `want`, for `keys`.

    One journal line notes a key or none for most stages: those do not fill the table.
    """
    few = keys if isinstance(keys, Collection) else tuple(keys)
    if not few:
        return iter(())
    if len(few) == 1:
        (key,) = few
        return iter(() if key is None else db.execute(_of_one(sql), (key,)).fetchall())
    want(db, few)
    return iter(db.execute(sql).fetchall())


def column(db: sqlite3.Connection, keys: Iterable[object], sql: str) -> list[object]:
    """Return the first column of `joined`."""
    return [row[0] for row in joined(db, keys, sql)]


def has(db: sqlite3.Connection, sql: str) -> bool:
    """Return whether a query has a row."""
    return db.execute(sql).fetchone() is not None
