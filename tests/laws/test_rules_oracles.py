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
from symbolic.records import MEMEX, Name, Term
from symbolic.rules.syntax import Absent, Atom, Constant, Rule
from symbolic.store.store import Store
from symbolic.values import name
from symbolic.world import Change
from tests.laws.rules_asp import Levels, at_instant
from tests.laws.rules_programs import LINEAR, TIMED, UNTIMED, Case, Shape, draw
from tests.laws.rules_pydatalog import Worker

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


def ours(case: Case, world: World) -> None:
    """Hold the store's engine, as it derives all of a case at once, against the reference."""
    given = case.inputs
    store = Store.memory(declarations=given.declarations, rows=given.rows, zone=given.zone)
    store.apply(Change(
        headings=given.headings, readings=given.readings, lines=given.lines, rules=given.rules,
    ))  # fmt: skip
    mine = {one.triple: one for one in store.deduced()}
    assert mine == {one.triple: one for one in world.deduced()}, f"seed {case.seed}\n{case.text}"
    store.close()


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
        ours(case, world)
        looks(world, seen)
    print(dict(seen))
    assert seen["deduced"] > 800 * MANY
    assert min(seen[kind] for kind in ("recursive", "cycles", "absence", "denied", "withheld")) > 20


def test_what_follows_of_linear_programs_is_what_pydatalog_finds() -> None:
    """At least 30 in 100 of the programs that clingo gets; those that time out do not count."""
    seen: Counter[str] = Counter()
    worker = Worker(seconds=10)
    try:
        for case, world in worlds(100 * MANY, LINEAR):
            agree(case, world, seen)
            theirs = _asked(worker, world)
            if theirs is not None:
                mine = {row.triple for row in rows_of(world.derived.frame)}
                mine |= {one.triple for one in world.deduced()}
                assert mine == theirs, f"seed {case.seed}\n{case.text}"
                seen["answered"] += 1
            looks(world, seen)
    finally:
        worker.close()
    print(dict(seen), f"{worker.killed} programs took pyDatalog more than {worker.seconds} s")
    assert seen["answered"] >= 0.3 * 300 * MANY
    assert min(seen[kind] for kind in ("recursive", "absence")) > 20


def _asked(worker: Worker, world: World) -> set[Triple] | None:
    """Return all that holds of the predicates of a program, as pyDatalog finds it."""
    program, rows = world.program(), rows_of(world.derived.frame)
    relations = sorted(
        {row.triple.relation.canon for row in rows} | {p.relation for p in program.reading()}
        | {rule.head.relation for rule in program.rules if rule.head}
    )
    terms: list[Term] = sorted(
        {t for row in rows for t in (row.triple.entity, row.triple.value)}
        | {side.term for rule in program.rules for atom in _atoms(rule)
           for side in (atom.entity, atom.value) if isinstance(side, Constant)},
        key=lambda term: term.canon,
    )  # fmt: skip
    number = {term: at for at, term in enumerate(terms, start=1)}
    at = {relation: nth for nth, relation in enumerate(relations)}

    def text(atom: Atom) -> str:
        pair = (
            str(number[side.term]) if isinstance(side, Constant) else side.name
            for side in (atom.entity, atom.value)
        )
        return f"p{at[atom.relation]}({','.join(pair)})"

    lines = []
    for row in rows:
        triple = row.triple
        pair = f"{number[triple.entity]},{number[triple.value]}"
        lines.append(f"+ p{at[triple.relation.canon]}({pair})")
    for rule in program.rules:
        assert rule.head is not None
        body = [
            text(one) if isinstance(one, Atom)
            else f"~{text(one.atom)}" if isinstance(one, Absent)
            else "(X != Y)"
            for one in rule.body
        ]
        lines.append(f"{text(rule.head)} <= {' & '.join(body)}")
    answer = worker.ask(lines, range(len(relations)))
    if answer is None:
        return None
    return {
        Triple(MEMEX, _name(terms[entity - 1]), name(relations[relation]), terms[value - 1])
        for relation, entity, value in answer
    }


def _atoms(rule: Rule) -> list[Atom]:
    head = [] if rule.head is None else [rule.head]
    return [*head, *rule.positive, *rule.absent]


def _name(term: Term) -> Name:
    assert isinstance(term, Name)
    return term


def test_what_follows_at_each_instant_is_what_clingo_finds_then() -> None:
    seen: Counter[str] = Counter()
    for case, world in worlds(45 * MANY, TIMED):
        agree(case, world, seen)
        ours(case, world)
    print(dict(seen))
    assert seen["moments"] > 300 * MANY
    assert min(seen[kind] for kind in ("withheld", "imprecise", "mixed")) > 2
