"""`pp admit`: the review queue, listed, decided by the machine where it may, or by a person."""

from __future__ import annotations

import click

from bridge import decisions
from bridge.app import App
from bridge.cli.common import common, fail, has_tty, opened, put, put_json, say
from bridge.cli.loop import review
from bridge.render import candidate_json, proposal_text
from bridge.review import Decided, auto, by_hand, find, judged, queue
from bridge.settings import Settings
from symbolic.errors import PpError, Usage
from symbolic.records import Outcome
from symbolic.world import Proposal, Queued


@click.command(name="admit")
@click.argument("ids", nargs=-1, metavar="[ID ...]")
@click.option("--list", "listing", is_flag=True, help="Show the queue, decide nothing.")
@click.option("--auto", "by_machine", is_flag=True, help="Decide what needs no person.")
@click.option("--yes", is_flag=True, help="Admit the IDs as a person; needs --shown.")
@click.option("--shown", metavar="DIGEST", help="The digest that the queue line shows.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a proposal or verdict.")
@common
def command(
    settings: Settings, ids: tuple[str, ...], listing: bool, by_machine: bool, yes: bool,
    shown: str | None, as_json: bool,
) -> None:
    """Review proposals. Without options, ask about each (y n e s q) on a terminal.

    Exit 4 if one was refused, else 6 if one waits for a person, else 0; 5 if it is not what was
    shown or was decided meanwhile.
    """
    if sum((listing, by_machine, yes)) > 1:
        raise Usage("--list, --auto and --yes exclude one another")
    with opened(settings) as app:
        if listing:
            _list(app, ids, as_json)
        elif by_machine:
            with app.writing("admit", person=False):
                done = auto(app)
            _report(done, as_json)
            _leave(done, app)
        elif yes:
            _yes(app, ids, shown, as_json)
        elif has_tty():
            review(app, ids)
        else:
            raise Usage(
                "nobody is at the terminal: pp admit --list, --auto, or ID --yes --shown DIGEST"
            )


def _list(app: App, ids: tuple[str, ...], as_json: bool) -> None:
    chosen = [find(app.view, pid) for pid in ids] if ids else queue(app.view)
    for proposal in chosen:
        verdict = judged(proposal, app.view)
        state = _state(proposal, verdict.outcome)
        held = proposal.state is Queued.BLOCKED
        reasons = verdict.reasons or (proposal.reasons if held else ())
        if as_json:
            put_json({
                "schema": "pp.queue/1",
                "proposal": proposal.id,
                "candidate": candidate_json(proposal),
                "shown": decisions.shown(proposal, verdict, app.view),
                "state": state,
                "outcome": verdict.outcome.value,
                "reasons": list(reasons),
                "blockers": list(verdict.blockers or (proposal.blockers if held else ())),
            })
        else:
            put(proposal_text(proposal, verdict, state, app.view))
    if not chosen and not as_json:
        say("the queue is empty")


def _state(proposal: Proposal, outcome: Outcome) -> str:
    """Return what a person should know of a proposal: needs-review is computed, not stored."""
    if proposal.state is Queued.PENDING and outcome in (Outcome.NEEDS_REVIEW, Outcome.BLOCKED):
        return outcome.value
    return proposal.state.value


def _yes(app: App, ids: tuple[str, ...], shown: str | None, as_json: bool) -> None:
    if len(ids) != 1:
        raise Usage("--yes decides one proposal: name its ID")
    try:
        with app.writing("admit", person=True):
            done = by_hand(app, ids[0], shown)
    except PpError:
        if as_json:
            _refusal(app, ids[0])
        raise
    _report([done], as_json)


def _refusal(app: App, pid: str) -> None:
    found = [p for p in app.view.proposals() if p.id.startswith(pid)]
    if len(found) == 1:
        verdict = judged(found[0], app.view, by_person=True)
        if verdict.outcome in decisions.REFUSALS:
            _report([Decided(proposal=found[0], verdict=verdict)], True)


def _report(done: list[Decided], as_json: bool) -> None:
    for decided in done:
        verdict = decided.verdict
        if as_json:
            line: dict[str, object] = {
                "schema": "pp.admit/1",
                "proposal": decided.proposal.id,
                "outcome": verdict.outcome.value,
                "fact": decided.fact,
                "reasons": list(verdict.reasons),
                "conflicts": list(verdict.conflicts),
                "blockers": list(verdict.blockers),
                "superseded": list(verdict.superseded),
                "rule": verdict.rule,
                "event": decided.event,
            }
            put_json({key: value for key, value in line.items() if value is not None})
            continue
        said = decided.proposal.candidate.written
        deny = "" if said.polarity else "not "
        put(f"{verdict.outcome.value:22} {said.entity} {deny}{said.relation} {said.value}"
            + (f"  ({decided.fact[:12]})" if decided.fact else ""))
        for reason in verdict.reasons:
            put(f"    {reason}")


def _leave(done: list[Decided], app: App) -> None:
    if any(decided.verdict.outcome in decisions.REFUSALS for decided in done):
        fail(4)
    if any(decided.verdict.outcome is Outcome.NEEDS_REVIEW for decided in done):
        fail(6)
