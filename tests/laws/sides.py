"""What a view says, as rows that two sides can be compared by.

More than D covers: events, quotes, evidence dates, closed proposals, tracks and policies stand in
the rows as well. Left out is what no fold can know: when a reading was first seen by an index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from symbolic.canon import sid, term_key, to_json
from symbolic.digest import declaration_rows, deduced_row
from symbolic.records import Admission, Standing
from symbolic.world import Assertion, Fact, View

Row = tuple[object, ...]


def rows(view: View) -> list[Row]:
    """Return all that `view` says, in an order that is the same for equal worlds."""
    found: list[Row] = [*_facts(view), *_decisions(view)]
    found += (("conflict", c) for c in view.conflicts())
    headings = list(view.headings())
    for heading in headings:
        found += [("heading", heading), _at(view, heading.key)]
    for path in dict.fromkeys(heading.path for heading in headings):
        found.append(("file", path, tuple(h.key for h in view.headings(path=path))))
    found.append(("zone", view.zone))
    found += (("deduced", *map(repr, deduced_row(one))) for one in view.deduced())
    return found


rows_of_world = lru_cache(maxsize=2)(rows)
"""`rows` of a view that nobody changes: the reference."""


def _at(view: View, key: str) -> Row:
    return ("said at", key, tuple(fact.fid for fact in view.facts_at(key)))


def declared(view: View) -> list[Row]:
    """Return what `view` reads everything under."""
    return [("declared", *map(repr, row)) for row in declaration_rows(view.declarations)]


def _facts(view: View) -> Iterable[Row]:
    for fact in view.facts():
        said = fact.statement
        yield (
            "fact", fact.fid, said.cls, said.domain, term_key(said.entity),
            term_key(said.relation), term_key(said.value), said.polarity, said.valid_from,
            said.valid_to, fact.standing.value,
        )  # fmt: skip
        yield from sorted((_assertion(fact, a) for a in fact.assertions), key=repr)
        if fact.standing is Standing.STANDING:
            yield ("when", fact.fid, fact.closed, view.policy(said).value, view.spells(fact.fid))
            yield ("in conflicts", fact.fid, tuple(c.id for c in view.conflicts_of(fact.fid)))


def _assertion(fact: Fact, a: Assertion) -> Row:
    return (
        "says", fact.fid, sid(a.written), a.source.value, a.source_id, a.provenance.value,
        a.state.value, a.by, a.heading, a.key, a.quote, a.quote_hash, a.evidence_date, a.start,
        a.end, a.event, a.ended_by, a.at if a.event else None, a.rule, a.min_sources,
    )  # fmt: skip


def _decisions(view: View) -> Iterable[Row]:
    for bar in view.bars():
        yield (
            "bar", bar.event, bar.kind, repr(to_json(bar.written)), bar.statement.fid, bar.key,
            bar.resolved, bar.quote_hash, bar.text_hash, bar.scope, bar.reason, bar.at_heading,
            bar.at,
        )  # fmt: skip
    for p in view.proposals():
        yield (
            "proposal", p.id, p.statement.fid if p.statement else None, p.key, p.resolved,
            p.quote_hash, p.state.value, p.event, p.at, p.reasons, p.blockers, p.outcome,
            p.candidate.grounding, p.candidate.proposer.value, p.candidate.confidence,
        )  # fmt: skip
    yield ("open", *(p.event for p in view.proposals(closed=False)))
    for t in view.tracks():
        yield ("track", sid(t.statement), t.key, t.anchored, t.resolved)
    for one in view.divergences():
        yield ("divergence", one.id, one.keys, one.events, one.stands, one.refs, one.pairs)
    yield from sorted(("undone", event, by) for event, by in view.undone().items())


def difference(mine: Iterable[Row], theirs: Iterable[Row], names: tuple[str, str]) -> str:
    """Return the rows of one side alone, or what differs in order; "" if the sides are equal."""
    one, other = list(mine), list(theirs)
    if one == other:
        return ""
    left, right = Counter(map(repr, one)), Counter(map(repr, other))
    told = [f"- {names[0]}: {row}" for row in (left - right).elements()]
    told += [f"+ {names[1]}: {row}" for row in (right - left).elements()]
    if not told:
        at = next(at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1])
        told = [f"the order differs: - {one[at]}", f"+ {other[at]}"]
    return "\n" + "\n".join(told)


def verdict(found: Admission) -> tuple[object, ...]:
    """Return what two judges have to agree on; sentences for people are one judge's own."""
    return (found.outcome.value, found.blockers, found.conflicts, found.superseded, found.rule)
