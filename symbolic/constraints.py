"""Declared constraints as groups of facts, judged by indexed lookups (docs/fold.md, 6 and 9).

::

    groups_of(case)  ──►  Group (constraint, domain, relation, ...)   which groups a fact is in
    judge(group, facts)  ──►  Finding: the pairs that clash, the members, the strongest overlap

A `Facts` answers three lookups and nothing else; the store answers them from rows, admission from
a view and the candidate. No group enumerates the store; only `acyclic` walks edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Protocol

from symbolic.canon import MEMBER, term_key
from symbolic.crowds import crowds
from symbolic.names import digest
from symbolic.records import STRICTNESS, Name, Overlap, Policy, RelationDecl, Term
from symbolic.timeline import Case, against, clash_on_timeline, overlap
from symbolic.vocabulary import Vocabulary

ORDER = (
    "functional", "inverse-functional", "polarity", "opposite", "disjoint", "asymmetric",
    "irreflexive", "acyclic", "cardinality", "domain", "range",
)  # fmt: skip
"""The constraints in the order of the table: the first that clashes is the rule named."""

SINGLE = ("irreflexive", "domain", "range")
"""Constraints that one fact alone can break."""


@dataclass(frozen=True, slots=True)
class Group:
    """Which facts one constraint compares. `words` are relations or classes, in key order."""

    constraint: str
    domain: str
    words: tuple[str, ...]
    entity: Name | None = None
    value: Term | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """The group's key as conflicts print it."""
        terms = [term_key(term) for term in (self.entity, self.value) if term is not None]
        if self.constraint == "irreflexive":
            terms = terms[:1]
        return (*self.words, *terms)

    @property
    def id(self) -> str:
        """The id of the conflict that this group makes."""
        return digest("conflict", self.constraint, self.domain, *self.key)[:16]


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong in a group. `pairs` are (fid, fid, overlap); members are in fid order."""

    group: Group
    overlap: Overlap
    members: tuple[Case, ...]
    pairs: tuple[tuple[str, str, Overlap], ...] = field(default=())

    @property
    def policy(self) -> Policy:
        """The strictest policy of the members."""
        return strictest(case.policy for case in self.members)


class Facts(Protocol):
    """The lookups that constraints need, over the standing facts of a domain."""

    def slot(self, domain: str, entity: Name, relation: str) -> Sequence[Case]:
        """Return the facts of an entity and a relation."""

    def among(self, domain: str, relation: str, value: Term) -> Sequence[Case]:
        """Return the facts of a relation and a value."""

    def known(self, domain: str, entity: Name) -> frozenset[str]:
        """Return the entity's classes with all ancestors, whoever says so."""


def strictest(policies: Iterator[Policy] | Sequence[Policy]) -> Policy:
    """Return the strictest of `policies`, coexistent if there is none."""
    return max(policies, key=STRICTNESS.__getitem__, default=Policy.COEXISTENT)


# --- which groups a fact is in ----------------------------------------------------------------


def groups_of(case: Case, words: Vocabulary, *, polarity: bool = True) -> list[Group]:
    """Return the groups that `case` is in, `acyclic` left out (it has no group of its own)."""
    domain, relation, entity, value = case.domain, case.relation, case.entity, case.value
    found: list[Group] = []
    if polarity:
        found.append(Group("polarity", domain, (relation,), entity, value))
    if not case.polarity:
        return found
    if relation == MEMBER and isinstance(value, Name):
        for pair in words.disjoint_pairs(value.canon):
            found.append(Group("disjoint", domain, pair, entity))
    for other in words.opposites(relation):
        first, second = sorted((relation, other))
        found.append(Group("opposite", domain, (first, second), entity, value))
    decl = words.relation(relation)
    if decl is not None:
        found.extend(_declared(case, decl, words))
    return found


def _declared(case: Case, decl: RelationDecl, words: Vocabulary) -> Iterator[Group]:
    domain, relation, entity, value = case.domain, case.relation, case.entity, case.value
    if decl.functional:
        yield Group("functional", domain, (relation,), entity)
    if decl.inverse_functional:
        yield Group("inverse-functional", domain, (relation,), None, value)
    if isinstance(value, Name):
        if entity == value and (decl.irreflexive or decl.asymmetric):
            yield Group("irreflexive", domain, (relation,), entity, value)
        elif entity != value and decl.asymmetric:
            first, second = sorted((entity, value), key=term_key)
            yield Group("asymmetric", domain, (relation,), first, second)
    if decl.cardinality is not None:
        yield Group("cardinality", domain, (relation,), entity)
    if decl.domain:
        yield Group("domain", domain, (relation,), entity)
    if words.ranged(relation):
        yield Group("range", domain, (relation,), None, value)


# --- judging a group --------------------------------------------------------------------------


def opponents(case: Case, facts: Facts, words: Vocabulary) -> Iterator[Case]:
    """Yield the facts that a pairwise constraint sets against `case`, whenever either holds."""
    for group in groups_of(case, words):
        sides = _PAIRED.get(group.constraint)
        if sides is not None:
            cases, opposed = sides(group, facts, words)
            yield from (other for other in cases if opposed(case, other))


def judge(group: Group, facts: Facts, words: Vocabulary, zone: str) -> Finding | None:
    """Return what is wrong in `group`, None if nothing is."""
    sides = _PAIRED.get(group.constraint)
    if sides is not None:
        return _pairs(group, *sides(group, facts, words), zone)
    return _JUDGES[group.constraint](group, facts, words, zone)


Judge = Callable[[Group, Facts, Vocabulary, str], Finding | None]
Opposed = Callable[[Case, Case], bool]
Sides = tuple[Sequence[Case], Opposed]
"""The facts of a group, and which two of them it sets against one another."""


