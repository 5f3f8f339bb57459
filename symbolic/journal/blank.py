"""Blanking the bodies of redacted lines in the chains that are this device's to rewrite."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from symbolic.journal.disk import replace_file, state_error
from symbolic.journal.folder import copies, label, months
from symbolic.journal.lines import canonical, decode, whole
from symbolic.records import Line


def blank(folder: Path, dev: str, events: Collection[str]) -> list[Path]:
    """Leave `body: null` of the lines `events` in the files of `dev`; return the files rewritten.

    Each file is replaced whole or not at all, under the writer lock. A blanked line is valid by
    its hash, and no number moves. Raises DiskRefused or ConfigurationError if the disk says no.
    """
    place = folder / dev
    done = []
    for name in (*months(place), *copies(place)):
        path = place / name
        raw = path.read_bytes()
        data = b"".join(_blanked(raw, label(folder, dev, name), events))
        if data == raw:
            continue
        try:
            replace_file(path, data, "journal.blank")
        except OSError as error:
            raise state_error(place, error) from error
        path.chmod(0o644)
        done.append(path)
    return done


def _blanked(raw: bytes, shown: str, events: Collection[str]) -> Iterator[bytes]:
    for row in raw.splitlines(keepends=True):
        line = decode(row, shown, 0)
        if isinstance(line, Line) and line.hash in events and line.salt is not None:
            yield canonical(whole(replace(line, body={}, salt=None))) + b"\n"
        else:
            yield row
