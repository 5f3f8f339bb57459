"""How much rules may derive, from counts alone: a warning before they explode, not a promise.

A join is estimated as databases do it: the product of the rows, divided for every variable that
atoms share by all but the smallest number of its distinct values. A recursive component grows so
for DEPTH rounds, and never beyond all pairs of its entities and values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from symbolic.rules.program import Program
from symbolic.rules.syntax import Argument, Atom, Predicate, Rule, Variable
from symbolic.rules.words import RULES_MAX_DERIVED

DEPTH = 32
"""Rounds for which a recursive rule is followed."""


@dataclass(frozen=True, slots=True)
class Count:
    """Rows of a predicate, and how many distinct entities and values they have."""

    rows: float
    entities: float
    values: float


NONE = Count(0, 0, 0)


class Counts(Protocol):
    """What is known of the base facts."""

    def count(self, predicate: Predicate) -> Count:
        """Return the count of a predicate's standing facts."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one rule may derive, and all rules of its component together."""

    rule: Rule
    rows: int
    component: int
    recursive: bool

    @property
    def over(self) -> bool:
        """Whether the component may derive more than is allowed."""
        return self.component > RULES_MAX_DERIVED


def estimate(program: Program, counts: Counts) -> tuple[Estimate, ...]:
    """Return an estimate for every rule of `program`, lowest stratum first."""
    sizes: dict[Predicate, Count] = {}
    out: list[Estimate] = []
    for rules in program.strata:
        heads = {rule.head.predicate for rule in rules if rule.head is not None}
        for rule in rules:
            for predicate in (*heads, *(found for found, _ in rule.reads())):
                if predicate not in sizes:
                    sizes[predicate] = counts.count(predicate)
        recursive = any(found in heads for rule in rules for found, _ in rule.reads())
        base = {head: sizes[head] for head in heads}
        rows: dict[str, float] = {}
        for _ in range(DEPTH if recursive else 1):
            rows, grown = _round(rules, base, sizes)
            settled = all(grown[head].rows <= sizes[head].rows * 1.001 for head in heads)
            sizes.update(grown)
            if settled:
                break
        whole = round(sum(rows.values()))
        out += [Estimate(rule, round(rows[rule.id]), whole, recursive) for rule in rules]
    return tuple(out)


def _round(
    rules: tuple[Rule, ...], base: Mapping[Predicate, Count], sizes: Mapping[Predicate, Count]
) -> tuple[dict[str, float], dict[Predicate, Count]]:
    rows: dict[str, float] = {}
    grown = dict(base)
    for rule in rules:
        assert rule.head is not None
        found = _join(rule.head, rule.positive, sizes)
        rows[rule.id] = found.rows
        head = grown[rule.head.predicate]
        entities, values = head.entities + found.entities, head.values + found.values
        grown[rule.head.predicate] = Count(
            min(head.rows + found.rows, entities * values), entities, values
        )
    # Distinct entities and values of a recursive predicate are those it began with.
    for predicate, count in grown.items():
        known = sizes[predicate]
        if known.rows > base[predicate].rows:
            rows_now = min(count.rows, known.entities * known.values)
            grown[predicate] = Count(rows_now, known.entities, known.values)
    return rows, grown


def _join(head: Atom, atoms: tuple[Atom, ...], sizes: Mapping[Predicate, Count]) -> Count:
    size = 1.0
    distinct: dict[str, list[float]] = {}
    for atom in atoms:
        count = sizes.get(atom.predicate, NONE)
        size *= count.rows * (2 if atom.either else 1)
        sides = (count.entities, count.values)
        if atom.either:
            sides = (sum(sides), sum(sides))
        for argument, known in zip((atom.entity, atom.value), sides, strict=True):
            if isinstance(argument, Variable):
                distinct.setdefault(argument.name, []).append(max(known, 1.0))
            else:
                size /= max(known, 1.0)
    for found in distinct.values():
        for known in sorted(found)[1:]:
            size /= known
    least = {name: min(found) for name, found in distinct.items()}

    def side(argument: Argument) -> float:
        return min(least.get(argument.name, 1.0), size) if isinstance(argument, Variable) else 1.0

    entities, values = side(head.entity), side(head.value)
    same = head.entity == head.value
    return Count(min(size, entities if same else entities * values), entities, values)
