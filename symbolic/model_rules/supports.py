"""Every step that gives a deduced triple, and every breach of a rule without a head: all of them.

Listed after the fixpoint, from rows and finished stretches alone. A step is a rule, a binding, and
one row or stretch for each atom that have an instant in common; its bounds are exactly what they
share. docs/fold.md section 13.4.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from symbolic.deduced import Breach, Deduced, Premise, Row, Support, Triple
from symbolic.model_rules.evaluate import UNMOVED, Level, Moment, Spelled
from symbolic.model_rules.matching import (
    Binding,
    Span,
    allowed,
    common,
    ground,
    head_of,
    meet,
    plain,
)
from symbolic.rules.syntax import Atom, Rule

ALWAYS: Span = (None, None)

Found = tuple[Premise, int, bool]
"""A premise, how far it is trusted, and whether it is so from imprecise proofs alone."""


def readings(premise: Premise, level: Level) -> Iterator[Found]:
    """Yield a premise as its best proof has it, and once more if its best precise one is weaker."""
    trust, sure = level
    if trust != sure:
        yield premise, trust, True
    if sure is not None:
        yield premise, sure, False


@dataclass(frozen=True, slots=True)
class Grounds:
    """What premises can be in one domain: rows and stretches, maximal spells, and gaps."""

    domain: str
    zone: str
    found: Mapping[str, Sequence[Found]]
    spells: Mapping[str, Sequence[Found]]
    gaps: Mapping[Triple, tuple[Span, ...]]

    @classmethod
    def of(
        cls, rows: Sequence[Row], deduced: Mapping[Triple, Deduced], timeline: Sequence[Moment],
        domain: str, zone: str,
    ) -> Grounds:  # fmt: skip
        """Collect them, by relation."""
        found: dict[str, list[Found]] = defaultdict(list)
        for row in rows:
            premise = Premise(row.triple, row.lo, row.hi, row.fid)
            found[row.triple.relation.canon].append((premise, row.trust, row.imprecise))
        for triple, one in deduced.items():
            for part in one.spells:
                premise = Premise(triple, part.lo, part.hi)
                found[triple.relation.canon].extend(readings(premise, (part.trust, part.sure)))
        spells: dict[str, list[Found]] = defaultdict(list)
        gaps: dict[Triple, tuple[Span, ...]] = {}
        for triple, whole in Spelled.of(timeline).spells.items():
            for (lo, hi), level in whole.items():
                spells[triple.relation.canon].extend(readings(Premise(triple, lo, hi), level))
            gaps[triple] = between(list(whole))
        return cls(domain, zone, found, spells, gaps)


def between(spells: Sequence[Span]) -> tuple[Span, ...]:
    """Return the gaps that disjoint spells leave, the endless ones included."""
    ordered = sorted(spells, key=lambda span: (span[0] is not None, span[0] or 0))
    ends = [None, *(hi for _, hi in ordered)]
    starts = [*(lo for lo, _ in ordered), None]
    gaps = []
    for nth, (lo, hi) in enumerate(zip(ends, starts, strict=True)):
        if (nth == 0 or lo is not None) and (nth == len(ordered) or hi is not None):
            gaps.append((lo, hi))
    return tuple(gaps)


@dataclass(frozen=True, slots=True)
class Step:
    """A rule applied: what its variables stand for, its premises, and the instants it covers."""

    binding: Binding
    premises: tuple[Premise, ...]
    span: Span
    trust: int
    imprecise: bool


def steps(rule: Rule, grounds: Grounds) -> Iterator[Step]:
    """Yield every way in which the body of `rule` is met."""
    if rule.domain not in (None, grounds.domain):
        return
    for found in _met(rule.positive, grounds):
        if not allowed(rule, found.binding, grounds.zone):
            continue
        span: Span | None = found.span
        if rule.head is not None and rule.head.spell is not None and span is not None:
            span = common(span, found.binding.spells[rule.head.spell])
        if span is not None:
            yield from _without(rule, replace(found, span=span), grounds)


def _met(atoms: Sequence[Atom], grounds: Grounds) -> Iterator[Step]:
    """Yield the ways in which all of `atoms` are found with a common instant."""
    ahead = [Step(Binding(), (), ALWAYS, UNMOVED[0], False)]
    for atom in atoms:
        source = grounds.found if atom.spell is None else grounds.spells
        longer = []
        for step in ahead:
            for premise, trust, imprecise in source.get(atom.relation, ()):
                own = premise.lo, premise.hi
                span = common(step.span, own if atom.spell is None else ALWAYS)
                if span is None:
                    continue
                for binding in meet(atom, premise.triple, step.binding, own):
                    longer.append(Step(
                        binding, (*step.premises, premise), span,
                        min(step.trust, trust), step.imprecise or imprecise,
                    ))  # fmt: skip
        ahead = longer
    yield from ahead


def _without(rule: Rule, step: Step, grounds: Grounds) -> Iterator[Step]:
    """Yield a step for each choice of gaps in which the absent atoms of `rule` are not found."""
    ahead: list[tuple[tuple[Premise, ...], Span]] = [((), step.span)]
    for atom in rule.absent:
        triple = ground(atom, step.binding, grounds.domain)
        longer = []
        for premises, span in ahead:
            for lo, hi in grounds.gaps.get(triple, (ALWAYS,)):
                shared = common(span, (lo, hi))
                if shared is not None:
                    gap = Premise(triple, lo, hi, absent=True)
                    longer.append(((*premises, gap), shared))
        ahead = longer
    for gaps, span in ahead:
        found, missing = iter(step.premises), iter(gaps)
        ordered = tuple(
            next(found) if isinstance(one, Atom) else next(missing) for one in plain(rule)
        )
        yield replace(step, premises=ordered, span=span)


def supports(rules: Sequence[Rule], grounds: Grounds) -> dict[Triple, frozenset[Support]]:
    """Return every support of every triple that `rules` give, withheld spans included."""
    found: dict[Triple, set[Support]] = defaultdict(set)
    for rule in rules:
        for step in steps(rule, grounds):
            head = head_of(rule, step.binding, grounds.domain)
            if head is not None:
                found[head].add(Support(
                    head, rule.id, step.premises, *step.span, step.trust, step.imprecise,
                ))  # fmt: skip
    return {triple: frozenset(all_of) for triple, all_of in found.items()}


def breaches(rule: Rule, grounds: Grounds) -> set[Breach]:
    """Return every breach of a rule without a head."""
    return {
        Breach(rule.id, grounds.domain, step.premises, *step.span, step.trust, step.imprecise)
        for step in steps(rule, grounds)
    }
