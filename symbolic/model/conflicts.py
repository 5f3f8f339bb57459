"""What conflicts, from nothing but the standing facts: docs/fold.md sections 6, 7 and 9.

Everything is found by comparing all pairs of a group, slowly and in plain sight: this is the
specification that admission and the store are held against.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from symbolic.canon import MEMBER, term_key
from symbolic.model.intervals import (
    Interval,
    earlier_end,
    end_reach,
    overlap,
    start_reach,
    strongest,
)
from symbolic.model.timelines import Times, timeline_clash
from symbolic.names import digest
from symbolic.records import (
    STRICTNESS,
    UNKNOWN,
    Declarations,
    Name,
    Overlap,
    Policy,
    Provenance,
    Statement,
    Term,
    Value,
    ValueKind,
)
from symbolic.values import FOREVER, apart, convert, number
from symbolic.world import Conflict, Fact, Spell

ORDER = (
    "functional", "inverse-functional", "polarity", "opposite", "disjoint", "asymmetric",
    "irreflexive", "acyclic", "cardinality", "domain", "range",
)
_LITERALS = frozenset(kind.value for kind in ValueKind)

Group = tuple[str, str, tuple[str, ...]]
"""Constraint, domain, key."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Two facts of one group that a constraint sets against one another, or one fact alone."""

    group: Group
    one: str
    other: str | None
    overlap: Overlap


# --- classes and policies -----------------------------------------------------------------------


@lru_cache(maxsize=4096)
def ancestors(klass: str, declarations: Declarations) -> frozenset[str]:
    """Return `klass` and all classes above it by declared PARENT."""
    seen: set[str] = set()
    ahead = [klass]
    while ahead:
        here = ahead.pop()
        if here not in seen:
            seen.add(here)
            decl = declarations.classes.get(here)
            ahead.extend(decl.parents if decl else ())
    return frozenset(seen)


def classes_of(
    facts: Iterable[Fact], *, trusted: bool
) -> dict[tuple[str, Term], set[str]]:
    """Return the direct classes of each (domain, entity); `trusted` as policies need them."""
    found: dict[tuple[str, Term], set[str]] = defaultdict(set)
    sure = (Provenance.HUMAN, Provenance.GATE)
    for fact in facts:
        said = fact.statement
        if said.relation.canon != MEMBER or not said.polarity or not isinstance(said.value, Name):
            continue
        if not trusted or any(a.provenance in sure for a in fact.live):
            found[said.domain, said.entity].add(said.value.canon)
    return found


def policy_of(
    said: Statement, classes: Mapping[tuple[str, Term], set[str]], declarations: Declarations
) -> Policy:
    """Return the policy of a statement, given the trusted classes of every entity."""
    decl = declarations.relations.get(said.relation.canon)
    if decl is not None and decl.policy is not None:
        return decl.policy
    known: set[str] = set()
    for klass in classes.get((said.domain, said.entity), ()):
        known |= ancestors(klass, declarations)
    with_policy = {
        c: p for c in known
        if (d := declarations.classes.get(c)) is not None and (p := d.policy) is not None
    }
    specific = [
        c for c in with_policy
        if not any(c != lower and c in ancestors(lower, declarations) for lower in with_policy)
    ]
    policies = [with_policy[c] for c in specific]
    return max(policies, key=lambda p: STRICTNESS[p], default=Policy.COEXISTENT)


