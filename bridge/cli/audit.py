"""`pp audit`: where something comes from, back to a heading, a journal line or a gate row."""

from __future__ import annotations

import click

from bridge.cli.common import common, opened, put, put_json
from bridge.settings import Settings


@click.command(name="audit")
@click.argument("named", metavar="ID", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.option("--dot", "as_dot", is_flag=True, help="A Graphviz digraph.")
@common
def command(settings: Settings, named: tuple[str, ...], as_json: bool, as_dot: bool) -> None:
    """Show the provenance chain of a fact, heading, proposal or event as an Org tree.

    ID is an id or six of its first digits, a heading's key, ID or title, or path::Title/Title.
    """
    from bridge.cli.named import known
    from bridge.former import today
    from symbolic.provenance import audit, audit_json  # --help stays quick
    from symbolic.tree import dot, org_tree

    with opened(settings, reading=True) as app:
        found = known(audit(app.view, today(app.view, " ".join(named)), app.now))
        if as_json:
            put_json(audit_json(app.view, found, app.now))
        else:
            put(dot(found.tree) if as_dot else org_tree(found.tree))
