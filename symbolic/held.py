"""When a triple holds and how far that is trusted, read from a View: rows, stretches and gaps.

What the checker looks premises up in. docs/fold.md sections 13.1 and 13.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from symbolic.deduced import Instant, Triple
from symbolic.records import TRUST, UNKNOWN, Standing
from symbolic.values import FOREVER, reach
from symbolic.world import Fact, View

Span = tuple[Instant, Instant]
"""[lo, hi), None open."""

_BEGINNING, _END = -(1 << 70), 1 << 70


@dataclass(frozen=True, slots=True)
class Piece:
    """[lo, hi) of a base fact, or of what is deduced (fid None), as one proof may read it."""

    lo: Instant
    hi: Instant
    trust: int
    imprecise: bool
    fid: str | None = None

    @property
    def ends(self) -> tuple[int, int]:
        """Both ends as numbers, the open ones beyond all others."""
        return _low(self.lo), _high(self.hi)


def _low(instant: Instant) -> int:
    return _BEGINNING if instant is None else instant


def _high(instant: Instant) -> int:
    return _END if instant is None else instant


@dataclass(frozen=True, slots=True)
class Held:
    """All pieces of one triple."""

    rows: tuple[Piece, ...]
    stretches: tuple[Piece, ...]

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Both kinds."""
        return *self.rows, *self.stretches

    def spells(self) -> list[tuple[int, int]]:
        """Return the maximal spells: what touches or overlaps is one, whatever its trust."""
        merged: list[tuple[int, int]] = []
        for lo, hi in sorted(piece.ends for piece in self.pieces):
            if merged and lo <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(hi, merged[-1][1])
            else:
                merged.append((lo, hi))
        return merged

    def gaps(self) -> list[Span]:
        """Return the maximal stretches in which nothing holds."""
        edges = [_BEGINNING, *(at for spell in self.spells() for at in spell), _END]
        pairs = zip(edges[::2], edges[1::2], strict=True)
        return [_span(lo, hi) for lo, hi in pairs if lo < hi]

    def maximal(self) -> dict[Span, list[tuple[int, bool]]]:
        """Return {maximal spell: (trust, imprecise) of each way to read it}."""
        return {_span(lo, hi): list(self._read(lo, hi)) for lo, hi in self.spells()}

    def _read(self, lo: int, hi: int) -> Iterator[tuple[int, bool]]:
        """Yield the lowest of the best trusts within a spell, and the same of the precise ones."""
        inside = sorted({at for piece in self.pieces for at in piece.ends if lo <= at < hi})
        best, sure = [], []
        for at in inside:
            here = [piece for piece in self.pieces if piece.ends[0] <= at < piece.ends[1]]
            best.append(max(piece.trust for piece in here))
            sure.append(max((p.trust for p in here if not p.imprecise), default=None))
        precise = [trust for trust in sure if trust is not None]
        known = min(precise) if len(precise) == len(sure) else None
        if known != min(best):
            yield min(best), True
        if known is not None:
            yield known, False


def _span(lo: int, hi: int) -> Span:
    return None if lo == _BEGINNING else lo, None if hi == _END else hi


def held_of(view: View, triple: Triple) -> Held:
    """Return all pieces of `triple` that `view` holds."""
    rows = (
        piece
        for fact in view.facts(
            domain=triple.domain, entity=triple.entity, relation=triple.relation.canon,
            value=triple.value,
        )
        if fact.standing is Standing.STANDING and fact.statement.polarity == triple.polarity
        for piece in _rows(fact, view)
    )  # fmt: skip
    return Held(tuple(rows), tuple(_stretches(view, triple)))


def _rows(fact: Fact, view: View) -> Iterator[Piece]:
    """Yield what a base fact feeds: imprecise while it may not have begun, or is not known."""
    trust = max(TRUST[a.provenance] for a in fact.live)
    unknown = UNKNOWN in (fact.statement.valid_from, fact.statement.valid_to)
    for spell in view.spells(fact.fid):
        lo = None if spell.start is None else reach(spell.start, view.zone).lo
        hi = None if spell.end is None else reach(spell.end, view.zone).lo
        if unknown:
            pieces = [(lo, hi, True)]
        elif spell.start is None or "T" in spell.start:
            pieces = [(lo, hi, False)]
        else:
            begun = reach(spell.start, view.zone).hi
            middle = min(begun, _high(hi))
            pieces = [(lo, None if middle >= FOREVER else middle, True)]
            if middle < FOREVER:
                pieces.append((middle, hi, False))
        for start, end, imprecise in pieces:
            if _low(start) < _high(end):
                yield Piece(start, end, trust, imprecise, fact.fid)


def _stretches(view: View, triple: Triple) -> Iterable[Piece]:
    for one in view.deduced(
        domain=triple.domain, entity=triple.entity, relation=triple.relation.canon,
        value=triple.value,
    ):  # fmt: skip
        if one.triple.polarity != triple.polarity:
            continue
        for part in one.spells:
            if part.sure != part.trust:
                yield Piece(part.lo, part.hi, part.trust, True)
            if part.sure is not None:
                yield Piece(part.lo, part.hi, part.sure, False)
