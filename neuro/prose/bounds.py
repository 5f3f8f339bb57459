"""When a sentence says that something holds: its dates as the bounds of an interval.

Only dates that stand right after what was read, or open the sentence, belong to it: "a novelist
born in 1899" dates the birth. A relative date is resolved against the heading's own date alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memex.dating import Dated, Undated
from symbolic.values import interval

_GAP = re.compile(
    r"[\s,(]*(?:(?P<word>since|from|seit|depuis|desde|starting(?:\s+(?:in|on))?|as\s+of|until|till|"
    r"through|up\s+to|to|"
    r"in|during|on|between|and|before|throughout|[-–—])[\s]*(?:the\s+(?:year|end\s+of|beginning\s+of)"
    r"\s+)?|(?P<none>[\s,(]))?",
    re.IGNORECASE,
)
_START = frozenset({
    "since", "from", "seit", "depuis", "desde", "starting", "starting in", "starting on", "as of",
    "between",
})
_END = frozenset({"until", "till", "through", "up to", "to", "-", "–", "—"})
_WITHIN = frozenset({"in", "during", "on", "throughout", ""})

Found = Dated | Undated


class Placed(NamedTuple):
    """A date that belongs to what was read, and the preposition before it."""

    word: str
    found: Found


class Bounds(NamedTuple):
    """The interval as records have it (`to` exclusive), and what could not be used, in words."""

    start: str | None
    end: str | None
    notes: tuple[str, ...]
    sure: bool


def leading(
    text: str, found: Sequence[Found], start: int = 0
) -> tuple[int, tuple[Placed, ...]]:
    """Return where a sentence that begins at `start` goes on after its first dates, and those."""
    placed = following(text, start, found)
    at = placed[-1].found.end if placed else start
    while placed and text[at : at + 1] in (",", " "):
        at += 1
    return at, placed


def following(text: str, at: int, found: Sequence[Found]) -> tuple[Placed, ...]:
    """Return the dates that stand right after position `at`."""
    return _chain(text, at, [one for one in found if one.start >= at])


def _chain(text: str, at: int, found: Iterable[Found]) -> tuple[Placed, ...]:
    placed: list[Placed] = []
    for one in found:
        gap = _GAP.fullmatch(text, at, one.start)
        word = " ".join((gap["word"] or "").casefold().split()) if gap else None
        if gap and "(" in gap[0] and word not in _START | {"until", "till", "up to"}:
            # `(1549-1613)` after a name is a life.
            break
        if word is None or (word == "and" and (not placed or placed[-1].word != "between")):
            break
        placed.append(Placed(word, one))
        at = one.end
    return tuple(placed)


def bounds(placed: Sequence[Placed], found: Sequence[Found], text: str, *, opens: bool) -> Bounds:
    """Return the interval that `placed` dates give; every other date of the sentence is noted.

    `opens` tells that the verb begins something ("joined in 2021"): it does not end with the year.
    Raises BadValue if the end lies before the start.
    """
    start: str | None = None
    end: str | None = None
    before: str | None = None
    used: list[Found] = []
    for word, one in placed:
        if isinstance(one, Undated):
            continue
        if word in _START:
            start = one.date
        elif word in _END or word == "and":
            end = one.date
        elif word in _WITHIN:
            start, end = one.date, None if opens else one.date
        elif word == "before":
            before = one.date
        used.append(one)
    notes = [_note(one, text) for one in found if one not in used]
    unresolved = any(isinstance(one, Undated) for one in found)
    low, high = interval(start, end, inclusive=True)
    if before is not None and high is None:
        low, high = interval(low, before)
    return Bounds(low, high, tuple(notes), not unresolved)


def _note(one: Found, text: str) -> str:
    if isinstance(one, Undated):
        return f"unresolved: '{one.words}'"
    return f"date not used: '{text[one.start : one.end]}'"
