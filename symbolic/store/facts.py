"""Facts from their assertions: standing, what closed them, policy, and when they hold.

A fact whose assertions come out as before (`sig`) dirties nothing further.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from symbolic.records import Policy, Standing
from symbolic.store.assertions import LIVE, SUPPRESSED, WITHDRAWN
from symbolic.store.codec import dumps, pack_texts, unpack_spells
from symbolic.store.work import Changed, Terms, Work, column, joined
from symbolic.timeline import Case, clean_date
from symbolic.values import reach
from symbolic.world import Spell

STANDING = Standing.STANDING.value
_TRUSTED = ("human-authored", "gate-outcome")


CASE = (
    "f.id, f.fid, f.domain, f.e, f.r, f.v, f.polarity, f.start, f.end, f.policy, f.closed_at,"
    " f.closed_by, f.dates, f.spells"
)


def case_of(row: Sequence[object], terms: Terms) -> Case:
    """Return the case in a row of the columns `CASE`."""
    _, fid, domain, e, r, v, polarity, start, end, policy, at, by, dates, spells = row
    assert isinstance(e, int) and isinstance(r, int) and isinstance(v, int)
    return Case(
        fid=str(fid), domain=str(domain), entity=terms.name(e), relation=terms.name(r).canon,
        value=terms.term(v), polarity=bool(polarity), start=_text(start), end=_text(end),
        policy=Policy(str(policy or "coexistent")),
        closed=None if at is None else (str(at), str(by)),
        dates=() if dates in (None, "[]") else tuple(json.loads(str(dates))),
        spells=unpack_spells(spells),
    )  # fmt: skip


def pack_spells(spells: Iterable[Spell]) -> str:
    return dumps([[spell.start, spell.end, spell.ended_by] for spell in spells])


def _text(value: object) -> str | None:
    return None if value is None else str(value)


# --- standing ---------------------------------------------------------------------------------


def gather(work: Work) -> list[Changed]:
    """Work out the noted facts again; return those that changed. Facts nobody says are dropped."""
    if not work.facts:
        return []
    db = work.db
    said: dict[int, list[Sequence[object]]] = {number: [] for number in work.facts}
    for row in joined(db, work.facts, _SAID):
        assert isinstance(row[0], int)
        said[row[0]].append(row)
    updates: list[tuple[object, ...]] = []
    changed: list[Changed] = []
    gone: list[int] = []
    for row in joined(db, said, _FACT):
        number, fid, domain, e, r, v, polarity, sig = row
        assert isinstance(number, int)
        assert isinstance(e, int) and isinstance(r, int) and isinstance(v, int)
        rows = said[number]
        fact = Changed(number, str(fid), str(domain), e, r, v, bool(polarity))
        if not rows:
            gone.append(number)
            changed.append(fact)
            continue
        now = summed(rows, work.zone)
        if now[-1] != sig:
            updates.append((*now, number))
            changed.append(fact)
    db.executemany(
        "update fact set standing = ?, dates = ?, trusted = ?, sig = ? where id = ?", updates
    )
    db.executemany("delete from fact where id = ?", [(number,) for number in gone])
    work.changed.update(fact.fid for fact in changed)
    lost = set(gone)
    work.gone.update({f.number: (f.e, f.v) for f in changed if f.number in lost})
    return changed


_SAID = (
    "select fact, state, provenance, source, source_id, resolved, key, quote_hash, date"
    " from want cross join assertion on fact = k"
)
_FACT = (
    "select id, fid, domain, e, r, v, polarity, sig from want cross join fact on id = k"
)


def summed(rows: Sequence[Sequence[object]], zone: str) -> tuple[str, str, int, str]:
    """Return standing, live evidence dates, whether trusted, and a signature of it all.

    A row is fact, state, provenance, source, source id, resolved, key, quote hash, date.
    """
    if len(rows) == 1 and rows[0][1] == LIVE:
        return _alone(rows[0], zone)
    states = {row[1] for row in rows}
    if LIVE in states:
        standing = STANDING
    elif WITHDRAWN in states or SUPPRESSED in states:
        standing = Standing.RETRACTED.value
    else:
        standing = Standing.STALE.value
    live = [row for row in rows if row[1] == LIVE]
    dates = sorted({d for row in live if (d := clean_date(_text(row[8]), zone)) is not None})
    trusted = int(any(row[2] in _TRUSTED for row in live))
    said = sorted({"\x1f".join(map(str, row[1:])) for row in rows})
    return standing, dumps(dates) if dates else "[]", trusted, _mark("\x1e".join(said))


def _alone(row: Sequence[object], zone: str) -> tuple[str, str, int, str]:
    """Do the same for a fact with one live assertion, as nearly all are."""
    date = clean_date(_text(row[8]), zone)
    mark = _mark("\x1f".join(map(str, row[1:])))
    return STANDING, "[]" if date is None else pack_texts((date,)), int(row[2] in _TRUSTED), mark


def _mark(signature: str) -> str:
    return hashlib.blake2b(signature.encode(), digest_size=12).hexdigest()


# --- closing ----------------------------------------------------------------------------------


def close(work: Work, changed: Sequence[Changed]) -> list[int]:
    """Work out again what closes the facts that noted lines name; return the ids that changed."""
    db = work.db
    olds: set[object] = set(work.closed)
    fids = [fact.fid for fact in changed]
    olds.update(fids)
    olds.update(column(db, fids, "select old from want cross join closing on new = k"))
    rows = list(joined(db, olds, _CLOSED))
    best: dict[str, tuple[int, str, str, str]] = {}
    for old, order, bound, new in joined(db, olds, _CLOSING):
        rank = (reach(str(bound), work.zone).lo, str(order), str(bound), str(new))
        if str(old) not in best or rank < best[str(old)]:
            best[str(old)] = rank
    moved: list[int] = []
    for number, fid, at, by in rows:
        rank_ = best.get(str(fid))
        now = (None, None) if rank_ is None else (rank_[2], rank_[3])
        if now != (at, by):
            assert isinstance(number, int)
            db.execute(
                "update fact set closed_at = ?, closed_by = ? where id = ?", (*now, number)
            )
            moved.append(number)
    return moved


_CLOSED = "select id, fid, closed_at, closed_by from want cross join fact on fid = k"
_CLOSING = (
    "select c.old, c.ord, c.bound, c.new from want cross join closing c on c.old = k"
    " join fact f on f.fid = c.new and f.standing = 'standing'"
)
