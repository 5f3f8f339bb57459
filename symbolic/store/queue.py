"""The queue: every proposal with what it is today (docs/fold.md, section 10).

A proposal's state is read off indexed rows when asked for, so no change has to keep it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from symbolic.records import Candidate, Grounding, Provenance, Statement, Written
from symbolic.store.bodies import written_of
from symbolic.store.codec import unpack_line
from symbolic.store.facts import STANDING
from symbolic.store.work import Work
from symbolic.world import Proposal, Queued

_ROW = "select m.extra, m.line, m.ord, m.key, m.quote_hash, m.fid, p.resolved, p.held, l.text"
_JOINED = (
    " join line l on l.hash = m.line left join place p on p.id = m.place"
    " where m.role = 'propose'"
)
_PROPOSE = f"{_ROW} from mention m{_JOINED}"
# The planner would rather walk all proposals in their order than look a few up.
_NAMED = f"{_ROW} from mention m indexed by mention_extra{_JOINED}"
_OF_FACT = f"{_ROW} from mention m indexed by mention_fid{_JOINED}"
_NOT_ADMITTED = (
    f"{_PROPOSE} and not exists (select 1 from taken where proposal = m.extra)"
    " and not exists (select 1 from mention a left join place q on q.id = a.place"
    "  where a.fid = m.fid and a.role = 'admit' and (a.key = m.key or q.resolved = p.resolved))"
    # Left to itself SQLite looks through all older proposals for one of the same id.
    " and not exists (select 1 from mention e indexed by mention_extra"
    "  where e.role = 'propose' and e.extra = m.extra and (e.ord, e.n) < (m.ord, m.n))"
    " order by m.ord, m.n"
)
QUERIES = {
    "all": f"{_PROPOSE} order by m.ord, m.n",
    "open": _NOT_ADMITTED,
    "fid": f"{_OF_FACT} and m.fid = ? order by m.ord, m.n",
    "key": f"{_PROPOSE} and m.key = ? order by m.ord, m.n",
    "id": f"{_NAMED} and m.extra = ? order by m.ord, m.n limit 1",
    "between": f"{_NAMED} and m.extra >= ? and m.extra < ? order by m.ord, m.n",
}
"""All proposals, or those of one part; `between` are two ends of ids.

`open` are all but those that an admission closed, which most of a long history is.
"""


@dataclass(frozen=True, slots=True)
class _Verdict:
    """The last counting refuse line of a proposal."""

    outcome: str | None = None
    reasons: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    stand: bool = False


def proposals(work: Work, rows: Iterable[Sequence[object]]) -> tuple[Proposal, ...]:
    """Return the proposals in rows of the queries above; of equal ids the first line counts."""
    found: dict[str, Proposal] = {}
    for row in rows:
        name = str(row[0])
        if name not in found:
            found[name] = _proposal(work, row)
    return tuple(found.values())


def _proposal(work: Work, row: Sequence[object]) -> Proposal:
    name, event, _, key, mark, fid, resolved, held, text = row
    line = unpack_line(str(text))
    candidate = _candidate(line.body, None if key is None else str(key))
    statement = work.statement(candidate.written)
    if fid is None:
        statement = None
    verdict = _verdict(work, name)
    today = None if resolved is None else str(resolved)
    state = _state(work, name, statement, key, today, str(mark), bool(held), verdict)
    blockers = verdict.blockers
    if state is Queued.PENDING and statement is not None:
        by = _beaten(work.db, statement.fid, key, today)
        state, blockers = (Queued.BLOCKED, by) if by else (state, blockers)
    return Proposal(
        id=str(name), candidate=candidate, statement=statement,
        key="*" if key is None else str(key),
        resolved=today, quote_hash=str(mark), state=state, event=str(event), at=line.at,
        reasons=verdict.reasons, blockers=blockers, outcome=verdict.outcome,
    )  # fmt: skip


def _candidate(body: Mapping[str, object], key: str | None) -> Candidate:
    """Return the candidate of a propose line, its words as they are where they make none."""
    raw = body.get("candidate")
    words = raw if isinstance(raw, Mapping) else {}
    written = written_of(words) or Written(
        entity=str(words.get("entity") or ""), relation=str(words.get("relation") or ""),
        value=str(words.get("value") or ""),
    )  # fmt: skip

    def text(name: str, of: Mapping[str, object] = body) -> str | None:
        value = of.get(name)
        return value if isinstance(value, str) else None

    outline = words.get("outline")
    proposer = text("proposer")
    known = {provenance.value for provenance in Provenance}
    return Candidate(
        written=written,
        grounding=Grounding(
            heading=key, path=text("path", words),
            outline=tuple(map(str, outline)) if isinstance(outline, (list, tuple)) else (),
            quote=text("quote"), evidence_date=text("evidence_date"),
        ),
        proposer=Provenance(proposer) if proposer in known else Provenance.PROPOSED,
        rationale=text("rationale"), confidence=text("confidence"), model=text("model"),
    )  # fmt: skip


def _state(
    work: Work,
    name: object,
    statement: Statement | None,
    key: object,
    resolved: str | None,
    mark: str,
    held: bool,
    verdict: _Verdict,
) -> Queued:
    db = work.db
    if _taken(db, name) or (
        statement is not None and _admitted(db, statement.fid, key, resolved)
    ):
        return Queued.ADMITTED
    if statement is not None and _rejected(db, statement.fid, key, resolved, mark):
        return Queued.REJECTED
    if _refused(db, name):
        return Queued.REFUSED
    if mark and not (resolved is not None and held):
        return Queued.LAPSED
    if verdict.outcome == "blocked" and verdict.stand:
        return Queued.BLOCKED
    return Queued.PENDING


def _same(key: object, resolved: str | None, other: object, today: object) -> bool:
    return (key is not None and key == other) or (resolved is not None and resolved == today)


def _taken(db: sqlite3.Connection, name: object) -> bool:
    return db.execute("select 1 from taken where proposal = ?", (name,)).fetchone() is not None


def _admitted(db: sqlite3.Connection, fid: str, key: object, resolved: str | None) -> bool:
    rows = db.execute(
        "select m.key, p.resolved from mention m left join place p on p.id = m.place"
        " where m.fid = ? and m.role = 'admit'",
        (fid,),
    ).fetchall()
    return any(_same(key, resolved, *row) for row in rows)


def _beaten(
    db: sqlite3.Connection, fid: str, key: object, resolved: str | None
) -> tuple[str, ...]:
    """Return what stands and was preferred to a person's admission of this, on another device."""
    rows = db.execute(
        "select m.key, p.resolved, b.fid from mention m join beaten b on b.line = m.line"
        " left join place p on p.id = m.place where m.fid = ? and m.role = 'held'",
        (fid,),
    ).fetchall()
    return tuple(sorted({
        str(by) for other, today, by in rows
        if _same(key, resolved, other, today) and _stands(db, str(by))
    }))


