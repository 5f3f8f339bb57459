"""`pp undo`: take a decision back."""

from __future__ import annotations

import click

from bridge.cli.common import common, opened
from bridge.cli.decided import show
from bridge.human import undo
from bridge.settings import Settings


@click.command(name="undo")
@click.argument("event")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(settings: Settings, event: str, as_json: bool) -> None:
    """Take the decision EVENT back. Undoing an undo brings the decision back."""
    with opened(settings) as app:
        with app.writing("undo", person=True):
            done = undo(app, event)
        show(app, "undo", done, as_json)
