"""The files of chains as a sync tool sees them: which version goes on after which, and copies.

A version of a file is told by the hashes of its lines: a line that was blanked is the same line.
"""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

JOURNAL = Path("system/journal")


def is_chain(name: str) -> bool:
    """Return whether a file of the memex belongs to a chain."""
    return Path(name).is_relative_to(JOURNAL)


def dev_of(name: str) -> str:
    """Return the device whose chain a file belongs to."""
    return Path(name).parent.name


def rows_of(data: bytes) -> list[bytes]:
    """Return the whole lines of a chain's file."""
    return data[: data.rfind(b"\n") + 1].splitlines(keepends=True)


@lru_cache(maxsize=1 << 14)
def events(row: bytes) -> tuple[str, ...]:
    """Return the hash of a line, and of the one that it carries."""
    line = json.loads(row)
    carried = (line.get("body") or {}).get("line") if line["kind"] == "redo" else None
    return (line["hash"], carried["hash"]) if carried else (line["hash"],)


def version(data: bytes) -> tuple[int, int, int]:
    """Return how far a chain's file goes: lines, lines blanked, bytes of a torn one."""
    rows = rows_of(data)
    blanked = sum(b'"body":null' in row for row in rows)
    return len(rows), blanked, len(data) - data.rfind(b"\n")


def begins(data: bytes, start: bytes) -> bool:
    """Return whether one file of a chain goes on after another, be lines of either blanked."""
    rows, first = rows_of(data), rows_of(start)
    return [events(row)[0] for row in rows[: len(first)]] == [events(row)[0] for row in first]


def aside(name: str, data: bytes) -> str:
    """Return the name of a conflict copy: the same lines have the same name everywhere."""
    mark = sha256("".join(events(row)[0] for row in rows_of(data)).encode()).hexdigest()[:7]
    copy = f"{Path(name).name[:7]}.sync-conflict-20250101-120000-{mark.upper()}.jsonl"
    return Path(name).with_name(copy).as_posix()


def part(data: bytes, known: int, cut: int | None) -> bytes:
    """Return a chain's file up to byte `cut`, round and round, of what follows `known` lines."""
    start = sum(map(len, rows_of(data)[:known]))
    return data if cut is None else data[: start + cut % (len(data) - start + 1)]
