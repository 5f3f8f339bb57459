"""Search: how much of the evidence is found, and what fusing costs over the bare queries.

    python benchmarks/search.py [--data DIR] [--pairs N] [--only recall|cost] [--json]

Recall: the passages of a multi-hop retrieval set become headings of an Org file, mentions of other
titles become links, and `pp sync`'s own path reads it in. The share of each question's evidence
among the first five hits is averaged for words alone, vectors alone and all of it, in one run and
with no model. `--data` is a folder with corpus.jsonl and questions*.jsonl, or with such a folder
below it at 2wiki or datasets/2wiki. Weights were chosen on the questions of half A.

Cost: the 95th percentile over queries on 50,000 generated headings, against the same FTS5 query
and the same dot product with nothing around them.
"""

from __future__ import annotations

import gc
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.multihop import evidence, found_in
from benchmarks.pairs import Row as Figure
from benchmarks.pairs import machine, options, report
from neuro.embed.ngrams import Ngrams
from neuro.near.fuse import WEIGHTS
from neuro.near.query import BadQuery
from neuro.near.rows import Row
from neuro.near.search import search
from neuro.near.store import Fresh, Near

LEAST = 0.80
"""The fused recall may not be lower."""
BUDGET = 1.5
HEADINGS = 50_000
QUERIES = 40


# --- the cost -------------------------------------------------------------------------------------


def generated(chance: random.Random) -> Iterator[Row]:
    """Yield headings whose words are as frequent as words are (Zipf), none in over a fifth."""
    words = [f"{a}{b}{c}" for a in _SYLLABLES for b in _SYLLABLES for c in _SYLLABLES]
    chance.shuffle(words)
    weights = [1 / (rank + 60) for rank in range(len(words))]
    for number in range(HEADINGS):
        said = chance.choices(words, weights, k=chance.randint(20, 80))
        title = " ".join(said[:4])
        yield Row(
            key=f"notes.org#{number}", path="notes.org", line=number + 1, outline=(title,),
            title=title, text=f"* {title}\n{' '.join(said[4:])}.\n", text_hash=str(number),
            file_title="Notes",
        )


_SYLLABLES = [f"{c}{v}" for c in "bdfgklmnprst" for v in "aeiou"][:20]


def asked(rows: Sequence[Row], chance: random.Random) -> list[str]:
    """Return queries of three to six words that stand in one heading."""
    queries = []
    for row in chance.sample(rows, QUERIES):
        words = row.text.strip("* .\n").split()
        queries.append(" ".join(chance.sample(words, chance.randint(3, 6))))
    return queries


def bare(near: Near, embedder: Ngrams, query: str) -> Callable[[], object]:
    """Return the FTS5 query and the dot product of a query, with nothing around them."""
    match = " OR ".join(f'"{word}"' for word in query.split())
    wanted = embedder.embed([query]).matrix[0]
    _, matrix = near.vectors(embedder.name)

    def run() -> object:
        found = near.match(match, WEIGHTS.columns, WEIGHTS.word_depth)
        cosines = matrix @ wanted
        return found, np.argpartition(-cosines, 50)[:50]

    return run


def timed(run: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def cost(pairs: int) -> Figure:
    """Return the row of fused search against the bare queries."""
    chance = random.Random(50_000)
    rows = list(generated(chance))
    queries = asked(rows, chance)
    embedder = Ngrams()
    with tempfile.TemporaryDirectory() as place, Near.open(Path(place)) as near:
        near.apply({"notes.org": ("generated", rows)})
        waiting = near.pending(embedder.name)
        texts = near.rows(one.id for one in waiting)
        matrix = embedder.embed([texts[one.id].embedded for one in waiting]).matrix
        near.put_vectors(embedder.name, [Fresh(one.id, one.mark) for one in waiting], matrix)
        del rows, texts, matrix

        def fused(query: str) -> Callable[[], object]:
            def run() -> object:
                found = search(near, query, embedder=embedder)
                assert not isinstance(found, BadQuery)
                return found

            return run

        sides = [(fused(query), bare(near, embedder, query)) for query in queries]
        return _compared(sides, pairs)


def _compared(
    sides: Sequence[tuple[Callable[[], object], Callable[[], object]]], pairs: int
) -> Figure:
    """Time both sides of each query one after the other, in alternating order, `pairs` times."""
    rounds: list[tuple[float, float]] = []
    for number in range(pairs + 1):
        gc.collect()
        gc.disable()
        ours: list[float] = []
        theirs: list[float] = []
        for at, (own, other) in enumerate(sides):
            if (number + at) % 2:
                theirs.append(timed(other))
                ours.append(timed(own))
            else:
                ours.append(timed(own))
                theirs.append(timed(other))
        gc.enable()
        rounds.append((_late(ours), _late(theirs)))
    rounds = rounds[1:]
    ratios = [own / other for own, other in rounds]
    return Figure(
        what=f"fused search, {HEADINGS:,} headings, p95 of {QUERIES} queries",
        peer="the FTS5 query and the dot product alone", pairs=pairs,
        seconds=statistics.median(own for own, _ in rounds),
        peer_seconds=statistics.median(other for _, other in rounds),
        ratio=statistics.median(ratios), best=min(ratios), worst=max(ratios), budget=BUDGET,
    )


def _late(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


# --- the command ----------------------------------------------------------------------------------


def show(figures: dict[str, object]) -> None:
    """Print the figures of recall as a table."""
    print(f"{figures['headings']} headings, {figures['links']} links, no model, "
          f"vectors: {figures['embedder']}")
    print("| way | recall@5 | all found | half A (weights chosen) | half B |")
    print("|---|---|---|---|---|")
    ways = figures["ways"]
    assert isinstance(ways, dict)
    for name, by in ways.items():
        a, b, whole = by["A"], by["B"], by["all"]
        halves = " | ".join(f"{half['recall']:.3f} / {half['perfect']:.3f}" for half in (a, b))
        print(f"| {name} | {whole['recall']:.3f} | {whole['perfect']:.3f} | {halves} |")
    print()


def main() -> int:
    """Measure and print; exit 1 if recall or the cost is over its budget, 2 without the set."""
    parser = options("Recall of search on a multi-hop set, and what fusing costs.")
    parser.add_argument("--data", type=Path, help="a folder that holds the retrieval set")
    parser.add_argument("--only", choices=("recall", "cost"), help="measure one of the two")
    asked_for = parser.parse_args()
    figures: dict[str, object] = {}
    folder = found_in(asked_for.data) if asked_for.data is not None else None
    if asked_for.only != "cost" and folder is not None:
        figures = evidence(folder)
        if not asked_for.json:
            show(figures)
    elif asked_for.only == "recall":
        parser.error("--data names no folder with corpus.jsonl, 2wiki or datasets/2wiki")
    elif asked_for.only is None:
        print("no retrieval set: recall was not measured (--data DIR)", file=sys.stderr)
    rows = [cost(asked_for.pairs)] if asked_for.only != "recall" else []
    code = 0 if figures.get("fused_recall_at_5", LEAST) >= LEAST else 1  # type: ignore[operator]
    if asked_for.json:
        body = {"schema": "bench.search/1", "machine": machine(), **figures,
                "rows": [{**asdict(row), "within": row.within} for row in rows]}
        print(json.dumps(body))
    elif rows:
        report("search", rows, as_json=False)
    return max(code, 0 if all(row.within for row in rows) else 1)


if __name__ == "__main__":
    sys.exit(main())
