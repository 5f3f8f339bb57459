"""Sets of instants for questions: spans that are never empty; an open side is +-FOREVER."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symbolic.deduction import spans as sets
from symbolic.values import FOREVER

Span = tuple[int, int]
ALWAYS: Span = (-FOREVER, FOREVER)


def cut(one: Span, other: Span) -> Span | None:
    """Return what two spans share, None if nothing."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low < high else None


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return spans in order, those that touch or overlap as one."""
    return tuple(sets.union(spans))


def minus(spans: Iterable[Span], gone: Sequence[Span]) -> tuple[Span, ...]:
    """Return what is left of `spans` without `gone`."""
    return tuple(part for span in union(spans) for part in sets.minus(span, gone))
