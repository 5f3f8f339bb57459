"""`pp restore`: a memex from its backup."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.cli.common import common, fail, may_replace, opened, put, put_json, say
from bridge.overview import Check, checks
from bridge.restore import Restored, planned, restore
from bridge.settings import Settings, load


@click.command(name="restore")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--to", metavar="DIR", type=click.Path(path_type=Path), help="Where to put it, else --memex."
)
@click.option("--yes", is_flag=True, help="Restore into a folder that is not empty.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(settings: Settings, file: Path, to: Path | None, yes: bool, as_json: bool) -> None:
    """Verify the backup FILE, put it into DIR as a new device, and run doctor.

    Nothing is written unless every byte is as the backup says. Files in DIR that the backup does
    not name stay; a journal file there that goes on after the backup is kept. The indices are
    built by the next `pp sync`. Exit 1 if doctor finds something, 4 if the backup is damaged.
    """
    plan = planned(file, to or settings.memex)
    if not plan.empty:
        told = f"{plan.target} is not empty: {len(plan.replaces)} files there are replaced"
        may_replace(told + (f", {len(plan.kept)} longer journal files kept" if plan.kept else ""),
                    yes)
    done = restore(file, plan, settings)
    # The restored memex has settings of its own, its zone among them.
    now = settings.now.isoformat() if settings.now else None
    there = load(str(plan.target), str(settings.state) if settings.state else None, now)
    with opened(there, to_read=True) as app:
        found = checks(app)
    _told(done, found, as_json)
    if not all(check.ok for check in found):
        fail(1)


def _told(done: Restored, found: list[Check], as_json: bool) -> None:
    known = done.plan.manifest
    if as_json:
        put_json({
            "schema": "pp.restore/1", "memex": known.memex, "to": str(done.plan.target),
            "files": len(known.files), "kept": list(done.plan.kept), "D": known.d, "R": known.r,
            "config": str(done.config) if done.config else None,
            "checks": [check.json() for check in found],
        })
        return
    put(f"{done.plan.target}: {len(known.files)} files of {known.made}, D {known.d[:12]}")
    if done.config is not None:
        put(f"{done.config}: your settings; the values of keys were never in the backup")
    for check in found:
        if not check.ok:
            put(f"WRONG {check.name}: {check.detail}")
    say("next: pp sync builds the indices")
