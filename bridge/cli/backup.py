"""`pp backup`: the memex in one file."""

from __future__ import annotations

from pathlib import Path

import click

from bridge.backup import Made, backup
from bridge.cli.common import common, fail, may_replace, opened, put, put_json, say
from bridge.settings import Settings


@click.command(name="backup")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--yes", is_flag=True, help="Replace FILE if it is there.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(settings: Settings, file: Path, yes: bool, as_json: bool) -> None:
    """Write the memex to FILE, a tar.gz: journal and prose as one sync leaves them.

    Files that .ppignore or a built-in pattern leaves out are not in it, attachments below data/
    among them (`!data/` in .ppignore brings them in), nor are the values of keys. Exit 1 if a file
    could not be read; 5 if the prose changes each time it is read.
    """
    if file.exists():
        may_replace(f"{file} is there already", yes)
    with opened(settings, to_read=True) as app:
        made = backup(app, file, progress=say)
    _told(made, as_json)
    if any(skip.kept for skip in made.left_out):
        fail(1)


def _told(made: Made, as_json: bool) -> None:
    known = made.manifest
    for skip in made.left_out:
        say(f"left out {skip.path}: {skip.reason}")
    if as_json:
        put_json({
            "schema": "pp.backup/1", "file": str(made.file), "memex": known.memex,
            "files": len(known.files), "bytes": known.bytes, "D": known.d, "R": known.r,
            "left_out": [{"path": s.path, "reason": s.reason} for s in made.left_out],
        })
    else:
        put(f"{made.file}: {len(known.files)} files, {known.bytes} bytes, D {known.d[:12]}")
