"""Chains: from a fact to the headings, journal lines and gate rows it rests on, as branches."""

from __future__ import annotations

from collections.abc import Mapping

from symbolic.canon import canonical, from_json
from symbolic.names import quote_form
from symbolic.records import Line
from symbolic.refer import link_to, place, respelt
from symbolic.tree import Branch, statement_text
from symbolic.values import BadValue
from symbolic.world import Assertion, Fact, Source, State, View


def fact_branch(view: View, fact: Fact) -> Branch:
    """Return a fact with its sources, each with its chain to the end."""
    return Branch(f"{fact_text(fact)}, {fact.standing.value}", assertions(view, fact))


def fact_text(fact: Fact) -> str:
    """Return a fact as statement and id."""
    return f"{statement_text(fact.statement)} ({fact.fid})"


def named(view: View, fid: str) -> str:
    """Return the fact with an id as text; the bare id where there is none."""
    fact = view.fact(fid)
    return fact_text(fact) if fact is not None else fid


def assertions(view: View, fact: Fact) -> tuple[Branch, ...]:
    """Return a branch for every assertion of a fact, those that no longer count included."""
    return tuple(assertion(view, one) for one in fact.assertions)


def assertion(view: View, said: Assertion) -> Branch:
    """Return one assertion: what it is, then where it comes from and what became of it."""
    text = f"{said.state.value}: {said.provenance.value} by {said.by}"
    if said.rule is not None:
        text += f", rule {said.rule}"
    if said.min_sources > 1:
        text += f", of at least {said.min_sources} sources"
    spelt = respelt(said.written, said.statement)
    if spelt is not None:
        text += f", written as '{quote_form(spelt)}'"
    chain = [_source(view, said)]
    if said.event is not None and said.source is Source.HEADING:
        chain.append(event_branch(view, said.event))
    if said.ended_by is not None:
        chain.append(Branch(f"{said.state.value} by", (event_branch(view, said.ended_by),)))
    elif said.state is State.STALE:
        chain.append(Branch("stale: the quote no longer stands in the prose"))
    return Branch(text, tuple(chain))


def _source(view: View, said: Assertion) -> Branch:
    if said.source is Source.GATE:
        return Branch(f"gate row of {said.source_id}")
    if said.source is Source.JOURNAL:
        return event_branch(view, said.source_id)
    if said.source is Source.IMPORT:
        return Branch(f"import {said.source_id}")
    heading = view.heading(said.heading) if said.heading else None
    quoted = () if said.quote is None else (Branch(f"“{quote_form(said.quote)}”"),)
    if heading is None:
        return Branch(f"heading {said.key}, gone", quoted)
    path, line = place(view, said)
    date = f", {said.evidence_date}" if said.evidence_date else ""
    return Branch(f"heading {link_to(heading)} {path}:{line}{date}", quoted)


def event_branch(view: View, event: str) -> Branch:
    """Return a journal line as a branch, with its reason and the undo that took it out."""
    line = view.line(event)
    if line is None:
        return Branch(f"journal line {event}, not here")
    below = []
    if isinstance(reason := line.body.get("reason"), str) and reason:
        below.append(Branch(f"reason: {quote_form(reason)}"))
    undo = view.undone().get(event)
    if undo is not None:
        below.append(Branch("undone by", (event_branch(view, undo),)))
    return Branch(line_text(line), tuple(below))


def line_text(line: Line) -> str:
    """Return a journal line's kind, time, author, hash and place on one line."""
    where = f", {line.path}:{line.lineno}" if line.path else ""
    return f"{line.kind} of {line.at} by {line.by} ({line.hash}){where}"


def journalled(view: View, body: object) -> str:
    """Return the text of a statement as a journal line holds it, typed as it is today."""
    if not isinstance(body, Mapping):
        return "nothing"
    written = from_json(body)
    try:
        return statement_text(canonical(written, view.declarations, view.zone))
    except BadValue as error:
        return f"{written.entity} {written.relation} {written.value} (unreadable: {error})"
