"""Dates lowered to what the prose says: never finer than the quote, never one it does not carry.

A date is truncated ISO. The prose says 2022-02 and the candidate 2022-02-14: 2022-02 is kept. An
end in records is exclusive and in prose inclusive, so either reading of it counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symbolic.values import after


def _covers(coarse: str, fine: str) -> bool:
    return fine == coarse or fine.startswith(coarse + "-")


def day(bound: str) -> str:
    """Return the civil day of a bound that is an instant, any other as it is."""
    return bound[:10]


def said(bound: str, spoken: Iterable[str]) -> str | None:
    """Return `bound` no finer than a date of `spoken` that carries it; None if none does."""
    spoken = list(spoken)
    exact = day(bound)
    if any(_covers(exact, date) for date in spoken):
        return exact
    return max((date for date in spoken if _covers(date, exact)), key=len, default=None)


def said_end(bound: str, spoken: Sequence[str]) -> str | None:
    """Return the end `bound` as `said` does; the unit after a spoken date is that date's end."""
    exact = day(bound)
    nexts = [end for date in spoken if (end := after(date)) is not None]
    if any(_covers(exact, date) for date in (*spoken, *nexts)):
        return exact
    if any(after(date[: len(exact)]) == exact for date in spoken if len(date) > len(exact)):
        # 2024 as the end of "until June 2023" said more coarsely.
        return exact
    lowered = said(bound, spoken)
    if lowered is not None:
        return lowered
    firsts = [end for end in nexts if exact in (f"{end}-01", f"{end}-01-01")]
    return max(firsts, key=len, default=None)
