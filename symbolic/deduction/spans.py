"""Stretches of time as pairs of integers: what is left of one, and what pieces cover together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

Span = tuple[int, int]
"""[lo, hi)"""


class Cover(NamedTuple):
    """[lo, hi) at a trust, `imprecise` 0 or 1."""

    lo: int
    hi: int
    trust: int
    imprecise: int


class Level(NamedTuple):
    """[lo, hi) with the best trust in it, and the best of what is precise (None: nothing is)."""

    lo: int
    hi: int
    trust: int
    sure: int | None


def minus(span: Span, others: Iterable[Span]) -> list[Span]:
    """Return what is left of `span` without `others`, in order."""
    lo, hi = span
    left: list[Span] = []
    for start, end in sorted(others):
        if end <= lo:
            continue
        if start >= hi:
            break
        if start > lo:
            left.append((lo, start))
        lo = max(lo, end)
        if lo >= hi:
            return left
    if lo < hi:
        left.append((lo, hi))
    return left


def meet(span: Span, others: Iterable[Span]) -> list[Span]:
    """Return the parts of `span` that lie in `others`, which may overlap, in order."""
    return [
        (max(span[0], lo), min(span[1], hi))
        for lo, hi in union(others)
        if max(span[0], lo) < min(span[1], hi)
    ]


def union(spans: Iterable[Span]) -> list[Span]:
    """Return the same time as few spans, in order: what touches is one."""
    merged: list[Span] = []
    for lo, hi in sorted(spans):
        if merged and lo <= merged[-1][1]:
            if hi > merged[-1][1]:
                merged[-1] = (merged[-1][0], hi)
        else:
            merged.append((lo, hi))
    return merged


def news(covered: Sequence[Cover], found: Iterable[Cover]) -> list[Cover]:
    """Return the parts of `found` at whose trust nothing covers them yet, none of them twice.

    A precise cover counts for an imprecise one as well, a higher trust for a lower.
    """
    known = list(covered)
    fresh: list[Cover] = []
    for one in sorted(set(found), key=lambda c: (c.imprecise, -c.trust, c.lo, -c.hi)):
        over = [
            (c.lo, c.hi) for c in known if c.trust >= one.trust and c.imprecise <= one.imprecise
        ]
        for lo, hi in minus((one.lo, one.hi), over):
            part = Cover(lo, hi, one.trust, one.imprecise)
            known.append(part)
            fresh.append(part)
    return fresh


def levels(covers: Sequence[Cover]) -> list[Level]:
    """Return the profile of covers: stretches in order, neighbours that are equal made one."""
    if len(covers) == 1:
        lo, hi, trust, imprecise = covers[0]
        return [Level(lo, hi, trust, None if imprecise else trust)]
    points = sorted({at for cover in covers for at in (cover.lo, cover.hi)})
    steps: list[tuple[int, int, int | None, int | None]] = []
    for lo, hi in pairwise(points):
        here = [cover for cover in covers if cover.lo <= lo and hi <= cover.hi]
        most = max((cover.trust for cover in here), default=None)
        sure = max((cover.trust for cover in here if not cover.imprecise), default=None)
        steps.append((lo, hi, most, sure))
    found: list[Level] = []
    for (best, precise), same in groupby(steps, key=lambda step: (step[2], step[3])):
        run = list(same)
        if best is not None:
            found.append(Level(run[0][0], run[-1][1], best, precise))
    return found
