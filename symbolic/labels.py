"""Labels: what a standing fact is at an instant. Computed at read, never stored or digested.

    past, open spells, future        by the fact's spells: current, past, future
    ended by another fact            superseded, beside past
    on a timeline without a point    undated
    in an open conflict              disputed
    fewer sources than its rule asks under-sourced

A bound reads as its first instant: a spell is [lo(from), lo(to)). A stated end that would then
not lie after its start ([2024-06-15, 2024)) reads as its last: no fact is true nowhere (S26).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symbolic.canon import canonical, from_json
from symbolic.deduced import Deduced, Stretch
from symbolic.records import HEADING_SUBJECT, UNKNOWN, Line, Standing, Statement
from symbolic.values import FOREVER, BadValue, Reach, parse_bound, reach
from symbolic.world import Assertion, Fact, Source, Spell, View

CURRENT = "current"
FUTURE = "future"
PAST = "past"
SUPERSEDED = "superseded"
UNDATED = "undated"
DISPUTED = "disputed"
UNDER_SOURCED = "under-sourced"
IMPRECISE = "imprecise"
"""Known then from a "?" bound only, or from the reading of a bound as its first instant."""
WITHHELD = "withheld"
"""Rules derive it, and a base fact or a person's refusal stands against it at all times."""
PART = "part"
"""Beside `current` where a fact holds in a part only of the time asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """What took a fact's place: the fact, the bound it began at, a person's line if it was one."""

    fid: str
    at: str | None
    event: str | None = None


def labels(view: View, fact: Fact, at: int | Reach) -> tuple[str, ...]:
    """Return the labels of `fact` at an instant, or over a stretch such as a day.

    `at` is in microseconds on the scale of `values.reach`. Over a stretch a fact is current if it
    holds at any instant of it, and `part` if not at all of them. A fact that does not stand has no
    label but `superseded`, where a person replaced it.
    """
    if fact.standing is not Standing.STANDING:
        return (SUPERSEDED,) if superseded_by(view, fact) else ()
    window = at if isinstance(at, Reach) else Reach(at, at + 1)
    found = list(_in_time(view, fact, window))
    if any(conflict.state == "open" for conflict in view.conflicts_of(fact.fid)):
        found.append(DISPUTED)
    if _under_sourced(fact):
        found.append(UNDER_SOURCED)
    return tuple(found)


def holds(found: tuple[str, ...], *, undated: bool) -> bool:
    """Return whether labels say that a fact answers; `undated` lets in those without a date."""
    return CURRENT in found or (undated and UNDATED in found)


def stretch(spell: Spell, zone: str) -> Reach:
    """Return the instants of a spell, bounds read as their first instants."""
    start, end = spell.start, spell.end
    low = -FOREVER if start in (None, UNKNOWN) else reach(start or "", zone).lo
    high = FOREVER if end in (None, UNKNOWN) else reach(end or "", zone).lo
    if high <= low and spell.ended_by is None:
        high = reach(end or "", zone).hi
    return Reach(low, high)


def moment(text: str, zone: str) -> Reach:
    """Return the stretch that `--at TEXT` or `--as-of TEXT` means: a day is the whole local day.

    Raises BadValue if `text` is no date.
    """
    bound = parse_bound(text, zone)
    if bound is None or bound == UNKNOWN:
        raise BadValue(f"'{text}' is no date: write 2024, 2024-02, 2024-02-01 or an instant")
    return reach(bound, zone)


# --- time -------------------------------------------------------------------------------------


def _in_time(view: View, fact: Fact, window: Reach) -> tuple[str, ...]:
    if fact.deduced is not None:
        return _deduced_in_time(view, fact, fact.deduced, window)
    spells = view.spells(fact.fid)
    if not spells:
        return _without_spell(fact, window, view.zone)
    parts = [stretch(spell, view.zone) for spell in spells]
    if any(_meets(part, window) for part in parts):
        return (CURRENT,) if _covers(parts, window) else (CURRENT, PART)
    later = any(part.lo >= window.hi and part.lo < part.hi for part in parts)
    over = [
        spell for spell, part in zip(spells, parts, strict=True)
        if part.hi <= window.lo or part.lo >= part.hi
    ]
    found = [FUTURE] if later else []
    if over:
        found.append(PAST)
        if over[-1].ended_by is not None:
            found.append(SUPERSEDED)
    return tuple(found)


def _deduced_in_time(
    view: View, fact: Fact, deduced: Deduced, window: Reach
) -> tuple[str, ...]:
    """Label what rules derive, beside what is said of it where it is a base fact as well."""
    derived = [_reach_of(one) for one in deduced.spells]
    said = [stretch(spell, view.zone) for spell in view.spells(fact.fid)]
    parts = [*derived, *said]
    if not parts:
        return (WITHHELD,)
    if any(_meets(part, window) for part in parts):
        found = (CURRENT,) if _covers(parts, window) else (CURRENT, PART)
        here = [
            one for one, part in zip(deduced.spells, derived, strict=True) if _meets(part, window)
        ]
        sure = any(_meets(part, window) for part in said) or any(one.sure for one in here)
        return found if sure else (*found, IMPRECISE)
    later = any(part.lo >= window.hi for part in parts)
    over = any(part.hi <= window.lo for part in parts)
    return (*((FUTURE,) if later else ()), *((PAST,) if over else ()))


def _reach_of(one: Stretch) -> Reach:
    return Reach(-FOREVER if one.lo is None else one.lo, FOREVER if one.hi is None else one.hi)


def _meets(part: Reach, window: Reach) -> bool:
    return max(part.lo, window.lo) < min(part.hi, window.hi)


def _covers(parts: list[Reach], window: Reach) -> bool:
    """Return whether parts in order of start leave no gap in `window`."""
    reached = window.lo
    for part in sorted(parts, key=lambda p: p.lo):
        if part.lo <= reached:
            reached = max(reached, part.hi)
    return reached >= window.hi


def _without_spell(fact: Fact, window: Reach, zone: str) -> tuple[str, ...]:
    """Label a fact that is over since an unknown day, or that no date places at all."""
    said = fact.statement
    if said.valid_to == UNKNOWN and said.valid_from in (None, UNKNOWN):
        known = _known_since(fact, zone)
        return (PAST,) if known is None or known < window.hi else ()
    if said.valid_to not in (None, UNKNOWN) and reach(said.valid_to or "", zone).lo <= window.lo:
        return (PAST,)
    return (UNDATED,)


def _known_since(fact: Fact, zone: str) -> int | None:
    """Return when a fact was first said to be over: evidence dates, else record times."""
    dates = [a.evidence_date for a in fact.live if a.evidence_date is not None]
    said = dates or [a.at for a in fact.live if a.at is not None]
    return min((reach(date, zone).lo for date in said), default=None)


# --- sources ----------------------------------------------------------------------------------


def _under_sourced(fact: Fact) -> bool:
    if any(a.by.startswith("person:") for a in fact.live):
        return False
    headings = {a.heading for a in fact.live if a.heading is not None}
    return any(_by_rule(a) and a.min_sources > len(headings) for a in fact.live)


def _by_rule(assertion: Assertion) -> bool:
    return (
        assertion.source is Source.HEADING
        and assertion.event is not None
        and assertion.by.startswith("program:")
    )


# --- what replaced what -----------------------------------------------------------------------


def superseded_by(view: View, fact: Fact) -> Replacement | None:
    """Return what took the place of `fact`, None if nothing did.

    A standing fact is superseded by the fact that ends its last spell, now or one day; one that
    a person's `supersede` took out, by the statement which that line puts in its place.
    """
    if fact.standing is Standing.STANDING:
        spells = view.spells(fact.fid)
        last = spells[-1] if spells else None
        if last is None or last.ended_by is None:
            return None
        return Replacement(fid=last.ended_by, at=last.end, event=_closing(view, fact, last))
    for assertion in fact.assertions:
        line = view.line(assertion.ended_by) if assertion.ended_by else None
        new = _put(view, line) if line is not None else None
        if line is not None and new is not None and new.fid != fact.fid:
            return Replacement(fid=new.fid, at=line.at, event=line.hash)
    return None


def supersedes(view: View, fact: Fact) -> tuple[str, ...]:
    """Return the ids of the facts that `superseded_by` says `fact` took the place of."""
    said = fact.statement
    rivals = view.facts(domain=said.domain, entity=said.entity, relation=said.relation.canon)
    near = {rival.fid: rival for rival in rivals}
    for assertion in fact.assertions:
        line = view.line(assertion.event) if assertion.event else None
        if line is not None and line.kind == "supersede":
            near.update((old.fid, old) for old in _taken_out(view, line))
    replaced = []
    for fid, rival in sorted(near.items()):
        by = superseded_by(view, rival) if fid != fact.fid else None
        if by is not None and by.fid == fact.fid:
            replaced.append(fid)
    return tuple(replaced)


def _closing(view: View, fact: Fact, last: Spell) -> str | None:
    """Return the `supersede` line that closed `fact`, None if its timeline did."""
    if fact.closed != (last.end, last.ended_by):
        return None
    new = view.fact(last.ended_by or "")
    for assertion in new.assertions if new else ():
        line = view.line(assertion.event) if assertion.event else None
        if line is not None and line.kind == "supersede" and line.body.get("from") == last.end:
            old = _statement(view, line.body["old"])
            if old is not None and old.fid == fact.fid:
                return line.hash
    return None


def _put(view: View, line: Line) -> Statement | None:
    """Return the statement that a `supersede` line puts in the place of the old one."""
    new = line.body.get("new") if line.kind == "supersede" else None
    return _statement(view, new.get("statement")) if isinstance(new, Mapping) else None


def _taken_out(view: View, line: Line) -> Iterable[Fact]:
    """Return the facts that a `supersede` line may have ended: any interval of its OLD.

    Where OLD's subject was its heading, the title may have changed since, and the subject with it.
    """
    old = _statement(view, line.body["old"])
    if old is None:
        return ()
    entity = None if line.body.get("subject") == HEADING_SUBJECT else old.entity
    return view.facts(
        domain=old.domain, entity=entity, relation=old.relation.canon, value=old.value
    )


def _statement(view: View, body: object) -> Statement | None:
    if not isinstance(body, Mapping):
        return None
    try:
        return canonical(from_json(body), view.declarations, view.zone)
    except BadValue:
        return None


