"""The files of a journal folder: which belong to a chain, and single lines looked up in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from symbolic.errors import ConfigurationError
from symbolic.journal.lines import MAX_LINE, decode
from symbolic.records import Line

_DEV = re.compile(r"[0-9a-f]{12}")
_MONTH = re.compile(r"\d{4}-\d{2}\.jsonl", re.ASCII)
_COPY = re.compile(r"\d{4}-\d{2}\.sync-conflict-.*\.jsonl", re.ASCII)


def first_open(folder: Path) -> Line | None:
    """Return the first `open` line in the order, whose memex id is the memex's.

    A chain begins with its device's `open`, so only first lines are read; a redacted one is passed.
    """
    firsts = []
    for dev in devices(folder):
        for name in months(folder / dev):
            with (folder / dev / name).open("rb") as file:
                line = decode(file.readline(MAX_LINE + 1), label(folder, dev, name), 1)
            if isinstance(line, Line) and line.kind == "open" and line.seq == 1 and line.body:
                firsts.append(line)
            break
    return min(firsts, key=lambda line: line.order, default=None)


def last_open(folder: Path, dev: str) -> Line | None:
    """Return the last `open` line of the chain of `dev`, None if it has none."""
    for name in reversed(months(folder / dev)):
        for line in _containing(folder, dev, name, b'"kind":"open"'):
            if line.kind == "open":
                return line
    return None


def find_line(folder: Path, dev: str, digest: str) -> Line | None:
    """Return the line of `dev` whose hash is `digest`; it is verified, its chain is not."""
    for name in (*reversed(months(folder / dev)), *copies(folder / dev)):
        for line in _containing(folder, dev, name, b'"hash":"' + digest.encode() + b'"'):
            if line.hash == digest:
                return line
    return None


def label(folder: Path, dev: str, name: str) -> str:
    """Return how a month file is named to people: the journal folder's last two parts and it."""
    return "/".join((*folder.parts[-2:], dev, name))


def _containing(folder: Path, dev: str, name: str, text: bytes) -> Iterator[Line]:
    """Yield the lines of a file that hold `text`, the last first; line by line, be it large."""
    with (folder / dev / name).open("rb") as file:
        found = [raw for raw in iter(lambda: file.readline(MAX_LINE + 1), b"") if text in raw]
    for raw in reversed(found):
        line = decode(raw, label(folder, dev, name), 0)
        if isinstance(line, Line):
            yield line


def devices(folder: Path) -> list[str]:
    """Return the devices that have a chain in `folder`, sorted."""
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_dir()]
    except FileNotFoundError:
        return []
    except NotADirectoryError as error:
        raise ConfigurationError(
            f"{folder} cannot be a folder, since a file stands in its way: move that file, "
            "or name another memex",
            key="journal-folder",
        ) from error
    return sorted(name for name in names if _DEV.fullmatch(name))


def months(chain: Path) -> list[str]:
    """Return the month files of a chain, sorted."""
    return _named(chain, _MONTH)


def copies(chain: Path) -> list[str]:
    """Return the copies of months that a sync tool put aside where two versions met, sorted."""
    return _named(chain, _COPY)


def _named(chain: Path, shape: re.Pattern[str]) -> list[str]:
    try:
        return sorted(name for name in os.listdir(chain) if shape.fullmatch(name))
    except FileNotFoundError:
        return []
