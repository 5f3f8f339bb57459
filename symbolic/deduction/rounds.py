"""The rounds of one component: from what moved below it to nothing new.

::

    kept supports of what fell ──┐
    rules that are new, whole ───┼──► cand ──merge──► pieces that came ──delta──► cand ...
    deltas of what came below ───┘
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from symbolic.deduction import cap, maximal, retract
from symbolic.deduction.components import Component
from symbolic.deduction.merge import merge
from symbolic.deduction.plan import Plan, Way
from symbolic.deduction.state import MIXED, Guard, Numbers, Run
from symbolic.deduction.tables import KINDS, WITHHELD


class Rounds:
    """Evaluates components, lowest first, within the limits of an engine."""

    def __init__(self, db: sqlite3.Connection, numbers: Numbers, *, limit: int, keep: int) -> None:
        """Keep `keep` supports a head, and derive at most `limit` heads a component."""
        self._db, self._numbers = db, numbers
        self._limit, self._cap = limit, keep
        self._room = 8 * limit + 1024

    def settle(self, run: Run, one: Component, fresh: set[int], guard: Guard) -> int:
        """Bring a component up to date; return how much it derives if that is over the limit."""
        for places in one.spelled:
            if run.moved & set(places):
                maximal.refresh(run, places)
        if one.absent & run.moved:
            for plan in one.plans:
                self.run(plan.fallen, plan, run.moved)
            retract.strike(run)
        guarded = one.guarded(guard)
        plain = self._plain(one, guarded)
        chosen = [self._chosen(plan, guarded) for plan in one.plans]
        fresh = fresh | {plan.number for plan, anew in chosen if anew}
        active = [plan for plan, _ in chosen]
        count = self._again(run, one, active)
        for plan in active:
            if plan.number in fresh:
                count += self.run(plan.whole, plan, None, plain=plain)
            else:
                count += self.run(plan.delta, plan, run.added, mark=run.mark, plain=plain)
            if plan.absent:
                count += self.run(plan.moved, plan, run.moved)
        plans = {plan.number: plan for plan in active}
        while count:
            if count > self._limit and (over := self._heads("cand", None)):
                return over
            since = run.last
            grown = merge(
                run, plans, one.heads, guarded, guard, count=count, plain=plain is not None
            )
            if sum(run.numbers.known[n].pieces for n in {p // KINDS for p in one.heads}) > (
                self._limit
            ) and (over := self._heads("piece", one)):
                return over
            count = 0
            for plan in active if grown else ():
                count += self.run(plan.delta, plan, grown, mark=since, plain=plain)
        cap.trim(run, self._cap)
        return 0

    def _heads(self, table: str, one: Component | None) -> int:
        """Return the triples in `cand`, or those derived here, if they are over the limit."""
        where = ""
        if one is not None:
            heads = ", ".join(str(p) for head in one.heads for p in (head, head + WITHHELD))
            where = f"where p in ({heads}) and head is not null"
        found = self._db.execute(
            f"select count(*) from (select distinct p / {KINDS}, e, v from {table} {where}"
            " limit ?)",
            (self._limit + 1,),
        ).fetchone()[0]
        return int(found) if found > self._limit else 0

    def _chosen(self, plan: Plan, guarded: frozenset[int]) -> tuple[Plan, bool]:
        """Return the plan that a rule runs by today, and whether that is another one than before.

        A closure takes all steps while something of it may be withheld.
        """
        if plan.wide is None:
            return plan, False
        known = self._numbers.at(plan.head)
        was, known.wide = known.wide, int(plan.head in guarded)
        return (plan.wide, not was) if known.wide else (plan, False)

    def _again(self, run: Run, one: Component, active: Sequence[Plan]) -> int:
        """Make candidates of what is left of the supports of triples that fell."""
        count = 0
        db = self._db
        for p in sorted(one.heads & run.lost):
            columns = "rule, p1, p2, p3, p4, p5, p6, p7, p8"
            count += db.execute(
                f"insert into cand(p, e, v, {columns}, lo, hi, trust, imprecise)"
                f" select l.p, l.e, l.v, {columns}, lo, hi, trust, imprecise"
                " from lost l cross join support s on s.head = l.head where l.p = ?",
                (p,),
            ).rowcount
        run.lost -= one.heads
        for plan in active:
            if db.execute("select 1 from goal where p = ? limit 1", (plan.head,)).fetchone():
                count += self.run(plan.backward, plan, None)
                db.execute(
                    "delete from capped where head in (select head from goal where p = ?)",
                    (plan.head,),
                )
        return count

    def run(
        self, ways: Sequence[Way], plan: Plan, changed: set[int] | None, *, mark: int = 0,
        plain: int | None = None,
    ) -> int:  # fmt: skip
        """Run those of `ways` that `changed` asks for (None: all); return the candidates made."""
        count = 0
        for way in ways:
            if changed is None or way.trigger & changed:
                sql = way.plain if plain is not None and way.plain else way.sql
                args = {"mark": mark, "trust": plain, "room": self._room}
                made = self._db.execute(sql, args).rowcount
                if made == self._room and not self._heads("cand", None):
                    made += self._db.execute(sql, {**args, "room": -1}).rowcount
                count += made
        return count

    def _plain(self, one: Component, guarded: frozenset[int]) -> int | None:
        """Return the trust of all that is read and derived here, None if it is not all one."""
        if guarded or any(plan.rule.spelled for plan in one.plans):
            return None
        trusts = {
            self._numbers.at(p).trust for p in one.reads | one.absent | one.heads
        } - {None}
        trust = trusts.pop() if len(trusts) == 1 else None
        return None if trust == MIXED else trust
