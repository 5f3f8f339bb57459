"""Journal bodies of decisions, made from what a view shows. Nothing here writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symbolic.canon import sid, to_json
from symbolic.names import digest
from symbolic.records import (
    HEADING_SUBJECT,
    Admission,
    Candidate,
    Outcome,
    Provenance,
    Written,
)
from symbolic.world import Assertion, Conflict, Fact, Proposal, Source, State, View

Body = dict[str, object]
Entry = tuple[str, Body]
"""A journal line to be: kind and body."""

EVERYWHERE = "*"


@dataclass(frozen=True, slots=True)
class Place:
    """Where an assertion is made, as a decision against it names the place."""

    key: str
    quote_hash: str
    text_hash: str
    at_heading: bool


def proposal_id(candidate: Candidate, key: str | None, quote_hash: str) -> str:
    """Return the id under which a candidate is queued: proposing it again is a no-op."""
    return digest(
        "proposal", sid(candidate.written), key or "", quote_hash, candidate.proposer.value
    )[:16]


def shown(proposal: Proposal, verdict: Admission, view: View) -> str:
    """Return the digest of what a person is shown of a proposal: verdict, rivals, heading."""
    heading = view.heading(proposal.resolved) if proposal.resolved else None
    return digest(
        "shown",
        proposal.id,
        proposal.statement.fid if proposal.statement else "",
        verdict.outcome.value,
        *verdict.blockers,
        "/",
        *verdict.conflicts,
        heading.text_hash if heading else "",
    )[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply that candidates come from: what was asked about and by which prompt."""

    digest: str | None = None
    prompt: str | None = None
    text_hash: str | None = None


NO_REPLY = Reply()


def propose(
    candidate: Candidate, key: str | None, pid: str, grounding: str, reply: Reply = NO_REPLY
) -> Entry:
    """Return the `propose` line of a candidate."""
    body: Body = {
        "candidate": to_json(candidate.written),
        "key": key,
        "quote": candidate.grounding.quote,
        "evidence_date": candidate.grounding.evidence_date,
        "grounding": grounding,
        "proposer": candidate.proposer.value,
        "model": candidate.model,
        "reply_digest": reply.digest,
        "rationale": candidate.rationale,
        "confidence": candidate.confidence,
        "proposal": pid,
    }
    if reply.prompt is not None:
        body.update(prompt=reply.prompt, text_hash=reply.text_hash)
    return "propose", body


def admitted(
    proposal: Proposal, verdict: Admission, rule: str | None, digest_shown: str | None, view: View
) -> Body:
    """Return the body of an `admit` line (and of NEW in a `supersede`)."""
    candidate = proposal.candidate
    relation = proposal.statement.relation.canon if proposal.statement else ""
    decl = view.declarations.relations.get(relation)
    return {
        "proposal": proposal.id,
        "statement": to_json(candidate.written),
        "key": proposal.resolved or candidate.grounding.heading,
        "quote": candidate.grounding.quote,
        "evidence_date": candidate.grounding.evidence_date,
        "provenance": candidate.proposer.value,
        "rule": rule,
        "min_sources": decl.min_sources if decl else 1,
        "shown": digest_shown,
        "outcome": verdict.outcome.value,
        "conflicts": list(verdict.conflicts),
    }


def refuse(pid: str, verdict: Admission, view: View) -> Entry:
    """Return the `refuse` line of a machine's refusal, with its blockers as statements."""
    return "refuse", {
        "proposal": pid,
        "outcome": verdict.outcome.value,
        "reasons": list(verdict.reasons),
        "blockers": [_blocker(name, view) for name in verdict.blockers],
    }


def _blocker(name: str, view: View) -> Body:
    if name.startswith("rule:"):
        return {"rule": name.removeprefix("rule:")}
    fact = view.fact(name)
    assert fact is not None, "a blocker is a standing fact"
    return {"statement": to_json(written_of(fact))}


def written_of(fact: Fact) -> Written:
    """Return a fact's statement as its first live source wrote it."""
    return (fact.live or fact.assertions)[0].written


def reject_proposal(
    proposal: Proposal, scope: str, reason: str | None, digest_shown: str | None, view: View
) -> Entry:
    """Return the `reject` line of a person's refusal of a proposal."""
    key = proposal.resolved or proposal.key
    heading = view.heading(key)
    return "reject", {
        "proposal": proposal.id,
        "statement": to_json(proposal.candidate.written),
        "key": key,
        "quote_hash": proposal.quote_hash,
        "text_hash": heading.body_hash if heading else "",
        "scope": scope,
        "reason": reason,
        "shown": digest_shown,
    }


