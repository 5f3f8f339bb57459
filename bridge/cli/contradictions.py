"""`pp contradictions`: what disagrees, with both chains."""

from __future__ import annotations

import click

from bridge.cli.common import common, fail, opened, put, put_json, say
from bridge.settings import Settings


@click.command(name="contradictions")
@click.option("--all", "all_", is_flag=True, help="Settled ones too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(settings: Settings, all_: bool, as_json: bool) -> None:
    """List the open conflicts, each with the chains of all its members. Exit 1 if there are any."""
    from symbolic.factjson import contradictions_json  # --help stays quick
    from symbolic.history import contradictions, contradictions_branch
    from symbolic.tree import org_tree

    with opened(settings, reading=True) as app:
        found = contradictions(app.view, all_=all_)
        if as_json:
            put_json(contradictions_json(app.view, found, app.now))
        elif found:
            put(org_tree(contradictions_branch(app.view, found)))
        else:
            say("no open contradictions")
        still_open = any(conflict.state == "open" for conflict in found)
    if still_open:
        fail(1)
