"""Deduced facts beside base ones: found by id, spelt as people write them, said as facts.

A deduced fact is a `Fact` without assertions: its statement has no bounds, `deduced` says when it
holds. A base fact with the same id and what rules derive of it are one fact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from symbolic.deduced import Deduced, Instant, Premise, Triple
from symbolic.records import Name, Standing, Statement, Term
from symbolic.world import Fact, View
from symbolic.zones import canonical_bound


def deduced_of(view: View, fid: str) -> Deduced | None:
    """Return what rules derive of the triple of a fact, None if nothing."""
    supports = view.supports(fid)
    if not supports:
        return None
    triple = supports[0].head
    found = view.deduced(
        domain=triple.domain, entity=triple.entity, relation=triple.relation.canon,
        value=triple.value,
    )
    return next((one for one in found if one.triple == triple), None)


def as_fact(view: View, deduced: Deduced) -> Fact:
    """Return a deduced triple as a fact; the base fact with its id, if there is one, says more."""
    statement = spelt(view, deduced.triple)
    base = view.fact(statement.fid)
    if base is not None and base.standing is Standing.STANDING:
        return replace(base, deduced=deduced)
    return Fact(
        statement=statement, standing=Standing.STANDING, assertions=(), deduced=deduced
    )


def known_fact(view: View, fid: str) -> Fact | None:
    """Return the fact with an id, be it a base fact, a deduced one or both."""
    base = view.fact(fid)
    if base is not None and (base.statement.valid_from, base.statement.valid_to) != (None, None):
        return base
    deduced = deduced_of(view, fid)
    return base if deduced is None else as_fact(view, deduced)


def spelt(view: View, triple: Triple) -> Statement:
    """Return a triple as a statement in which names are spelt as some base fact spells them."""
    said = triple.statement()
    value = said.value
    return replace(
        said,
        entity=spelling(view, said.entity),
        relation=_relation(view, said.relation),
        value=spelling(view, value) if isinstance(value, Name) else value,
    )


def spelling(view: View, term: Name) -> Name:
    """Return a name as the first fact about it writes it; rules know its canonical form alone."""
    for fact in view.facts(entity=term):
        return fact.statement.entity
    for fact in view.facts(value=term):
        if isinstance(fact.statement.value, Name):
            return fact.statement.value
    return Name(term.kind, term.canon, view.declarations.spelling.get(term.canon, term.written))


def spelt_term(view: View, term: Term) -> Term:
    """Return a term as people write it."""
    return spelling(view, term) if isinstance(term, Name) else term


def _relation(view: View, relation: Name) -> Name:
    decl = view.declarations.relations.get(relation.canon)
    if decl is not None:
        return Name(relation.kind, relation.canon, decl.written)
    for fact in view.facts(relation=relation.canon):
        return fact.statement.relation
    # Only rules name it, and those know it folded: hyphens are how people write one word.
    return Name(relation.kind, relation.canon, relation.canon.replace(" ", "-"))


def printed_spells(fact: Fact, zone: str) -> Iterator[tuple[str | None, str | None]]:
    """Yield the spells of a deduced fact as pairs of bounds; neighbours are printed as one."""
    low: Instant = None
    high: Instant = None
    begun = False
    for one in fact.deduced.spells if fact.deduced else ():
        if begun and high == one.lo:
            high = one.hi
            continue
        if begun:
            yield canonical_bound(low, zone), canonical_bound(high, zone)
        low, high, begun = one.lo, one.hi, True
    if begun:
        yield canonical_bound(low, zone), canonical_bound(high, zone)


def premise_id(premise: Premise) -> str:
    """Return the id of the fact that a premise is."""
    return premise.fid or premise.triple.statement().fid
