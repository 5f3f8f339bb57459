"""The strata of a program in one domain, as the engine runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from symbolic.deduction.plan import Plan, Sources, compiled, is_closing
from symbolic.deduction.state import Guard, Numbers, Terms
from symbolic.rules.syntax import (
    NOWHERE,
    Absent,
    Atom,
    Compare,
    Order,
    Predicate,
    Rule,
)


class Strata(Protocol):
    """What the engine needs of a compiled program."""

    @property
    def strata(self) -> Sequence[Sequence[Rule]]:
        """Rules of one recursive component together, lowest first."""

    @property
    def constraints(self) -> Sequence[Rule]:
        """Rules without a head."""


@dataclass(frozen=True, slots=True)
class Component:
    """Rules that have to be run together, and what they read and derive, as `piece.p`."""

    name: str
    domain: str
    plans: tuple[Plan, ...]
    heads: frozenset[int]
    reads: frozenset[int]
    absent: frozenset[int]
    spelled: tuple[tuple[int, ...], ...]
    """For each predicate whose maximal spells are read, the places it holds under."""
    derives: Mapping[Predicate, tuple[int, ...]]
    """The places of each predicate that is derived."""

    def guarded(self, guard: Guard) -> frozenset[int]:
        """Return the places of what may be withheld."""
        return frozenset(
            p for predicate, places in self.derives.items()
            if guard.guards(self.domain, predicate) for p in places
        )  # fmt: skip

    @property
    def inputs(self) -> frozenset[int]:
        """All that a change of may change what is derived here."""
        return self.reads | self.absent | {p for places in self.spelled for p in places}


def rules_in(program: Strata, domain: str) -> list[list[Rule]]:
    """Return the strata with the rules that run in `domain`."""
    strata = (
        [rule for rule in stratum if rule.domain in (None, domain) and rule.head is not None]
        for stratum in program.strata
    )
    return [stratum for stratum in strata if stratum]


def text_of(rule: Rule, zone: str) -> str:
    """Return what a rule says under today's declarations, places left out.

    Dates compare by the zone, so it is part of what a rule with a comparison says.
    """
    head = None if rule.head is None else replace(rule.head, place=NOWHERE)
    body = tuple(
        replace(one, place=NOWHERE) if isinstance(one, Order)
        else replace(one, atom=replace(one.atom, place=NOWHERE)) if isinstance(one, Absent)
        else replace(one, place=NOWHERE)
        for one in rule.body
    )
    where = zone if any(isinstance(one, Compare) for one in body) else ""
    return f"{rule.id} {rule.domain} {where} {head} {body}"


def _closed(strata: Sequence[Sequence[Rule]]) -> frozenset[Predicate]:
    return frozenset(
        rule.head.predicate for stratum in strata for rule in stratum
        if rule.head is not None and is_closing(rule)
    )


def components(
    program: Strata, domain: str, numbers: Numbers, terms: Terms, rules: Mapping[str, int],
    zone: str,
) -> list[Component]:  # fmt: skip
    """Return the components of a program in `domain`; `rules` are the numbers by text."""
    strata = rules_in(program, domain)
    closed = _closed(strata)
    sources = Sources(
        number=lambda predicate: numbers.of(domain, predicate).number, term=terms.id_of,
        closed=closed,
    )
    return [_component(stratum, domain, sources, rules, zone) for stratum in strata]


def _component(
    stratum: Sequence[Rule], domain: str, sources: Sources, rules: Mapping[str, int], zone: str
) -> Component:
    plans = tuple(compiled(rule, rules.get(text_of(rule, zone), 0), sources) for rule in stratum)
    spelled: dict[Predicate, tuple[int, ...]] = {
        atom.predicate: sources.all_of(atom.predicate)
        for rule in stratum for atom in rule.positive if atom.spell is not None
    }
    predicates = {rule.head.predicate for rule in stratum if rule.head is not None}
    return Component(
        name=f"{domain} {min(rule.id for rule in stratum)}", domain=domain, plans=plans,
        heads=frozenset(plan.head for plan in plans),
        reads=frozenset(p for plan in plans for p in plan.reads),
        absent=frozenset(p for plan in plans for places in plan.absent for p in places),
        spelled=tuple(spelled.values()),
        derives={predicate: sources.all_of(predicate) for predicate in predicates},
    )  # fmt: skip


def checks(
    program: Strata, domain: str, numbers: Numbers, terms: Terms
) -> list[Component]:
    """Return the constraints that hold in `domain`, each as a component that derives nothing.

    The plan of one finds it by way of a head that says its first atom once more.
    """
    closed = _closed(rules_in(program, domain))
    sources = Sources(
        number=lambda predicate: numbers.of(domain, predicate).number, term=terms.id_of,
        closed=closed,
    )
    found = []
    for rule in program.constraints:
        if rule.domain in (None, domain):
            head = replace(rule.positive[0], spell=None, either=False)
            one = _component([replace(rule, head=head)], domain, sources, {}, "")
            found.append(replace(one, heads=frozenset(), derives={}))
    return found


def stated(program: Strata, domain: str) -> frozenset[Predicate]:
    """Return the predicates whose base facts feed rules in `domain`."""
    rules = [rule for stratum in rules_in(program, domain) for rule in stratum]
    rules += [rule for rule in program.constraints if rule.domain in (None, domain)]
    atoms: list[Atom] = [atom for rule in rules for atom in (*rule.positive, *rule.absent)]
    return frozenset(atom.predicate for atom in atoms)
