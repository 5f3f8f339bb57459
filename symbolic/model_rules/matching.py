"""How one atom meets one triple, and what a body asks of a binding: no evaluation, no time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from symbolic.deduced import Instant, Triple
from symbolic.model_rules.comparing import compare
from symbolic.records import Name, NameKind, Term
from symbolic.rules.syntax import (
    Absent,
    Argument,
    Atom,
    Compare,
    Constant,
    Order,
    Relating,
    Rule,
)

Span = tuple[Instant, Instant]
"""[lo, hi), None open."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What the variables of a rule stand for: terms, and spells of atoms with `@S`."""

    terms: Mapping[str, Term] = field(default_factory=dict)
    spells: Mapping[str, Span] = field(default_factory=dict)

    def of(self, argument: Argument) -> Term:
        """Return the term of an argument; every variable of a safe rule is bound by its atoms."""
        return argument.term if isinstance(argument, Constant) else self.terms[argument.name]


def meet(atom: Atom, triple: Triple, binding: Binding, spell: Span) -> Iterator[Binding]:
    """Yield each way in which `atom` matches `triple` under `binding`; two for `either`."""
    if atom.relation != triple.relation.canon or atom.denied == triple.polarity:
        return
    ways: list[tuple[Term, Term]] = [(triple.entity, triple.value)]
    if atom.either and isinstance(triple.value, Name) and triple.entity != triple.value:
        ways.append((triple.value, triple.entity))
    for entity, value in ways:
        terms = _bound(atom.entity, entity, binding.terms)
        terms = None if terms is None else _bound(atom.value, value, terms)
        if terms is None:
            continue
        if atom.spell is None:
            yield Binding(terms, binding.spells)
        elif binding.spells.get(atom.spell, spell) == spell:
            yield Binding(terms, {**binding.spells, atom.spell: spell})


def _bound(
    argument: Argument, term: Term, terms: Mapping[str, Term]
) -> Mapping[str, Term] | None:
    if isinstance(argument, Constant):
        return terms if argument.term == term else None
    if argument.name in terms:
        return terms if terms[argument.name] == term else None
    return {**terms, argument.name: term}


def ground(atom: Atom, binding: Binding, domain: str) -> Triple:
    """Return the triple of an atom whose variables are bound, in its one canonical direction.

    Its entity may be a literal: there is no such fact, so it is absent and cannot be deduced.
    """
    entity, value = binding.of(atom.entity), binding.of(atom.value)
    if atom.either and isinstance(entity, Name) and isinstance(value, Name):
        entity, value = sorted((entity, value), key=lambda term: (term.kind.value, term.canon))
    relation = Name(NameKind.NAME, atom.relation, atom.relation)
    return Triple(domain, cast(Name, entity), relation, value, not atom.denied)


def head_of(rule: Rule, binding: Binding, domain: str) -> Triple | None:
    """Return what a rule says under a binding; nothing if its entity would be a literal."""
    if rule.head is None:
        return None
    triple = ground(rule.head, binding, domain)
    return triple if isinstance(triple.entity, Name) else None


def allowed(rule: Rule, binding: Binding, zone: str) -> bool:
    """Return whether all comparisons of a body hold, those of spells included."""
    for literal in rule.body:
        if isinstance(literal, Compare):
            left, right = binding.of(literal.left), binding.of(literal.right)
            if not compare(literal.operator, left, right, zone):
                return False
        if isinstance(literal, Order):
            one, other = binding.spells[literal.left], binding.spells[literal.right]
            if not lies(literal.relating, one, other):
                return False
    return True


def lies(relating: Relating, one: Span, other: Span) -> bool:
    """Return whether two spells lie to one another as `relating` says; None is infinite."""
    if relating is Relating.AFTER:
        return lies(Relating.BEFORE, other, one)
    if relating is Relating.BEFORE:
        return one[1] is not None and other[0] is not None and one[1] <= other[0]
    if relating is Relating.DURING:
        begins = other[0] is None or (one[0] is not None and other[0] <= one[0])
        ends = other[1] is None or (one[1] is not None and one[1] <= other[1])
        return begins and ends
    return common(one, other) is not None


def common(one: Span, other: Span) -> Span | None:
    """Return the instants two stretches share, None if there are none."""
    lo = one[0] if other[0] is None else other[0] if one[0] is None else max(one[0], other[0])
    hi = one[1] if other[1] is None else other[1] if one[1] is None else min(one[1], other[1])
    return None if lo is not None and hi is not None and hi <= lo else (lo, hi)


def plain(rule: Rule) -> tuple[Atom | Absent, ...]:
    """Return the literals that have a premise each, in the order of the body."""
    return tuple(one for one in rule.body if isinstance(one, (Atom, Absent)))