def _positive(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if case.polarity]


def clash(constraint: str, one: Case, other: Case, zone: str) -> Overlap:
    """Return how two facts that a constraint sets against one another clash."""
    policies = (one.policy, other.policy)
    if (
        constraint in ("functional", "polarity")
        and Policy.EXCLUSIVE not in policies
        and Policy.TEMPORAL in policies
    ):
        return clash_on_timeline(one, other, zone)
    return overlap(one, other, zone)


def _pairs(group: Group, cases: Sequence[Case], opposed: Opposed, zone: str) -> Finding | None:
    pairs: list[tuple[str, str, Overlap]] = []
    members: dict[str, Case] = {}
    for one, other in combinations(cases, 2):
        if not opposed(one, other):
            continue
        seen = clash(group.constraint, one, other, zone)
        if seen is not Overlap.NO:
            pairs.append((one.fid, other.fid, seen))
            members[one.fid], members[other.fid] = one, other
    if not pairs:
        return None
    strongest = Overlap.YES if any(p[2] is Overlap.YES for p in pairs) else Overlap.MAYBE
    ordered = tuple(members[fid] for fid in sorted(members))
    return Finding(group, strongest, ordered, tuple(pairs))


def _whole(group: Group, cases: Sequence[Case]) -> Finding | None:
    if not cases:
        return None
    return Finding(group, Overlap.YES, tuple(sorted(cases, key=lambda case: case.fid)))


def _functional(group: Group, facts: Facts, words: Vocabulary) -> Sides:
    assert group.entity is not None
    tolerance = words.tolerance(group.words[0])
    cases = _positive(facts.slot(group.domain, group.entity, group.words[0]))
    return cases, lambda a, b: against(a, b, True, tolerance)


def _inverse_functional(group: Group, facts: Facts, words: Vocabulary) -> Sides:
    assert group.value is not None
    cases = _positive(facts.among(group.domain, group.words[0], group.value))
    return cases, lambda a, b: a.entity != b.entity


def _polarity(group: Group, facts: Facts, words: Vocabulary) -> Sides:
    assert group.entity is not None
    slot = facts.slot(group.domain, group.entity, group.words[0])
    cases = [case for case in slot if case.value == group.value]
    return cases, lambda a, b: a.polarity != b.polarity


def _opposite(group: Group, facts: Facts, words: Vocabulary) -> Sides:
    assert group.entity is not None
    cases = [
        case
        for relation in group.words
        for case in _positive(facts.slot(group.domain, group.entity, relation))
        if case.value == group.value
    ]
    return cases, lambda a, b: a.relation != b.relation


def _disjoint(group: Group, facts: Facts, words: Vocabulary) -> Sides:
    assert group.entity is not None
    first, second = group.words
    cases = _positive(facts.slot(group.domain, group.entity, MEMBER))

    def opposed(one: Case, other: Case) -> bool:
        above = [words.above(c.value.canon) for c in (one, other) if isinstance(c.value, Name)]
        if len(above) < 2:
            return False
        mine, theirs = above
        return (first in mine and second in theirs) or (second in mine and first in theirs)

    return cases, opposed


def _asymmetric(group: Group, facts: Facts, words: Vocabulary) -> Sides:
    one, other, relation = group.entity, group.value, group.words[0]
    assert one is not None and isinstance(other, Name)
    there = [c for c in facts.slot(group.domain, one, relation) if c.value == other]
    back = [c for c in facts.slot(group.domain, other, relation) if c.value == one]
    cases = _positive([*there, *back])
    return cases, lambda a, b: a.entity != b.entity


def _irreflexive(group: Group, facts: Facts, words: Vocabulary, zone: str) -> Finding | None:
    assert group.entity is not None
    slot = _positive(facts.slot(group.domain, group.entity, group.words[0]))
    return _whole(group, [case for case in slot if case.value == group.entity])


def _domain(group: Group, facts: Facts, words: Vocabulary, zone: str) -> Finding | None:
    assert group.entity is not None
    decl = words.relation(group.words[0])
    classes = facts.known(group.domain, group.entity)
    if decl is None or not classes or not classes.isdisjoint(decl.domain):
        return None
    return _whole(group, _positive(facts.slot(group.domain, group.entity, group.words[0])))


def _range(group: Group, facts: Facts, words: Vocabulary, zone: str) -> Finding | None:
    assert group.value is not None
    relation = group.words[0]

    def classes(value: Name) -> frozenset[str]:
        return facts.known(group.domain, value)

    if words.in_range(relation, group.value, classes):
        return None
    return _whole(group, _positive(facts.among(group.domain, relation, group.value)))


def _cardinality(group: Group, facts: Facts, words: Vocabulary, zone: str) -> Finding | None:
    assert group.entity is not None
    decl = words.relation(group.words[0])
    assert decl is not None and decl.cardinality is not None
    cases = _positive(facts.slot(group.domain, group.entity, group.words[0]))
    sure, maybe = crowds(cases, decl.cardinality, zone)
    members = {case.fid: case for crowd in maybe for case in crowd}
    if not members:
        return None
    seen = Overlap.YES if sure else Overlap.MAYBE
    return Finding(group, seen, tuple(members[fid] for fid in sorted(members)))


_PAIRED: dict[str, Callable[[Group, Facts, Vocabulary], Sides]] = {
    "functional": _functional,
    "inverse-functional": _inverse_functional,
    "polarity": _polarity,
    "opposite": _opposite,
    "disjoint": _disjoint,
    "asymmetric": _asymmetric,
}

_JUDGES: dict[str, Judge] = {
    "irreflexive": _irreflexive,
    "cardinality": _cardinality,
    "domain": _domain,
    "range": _range,
}
