"""`pp settle`: close a conflict."""

from __future__ import annotations

import click

from bridge.cli.common import common, opened
from bridge.cli.decided import show
from bridge.human import settle
from bridge.settings import Settings
from symbolic.errors import Usage


@click.command(name="settle")
@click.argument("conflict")
@click.option("--keep", metavar="FID", help="This fact stands, the others are withdrawn.")
@click.option("--both", is_flag=True, help="All stand; the conflict is not asked again.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(
    settings: Settings, conflict: str, keep: str | None, both: bool, as_json: bool
) -> None:
    """Close a conflict. A new member opens it again and shows this settlement."""
    if (keep is None) == (not both):
        raise Usage("say --keep FID or --both")
    with opened(settings) as app:
        with app.writing("settle", person=True):
            done = settle(app, conflict, keep=keep)
        show(app, "settle", done, as_json)
