"""`pp why`: the reasons of a fact, a verdict or an event."""

from __future__ import annotations

import click

from bridge.cli.common import common, opened, put, put_json
from bridge.settings import Settings


@click.command(name="why")
@click.argument("named", metavar="ID", nargs=-1, required=True)
@click.option("--plain", is_flag=True, help="Plain words instead of the process vocabulary.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True,
              help="How many proofs of what rules derive, the smallest first.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(
    settings: Settings, named: tuple[str, ...], plain: bool, limit: int, as_json: bool
) -> None:
    """Say why a fact stands or does not, why a proposal was refused, what an event did."""
    from bridge.cli.named import known
    from bridge.former import today
    from symbolic.tree import org_tree, tree_json  # --help stays quick
    from symbolic.why import why

    with opened(settings, reading=True) as app:
        text = today(app.view, " ".join(named))
        found = known(why(app.view, text, app.now, plain=plain, limit=limit))
        if as_json:
            put_json({"schema": "pp.why/1", "tree": tree_json(found)})
        else:
            put(org_tree(found))
