"""One change, stage by stage, in the transaction of its caller.

::

    headings, readings ─┐
    lines (undone, void)├─► places ─► held ─► assertions ─► incumbents ─► facts ─► closing ─► policy
    gate rows ──────────┘                                                              │
                                       deduction ◄── conflicts ◄── spells ◄────────────┘

Each stage takes the keys that the ones before it noted in `Work` and notes its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from symbolic.store import assertions, contested, decided, groups, incumbents, lines, places, prose
from symbolic.store.deducing import Stage
from symbolic.store.facts import close, gather
from symbolic.store.following import Deduction
from symbolic.store.schema import DERIVED
from symbolic.store.spells import Policies, set_policies, set_spells
from symbolic.store.work import Changed, Work, joined
from symbolic.world import Change, View


def fold(
    work: Work, change: Change, view: View, deduction: Deduction, *, anew: bool
) -> None:
    """Fold `change`; `anew` computes all again, as declarations, zone or gate rows ask for.

    `view` reads the store that is written.
    """
    if change.rows is not None:
        assertions.replace_rows(work, change.rows)
        anew = True
    delta = prose.replace(work, change)
    if not lines.add(work, change.lines, whole=change.whole):
        anew = True
    if anew:
        _drop_all(work)
        lines.again(work)
    else:
        places.dirty(work, delta)
        contested.let_go(work)
    places.resolve(work)
    decided.play(work, anew=anew)
    _states(work)
    work.settle_down()
    if contested.play(work, view):
        _states(work)
    Stage(deduction, work).play(work, change, anew=anew)


def _states(work: Work) -> None:
    places.resolve(work)
    assertions.state_all(work)
    incumbents.play(work)
    _facts(work)


def _drop_all(work: Work) -> None:
    """Keep the inputs and note everything that is made of them."""
    db = work.db
    work.settle_down()
    work.decided.clear()
    work.changed.update(row[0] for row in db.execute("select fid from fact"))
    work.conflicts.update(row[0] for row in db.execute("select id from conflict"))
    db.execute("delete from former")
    db.execute("insert into former select id, fid from fact")
    for table in DERIVED:
        db.execute(f"delete from {table}")
    work.terms.forget()
    db.execute("update line set held = 0, acts = null where held > 0 or acts is not null")
    db.execute("delete from assertion where line is not null")
    db.execute(
        "update assertion set fact = null, at_heading = null, spelled = null, state = null,"
        " ended_by = null, base = null, base_ended = null, resolved = null, date = null"
    )
    work.assertions.update(row[0] for row in db.execute("select id from assertion"))


def _facts(work: Work) -> None:
    changed = gather(work)
    closed = close(work, changed)
    policies = Policies(work)
    timed = [*changed, *work.fresh_in_time]
    others = {*closed, *set_policies(work, timed, policies)}
    others |= set_spells(work, timed, others, policies)
    touched = [*timed, *work.fresh]
    if others:
        others -= {fact.number for fact in touched}
    more = list(_load(work, others))
    work.changed.update(fact.fid for fact in more)
    groups.update(work, [*touched, *more])


def _load(work: Work, ids: Iterable[int]) -> Iterable[Changed]:
    for number, fid, domain, e, r, v, polarity in joined(
        work.db,
        ids,
        "select id, fid, domain, e, r, v, polarity from want cross join fact on id = k",
    ):
        assert isinstance(number, int) and isinstance(e, int)
        assert isinstance(r, int) and isinstance(v, int)
        yield Changed(number, str(fid), str(domain), e, r, v, bool(polarity))
