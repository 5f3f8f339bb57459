"""Journal lines: which count, and the rows that say what each of them does.

Rows made from a line are found by its hash, so a line taken out by an undo takes its rows along
and one brought back makes them again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from symbolic.canon import class_at_heading, sid
from symbolic.decided import acting
from symbolic.grounding import quote_hash
from symbolic.records import UNKNOWN, Line, Statement, Written
from symbolic.store import bodies, kept
from symbolic.store.codec import dumps, line_order, pack_written, unpack_line
from symbolic.store.fresh import Fresh, insert, new_ids
from symbolic.store.places import NOWHERE, Finder, Located, locate
from symbolic.store.undone import any_taken_out, recount
from symbolic.store.work import Work
from symbolic.values import BadValue, parse_bound

_MADE = ("anchor", "mention", "closing", "incumbent", "settle", "refuse", "taken")


def add(work: Work, lines: Iterable[Line], *, whole: bool = False) -> bool:
    """Fold lines that are not folded yet. Return False if all has to be computed again.

    Redacting a line voids words that other lines may lean on, so it computes everything.
    """
    db = work.db
    fresh = kept.take(db, lines, whole=whole)
    work.several = kept.several(db)
    if not fresh and not whole:
        return True
    work.decided.update(fresh)
    work.all_decided = work.several and _branched(db, fresh.values())
    if not any_taken_out(db):
        _keep_quotes(work, fresh.values())
        _put_all_in(work, [(x, False) for x in sorted(fresh.values(), key=line_order)])
        return True
    gone, back, redacted = recount(db, fresh)
    if redacted:
        work.redacted = True
        return False
    _keep_quotes(work, fresh.values())
    for event in gone:
        _take_out(work, event)
    _put_all_in(work, _read(db, [*back, *fresh]))
    work.decided.update((*gone, *back))
    return True


def _branched(db: sqlite3.Connection, fresh: Iterable[Line]) -> bool:
    """Return whether new lines may change what older ones have seen: branches, lines carried."""
    rows = db.execute("select dev from tip group by dev having count(*) > 1").fetchall()
    forked = {row[0] for row in rows}
    return any(line.kind == "redo" or line.dev in forked for line in fresh)


def again_for(work: Work, events: Sequence[str]) -> None:
    """Make the rows of some lines again: they are held now, or no longer, or act otherwise."""
    for event in events:
        _take_out(work, event)
    _put_all_in(work, _read(work.db, events))


def again(work: Work) -> None:
    """Make the rows of every line again, after all of them were dropped."""
    rows = work.db.execute("select text from line where void = 0 order by ord").fetchall()
    _keep_quotes(work, (unpack_line(row[0]) for row in rows))
    counting = work.db.execute(
        "select hash from line where void = 0 and undone is null order by ord"
    ).fetchall()
    _put_all_in(work, _read(work.db, [row[0] for row in counting]))


def _read(db: sqlite3.Connection, events: Sequence[str]) -> list[tuple[Line, bool]]:
    """Return the lines of `events` that count, in the order, and whether each is held.

    A reconcile is returned as the decision that it says again.
    """
    found = []
    for event in events:
        row = db.execute(
            "select ord, text, held, acts from line where hash = ? and undone is null and void = 0",
            (event,),
        ).fetchone()
        if row is not None:
            found.append(row)
    return [(_acting(db, unpack_line(row[1]), row[3]), bool(row[2])) for row in sorted(found)]


def _acting(db: sqlite3.Connection, line: Line, acts: str | None) -> Line:
    if acts is None or line.kind != "reconcile":
        return line
    row = db.execute("select text, void from line where hash = ?", (acts,)).fetchone()
    return acting(line, None if row is None else unpack_line(row[0], bool(row[1])))


# --- rows of a line ---------------------------------------------------------------------------


def _keep_quotes(work: Work, lines: Iterable[Line]) -> None:
    """Keep the text of quotes; a key that waits for the text of its quote is looked up again."""
    for quote in (quote for line in lines for quote in bodies.quotes(line)):
        row = (quote_hash(quote), quote)
        if work.db.execute("insert or ignore into quote values (?, ?)", row).rowcount:
            found = work.db.execute("select id from place where quote_hash = ?", row[:1])
            work.places.update(place[0] for place in found)


def _take_out(work: Work, event: str) -> None:
    db = work.db
    for cls, at in db.execute(
        "select cls, at_heading from mention where line = ? and role = 'bar'", (event,)
    ).fetchall():
        _dirty_bar(work, cls, at)
    for said, key in db.execute(
        "select sid, key from anchor where line = ?", (event,)
    ).fetchall():
        _dirty_anchor(work, said, key)
    work.conflicts.update(
        row[0] for row in db.execute("select conflict from settle where line = ?", (event,))
    )
    work.closed.update(
        row[0] for row in db.execute("select old from closing where line = ?", (event,))
    )
    work.incumbents.update(
        row[0] for row in db.execute("select fid from incumbent where line = ?", (event,))
    )
    for number, fact in db.execute(
        "select id, fact from assertion where line = ?", (event,)
    ).fetchall():
        work.assertions.discard(number)
        if fact is not None:
            work.facts.add(fact)
    db.execute("delete from assertion where line = ?", (event,))
    for table in _MADE:
        db.execute(f"delete from {table} where line = ?", (event,))


def _dirty_bar(work: Work, cls: str | None, at_heading: str | None) -> None:
    if cls is not None:
        work.classes.add(cls)
    if at_heading is not None:
        work.at_headings.add(at_heading)


def _dirty_anchor(work: Work, said: str, key: str) -> None:
    rows = work.db.execute("select id from place where sid = ? and key = ?", (said, key))
    work.places.update(row[0] for row in rows)


@dataclass(slots=True)
class _Putting:
    """Lines on their way in: the prose and the quotes stand still meanwhile."""

    finder: Finder
    last: int
    """The largest id of an assertion there is."""
    said: list[Fresh] = field(default_factory=list)
    """The assertions so far, inserted together at the end: no line looks at another's."""


