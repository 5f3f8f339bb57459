"""Overlap of two statements in valid time: docs/fold.md section 7, said plainly."""

from __future__ import annotations

from symbolic.records import UNKNOWN, Overlap
from symbolic.values import FOREVER, Reach, reach

Interval = tuple[str | None, str | None]


def start_reach(bound: str | None, zone: str) -> Reach:
    """Return where a start may lie; an open start lies before everything."""
    return Reach(-FOREVER, -FOREVER) if bound is None else reach(bound, zone)


def end_reach(bound: str | None, zone: str) -> Reach:
    """Return where an end may lie; an open end lies after everything."""
    return Reach(FOREVER, FOREVER) if bound is None else reach(bound, zone)


def ends_by(end: str | None, start: str | None, zone: str) -> bool:
    """Return whether `end` provably lies at or before `start`. Equal bounds are one instant."""
    if end in (None, UNKNOWN) or start in (None, UNKNOWN):
        return False
    return end == start or end_reach(end, zone).hi <= start_reach(start, zone).lo


def overlap(one: Interval, other: Interval, zone: str) -> Overlap:
    """Return whether two intervals share an instant."""
    if ends_by(one[1], other[0], zone) or ends_by(other[1], one[0], zone):
        return Overlap.NO
    if UNKNOWN in (*one, *other):
        return Overlap.MAYBE
    if one[0] == other[0] or one[1] == other[1]:
        return Overlap.YES
    if _within(one, other, zone) or _within(other, one, zone):
        return Overlap.YES
    latest_start = max(start_reach(one[0], zone).hi, start_reach(other[0], zone).hi)
    earliest_end = min(end_reach(one[1], zone).lo, end_reach(other[1], zone).lo)
    return Overlap.YES if latest_start < earliest_end else Overlap.MAYBE


def _within(inner: Interval, outer: Interval, zone: str) -> bool:
    """Return whether `inner`, which holds at some instant, surely lies within `outer`."""
    starts = start_reach(outer[0], zone).hi <= start_reach(inner[0], zone).lo
    ends = end_reach(inner[1], zone).hi <= end_reach(outer[1], zone).lo
    return starts and ends


def strongest(overlaps: list[Overlap]) -> Overlap:
    """Return the strongest of `overlaps`; NO if there are none."""
    for level in (Overlap.YES, Overlap.MAYBE):
        if level in overlaps:
            return level
    return Overlap.NO


def earlier_end(one: str | None, other: str | None, zone: str) -> str | None:
    """Return the end that comes first, by first instants; the second only if it is earlier."""
    return other if end_reach(other, zone).lo < end_reach(one, zone).lo else one
