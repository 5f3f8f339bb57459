"""Snippets: the piece of a heading's text in which most of the asked words stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memex.markup import plain
from neuro.near.rows import Row
from neuro.near.tokens import Term, normal

WIDTH = 160
"""Characters of a snippet, about."""
_AROUND = 400
"""Characters kept on either side while markup is taken off."""
_MARKS = 2_000
"""Places of words that are looked at in one text."""

_LAYOUT = re.compile(
    r"^[ \t]*(?::(?:PROPERTIES|END|LOGBOOK):[ \t]*|CLOCK:.*|#\+(?:begin|end)[_:].*)$",
    re.MULTILINE | re.IGNORECASE,
)
_KEYED = re.compile(r"^[ \t]*(?::[^\s:]+:|#\+[^\s:]+:)(?:[ \t].*)?$", re.MULTILINE)
"""Lines of drawers and keywords: worth showing only for a word that stands in them."""
_TO_TITLE = re.compile(r"\[\[\*([^\[\]]+)\]\]")
"""A link to a heading without a label: people read the title, not the star."""
_LETTER = r"[^\W_]"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of text for people, markup taken off. `marks` are the [start, end) of the words."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


def needles(terms: Iterable[Term]) -> tuple[re.Pattern[str], ...]:
    """Return the patterns that find terms in folded text: words whole, other scripts anywhere."""
    found = []
    for term in terms:
        inner = re.escape(term.text)
        whole = term.word is not None and not term.pairs
        found.append(re.compile(rf"(?<!{_LETTER}){inner}(?!{_LETTER})" if whole else inner))
    return tuple(found)


def snippet(row: Row, words: Sequence[re.Pattern[str]]) -> Snippet:
    """Return the best piece of the row's own text; of its start where no word stands in it."""
    body = row.text if row.is_file else row.text.partition("\n")[2]
    first, last, _ = _best(body, words)
    start = _line_start(body, max(0, first - _AROUND))
    end = _line_end(body, last + _AROUND)
    part = body[start:end]
    shown = _clean(plain(_TO_TITLE.sub(r"\1", part)), words)
    first, last, marks = _best(shown, words)
    if not marks and _best(part, words)[2]:
        # The word stands in what markup hides, such as the target of a link.
        shown = _clean(part, words)
        first, last, marks = _best(shown, words)
    first, last = _grown(shown, first, last)
    head = "…" if first or (start and shown) else ""
    tail = "…" if last < len(shown) or (end < len(body) and shown) else ""
    moved = len(head) - first
    inside = [(one + moved, two + moved) for one, two in marks if first <= one and two <= last]
    return Snippet(f"{head}{shown[first:last]}{tail}", tuple(inside))


def _best(
    text: str, words: Sequence[re.Pattern[str]]
) -> tuple[int, int, list[tuple[int, int]]]:
    """Return the window with most different words, the first such, and where words stand in it."""
    folded, places = _folded(text)
    found: list[tuple[int, int, int]] = []
    for number, word in enumerate(words):
        for count, match in enumerate(word.finditer(folded)):
            if count >= _MARKS:
                break
            start, end = match.start(), match.end()
            if places is not None:
                start, end = places[start], places[end - 1] + 1
            found.append((start, end, number))
    found.sort()
    best, first = 0, 0
    low = 0
    inside: dict[int, int] = {}
    for start, end, number in found:
        inside[number] = inside.get(number, 0) + 1
        while end - found[low][0] > WIDTH and found[low][0] < start:
            left = found[low][2]
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            low += 1
        if len(inside) > best:
            best, first = len(inside), found[low][0]
    marks = [(start, end) for start, end, _ in found if first <= start and end <= first + WIDTH]
    last = max((end for _, end in marks), default=first)
    return first, last, _merged(marks)


def _folded(text: str) -> tuple[str, list[int] | None]:
    """Return folded text and, where folding moves characters, the place of each of them."""
    folded = normal(text)
    if len(folded) == len(text):
        return folded, None
    pieces = [character.casefold() for character in text]
    return "".join(pieces), [at for at, piece in enumerate(pieces) for _ in piece]


def _merged(marks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in marks:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _grown(text: str, first: int, last: int) -> tuple[int, int]:
    """Return the window grown to WIDTH, a third of the room before it, ended between words."""
    room = max(0, WIDTH - (last - first))
    start = max(0, first - room // 3)
    end = min(len(text), start + max(WIDTH, last - start))
    start = max(0, min(start, end - WIDTH))
    if start:
        gap = text.find(" ", start, first)
        start = gap + 1 if gap >= 0 else start
    if end < len(text):
        gap = text.rfind(" ", last, end)
        end = gap if gap >= 0 else end
    return start, end


def _clean(text: str, words: Sequence[re.Pattern[str]]) -> str:
    """Return text in one line, without marks of blocks and drawers."""

    def kept(line: re.Match[str]) -> str:
        folded = normal(line[0])
        return line[0] if any(word.search(folded) for word in words) else ""

    return " ".join(_KEYED.sub(kept, _LAYOUT.sub("", text)).split())


def _line_start(text: str, at: int) -> int:
    """Return the start of the line at `at`, but no more than twice as far back."""
    return max(text.rfind("\n", 0, at) + 1, at - _AROUND, 0)


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return min(len(text) if found < 0 else found, at + _AROUND)