class _Mentioned(NamedTuple):
    """What a mention came to: its statement, its place, and where that is found if that is sure."""

    statement: Statement | None
    place: int | None
    found: Located | None


def _put_all_in(work: Work, lines: Sequence[tuple[Line, bool]]) -> None:
    """Make the rows of lines, each with whether it is held."""
    if not lines:
        return
    putting = _Putting(Finder(work.db), new_ids(work.db))
    for line, held in lines:
        _put_in(work, line, held, putting)
    if putting.said:
        insert(work, putting.said)


def _put_in(work: Work, line: Line, held: bool, putting: _Putting) -> None:
    deeds = bodies.read(line)
    if held:
        # Its keys are followed, since it counts again once a person has decided.
        tracks = [
            replace(mention, role="held" if mention.role == "admit" else "track")
            for mention in deeds.mentions
        ]
        deeds = bodies.Deeds(mentions=tracks)
    order = line_order(line)
    for quote in bodies.quotes(line):
        putting.finder.learn(quote)
    kept = _fids(work, deeds.kept)
    roles = _roles(work, line, deeds, kept)
    mentioned = [
        _mention(work, line, order, at, mention, role, putting.finder)
        for at, (mention, role) in enumerate(zip(deeds.mentions, roles, strict=True))
    ]
    for said in deeds.said:
        if said.place is None:
            at = _Mentioned(work.statement(said.written), None, None)
        else:
            at = mentioned[said.place]
        _assert(line, order, said, at, putting)
    for written, key, new_key in deeds.anchors:
        row = (line.hash, order, sid(written), key, new_key)
        work.db.execute("insert into anchor values (?, ?, ?, ?, ?)", row)
        _dirty_anchor(work, row[2], key)
    for old, new, from_ in deeds.closings:
        _close(work, line, order, old, new, from_)
    if line.kind == "incumbent":
        _incumbent(work, line, order, kept, _fids(work, deeds.refused))
    for conflict, members in deeds.settles:
        fids = dumps(sorted(set(_fids(work, members))))
        work.db.execute(
            "insert into settle values (?, ?, ?, ?)", (line.hash, order, conflict, fids)
        )
        work.conflicts.add(conflict)
    for proposal in deeds.taken:
        work.db.execute("insert into taken values (?, ?)", (line.hash, proposal))
    for proposal in deeds.verdicts:
        work.db.execute(
            "insert into refuse values (?, ?, ?, ?)", (line.hash, order, proposal, dumps(line.body))
        )


def _fids(work: Work, refs: Iterable[bodies.Ref]) -> list[str]:
    found: list[str] = []
    for ref in refs:
        if isinstance(ref, str):
            found.append(ref)
        elif (statement := work.statement(ref)) is not None:
            found.append(statement.fid)
    return found


