"""The backups that were made here, noted in the state folder so that a redaction can name them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bridge.archive import Manifest

KNOWN = "backups.jsonl"
"""A line for each backup, in the order they were made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A backup that was made here, wherever it is now. `heads` are the chains' last lines in it."""

    file: str
    made: str
    heads: Mapping[str, str]


def known(state: Path) -> list[Known]:
    """Return the backups noted in a state folder; a note that does not read is passed over."""
    try:
        rows = (state / KNOWN).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    found = []
    for row in rows:
        with suppress(ValueError, KeyError, TypeError):
            told = json.loads(row)
            heads = {str(dev): str(head) for dev, head in dict(told["heads"]).items()}
            found.append(Known(file=str(told["file"]), made=str(told["made"]), heads=heads))
    return found


def remember(state: Path, file: Path, manifest: Manifest) -> None:
    """Note the backup in the state folder; a disk that refuses that spoils no backup."""
    told = manifest.json()
    told = {key: told[key] for key in ("schema", "memex", "made", "D", "R", "heads")}
    line = json.dumps({**told, "file": str(file)}, ensure_ascii=False) + "\n"
    with suppress(OSError), (state / KNOWN).open("a", encoding="utf-8") as known:
        known.write(line)
