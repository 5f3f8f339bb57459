"""What feeds rules, and what withholds what they derive: docs/fold.md sections 13.1 and 13.5."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from symbolic.deduced import Instant, Row, Triple
from symbolic.model.conflicts import PAIRWISE, Frame, clashing_values, policy_of
from symbolic.records import TRUST, UNKNOWN, Policy, Standing, Statement, Term
from symbolic.values import FOREVER, reach
from symbolic.world import Fact, Spell

Span = tuple[Instant, Instant]
"""[lo, hi), None open."""


def triple_of(said: Statement) -> Triple:
    """Return what a rule matches of a statement."""
    return Triple(said.domain, said.entity, said.relation, said.value, said.polarity)


def rows_of(frame: Frame) -> tuple[Row, ...]:
    """Return the rows that the standing facts of `frame` feed, in fid order."""
    return tuple(
        row
        for fid, fact in sorted(frame.facts.items())
        for spell in frame.spells[fid]
        for row in _pieces(fact, spell, frame.times.zone)
    )


def _pieces(fact: Fact, spell: Spell, zone: str) -> Iterator[Row]:
    """Yield the stretch in which only the reading says that a spell has begun, then the rest."""
    lo = None if spell.start is None else reach(spell.start, zone).lo
    hi = None if spell.end is None else reach(spell.end, zone).lo
    if hi is not None and lo is not None and hi <= lo:
        return
    trust = max(TRUST[a.provenance] for a in fact.live)
    triple = triple_of(fact.statement)
    if UNKNOWN in (fact.statement.valid_from, fact.statement.valid_to):
        yield Row(triple, lo, hi, trust, True, fact.fid)
        return
    sure = sure_start(spell.start, zone)
    if sure is not None and sure != lo and lo is not None:
        begun = sure if hi is None else min(sure, hi)
        yield Row(triple, lo, None if begun == FOREVER else begun, trust, True, fact.fid)
    if sure is None or (sure < FOREVER and (hi is None or sure < hi)):
        yield Row(triple, sure, hi, trust, False, fact.fid)


def sure_start(bound: str | None, zone: str) -> Instant:
    """Return the first instant at which what starts with `bound` has surely begun."""
    if bound is None:
        return None
    found = reach(bound, zone)
    return found.lo if "T" in bound else found.hi


Cut = Callable[[Triple], tuple[Span, ...]]
"""From a triple to the spans in which it may not be deduced."""


def withholding(
    frame: Frame,
    trusted: Mapping[tuple[str, Term], set[str]],
    rows: Iterable[Row],
    barred: frozenset[str],
) -> Cut:
    """Return what cuts a deduced triple: exclusive rivals where they surely hold, and people.

    `trusted` are the classes that count for policies, `barred` the fids that a person rejects
    everywhere.
    """
    groups = _groups(frame)
    sure: dict[str, list[Span]] = defaultdict(list)
    for row in rows:
        if not row.imprecise:
            sure[row.fid].append((row.lo, row.hi))

    @cache
    def cut(triple: Triple) -> tuple[Span, ...]:
        said = triple.statement()
        if said.fid in barred:
            return ((None, None),)
        policy = policy_of(said, trusted, frame.declarations)
        rivals = _rivals(said, policy, groups, frame)
        return tuple(span for fid in sorted(rivals) for span in sure[fid])

    return cut


_Groups = Mapping[tuple[str, str, tuple[str, ...]], list[tuple[str, Fact]]]


def _groups(frame: Frame) -> _Groups:
    groups: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, Fact]]] = defaultdict(list)
    for fact in frame.facts.values():
        for group, side in _sides(fact, frame):
            groups[group].append((side, fact))
    return groups


def _sides(fact: Fact, frame: Frame) -> Iterator[tuple[tuple[str, str, tuple[str, ...]], str]]:
    said = fact.statement
    for constraint, keys in PAIRWISE.items():
        if said.polarity or constraint == "polarity":
            for key, side in keys(fact, frame):
                yield (constraint, said.domain, key), side


def _rivals(said: Statement, policy: Policy, groups: _Groups, frame: Frame) -> set[str]:
    """Return the base facts that a pairwise constraint sets against `said`, one exclusively."""
    mine = Fact(statement=said, standing=Standing.STANDING, assertions=())
    return {
        other.fid
        for group, side in _sides(mine, frame)
        for opposite, other in groups.get(group, ())
        if side != opposite
        and Policy.EXCLUSIVE in (policy, frame.times.policies[other.fid])
        and clashing_values(group[0], mine, other, frame)
    }
