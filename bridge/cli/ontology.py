"""`pp ontology`: classes, relations and policies, seed and own."""

from __future__ import annotations

import click

from bridge.cli.common import common, opened, put, put_json
from bridge.settings import Settings


@click.group(name="ontology")
def command() -> None:
    """Show what words the memex knows. To change them, edit system/ontology.org and sync."""


@command.command(name="list")
@click.option("--class", "only", metavar="NAME", help="Only this class, with its members.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def list_(settings: Settings, only: str | None, as_json: bool) -> None:
    """List classes, relations, qualities and provenances; without a memex the seed vocabulary."""
    from bridge.vocabulary import entries, seed_entries  # --help stays quick
    from symbolic.errors import ConfigurationError

    try:
        with opened(settings) as app:
            rows = entries(app)
    except ConfigurationError as error:
        if error.key != "no-memex":
            raise
        rows = seed_entries()
    if only is not None:
        from symbolic.names import fold

        rows = [row for row in rows if fold(row.name) == fold(only)]
    if as_json:
        put_json({"schema": "pp.ontology/1", "entries": [row.json() for row in rows]})
        return
    for row in rows:
        members = f"  {', '.join(row.members)}" if only is not None or len(row.members) < 6 else (
            f"  {len(row.members)} members"
        )
        put(f"{row.kind:11} {row.name:26} {row.policy:11} {row.source}{members}".rstrip())
