"""Memory that a store of a million facts takes, against rdflib and pyDatalog holding the same.

    python benchmarks/memory.py [--facts N] [--work DIR] [--json]

Each side is a process of its own that says how much of it is resident once it holds the facts and
has answered a thousand questions about entities. A peer that is not done after 60 seconds is
killed, and the table says so. Seconds here are megabytes.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.pairs import machine
from benchmarks.shelf import Shelf, open_store

PATIENCE = 60
QUESTIONS = 1_000
BUDGET = 1 / 3

Held = Callable[[str], object]


def triples(size: int) -> Iterator[tuple[str, str, str]]:
    """Yield the facts of a shelf as triples."""
    for change in Shelf(size).changes():
        for reading in change.readings:
            yield reading.written.entity, reading.written.relation, reading.written.value


def resident() -> float:
    """Return the megabytes of this process that are in memory now; files mapped do not count."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) / 1024
    return 0.0


def store(size: int, work: Path) -> Held:
    """Open the store, which stands on the disk."""
    from symbolic.names import fold
    from symbolic.records import Name, NameKind

    view = open_store(work / f"shelf-{size}.db")
    return lambda name: list(view.facts(entity=Name(NameKind.NAME, fold(name), name)))


def rdflib(size: int, work: Path) -> Held:
    """Hold the triples in an rdflib graph."""
    from urllib.parse import quote

    import rdflib as rdf

    def uri(name: str) -> rdf.URIRef:
        return rdf.URIRef("urn:pp:" + quote(name))

    graph = rdf.Graph()
    for e, r, v in triples(size):
        graph.add((uri(e), uri(r), uri(v)))
    return lambda name: list(graph.triples((uri(name), None, None)))


def pydatalog(size: int, work: Path) -> Held:
    """Hold the triples as pyDatalog facts."""
    from pyDatalog import pyDatalog  # type: ignore[import-untyped,import-not-found,unused-ignore]

    for e, r, v in triples(size):
        pyDatalog.assert_fact("said", e, r, v)

    def ask(name: str) -> object:
        return pyDatalog.ask(f"said({name!r}, R, V)")

    return ask


SIDES = {"store": store, "rdflib": rdflib, "pyDatalog": pydatalog}


def measure(side: str, size: int, work: Path) -> None:
    """Hold the facts in this process and print what that took."""
    start = time.perf_counter()
    ask = SIDES[side](size, work)
    loaded = time.perf_counter() - start
    chance = random.Random(5)
    for _ in range(QUESTIONS):
        ask(f"entity {chance.randrange(size // 4)}")
    print(json.dumps({"megabytes": resident(), "seconds": loaded}))


def run(side: str, size: int, work: Path) -> dict[str, float] | None:
    """Measure a side in a process of its own; None if it was not done in time."""
    command = [sys.executable, __file__, "--side", side, "--facts", str(size), "--work", str(work)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE, check=True
        )
    except subprocess.TimeoutExpired:
        return None
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> int:
    """Measure and print; exit 1 if our share of rdflib's memory is over its budget."""
    parser = argparse.ArgumentParser(description="Memory of a store against rdflib, pyDatalog.")
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--work", type=Path, help="the folder of admission.py's stores")
    parser.add_argument("--json", action="store_true", help="one JSON object for all rows")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.side:
        measure(asked.side, asked.facts, asked.work)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        work: Path = asked.work or Path(scratch)
        place = work / f"shelf-{asked.facts}.db"
        if not place.exists():
            work.mkdir(parents=True, exist_ok=True)
            Shelf(asked.facts).fill(open_store(place)).close()
        found = {side: run(side, asked.facts, work) for side in SIDES}
    return show(asked.facts, found, as_json=asked.json)


def show(facts: int, found: dict[str, dict[str, float] | None], *, as_json: bool) -> int:
    """Print what was found; return the exit code."""
    ours, theirs = found["store"], found["rdflib"]
    within = ours is not None and (
        theirs is None or ours["megabytes"] <= BUDGET * theirs["megabytes"]
    )
    if as_json:
        print(json.dumps({
            "schema": "bench.memory/1", "machine": machine(), "facts": facts, "sides": found,
            "within": within,
        }))
        return 0 if within else 1
    print(machine())
    print(f"| {facts:,} facts in | resident MB | seconds to load | share of rdflib | budget |")
    print("|---|---|---|---|---|")
    for side, row in found.items():
        if row is None:
            print(f"| {side} | killed | over {PATIENCE} | | |")
            continue
        share = f"{row['megabytes'] / theirs['megabytes']:.2f}" if theirs else "rdflib killed"
        budget = (f"{BUDGET:.2f}" + ("" if within else " **over**")) if side == "store" else ""
        print(f"| {side} | {row['megabytes']:.0f} | {row['seconds']:.1f} | {share} | {budget} |")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
