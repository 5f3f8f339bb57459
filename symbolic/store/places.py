"""Where a tracked key is found today (docs/fold.md, section 2).

A place is (sid, key, quote hash, text hash) with the heading it resolves to. `via` says how it was
found: 1 by key, 2 by quote, 3 by text, 0 not at all. A changed heading can move a place found by
key only if it is that place's heading; any other one only if the quote stands, or stood, in it.
To look at few of those, each place has a `probe`: a word that surely stands in every text that
holds its quote.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from memex.keys import parse_path_key
from symbolic.grounding import match_form, quote_hash
from symbolic.names import quote_form
from symbolic.store.codec import pack_texts
from symbolic.store.prose import Delta, base
from symbolic.store.work import Work, column, has, joined

_WORD = re.compile(r"\w+")
_MANY = 24
"""From this many quotes on, one pass over all headings is quicker than a scan for each."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A quote in both the forms in which it may match."""

    exact: str
    bare: str
    probe: str

    @classmethod
    def of(cls, quote: str) -> Wanted:
        """Return the forms of `quote` and its probe: its longest word that both forms bound."""
        exact, bare = quote_form(quote), match_form(quote)
        both = set(_WORD.findall(exact)[1:-1]) & set(_WORD.findall(bare)[1:-1])
        return cls(exact, bare, max(both, key=lambda word: (len(word), word), default=""))

    def stands_in(self, exact: str, bare: str) -> bool:
        """Return whether the quote stands in a text with these two forms."""
        if not self.exact:
            return False
        return self.exact in exact or (bool(self.bare) and self.bare in bare)


class Here:
    """A heading of a key; the form without markup is made when it is asked for."""

    def __init__(self, text: str, body: str, agent: bool, date: str | None) -> None:
        self.text, self.body, self.agent, self.date = text, body, agent, date

    @cached_property
    def exact(self) -> str:
        """The text as quotes compare."""
        return quote_form(self.text)

    @cached_property
    def bare(self) -> str:
        """The same without markup."""
        return match_form(self.text)

    def holds(self, wanted: Wanted) -> bool:
        """Return whether the quote stands in the heading, which a person wrote."""
        if self.agent or not wanted.exact:
            return False
        return wanted.exact in self.exact or (bool(wanted.bare) and wanted.bare in self.bare)


