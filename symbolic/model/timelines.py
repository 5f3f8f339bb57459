"""Points, spells and clashes on timelines: docs/fold.md section 8."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from symbolic.canon import term_key
from symbolic.model.intervals import earlier_end, end_reach, ends_by, start_reach
from symbolic.records import UNKNOWN, Declarations, Overlap, Policy
from symbolic.values import apart, reach
from symbolic.world import Fact, Spell


@dataclass(frozen=True, slots=True)
class Point:
    """Where a fact enters its timeline; `at` None is the open start, before all others."""

    at: str | None
    fact: Fact


@dataclass(frozen=True, slots=True)
class Times:
    """The zone, policies and declarations that time is computed under."""

    zone: str
    declarations: Declarations
    policies: Mapping[str, Policy]

    def functional(self, relation: str) -> bool:
        """Return whether the relation is declared FUNCTIONAL."""
        decl = self.declarations.relations.get(relation)
        return decl is not None and decl.functional

    def tolerance(self, relation: str) -> str | None:
        """Return the declared TOLERANCE of the relation."""
        decl = self.declarations.relations.get(relation)
        return decl.tolerance if decl else None

    def before(self, one: str | None, other: str | None) -> bool:
        """Return whether a point at `one` is provably before a point at `other`."""
        if one is None or other is None:
            return one is None and other is not None
        return reach(one, self.zone).hi <= reach(other, self.zone).lo

    def on_timeline(self, fact: Fact) -> bool:
        """Return whether the fact's policy puts it on a timeline."""
        return self.policies[fact.fid] is Policy.TEMPORAL

    def line_of(self, fact: Fact) -> tuple[str, ...]:
        """Return the key of the fact's timeline."""
        said = fact.statement
        key = (said.domain, term_key(said.entity), said.relation.canon)
        return key if self.functional(said.relation.canon) else (*key, term_key(said.value))


def evidence(fact: Fact) -> list[str]:
    """Return the distinct evidence dates of a fact's live assertions."""
    return sorted({a.evidence_date for a in fact.live if a.evidence_date is not None})


def points(fact: Fact, times: Times) -> list[str | None]:
    """Return the points of a fact on its timeline."""
    start, end = fact.statement.valid_from, fact.statement.valid_to
    zone = times.zone
    if start not in (None, UNKNOWN):
        return [start]
    if start is None and end == UNKNOWN:
        return []
    dates = evidence(fact)
    if start == UNKNOWN:
        fitting = _dates_before(end, dates, zone)
        return [_earliest(fitting, zone)] if fitting else []
    if end is None:
        return list(dates)
    inside: list[str | None] = [d for d in dates if reach(d, zone).lo < reach(end, zone).lo]
    return inside or [None]


def _dates_before(end: str | None, dates: list[str], zone: str) -> list[str]:
    """Return the dates that are provably before an end: all before an open one, none before "?"."""
    if end == UNKNOWN:
        return []
    return [d for d in dates if reach(d, zone).hi <= end_reach(end, zone).lo]


def _earliest(dates: list[str], zone: str) -> str:
    return min(dates, key=lambda d: (reach(d, zone).lo, d))


def undated(fact: Fact, times: Times) -> bool:
    """Return whether a timeline fact has neither bound and no evidence date."""
    said = fact.statement
    return said.valid_from is None and said.valid_to is None and not points(fact, times)


def against(one: Fact, other: Fact, times: Times) -> bool:
    """Return whether the values of two facts of one timeline set them against one another."""
    a, b = one.statement, other.statement
    if a.polarity != b.polarity:
        return a.value == b.value
    if not a.polarity or not times.functional(a.relation.canon):
        return False
    return apart(a.value, b.value, times.tolerance(a.relation.canon))


def timeline_spells(facts: list[Fact], times: Times) -> dict[str, tuple[Spell, ...]]:
    """Return the spells of all facts of one timeline."""
    marks = [Point(at, fact) for fact in facts for at in points(fact, times)]
    found: dict[str, list[Spell]] = {fact.fid: [] for fact in facts}
    for point in marks:
        end, ender = _end_of(point, marks, times)
        if point.fact.closed is not None:
            bound, by = point.fact.closed
            if reach(bound, times.zone).lo < end_reach(end, times.zone).lo:
                end, ender = bound, by
        found[point.fact.fid].append(Spell(point.at, end, ender))
    return {fid: _merged(spells, times.zone) for fid, spells in found.items()}


