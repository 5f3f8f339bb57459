"""`pp timeline`: the history of an entity."""

from __future__ import annotations

import click

from bridge.cli.common import common, opened, put, put_json, say, zone_of
from bridge.settings import Settings


@click.command(name="timeline")
@click.argument("entity")
@click.argument("relation", required=False)
@click.option("--domain", metavar="NAME", help="One provenance domain only.")
@click.option("--tz", metavar="ZONE", help="Print times in another zone.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(
    settings: Settings, entity: str, relation: str | None, domain: str | None, tz: str | None,
    as_json: bool,
) -> None:
    """Show when each fact about ENTITY held, in order, and what ended it."""
    from symbolic.history import timeline, timeline_branch, timeline_json  # --help stays quick
    from symbolic.tree import org_tree
    from symbolic.zones import told

    tz = zone_of(tz)
    with opened(settings, reading=True) as app:
        found = timeline(app.view, entity, relation, now=app.now, domain=domain)
        if as_json:
            put_json(timeline_json(app.view, found, app.now, tz))
        else:
            put(org_tree(timeline_branch(app.view, found, app.now, tz)))
        for note in told(app.view.zone, tz):
            say(note)
