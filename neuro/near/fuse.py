"""Weighted reciprocal rank: several ranked lists made one, and the one table of weights.

::

    words ───┐
    titles ──┼─► first order ──► its best: the seeds ──┬─► links ──┐
    vectors ─┘        │                                └─► facts ──┼─► the order people see
                      └────────────────────────────────────────────┘

A heading at rank r of a list gets weight / (k + r) from it, whatever the list's own scores mean.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What each list counts. Chosen on one half of the 2wiki questions (docs/benchmarks.md).

    `words` BM25; `titles` a title that stands word for word in the query; `vectors` cosine of
    n-grams, that is of spelling, `meaning` of a trained model; `links` and `facts` what is tied to
    a seed. The best neighbour comes right after the best word hit and not before it, and nearness
    in spelling alone brings no third word hit to the top.
    """

    k: int = 5
    words: float = 1.0
    titles: float = 2.0
    vectors: float = 0.2
    meaning: float = 0.6
    links: float = 0.95
    facts: float = 0.5

    columns: tuple[float, float, float, float] = (3.0, 1.5, 1.0, 0.5)
    """BM25 of title, ancestors' titles, own text, pairs inside words of other scripts."""

    seeds: int = 3
    """How many of the first order hand on to their neighbours."""
    fan: float = 0.5
    """A seed with n neighbours gives each its score over n ** fan: hubs tie less."""

    word_depth: int = 200
    near_depth: int = 30
    """How many headings a list may name. 1 / (k + word_depth) is below every other list's last,
    so that word hits beyond it can follow in their own order."""

    common: float = 0.2
    """A word in a larger share of the headings says nothing and is left out ..."""
    common_from: int = 200
    """... where there are so many headings that shares mean something."""
    cosine: float = 0.3
    """What lies below this is not near."""

    def of(self, name: str) -> float:
        """Return the weight of the list `name`."""
        return {
            "words": self.words, "titles": self.titles, "vectors": self.vectors,
            "links": self.links, "facts": self.facts,
        }[name]  # fmt: skip


WEIGHTS = Weights()

LISTS = ("words", "titles", "vectors", "links", "facts")


@dataclass(frozen=True, slots=True)
class Part:
    """What one list gave a hit: its rank there, from 1, and its share of the score."""

    name: str
    rank: int
    share: float


def fuse(
    lists: Mapping[str, Sequence[int]], weights: Weights = WEIGHTS
) -> dict[int, tuple[Part, ...]]:
    """Return {heading: what each list gave it}; the lists are best first, without repeats."""
    parts: defaultdict[int, list[Part]] = defaultdict(list)
    for name in LISTS:
        weight = weights.of(name)
        for rank, heading in enumerate(lists.get(name, ()), 1):
            parts[heading].append(Part(name, rank, weight / (weights.k + rank)))
    return {heading: tuple(found) for heading, found in parts.items()}


def score(parts: Iterable[Part]) -> float:
    """Return the score of a heading: the sum over the lists, rounded so that ties are ties."""
    return round(sum(part.share for part in parts), 12)


def spread(
    seeds: Mapping[int, float], ties: Mapping[int, Iterable[int]], weights: Weights = WEIGHTS
) -> dict[int, float]:
    """Return {neighbour: what the seeds hand on to it}; `seeds` are {heading: score}."""
    given: defaultdict[int, float] = defaultdict(float)
    for seed, own in seeds.items():
        neighbours = frozenset(ties.get(seed, ())) - {seed}
        for neighbour in neighbours:
            given[neighbour] += own / len(neighbours) ** weights.fan
    return dict(given)