class Finder:
    """Resolves keys against the headings of today; remembers what it looked up."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._here: dict[str, list[Here]] = {}
        self._quotes: dict[str, Wanted | None] = {}
        self._holders: dict[str, list[str]] = {}
        self._twins: dict[str, list[str]] = {}

    def wanted(self, mark: str) -> Wanted | None:
        """Return the quote with hash `mark`, None if nobody knows its text."""
        if mark not in self._quotes:
            row = self._db.execute("select text from quote where hash = ?", (mark,)).fetchone()
            if row is None:
                row = self._db.execute(
                    "select quote from assertion where quote_hash = ? and path is not null limit 1",
                    (mark,),
                ).fetchone()
            self._quotes[mark] = None if row is None else Wanted.of(row[0])
        return self._quotes[mark]

    def learn(self, quote: str) -> None:
        """Remember a quote whose text is at hand, so that nobody looks it up."""
        mark = quote_hash(quote)
        if self._quotes.get(mark) is None:
            self._quotes[mark] = Wanted.of(quote)

    def here(self, key: str) -> list[Here]:
        """Return the headings with key `key`, in (path, offset) order; normally one."""
        found = self._here.get(key)
        if found is None:
            rows = self._db.execute(
                "select text, body_hash, agent, evidence_date from heading where key = ?"
                " order by path, offset",
                (key,),
            ).fetchall()
            found = self._here[key] = [
                Here(text, body, bool(agent), date)
                for text, body, agent, date in rows
            ]
        return found

    def holds(self, key: str, mark: str) -> bool:
        """Return whether the heading `key` holds the quote with hash `mark`."""
        wanted = self.wanted(mark)
        if wanted is None:
            return False
        return any(h.holds(wanted) for h in self.here(key))

    def resolve(
        self, anchored: str | None, key: str, mark: str, text: str
    ) -> tuple[str | None, int]:
        """Return (today's key or None, how it was found)."""
        place = self.by_key(anchored, key, mark, text)
        if place is not None:
            return place, 1
        if mark and self.wanted(mark) is not None:
            holders = self.holders(mark)
            if len(holders) == 1:
                return holders[0], 2
        if text:
            rows = self._db.execute(
                "select distinct key from heading where body_hash = ? limit 2", (text,)
            ).fetchall()
            if len(rows) == 1:
                return str(rows[0][0]), 3
        return None, 0

    def by_key(self, anchored: str | None, key: str, mark: str, text: str) -> str | None:
        """Return today's key if one of the two keys gives it."""
        place = self._at(anchored, mark, text)
        if place is None and anchored != key:
            place = self._at(key, mark, text)
        return place

    def _at(self, key: str | None, mark: str, text: str) -> str | None:
        """Return the heading that `key` means by its ID, or by its path and outline."""
        if key is None or key.startswith("id:"):
            return key if key is not None and self.here(key) else None
        if not text and self._stays(key, mark, text):
            return key  # no twin can be nearer than the very key
        standing = [twin for twin in self.twins(key) if self._stays(twin, mark, text)]
        same = [twin for twin in standing if text and any(h.body == text for h in self.here(twin))]
        if len(same) == 1:
            return same[0]
        if key in standing:
            return key
        return standing[0] if len(standing) == 1 else None

    def twins(self, key: str) -> list[str]:
        """Return the keys of the headings with the path and outline that a path key names."""
        parts = parse_path_key(key)
        if parts is None:
            return []
        if key not in self._twins:
            rows = self._db.execute(
                "select distinct key from heading where path = ? and outline = ?",
                (parts.path, pack_texts(parts.outline)),
            ).fetchall()
            self._twins[key] = [str(row[0]) for row in rows]
        return self._twins[key]

    def _stays(self, key: str, mark: str, text: str) -> bool:
        here = self.here(key)
        if not here:
            return False
        if not mark and not text:
            return True
        if mark and self.wanted(mark) is not None:
            return self.holds(key, mark)
        return bool(text) and any(h.body == text for h in here)

    def holders(self, mark: str) -> list[str]:
        """Return the keys of at most two headings that hold the quote with hash `mark`."""
        if mark not in self._holders:
            wanted = self.wanted(mark)
            fill_forms(self._db)
            rows = [] if wanted is None or not wanted.exact else self._db.execute(
                "select distinct key from heading where agent = 0 and (instr(exact, ?) > 0 or"
                " (? <> '' and instr(coalesce(bare, exact), ?) > 0)) limit 2",
                (wanted.exact, wanted.bare, wanted.bare),
            ).fetchall()  # fmt: skip
            self._holders[mark] = [str(row[0]) for row in rows]
        return self._holders[mark]

    def look_for_all(self, marks: Iterable[str]) -> None:
        """Find the holders of many quotes in one pass over the headings."""
        probes: dict[str, list[tuple[str, Wanted]]] = {}
        found: dict[str, set[str]] = {}
        for mark in marks:
            wanted = self.wanted(mark)
            if wanted is not None:
                probes.setdefault(wanted.probe, []).append((mark, wanted))
                found[mark] = set()
        fill_forms(self._db)
        for key, exact, bare in self._db.execute(
            "select key, exact, coalesce(bare, exact) from heading where agent = 0"
        ).fetchall():
            for word in {*words_of(exact, bare)} & probes.keys():
                for mark, wanted in probes[word]:
                    if len(found[mark]) < 2 and wanted.stands_in(exact, bare):
                        found[mark].add(key)
        self._holders.update({mark: sorted(keys) for mark, keys in found.items()})


def words_of(exact: str, bare: str) -> set[str]:
    """Return the words that may be probes of quotes in a text, and "" for those without one."""
    found = set(_WORD.findall(exact))
    if bare != exact:
        found.update(_WORD.findall(bare))
    found.add("")
    return found


def fill_forms(db: sqlite3.Connection) -> None:
    """Give each heading the forms that quotes are compared with; most are never asked for."""
    rows = db.execute("select id, text from heading where exact is null").fetchall()
    filled = []
    for number, text in rows:
        exact, bare = quote_form(text), match_form(text)
        filled.append((exact, None if bare == exact else bare, number))
    db.executemany("update heading set exact = ?, bare = ? where id = ?", filled)


def base_of(key: str | None) -> str | None:
    """Return the path and outline that a path key names, as `Delta.bases` spells them."""
    parts = parse_path_key(key) if key is not None else None
    return None if parts is None else base(parts.path, pack_texts(parts.outline))


class Located(NamedTuple):
    """Where a place is found, as the columns of `place` have it."""

    anchored: str | None
    resolved: str | None
    via: int
    held: int
    date: str | None
    probe: str
    base: str | None
    base_anchored: str | None


NOWHERE = Located(None, None, 0, 0, None, "", None, None)
"""A place before it is looked for."""


def locate(
    db: sqlite3.Connection, finder: Finder, said: str, key: str, mark: str, text: str,
    *, by_key: bool = False,
) -> Located | None:
    """Return where a place is found today; `by_key` looks nowhere else and may give None."""
    anchor = db.execute(
        "select new_key from anchor where sid = ? and key = ? order by ord desc limit 1",
        (said, key),
    ).fetchone()
    anchored = key if anchor is None else anchor[0]
    if by_key:
        found, via = finder.by_key(anchored, key, mark, text), 1
        if found is None:
            return None
    else:
        found, via = finder.resolve(anchored, key, mark, text)
    held = found is not None and (not mark or finder.holds(found, mark))
    date = finder.here(found)[0].date if found is not None else None
    wanted = finder.wanted(mark) if mark else None
    base_key = base_of(key)
    bases = (base_key, base_key if anchored == key else base_of(anchored))
    return Located(
        anchored, found, via, int(held), date, wanted.probe if wanted else "", *bases
    )


# --- stage ------------------------------------------------------------------------------------


def dirty(work: Work, delta: Delta) -> None:
    """Note the places that a change of the prose can move."""
    db = work.db
    if not (delta.keys or delta.quotes) or not has(db, "select 1 from place limit 1"):
        return
    for by in ("key", "anchored", "resolved"):
        sql = f"select id from want cross join place on {by} = k"
        _note(work, column(db, delta.keys, sql))
    marks = delta.quotes - {""}
    _note(work, column(db, marks, "select id from want cross join place on quote_hash = k"))
    for by in ("base", "base_anchored"):
        _note(work, column(db, delta.bases, f"select id from want cross join place on {by} = k"))
    bodies = {body for moved in delta.keys.values() for body in moved.bodies}
    _note(
        work,
        column(
            db, bodies, "select id from want cross join place on text_hash = k and text_hash <> ''"
        ),
    )
    if delta.keys and has(db, "select 1 from place where via <> 1 limit 1"):
        _probe(work, delta)


def _note(work: Work, ids: Iterable[object]) -> None:
    work.places.update(number for number in ids if isinstance(number, int))


def _probe(work: Work, delta: Delta) -> None:
    """Note the places not found by their key whose quote stands, or stood, in a changed text."""
    finder = Finder(work.db)
    texts = {text for moved in delta.keys.values() for text in moved.texts}
    forms = [(quote_form(text), match_form(text)) for text in texts]
    words = {word for exact, bare in forms for word in words_of(exact, bare)}
    for number, mark in joined(
        work.db,
        words,
        "select id, quote_hash from want cross join place on probe = k and via <> 1",
    ):
        wanted = finder.wanted(str(mark))
        if wanted is None or any(wanted.stands_in(exact, bare) for exact, bare in forms):
            _note(work, [number])


def resolve(work: Work) -> None:
    """Resolve the noted places, and note what rests on those that moved."""
    if not work.places:
        return
    db, finder = work.db, Finder(work.db)
    rows = list(joined(db, work.places, _PLACES))
    _prefetch(finder, rows)
    updates: list[tuple[object, ...]] = []
    moved: list[object] = []
    for row in rows:
        number = row[0]
        now = locate(db, finder, str(row[1]), str(row[2]), str(row[3]), str(row[4]))
        assert now is not None
        if now != row[5:]:
            updates.append((*now, number))
        if (now.resolved, now.held, now.date) != (row[6], row[8], row[9]):
            moved.append(number)
    db.executemany(
        "update place set anchored = ?, resolved = ?, via = ?, held = ?, date = ?, probe = ?,"
        " base = ?, base_anchored = ? where id = ?",
        updates,
    )
    _pass_on(work, moved)


_PLACES = (
    "select id, sid, key, quote_hash, text_hash, anchored, resolved, via, held, date, probe, base,"
    " base_anchored from want cross join place on id = k"
)


def _prefetch(finder: Finder, rows: Iterable[tuple[object, ...]]) -> None:
    """Look for many quotes at once where many keys are not where the journal says."""
    lost = {str(r[3]) for r in rows if r[3] and not finder.holds(str(r[2]), str(r[3]))}
    if len(lost) > _MANY:
        finder.look_for_all(lost)


def _pass_on(work: Work, moved: list[object]) -> None:
    told = column(work.db, moved, "select distinct line from want cross join deed on place = k")
    work.decided.update(str(event) for event in told)
    for (number,) in joined(
        work.db, moved, "select id from want cross join assertion on place = k"
    ):
        assert isinstance(number, int)
        work.assertions.add(number)
    for cls, at in joined(
        work.db,
        moved,
        "select cls, at_heading from want cross join mention on place = k where role = 'bar'",
    ):
        if cls is not None:
            work.classes.add(str(cls))
        if at is not None:
            work.at_headings.add(str(at))