# --- overlap of facts ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Frame:
    """All that conflicts are computed from."""

    facts: Mapping[str, Fact]
    spells: Mapping[str, tuple[Spell, ...]]
    times: Times
    classes: Mapping[tuple[str, Term], set[str]]

    @property
    def declarations(self) -> Declarations:
        """The declarations in force."""
        return self.times.declarations

    def extents(self, fact: Fact) -> list[Interval]:
        """Return the stretches in which a fact is taken to hold when it is compared."""
        if self.times.on_timeline(fact) and self.spells[fact.fid]:
            return [(spell.start, spell.end) for spell in self.spells[fact.fid]]
        end = fact.statement.valid_to
        if fact.closed is not None:
            bound = None if end == UNKNOWN else end
            shorter = earlier_end(bound, fact.closed[0], self.times.zone)
            end = shorter if shorter != bound else end
        return [(fact.statement.valid_from, end)]

    def overlap(self, one: Fact, other: Fact) -> Overlap:
        """Return whether two facts hold at a common instant."""
        return strongest([
            overlap(a, b, self.times.zone)
            for a in self.extents(one) for b in self.extents(other)
        ])

    def clash(self, constraint: str, one: Fact, other: Fact) -> Overlap:
        """Return how surely two facts set against one another do clash."""
        policies = {self.times.policies[one.fid], self.times.policies[other.fid]}
        if (
            constraint in ("functional", "polarity")
            and Policy.TEMPORAL in policies
            and Policy.EXCLUSIVE not in policies
        ):
            return timeline_clash(one, other, self.times)
        return self.overlap(one, other)


# --- groups -------------------------------------------------------------------------------------


def clashes(frame: Frame) -> list[Clash]:
    """Return every clash among the facts of `frame`."""
    by_domain: dict[str, list[Fact]] = defaultdict(list)
    for fact in frame.facts.values():
        by_domain[fact.statement.domain].append(fact)
    return [clash for facts in by_domain.values() for clash in _domain_clashes(facts, frame)]


def _domain_clashes(facts: list[Fact], frame: Frame) -> Iterator[Clash]:
    positive = [fact for fact in facts if fact.statement.polarity]
    for constraint, keys in PAIRWISE.items():
        yield from _pairs(frame, constraint, facts if constraint == "polarity" else positive, keys)
    yield from _alone(frame, positive)
    yield from _acyclic(frame, positive)
    yield from _cardinality(frame, positive)


KeysOf = Callable[[Fact, Frame], "list[tuple[tuple[str, ...], str]]"]
"""Group keys of a fact, each with the side it stands on: sides of one letter never clash."""


def _pairs(frame: Frame, constraint: str, facts: list[Fact], keys: KeysOf) -> Iterator[Clash]:
    groups: dict[tuple[str, ...], list[tuple[str, Fact]]] = defaultdict(list)
    for fact in facts:
        for key, side in keys(fact, frame):
            groups[key].append((side, fact))
    for key, members in groups.items():
        for (side, one), (opposite, other) in combinations(members, 2):
            if side == opposite or one.fid == other.fid:
                continue
            if not clashing_values(constraint, one, other, frame):
                continue
            found = frame.clash(constraint, one, other)
            if found is not Overlap.NO:
                group = (constraint, one.statement.domain, key)
                yield Clash(group, one.fid, other.fid, found)


def clashing_values(constraint: str, one: Fact, other: Fact, frame: Frame) -> bool:
    """Return whether two values of one group on different sides differ by enough to clash."""
    if constraint != "functional":
        return True
    tolerance = frame.times.tolerance(one.statement.relation.canon)
    return apart(one.statement.value, other.statement.value, tolerance)


def _functional_key(fact: Fact, frame: Frame) -> list[tuple[tuple[str, ...], str]]:
    said = fact.statement
    if not frame.times.functional(said.relation.canon):
        return []
    return [((said.relation.canon, term_key(said.entity)), term_key(said.value))]


def _inverse_functional_key(fact: Fact, frame: Frame) -> list[tuple[tuple[str, ...], str]]:
    said = fact.statement
    decl = frame.declarations.relations.get(said.relation.canon)
    if decl is None or not decl.inverse_functional:
        return []
    return [((said.relation.canon, term_key(said.value)), term_key(said.entity))]


def _polarity_key(fact: Fact, frame: Frame) -> list[tuple[tuple[str, ...], str]]:
    said = fact.statement
    key = (said.relation.canon, term_key(said.entity), term_key(said.value))
    return [(key, "+" if said.polarity else "-")]


def _opposite_keys(fact: Fact, frame: Frame) -> list[tuple[tuple[str, ...], str]]:
    said = fact.statement
    mine = said.relation.canon
    relations = frame.declarations.relations
    rivals = {
        other for other, decl in relations.items()
        if mine in decl.opposite or other in (relations[mine].opposite if mine in relations else ())
    }
    return [
        ((*sorted((mine, rival)), term_key(said.entity), term_key(said.value)), mine)
        for rival in rivals if rival != mine
    ]


