"""The independent checker accepts a step exactly if the naive reference lists it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, count
from random import Random

import pytest

from symbolic.check import check
from symbolic.deduced import Instant, Premise, Support, Triple
from symbolic.model.world import World, fold
from symbolic.store.store import Store
from symbolic.world import Change
from tests.laws.rules_programs import SPELLED, TIMED, UNTIMED, draw

pytestmark = pytest.mark.law

MANY = 10 if os.environ.get("HYPOTHESIS_PROFILE") == "laws" else 1

DAY = 24 * 60 * 60 * 1_000_000


class Forger:
    """Changes one thing in a support; `pool` is every support of the same world."""

    def __init__(self, random: Random, world: World, pool: Sequence[Support]) -> None:
        self.random, self.world, self.pool = random, world, pool
        self.kinds: dict[str, Callable[[Support], Support]] = {
            "premise": self.premise, "premise's bound": self.premise_bound, "rule": self.rule,
            "bound": self.bound, "narrower": self.narrower, "head": self.head,
            "trust": lambda s: replace(s, trust=self.random.choice((1, 2, 3, 4))),
            "imprecise": lambda s: replace(s, imprecise=not s.imprecise),
            "order": lambda s: replace(s, premises=s.premises[::-1]),
            "missing": lambda s: replace(s, premises=s.premises[:-1]),
        }  # fmt: skip

    def forge(self, support: Support) -> tuple[str, Support]:
        """Return a support that differs from `support`, and in what."""
        while True:
            kind = self.random.choice(list(self.kinds))
            forged = self.kinds[kind](support)
            if forged != support:
                return kind, forged

    def _put(self, support: Support, premise: Premise, at: int) -> Support:
        return replace(
            support, premises=(*support.premises[:at], premise, *support.premises[at + 1 :])
        )

    def premise(self, support: Support) -> Support:
        """Take a premise from elsewhere: rather one that says something similar."""
        at = self.random.randrange(len(support.premises))
        said = support.premises[at].triple.relation
        every = [p for other in self.pool for p in other.premises]
        near = [p for p in every if p.triple.relation == said and p != support.premises[at]]
        return self._put(support, self.random.choice(near or every), at)

    def premise_bound(self, support: Support) -> Support:
        at = self.random.randrange(len(support.premises))
        old = support.premises[at]
        lo, hi = self._moved(old.lo, old.hi)
        return self._put(support, replace(old, lo=lo, hi=hi), at)

    def bound(self, support: Support) -> Support:
        lo, hi = self._moved(support.lo, support.hi)
        return replace(support, lo=lo, hi=hi)

    def _moved(self, lo: Instant, hi: Instant) -> tuple[Instant, Instant]:
        seen = [at for other in self.pool for at in (other.lo, other.hi)]
        moved = self.random.choice((
            self.random.choice(seen), None, (lo or 0) + DAY, (hi or 1 << 60) - DAY,
        ))  # fmt: skip
        return (moved, hi) if self.random.random() < 0.5 else (lo, moved)

    def narrower(self, support: Support) -> Support:
        """Take a day off an end: all it says is true, but it does not say all."""
        if self.random.random() < 0.5:
            return replace(support, lo=(support.lo or 0) + DAY)
        return replace(support, hi=(support.hi or 1 << 60) - DAY)

    def rule(self, support: Support) -> Support:
        ids = [rule.id for rule in self.world.program().rules]
        return replace(support, rule=self.random.choice([*ids, "none"]))

    def head(self, support: Support) -> Support:
        old = support.head
        other = self.random.choice(self.pool).head
        turned = other.entity, other.value
        return replace(support, head=self.random.choice((
            other, replace(old, polarity=not old.polarity), replace(old, domain="elsewhere"),
            replace(old, entity=turned[0]), replace(old, value=turned[1]),
        )))  # fmt: skip


def listed(world: World) -> dict[Triple, frozenset[Support]]:
    """Return all supports of a world."""
    return {
        one.triple: frozenset(world.supports(one.triple.statement().fid))
        for one in world.deduced()
    }


def test_a_step_is_real_exactly_if_the_reference_lists_it() -> None:
    """Of 1,000 supports with one thing changed at least 900 are no supports, and are rejected."""
    random = Random(5)
    seen: Counter[str] = Counter()
    for seed in count():
        if seen["forged"] >= 1000 * MANY:
            break
        case = draw(seed, (UNTIMED, TIMED, SPELLED)[seed % 3])
        world = fold(case.inputs)
        known = listed(world)
        pool = sorted(chain.from_iterable(known.values()), key=repr)
        if not pool:
            continue
        for support in random.sample(pool, min(len(pool), 12)):
            found = check(support, world)
            assert found.real, f"seed {seed}: {found.faults}\n{support}\n{case.text}"
            seen["real"] += 1
        forger = Forger(random, world, pool)
        for support in random.choices(pool, k=16):
            kind, forged = forger.forge(support)
            listed_too = forged in known.get(forged.head, ())
            found = check(forged, world)
            assert found.real is listed_too, (
                f"seed {seed}, {kind}: {found.faults}\n{support}\n{forged}\n{case.text}"
            )
            seen["forged"] += 1
            seen["rejected"] += not found.real
            seen[kind] += 1
    print(dict(seen))
    assert seen["rejected"] >= 900 * MANY


def test_every_step_that_a_store_keeps_is_real() -> None:
    seen = 0
    for seed in range(20 * MANY):
        inputs = draw(seed, (UNTIMED, TIMED, SPELLED)[seed % 3]).inputs
        store = Store.memory(
            declarations=inputs.declarations, rows=inputs.rows, zone=inputs.zone
        )
        store.apply(Change(
            headings=inputs.headings, readings=inputs.readings, lines=inputs.lines,
            rules=inputs.rules,
        ))  # fmt: skip
        for one in store.deduced():
            for support in store.supports(one.triple.statement().fid):
                found = check(support, store)
                assert found.real, f"seed {seed}: {found.faults}\n{support}"
                seen += 1
    assert seen > 60 * MANY
