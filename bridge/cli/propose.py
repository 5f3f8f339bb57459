"""`pp propose`: headings to a model or to sentence patterns, candidates into the review queue."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from bridge.app import App
from bridge.byhand import about, read_reply_about
from bridge.cli import proposed as told
from bridge.cli.asking import ask
from bridge.cli.common import common, fail, opened, say
from bridge.failures import replies
from bridge.proposing import record
from bridge.review import Proposed, propose, weigh
from bridge.settings import Settings
from neuro.candidates import Item, Unread, read_lines
from symbolic.errors import Usage


@click.command(name="propose")
@click.argument("targets", nargs=-1, metavar="[PATH or HEADING ...]")
@click.option("--model", metavar="NAME", help="provider/model, or patterns to use none.")
@click.option("--from", "source", metavar="FILE", help="Candidates as JSON lines; - is stdin.")
@click.option("--reply", metavar="FILE", help="A model's raw reply; - is stdin. Needs --heading.")
@click.option("--heading", metavar="KEY", help="The heading a reply is about: ID, key, path::T/T.")
@click.option("--failed", is_flag=True, help="List what could not be read and try it again.")
@click.option("--dry-run", is_flag=True, help="Show what would be asked or judged; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a candidate or failure.")
@common
def command(
    settings: Settings, targets: tuple[str, ...], model: str | None, source: str | None,
    reply: str | None, heading: str | None, failed: bool, dry_run: bool, as_json: bool,
) -> None:
    """Read headings, propose what they state, and put it into the review queue.

    PATH is a file or folder, HEADING a key, an ID or path::Title/Title; without either all
    headings that were not asked before. The configured local model is asked, or the one that
    --model names; without one, sentence patterns read the notes. Nothing is admitted by this:
    `pp admit --auto` decides what needs no person. With --dry-run a model is not asked at all.

    Exit 7 if a reply or item could not be read or a model you named did not answer, else 4 if a
    candidate was refused, else 0.
    """
    ways = [bool(source), bool(reply), failed, bool(targets)]
    if sum(ways) > 1:
        raise Usage("give headings, --from, --reply or --failed: one of them")
    if (heading is not None) != (reply is not None):
        raise Usage("--reply FILE and --heading KEY go together")
    with opened(settings) as app:
        if source is not None:
            _lines(app, source, dry_run, as_json)
        elif reply is not None and heading is not None:
            _reply(app, reply, heading, model, dry_run, as_json)
        else:
            ask(app, targets, model, failed=failed, dry_run=dry_run, as_json=as_json)


def _lines(app: App, source: str, dry_run: bool, as_json: bool) -> None:
    """Take candidates as JSON lines."""
    read = list(read_lines(_text(source)))
    items = [item for item in read if isinstance(item, Item)]
    done: Sequence[Proposed] = ()
    if dry_run:
        done = list(weigh(items, app.view))
    elif items:
        with app.writing("propose", person=False):
            done = propose(app, items)
    unread = [bad for bad in read if isinstance(bad, Unread)]
    for one in done:
        told.candidate(one, as_json)
    for bad in unread:
        told.unread(bad, source, as_json)
    fail_for(bool(unread), done)


def _reply(
    app: App, source: str, named: str, model: str | None, dry_run: bool, as_json: bool
) -> None:
    """Take a model's raw reply about one heading."""
    heading = about(app.view, named)
    proposal = read_reply_about(heading, _text(source, errors="replace"), model)
    if dry_run:
        judged = list(weigh(proposal.items, app.view))
        for one in judged:
            told.candidate(one, as_json)
        for failure in proposal.failures:
            say(f"{failure.reason}: {failure.message}")
        fail_for(bool(proposal.failures), judged)
        return
    with app.writing("propose", person=False):
        done = record(app, heading, proposal, replies(app.view))
    told.heading(done, as_json)
    fail_for(bool(done.failed), done.proposed)


def fail_for(unread: bool, done: Sequence[Proposed]) -> None:
    """Leave with the exit code that the worst of a run has."""
    if unread:
        fail(7)
    if told.refused(done):
        fail(4)


def _text(source: str, errors: str = "strict") -> str:
    try:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return raw.decode("utf-8", errors)
    except OSError as error:
        raise Usage(f"{source} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise Usage(f"{source}:{line}: not UTF-8: save the file as UTF-8") from error
