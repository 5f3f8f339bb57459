"""Titles that a query names: they stand in it word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from neuro.near.tokens import terms
from symbolic.names import fold

if TYPE_CHECKING:
    from neuro.near.reading import Reading

_WORD = re.compile(r"[^\W_]+")
_AFTER = re.compile(r"[^\w\s]*")

WORDS = 12
"""A title has at most so many words, or it is not looked for ..."""
QUERY = 64
"""... and at most so many words of a query are looked at."""
TWINS = 3
"""A title that more headings have names none of them, unless it is all that was asked."""
RARE = 100
"""A name holds a word that stands in no more than one of so many headings."""

Span = tuple[int, int]


def named(near: Reading, text: str, total: int) -> list[int]:
    """Return the headings that `text` names by their titles, longer titles first.

    Of titles that overlap as one in the other the longer counts. What is no name, as "Links" or
    "Summary" are none, counts only where it is the whole query.
    """
    folded = fold(text)
    spans = _spans(folded)
    found = near.titled(spans)
    whole = len(_WORD.findall(folded))
    placed = {title: spans[title] for title in found}
    order = sorted(placed, key=lambda title: (-len(title), placed[title]))
    hits: dict[int, None] = {}
    for title in order:
        if any(_inside(placed[title], placed[other]) for other in order if other != title):
            continue
        if len(_WORD.findall(title)) < whole and not _names(near, title, len(found[title]), total):
            continue
        hits.update(dict.fromkeys(found[title]))
    return list(hits)


def _spans(folded: str) -> dict[str, Span]:
    """Return {what may be a title: where it stands first}; it may have punctuation around it."""
    spans: dict[str, Span] = {}
    words = [match.span() for match in _WORD.finditer(folded)][:QUERY]
    for number, (start, _) in enumerate(words):
        for _, end in words[number : number + WORDS]:
            for span in _widened(folded, start, end):
                spans.setdefault(folded[span[0] : span[1]], span)
    return spans


def _widened(folded: str, start: int, end: int) -> Iterator[Span]:
    after = _AFTER.match(folded, end)
    ends = (end, after.end()) if after is not None else (end,)
    left = start
    while left and not (folded[left - 1].isalnum() or folded[left - 1].isspace()):
        left -= 1
    for first in dict.fromkeys((start, left)):
        for last in dict.fromkeys(ends):
            yield first, last


def _inside(one: Span, other: Span) -> bool:
    return other[0] <= one[0] and one[1] <= other[1] and one != other


def _names(near: Reading, title: str, twins: int, total: int) -> bool:
    """Return whether a title is a name and no common word."""
    if twins > TWINS:
        return False
    counts = [
        min((near.documents(pair) for pair in term.pairs), default=near.documents(term.text))
        for term in terms(title)
    ]
    return min(counts, default=0) <= max(TWINS, total // RARE)