def _rejected(
    db: sqlite3.Connection, fid: str, key: object, resolved: str | None, mark: str
) -> bool:
    rows = db.execute(
        "select m.key, p.resolved, m.quote_hash, m.scope from mention m"
        " left join place p on p.id = m.place"
        " where m.fid = ? and m.role = 'bar' and m.kind = 'reject'",
        (fid,),
    ).fetchall()
    return any(
        scope == "everywhere" or _same(key, resolved, other, today) or (mark != "" and mark == its)
        for other, today, its, scope in rows
    )


def _refused(db: sqlite3.Connection, name: object) -> bool:
    rows = db.execute("select body from refuse where proposal = ?", (name,)).fetchall()
    return any(json.loads(row[0]).get("outcome") in ("malformed", "ungrounded") for row in rows)


def _verdict(work: Work, name: object) -> _Verdict:
    row = work.db.execute(
        "select body from refuse where proposal = ? order by ord desc limit 1", (name,)
    ).fetchone()
    if row is None:
        return _Verdict()
    body = json.loads(row[0])
    blockers, stand = _blockers(work, body.get("blockers") or ())
    outcome = body.get("outcome")
    reasons = body.get("reasons") or ()
    return _Verdict(
        outcome if isinstance(outcome, str) else None,
        tuple(str(reason) for reason in reasons),
        blockers,
        stand,
    )


def _blockers(work: Work, raw: Sequence[object]) -> tuple[tuple[str, ...], bool]:
    """Return the blockers as fids and `rule:constraint:relation`, and whether all of them stand."""
    names: list[str] = []
    stand = True
    for item in raw:
        name = _blocker(work, item)
        if name is None:
            stand = False
            continue
        names.append(name)
        if name.startswith("rule:"):
            _, constraint, relation = (*name.split(":", 2), "")[:3]
            stand = stand and work.words.declares(constraint, relation)
        else:
            stand = stand and _stands(work.db, name)
    return tuple(names), stand


def _blocker(work: Work, item: object) -> str | None:
    if isinstance(item, str):
        return item
    if not isinstance(item, Mapping):
        return None
    rule = item.get("rule")
    if isinstance(rule, str):
        return rule if rule.startswith("rule:") else f"rule:{rule}"
    written = written_of(item)
    statement = None if written is None else work.statement(written)
    return None if statement is None else statement.fid


def _stands(db: sqlite3.Connection, fid: str) -> bool:
    row = db.execute("select standing from fact where fid = ?", (fid,)).fetchone()
    return row is not None and row[0] == STANDING
