"""Time among facts: extents, overlap, points on a timeline, spells, and when two facts clash.

Pure functions over `Case`, one standing fact as constraints see it. The store fills cases from
rows and admission from a view, so both judge by the same code (docs/fold.md, sections 7 and 8).
A bound that is open stands before or after everything; "?" may lie anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from symbolic.records import UNKNOWN, Name, Overlap, Policy, Term
from symbolic.values import FOREVER, BadValue, apart, parse_bound, reach
from symbolic.world import Spell

Bound = str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A standing fact. `dates` are the distinct evidence dates of its live assertions.

    `closed` is (bound, fid) where a person closed it. `spells` is empty until they are computed.
    """

    fid: str
    domain: str
    entity: Name
    relation: str
    value: Term
    polarity: bool
    start: Bound
    end: Bound
    policy: Policy
    closed: tuple[str, str] | None = None
    dates: tuple[str, ...] = ()
    spells: tuple[Spell, ...] = ()

    def holding(self, spells: tuple[Spell, ...]) -> Case:
        """Return the case with its spells."""
        return Case(
            fid=self.fid, domain=self.domain, entity=self.entity, relation=self.relation,
            value=self.value, polarity=self.polarity, start=self.start, end=self.end,
            policy=self.policy, closed=self.closed, dates=self.dates, spells=spells,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Point:
    """Where a fact enters its timeline; None is the open start, before all others."""

    bound: Bound
    case: Case


def known(bound: Bound) -> bool:
    """Return whether a bound is stated and not "?"."""
    return bound is not None and bound != UNKNOWN


def _lo(bound: Bound, zone: str, open_: int) -> int:
    return open_ if bound is None else reach(bound, zone).lo


def _hi(bound: Bound, zone: str, open_: int) -> int:
    return open_ if bound is None else reach(bound, zone).hi


@lru_cache(maxsize=8192)
def clean_date(text: str | None, zone: str) -> str | None:
    """Return an evidence date as a canonical bound, None if it is none."""
    try:
        bound = parse_bound(text, zone)
    except BadValue:
        return None
    return bound if known(bound) else None


def by_time(dates: Iterable[str], zone: str) -> list[str]:
    """Return `dates` from the earliest; ties by the bound itself."""
    return sorted(dates, key=lambda bound: (reach(bound, zone).lo, bound))


# --- overlap ----------------------------------------------------------------------------------


def ends_by(end: Bound, start: Bound, zone: str) -> bool:
    """Return whether an exclusive `end` provably lies at or before `start`."""
    if end is None or start is None or UNKNOWN in (end, start):
        return False
    return end == start or reach(end, zone).hi <= reach(start, zone).lo


def overlap_of(one: tuple[Bound, Bound], other: tuple[Bound, Bound], zone: str) -> Overlap:
    """Return whether two intervals share an instant: provably not, perhaps, provably."""
    if ends_by(one[1], other[0], zone) or ends_by(other[1], one[0], zone):
        return Overlap.NO
    if UNKNOWN in one or UNKNOWN in other:
        return Overlap.MAYBE
    latest = max(_hi(one[0], zone, -FOREVER), _hi(other[0], zone, -FOREVER))
    first = min(_lo(one[1], zone, FOREVER), _lo(other[1], zone, FOREVER))
    if one[0] == other[0] or one[1] == other[1] or latest < first:
        return Overlap.YES
    if any(_inside(a, b, zone) for a, b in ((one, other), (other, one))):
        return Overlap.YES
    return Overlap.MAYBE


def _inside(part: tuple[Bound, Bound], whole: tuple[Bound, Bound], zone: str) -> bool:
    """Return whether all that `part` may cover lies in what `whole` surely covers."""
    begins = _hi(whole[0], zone, -FOREVER) <= _lo(part[0], zone, -FOREVER)
    return begins and _hi(part[1], zone, FOREVER) <= _lo(whole[1], zone, FOREVER)


def cut(case: Case, end: Bound, zone: str) -> tuple[Bound, str | None]:
    """Return `end`, or the bound at which a person closed the case and for whom, if earlier."""
    if case.closed is None:
        return end, None
    bound, fid = case.closed
    # An unknown end is made known by the closing.
    if _lo(bound, zone, FOREVER) < _lo(end if known(end) else None, zone, FOREVER):
        return bound, fid
    return end, None


def extents(case: Case, zone: str) -> list[tuple[Bound, Bound]]:
    """Return the stretches in which a fact holds, as conflicts see them."""
    if case.policy is Policy.TEMPORAL and case.spells:
        return [(spell.start, spell.end) for spell in case.spells]
    return [(case.start, cut(case, case.end, zone)[0])]


def overlap(one: Case, other: Case, zone: str) -> Overlap:
    """Return the strongest overlap of any two extents of two facts."""
    found = Overlap.NO
    for mine in extents(one, zone):
        for theirs in extents(other, zone):
            seen = overlap_of(mine, theirs, zone)
            if seen is Overlap.YES:
                return seen
            if seen is Overlap.MAYBE:
                found = seen
    return found


# --- points and spells ------------------------------------------------------------------------


def undated(case: Case) -> bool:
    """Return whether nothing says when: no bound and no evidence date."""
    return case.start is None and case.end is None and not case.dates


def points(case: Case, zone: str) -> list[Point]:
    """Return where a fact enters its timeline, from the earliest."""
    if known(case.start):
        return [Point(case.start, case)]
    dates = by_time(case.dates, zone)
    if case.start == UNKNOWN:
        if case.end == UNKNOWN:
            return []
        low = _lo(case.end, zone, FOREVER)
        before = [day for day in dates if reach(day, zone).hi <= low]
        return [Point(day, case) for day in before[:1]]
    if case.end == UNKNOWN:
        return []
    low = _lo(case.end, zone, FOREVER)
    found = [Point(day, case) for day in dates if reach(day, zone).lo < low]
    return found or ([Point(None, case)] if case.end is not None else [])


def before(one: Bound, other: Bound, zone: str) -> bool:
    """Return whether one point provably lies before another; None is the open start."""
    if other is None:
        return False
    return one is None or reach(one, zone).hi <= reach(other, zone).lo


def against(one: Case, other: Case, functional: bool, tolerance: str | None) -> bool:
    """Return whether the values of two facts of one timeline set them against one another."""
    if one.polarity != other.polarity:
        return one.value == other.value
    return one.polarity and functional and apart(one.value, other.value, tolerance)


def spells_on_timeline(
    cases: Sequence[Case], zone: str, *, functional: bool, tolerance: str | None
) -> dict[str, tuple[Spell, ...]]:
    """Return {fid: its spells} for the standing facts of one timeline."""
    line = [point for case in cases for point in points(case, zone)]
    line.sort(key=lambda at: (_lo(at.bound, zone, -FOREVER), at.bound or "", at.case.fid))
    found: dict[str, list[Spell]] = {case.fid: [] for case in cases}
    for index, point in enumerate(line):
        end, by = _end_of(point, line[index + 1 :], zone, functional, tolerance)
        found[point.case.fid].append(Spell(point.bound, end, by))
    return {fid: merged(spells, zone) for fid, spells in found.items()}


def _end_of(
    point: Point, later: Sequence[Point], zone: str, functional: bool, tolerance: str | None
) -> tuple[Bound, str | None]:
    case = point.case
    end: Bound = case.end
    by: str | None = None
    if case.end == UNKNOWN:
        dates = by_time(case.dates, zone)
        end = next((day for day in dates if before(point.bound, day, zone)), None)
    if end is None:
        for following in later:
            if before(point.bound, following.bound, zone) and against(
                case, following.case, functional, tolerance
            ):
                end, by = following.bound, following.case.fid
                break
    closed, closer = cut(case, end, zone)
    return (closed, closer) if closer is not None else (end, by)


def merged(spells: Iterable[Spell], zone: str) -> tuple[Spell, ...]:
    """Return the spells of one fact in order of start, those that touch or overlap as one."""
    out: list[Spell] = []
    for spell in sorted(spells, key=lambda s: (_lo(s.start, zone, -FOREVER), s.start or "")):
        start = _lo(spell.start, zone, -FOREVER)
        if out and start <= _lo(out[-1].end, zone, FOREVER):
            out[-1] = Spell(out[-1].start, spell.end, spell.ended_by)
        else:
            out.append(spell)
    return tuple(out)


def spells_alone(case: Case, zone: str) -> tuple[Spell, ...]:
    """Return the one spell of a fact that is on no timeline, or none."""
    if case.start is None and case.end == UNKNOWN:
        return ()
    if case.start == UNKNOWN and case.end == UNKNOWN:
        return ()
    dates = by_time(case.dates, zone)
    end = case.end
    if end == UNKNOWN:
        end = next((day for day in dates if before(case.start, day, zone)), None)
    end, by = cut(case, end, zone)
    start = case.start
    if start == UNKNOWN:
        low = _lo(end, zone, FOREVER)
        start = next((day for day in dates if reach(day, zone).hi <= low), None)
        if start is None:
            return ()
    return (Spell(start, end, by),)


def clash_on_timeline(one: Case, other: Case, zone: str) -> Overlap:
    """Return MAYBE if two facts set against one another clash on their timeline, else NO."""
    mine, theirs = points(one, zone), points(other, zone)
    if not mine or not theirs:
        lost = (one, mine), (other, theirs)
        return Overlap.MAYBE if any(not at and undated(case) for case, at in lost) else Overlap.NO
    for p in mine:
        for q in theirs:
            if _clash(p, q, zone):
                return Overlap.MAYBE
    return Overlap.NO


def _clash(p: Point, q: Point, zone: str) -> bool:
    if before(p.bound, q.bound, zone):
        first, then = p, q
    elif before(q.bound, p.bound, zone):
        first, then = q, p
    else:
        return True
    end: Bound = first.case.end if known(first.case.end) else None
    end = cut(first.case, end, zone)[0]
    return end is not None and not ends_by(end, then.bound, zone)
