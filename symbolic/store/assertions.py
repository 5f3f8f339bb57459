"""Assertions: today's statement of each, and whether it counts (docs/fold.md, sections 3 and 4).

`base` is the state before incumbents, `state` the one after them: an incumbent line that lapses
gives its refused readings their base state back.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symbolic.canon import at_heading, class_at_heading
from symbolic.records import HEADING_SUBJECT, GateRow, Statement, Written
from symbolic.store.codec import pack_written, unpack_written
from symbolic.store.work import Work, has, joined
from symbolic.world import State

LIVE, STALE, REFUSED = State.LIVE.value, State.STALE.value, State.REFUSED.value
WITHDRAWN, SUPPRESSED = State.WITHDRAWN.value, State.SUPPRESSED.value


def replace_rows(work: Work, rows: Iterable[GateRow]) -> None:
    """Put the rows of the gate tables in place of the old ones."""
    work.db.execute("delete from assertion where kind = 'gate'")
    work.db.executemany(
        "insert into assertion(source, kind, source_id, written, quote_hash, provenance, by,"
        " min_sources) values ('gate', 'gate', ?, ?, '', 'gate-outcome', 'program:bootstrap', 1)",
        [(row.source, pack_written(row.written)) for row in rows],
    )


# --- statements -------------------------------------------------------------------------------


def state_all(work: Work) -> None:
    """Give the noted assertions today's statement, then the state of each that may have changed."""
    if work.assertions:
        _identify(work)
    if work.assertions or work.classes or work.at_headings:
        _restate(work)


def _identify(work: Work) -> None:
    """Work out statement, heading and evidence date of the noted assertions."""
    db = work.db
    titles = _Titles(db)
    found: list[tuple[int, Statement | None, str | None, str | None, str | None, str | None]] = []
    for row in joined(db, work.assertions, _RAW):
        number, kind, heading, own_date, resolved, date, packed, fact = row
        assert isinstance(number, int)
        written = unpack_written(str(packed))
        subject = whole = None
        statement: Statement | None
        if kind == "reading":
            here = titles.of(str(heading))
            resolved, date = heading, here.date
            said = titles.said(written, here)
            statement = None if here.agent else work.statement(said)
            if statement is not None and written.entity == HEADING_SUBJECT:
                subject, whole = class_at_heading(statement), pack_written(said)
        else:
            statement = work.statement(written)
            if kind == "admit" and resolved is None:
                date = own_date
        found.append((number, statement, subject, whole, _maybe(resolved), _maybe(date)))
        if isinstance(fact, int):
            work.facts.add(fact)
    facts = _facts(work, [row[1] for row in found if row[1] is not None])
    work.facts.update(facts.values())
    db.executemany(
        # What an incumbent refused belongs to the fact it was then, not to the one it is now.
        "update assertion set state = case when fact is ?1 then state else base end,"
        " ended_by = case when fact is ?1 then ended_by else base_ended end, fact = ?1,"
        " at_heading = ?2, said = ?3, resolved = ?4, date = ?5, spelled = ?6 where id = ?7",
        [
            (facts[one.fid], subject, whole, resolved, date, spelled(one), number)
            if one is not None
            else (None, None, None, resolved, date, None, number)
            for number, one, subject, whole, resolved, date in found
        ],
    )


_RAW = (
    "select a.id, a.kind, a.heading, a.own_date, p.resolved, p.date, a.written, a.fact"
    " from want cross join assertion a on a.id = k left join place p on p.id = a.place"
)


def _maybe(value: object) -> str | None:
    return None if value is None else str(value)


def spelled(statement: Statement) -> str | None:
    """Return the names as written where that is not how they compare."""
    e, r, v = statement.entity, statement.relation, statement.value
    if e.written == e.canon and r.written == r.canon and v.written == v.canon:
        return None
    return f"{e.written}\x1f{r.written}\x1f{v.written}"


@dataclass(frozen=True, slots=True)
class _Title:
    key: str
    title: str
    unique: bool
    agent: bool
    date: str | None


