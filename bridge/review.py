"""The review loop: fill the queue, let the machine decide what it may, let a person decide.

Every function that writes is called inside `App.writing`; it judges on the view as it stands
there, so a decision is never made on what another process has changed meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from bridge import decisions
from bridge.app import App
from bridge.candidates import Places, placed
from neuro.candidates import Item
from symbolic.admission import admit
from symbolic.assess import Assessed, assess
from symbolic.errors import Refused, Stale, Usage
from symbolic.grounding import quote_hash
from symbolic.names import digest
from symbolic.records import Admission, Candidate, Grounding, Outcome
from symbolic.world import OPEN, Proposal, Queued, View

FINAL = (Outcome.MALFORMED, Outcome.UNGROUNDED)
"""Refusals that end a proposal: it never returns to the queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """One candidate put into the queue, with the verdict it would get now."""

    line: int
    proposal: str
    candidate: Candidate
    verdict: Admission
    new: bool
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """A verdict on a proposal; `event` is the journal line, None where none was needed."""

    proposal: Proposal
    verdict: Admission
    event: str | None = None
    fact: str | None = None


# --- proposing ----------------------------------------------------------------------------------


def weigh(
    items: Iterable[Item], view: View, judge: Callable[[Candidate, View], Assessed] = assess
) -> Iterator[Proposed]:
    """Yield each item placed, with its proposal id and the verdict on it. Nothing is written.

    `new` says that it is not in the journal yet.
    """
    places = Places(view)
    seen: set[str] = set()
    for item in items:
        candidate = placed(item.candidate, places)
        pid = _id(candidate, item.candidate.grounding)
        if item.wrong:
            # An id of its own: else the good line that says the same would be refused with it.
            pid = digest("malformed", pid, *item.wrong)[:16]
            verdict = Admission(outcome=Outcome.MALFORMED, reasons=item.wrong)
            judged = Assessed(candidate=candidate, verdict=verdict)
        else:
            judged = judge(candidate, view)
        new = pid not in seen and not view.proposals(id=pid)
        seen.add(pid)
        yield Proposed(
            line=item.line, proposal=pid, candidate=judged.candidate, verdict=judged.verdict,
            notes=judged.notes, new=new,
        )


def _id(candidate: Candidate, named: Grounding) -> str:
    """Return the proposal id of a candidate as it was written, `named` being its own place."""
    key = candidate.grounding.heading or named.heading or (
        None if named.path is None else f"{named.path}::{'/'.join(named.outline)}"
    )
    quote = candidate.grounding.quote
    return decisions.proposal_id(candidate, key, quote_hash(quote) if quote else "")


def propose(app: App, items: Iterable[Item], reply: decisions.Reply = decisions.NO_REPLY
            ) -> list[Proposed]:
    """Judge and queue candidates; one that was proposed before changes nothing."""
    return enqueue(app, list(weigh(items, app.view)), reply)


def enqueue(
    app: App, weighed: Sequence[Proposed], reply: decisions.Reply = decisions.NO_REPLY
) -> list[Proposed]:
    """Queue what `weigh` made, in one append."""
    lines = entries(weighed, reply, app.view)
    if lines:
        app.append(lines)
    return list(weighed)


def entries(
    weighed: Iterable[Proposed], reply: decisions.Reply, view: View
) -> list[decisions.Entry]:
    """Return the lines that queue what is new; a final refusal ends its proposal at once."""
    found: list[decisions.Entry] = []
    for one in weighed:
        if one.new:
            found.append(_queued(one, reply))
            if one.verdict.outcome in FINAL:
                found.append(decisions.refuse(one.proposal, one.verdict, view))
    return found


def _queued(one: Proposed, reply: decisions.Reply) -> decisions.Entry:
    """Return the `propose` line; one refused for good names no key to be followed."""
    key, verdict = one.candidate.grounding.heading, one.verdict
    if verdict.outcome in FINAL:
        reasons = "; ".join(verdict.reasons)
        return decisions.propose(one.candidate, None, one.proposal, reasons, reply)
    grounding = "; ".join(("grounded", *one.notes))
    return decisions.propose(one.candidate, key, one.proposal, grounding, reply)


# --- the queue ----------------------------------------------------------------------------------


