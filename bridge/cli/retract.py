"""`pp retract`: withdraw a fact."""

from __future__ import annotations

import click

from bridge.cli.common import common, opened
from bridge.cli.decided import show
from bridge.human import retract
from bridge.settings import Settings


@click.command(name="retract")
@click.argument("fid")
@click.option("--heading", metavar="KEY", help="Only what this heading says.")
@click.option("--reason", metavar="TEXT", help="Why; kept in the journal.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(
    settings: Settings, fid: str, heading: str | None, reason: str | None, as_json: bool
) -> None:
    """Withdraw a fact from its sources. Your text is not touched: it is barred where it stands."""
    with opened(settings) as app:
        with app.writing("retract", person=True):
            done = retract(app, fid, heading=heading, reason=reason)
        show(app, "retract", done, as_json)