def _disjoint_keys(fact: Fact, frame: Frame) -> list[tuple[tuple[str, ...], str]]:
    said = fact.statement
    if said.relation.canon != MEMBER or not isinstance(said.value, Name):
        return []
    found: list[tuple[tuple[str, ...], str]] = []
    for mine in ancestors(said.value.canon, frame.declarations):
        for rival, decl in frame.declarations.classes.items():
            own = frame.declarations.classes.get(mine)
            if mine in decl.disjoint or (own is not None and rival in own.disjoint):
                first, second = sorted((mine, rival))
                found.append(((first, second, term_key(said.entity)), mine))
    return found


def _asymmetric_key(fact: Fact, frame: Frame) -> list[tuple[tuple[str, ...], str]]:
    said = fact.statement
    decl = frame.declarations.relations.get(said.relation.canon)
    if decl is None or not decl.asymmetric or said.entity == said.value:
        return []
    ends = sorted((term_key(said.entity), term_key(said.value)))
    return [((said.relation.canon, *ends), term_key(said.entity))]


PAIRWISE: Mapping[str, KeysOf] = {
    "functional": _functional_key,
    "inverse-functional": _inverse_functional_key,
    "polarity": _polarity_key,
    "opposite": _opposite_keys,
    "disjoint": _disjoint_keys,
    "asymmetric": _asymmetric_key,
}
"""The constraints that set two facts against one another; all but polarity on positive facts."""


def _alone(frame: Frame, positive: list[Fact]) -> Iterator[Clash]:
    """Find the facts that a constraint refuses by themselves: irreflexive, domain, range."""
    for fact in positive:
        said = fact.statement
        relation = said.relation.canon
        decl = frame.declarations.relations.get(relation)
        if decl is None:
            continue
        if (decl.irreflexive or decl.asymmetric) and said.entity == said.value:
            key = (relation, term_key(said.entity))
            yield Clash(("irreflexive", said.domain, key), fact.fid, None, Overlap.YES)
        known = _known(said.domain, said.entity, frame)
        if decl.domain and known and not known & set(decl.domain):
            key = (relation, term_key(said.entity))
            yield Clash(("domain", said.domain, key), fact.fid, None, Overlap.YES)
        if not in_range(said.domain, said.value, decl.range, decl.unit, frame):
            key = (relation, term_key(said.value))
            yield Clash(("range", said.domain, key), fact.fid, None, Overlap.YES)


def _known(domain: str, term: Term, frame: Frame) -> set[str]:
    known: set[str] = set()
    for klass in frame.classes.get((domain, term), ()):
        known |= ancestors(klass, frame.declarations)
    return known


def in_range(
    domain: str, value: Term, words: tuple[str, ...], unit: str | None, frame: Frame
) -> bool:
    """Return whether a value is what RANGE and UNIT ask for."""
    kinds = {word for word in words if word in _LITERALS}
    classes = {word for word in words if word not in _LITERALS}
    if not kinds and not classes and unit is None:
        return True
    if isinstance(value, Value):
        if value.kind.value in kinds:
            return True
        one = number("1")
        based = convert(one, unit) if unit is not None and one is not None else None
        quantity = value.kind is ValueKind.QUANTITY and based is not None
        return quantity and not kinds and based is not None and value.unit == based[1]
    if not classes:
        return False
    known = _known(domain, value, frame)
    return not known or bool(known & classes)