class _Titles:
    """Headings as subjects of readings."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._found: dict[str, _Title] = {}

    def of(self, key: str) -> _Title:
        found = self._found.get(key)
        if found is None:
            title, folded, agent, date = self._db.execute(
                "select title, folded, agent, evidence_date from heading where key = ?"
                " order by path, offset limit 1",
                (key,),
            ).fetchone()
            alike = self._db.execute(
                "select id from heading where folded = ? limit 2", (folded,)
            ).fetchall()
            found = self._found[key] = _Title(key, title, len(alike) == 1, bool(agent), date)
        return found

    def said(self, written: Written, here: _Title) -> Written:
        return at_heading(written, here.title, here.key, here.unique)


def _facts(work: Work, statements: Sequence[Statement]) -> dict[str, int]:
    """Return {fid: its id}, new facts inserted."""
    db = work.db
    wanted = {statement.fid: statement for statement in statements}
    ids: dict[str, int] = {}
    for fid, number in joined(
        db, wanted, "select fid, id from want cross join fact on fid = k"
    ):
        assert isinstance(number, int)
        ids[str(fid)] = number
    last = db.execute("select coalesce(max(id), 0) from fact").fetchone()[0]
    rows = []
    for fid, said in wanted.items():
        if fid in ids:
            continue
        last += 1
        ids[fid] = last
        term = work.terms.id_of
        rows.append(
            (
                last, fid, said.cls, said.domain, term(said.entity), term(said.relation),
                term(said.value), int(said.polarity), said.valid_from, said.valid_to,
            )
        )  # fmt: skip
    db.executemany(
        "insert into fact(id, fid, cls, domain, e, r, v, polarity, start, end)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
    return ids


# --- states -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Bar:
    order: str
    line: str
    reject: bool
    fid: str
    cls: str
    at_heading: str | None
    key: str
    resolved: str | None
    mark: str
    everywhere: bool


def _restate(work: Work) -> None:
    """Work out the base state of the noted assertions and of all that noted bars can reach."""
    db = work.db
    ids = set(work.assertions)
    for sql, keys in (
        ("select a.id from want cross join fact f on f.cls = k join assertion a on a.fact = f.id",
         work.classes),
        ("select id from want cross join assertion on at_heading = k", work.at_headings),
    ):  # fmt: skip
        ids.update(row[0] for row in joined(db, keys, sql) if isinstance(row[0], int))
    rows = list(joined(db, ids, _STATED))
    bars = _bars(work, rows)
    updates: list[tuple[object, ...]] = []
    for row in rows:
        number, fact, was, was_by = row[0], row[1], row[2], row[3]
        state, by = _state(row, bars)
        if (state, by) != (was, was_by):
            updates.append((state, by, state, by, number))
            assert isinstance(fact, int)
            work.facts.add(fact)
    db.executemany(
        "update assertion set base = ?, base_ended = ?, state = ?, ended_by = ? where id = ?",
        updates,
    )


_STATED = (
    "select a.id, a.fact, a.base, a.base_ended, a.kind, a.ord, a.key, a.resolved, a.quote_hash,"
    " a.provenance, p.held, f.fid, f.cls, a.at_heading"
    " from want cross join assertion a on a.id = k join fact f on f.id = a.fact"
    " left join place p on p.id = a.place"
)


def _bars(work: Work, rows: Sequence[Sequence[object]]) -> dict[str, list[_Bar]]:
    """Return the bars of the decision classes of `rows`, in journal order."""
    if not has(work.db, "select 1 from mention where role = 'bar' limit 1"):
        return {}
    found: dict[str, list[_Bar]] = defaultdict(list)
    for sql, keys in (
        (f"select {_BAR} from want cross join mention m on m.cls = k and m.role = 'bar'"
         " left join place p on p.id = m.place order by m.ord, m.n", {r[12] for r in rows}),
        (f"select {_BAR} from want cross join mention m on m.at_heading = k and m.role = 'bar'"
         " left join place p on p.id = m.place order by m.ord, m.n",
         {r[13] for r in rows if r[13] is not None}),
    ):  # fmt: skip
        for row in joined(work.db, keys, sql):
            found[str(row[0])].append(
                _Bar(
                    str(row[1]), str(row[2]), row[3] == "reject", str(row[4]), str(row[5]),
                    _maybe(row[6]), str(row[7]), _maybe(row[8]), str(row[9]),
                    row[10] == "everywhere",
                )
            )  # fmt: skip
    return found


_BAR = (
    "k, m.ord, m.line, m.kind, m.fid, m.cls, m.at_heading, coalesce(m.key, '*'), p.resolved,"
    " m.quote_hash, m.scope"
)


def _state(row: Sequence[object], bars: dict[str, list[_Bar]]) -> tuple[str, str | None]:
    """Return the state of an assertion before incumbents, and the line that ended it."""
    kind = row[4]
    if kind == "gate":
        return LIVE, None
    cls, at = str(row[12]), row[13]
    mine = bars.get(cls, [])
    if at is not None and (more := bars.get(str(at))):
        mine = sorted({*mine, *more}, key=lambda bar: (bar.order, bar.key))
    judge = _ends_reading if kind == "reading" else _ends_journal
    for bar in mine:
        state = judge(row, bar)
        if state is not None:
            return state, bar.line
    if kind == "admit" and not row[10]:
        return STALE, None
    return LIVE, None


def _same_source(row: Sequence[object], bar: _Bar) -> bool:
    key, resolved, mark = row[6], row[7], row[8]
    return (
        bar.everywhere
        or bar.key == key
        or (resolved is not None and bar.resolved == resolved)
        or (bool(mark) and bar.mark == mark)
    )


def _ends_reading(row: Sequence[object], bar: _Bar) -> str | None:
    provenance, fid, cls, at = row[9], row[11], row[12], row[13]
    if bar.reject:
        extracted = provenance == "extracted"
        hit = extracted and bar.fid == fid and _same_source(row, bar)
        return WITHDRAWN if hit else None
    if bar.resolved is None or bar.resolved != row[7]:
        return None
    hit = bar.cls == cls or (at is not None and bar.at_heading == at)
    return SUPPRESSED if hit else None


def _ends_journal(row: Sequence[object], bar: _Bar) -> str | None:
    if not str(row[5]) < bar.order or bar.fid != row[11]:
        return None
    if bar.reject:
        return WITHDRAWN if row[4] == "admit" and _same_source(row, bar) else None
    key, resolved = row[6], row[7]
    hit = (
        bar.key == "*"
        or (key is not None and bar.key == key)
        or (resolved is not None and bar.resolved == resolved)
    )
    return WITHDRAWN if hit else None
