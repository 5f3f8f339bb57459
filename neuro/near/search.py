"""Search: words, named titles, vectors, and what links and facts tie to the best of them.

::

    text ──query.parse──► Query ──► five ranked lists ──fuse──► order ──► hits with snippets

The index is read in one snapshot and nothing is written. Without vectors, links or facts the lists
that are left decide: each is an addition, none is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from neuro.embed.ngrams import NAME as SPELLING
from neuro.near.fuse import WEIGHTS, Part, Weights, fuse, score, spread
from neuro.near.naming import named
from neuro.near.query import BadQuery, Query, either, expression, parse, widened
from neuro.near.snippet import Snippet, needles, snippet
from neuro.near.tokens import Term

if TYPE_CHECKING:
    from neuro.embed.base import Embedder
    from neuro.near.reading import Reading

Ties = Callable[[str], Iterable[str]]
"""The keys of headings that facts tie to the heading with a key; bridge knows the facts."""

TERMS = 64
"""Terms that are asked for: the rarest ones of a longer query."""
_HUB = 2_000
"""Neighbours that are put in order by place; a hub's others come in any order behind them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One heading. `parts` tells what each list gave it; they add up to `score`."""

    key: str
    path: str
    line: int
    outline: tuple[str, ...]
    title: str
    snippet: Snippet
    score: float
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The hits, best first. `lists` has how many headings each list names, in all.

    `left_out` are words of the query that were not asked for, `notes` sentences for people.
    """

    hits: tuple[Hit, ...]
    lists: Mapping[str, int] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def search(
    near: Reading, text: str, *, limit: int = 10, embedder: Embedder | None = None,
    ties: Ties | None = None, weights: Weights = WEIGHTS,
) -> Found | BadQuery:
    """Return the `limit` best headings for `text` (0: every one that any list names).

    The best n are the first n of the best m. `embedder` is the model whose vectors count, None for
    none; `ties` gives the neighbours by facts.
    """
    asked = parse(text)
    if isinstance(asked, BadQuery):
        return asked
    if embedder is not None and embedder.name != SPELLING:
        weights = replace(weights, vectors=weights.meaning)
    with near.snapshot():
        return _Search(near, asked, weights).found(limit, embedder, ties)


class _Within:
    """Which headings may be hits: `only` those, where it is not None, and `never` those."""

    def __init__(self, near: Reading, asked: Query) -> None:
        only = [near.tagged(tag) for tag in asked.tags]
        only += [near.filed(part) for part in asked.paths]
        never = [near.tagged(tag) for tag in asked.not_tags]
        never += [near.filed(part) for part in asked.not_paths]
        self.filtered = bool(only or never)
        if asked.must:
            only.append(frozenset(near.matching(" AND ".join(f"({x})" for x in asked.must))))
        if asked.without:
            never.append(frozenset(near.matching(either(asked.without))))
        self.only = frozenset.intersection(*only) if only else None
        self.never = frozenset[int]().union(*never)

    def keep(self, ids: Iterable[int]) -> list[int]:
        """Return those of `ids` that may be hits."""
        only, never = self.only, self.never
        return [one for one in ids if (only is None or one in only) and one not in never]


class _Search:
    """One search, under way."""

    def __init__(self, near: Reading, asked: Query, weights: Weights) -> None:
        self.near, self.asked, self.weights = near, asked, weights
        self.total = near.count()
        self.within = _Within(near, asked)
        self.notes: list[str] = []
        self.terms, self.left_out = self._chosen(asked.terms)
        self.places: dict[int, tuple[str, int]] = {}

    def found(self, limit: int, embedder: Embedder | None, ties: Ties | None) -> Found:
        """Return the hits."""
        depth = self.weights.word_depth
        match = self._matching()
        words = self._words(match, depth)
        lists: dict[str, Sequence[int]] = {
            "words": words,
            "titles": self.within.keep(named(self.near, self.asked.text, self.total)),
            "vectors": self._vectors(embedder) if embedder else [],
        }
        first = {one: score(parts) for one, parts in fuse(lists, self.weights).items()}
        seeds = dict(self._ordered(first)[: self.weights.seeds])
        lists["links"] = self._tied(seeds, self._links(seeds), first)
        if ties is not None:
            lists["facts"] = self._tied(seeds, self._facts(seeds, ties), first)
        parts = fuse(lists, self.weights)
        order = [one for one, _ in self._ordered({one: score(p) for one, p in parts.items()})]
        counts = {name: len(ids) for name, ids in lists.items()}
        if len(words) == depth and (limit == 0 or limit > len(order)):
            every = self._words(match, None)
            counts["words"] = len(every)
            named_already = set(words)
            rest = [one for one in every if one not in named_already]
            for rank, one in enumerate(rest, depth + 1):
                if one not in parts:
                    share = self.weights.words / (self.weights.k + rank)
                    parts[one] = (Part("words", rank, share),)
                    order.append(one)
        return Found(
            hits=tuple(self._hits(order[: limit or None], parts)), lists=counts,
            left_out=self.left_out, notes=tuple(self.notes),
        )

    # --- words --------------------------------------------------------------------------------

    def _chosen(self, terms: Iterable[Term]) -> tuple[tuple[Term, ...], tuple[str, ...]]:
        """Return the terms that say something, and which words were left out."""
        counted = [(term, self._documents(term)) for term in widened(terms)]
        weights = self.weights
        most = weights.common * self.total if self.total >= weights.common_from else self.total
        rare = [(term, count) for term, count in counted if count <= most] or counted
        if len(rare) > TERMS or self.asked.cut:
            # Words that stand nowhere go first, then the most common ones.
            best = sorted(rare, key=lambda pair: (pair[1] == 0, pair[1]))[:TERMS]
            kept = {term for term, _ in best}
            rare = [pair for pair in rare if pair[0] in kept]
            self.notes.append(f"the query is long: its {len(rare)} rarest words were looked for")
        looked_for = tuple(term for term, _ in rare)
        return looked_for, tuple(
            term.text for term, count in counted if count > most and term not in looked_for
        )

    def _documents(self, term: Term) -> int:
        if term.pairs and len(term.text) > 1:
            return min(self.near.documents(pair) for pair in term.pairs[:8])
        return 0 if term.pairs else self.near.documents(term.text)

    def _matching(self) -> str:
        """Return the FTS5 expression of the query; empty if it has filters only."""
        wanted = [expression(term) for term in self.terms]
        must = [f"({one})" for one in self.asked.must]
        match = either([*wanted, *self.asked.joined, *must])
        if must:
            match = f"{' AND '.join(must)} AND ({match})"
        if match and self.asked.without:
            match = f"({match}) NOT ({either(self.asked.without)})"
        return match

    def _words(self, match: str, depth: int | None) -> list[int]:
        """Return the best `depth` headings by BM25, or all."""
        if not match:
            ids = self.within.keep(self.within.only or ())
            return sorted(ids, key=self._place_of(ids))[:depth]
        # Filters take headings away after the match, so that all of it is needed.
        reach = None if self.within.filtered else depth
        scored = dict(self.near.match(match, self.weights.columns, reach))
        ids = self.within.keep(scored)
        place = self._place_of(ids)
        return sorted(ids, key=lambda one: (scored[one], place(one)))[:depth]

    # --- vectors ------------------------------------------------------------------------------

    def _vectors(self, embedder: Embedder) -> list[int]:
        """Return the headings whose vectors are nearest to the query's."""
        import numpy as np  # slow to import: only where vectors are compared

        if not self.asked.text:
            return []
        ids, matrix = self.near.vectors(embedder.name)
        if not len(ids):
            return []
        made = embedder.embed([self.asked.text])
        if made.failed:
            self.notes.append(f"no vectors: {embedder.name}: {made.failed[0]}")
            return []
        wanted = made.matrix[0]
        if len(wanted) != matrix.shape[1]:
            self.notes.append(
                f"no vectors: {embedder.name} gives {len(wanted)} numbers, the index has"
                f" {matrix.shape[1]}: run `pp sync`"
            )
            return []
        cosines = matrix @ wanted
        cosines[ids == 0] = -1.0
        for only, inverted in ((self.within.only, True), (self.within.never or None, False)):
            if only is not None:
                listed = np.fromiter(only, dtype=np.int64, count=len(only))
                cosines[np.isin(ids, listed, invert=inverted)] = -1.0
        depth = min(self.weights.near_depth, len(cosines))
        # Twice as many, so that equal ones at the border are told apart by their place.
        border = min(2 * depth, len(cosines))
        best = np.argpartition(-cosines, border - 1)[:border]
        least = self.weights.cosine
        near = {int(ids[at]): float(cosines[at]) for at in best if cosines[at] >= least}
        place = self._place_of(near)
        return sorted(near, key=lambda one: (-round(near[one], 6), place(one)))[:depth]

    # --- neighbours ---------------------------------------------------------------------------

    def _links(self, seeds: Mapping[int, float]) -> dict[int, set[int]]:
        """Return what links lead to from each seed, and from where links lead to it."""
        tied: dict[int, set[int]] = {one: set() for one in seeds}
        for side in (self.near.links_from(seeds), self.near.links_to(seeds)):
            for one, others in side.items():
                tied[one] |= others
        return tied

    def _facts(self, seeds: Mapping[int, float], ties: Ties) -> dict[int, set[int]]:
        """Return what facts tie to each seed."""
        rows = self.near.rows(seeds)
        keys = {one: tuple(ties(row.key)) for one, row in rows.items()}
        ids = self.near.ids_of(key for found in keys.values() for key in found)
        return {one: {ids[key] for key in found if key in ids} for one, found in keys.items()}

    def _tied(
        self, seeds: Mapping[int, float], tied: Mapping[int, set[int]], first: Mapping[int, float]
    ) -> list[int]:
        """Return the neighbours in order: by what they are given, then by what they have."""
        given = spread(seeds, tied, self.weights)
        kept = self.within.keep(given)
        rank = {one: (-round(given[one], 12), -first.get(one, 0.0)) for one in kept}
        kept.sort(key=lambda one: (rank[one], one))
        kept = kept[:_HUB]
        place = self._place_of(kept)
        kept.sort(key=lambda one: (rank[one], place(one)))
        return kept[: self.weights.near_depth]

    # --- order and hits -----------------------------------------------------------------------

    def _ordered(self, scores: Mapping[int, float]) -> list[tuple[int, float]]:
        place = self._place_of(scores)
        return sorted(scores.items(), key=lambda pair: (-pair[1], place(pair[0])))

    def _place_of(self, ids: Iterable[int]) -> Callable[[int], tuple[str, int]]:
        """Return the key by which equal ones are put in order; it holds for `ids`."""
        self.places.update(self.near.places(one for one in ids if one not in self.places))
        return self.places.__getitem__

    def _hits(self, ids: Sequence[int], parts: Mapping[int, tuple[Part, ...]]) -> Iterator[Hit]:
        rows = self.near.rows(ids)
        words = needles(self.asked.terms)
        for one in ids:
            row = rows[one]
            yield Hit(
                key=row.key, path=row.path, line=row.line, outline=row.outline, title=row.title,
                snippet=snippet(row, words), score=score(parts[one]), parts=parts[one],
            )
