"""What a sync owes the journal: anchors that moved, incumbents to choose, conflicts to name.

Pure functions of a view. They return what should be written; nothing here writes. Run on a view
that has taken the lines in, they return nothing: sync twice is sync once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from symbolic.canon import canonical, from_json, sid
from symbolic.records import TRUST, Overlap, Policy, Provenance, Written
from symbolic.rivals import Around
from symbolic.values import BadValue, reach
from symbolic.world import Assertion, Conflict, Fact, Source, Track, View


@dataclass(frozen=True, slots=True)
class Incumbency:
    """One fact keeps its place against others that prose states later."""

    conflict: Conflict
    kept: Fact
    refused: tuple[Fact, ...]


_ALONE = ("irreflexive", "domain", "range")
"""Constraints that a fact breaks by itself: no other stands against it, so there is no choice."""

Found = Mapping[tuple[str, str], str | None]
"""Where each tracked (sid, key) was found in the prose at some time."""


def found(view: View) -> Found:
    """Return where the journal's keys are found in today's prose."""
    return {(sid(track.statement), track.key): track.resolved for track in view.tracks()}


def moved(view: View, before: Found | None) -> tuple[Track, ...]:
    """Return the journal's keys that moved between two states of this device's own files.

    `before` is where today's journal finds them in the prose of before; None compares with the
    journal's anchors alone. A key that only another device's anchor puts elsewhere did not move:
    answering it would send the two anchors back and forth for as long as the files differ.
    """
    return tuple(
        track for track in view.tracks()
        if track.resolved != track.anchored
        and (before is None or _was(track, before) != track.resolved)
    )


def _was(track: Track, before: Found) -> str | None:
    return before.get((sid(track.statement), track.key), track.resolved)


def newly_open(view: View, before: Collection[str], since: str) -> list[Conflict]:
    """Return the conflicts not in `before` between facts that stood before the time `since`."""
    found: list[Conflict] = []
    for conflict in view.conflicts():
        members = [fact for fact in _members(view, conflict) if _stood(fact, since)]
        alone = conflict.constraint in _ALONE
        if conflict.id not in before and len(members) > (0 if alone else 1):
            found.append(conflict)
    return found


def choices(view: View, since: str) -> list[Incumbency]:
    """Return the incumbents to journal: exclusive conflicts that prose read at `since` opened.

    A fact that stood before is never refused, whatever it clashes with; among the others the order
    is (trust, evidence date, path, offset). A fact is refused only if everything it rests on is
    prose, and only while it surely clashes with one that is kept. A fact that keeps its place
    though it clashes is noted once, with nothing refused, so that an index built anew from the
    journal knows that it stood.
    """
    named: Mapping[str, set[str]] | None = None
    found: list[Incumbency] = []
    refused: set[str] = set()
    for conflict in view.conflicts():
        if conflict.policy is not Policy.EXCLUSIVE or conflict.overlap is not Overlap.YES:
            continue
        if conflict.constraint in _ALONE:
            continue
        members = _members(view, conflict)
        # All of the journal is read for it, so only where there is something to choose.
        named = _named(view) if named is None else named
        noted = named.get(conflict.id, set())
        old = noted | {fact.fid for fact in members if _stood(fact, since)}
        ranked = sorted(members, key=lambda fact: _rank(fact, old, view))
        found.extend(_against(conflict, ranked, old, refused, view))
        found.extend(
            Incumbency(conflict, fact, ()) for fact in ranked
            if fact.fid in old and fact.fid not in noted and _prose_only(fact)
        )
    return found


def _members(view: View, conflict: Conflict) -> list[Fact]:
    return [fact for fid in conflict.members if (fact := view.fact(fid)) is not None]


def _stood(fact: Fact, since: str) -> bool:
    """Return whether a fact had a source that counts before the time `since`."""
    return any(a.at is None or a.at < since for a in fact.live)


def _against(
    conflict: Conflict, ranked: list[Fact], old: set[str], refused: set[str], view: View
) -> Iterable[Incumbency]:
    kept: list[Fact] = []
    losers: dict[str, list[Fact]] = {}
    for fact in ranked:
        if fact.fid in refused:
            continue
        rivals = _clashing(view, fact, conflict) if kept else {}
        winner = next((k for k in kept if rivals.get(k.fid) is Overlap.YES), None)
        if winner is None or fact.fid in old or not _prose_only(fact):
            kept.append(fact)
            continue
        refused.add(fact.fid)
        losers.setdefault(winner.fid, []).append(fact)
    for winner in kept:
        if winner.fid in losers:
            yield Incumbency(conflict, winner, tuple(losers[winner.fid]))


def _clashing(view: View, fact: Fact, conflict: Conflict) -> dict[str, Overlap]:
    """Return whom a standing fact clashes with in a conflict, and how surely."""
    return {
        clash.rival: clash.overlap
        for clash in Around(view, fact.statement, None, fact).clashes()
        if clash.constraint == conflict.constraint and clash.rival is not None
    }


def _prose_only(fact: Fact) -> bool:
    return all(a.source is Source.HEADING and a.event is None for a in fact.live)


def _rank(
    fact: Fact, old: set[str], view: View
) -> tuple[bool, int, int, str, int, str]:
    first = min(fact.live, key=lambda a: _first(a, view))
    date, path, offset = _first(first, view)
    trust = max(TRUST[a.provenance] for a in fact.live)
    return (fact.fid not in old, -trust, date, path, offset, fact.fid)


_LATE = 1 << 62


def _first(assertion: Assertion, view: View) -> tuple[int, str, int]:
    heading = view.heading(assertion.heading) if assertion.heading else None
    date = assertion.evidence_date
    when = reach(date, view.zone).lo if date is not None else _LATE
    return (when, heading.path if heading else "", assertion.start or 0)


def _named(view: View) -> dict[str, set[str]]:
    """Return, by conflict, the facts of which the journal says that they stood in it."""
    undone = view.undone()
    named: dict[str, set[str]] = {}
    for line in view.lines():
        if line.hash in undone or not line.body:
            continue
        if line.kind == "incumbent":
            _note(named, str(line.body["conflict"]), [line.body["kept"]], view)
        elif line.kind == "ontology":
            for item in _items(line.body.get("conflicts")):
                if isinstance(item, Mapping):
                    _note(named, str(item["id"]), _items(item.get("members")), view)
    return named


def _items(value: object) -> Iterable[object]:
    return value if isinstance(value, (list, tuple)) else ()


def _note(
    named: dict[str, set[str]], conflict: str, members: Iterable[object], view: View
) -> None:
    for member in members:
        fid = _fid(from_json(member), view) if isinstance(member, Mapping) else None
        if fid is not None:
            named.setdefault(conflict, set()).add(fid)


def _fid(written: Written, view: View) -> str | None:
    try:
        return canonical(written, view.declarations, view.zone).fid
    except BadValue:
        return None


def refused_blocks(chosen: Iterable[Incumbency]) -> list[tuple[Fact, Fact]]:
    """Return (refused, kept) where a person's own block lost: sync prints both and exits 1."""
    return [
        (loser, choice.kept)
        for choice in chosen for loser in choice.refused
        if any(a.provenance is Provenance.HUMAN for a in loser.live)
    ]
