"""Proposals and facts as text for people and as JSON for programs."""

from __future__ import annotations

from dataclasses import replace

from symbolic.canon import to_json
from symbolic.grounding import holds
from symbolic.records import Admission, Candidate, Written
from symbolic.refer import line_of, place
from symbolic.tree import statement_text
from symbolic.world import Fact, Proposal, View


def candidate_json(proposal: Proposal) -> dict[str, object]:
    """Return a proposal's candidate as its line had it, with its heading's key of today."""
    candidate = proposal.candidate
    here = proposal.resolved or candidate.grounding.heading
    return candidate_fields(
        replace(candidate, grounding=replace(candidate.grounding, heading=here))
    )


def candidate_fields(candidate: Candidate) -> dict[str, object]:
    """Return a candidate as JSON: its statement as written, its heading, its quote."""
    body: dict[str, object] = dict(to_json(candidate.written))
    body["polarity"] = "positive" if candidate.written.polarity else "negative"
    body.update(
        heading=candidate.grounding.heading,
        quote=candidate.grounding.quote,
        proposer=candidate.proposer.value,
    )
    for key, value in (
        ("rationale", candidate.rationale), ("confidence", candidate.confidence),
        ("evidence_date", candidate.grounding.evidence_date), ("model", candidate.model),
    ):
        if value is not None:
            body[key] = value
    return body


def written_text(proposal: Proposal) -> str:
    """Return the statement of a proposal in one line, as it was written."""
    return said_text(proposal.candidate.written)


def said_text(said: Written) -> str:
    """Return a statement in one line, as it was written."""
    deny = "" if said.polarity else "not "
    span = ""
    if said.valid_from or said.valid_to:
        span = f"  [{said.valid_from or '...'}, {said.valid_to or '...'})"
    unit = f" {said.unit}" if said.unit else ""
    return f"{said.entity} {deny}{said.relation} {said.value}{unit}{span}"


def proposal_text(proposal: Proposal, verdict: Admission, state: str, view: View) -> str:
    """Return a proposal for the queue listing: statement, place, quote, reasons."""
    rows = [f"{proposal.id}  {state:12} {written_text(proposal)}"]
    rows.append(f"    {quoted_place(proposal, view)}")
    if proposal.candidate.rationale:
        rows.append(f"    because: {proposal.candidate.rationale}")
    rows.extend(f"    {reason}" for reason in verdict.reasons or proposal.reasons)
    return "\n".join(rows)


def quoted_place(proposal: Proposal, view: View) -> str:
    """Return where the quote of a proposal stands: `path:line: "quote"`."""
    quote = proposal.candidate.grounding.quote or ""
    heading = view.heading(proposal.resolved) if proposal.resolved else None
    if heading is None:
        return f'(lost: {proposal.key}) "{quote}"'
    stands = "" if holds(heading.text, quote) else " (no longer there)"
    return f'{heading.path}:{line_of(heading, quote)}: "{quote}"{stands}'


def fact_text(fact: Fact) -> str:
    """Return a fact in one line: short id and statement."""
    return f"{fact.fid[:12]}  {statement_text(fact.statement)}"


def fact_place(view: View, fact: Fact) -> str:
    """Return where a fact is said first: `path:line`, or what else it rests on."""
    for assertion in fact.live or fact.assertions:
        path, line = place(view, assertion)
        if path is not None:
            return f"{path}:{line}"
    if not fact.assertions:
        return "deduced"
    first = (fact.live or fact.assertions)[0]
    return f"{first.source.value} {first.source_id[:16]}"

