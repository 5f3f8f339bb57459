"""Histories: the facts about an entity in the order of time, and what contradicts what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from symbolic.canon import term_key
from symbolic.chains import fact_text, named
from symbolic.derived import printed_spells
from symbolic.factjson import Json, fact_json
from symbolic.labels import labels, stretch
from symbolic.names import digest
from symbolic.pattern import Pattern, Variable, Word
from symbolic.provenance import conflict_branch
from symbolic.query import answer
from symbolic.records import Overlap, Policy, Standing
from symbolic.refer import References
from symbolic.tree import Branch, span_text
from symbolic.values import apart
from symbolic.world import Conflict, Fact, Spell, View
from symbolic.zones import bound_in

TIMELINE = "pp.timeline/1"
BETWEEN = "between-domains"
"""The constraint of a contradiction that is reported between domains and settled in none."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A stretch in which a fact holds."""

    fact: Fact
    spell: Spell


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Spells in the order of their starts; `apart` are facts that no date places."""

    entity: str
    relation: str | None
    entries: tuple[Entry, ...]
    apart: tuple[Fact, ...]


def timeline(
    view: View, entity: str, relation: str | None = None, *, now: int, domain: str | None = None
) -> Timeline:
    """Return the history of what is known about `entity`, aliases and directions applied."""
    pattern = Pattern(
        entity=Word(entity),
        relation=Word(relation, named=True) if relation is not None else Variable(),
    )
    found = answer(view, pattern, now=now, all_=True, domain=domain)
    facts = {row.fact.fid: row.fact for row in found.rows}
    held = {
        fid: [Spell(*span) for span in printed_spells(fact, view.zone)] or view.spells(fid)
        for fid, fact in facts.items()
    }
    entries = [Entry(facts[fid], spell) for fid, spells in held.items() for spell in spells]

    def place(entry: Entry) -> tuple[int, int, str]:
        span = stretch(entry.spell, view.zone)
        return span.lo, span.hi, entry.fact.fid

    return Timeline(
        entity=entity,
        relation=relation,
        entries=tuple(sorted(entries, key=place)),
        apart=tuple(fact for _, fact in sorted(facts.items()) if not held[fact.fid]),
    )


def timeline_branch(view: View, found: Timeline, now: int, tz: str | None = None) -> Branch:
    """Return a timeline as a tree: spells in order, what ended each, the undated ones apart.

    Bounds print in the zone `tz`, without one as they are known.
    """

    def span(spell: Spell) -> str:
        return span_text(*(bound_in(b, view.zone, tz) for b in (spell.start, spell.end)))

    lines = [
        Branch(
            f"{span(entry.spell)} {_labelled(view, entry.fact, now)}",
            (Branch(f"ended by {named(view, entry.spell.ended_by)}"),)
            if entry.spell.ended_by
            else (),
        )
        for entry in found.entries
    ]
    if found.apart:
        loose = tuple(Branch(_labelled(view, fact, now)) for fact in found.apart)
        lines.append(Branch("at no known time", loose))
    title = found.entity if found.relation is None else f"{found.entity} {found.relation}"
    return Branch(f"timeline of {title}", tuple(lines))


def _labelled(view: View, fact: Fact, now: int) -> str:
    marks = ", ".join(labels(view, fact, now))
    return f"{fact_text(fact)}{': ' + marks if marks else ''}"


def timeline_json(view: View, found: Timeline, now: int, tz: str | None = None) -> Json:
    """Return a timeline as JSON, each entry with its whole fact."""
    links = References(view)
    return {
        "schema": TIMELINE,
        "entity": found.entity,
        "relation": found.relation,
        "entries": [
            {
                "from": bound_in(entry.spell.start, view.zone, tz),
                "to": bound_in(entry.spell.end, view.zone, tz),
                "ended_by": entry.spell.ended_by,
                "fact": fact_json(view, entry.fact, now, links, tz=tz),
            }
            for entry in found.entries
        ],
        "apart": [fact_json(view, fact, now, links) for fact in found.apart],
    }


# --- contradictions ---------------------------------------------------------------------------


def contradictions(view: View, *, all_: bool = False) -> tuple[Conflict, ...]:
    """Return the open conflicts, with `all_` the settled ones too, and those between domains."""
    known = [c for c in view.conflicts() if all_ or c.state == "open"]
    between = between_domains(view)
    return tuple(sorted([*known, *between], key=lambda c: (c.state, c.constraint, c.id)))


def contradictions_branch(view: View, conflicts: tuple[Conflict, ...]) -> Branch:
    """Return conflicts as a tree, each with the chains of all its facts."""
    below = tuple(conflict_branch(view, conflict) for conflict in conflicts)
    return Branch(f"contradictions: {len(conflicts)}", below)


def between_domains(view: View) -> Iterator[Conflict]:
    """Yield what the domains say against one another under FUNCTIONAL relations.

    No constraint crosses domains, so these are reports: nothing follows from them, no side is
    chosen and nothing settles them.
    """
    for relation, decl in sorted(view.declarations.relations.items()):
        if not decl.functional:
            continue
        by_entity: dict[str, list[Fact]] = {}
        for fact in view.facts(relation=relation):
            if fact.standing is Standing.STANDING and fact.statement.domain != "trace":
                by_entity.setdefault(term_key(fact.statement.entity), []).append(fact)
        for entity, facts in sorted(by_entity.items()):
            members = _set_against(view, facts, decl.tolerance)
            if members:
                domains = sorted({fact.statement.domain for fact in members})
                yield Conflict(
                    id=digest("between", relation, entity, *domains)[:16],
                    constraint=BETWEEN,
                    domain=", ".join(domains),
                    key=(relation, entity),
                    members=tuple(sorted(fact.fid for fact in members)),
                    policy=Policy.COEXISTENT,
                    overlap=Overlap.MAYBE,
                )


def _set_against(view: View, facts: list[Fact], tolerance: str | None) -> list[Fact]:
    found: dict[str, Fact] = {}
    for one, other in combinations(facts, 2):
        a, b = one.statement, other.statement
        if a.domain == b.domain:
            continue
        differ = apart(a.value, b.value, tolerance) if a.polarity and b.polarity else (
            a.polarity != b.polarity and a.value == b.value
        )
        if differ and _share_time(view, one, other):
            found[one.fid], found[other.fid] = one, other
    return list(found.values())


def _share_time(view: View, one: Fact, other: Fact) -> bool:
    """Return whether both hold at some instant, bounds read as their first instants."""
    mine = [stretch(spell, view.zone) for spell in view.spells(one.fid)]
    theirs = [stretch(spell, view.zone) for spell in view.spells(other.fid)]
    return any(max(a.lo, b.lo) < min(a.hi, b.hi) for a in mine for b in theirs)
