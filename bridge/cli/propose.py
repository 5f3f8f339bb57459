"""`pp propose`: candidates into the review queue."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bridge.candidates import Item, Unread, read_lines
from bridge.cli.common import common, fail, opened, put, put_json, say
from bridge.decisions import REFUSALS
from bridge.review import Proposed, preview, propose
from bridge.settings import Settings
from symbolic.errors import Usage


@click.command(name="propose")
@click.option("--from", "source", metavar="FILE", help="Candidates as JSON lines; - is stdin.")
@click.option("--dry-run", is_flag=True, help="Judge and print, write nothing.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a candidate.")
@common
def command(settings: Settings, source: str | None, dry_run: bool, as_json: bool) -> None:
    """Judge candidates and put them into the review queue.

    Nothing is admitted by this: `pp admit --auto` decides what needs no person. Exit 7 if a line
    could not be read, else 4 if a candidate was refused, else 0.
    """
    if source is None:
        raise Usage("name the candidates: pp propose --from FILE (or --from - for stdin)")
    text = _text(source)
    read = list(read_lines(text))
    items = [item for item in read if isinstance(item, Item)]
    with opened(settings) as app:
        if dry_run:
            done = [
                Proposed(line=item.line, proposal=pid, candidate=item.candidate, verdict=verdict,
                         new=True)
                for item, pid, verdict in preview(items, app.view)
            ]
        elif items:
            with app.writing("propose", person=False):
                done = propose(app, items)
        else:
            done = []
    unread = [bad for bad in read if isinstance(bad, Unread)]
    for proposed in done:
        _show(proposed, as_json)
    for bad in unread:
        _show_unread(bad, source, as_json)
    if unread:
        fail(7)
    if any(proposed.verdict.outcome in REFUSALS for proposed in done):
        fail(4)


def _text(source: str) -> str:
    try:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return raw.decode("utf-8")
    except OSError as error:
        raise Usage(f"{source} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise Usage(f"{source}:{line}: not UTF-8: save the file as UTF-8") from error


def _show(proposed: Proposed, as_json: bool) -> None:
    verdict = proposed.verdict
    if as_json:
        put_json({
            "schema": "pp.propose/1",
            "line": proposed.line,
            "proposal": proposed.proposal,
            "outcome": verdict.outcome.value,
            "new": proposed.new,
            "reasons": list(verdict.reasons),
            "blockers": list(verdict.blockers),
            "conflicts": list(verdict.conflicts),
        })
        return
    said = proposed.candidate.written
    deny = "" if said.polarity else "not "
    known = "" if proposed.new else " (proposed before)"
    put(f"{proposed.proposal}  {verdict.outcome.value:22} "
        f"{said.entity} {deny}{said.relation} {said.value}{known}")
    for reason in verdict.reasons:
        put(f"    {reason}")


def _show_unread(bad: Unread, source: str, as_json: bool) -> None:
    say(f"{source}:{bad.line}: {bad.message}\n    {bad.excerpt}")
    if as_json:
        put_json({
            "schema": "pp.propose/1", "line": bad.line, "outcome": "unreadable",
            "reasons": [bad.message],
        })
