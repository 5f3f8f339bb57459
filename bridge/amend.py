"""A person's edit of a proposal in review: grounded again, admitted by them, or declared.

What the quote carries keeps the proposer's provenance with the person as the one who decided; what
it does not carry is the person's own word. Either way one journal line answers the proposal.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from bridge import decisions
from bridge.app import App
from bridge.render import candidate_json
from bridge.review import Decided, current, find, judged
from neuro.candidates import Item, Unread, read_lines
from symbolic.admission import admit, weigh
from symbolic.assess import assess
from symbolic.canon import canonical, to_json
from symbolic.errors import Refused, Stale, Usage
from symbolic.records import Admission, Candidate, Outcome, Statement
from symbolic.world import OPEN, Proposal, View

_SHOWN = (
    "entity", "entity_kind", "relation", "value", "kind", "unit", "polarity", "valid_from",
    "valid_to", "quote", "rationale", "confidence",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Amended:
    """A proposal as a person wrote it anew, with the verdict on it.

    `declared` says why the quote does not carry it: it would be stated in the person's own name.
    """

    candidate: Candidate
    statement: Statement
    verdict: Admission
    notes: tuple[str, ...] = ()
    declared: str | None = None


def editable(proposal: Proposal) -> str:
    """Return a proposal as the text a person edits: one JSON field a line."""
    body = candidate_json(proposal)
    kept = {key: body[key] for key in _SHOWN if key in body}
    for key in ("valid_from", "valid_to"):
        kept.setdefault(key, None)
    return json.dumps(kept, ensure_ascii=False, indent=2) + "\n"


def amended(text: str, proposal: Proposal, view: View) -> Amended:
    """Return what a person made of a proposal. Raises Usage where it does not read."""
    item = _item(text)
    if item.wrong:
        raise Usage("; ".join(item.wrong))
    was = current(proposal)
    candidate = replace(
        item.candidate,
        proposer=was.proposer,
        model=was.model,
        grounding=replace(was.grounding, quote=item.candidate.grounding.quote),
    )
    try:
        canonical(candidate.written, view.declarations, view.zone)
    except ValueError as error:
        raise Usage(str(error)) from error
    found = assess(candidate, view)
    statement = canonical(found.candidate.written, view.declarations, view.zone)
    if found.verdict.outcome is Outcome.UNGROUNDED:
        return Amended(
            candidate=candidate, statement=statement,
            verdict=weigh(statement, candidate, view),
            declared="; ".join(found.verdict.reasons),
        )
    return Amended(
        candidate=found.candidate, statement=statement, notes=found.notes,
        verdict=admit(found.candidate, view, by_person=True),
    )


def _item(text: str) -> Item:
    try:
        body = json.loads(text)
    except ValueError as error:
        raise Usage(f"the edit is no JSON object: {error}") from error
    if not isinstance(body, Mapping):
        raise Usage('the edit is no JSON object: {"entity": ..., "relation": ..., "value": ...}')
    line = json.dumps({key: value for key, value in body.items() if value is not None})
    item: Item | Unread | None = next(read_lines(line), None)
    if not isinstance(item, Item):
        raise Usage(item.message if item else "the edit is empty")
    return item


def decide(app: App, pid: str, text: str, shown: str) -> Decided:
    """Write a person's edit of the proposal they were shown. Inside `App.writing`.

    Raises Stale if it is decided or not what was shown, Refused if something stands against it.
    """
    view = app.view
    proposal = find(view, pid)
    if proposal.state not in OPEN:
        raise Stale(f"proposal {proposal.id} is {proposal.state.value} already")
    if decisions.shown(proposal, judged(proposal, view), view) != shown:
        raise Stale(f"proposal {proposal.id} is not what was shown: look again")
    made = amended(text, proposal, view)
    if made.verdict.outcome in decisions.REFUSALS:
        raise Refused("; ".join(made.verdict.reasons) or made.verdict.outcome.value)
    edited = replace(proposal, candidate=made.candidate, statement=made.statement)
    if made.declared is not None:
        body: decisions.Body = {
            "statement": to_json(made.candidate.written), "proposal": proposal.id, "shown": shown,
        }
        (line,) = app.append([("declare", body)])
    else:
        body = decisions.admitted(edited, made.verdict, None, shown, view)
        (line,) = app.append([("admit", body)])
    return Decided(
        proposal=edited, verdict=made.verdict, event=line.hash, fact=made.statement.fid
    )
