"""Reading facts, conflicts, bars and tracks back as records."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from symbolic.canon import MEMBER
from symbolic.divergence import Divergence
from symbolic.records import (
    MEMEX,
    Name,
    NameKind,
    Overlap,
    Policy,
    Provenance,
    Standing,
    Statement,
    Term,
    Value,
)
from symbolic.store.codec import unpack_written
from symbolic.store.work import Terms, Work
from symbolic.world import Assertion, Bar, Conflict, Fact, Source, State, Track

_FACT = (
    "f.id, f.fid, f.cls, f.domain, f.e, f.r, f.v, f.polarity, f.start, f.end, f.standing,"
    " f.closed_at, f.closed_by"
)
FACT_BY_FID = f"select {_FACT} from fact f where fid = ?"
FACTS_BETWEEN = f"select {_FACT} from fact f where fid >= ? and fid < ? order by fid"
FACTS_AT = (
    f"select {_FACT} from fact f where f.id in ("
    "select fact from assertion where heading = ? and place is null and state = 'live'"
    " union select a.fact from place p cross join assertion a on a.place = p.id"
    " where p.resolved = ? and a.state = 'live') order by f.fid"
)
"""Facts said at a heading: read there, or admitted with a place that is found there today."""
HEADINGS_NAMING = (
    "select case when a.place is null then a.heading else p.resolved end from ("
    "select id from (select id from fact where e = ? limit ?)"
    " union all select id from (select id from fact where v = ? limit ?)) f"
    " cross join assertion a on a.fact = f.id and a.state = 'live'"
    " left join place p on p.id = a.place limit ?"
)
"""Where facts with a term as entity or value are said, as FACTS_AT has it."""
SAYINGS = 16
"""Sayings of a name that are looked at for each heading that it may have."""
_ASSERTION = (
    "select a.fact, a.spelled, coalesce(a.said, a.written), a.source, a.source_id, a.provenance,"
    " a.state, a.by, a.resolved, a.key, a.quote, a.quote_hash, a.date, a.start, a.end, a.line,"
    " a.ended_by, a.at,"
    " a.rule, a.min_sources, a.kind from assertion a where a.fact = ?"
    " order by a.source, coalesce(a.ord, ''), coalesce(a.path, ''), coalesce(a.start, 0),"
    " coalesce(a.source_id, ''), a.written, a.id"
)

Row = Sequence[object]


def select_facts(
    terms: Terms,
    domain: str | None,
    entity: Name | None,
    relation: Name | None,
    value: Term | None,
) -> tuple[str, list[object]] | None:
    """Return the query for the facts with these parts, None if there can be none.

    The text is one of sixteen constants, so that prepared statements are used again.
    """
    where: list[str] = []
    args: list[object] = []
    for column, term in (("e", entity), ("r", relation), ("v", value)):
        if term is not None:
            number = terms.find(term)
            if number is None:
                return None
            where.append(f"f.{column} = ?")
            args.append(number)
    if domain is not None:
        if where or domain == MEMEX:
            where.append("+f.domain = ?")
        else:
            where.append(f"f.domain = ? and f.domain <> '{MEMEX}'")  # as its index has it
        args.append(domain)
    clause = f" where {' and '.join(where)}" if where else ""
    return f"select {_FACT} from fact f{clause} order by f.fid", args


def facts(db: sqlite3.Connection, terms: Terms, rows: Iterable[Row]) -> Iterator[Fact]:
    """Return the facts in rows of the columns above, with their assertions."""
    for row in rows:
        said = db.execute(_ASSERTION, (row[0],)).fetchall()
        yield _fact(row, said, terms)


def _fact(row: Row, said: Sequence[Row], terms: Terms) -> Fact:
    fid, cls, domain, e, r, v, polarity, start, end, standing, at, by = row[1:]
    assert isinstance(e, int) and isinstance(r, int) and isinstance(v, int)
    entity, relation, value = terms.name(e), terms.name(r), terms.term(v)
    assertions = []
    for one in said:
        shown = str(one[1]).split("\x1f") if one[1] is not None else None
        statement = Statement(
            fid=str(fid), cls=str(cls), domain=str(domain),
            entity=Name(entity.kind, entity.canon, shown[0] if shown else entity.canon),
            relation=Name(relation.kind, relation.canon, shown[1] if shown else relation.canon),
            value=_shown(value, shown[2] if shown else value.canon),
            polarity=bool(polarity), valid_from=_text(start), valid_to=_text(end),
        )  # fmt: skip
        assertions.append(_assertion(one, statement))
    return Fact(
        statement=assertions[0].statement,
        standing=Standing(str(standing)),
        assertions=tuple(assertions),
        closed=None if at is None else (str(at), str(by)),
    )


def _shown(value: Term, written: str) -> Term:
    if isinstance(value, Name):
        return Name(value.kind, value.canon, written)
    return Value(value.kind, value.canon, written, value.unit)


def _assertion(row: Row, statement: Statement) -> Assertion:
    kind, line, resolved, key = row[20], row[15], _text(row[8]), _text(row[9])
    source = Source(str(row[3]))
    source_id = {
        Source.GATE: str(row[4]),
        Source.JOURNAL: str(line),
    }.get(source, resolved or key or "")
    start, end, least = row[13], row[14], row[19]
    assert isinstance(least, int)
    return Assertion(
        statement=statement, written=unpack_written(str(row[2])), source=source,
        source_id=source_id, provenance=Provenance(str(row[5])), state=State(str(row[6])),
        by=str(row[7]), heading=resolved, key=key, quote=_text(row[10]),
        quote_hash=str(row[11]), evidence_date=_text(row[12]),
        start=start if isinstance(start, int) else None,
        end=end if isinstance(end, int) else None,
        event=None if kind == "reading" else _text(line), ended_by=_text(row[16]),
        at=_text(row[17]), rule=_text(row[18]), min_sources=least,
    )  # fmt: skip


def _text(value: object) -> str | None:
    return None if value is None else str(value)


# --- conflicts --------------------------------------------------------------------------------

CONFLICT = "c.id, c.constrained, c.domain, c.key, c.members, c.policy, c.overlap"


def conflicts(db: sqlite3.Connection, rows: Iterable[Row]) -> tuple[Conflict, ...]:
    """Return the conflicts in rows of the columns `CONFLICT`, with what settles each today."""
    found = []
    for name, constraint, domain, key, members, policy, overlap in rows:
        fids = tuple(str(members).split())
        settled = None
        for event, settles in db.execute(
            "select line, members from settle where conflict = ? order by ord desc", (name,)
        ).fetchall():
            if set(fids) <= set(json.loads(settles)):
                settled = event
                break
        found.append(
            Conflict(
                id=str(name), constraint=str(constraint), domain=str(domain),
                key=tuple(json.loads(str(key))), members=fids, policy=Policy(str(policy)),
                overlap=Overlap(str(overlap)), settled_by=settled,
            )
        )  # fmt: skip
    return tuple(found)


# --- bars and tracks --------------------------------------------------------------------------

_BAR = (
    "select m.line, m.kind, m.written, coalesce(m.key, '*'), p.resolved, m.quote_hash,"
    " m.text_hash, m.scope, m.extra, m.at_heading, substr(m.ord, 1, instr(m.ord, char(1)) - 1)"
    " from mention m left join place p on p.id = m.place where m.role = 'bar'"
)
BARS = f"{_BAR} order by m.ord, m.n"
BARS_OF_CLASS = f"{_BAR} and m.cls = ? order by m.ord, m.n"


def bars(work: Work, rows: Iterable[Row]) -> tuple[Bar, ...]:
    """Return the bars in rows of `BARS`; one whose statement does not read bars nothing."""
    found = []
    for line, kind, packed, key, resolved, mark, text, scope, reason, at, when in rows:
        written = unpack_written(str(packed))
        statement = work.statement(written)
        if statement is None:
            continue
        found.append(
            Bar(
                event=str(line), kind=str(kind), written=written, statement=statement,
                key=str(key), resolved=_text(resolved), quote_hash=str(mark),
                text_hash=str(text), scope=str(scope), reason=_text(reason),
                at_heading=_text(at), at=str(when),
            )
        )  # fmt: skip
    return tuple(found)


TRACKS = (
    "select m.written, p.key, p.anchored, p.resolved, p.sid"
    " from mention m join place p on p.id = m.place order by m.ord, m.n"
)


def tracks(rows: Iterable[Row]) -> tuple[Track, ...]:
    """Return one track for each (statement, key), as the last line that has it resolves."""
    found: dict[tuple[object, object], Track] = {}
    for written, key, anchored, resolved, said in rows:
        found.pop((said, key), None)
        found[said, key] = Track(
            statement=unpack_written(str(written)), key=str(key), anchored=_text(anchored),
            resolved=_text(resolved),
        )  # fmt: skip
    return tuple(found[name] for name in sorted(found, key=str))


# --- classes ----------------------------------------------------------------------------------

MEMBERSHIP = Name(NameKind.NAME, MEMBER, MEMBER)
"""The relation that says what class an entity is in."""


def classes_of(work: Work, domain: str, e: int, *, trusted: bool) -> set[str]:
    """Return the classes of an entity, ancestors left out; only `trusted` ones set a policy."""
    member = work.terms.find(MEMBERSHIP)
    if member is None:
        return set()
    rows = work.db.execute(
        "select v from fact where e = ? and r = ? and domain = ? and polarity = 1"
        " and standing = 'standing' and trusted >= ?",
        (e, member, domain, int(trusted)),
    ).fetchall()
    found = (work.terms.term(row[0]) for row in rows)
    return {term.canon for term in found if isinstance(term, Name)}


# --- divergences ------------------------------------------------------------------------------

DIVERGENCES = "select distinct id, body from divergence order by id"


def divergences(rows: Iterable[Sequence[object]]) -> tuple[Divergence, ...]:
    """Return the divergences in rows of `DIVERGENCES`."""
    found = []
    for name, body in rows:
        keys, events, stands, refs, pairs = (tuple(part) for part in json.loads(str(body)))
        found.append(Divergence(
            id=str(name), keys=keys, events=events, stands=stands, refs=refs,
            pairs=tuple((one, other) for one, other in pairs),
        ))
    return tuple(found)
