"""Sync against orgparse merely loading the same files, and a quiet sync against a cold one.

    python benchmarks/sync.py [--data DIR] [--pairs N] [--json]

`--data` is a folder of real Org files; without it some are generated. The memex is a copy, so the
folder itself is only read.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path

import orgparse

from benchmarks.pairs import Row, compare, options, report
from benchmarks.scan import MEGABYTE, generate
from bridge.app import App, open_app
from bridge.settings import load
from bridge.setup import begin
from bridge.sync import sync

COLD = "a cold sync"


class Memex:
    """A scratch memex; `cold` syncs it into an empty index, `again` into the one of last time."""

    def __init__(self, root: Path, state: Path) -> None:
        self.root, self.state = root, state
        begin(load(memex=str(root), state=str(state), environ={}), root)

    def _open(self) -> App:
        return open_app(load(memex=str(self.root), state=str(self.state), environ={}))

    def cold(self) -> None:
        """Read all there is into a new index."""
        shutil.rmtree(self.state, ignore_errors=True)
        self.again()

    def again(self) -> None:
        """Open the memex and sync it, as `pp sync` does."""
        with self._open() as app:
            sync(app)

    def touched(self, place: Path, numbers: count[int]) -> None:
        """Add a line to one file, and sync."""
        with place.open("a", encoding="utf-8") as file:
            file.write(f"One more line, number {next(numbers)}.\n")
        self.again()


def fill(root: Path, data: Path | None) -> None:
    """Put Org files below `root`: copies of those in `data`, or generated ones."""
    root.mkdir()
    if data is None:
        for number in range(50):
            (root / f"{number:02}.org").write_bytes(generate(MEGABYTE // 10 + number))
        return
    for place in sorted(data.rglob("*.org")):
        there = root / place.relative_to(data)
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes(place.read_bytes())


def load_files(places: list[Path]) -> None:
    """Load every file that is UTF-8 with orgparse; what it raises on is passed over."""
    for place in places:
        with suppress(UnicodeDecodeError, ValueError):
            orgparse.load(str(place))


def rest(root: Path) -> None:
    """Date every file back: one written this second is read again, as it may change once more."""
    for place in root.rglob("*"):
        if place.is_file():
            os.utime(place, (1_700_000_000, 1_700_000_000))


def rows(asked_pairs: int, data: Path | None, scratch: Path) -> list[Row]:
    """Return the rows of the table."""
    root = scratch / "memex"
    fill(root, data)
    rest(root)
    memex = Memex(root, scratch / "state")
    places = sorted(root.rglob("*.org"))
    size = sum(place.stat().st_size for place in places) / MEGABYTE
    name = f"{len(places)} files, {size:.1f} MB"
    cold = compare(f"cold sync, {name}", memex.cold, "orgparse loading them",
                   partial(load_files, places), pairs=asked_pairs, budget=1.2)
    quiet = Memex(root, scratch / "quiet")
    quiet.cold()
    other = Memex(root, scratch / "other")
    small = root / "small.org"
    small.write_text("* A small note\n" + "A line of some words for it.\n" * 140, encoding="utf-8")
    quiet.again()
    return [
        cold,
        compare("sync, nothing changed", quiet.again, COLD, other.cold,
                pairs=asked_pairs, budget=1 / 50),
        compare("sync, one file of 4 KB changed", partial(quiet.touched, small, count()),
                COLD, other.cold, pairs=asked_pairs, budget=1 / 50),
    ]  # fmt: skip


def main() -> int:
    """Measure and print; exit 1 if a ratio is over its budget."""
    parser = options("Sync against orgparse loading the same files.")
    parser.add_argument("--data", type=Path, help="a folder of Org files")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        found = rows(asked.pairs, asked.data, Path(scratch))
    return report("sync", found, as_json=asked.json)


if __name__ == "__main__":
    sys.exit(main())
