"""`pp redact`: blank what lines say, everywhere."""

from __future__ import annotations

from dataclasses import asdict, replace

import click

from bridge.cli.common import common, opened, put, put_json, say
from bridge.cli.decided import show
from bridge.near import wipe
from bridge.redact import Redaction, copies, proposed, redact, rewrite
from bridge.settings import Settings
from symbolic.errors import Usage


@click.command(name="redact")
@click.argument("event", required=False)
@click.option("--yes", is_flag=True, help="Do it; needs --shown.")
@click.option("--shown", metavar="DIGEST", help="The digest that was printed without --yes.")
@click.option("--reason", metavar="TEXT", help="Why; kept in the journal.")
@click.option("--gone", metavar="DEVICE", help="Rewrite the chain of a device that is gone.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(
    settings: Settings, event: str | None, yes: bool, shown: str | None, reason: str | None,
    gone: str | None, as_json: bool,
) -> None:
    """Show every line that says what EVENT says; with --yes void them on every device.

    Each device blanks its own chain at its next sync. Your notes are not touched.
    """
    if (event is None) == (gone is None):
        raise Usage("say which EVENT, or --gone DEVICE for a chain that nobody rewrites any more")
    with opened(settings) as app:
        if gone is not None:
            with app.writing("redact", person=True):
                files = rewrite(app, gone)
            put("\n".join(files) if files else "nothing to do: it was so already")
        elif yes:
            if shown is None:
                raise Usage("--yes needs --shown DIGEST: pp redact EVENT prints it")
            with app.writing("redact", person=True):
                done = redact(app, event or "", shown, reason)
            for trouble in wipe(app):
                say(f"warning: {trouble}")
            show(app, "redact", done, as_json)
        else:
            found = proposed(app.view, event or "")
            _print(replace(found, backups=copies(app, found.lines)), as_json)


def _print(found: Redaction, as_json: bool) -> None:
    if as_json:
        put_json({
            "schema": "pp.redact/1",
            "events": [{"event": x.hash, "dev": x.dev, "at": x.at, "kind": x.kind}
                       for x in found.lines],
            "headings": list(found.headings),
            "bars": [line.hash for line in found.bars],
            "backups": [asdict(copy) for copy in found.backups],
            "shown": found.shown,
        })  # fmt: skip
        return
    for line in found.lines:
        put(f"{line.hash[:12]} {line.at[:16]} {line.kind} by {line.by} on {line.dev}")
    for key in found.headings:
        put(f"still in your notes: {key}")
    if found.bars:
        say(f"{len(found.bars)} of them bar something: what is redacted bars nothing any more")
    for copy in found.backups:
        put(f"backup {copy.file}, made {copy.made[:16]}: {copy.lines} of these lines are in it")
    say(
        "backups and the history of a git repository are not touched: a backup also holds the "
        "notes as they were"
    )
    put(f"shown {found.shown}")
