"""`pp declare`: a person states a fact."""

from __future__ import annotations

import click

from bridge.cli.common import common, opened
from bridge.cli.decided import show
from bridge.human import declare
from bridge.settings import Settings


@click.command(name="declare")
@click.argument("plist")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(settings: Settings, plist: str, as_json: bool) -> None:
    """State a fact: pp declare '(:entity :ada :relation :born-in :value :london)'.

    Keys: :entity (or :file :path :command :url :host :symbol), :relation, :value, :not t, :from,
    :to (inclusive), :unit, :kind. Exit 4 if a standing fact excludes it; `pp supersede` replaces.
    """
    with opened(settings) as app:
        with app.writing("declare", person=True):
            done = declare(app, plist)
        show(app, "declare", done, as_json)