def _acyclic(frame: Frame, positive: list[Fact]) -> Iterator[Clash]:
    edges: dict[str, list[Fact]] = defaultdict(list)
    for fact in positive:
        decl = frame.declarations.relations.get(fact.statement.relation.canon)
        if decl is not None and decl.acyclic:
            edges[fact.statement.relation.canon].append(fact)
    for relation, members in edges.items():
        reachable = {term_key(f.statement.entity): set[str]() for f in members}
        for start in reachable:
            reachable[start] = _reached(start, members)
        rings: dict[str, list[Fact]] = defaultdict(list)
        for fact in members:
            tail, head = term_key(fact.statement.entity), term_key(fact.statement.value)
            if tail in reachable.get(head, ()) or tail == head:
                ring = {n for n in reachable if n in reachable[tail] and tail in reachable[n]}
                rings[min(ring | {tail})].append(fact)
        for smallest, ring_facts in rings.items():
            always = all(frame.extents(f) == [(None, None)] for f in ring_facts)
            found = Overlap.YES if always else Overlap.MAYBE
            group = ("acyclic", ring_facts[0].statement.domain, (relation, smallest))
            yield from _all_pairs(group, ring_facts, found)


def _reached(start: str, edges: list[Fact]) -> set[str]:
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        here = ahead.pop()
        for edge in edges:
            head = term_key(edge.statement.value)
            if term_key(edge.statement.entity) == here and head not in seen:
                seen.add(head)
                ahead.append(head)
    return seen


def _all_pairs(group: Group, facts: list[Fact], found: Overlap) -> Iterator[Clash]:
    if len(facts) == 1:
        yield Clash(group, facts[0].fid, None, found)
    for one, other in combinations(facts, 2):
        yield Clash(group, one.fid, other.fid, found)


def _cardinality(frame: Frame, positive: list[Fact]) -> Iterator[Clash]:
    groups: dict[tuple[str, ...], list[Fact]] = defaultdict(list)
    for fact in positive:
        decl = frame.declarations.relations.get(fact.statement.relation.canon)
        if decl is not None and decl.cardinality is not None:
            said = fact.statement
            groups[said.relation.canon, term_key(said.entity)].append(fact)
    for key, facts in groups.items():
        most = frame.declarations.relations[key[0]].cardinality
        assert most is not None
        group = ("cardinality", facts[0].statement.domain, key)
        for surely, found in ((False, Overlap.MAYBE), (True, Overlap.YES)):
            for crowd in _crowds(facts, most, frame, surely):
                yield from _all_pairs(group, crowd, found)


def _crowds(facts: list[Fact], most: int, frame: Frame, surely: bool) -> list[list[Fact]]:
    """Return the facts of each instant at which more than `most` values hold, or may hold."""
    zone = frame.times.zone
    instants = {-FOREVER}
    for fact in facts:
        for start, _ in frame.extents(fact):
            instants.update((start_reach(start, zone).lo, start_reach(start, zone).hi))
    crowds = []
    for instant in sorted(instants):
        here = [fact for fact in facts if _holds(fact, instant, frame, surely)]
        if len({term_key(fact.statement.value) for fact in here}) > most:
            crowds.append(here)
    return crowds


def _holds(fact: Fact, instant: int, frame: Frame, surely: bool) -> bool:
    zone = frame.times.zone
    for start, end in frame.extents(fact):
        if surely and UNKNOWN in (start, end):
            continue
        low, high = start_reach(start, zone), end_reach(end, zone)
        if surely and low.hi <= instant < high.lo:
            return True
        if not surely and low.lo <= instant < high.hi:
            return True
    return False


# --- conflicts ----------------------------------------------------------------------------------


def conflict_id(group: Group) -> str:
    """Return the stable id of a conflict: constraint, domain and group key."""
    constraint, domain, key = group
    return digest("conflict", constraint, domain, *key)[:16]


def conflicts(found: list[Clash], frame: Frame) -> dict[str, Conflict]:
    """Group clashes into conflicts, none of them settled yet."""
    groups: dict[Group, list[Clash]] = defaultdict(list)
    for clash in found:
        groups[clash.group].append(clash)
    whole: dict[str, Conflict] = {}
    for group, members in groups.items():
        fids = {c.one for c in members} | {c.other for c in members if c.other is not None}
        policies = [frame.times.policies[fid] for fid in fids]
        whole[conflict_id(group)] = Conflict(
            id=conflict_id(group),
            constraint=group[0],
            domain=group[1],
            key=group[2],
            members=tuple(sorted(fids)),
            policy=max(policies, key=lambda p: STRICTNESS[p]),
            overlap=strongest([c.overlap for c in members]),
        )
    return whole