def queue(view: View) -> list[Proposal]:
    """Return what waits, the most confident first, one for each fact and heading.

    A proposal whose quote is gone has lapsed: it waits for its quote, not for a decision.
    """
    seen: set[tuple[str, str | None]] = set()
    found = []
    for proposal in sorted(view.proposals(closed=False), key=_confidence):
        if proposal.state is Queued.LAPSED:
            continue
        fid = proposal.statement.fid if proposal.statement else proposal.id
        if (fid, proposal.resolved) not in seen:
            seen.add((fid, proposal.resolved))
            found.append(proposal)
    return found


def _confidence(proposal: Proposal) -> tuple[Decimal, str, str]:
    try:
        given = Decimal(proposal.candidate.confidence or "0")
    except InvalidOperation:
        given = Decimal(0)
    return (-given, proposal.at, proposal.event)


def current(proposal: Proposal) -> Candidate:
    """Return a proposal's candidate as it stands today: at the heading where its quote is."""
    candidate = proposal.candidate
    return replace(
        candidate, grounding=replace(candidate.grounding, heading=proposal.resolved)
    )


def judged(proposal: Proposal, view: View, *, by_person: bool = False) -> Admission:
    """Return the verdict on a queued proposal now."""
    return admit(current(proposal), view, by_person=by_person)


# --- deciding -----------------------------------------------------------------------------------


def auto(app: App) -> list[Decided]:
    """Decide every open proposal that needs no person; the others stay as they are."""
    found = []
    for waiting in queue(app.view):
        proposal = find(app.view, waiting.id)
        if proposal.state is not Queued.PENDING:
            continue
        verdict = judged(proposal, app.view)
        found.append(_decide(app, proposal, verdict, None))
    return found


def _decide(app: App, proposal: Proposal, verdict: Admission, shown: str | None) -> Decided:
    """Write what a verdict says: an admission, a refusal, or nothing if a person is needed."""
    if verdict.outcome is Outcome.NEEDS_REVIEW:
        return Decided(proposal=proposal, verdict=verdict)
    if verdict.outcome in decisions.REFUSALS:
        (line,) = app.append([decisions.refuse(proposal.id, verdict, app.view)])
        return Decided(proposal=proposal, verdict=verdict, event=line.hash)
    rule = None if shown is not None else "auto"
    body = decisions.admitted(proposal, verdict, rule, shown, app.view)
    (line,) = app.append([("admit", body)])
    fid = proposal.statement.fid if proposal.statement else None
    return Decided(proposal=proposal, verdict=verdict, event=line.hash, fact=fid)


def by_hand(app: App, pid: str, shown: str | None) -> Decided:
    """Admit a proposal as a person who was shown the digest `shown`.

    Raises Usage without a digest, Stale if it is not what would be shown now or the proposal is
    decided, Refused if a standing fact or an earlier decision is in the way.
    """
    proposal = find(app.view, pid)
    if shown is None:
        raise Usage("--yes needs --shown DIGEST: the digest stands in `pp admit --list`")
    if proposal.state not in OPEN:
        raise Stale(f"proposal {proposal.id} is {proposal.state.value} already")
    if decisions.shown(proposal, judged(proposal, app.view), app.view) != shown:
        raise Stale(
            f"proposal {proposal.id} is not what was shown: look again with `pp admit --list`"
        )
    verdict = judged(proposal, app.view, by_person=True)
    if verdict.outcome in decisions.REFUSALS:
        reasons = "; ".join(verdict.reasons) or verdict.outcome.value
        way_out = ""
        if verdict.blockers and not verdict.blockers[0].startswith("rule:"):
            way_out = f"\n  pp supersede {verdict.blockers[0][:12]} {proposal.id} replaces it"
        raise Refused(reasons + way_out)
    return _decide(app, proposal, verdict, shown)


def find(view: View, pid: str) -> Proposal:
    """Return the proposal whose id starts with `pid`. Raises Usage if none or several do."""
    found = list(view.proposals(id=pid)) or [p for p in view.proposals() if p.id.startswith(pid)]
    if len(found) == 1:
        return found[0]
    exact = [p for p in found if p.id == pid]
    if exact:
        return exact[0]
    if not found:
        raise Usage(f"there is no proposal {pid}: see `pp admit --list`")
    raise Usage(f"{pid} could be {', '.join(p.id for p in found[:5])}")