def _end_of(point: Point, marks: list[Point], times: Times) -> tuple[str | None, str | None]:
    stated = point.fact.statement.valid_to
    if stated not in (None, UNKNOWN):
        return stated, None
    if stated == UNKNOWN:
        over = [d for d in evidence(point.fact) if times.before(point.at, d)]
        if over:
            return _earliest(over, times.zone), None
    following = [
        q for q in marks
        if times.before(point.at, q.at) and against(point.fact, q.fact, times)
    ]
    if not following:
        return None, None

    def place(q: Point) -> tuple[int, str, str]:
        return start_reach(q.at, times.zone).lo, q.at or "", q.fact.fid

    ender = min(following, key=place)
    return ender.at, ender.fact.fid


def _merged(spells: list[Spell], zone: str) -> tuple[Spell, ...]:
    """Merge the spells of one fact that touch or overlap, in the order of their starts."""
    whole: list[Spell] = []
    for spell in sorted(spells, key=lambda s: (start_reach(s.start, zone).lo, s.start or "")):
        if whole:
            last = whole[-1]
            if start_reach(spell.start, zone).lo <= end_reach(last.end, zone).lo:
                whole[-1] = Spell(last.start, spell.end, spell.ended_by)
                continue
        whole.append(spell)
    return tuple(whole)


def plain_spells(fact: Fact, times: Times) -> tuple[Spell, ...]:
    """Return the one spell of a fact that is on no timeline, if it has one."""
    start, end, zone = fact.statement.valid_from, fact.statement.valid_to, times.zone
    dates = evidence(fact)
    ender: str | None = None
    if start in (None, UNKNOWN) and end == UNKNOWN:
        return ()
    if end == UNKNOWN:
        over = [d for d in dates if times.before(start, d)]
        end = _earliest(over, zone) if over else None
    if fact.closed is not None and reach(fact.closed[0], zone).lo < end_reach(end, zone).lo:
        end, ender = fact.closed
    if start == UNKNOWN:
        fitting = _dates_before(end, dates, zone)
        if not fitting:
            return ()
        start = _earliest(fitting, zone)
    return (Spell(start, end, ender),)


def all_spells(facts: Mapping[str, Fact], times: Times) -> dict[str, tuple[Spell, ...]]:
    """Return the spells of every standing fact."""
    lines: dict[tuple[str, ...], list[Fact]] = defaultdict(list)
    found: dict[str, tuple[Spell, ...]] = {}
    for fact in facts.values():
        if times.on_timeline(fact):
            lines[times.line_of(fact)].append(fact)
        else:
            found[fact.fid] = plain_spells(fact, times)
    for members in lines.values():
        found.update(timeline_spells(members, times))
    return found


def timeline_clash(one: Fact, other: Fact, times: Times) -> Overlap:
    """Return MAYBE if the timeline cannot decide between two facts set against one another."""
    mine, theirs = points(one, times), points(other, times)
    if not mine or not theirs:
        lonely = (one if not mine else None, other if not theirs else None)
        loose = any(fact is not None and undated(fact, times) for fact in lonely)
        return Overlap.MAYBE if loose else Overlap.NO
    for p in mine:
        for q in theirs:
            if times.before(p, q):
                if _runs_into(one, q, times):
                    return Overlap.MAYBE
            elif times.before(q, p):
                if _runs_into(other, p, times):
                    return Overlap.MAYBE
            else:
                return Overlap.MAYBE
    return Overlap.NO


def _runs_into(fact: Fact, later: str | None, times: Times) -> bool:
    """Return whether a stated end is not provably over when the later point begins."""
    stated = fact.statement.valid_to
    end = None if stated == UNKNOWN else stated
    if fact.closed is not None:
        end = earlier_end(end, fact.closed[0], times.zone)
    return end is not None and not ends_by(end, later, times.zone)
