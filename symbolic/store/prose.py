"""Prose: replace the headings and readings of files, and note what that can touch.

A reading whose words, quote and heading are as before keeps its row (only its span moves), so a
paragraph inserted at the top of a large file dirties nothing below it.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from symbolic.canon import at_heading, class_at_heading
from symbolic.names import fold
from symbolic.records import HEADING_SUBJECT, ProseHeading, Provenance, Reading, Written
from symbolic.store.bodies import hash_of
from symbolic.store.codec import pack_texts, pack_written
from symbolic.store.fresh import Fresh, insert, new_ids
from symbolic.store.work import Work, column, has, joined
from symbolic.world import Change


@dataclass(slots=True)
class Moved:
    """One key whose headings changed: what stood there before and what stands there now."""

    texts: list[str] = field(default_factory=list)
    bodies: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Delta:
    """What changed in the prose, for the places that may move with it."""

    keys: dict[str, Moved] = field(default_factory=dict)
    quotes: set[str] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)
    """The (path, outline) of the headings that changed: their twins may stand for one another."""


def replace(work: Work, change: Change) -> Delta:
    """Put the headings and readings of the changed files in place of the old ones."""
    delta = Delta()
    paths = {*change.paths, *(heading.path for heading in change.headings)}
    if not paths:
        return delta
    db = work.db
    new = sorted(change.headings, key=lambda h: (h.path, h.offset))
    if not has(db, "select 1 from heading limit 1") and not has(db, _ANY_READING):
        # A first sync: what is asked of the tables below, empty tables need not be asked.
        db.executemany(_INSERT, [_row(heading) for heading in new])
        _compare(delta, (), new)
        _readings(work, delta, (), new, change, Counter(fold(h.title) for h in new))
        return delta
    old = list(joined(db, paths, _OLD))
    titles = {str(row[2]) for row in old} | {fold(h.title) for h in new}
    before = _counts(db, titles)
    joined(db, paths, "delete from heading where path in (select k from want)")
    db.executemany(_INSERT, [_row(heading) for heading in new])
    _compare(delta, old, new)
    after = _counts(db, titles)
    last = new_ids(db)
    _readings(work, delta, paths, new, change, after)
    crossed = [t for t in titles if (before.get(t, 0) == 1) != (after.get(t, 0) == 1)]
    _dirty_readings(work, delta, crossed, last)
    return delta


_ANY_READING = "select 1 from assertion where path is not null limit 1"
_OLD = (
    "select path, key, folded, text, body_hash, evidence_date, agent, title, outline"
    " from want cross join heading on path = k order by path, offset"
)
_INSERT = (
    "insert into heading(path, offset, key, ident, outline, nth, title, folded, line, text,"
    " text_hash, body_hash, evidence_date, agent, archived, commented, tags)"
    " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def _row(h: ProseHeading) -> tuple[object, ...]:
    return (
        h.path, h.offset, h.key, h.ident, pack_texts(h.outline), h.nth, h.title, fold(h.title),
        h.line, h.text, h.text_hash, h.body_hash, h.evidence_date, int(h.agent),
        int(h.archived), int(h.commented), pack_texts(h.tags),
    )  # fmt: skip


def _counts(db: sqlite3.Connection, titles: Iterable[str]) -> dict[str, int]:
    rows = joined(
        db, titles, "select folded, count(*) from want cross join heading on folded = k group by k"
    )
    return {str(row[0]): int(str(row[1])) for row in rows}


def base(path: str, outline: str) -> str:
    """Return path and outline (as JSON) as one text."""
    return f"{path}\x1f{outline}"


def _compare(delta: Delta, old: Iterable[Sequence[object]], new: Iterable[ProseHeading]) -> None:
    """Note the keys at which anything that the fold reads is not as before."""
    was: dict[str, list[tuple[object, ...]]] = defaultdict(list)
    now: dict[str, list[tuple[object, ...]]] = defaultdict(list)
    for path, key, _, text, body, date, agent, title, outline in old:
        was[str(key)].append((path, text, body, date, bool(agent), title, outline))
    for h in new:
        outline = pack_texts(h.outline)
        now[h.key].append(
            (h.path, h.text, h.body_hash, h.evidence_date, h.agent, h.title, outline)
        )
    for key in {*was, *now}:
        if was.get(key) == now.get(key):
            continue
        moved = delta.keys[key] = Moved()
        for row in (*was.get(key, ()), *now.get(key, ())):
            moved.texts.append(str(row[1]))
            moved.bodies.add(str(row[2]))
            delta.bases.add(base(str(row[0]), str(row[6])))


# --- readings ---------------------------------------------------------------------------------

Raw = tuple[str, str, str, str]
"""What a reading is, wherever it stands in its file: heading, statement, quote, provenance."""


def _readings(
    work: Work, delta: Delta, paths: Collection[str], headings: Sequence[ProseHeading],
    change: Change, counts: Mapping[str, int],
) -> None:
    db = work.db
    home: dict[str, list[ProseHeading]] = defaultdict(list)
    for heading in headings:
        home[heading.key].append(heading)
    there: dict[Raw, list[tuple[object, ...]]] = defaultdict(list)
    for row in joined(db, paths, _READ):
        there[(str(row[1]), str(row[2]), str(row[3]), str(row[4]))].append(row)
    fresh: list[tuple[Raw, str, Reading]] = []
    moved: list[tuple[object, ...]] = []
    for reading in change.readings:
        if reading.heading not in home:
            continue  # it stands in no heading that was given: nothing can ground it
        raw, path = _raw(reading), _path(reading, home[reading.heading])
        place = (path, reading.start, reading.end)
        if there.get(raw):
            row = there[raw].pop(0)
            if row[5:8] != place:
                moved.append((*place, row[0]))
        else:
            fresh.append((raw, path, reading))
    gone = [row for rows in there.values() for row in rows]
    db.executemany("update assertion set path = ?, start = ?, end = ? where id = ?", moved)
    _drop(work, delta, gone)
    _insert(work, delta, fresh, counts)


_READ = (
    "select id, heading, written, quote, provenance, path, start, end, fact, quote_hash"
    " from want cross join assertion on path = k order by id"
)


def _raw(reading: Reading) -> Raw:
    return (
        reading.heading, pack_written(reading.written), reading.quote, reading.provenance.value
    )  # fmt: skip


def _path(reading: Reading, headings: Sequence[ProseHeading]) -> str:
    """Return the file of a reading: where two headings have one key, the one it stands in."""
    if len(headings) > 1:
        for h in headings:
            if h.offset <= reading.start < h.offset + len(h.text.encode("utf-8", "replace")):
                return h.path
    return headings[0].path


def _drop(work: Work, delta: Delta, rows: Sequence[Sequence[object]]) -> None:
    for row in rows:
        delta.quotes.add(str(row[9]))
        if isinstance(row[8], int):
            work.facts.add(row[8])
    work.db.executemany("delete from assertion where id = ?", [(row[0],) for row in rows])


def _insert(
    work: Work, delta: Delta, readings: Sequence[tuple[Raw, str, Reading]],
    counts: Mapping[str, int],
) -> None:
    last = new_ids(work.db)
    subjects = _subjects(work.db, {reading.heading for _, _, reading in readings}, counts)
    at = work.seen_at or None
    fresh = []
    for number, (raw, path, reading) in enumerate(readings, start=last + 1):
        key = reading.heading
        by = "person:prose" if reading.provenance is Provenance.HUMAN else "program:sync"
        mark = hash_of(reading.quote)
        delta.quotes.add(mark)
        row = (
            number, "heading", "reading", path, None, None, None, key, key, raw[1], reading.quote,
            mark, raw[3], by, at, None, reading.start, reading.end, None, 1,
        )  # fmt: skip
        fresh.append(_stated(work, row, reading.written, subjects[key]))
    insert(work, fresh)


class _Subject(NamedTuple):
    """A heading as the subject of its readings."""

    key: str
    title: str
    unique: bool
    agent: bool
    date: str | None


def _subjects(
    db: sqlite3.Connection, keys: set[str], counts: Mapping[str, int]
) -> dict[str, _Subject]:
    """Return the headings of `keys`; of two with one key the first in (path, offset) order."""
    found: dict[str, _Subject] = {}
    for key, title, folded, agent, date in joined(db, keys, _SUBJECTS):
        found.setdefault(
            str(key),
            _Subject(
                str(key), str(title), counts.get(str(folded)) == 1, bool(agent),
                None if date is None else str(date),
            ),
        )  # fmt: skip
    return found


_SUBJECTS = (
    "select key, title, folded, agent, evidence_date from want cross join heading on key = k"
    " order by path, offset"
)


def _stated(
    work: Work, row: Sequence[object], written: Written, here: _Subject
) -> Fresh:
    """Return a reading with what it states under the heading as it is now."""
    said = at_heading(written, here.title, here.key, here.unique)
    statement = None if here.agent else work.statement(said)
    if statement is None:
        return Fresh(row, whole=False)
    subject = whole = None
    if written.entity == HEADING_SUBJECT:
        subject, whole = class_at_heading(statement), pack_written(said)
    return Fresh(row, True, statement, subject, whole, here.key, here.date)


def _dirty_readings(work: Work, delta: Delta, crossed: Sequence[str], last: int) -> None:
    """Note older readings at changed headings, and where a title became or ceased to be unique."""
    keys = set(delta.keys)
    keys.update(
        str(key)
        for key in column(
            work.db, crossed, "select key from want cross join heading on folded = k"
        )
    )
    subject = f'["{HEADING_SUBJECT}"'
    for number, key, written in joined(
        work.db, keys, "select id, heading, written from want cross join assertion on heading = k"
    ):
        assert isinstance(number, int)
        if number <= last and (str(key) in delta.keys or str(written).startswith(subject)):
            work.assertions.add(number)
