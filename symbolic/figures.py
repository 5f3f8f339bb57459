"""The first lines of an audit: how often referred to, from how many projects, and what came when.

A claim is dated by its heading; a contradiction by the heading that contradicts it; a revision by
the bound at which another fact takes over, else by the journal line that decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from symbolic.labels import superseded_by
from symbolic.records import UNKNOWN, ProseHeading
from symbolic.refer import Reference, References
from symbolic.values import apart, instant_text, reach
from symbolic.world import Fact, View


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """Something that happened to a claim: its bound, the fact and heading, the journal line."""

    at: str
    fid: str | None = None
    heading: str | None = None
    event: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What the first lines of an audit count. Days are None where one of the dates is."""

    origin: str | None
    date: str | None
    references: tuple[Reference, ...]
    projects: tuple[str, ...]
    contradicted: Dated | None
    contradicted_days: int | None
    revised: Dated | None
    revised_days: int | None


def heading_figures(view: View, heading: ProseHeading, links: References) -> Figures:
    """Return the figures of a heading and of all that it says."""
    references = links.to_heading(heading)
    facts = links.grounded(heading.key)
    return _figures(view, heading.key, heading.evidence_date, references, facts)


def fact_figures(view: View, fact: Fact, links: References) -> Figures:
    """Return the figures of one fact; its origin is its earliest heading."""
    origin, day = origin_of(view, fact)
    references = [
        Reference(other, heading)
        for fid in links.to_fact(fact)
        if (other := view.fact(fid)) is not None
        for key in sorted({a.heading for a in other.live if a.heading is not None})
        if (heading := view.heading(key)) is not None
    ]
    return _figures(view, origin, day, tuple(references), (fact,))


def origin_of(view: View, fact: Fact) -> tuple[str | None, str | None]:
    """Return (heading key, date) of the earliest dated assertion, else of the first one."""
    dated = [(a.evidence_date, a.heading or a.key) for a in fact.assertions if a.evidence_date]
    if dated:
        day, key = min(dated, key=lambda row: (_lo(row[0], view.zone), row[1] or ""))
        return key, day
    for first in fact.assertions:
        return first.heading or first.key, first.at
    return None, None


def project_of(path: str) -> str | None:
    """Return the project that a file belongs to: the folder or file right under projects/."""
    parts = path.split("/")
    if parts[0] != "projects" or len(parts) < 2 or not parts[1]:
        return None
    return parts[1].removesuffix(".org") if len(parts) == 2 else parts[1]


def rivals(view: View, fact: Fact) -> tuple[Fact, ...]:
    """Return the facts that contradict `fact`, whether or not they still stand, by fid.

    Members of its conflicts; other values of a functional relation; the other polarity.
    """
    said, found = fact.statement, {}
    for conflict in view.conflicts_of(fact.fid):
        for fid in conflict.members:
            member = view.fact(fid)
            if member is not None:
                found[fid] = member
    decl = view.declarations.relations.get(said.relation.canon)
    near = view.facts(domain=said.domain, entity=said.entity, relation=said.relation.canon)
    for other in near:
        theirs = other.statement
        denied = theirs.polarity != said.polarity and theirs.value == said.value
        both = theirs.polarity and said.polarity and decl is not None and decl.functional
        tolerance = decl.tolerance if decl else None
        if denied or (both and apart(theirs.value, said.value, tolerance)):
            found[other.fid] = other
    found.pop(fact.fid, None)
    return tuple(other for _, other in sorted(found.items()))


def _figures(
    view: View, origin: str | None, day: str | None, references: tuple[Reference, ...],
    facts: Iterable[Fact],
) -> Figures:
    facts = tuple(facts)
    against = _first(_contradictions(view, facts, origin), day, view.zone)
    since = against.at if against else day
    revised = _first(_revisions(view, facts, against), since, view.zone)
    projects = {project_of(reference.heading.path) for reference in references}
    return Figures(
        origin=origin,
        date=day,
        references=references,
        projects=tuple(sorted(project for project in projects if project is not None)),
        contradicted=against,
        contradicted_days=_days(day, against.at if against else None, view.zone),
        revised=revised,
        revised_days=_days(since, revised.at if revised else None, view.zone),
    )


def _contradictions(view: View, facts: Iterable[Fact], origin: str | None) -> Iterator[Dated]:
    for fact in facts:
        for rival in rivals(view, fact):
            for said in rival.assertions:
                at = said.evidence_date or said.at
                if at is not None and (said.heading is None or said.heading != origin):
                    yield Dated(at=at, fid=rival.fid, heading=said.heading, event=said.event)


def _revisions(view: View, facts: Iterable[Fact], against: Dated | None) -> Iterator[Dated]:
    """Yield what changed a claim after it was contradicted, the contradiction itself left out."""
    known = against.fid if against else None
    for fact in facts:
        others = rivals(view, fact)
        for one in (fact, *others):
            by = superseded_by(view, one)
            if by is not None and by.fid != known and by.at is not None:
                yield Dated(at=by.at, fid=by.fid, event=by.event)
            for event in sorted({a.ended_by for a in one.assertions if a.ended_by}):
                line = view.line(event)
                if line is not None:
                    yield Dated(at=line.at, fid=one.fid, event=event)
        for conflict in view.conflicts_of(fact.fid):
            line = view.line(conflict.settled_by) if conflict.settled_by else None
            if line is not None:
                yield Dated(at=line.at, event=line.hash)
        for other in others:
            if other.fid != known:
                for said in other.assertions:
                    if said.evidence_date is not None:
                        yield Dated(at=said.evidence_date, fid=other.fid, heading=said.heading)


def _first(found: Iterable[Dated], since: str | None, zone: str) -> Dated | None:
    """Return the earliest of `found` that does not lie before `since`."""
    least = None if since is None else _lo(since, zone)
    fitting = [one for one in found if least is None or _lo(one.at, zone) >= least]
    return min(
        fitting, key=lambda one: (_lo(one.at, zone), one.fid or "", one.event or ""), default=None
    )


def _lo(bound: str, zone: str) -> int:
    return reach(bound, zone).lo


# --- lengths of time --------------------------------------------------------------------------


def _day(bound: str, zone: str) -> date:
    return date.fromisoformat(instant_text(_lo(bound, zone), zone)[:10])


def _days(start: str | None, end: str | None, zone: str) -> int | None:
    if start in (None, UNKNOWN) or end in (None, UNKNOWN):
        return None
    return (_day(end or "", zone) - _day(start or "", zone)).days


def length(start: str, end: str, zone: str) -> str:
    """Return how long it is from one bound to another, in the largest unit that fits exactly."""
    first, last = _day(start, zone), _day(end, zone)
    days = (last - first).days
    months = (last.year - first.year) * 12 + last.month - first.month
    if months and first.day == last.day:
        return _count(months // 12, "year") if months % 12 == 0 else _count(months, "month")
    if days and days % 7 == 0:
        return _count(days // 7, "week")
    return _count(days, "day")


def _count(number: int, unit: str) -> str:
    return f"{number} {unit}" + ("" if number == 1 else "s")
