"""How every benchmark here measures: pairs in one run, interleaved, and the median of ratios.

A machine's speed drifts by a third from run to run, so a time means little and a ratio taken a
second later means nothing. Each pair times both sides one after the other, in alternating order,
with garbage collection off, and only the ratio within the pair counts.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace

Run = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table: seconds are medians, `ratio` is the median of the pairs' ratios.

    `best` and `worst` are the extreme ratios. The row is within budget if `ratio` <= `budget`.
    """

    what: str
    peer: str
    pairs: int
    seconds: float
    peer_seconds: float
    ratio: float
    best: float
    worst: float
    budget: float

    @property
    def within(self) -> bool:
        """Whether the median keeps to the budget."""
        return self.ratio <= self.budget

    def unjudged(self) -> Row:
        """Return the row without a budget: it only stands beside the one that has it."""
        return replace(self, budget=math.inf)


def clock(run: Run) -> float:
    """Return the seconds that one call takes, without garbage collection."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        run()
        return time.perf_counter() - start
    finally:
        gc.enable()


def compare(what: str, ours: Run, peer: str, theirs: Run, *, pairs: int, budget: float) -> Row:
    """Time `ours` against `theirs`, `pairs` times after one pair that only warms up."""
    times: list[tuple[float, float]] = []
    for number in range(pairs + 1):
        if number % 2:
            other = clock(theirs)
            own = clock(ours)
        else:
            own = clock(ours)
            other = clock(theirs)
        times.append((own, other))
    mine, peers = zip(*times[1:], strict=True)
    return row_of(what, mine, peer, peers, budget=budget)


def row_of(
    what: str, ours: Sequence[float], peer: str, theirs: Sequence[float], *, budget: float
) -> Row:
    """Return the row of pairs that were timed already, in seconds."""
    ratios = [own / other for own, other in zip(ours, theirs, strict=True)]
    return Row(
        what=what,
        peer=peer,
        pairs=len(ratios),
        seconds=statistics.median(ours),
        peer_seconds=statistics.median(theirs),
        ratio=statistics.median(ratios),
        best=min(ratios),
        worst=max(ratios),
        budget=budget,
    )


def machine() -> str:
    """Return the line that says where the figures were taken."""
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}"
    )


def options(about: str) -> argparse.ArgumentParser:
    """Return the parser with what every benchmark understands."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--pairs", type=int, default=9, help="pairs a row (default 9)")
    parser.add_argument("--json", action="store_true", help="one JSON object for all rows")
    return parser


def fraction(ratio: float) -> str:
    """Return a ratio as people read it: 1/27 below a half, else 1.3x."""
    return f"1/{1 / ratio:.0f}" if 0 < ratio < 0.5 else f"{ratio:.2f}x"


def shown(seconds: float) -> str:
    """Return seconds as a table shows them: of a short time more digits count."""
    return f"{seconds:.6f}" if seconds < 0.01 else f"{seconds:.4f}"


def report(name: str, rows: Sequence[Row], *, as_json: bool) -> int:
    """Print `rows` and return the exit code: 1 if one is over its budget."""
    if as_json:
        cells = [
            {**asdict(row), "budget": None if math.isinf(row.budget) else row.budget,
             "within": row.within}
            for row in rows
        ]
        print(json.dumps({"schema": f"bench.{name}/1", "machine": machine(), "rows": cells}))
    else:
        print(machine())
        print("| what | seconds | peer | its seconds | ratio | best to worst | budget |")
        print("|---|---|---|---|---|---|---|")
        for row in rows:
            spread = f"{fraction(row.best)} to {fraction(row.worst)}"
            verdict = fraction(row.budget) + ("" if row.within else " **over**")
            if math.isinf(row.budget):
                verdict = ""
            print(
                f"| {row.what} | {shown(row.seconds)} | {row.peer} | {shown(row.peer_seconds)} "
                f"| {fraction(row.ratio)} | {spread} | {verdict} |"
            )
        sys.stdout.flush()
    return 0 if all(row.within for row in rows) else 1
