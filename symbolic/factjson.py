"""The JSON of facts, query answers and contradictions, with the keys the command line promises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symbolic.derived import premise_id, printed_spells
from symbolic.labels import labels, superseded_by, supersedes
from symbolic.query import Answer
from symbolic.records import TRUST, Provenance, Standing, Term, Value
from symbolic.refer import References, place
from symbolic.values import Reach
from symbolic.world import Assertion, Conflict, Fact, Source, View
from symbolic.zones import bound_in

QUERY = "pp.query/1"
CONTRADICTIONS = "pp.contradictions/1"

Json = dict[str, object]


def fact_json(
    view: View, fact: Fact, at: int | Reach, links: References | None = None,
    marks: tuple[str, ...] | None = None, tz: str | None = None,
) -> Json:
    """Return the fact object of `fact` as it is at `at` (an instant or a stretch).

    `links` is kept over several facts of one answer, so that what needs a walk over the memex is
    done once. `marks` are the labels where they are known already; spells print in the zone `tz`.
    """
    links = links or References(view)
    said = fact.statement
    lead = leading(fact)
    shown = fact.live or fact.assertions
    by = superseded_by(view, fact)
    body: Json = {
        "id": fact.fid,
        "entity": said.entity.written,
        "entity_kind": said.entity.kind.value,
        "relation": said.relation.written,
        **_value(said.value),
        "polarity": "positive" if said.polarity else "negative",
        "valid_from": said.valid_from,
        "valid_to": said.valid_to,
        "spells": [
            [bound_in(bound, view.zone, tz) for bound in spell] for spell in spells_of(view, fact)
        ],
        "standing": fact.standing.value,
        "labels": list(labels(view, fact, at) if marks is None else marks),
        "provenance": provenance_of(fact).value,
        "policy": view.policy(said).value,
        "domain": said.domain,
        "admitted_at": lead.at if lead else None,
        "by": lead.by if lead else None,
        "sources": _sources(shown),
        "groundings": _groundings(view, shown),
        "contradicted_by": list(contradicted_by(view, fact)),
        "superseded_by": by.fid if by else None,
        "supersedes": list(supersedes(view, fact)),
        "referenced_by": list(links.to_fact(fact)),
        "derived_by": _derived_by(view, fact),
    }
    return body


def answer_json(view: View, answer: Answer, tz: str | None = None) -> Json:
    """Return the answer to a query; `denials` and `notes` only where there are some."""
    prose = answer.view or view
    links = References(prose)
    body: Json = {
        "schema": QUERY,
        "status": answer.status.value,
        "answers": [
            {
                "bindings": {name: term.written for name, term in row.bindings.items()},
                "fact": fact_json(prose, row.fact, answer.at, links, row.labels, tz),
            }
            for row in answer.rows
        ],
    }
    if answer.denials:
        body["denials"] = [
            fact_json(prose, row.fact, answer.at, links, row.labels, tz) for row in answer.denials
        ]
    if answer.notes:
        body["notes"] = list(answer.notes)
    return body


def contradictions_json(view: View, conflicts: Iterable[Conflict], at: int | Reach) -> Json:
    """Return conflicts, each with the whole facts that it sets against one another."""
    links = References(view)
    return {
        "schema": CONTRADICTIONS,
        "conflicts": [
            {
                "id": conflict.id,
                "kind": conflict.constraint,
                "rule": rule_of(conflict),
                "facts": [
                    fact_json(view, fact, at, links)
                    for fid in conflict.members
                    if (fact := view.fact(fid)) is not None
                ],
                "state": conflict.state,
            }
            for conflict in conflicts
        ],
    }


def leading(fact: Fact) -> Assertion | None:
    """Return the assertion whose provenance, time and author are printed.

    The strongest live one, of several the first admitted; of a fact that does not stand, the
    strongest it had; None for what rules alone derive.
    """
    return min(
        fact.live or fact.assertions,
        default=None,
        key=lambda a: (-TRUST[a.provenance], a.at or "", a.event or "", a.source_id),
    )


def provenance_of(fact: Fact) -> Provenance:
    """Return the provenance that a fact is printed and counted with."""
    lead = leading(fact)
    return Provenance.DEDUCED if lead is None else lead.provenance


def contradicted_by(view: View, fact: Fact) -> tuple[str, ...]:
    """Return the ids of the facts that any conflict, open or settled, sets against `fact`."""
    members = {fid for c in view.conflicts_of(fact.fid) for fid in c.members}
    return tuple(sorted(members - {fact.fid}))


def rule_of(conflict: Conflict) -> str:
    """Return `constraint:relation`, or both names where a constraint is between two."""
    names = 2 if conflict.constraint in ("opposite", "disjoint") else 1
    return ":".join((conflict.constraint, *conflict.key[:names]))


def spells_of(view: View, fact: Fact) -> list[tuple[str | None, str | None]]:
    """Return the spells of a fact as pairs of bounds; none of one that does not stand."""
    if fact.standing is not Standing.STANDING:
        return []
    said = [(spell.start, spell.end) for spell in view.spells(fact.fid)]
    return [*said, *(one for one in printed_spells(fact, view.zone) if one not in said)]


def _derived_by(view: View, fact: Fact) -> list[Json]:
    """Return the steps by which rules derive a fact, those that are kept."""
    if fact.statement.valid_from is not None or fact.statement.valid_to is not None:
        return []
    deduced = fact.deduced
    supports = view.supports(fact.fid) if deduced is None else view.supports_of(deduced.triple)
    names = {rule.id: rule.name for rule in view.program().rules} if supports else {}
    steps = dict.fromkeys(
        (names.get(one.rule, one.rule), *(premise_id(p) for p in one.premises if not p.absent))
        for one in supports
    )
    return [{"rule": rule, "premises": premises} for rule, *premises in steps]


def _value(value: Term) -> Json:
    body: Json = {"value": value.written, "kind": value.kind.value}
    if isinstance(value, Value) and value.unit is not None:
        body["unit"] = value.unit
    return body


def _sources(shown: Iterable[Assertion]) -> list[Mapping[str, str]]:
    pairs = {(a.source.value, a.source_id): None for a in shown}
    return [{"type": kind, "id": ident} for kind, ident in pairs]


def _groundings(view: View, shown: Iterable[Assertion]) -> list[Json]:
    found: dict[tuple[str | None, str | None], Json] = {}
    for assertion in shown:
        if assertion.source is not Source.HEADING:
            continue
        heading = view.heading(assertion.heading) if assertion.heading else None
        path, line = place(view, assertion)
        key = assertion.heading or assertion.key
        found.setdefault(
            (key, assertion.quote),
            {
                "heading": key,
                "path": path,
                "line": line,
                "outline": list(heading.outline) if heading else [],
                "quote": assertion.quote,
            },
        )
    return list(found.values())
