"""What rules derive, held against two other engines: clingo at every instant, and pyDatalog."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise

import pytest

from symbolic.deduced import Deduced, Instant, Row, Triple
from symbolic.model.world import World, fold
from symbolic.model_rules.rows import rows_of
from tests.laws.rules_asp import Levels, at_instant
from tests.laws.rules_programs import TIMED, UNTIMED, Case, Shape, draw

pytestmark = pytest.mark.law

MANY = 10 if os.environ.get("HYPOTHESIS_PROFILE") == "laws" else 1
"""How many times as many cases a long run takes."""


def worlds(count: int, shape: Shape) -> Iterator[tuple[Case, World]]:
    """Yield cases with the reference's world of each; no rule of a drawn program is refused."""
    for seed in range(count):
        case = draw(seed, shape)
        world = fold(case.inputs)
        assert not world.program().faults, f"{world.program().faults}\n{case.text}"
        yield case, world


def moments(rows: Iterable[Row]) -> Iterator[tuple[Instant, Instant]]:
    """Yield the stretches between any two neighbouring bounds of `rows`."""
    bounds = sorted({b for row in rows for b in (row.lo, row.hi) if b is not None})
    edges: list[Instant] = [None, *bounds, None]
    yield from pairwise(edges)


def covers(lo: Instant, hi: Instant, moment: tuple[Instant, Instant]) -> bool:
    """Return whether [lo, hi) has an elementary interval in it."""
    begins = lo is None or (moment[0] is not None and lo <= moment[0])
    return begins and (hi is None or (moment[1] is not None and moment[1] <= hi))


def said(
    deduced: Iterable[Deduced], moment: tuple[Instant, Instant]
) -> tuple[Levels, set[Triple]]:
    """Return what is deduced in an elementary interval, how surely, and what is withheld."""
    levels: Levels = {}
    withheld = set()
    for one in deduced:
        for part in one.spells:
            if covers(part.lo, part.hi, moment):
                levels[one.triple] = part.trust, part.sure
        if any(covers(lo, hi, moment) for lo, hi in one.withheld):
            withheld.add(one.triple)
    return levels, withheld


def agree(case: Case, world: World, seen: Counter[str]) -> None:
    """Hold a world against clingo in every elementary interval."""
    rows = rows_of(world.derived.frame)
    for moment in moments(rows):
        here = [row for row in rows if covers(row.lo, row.hi, moment)]
        levels, withheld = said(world.deduced(), moment)
        theirs, gone = at_instant(here, world.program(), case.inputs.declarations)
        where = f"seed {case.seed}, {moment}\n{case.text}"
        assert levels == theirs, where
        assert withheld == gone, where
        seen["moments"] += 1
        seen["deduced"] += len(levels)
        seen["withheld"] += len(withheld)
        seen["imprecise"] += sum(sure is None for _, sure in levels.values())
        seen["mixed"] += sum(sure not in (None, trust) for trust, sure in levels.values())


def looks(world: World, seen: Counter[str]) -> None:
    """Count what kind of program this is."""
    program = world.program()
    seen["recursive"] += any(
        rule.head is not None and rule.head.predicate in {p for p, _ in rule.reads()}
        for rule in program.rules if not rule.name.startswith(("PARENT", "TRANSITIVE"))
    )
    seen["cycles"] += any(
        len({rule.head.predicate for rule in layer if rule.head}) > 1 for layer in program.strata
    )
    seen["absence"] += any(rule.absent for rule in program.rules)
    seen["denied"] += any(rule.head and rule.head.denied for rule in program.rules)


def test_what_follows_without_time_is_what_clingo_finds() -> None:
    seen: Counter[str] = Counter()
    for case, world in worlds(300 * MANY, UNTIMED):
        agree(case, world, seen)
        looks(world, seen)
    print(dict(seen))
    assert seen["deduced"] > 800 * MANY
    assert min(seen[kind] for kind in ("recursive", "cycles", "absence", "denied", "withheld")) > 20


def test_what_follows_at_each_instant_is_what_clingo_finds_then() -> None:
    seen: Counter[str] = Counter()
    for case, world in worlds(45 * MANY, TIMED):
        agree(case, world, seen)
    print(dict(seen))
    assert seen["moments"] > 300 * MANY
    assert min(seen[kind] for kind in ("withheld", "imprecise", "mixed")) > 2
