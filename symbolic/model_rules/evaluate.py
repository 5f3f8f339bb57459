"""What rules derive, found naively: one fixpoint for each stratum in each elementary interval.

All bounds of all rows cut time into elementary intervals. Within one nothing changes, so rules are
evaluated there as if there were no time; only an atom with `@S` looks at whole maximal spells, of
strata that are done. docs/fold.md section 13 says the same in words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from symbolic.deduced import Instant, Row, Stretch, Triple
from symbolic.model_rules.matching import Binding, Span, allowed, common, ground, head_of, meet
from symbolic.model_rules.rows import Cut
from symbolic.records import TRUST
from symbolic.rules.syntax import Atom, Predicate, Rule

Level = tuple[int, int | None]
"""The trust of the best proof, and of the best that reads no imprecise bound, if there is one."""

UNMOVED: Level = (max(TRUST.values()), max(TRUST.values()))
"""The level of a body without premises that are found."""


def better(one: Level, other: Level) -> Level:
    """Return the better trust of two proofs, each of the two kinds apart."""
    sures = [sure for sure in (one[1], other[1]) if sure is not None]
    return max(one[0], other[0]), max(sures, default=None)


def weakest(levels: Iterable[Level]) -> Level:
    """Return the level of a step with premises of these `levels`."""
    trusts, sures = zip(UNMOVED, *levels, strict=True)
    known = [sure for sure in sures if sure is not None]
    return min(trusts), min(known) if len(known) == len(sures) else None


Facts = dict[Triple, Level]


@dataclass(frozen=True, slots=True)
class Moment:
    """An elementary interval: what holds in it, and of that what rules derived."""

    span: Span
    facts: Facts
    derived: Facts
    withheld: set[Triple]


def moments(rows: Sequence[Row]) -> list[Moment]:
    """Return the elementary intervals of `rows`, in order, with what base facts hold in each."""
    bounds = sorted({b for row in rows for b in (row.lo, row.hi) if b is not None})
    edges: list[Instant] = [None, *bounds, None]
    found = []
    for span in pairwise(edges):
        facts: Facts = {}
        for row in rows:
            if common((row.lo, row.hi), span) is not None:
                level = row.trust, None if row.imprecise else row.trust
                facts[row.triple] = better(facts.get(row.triple, level), level)
        found.append(Moment(span, facts, {}, set()))
    return found


@dataclass(frozen=True, slots=True)
class Spelled:
    """The maximal spells of every triple, with the weakest level each has anywhere."""

    spells: Mapping[Triple, Mapping[Span, Level]]

    @classmethod
    def of(cls, timeline: Sequence[Moment]) -> Spelled:
        """Coalesce what holds in neighbouring intervals, whatever its trust."""
        spells: dict[Triple, dict[Span, Level]] = {}
        for triple in {triple for moment in timeline for triple in moment.facts}:
            runs: list[tuple[Span, list[Level]]] = []
            for moment in timeline:
                if triple not in moment.facts:
                    continue
                level = moment.facts[triple]
                if runs and runs[-1][0][1] == moment.span[0] and moment.span[0] is not None:
                    span, levels = runs[-1]
                    runs[-1] = (span[0], moment.span[1]), [*levels, level]
                else:
                    runs.append((moment.span, [level]))
            spells[triple] = {span: weakest(levels) for span, levels in runs}
        return cls(spells)


@dataclass(frozen=True, slots=True)
class Run:
    """What holds when, which rules ran, and {rule: how much} of those that derive too much.

    `silent` are the predicates of these and of all that reads them: nothing is derived of them.
    """

    timeline: list[Moment]
    ran: list[Rule]
    over: dict[str, int]
    silent: set[Predicate]

    def hears(self, rule: Rule) -> bool:
        """Return whether all that a rule reads is there to be read."""
        return not any(read in self.silent for read, _ in rule.reads())


def evaluate(
    rows: Sequence[Row], strata: Sequence[Sequence[Rule]], domain: str, zone: str, cut: Cut,
    most: int,
) -> Run:  # fmt: skip
    """Return what holds in each interval of one domain once all `strata` are evaluated."""
    run = Run(moments(rows), [], {}, set())
    for stratum in strata:
        rules = [rule for rule in stratum if rule.domain in (None, domain)]
        heads = {rule.head.predicate for rule in rules if rule.head is not None}
        if not all(run.hears(rule) for rule in rules):
            run.silent.update(heads)
            continue
        spelled = Spelled.of(run.timeline)
        news = [_fixpoint(rules, moment, spelled, domain, zone, cut) for moment in run.timeline]
        count = len({triple for derived, withheld in news for triple in (*derived, *withheld)})
        if count > most:
            run.over.update({rule.id: count for rule in rules})
            run.silent.update(heads)
            continue
        run.ran.extend(rules)
        for moment, (derived, withheld) in zip(run.timeline, news, strict=True):
            for triple, level in derived.items():
                moment.derived[triple] = better(moment.derived.get(triple, level), level)
                moment.facts[triple] = better(moment.facts.get(triple, level), level)
            moment.withheld.update(withheld)
    return run


def _fixpoint(
    rules: Sequence[Rule], moment: Moment, spelled: Spelled, domain: str, zone: str, cut: Cut
) -> tuple[Facts, set[Triple]]:
    """Apply `rules` in one interval until nothing is added and no trust rises."""
    derived: Facts = {}
    withheld: set[Triple] = set()
    moved = True
    while moved:
        moved = False
        facts = dict(moment.facts)
        for triple, level in derived.items():
            facts[triple] = better(facts.get(triple, level), level)
        shelves = _shelved(facts)
        for rule in rules:
            for head, level in _steps(rule, facts, shelves, moment.span, spelled, domain, zone):
                if any(common(span, moment.span) is not None for span in cut(head)):
                    withheld.add(head)
                    continue
                best = better(derived.get(head, level), level)
                if derived.get(head) != best:
                    derived[head] = best
                    moved = True
    return derived, withheld


Shelves = Mapping[str, Sequence[tuple[Triple, Level]]]
"""Facts by relation."""


def _shelved(facts: Facts) -> Shelves:
    shelves: dict[str, list[tuple[Triple, Level]]] = defaultdict(list)
    for triple, level in facts.items():
        shelves[triple.relation.canon].append((triple, level))
    return shelves


def _steps(
    rule: Rule, facts: Facts, shelves: Shelves, span: Span, spelled: Spelled, domain: str,
    zone: str,
) -> list[tuple[Triple, Level]]:  # fmt: skip
    """Return what one rule says in one interval, and how surely."""
    found = []
    for binding, level in _bindings(rule.positive, shelves, spelled):
        if not allowed(rule, binding, zone):
            continue
        if any(ground(atom, binding, domain) in facts for atom in rule.absent):
            continue
        if rule.head is not None and rule.head.spell is not None and (
            common(binding.spells[rule.head.spell], span) is None
        ):
            continue
        head = head_of(rule, binding, domain)
        if head is not None:
            found.append((head, level))
    return found


def _bindings(
    atoms: Sequence[Atom], shelves: Shelves, spelled: Spelled
) -> Iterator[tuple[Binding, Level]]:
    ahead: list[tuple[Binding, Level]] = [(Binding(), UNMOVED)]
    for atom in atoms:
        candidates: list[tuple[Triple, Span, Level]] = (
            [(triple, (None, None), level) for triple, level in shelves.get(atom.relation, ())]
            if atom.spell is None
            else [(t, span, level) for t, spells in spelled.spells.items()
                  for span, level in spells.items()]
        )  # fmt: skip
        ahead = [
            (longer, weakest((level, its)))
            for binding, level in ahead
            for triple, spell, its in candidates
            for longer in meet(atom, triple, binding, spell)
        ]
    yield from ahead


def stretches(timeline: Sequence[Moment], triple: Triple) -> tuple[Stretch, ...]:
    """Return what rules derived of a triple: neighbours of equal trusts are one stretch."""
    found: list[Stretch] = []
    for moment in timeline:
        level = moment.derived.get(triple)
        if level is None:
            continue
        lo, hi = moment.span
        if found and lo is not None and (found[-1].hi, found[-1].trust, found[-1].sure) == (
            lo, *level
        ):
            lo = found.pop().lo
        found.append(Stretch(lo, hi, *level))
    return tuple(found)


def cuts(timeline: Sequence[Moment], triple: Triple) -> tuple[Span, ...]:
    """Return the spans in which a triple that would follow is withheld."""
    found: list[Span] = []
    for moment in timeline:
        if triple in moment.withheld:
            lo, hi = moment.span
            if found and lo is not None and found[-1][1] == lo:
                lo = found.pop()[0]
            found.append((lo, hi))
    return tuple(found)
