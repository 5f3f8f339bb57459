"""`pp rebuild`: throw both indices away and build them again."""

from __future__ import annotations

import click

from bridge.cli.common import common, fail, put, put_json, say
from bridge.rebuild import rebuild
from bridge.settings import Settings


@click.command(name="rebuild")
@click.option("--verify", is_flag=True, help="Compare the digest before and after.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(settings: Settings, verify: bool, as_json: bool) -> None:
    """Build both indices anew from prose, journal and gate tables; journal and device stay.

    With --verify exit 1 if the digests differ.
    """
    done = rebuild(settings, progress=say)
    if as_json:
        put_json({
            "schema": "pp.rebuild/1", "before": done.before, "after": done.after, "R": done.chains,
            "result": done.result,
            "N": {
                "before": done.near.before, "after": done.near.after, "result": done.near.result,
            },
        })
    else:
        put(f"D before {done.before or '(no index)'}\nD after  {done.after}")
        put(f"R        {done.chains}")
        put(f"N before {done.near.before or '(no index)'}\nN after  {done.near.after}")
        put(f"D {done.result}, N {done.near.result}")
    for warning in done.near.warnings:
        say(warning)
    if verify and "mismatch" in (done.result, done.near.result):
        fail(1)
