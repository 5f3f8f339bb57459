"""A journal for tests: one memex folder and a writer for each state folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from symbolic.journal.clock import Clock, FixedClock
from symbolic.journal.marks import Mark
from symbolic.journal.writer import Opening, Writer

JAN = datetime(2024, 1, 15, 12, 0, tzinfo=UTC)
OPENING = Opening(device="laptop", zone="Europe/Oslo", versions={"schema": "1"})
STATEMENT = {"entity": "Nabokov", "relation": "author of", "value": "Pale Fire"}
PERSON = "person:Ada"


def at(**shift: float) -> FixedClock:
    """Return a clock that stands `shift` after noon of 15 January 2024."""
    return FixedClock(JAN + timedelta(**shift))


def writer(
    root: Path,
    device: str = "one",
    clock: Clock | None = None,
    known: Mapping[str, Mark] | None = None,
    opening: Opening = OPENING,
    wait: float = 5.0,
) -> Writer:
    """Return a writer of the memex `root` whose state folder is named `device`."""
    return Writer(
        journal(root), root / "state" / device, clock or at(), by="program:test",
        opening=opening, known=known, wait=wait,
    )  # fmt: skip


def journal(root: Path) -> Path:
    """Return the journal folder of the memex `root`."""
    return root / "system" / "journal"


def declare(value: str = "Pale Fire") -> tuple[str, Mapping[str, object], str | None]:
    """Return an entry in which a person declares something."""
    return ("declare", {"statement": {**STATEMENT, "value": value}}, PERSON)


def dump(value: object) -> bytes:
    """Return canonical JSON, made here without the code under test."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()


def sealed(line: dict[str, object]) -> bytes:
    """Return `line` with both hashes made anew, made here without the code under test."""
    body = line["body"]
    if body is not None:
        line["body_hash"] = hashlib.sha256(dump(body)).hexdigest()
    rest = {key: line[key] for key in line if key not in ("body", "hash")}
    return dump({**line, "hash": hashlib.sha256(dump(rest)).hexdigest()}) + b"\n"


def files(root: Path) -> dict[str, bytes]:
    """Return every month file of the journal of `root` with its bytes."""
    folder = journal(root)
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("*/*.jsonl")
    }


def only(root: Path) -> Path:
    """Return the one month file of the journal of `root`."""
    (path,) = journal(root).glob("*/*.jsonl")
    return path
