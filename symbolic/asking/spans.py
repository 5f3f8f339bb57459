"""Sets of instants as sorted lists of half-open spans; an open side is +-FOREVER."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symbolic.values import FOREVER

Span = tuple[int, int]
ALWAYS: Span = (-FOREVER, FOREVER)


def cut(one: Span, other: Span) -> Span | None:
    """Return what two spans share, None if nothing."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low < high else None


def union(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return spans in order, those that touch or overlap as one."""
    out: list[Span] = []
    for low, high in sorted(spans):
        if low >= high:
            continue
        if out and low <= out[-1][1]:
            out[-1] = (out[-1][0], max(high, out[-1][1]))
        else:
            out.append((low, high))
    return tuple(out)


def minus(spans: Iterable[Span], gone: Sequence[Span]) -> tuple[Span, ...]:
    """Return what is left of `spans` without `gone`."""
    left = union(spans)
    for low, high in union(gone):
        left = tuple(
            part
            for one in left
            for part in ((one[0], min(one[1], low)), (max(one[0], high), one[1]))
            if part[0] < part[1]
        )
    return left
