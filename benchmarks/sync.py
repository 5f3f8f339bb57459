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
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import orgparse

from benchmarks.pairs import Row, compare, options, report
from benchmarks.scan import MEGABYTE, generate
from bridge.app import open_app
from bridge.near import sync_all, words_sync
from bridge.settings import Settings, load
from bridge.setup import begin
from bridge.sync import sync
from neuro.near.store import Near

PEER = "orgparse loading them"
COLD = "a cold sync"


class Memex:
    """A scratch memex; `cold` syncs it into an empty index, `again` into the one of last time.

    `environ` chooses who makes the vectors.
    """

    def __init__(self, root: Path, state: Path, environ: Mapping[str, str] | None = None) -> None:
        self.root, self.state, self.environ = root, state, environ or {}
        begin(self._settings(), root)

    def _settings(self) -> Settings:
        return load(memex=str(self.root), state=str(self.state), environ=self.environ)

    def words(self) -> None:
        """Read all there is into new indices, facts and words, and leave the vectors pending."""
        shutil.rmtree(self.state, ignore_errors=True)
        with open_app(self._settings()) as app, Near.open(app.state) as near:
            words_sync(app, near, sync(app))

    def cold(self) -> None:
        """Read all there is into new indices, vectors too."""
        shutil.rmtree(self.state, ignore_errors=True)
        self.again()

    def again(self) -> None:
        """Open the memex and sync it, as `pp sync` does."""
        with open_app(self._settings()) as app:
            sync_all(app)

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
    theirs = partial(load_files, places)
    found = [
        compare(f"cold sync, facts and words, {name}", memex.words, PEER, theirs,
                pairs=asked_pairs, budget=1.2)
    ]  # fmt: skip
    if find_spec("tokenizers") is not None:
        llama = Memex(root, scratch / "llama", {"EMBEDDING_PROVIDER": "wordllama"})
        found.append(
            compare("the same, and wordllama vectors", llama.cold, PEER, theirs,
                    pairs=asked_pairs, budget=2.0)
        )  # fmt: skip
    quiet = Memex(root, scratch / "quiet")
    quiet.cold()
    other = Memex(root, scratch / "other")
    small = root / "small.org"
    small.write_text("* A small note\n" + "A line of some words for it.\n" * 140, encoding="utf-8")
    quiet.again()
    return [
        *found,
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
