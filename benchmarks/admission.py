"""Admission, growth, batch and bulk loading against SQLite that is handed the same rows.

    python benchmarks/admission.py [--sizes 10000,100000,1000000] [--work DIR] [--pairs N] [--json]

Both sides start from copies of one store. A pair is an admission here and the rows it left inserted
there, one right after the other, so a slow second of the machine falls on both; garbage collection
is off. Building the store of a million facts takes minutes; `--work` keeps it for the next run.
"""

from __future__ import annotations

import gc
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from benchmarks.pairs import Row, options, report, row_of
from benchmarks.rows import Insert, Marks, bare, copy, many, one_by_one
from benchmarks.shelf import Shelf, admit_line, open_store
from symbolic.admission import admit
from symbolic.records import Candidate, Outcome
from symbolic.store.codec import pack_line
from symbolic.store.store import Store
from symbolic.world import Change

BLOCK = 100
BATCH = 20_000
P99 = 0.99
Times = list[float]


@dataclass(frozen=True, slots=True)
class Bench:
    """Where stores are kept and how much is measured."""

    work: Path
    pairs: int

    def shelf(self, size: int) -> Path:
        """Return a closed store of `size` facts, built if it is not there."""
        path = self.work / f"shelf-{size}.db"
        if not path.exists():
            part = path.with_suffix(".part")
            Shelf(size).fill(open_store(part)).close()
            part.rename(path)
        return path

    def copied(self, size: int, name: str) -> Path:
        """Return a fresh copy of the store of `size` facts."""
        return copy(self.shelf(size), self.work / f"{name}.db")


