"""What nobody said before: a new fact and its assertions, written whole and once.

Most facts of a first sync and most admissions are new, and nothing known bears on them: no bar of
their class, no incumbent and no closing names them. Their rows are known when they are inserted, so
the later stages have nothing to do for them but policy by class, spells and conflicts. Whatever
else comes along is only inserted here and noted, as any changed assertion is.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from symbolic.records import Policy, Statement
from symbolic.store.assertions import LIVE, spelled
from symbolic.store.codec import ALWAYS
from symbolic.store.facts import summed
from symbolic.store.reading import MEMBERSHIP
from symbolic.store.work import Changed, Work, column, has

RAW = (
    "id, source, kind, path, line, ord, place, heading, key, written, quote, quote_hash,"
    " provenance, by, at, own_date, start, end, rule, min_sources"
)
"""The columns of an assertion as it is given."""


class Fresh(NamedTuple):
    """An assertion to insert: its columns `RAW`, and what they come to today.

    `whole` says that it is live and that its statement, heading and date are final; otherwise it
    is noted and worked out by the stages that follow.
    """

    raw: Sequence[object]
    whole: bool
    statement: Statement | None = None
    at_heading: str | None = None
    said: str | None = None
    resolved: str | None = None
    date: str | None = None


def insert(work: Work, fresh: Sequence[Fresh]) -> None:
    """Insert assertions, and the facts that they alone make."""
    stated = [one.statement for one in fresh if one.whole and one.statement is not None]
    plain = {said.fid: said for said in stated}
    if len(fresh) == 1 and stated:
        if _meets(work.db, fresh[0]):
            plain.clear()
    else:
        for fid in _met(work, fresh, plain):
            plain.pop(fid, None)
    numbers = _number(work.db, plain)
    rows: list[tuple[object, ...]] = []
    groups: dict[str, list[tuple[object, ...]]] = defaultdict(list)
    for raw, whole, said, at, text, resolved, date in fresh:
        if not whole or said is None or said.fid not in numbers:
            rows.append((*raw, None, None, None, None, None, None, None, None))
            assert isinstance(raw[0], int)
            work.assertions.add(raw[0])
            continue
        rows.append(
            (*raw, numbers[said.fid], at, text, spelled(said), LIVE, LIVE, resolved, date)
        )
        # As `facts._SAID` reads them back.
        groups[said.fid].append(
            (None, LIVE, raw[12], raw[1], None, resolved, raw[8], raw[11], date)
        )
    work.db.executemany(_INSERT, rows)
    _facts(work, plain, numbers, groups)


_INSERT = (
    f"insert into assertion({RAW}, fact, at_heading, said, spelled, state, base, resolved, date)"
    f" values ({', '.join('?' * 28)})"
)


def _meets(db: sqlite3.Connection, one: Fresh) -> bool:
    """Return for one assertion what `_met` does for many, in one question."""
    said = one.statement
    assert said is not None
    row = db.execute(_MEETS, (said.fid, said.cls, one.at_heading)).fetchone()
    return bool(row[0])


_MEETS = (
    "select exists(select 1 from fact where fid = ?1)"
    " or exists(select 1 from incumbent where fid = ?1)"
    " or exists(select 1 from closing where old = ?1)"
    " or exists(select 1 from closing where new = ?1)"
    " or exists(select 1 from mention where cls = ?2 and role = 'bar')"
    " or exists(select 1 from mention where at_heading = ?3 and role = 'bar')"
)


def _met(work: Work, fresh: Iterable[Fresh], fids: Iterable[str]) -> list[str]:
    """Return the fids that exist, or on which a bar, an incumbent or a closing bears."""
    db = work.db
    met = [str(f) for f in column(db, fids, "select fid from want cross join fact on fid = k")]
    if has(db, "select 1 from incumbent limit 1"):
        met += map(str, column(db, fids, "select fid from want cross join incumbent on fid = k"))
    if has(db, "select 1 from closing limit 1"):
        for side in ("old", "new"):
            sql = f"select k from want cross join closing on {side} = k"
            met += map(str, column(db, fids, sql))
    if has(db, "select 1 from mention where role = 'bar' limit 1"):
        said = [(one.statement, one.at_heading) for one in fresh if one.statement is not None]
        for by, keys in (
            ("cls", {statement.cls for statement, _ in said}),
            ("at_heading", {at for _, at in said if at is not None}),
        ):
            sql = f"select k from want cross join mention on {by} = k and role = 'bar'"
            barred = set(column(db, keys, sql))
            met += [s.fid for s, at in said if (s.cls if by == "cls" else at) in barred]
    return met


def _number(db: sqlite3.Connection, fids: Iterable[str]) -> dict[str, int]:
    last = db.execute("select coalesce(max(id), 0) from fact").fetchone()[0]
    return {fid: number for number, fid in enumerate(fids, start=last + 1)}


def _facts(
    work: Work,
    plain: Mapping[str, Statement],
    numbers: Mapping[str, int],
    groups: Mapping[str, list[tuple[object, ...]]],
) -> None:
    id_of = work.terms.id_of
    last = work.terms.last() if work.words.classes_have_policies else 0
    if len(plain) > 1:
        work.terms.learn(
            term for said in plain.values() for term in (said.entity, said.relation, said.value)
        )
    ids = {
        fid: (id_of(said.entity), id_of(said.relation), id_of(said.value))
        for fid, said in plain.items()
    }
    members = _members(work, list(ids.values()), last)
    policies: dict[str, Policy] = {}
    rows: list[tuple[object, ...]] = []
    for fid, said in plain.items():
        number, (e, r, v), relation = numbers[fid], ids[fid], said.relation.canon
        policy = policies.get(relation)
        if policy is None:
            policy = policies[relation] = work.words.policy(relation, ())
        settled = e not in members
        always = (
            settled and said.valid_from is None and said.valid_to is None
            and policy is not Policy.TEMPORAL
        )  # fmt: skip
        rows.append(
            (
                number, fid, said.cls, said.domain, e, r, v, int(said.polarity), said.valid_from,
                said.valid_to, policy.value if settled else None, ALWAYS if always else None,
                *summed(groups[fid], work.zone),
            )
        )  # fmt: skip
        work.changed.add(fid)
        changed = Changed(number, fid, said.domain, e, r, v, said.polarity)
        (work.fresh if always else work.fresh_in_time).append(changed)
    work.db.executemany(
        "insert into fact(id, fid, cls, domain, e, r, v, polarity, start, end, policy, spells,"
        " standing, dates, trusted, sig) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )


def _members(work: Work, ids: Sequence[tuple[int, int, int]], last: int) -> set[int]:
    """Return the entities in some class, if classes set policies; up to `last` were known."""
    member = work.terms.find(MEMBERSHIP) if work.words.classes_have_policies else None
    if member is None:
        return set()
    here = {e for e, r, _ in ids if r == member}
    known = {e for e, _, _ in ids if e <= last}
    sql = f"select e from want cross join fact on e = k and r = {member}"
    return here | {e for e in column(work.db, known, sql) if isinstance(e, int)}


def new_ids(db: sqlite3.Connection) -> int:
    """Return the largest id of an assertion, 0 without any."""
    return int(db.execute("select coalesce(max(id), 0) from assertion").fetchone()[0])