def _roles(work: Work, line: Line, deeds: bodies.Deeds, kept: Sequence[str]) -> list[str]:
    """Return the role of each mention; the kept member of a settlement is tracked, not barred.

    A kept fact that is no member today keeps them all: nobody asked to bar every one.
    """
    if line.kind != "settle":
        return [mention.role for mention in deeds.mentions]
    fids = [_fids(work, [m.written] if m.written else []) for m in deeds.mentions]
    if not any(set(fid) & set(kept) for fid in fids):
        return ["track"] * len(fids)
    return [
        "track" if set(fid) & set(kept) else mention.role
        for fid, mention in zip(fids, deeds.mentions, strict=True)
    ]


def _mention(
    work: Work, line: Line, order: str, at: int, mention: bodies.Mention, role: str,
    finder: Finder,
) -> _Mentioned:
    """Insert the row of a mention; return what it came to."""
    statement = work.statement(mention.written) if mention.written else None
    at_heading = class_at_heading(statement) if mention.subject and statement else None
    place, found = None, None
    if mention.key not in (None, "", "*") and mention.written is not None:
        place, found = place_of(work, sid(mention.written), mention, finder)
    work.db.execute(
        "insert into mention(line, n, ord, role, kind, key, quote_hash, text_hash, place, fid, cls,"
        " at_heading, scope, written, extra) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            line.hash, at, order, role, line.kind, mention.key, mention.quote_hash,
            mention.text_hash, place, statement.fid if statement else None,
            statement.cls if statement else None, at_heading, mention.scope,
            pack_written(mention.written) if mention.written else None, mention.extra,
        ),
    )  # fmt: skip
    if role == "bar":
        _dirty_bar(work, statement.cls if statement else None, at_heading)
    return _Mentioned(statement, place, found)


def place_of(
    work: Work, said: str, mention: bodies.Mention, finder: Finder
) -> tuple[int, Located | None]:
    """Return the place of a mention whose statement has sid `said`, and where it is found by key.

    It is made if there is none. One that is not found by its key is left to the stage that looks
    through all headings.
    """
    assert mention.key is not None
    parts = (said, mention.key, mention.quote_hash, mention.text_hash)
    row = work.db.execute(_PLACE, parts).fetchone()
    if row is not None:
        number, stored = int(row[0]), Located(*row[1:])
        sure = stored.resolved is not None and number not in work.places
        return number, stored if sure else None
    found = locate(work.db, finder, *parts, by_key=True)
    cursor = work.db.execute(
        f"insert into place(sid, key, quote_hash, text_hash, {', '.join(Located._fields)})"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*parts, *(found or NOWHERE)),
    )
    number = int(cursor.lastrowid or 0)
    if found is None:
        work.places.add(number)
    return number, found


_PLACE = (
    f"select id, {', '.join(Located._fields)} from place"
    " where sid = ? and key = ? and quote_hash = ? and text_hash = ?"
)


def _assert(
    line: Line, order: str, said: bodies.Said, at: _Mentioned, putting: _Putting
) -> None:
    heading = said.place is not None
    raw = (
        putting.last + len(putting.said) + 1, "heading" if heading else "journal",
        "admit" if heading else "declare", None, line.hash, order, at.place, None, said.key,
        pack_written(said.written), said.quote, bodies.hash_of(said.quote), said.provenance,
        line.by, line.at, said.evidence_date, None, None, said.rule, said.min_sources,
    )  # fmt: skip
    found = at.found
    if at.statement is None or (heading and (found is None or not found.held)):
        putting.said.append(Fresh(raw, whole=False))
    else:
        resolved, date = (found.resolved, found.date) if found is not None else (None, None)
        putting.said.append(
            Fresh(raw, True, at.statement, resolved=resolved, date=date)
        )


def _close(
    work: Work, line: Line, order: str, old: Written, new: Written, from_: str
) -> None:
    before, after = work.statement(old), work.statement(new)
    try:
        bound = parse_bound(from_, work.zone)
    except BadValue:
        return
    if not _both(before, after) or bound is None or bound == UNKNOWN:
        return
    assert before is not None and after is not None
    row = (line.hash, order, before.fid, after.fid, bound)
    work.db.execute("insert into closing values (?, ?, ?, ?, ?)", row)
    work.closed.add(before.fid)


def _both(one: Statement | None, other: Statement | None) -> bool:
    return one is not None and other is not None


def _incumbent(
    work: Work, line: Line, order: str, kept: Sequence[str], refused: Sequence[str]
) -> None:
    rows = [(line.hash, order, fid, 1) for fid in kept]
    rows += [(line.hash, order, fid, 0) for fid in refused]
    if not kept:
        return
    work.db.executemany("insert into incumbent values (?, ?, ?, ?)", rows)
    work.incumbents.update(row[2] for row in rows)
