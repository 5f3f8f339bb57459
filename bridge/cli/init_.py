"""`pp init`: start the journal; nothing else in the folder is touched."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.cli.common import common, put, say
from bridge.settings import Settings
from bridge.setup import begin


@click.command(name="init")
@click.argument("folder", required=False, type=click.Path(path_type=Path, file_okay=False))
@common
def command(settings: Settings, folder: Path | None) -> None:
    """Make FOLDER (or --memex) a memex: start its journal.

    It writes under system/journal only. Your files are not touched.
    """
    made = begin(settings, folder)
    if made.new:
        put(f"memex {made.memex_id} in {made.root}")
        say("next: pp sync")
    else:
        put(f"{made.root} is already a memex ({made.memex_id})")
