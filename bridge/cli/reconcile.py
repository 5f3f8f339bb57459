"""`pp reconcile`: decide between devices."""

from __future__ import annotations

from collections.abc import Mapping

import click

from bridge.app import App
from bridge.cli.common import common, fail, opened, put, put_json, say
from bridge.cli.decided import show
from bridge.reconcile import decisions, divergence_json, named, reconcile, shown
from bridge.settings import Settings
from symbolic.divergence import Divergence
from symbolic.errors import Usage
from symbolic.records import Line


@click.command(name="reconcile")
@click.argument("divergence", required=False)
@click.option("--keep", metavar="EVENT", help="The decision that counts from now on.")
@click.option("--yes", is_flag=True, help="Decide; needs --keep and --shown.")
@click.option("--shown", "digest", metavar="DIGEST", help="The digest that the list shows.")
@click.option("--json", "as_json", is_flag=True, help="One JSON line a divergence.")
@common
def command(
    settings: Settings, divergence: str | None, keep: str | None, yes: bool, digest: str | None,
    as_json: bool,
) -> None:
    """List what devices decided differently, or keep one decision of a divergence.

    Until then the safest counts. Exit 1 while the list is not empty; 5 if what stands there is
    not what was shown.
    """
    with opened(settings) as app:
        if not yes:
            if keep is not None or digest is not None:
                raise Usage("to decide: pp reconcile ID --keep EVENT --yes --shown DIGEST")
            found = [named(app.view, divergence)] if divergence else list(app.view.divergences())
            _list(app, found, as_json)
            if found:
                fail(1)
            return
        if divergence is None or keep is None or digest is None:
            raise Usage("to decide: pp reconcile ID --keep EVENT --yes --shown DIGEST")
        with app.writing("reconcile", person=True):
            done = reconcile(app, divergence, keep, digest)
        show(app, "reconcile", done, as_json)


def _list(app: App, found: list[Divergence], as_json: bool) -> None:
    for one in found:
        if as_json:
            put_json(divergence_json(app.view, one))
            continue
        put(f"{one.id}  {len(one.events)} decisions (shown {shown(one)})")
        for line in decisions(app.view, one):
            counts = "counts until you decide" if line.hash in one.stands else "is held"
            put(f"    {line.hash[:12]} {line.at[:16]} {line.by} on {line.dev}: "
                f"{line.kind} {_said(line)} ({counts})")
    if not found and not as_json:
        say("no device decided anything that another one has to hear of")


def _said(line: Line) -> str:
    """Return the statement that a decision is about, in a few words."""
    body = line.body
    said = body.get("statement") or body.get("old")
    if isinstance(said, Mapping):
        return f"{said['entity']} {said['relation']} {said['value']}"
    for name in ("conflict", "subject", "event", "divergence"):
        if name in body:
            return str(body[name])[:40]
    return ""
