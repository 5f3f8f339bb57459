"""The interactive review: one proposal at a time, its quote in its heading, conflicts beside it."""

from __future__ import annotations

import click

from bridge import decisions
from bridge.amend import amended, decide, editable
from bridge.app import App
from bridge.cli.common import put, say
from bridge.human import reject
from bridge.render import fact_place, fact_text, quoted_place, said_text, written_text
from bridge.review import by_hand, find, judged, queue
from symbolic.errors import PpError
from symbolic.records import Admission
from symbolic.world import Proposal

KEYS = "y admit   n reject   e edit   s skip   q stop"


def review(app: App, ids: tuple[str, ...]) -> None:
    """Ask about each open proposal; each answer is one journal line, written at once."""
    chosen = [find(app.view, pid).id for pid in ids] or [p.id for p in queue(app.view)]
    for at, pid in enumerate(chosen, start=1):
        proposal = find(app.view, pid)
        verdict = judged(proposal, app.view)
        # What is shown is bound by this digest: the lock is not held while a person thinks.
        shown = decisions.shown(proposal, verdict, app.view)
        _show(app, proposal, verdict, f"{at}/{len(chosen)}")
        answer = click.prompt(
            KEYS, type=click.Choice(list("ynesq")), show_choices=False, default="s"
        )
        if answer == "q":
            return
        if answer == "e":
            _edit(app, proposal, shown)
        elif answer != "s":
            _answer(app, pid, answer, shown)
    say("the queue is done" if chosen else "the queue is empty")


def _answer(app: App, pid: str, answer: str, shown: str) -> None:
    try:
        with app.writing("admit", person=True):
            if answer == "y":
                done = by_hand(app, pid, shown)
                say(f"{done.verdict.outcome.value}; undo with: pp undo {(done.event or '')[:12]}")
            else:
                event = reject(app, pid, everywhere=False, reason=None).events[0]
                say(f"rejected; undo with: pp undo {event[:12]}")
    except PpError as error:
        say(error.message)


def _edit(app: App, proposal: Proposal, shown: str) -> None:
    """Let a person say it in other words, show what that is worth, and ask once more."""
    text = click.edit(editable(proposal), extension=".json", require_save=False)
    if text is None or text.strip() in ("", editable(proposal).strip()):
        say("left as it was")
        return
    try:
        made = amended(text, proposal, app.view)
        put(f"  as you wrote it: {said_text(made.candidate.written)}")
        for note in (*made.notes, *made.verdict.reasons):
            put(f"  {note}")
        if made.declared is not None:
            put(f"  {made.declared}")
            put("  so it would be your own statement, declared in your name")
        else:
            put(f"  would be: {made.verdict.outcome.value}")
        if not click.confirm("keep it", default=False):
            say("left as it was")
            return
        with app.writing("admit", person=True):
            done = decide(app, proposal.id, text, shown)
        word = "declared" if made.declared is not None else done.verdict.outcome.value
        say(f"{word}; undo with: pp undo {(done.event or '')[:12]}")
    except PpError as error:
        say(error.message)


def _show(app: App, proposal: Proposal, verdict: Admission, count: str) -> None:
    put(f"\n[{count}] {written_text(proposal)}")
    put(f"  would be: {verdict.outcome.value}")
    for reason in verdict.reasons:
        put(f"  {reason}")
    if proposal.candidate.rationale:
        put(f"  because: {proposal.candidate.rationale}")
    put(f"  {quoted_place(proposal, app.view)}")
    heading = app.view.heading(proposal.resolved) if proposal.resolved else None
    if heading is not None:
        quote = proposal.candidate.grounding.quote or ""
        for line in heading.text.splitlines()[:12]:
            put(f"  | {line.replace(quote, click.style(quote, bold=True)) if quote else line}")
    for fid in verdict.conflicts:
        rival = app.view.fact(fid)
        if rival is not None:
            put(f"  against {fact_text(rival)}  ({fact_place(app.view, rival)})")
