"""Date expressions in running text: where they stand and which date they mean.

    text ──tokens──► rules of the first word ──► a date, or a function of the evidence day

An expression that says its date whole is read alone. One that does not ("yesterday", "last March",
"14 February") is resolved against the date of the heading it stands in, and is Undated without
one: nothing here knows a clock. The table of what is read is in `memex/datewords.py`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from memex.datewords import NUMERIC, RULES, Part, Rule, When

_TOKEN = re.compile(r"[0-9]++|[^\W\d_]++")
_EVIDENCE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?(?![0-9])")


@dataclass(frozen=True, slots=True)
class Dated:
    """A date expression at characters [start, end) of a text.

    `date` is truncated ISO at the precision that follows surely: 2024, 2024-02, 2024-02-01.
    `relative` tells that it needed the heading's own date.
    """

    start: int
    end: int
    date: str
    relative: bool


@dataclass(frozen=True, slots=True)
class Undated:
    """A relative expression at [start, end) that nothing resolves: `words` as they stand."""

    start: int
    end: int
    words: str


def dates(text: str, evidence: str | None) -> tuple[Dated | Undated, ...]:
    """Return the date expressions of `text` in order; they do not overlap. Never raises.

    `evidence` is the truncated ISO date of the heading. Where it is coarser than an expression
    needs, the date is lowered to what holds for every day of it, else left Undated.
    """
    span = _days(evidence)
    found: list[Dated | Undated] = []
    free = 0
    for match in _TOKEN.finditer(text):
        if match.start() < free:
            continue
        for start, end, when in _read(text, match):
            free = end
            if when is not None:
                found.append(_resolved(text, start, end, when, span))
    return tuple(found)


def _read(text: str, token: re.Match[str]) -> tuple[Part, ...]:
    """Return what the first rule that applies at `token` finds."""
    for rule in _rules(token[0]):
        found = _apply(rule, text, token.start())
        if found:
            return found
    return ()


def _rules(word: str) -> tuple[Rule, ...]:
    if word[0] in "0123456789":
        return NUMERIC.get(len(word), ())
    return RULES.get(word.casefold(), ())


def _apply(rule: Rule, text: str, at: int) -> tuple[Part, ...]:
    match = rule.pattern.match(text, at)
    return () if match is None else rule.read(match)


def _days(evidence: str | None) -> tuple[date, date] | None:
    """Return the first and the last day that `evidence` covers; None if it is no date."""
    match = _EVIDENCE.match(evidence or "")
    if match is None:
        return None
    year, month, day = (None if part is None else int(part) for part in match.groups())
    try:
        first = date(year or 0, month or 1, day or 1)
    except ValueError:
        return None
    if day is not None:
        return first, first
    if month is None:
        return first, first.replace(month=12, day=31)
    return first, first.replace(day=monthrange(first.year, first.month)[1])


def _resolved(
    text: str, start: int, end: int, when: When, span: tuple[date, date] | None
) -> Dated | Undated:
    if isinstance(when, str):
        return Dated(start, end, when, False)
    found = None
    if span is not None:
        found = _common(_at(when, span[0]), _at(when, span[1]))
    if found is None:
        return Undated(start, end, text[start:end])
    return Dated(start, end, found, True)


def _at(when: Callable[[date], str | None], day: date) -> str | None:
    try:
        return when(day)
    except (ValueError, OverflowError):
        # Before year 1 or past 9999 there is no date to give.
        return None


def _common(first: str | None, last: str | None) -> str | None:
    """Return the finest date that holds both: what is sure whichever day the evidence means."""
    if first is None or last is None:
        return None
    for length in (10, 7, 4):
        if first[:length] == last[:length]:
            return first[:length]
    return None
