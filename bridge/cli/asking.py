"""The run of `pp propose` over headings: plan shown, model asked, patterns for the rest."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from bridge.app import App
from bridge.chosen import chosen
from bridge.cli import proposed as told
from bridge.cli.common import fail, put, put_json, say
from bridge.egress import Door, open_door
from bridge.failures import Replies, replies, standing
from bridge.models import load_models
from bridge.proposing import DEAD, Asking, Plan, Told, by_patterns, planned, record, weighed
from neuro.prose.patterns import MODEL as PATTERNS
from symbolic.records import ProseHeading


@dataclass(slots=True)
class _Run:
    """What a run has done so far."""

    done: list[Told] = field(default_factory=list)
    asked: int = 0
    rest: list[ProseHeading] = field(default_factory=list)
    gone: str = ""

    @property
    def failed(self) -> int:
        return sum(1 for one in self.done if one.failed)


def ask(
    app: App, targets: Sequence[str], name: str | None, *, failed: bool, dry_run: bool,
    as_json: bool,
) -> None:
    """Ask about headings and queue what comes back; exit 7 or 4 as `pp propose` says."""
    found = replies(app.view)
    headings = _failed(app, found, dry_run, as_json) if failed else chosen(
        app.view, app.settings.memex, targets
    )
    if failed and (dry_run or not headings):
        return
    door = _door(app, name)
    run = _Run(rest=list(headings))
    if door is not None and door.chain:
        plan = planned(headings, app.view, door, found, again=failed or bool(targets))
        _announce(plan, door)
        if dry_run:
            _show_plan(plan, as_json)
            return
        _ask(app, door, plan, found, run, as_json, known=bool(targets) or failed)
    elif name is None:
        say("no local model is configured (LOCAL_BASE_URL, OLLAMA_HOST, or see `pp models list`): "
            "sentence patterns read the notes")
    _patterns(app, run, dry_run, as_json, known=bool(targets))
    _leave(run, named=name not in (None, PATTERNS))


def _door(app: App, name: str | None) -> Door | None:
    if name == PATTERNS:
        return None
    models = load_models(app.settings)
    for warning in models.warnings:
        say(warning)
    return open_door(models, name)


def _failed(
    app: App, found: Replies, dry_run: bool, as_json: bool
) -> list[ProseHeading]:
    """List the open failures and return their headings, each once."""
    open_ = standing(found, app.view)
    if not open_:
        say("nothing failed: every reply was read")
    if dry_run or not as_json:
        for failure, heading in open_:
            told.failure(failure, heading, as_json)
    return list({heading.key: heading for _, heading in open_}.values())


def _announce(plan: Plan, door: Door) -> None:
    first = door.chain[0]
    place = "on this machine" if first.local else "NOT on this machine"
    say(f"{_count(len(plan.questions), 'heading')} to ask, about {plan.tokens} tokens, of "
        f"{first.provider}/{first.model} ({place})")
    if plan.known:
        say(f"{plan.known} were asked before in these words and are not asked again")
    for reason in sorted({reason for _, reason in plan.withheld}):
        count = sum(1 for _, why in plan.withheld if why == reason)
        say(f"{count} not sent: {reason}; sentence patterns read them")


def _show_plan(plan: Plan, as_json: bool) -> None:
    for one in plan.questions:
        if as_json:
            put_json({
                "schema": "pp.propose/1", "outcome": "would-ask", "heading": one.heading.key,
                "path": one.heading.path, "line": one.heading.line, "tokens": one.tokens,
            })
        else:
            put(f"{told.place(one.heading)}  about {one.tokens} tokens")


def _ask(
    app: App, door: Door, plan: Plan, found: Replies, run: _Run, as_json: bool, *, known: bool
) -> None:
    asking = Asking(door=door, questions=plan.questions)
    said = time.monotonic()
    rest = {heading.key: heading for heading, _ in plan.withheld}
    for number, (question, proposal) in enumerate(asking.run(), start=1):
        with app.writing("propose", person=False):
            done = record(app, question.heading, proposal, found)
        run.done.append(done)
        run.asked += 1
        told.heading(done, as_json, known=known)
        if done.failed and not done.proposed:
            rest[question.heading.key] = question.heading
        if time.monotonic() - said > 1:
            said = time.monotonic()
            say(f"asked {number} of {len(plan.questions)}")
    rest.update((heading.key, heading) for heading in asking.left)
    run.rest = list(rest.values())
    if asking.why:
        run.gone = asking.why
        say(f"{door.chain[0].provider}/{door.chain[0].model} does not answer: {asking.why}")
        left = _count(len(asking.left), "heading")
        say(f"{left} not asked; sentence patterns read what is left")
    elif run.failed:
        say("sentence patterns read what failed")
    _counted(run, door)


def _counted(run: _Run, door: Door) -> None:
    sent = [one.prompt_tokens for one in run.done if one.prompt_tokens is not None]
    came = [one.completion_tokens for one in run.done if one.completion_tokens is not None]
    if run.asked:
        used = f"{sum(sent)} tokens sent, {sum(came)} received" if sent or came else (
            "the server counted no tokens"
        )
        free = all(one.local for one in door.chain)
        price = "no cost, it ran here" if free else "the price is your provider's"
        say(f"{run.asked} asked: {used}; {price}")


def _patterns(app: App, run: _Run, dry_run: bool, as_json: bool, *, known: bool) -> None:
    if not run.rest:
        return
    read = by_patterns(app, run.rest, say)
    if dry_run:
        read = (weighed(heading, app.view) for heading in run.rest)
    for done in read:
        run.done.append(done)
        told.heading(done, as_json, known=known)


def _leave(run: _Run, *, named: bool) -> None:
    """Say what came of it, and leave with the worst exit code."""
    new = [one for done in run.done for one in done.proposed if one.new]
    old = sum(1 for done in run.done for one in done.proposed if not one.new)
    refused = sum(1 for one in new if told.refused([one]))
    fresh = _count(len(new), "new candidate")
    say(f"{fresh}, {refused} refused; {old} proposed before")
    failures = [failed for done in run.done for failed in done.failed]
    if failures:
        say(f"{_count(run.failed, 'heading')} failed: `pp propose --failed` tries again")
    # A model that nobody named may be away: the patterns stand in for it.
    unread = any(failed.reason not in DEAD for failed in failures)
    if unread or (named and (failures or run.gone)):
        fail(7)
    if refused:
        fail(4)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
