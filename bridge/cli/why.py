"""`pp why`: the reasons of a fact, a verdict or an event."""

from __future__ import annotations

import click

from bridge.cli.common import common, opened, put, put_json
from bridge.settings import Settings


@click.command(name="why")
@click.argument("named", metavar="ID", nargs=-1, required=True)
@click.option("--plain", is_flag=True, help="Plain words instead of the process vocabulary.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(settings: Settings, named: tuple[str, ...], plain: bool, as_json: bool) -> None:
    """Say why a fact stands or does not, why a proposal was refused, what an event did."""
    from bridge.cli.named import known
    from bridge.former import today
    from symbolic.tree import org_tree, tree_json  # --help stays quick
    from symbolic.why import why

    with opened(settings, reading=True) as app:
        found = known(why(app.view, today(app.view, " ".join(named)), app.now, plain=plain))
        if as_json:
            put_json({"schema": "pp.why/1", "tree": tree_json(found)})
        else:
            put(org_tree(found))