def reject_fact(fact: Fact, scope: str, reason: str | None, view: View) -> list[Entry]:
    """Return one `reject` line for each source of a fact."""
    return [
        ("reject", {
            "statement": to_json(assertion.written),
            "key": place.key,
            "quote_hash": place.quote_hash,
            "text_hash": place.text_hash,
            "scope": scope,
            "reason": reason,
            "shown": None,
        })
        for assertion in fact.live
        if assertion.provenance not in (Provenance.HUMAN, Provenance.GATE)
        for place in [_place(assertion, view)]
    ]


def _place(assertion: Assertion, view: View) -> Place:
    if assertion.source is Source.JOURNAL:
        return Place(EVERYWHERE, "", "", False)
    key = assertion.heading or assertion.key or EVERYWHERE
    heading = view.heading(key)
    read = assertion.event is None and assertion.provenance is Provenance.EXTRACTED
    return Place(
        key, assertion.quote_hash, heading.body_hash if heading else "", read
    )


def withdrawals(
    fact: Fact, view: View, reason: str | None, only: str | None = None
) -> list[Body]:
    """Return retract-like bodies that withdraw a fact from its sources (or from one heading).

    Readings whose subject is their heading stand in a body of their own, since their class is
    barred at that heading whatever its title becomes.
    """
    groups: dict[tuple[bool, str], list[tuple[Assertion, Place]]] = {}
    counted = [
        a for a in fact.assertions
        if a.state in (State.LIVE, State.STALE, State.REFUSED) and a.source is not Source.GATE
    ]
    for assertion in counted:
        place = _place(assertion, view)
        if only is None or only in (assertion.heading, assertion.key):
            groups.setdefault((place.at_heading, sid(assertion.written)), []).append(
                (assertion, place)
            )
    return [_withdrawal(members, reason) for _, members in sorted(groups.items())]


def _withdrawal(members: list[tuple[Assertion, Place]], reason: str | None) -> Body:
    places = sorted({(p.key, p.quote_hash, p.text_hash) for _, p in members})
    body: Body = {
        "statement": to_json(members[0][0].written),
        "keys": [key for key, _, _ in places],
        "quote_hash": [quoted for _, quoted, _ in places],
        "text_hash": [text for _, _, text in places],
        "reason": reason,
    }
    if members[0][1].at_heading:
        body["subject"] = HEADING_SUBJECT
    return body


def supersede(
    old: Fact, new: Mapping[str, object], since: str | None, view: View
) -> tuple[Entry, list[Entry]]:
    """Return the `supersede` line, and retract lines for sources of OLD it cannot name."""
    bodies = withdrawals(old, view, None) if since is None else []
    plain = next((b for b in bodies if "subject" not in b), None)
    rest: list[Entry] = [("retract", body) for body in bodies if body is not plain]
    places = plain or {"keys": [], "quote_hash": [], "text_hash": []}
    entry: Entry = ("supersede", {
        "old": to_json(written_of(old)),
        "new": dict(new),
        "from": since,
        "keys": places["keys"],
        "quote_hash": places["quote_hash"],
        "text_hash": places["text_hash"],
    })
    return entry, rest


def settle(
    conflict: Conflict, keep: Fact | None, members: Iterable[Fact], view: View,
    derived: Iterable[Written] = (),
) -> Entry:  # fmt: skip
    """Return the `settle` line: keep one member, or all of them; `derived` ones only follow."""
    listed: list[Body] = [_unsaid(written) for written in derived]
    for fact in members:
        listed.extend(withdrawals(fact, view, None) or [_unsaid(written_of(fact))])
    return "settle", {
        "conflict": conflict.id,
        "members": listed,
        "choice": "keep" if keep else "both",
        "kept": to_json(written_of(keep)) if keep else None,
    }


def _unsaid(written: Written) -> Body:
    """Return the member of a settlement that nobody states today."""
    return {"statement": to_json(written), "keys": [], "quote_hash": [], "text_hash": []}


REFUSALS = (Outcome.BLOCKED, Outcome.REJECTED, Outcome.MALFORMED, Outcome.UNGROUNDED)
"""The outcomes that say no: exit 4."""
