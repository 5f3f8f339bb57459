"""Processes: what a decision takes when 1, 2 and 12 processes decide at once over one memex.

    python benchmarks/processes.py [--decisions N] [--json]

Each process has its memex open and declares facts of its own, one decision an fsync; a decision is
timed from asking for the writer lock to the index having followed. The peer is one process alone in
the same run: with N processes a decision waits for N - 1 others, so N times is the fair price. Each
row gives the median, and p99 with its ratio to the median.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path

from benchmarks.pairs import machine, options
from bridge.app import open_app
from bridge.human import declare
from bridge.settings import load
from bridge.setup import begin
from symbolic.errors import LockHeld

COUNTS = (1, 2, 12)
HEADROOM = 3.0
"""The median of N processes may be this many times N medians of one alone: fsyncs queue up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Seconds of a decision at `processes` at once; `refused` gave up waiting for the lock."""

    processes: int
    decisions: int
    median: float
    p99: float
    slowest: float
    refused: int
    fair: float

    @property
    def within(self) -> bool:
        """Whether the median keeps to its share."""
        return self.fair <= HEADROOM


def settings_of(root: Path) -> Mapping[str, str]:
    """Return the environment of a scratch memex: nothing of the user's."""
    return {"HOME": str(root), "USER": "bench", "PP_NO_MODEL": "1"}


def work(root: Path, name: int, count: int, start: Barrier, out: str) -> None:
    """Declare `count` facts, and write the seconds of each, or null where the lock was not had."""
    settings = load(str(root / "memex"), str(root / "state"), None, settings_of(root))
    times: list[float | None] = []
    with open_app(settings) as app:
        start.wait()
        for number in range(count):
            begun = time.perf_counter()
            try:
                with app.writing("declare", person=True):
                    declare(app, f'(:entity "P{name}" :relation :counts :value "{number}")')
            except LockHeld:
                times.append(None)
            else:
                times.append(time.perf_counter() - begun)
    Path(out).write_text(json.dumps(times))


def measured(processes: int, decisions: int) -> tuple[list[float], int]:
    """Return the seconds of each decision and how many gave up, over a fresh memex."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "memex").mkdir()
        begin(load(str(root / "memex"), str(root / "state"), None, settings_of(root)), None)
        spawn = multiprocessing.get_context("spawn")
        start = spawn.Barrier(processes)
        each = max(1, decisions // processes)
        outs = [str(root / f"{number}.json") for number in range(processes)]
        running = [
            spawn.Process(target=work, args=(root, number, each, start, out))
            for number, out in enumerate(outs)
        ]
        for process in running:
            process.start()
        for process in running:
            process.join()
        found = [seconds for out in outs for seconds in json.loads(Path(out).read_text())]
    times = [seconds for seconds in found if seconds is not None]
    return times, len(found) - len(times)


def rows(decisions: int) -> list[Row]:
    """Measure every count of processes."""
    found: list[Row] = []
    for count in COUNTS:
        times, refused = measured(count, decisions)
        median = statistics.median(times)
        alone = found[0].median if found else median
        found.append(Row(
            processes=count, decisions=len(times), median=median, slowest=max(times),
            p99=statistics.quantiles(times, n=100)[98] if len(times) > 1 else median,
            refused=refused, fair=median / (alone * count),
        ))
    return found


def main() -> int:
    """Measure and print; exit 1 if a median is over its share, or somebody got no lock."""
    parser = options(__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--decisions", type=int, default=240, help="in all (default 240)")
    asked = parser.parse_args()
    found = rows(asked.decisions)
    if asked.json:
        cells = [{**asdict(row), "within": row.within} for row in found]
        print(json.dumps({"schema": "bench.processes/1", "machine": machine(), "rows": cells}))
    else:
        print(f"{machine()}, {os.getloadavg()[0]:.1f} load")
        print("| processes | decisions | median | p99 | p99/median | slowest | gave up | share |")
        print("|---|---|---|---|---|---|---|---|")
        for row in found:
            print(
                f"| {row.processes} | {row.decisions} | {row.median * 1e3:.1f} ms "
                f"| {row.p99 * 1e3:.1f} ms | {row.p99 / row.median:.1f} "
                f"| {row.slowest * 1e3:.0f} ms | {row.refused} | {row.fair:.2f} |"
            )
    return 0 if all(row.within and not row.refused for row in found) else 1


if __name__ == "__main__":
    sys.exit(main())
