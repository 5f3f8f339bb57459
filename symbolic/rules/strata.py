"""Which rules have to be done before which: components of predicates, lowest first.

A rule reads what its body names. Where it reads by absence or by `@S` it needs all of a predicate,
so such a step may not lie on a cycle. If one does, its component and all above it derive nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from symbolic.components import components
from symbolic.rules.printing import relation_text
from symbolic.rules.syntax import Place, Predicate, Rule
from symbolic.rules.words import DENIED


@dataclass(frozen=True, slots=True)
class Step:
    """`head` reads `body` in `rule` at `place`; `whole` says that it needs all of it."""

    head: Predicate
    body: Predicate
    whole: bool
    rule: Rule
    place: Place


@dataclass(frozen=True, slots=True)
class Cycle:
    """A cycle that goes through a step which needs all of a predicate; that step is first."""

    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Strata:
    """Rules by component, lowest first; what may not run, and the cycles that are why."""

    layers: tuple[tuple[Rule, ...], ...]
    disabled: frozenset[Predicate]
    cycles: tuple[Cycle, ...]


def stratify(rules: Iterable[Rule]) -> Strata:
    """Return the strata of `rules`, which all have a head."""
    by_head: dict[Predicate, list[Rule]] = {}
    for rule in rules:
        assert rule.head is not None
        by_head.setdefault(rule.head.predicate, []).append(rule)
    steps = {head: list(_steps(head, found)) for head, found in by_head.items()}
    ahead = _edges(steps)
    layers: list[tuple[Rule, ...]] = []
    disabled: set[Predicate] = set()
    cycles: list[Cycle] = []
    for component in components(ahead):
        mine = [step for head in sorted(component) for step in steps.get(head, ())]
        broken = [step for step in mine if step.whole and step.body in component]
        if broken:
            cycles.append(_cycle(min(broken, key=_where), component, steps))
        if broken or any(step.body in disabled for step in mine):
            disabled |= component
            continue
        found = tuple(rule for head in sorted(component) for rule in by_head.get(head, ()))
        if found:
            layers.append(found)
    return Strata(tuple(layers), frozenset(disabled), tuple(cycles))


def _steps(head: Predicate, rules: Sequence[Rule]) -> Iterable[Step]:
    for rule in rules:
        for atom in rule.positive:
            yield Step(head, atom.predicate, atom.spell is not None, rule, atom.place)
        for atom in rule.absent:
            yield Step(head, atom.predicate, True, rule, atom.place)


def _edges(steps: Mapping[Predicate, Sequence[Step]]) -> dict[Predicate, list[Predicate]]:
    nodes = {*steps, *(step.body for found in steps.values() for step in found)}
    return {
        node: sorted({step.body for step in steps.get(node, ())}) for node in sorted(nodes)
    }


def _where(step: Step) -> tuple[str, int, int]:
    return step.place.file, step.place.line, step.place.column


def _cycle(
    broken: Step, component: set[Predicate], steps: Mapping[Predicate, Sequence[Step]]
) -> Cycle:
    """Return the shortest way from what `broken` needs back to its head."""
    came: dict[Predicate, Step | None] = {broken.body: None}
    todo = deque([broken.body])
    while todo and broken.head not in came:
        node = todo.popleft()
        for step in sorted(steps.get(node, ()), key=_where):
            if step.body in component and step.body not in came:
                came[step.body] = step
                todo.append(step.body)
    back: list[Step] = []
    found = came[broken.head]
    while found is not None:
        back.append(found)
        found = came[found.head]
    return Cycle((broken, *reversed(back)))


def described(cycle: Cycle) -> str:
    """Return a cycle as a sentence that names every file and line on it."""
    parts = []
    for step in cycle.steps:
        how = "needs to know all of" if step.whole else "follows from"
        where = f"{step.place.file}:{step.place.line}" if step.place.line else step.rule.name
        parts.append(f"{named(step.head)} {how} {named(step.body)} ({where})")
    return "the rules go in a circle through an absence or a spell: " + ", ".join(parts)


def named(predicate: Predicate) -> str:
    """Return a predicate as rules write it."""
    text = relation_text(predicate.relation)
    return f"{DENIED}({text})" if predicate.denied else text
