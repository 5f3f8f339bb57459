"""Cardinality: which facts hold at one instant together, surely and perhaps."""

from __future__ import annotations

from collections.abc import Sequence

from symbolic.canon import term_key
from symbolic.timeline import Case, extents
from symbolic.values import FOREVER, Reach, reach


def crowds(
    cases: Sequence[Case], limit: int, zone: str
) -> tuple[list[list[Case]], list[list[Case]]]:
    """Return the sets of facts with more than `limit` values that share an instant.

    First those that surely hold at one, then those that may.
    """
    sure: list[tuple[int, int, Case]] = []
    maybe: list[tuple[int, int, Case]] = []
    for case in cases:
        for start, end in extents(case, zone):
            low = Reach(-FOREVER, -FOREVER) if start is None else reach(start, zone)
            high = Reach(FOREVER, FOREVER) if end is None else reach(end, zone)
            sure.append((low.hi, high.lo, case))
            maybe.append((low.lo, high.hi, case))
    return _crowded(sure, limit), _crowded(maybe, limit)


def _crowded(spans: Sequence[tuple[int, int, Case]], limit: int) -> list[list[Case]]:
    found = []
    for instant in sorted({-FOREVER, *(low for low, _, _ in spans)}):
        here = [case for low, high, case in spans if low <= instant < high]
        if len({term_key(case.value) for case in here}) > limit:
            found.append(here)
    return found
