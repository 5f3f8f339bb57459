"""Prose: replace the headings and readings of files, and note what that can touch.

A reading whose words, quote and heading are as before keeps its row (only its span moves), so a
paragraph inserted at the top of a large file dirties nothing below it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from symbolic.names import fold
from symbolic.records import HEADING_SUBJECT, ProseHeading, Provenance, Reading
from symbolic.store.bodies import hash_of
from symbolic.store.codec import dumps, pack_written
from symbolic.store.work import Work, column, joined
from symbolic.world import Change

_COLUMNS = (
    "path, offset, key, ident, outline, nth, title, line, text, text_hash, body_hash,"
    " evidence_date, agent, archived, commented, tags"
)


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


def heading_of(row: Sequence[object]) -> ProseHeading:
    """Return the heading in a row of the columns that `columns` names."""
    parts = dict(zip(_FIELDS, row, strict=True))
    parts["outline"] = tuple(json.loads(str(parts["outline"])))
    parts["tags"] = tuple(json.loads(str(parts["tags"])))
    for flag in ("agent", "archived", "commented"):
        parts[flag] = bool(parts[flag])
    return ProseHeading(**parts)  # type: ignore[arg-type]


_FIELDS = tuple(name.strip() for name in _COLUMNS.split(","))

ALL = f"select {_COLUMNS} from heading order by path, offset, key"
OF_FILE = f"select {_COLUMNS} from heading where path = ? order by offset, key"
ONE = f"select {_COLUMNS} from heading where key = ? order by path, offset limit 1"


def replace(work: Work, change: Change) -> Delta:
    """Put the headings and readings of the changed files in place of the old ones."""
    delta = Delta()
    paths = {*change.paths, *(heading.path for heading in change.headings)}
    if not paths:
        return delta
    db = work.db
    old = list(joined(db, paths, _OLD))
    new = sorted(change.headings, key=lambda h: (h.path, h.offset))
    titles = {str(row[2]) for row in old} | {fold(h.title) for h in new}
    before = _counts(db, titles)
    joined(db, paths, "delete from heading where path in (select k from want)")
    db.executemany(_INSERT, [_row(heading) for heading in new])
    _compare(delta, old, new)
    _readings(work, delta, paths, new, change)
    _dirty_readings(work, delta, titles, before)
    return delta


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
        h.path, h.offset, h.key, h.ident, dumps(list(h.outline)), h.nth, h.title, fold(h.title),
        h.line, h.text, h.text_hash, h.body_hash, h.evidence_date, int(h.agent),
        int(h.archived), int(h.commented), dumps(list(h.tags)),
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
        outline = dumps(list(h.outline))
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
    work: Work, delta: Delta, paths: set[str], headings: Sequence[ProseHeading], change: Change
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
    _insert(work, delta, fresh)


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


def _insert(work: Work, delta: Delta, fresh: Sequence[tuple[Raw, str, Reading]]) -> None:
    last = work.db.execute("select coalesce(max(id), 0) from assertion").fetchone()[0]
    rows = []
    for number, (raw, path, reading) in enumerate(fresh, start=last + 1):
        by = "person:prose" if reading.provenance is Provenance.HUMAN else "program:sync"
        mark = hash_of(reading.quote)
        rows.append(
            (
                number, path, reading.heading, reading.heading, raw[1],
                reading.quote, mark, raw[3], by, work.seen_at or None, reading.start, reading.end,
            )
        )  # fmt: skip
        delta.quotes.add(mark)
        work.assertions.add(number)
    work.db.executemany(
        "insert into assertion(id, source, kind, path, heading, key, written, quote, quote_hash,"
        " provenance, by, at, start, end, min_sources)"
        " values (?, 'heading', 'reading', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)",
        rows,
    )


def _dirty_readings(work: Work, delta: Delta, titles: set[str], before: dict[str, int]) -> None:
    """Readings at changed headings, and at those whose title became or stopped being unique."""
    after = _counts(work.db, titles)
    crossed = [t for t in titles if (before.get(t, 0) == 1) != (after.get(t, 0) == 1)]
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
        if str(key) in delta.keys or str(written).startswith(subject):
            assert isinstance(number, int)
            work.assertions.add(number)