class Journal:
    """A file that lines are appended to and fsynced, the same for both sides."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)

    def add(self, text: str) -> None:
        """Append one line; it is on the disk afterwards."""
        self._file.write(text.encode() + b"\n")
        os.fdatasync(self._file.fileno())


def one(store: Store, candidate: Candidate, number: int, journal: Journal | None) -> float:
    """Judge and fold one candidate; return the seconds it took."""
    line = admit_line(candidate, number)
    text = pack_line(line) if journal else ""
    start = time.perf_counter()
    with store.snapshot():
        verdict = admit(candidate, store)
    if journal is not None:
        journal.add(text)
    store.apply(Change(lines=(line,)))
    took = time.perf_counter() - start
    assert verdict.outcome is Outcome.ADMITTED, verdict
    return took


def blocks(bench: Bench, size: int, *, fsync: bool) -> tuple[list[Times], list[Times]]:
    """Return, block by block, our times and those of raw inserts of the same rows.

    Each admission is followed by its own rows, or preceded, so both sides find the same caches.
    """
    count = BLOCK * (bench.pairs + 1)
    candidates = Shelf(size).candidates(count)
    rows = _rows(bench, size, candidates)
    journals = [Journal(bench.work / f"{name}.jsonl") if fsync else None for name in "ab"]
    ours: list[Times] = []
    theirs: list[Times] = []
    with open_store(bench.copied(size, "ours")) as store:
        raw = bare(bench.copied(size, "raw"))
        for first in range(0, count, BLOCK):
            ours.append([])
            theirs.append([])
            for n in range(first, first + BLOCK):
                if n % 2:
                    theirs[-1].append(_raw(raw, rows[n], candidates[n], n, journals[1]))
                ours[-1].append(one(store, candidates[n], n + 1, journals[0]))
                if not n % 2:
                    theirs[-1].append(_raw(raw, rows[n], candidates[n], n, journals[1]))
        raw.close()
    return ours[1:], theirs[1:]


def _rows(bench: Bench, size: int, candidates: Sequence[Candidate]) -> list[list[Insert]]:
    with open_store(bench.copied(size, "rows")) as store:
        marks = Marks.of(store._db)
        found = []
        for number, candidate in enumerate(candidates):
            store.apply(Change(lines=(admit_line(candidate, number + 1),)))
            found.append(marks.new())
    return found


def _raw(
    db: object, rows: Sequence[Insert], candidate: Candidate, number: int, journal: Journal | None
) -> float:
    text = pack_line(admit_line(candidate, number + 1)) if journal else ""
    start = time.perf_counter()
    if journal is not None:
        journal.add(text)
    one_by_one(db, rows)  # type: ignore[arg-type]  # a sqlite3.Connection
    return time.perf_counter() - start


def admission(bench: Bench, size: int, *, fsync: bool, budget: float) -> list[Row]:
    """Return the rows for admitting one by one."""
    ours, theirs = blocks(bench, size, fsync=fsync)
    mine = [statistics.median(block) for block in ours]
    raw = [statistics.median(block) for block in theirs]
    name = f"admit at {size:,}" + (", line fsynced" if fsync else "")
    peer = "raw insert" + (" and line fsynced" if fsync else "")
    rows = [row_of(name, mine, peer, raw, budget=budget)]
    if not fsync:
        every = sorted(chain.from_iterable(ours))
        tail = every[int(len(every) * P99)]
        rows.append(row_of(f"its p99 at {size:,}", [tail], "its p50", [every[len(every) // 2]],
                           budget=10.0))
    return rows


def growth(bench: Bench, small: int, large: int) -> Row:
    """Return the row for what a hundred times as many facts cost an admission."""
    sides = [
        (open_store(bench.copied(size, name)), Shelf(size).candidates(BLOCK * (bench.pairs + 1)))
        for size, name in ((large, "large"), (small, "small"))
    ]
    times: list[list[float]] = [[], []]
    for first in range(0, BLOCK * (bench.pairs + 1), BLOCK):
        for at, (store, candidates) in enumerate(sides):
            took = [
                one(store, candidates[n], n + 1, None) for n in range(first, first + BLOCK)
            ]
            times[at].append(statistics.median(took))
    for store, _ in sides:
        store.close()
    return row_of(f"admit at {large:,}", times[0][1:], f"admit at {small:,}", times[1][1:],
                  budget=2.5)


def batch(bench: Bench, size: int, pairs: int) -> Row:
    """Return the row for admitting many in one change against `executemany`."""
    candidates = Shelf(size).candidates(BATCH)
    lines = tuple(admit_line(one, number + 1) for number, one in enumerate(candidates))

    def ours(store: Store) -> None:
        for candidate in candidates:
            assert admit(candidate, store).outcome is Outcome.ADMITTED
        store.apply(Change(lines=lines))

    return _against_many(bench, size, f"batch of {BATCH:,} at {size:,}", ours, pairs)


def bulk(bench: Bench, size: int, pairs: int) -> Row:
    """Return the row for taking in the readings of files against `executemany`."""
    change = next(Shelf(BATCH, seed=size + 3).changes())

    def ours(store: Store) -> None:
        store.apply(change)

    return _against_many(bench, size, f"{BATCH:,} extracted facts at {size:,}", ours, pairs)


def _against_many(
    bench: Bench, size: int, what: str, ours: Callable[[Store], None], pairs: int
) -> Row:
    with open_store(bench.copied(size, "rows")) as store:
        marks = Marks.of(store._db)
        ours(store)
        rows = marks.new()
    mine: Times = []
    raw: Times = []
    for _ in range(pairs):
        with open_store(bench.copied(size, "ours")) as store:
            start = time.perf_counter()
            ours(store)
            mine.append(time.perf_counter() - start)
        db = bare(bench.copied(size, "raw"))
        start = time.perf_counter()
        many(db, rows)
        raw.append(time.perf_counter() - start)
        db.close()
    rate = f"{BATCH / statistics.median(mine):,.0f}/s"
    return row_of(f"{what} ({rate})", mine, "executemany", raw, budget=2.5)


def main() -> int:
    """Measure and print; exit 1 if a ratio is over its budget at the largest size."""
    parser = options("Admission against SQLite given the same rows.")
    parser.add_argument("--sizes", default="10000,100000,1000000", help="facts in the store")
    parser.add_argument("--work", type=Path, help="keep the stores built in this folder")
    asked = parser.parse_args()
    sizes = sorted(int(size) for size in asked.sizes.split(","))
    gc.disable()
    with tempfile.TemporaryDirectory() as scratch:
        work: Path = asked.work or Path(scratch)
        work.mkdir(parents=True, exist_ok=True)
        bench = Bench(work, asked.pairs)
        rows = []
        for size in sizes:
            # What DESIGN.md promises, it promises for a million: smaller ones stand beside.
            judged = size == sizes[-1]
            for row in (
                *admission(bench, size, fsync=False, budget=2.5),
                *admission(bench, size, fsync=True, budget=1.5),
                batch(bench, size, 3), bulk(bench, size, 3),
            ):  # fmt: skip
                rows.append(row if judged else row.unjudged())
        if len(sizes) > 1:
            rows.append(growth(bench, sizes[0], sizes[-1]))
    return report("admission", rows, as_json=asked.json)


if __name__ == "__main__":
    sys.exit(main())
