"""`pp doctor`: is everything sound?"""

from __future__ import annotations

import click

from bridge.cli.common import common, fail, opened, put, put_json
from bridge.overview import checks
from bridge.settings import Settings


@click.command(name="doctor")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@click.option("--vacuum", is_flag=True, help="Give the index's unused space back first.")
@common
def command(settings: Settings, as_json: bool, vacuum: bool) -> None:
    """Check packages, journal, index and prose. Exit 1 if something is wrong; nothing is mended."""
    if vacuum:
        with opened(settings) as app, app.writing("doctor", person=False):
            app.store.vacuum()
    with opened(settings, reading=True) as app:
        found = checks(app)
    if as_json:
        put_json({"schema": "pp.doctor/1", "checks": [check.json() for check in found]})
    else:
        for check in found:
            put(f"{'ok   ' if check.ok else 'WRONG'} {check.name}: {check.detail}")
    if not all(check.ok for check in found):
        fail(1)
