"""`pp supersede`: replace a fact by another."""

from __future__ import annotations

import click

from bridge.cli.common import common, opened
from bridge.cli.decided import show
from bridge.human import supersede
from bridge.settings import Settings


@click.command(name="supersede")
@click.argument("old")
@click.argument("new", metavar="NEW")
@click.option("--from", "since", metavar="DATE", help="OLD held until this date.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(
    settings: Settings, old: str, new: str, since: str | None, as_json: bool
) -> None:
    """Replace the fact OLD by NEW: a proposal's id or a plist. One line, one undo."""
    with opened(settings) as app:
        with app.writing("supersede", person=True):
            done = supersede(app, old, new, since)
        show(app, "supersede", done, as_json)
