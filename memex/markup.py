"""Inline Org markup in running text: links, emphasis, verbatim.

One left-to-right pass in the order in which Org's own parser takes objects: what opens first wins,
verbatim hides what is inside it. Every search for a closing mark moves a pointer that never goes
back, so a megabyte of opening brackets costs a megabyte.

Positions are characters of the given text. A text is one paragraph, or several: no object crosses
a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

PLAIN_TYPES = ("https", "http", "ftp", "mailto", "doi", "file", "id")
"""Link types that Org reads without brackets too."""

_TYPES = "|".join(PLAIN_TYPES)
_PRE = frozenset("-('\"{\u200b\u2013\u2014")
_POST = re.escape("-.,:;!?'\")}\\[\u200b\u2013\u2014")
_VERBATIM = "=~"
# Each branch opens with a literal: the engine then looks for their first characters only.
_OBJECT = re.compile(
    rf"\[\[|\*|/|_|\+|=|~|<(?:{_TYPES}):|"
    + "|".join(rf"{name[0]}(?<!\w{name[0]}){name[1:]}:" for name in PLAIN_TYPES)
)
_BRACKET = re.compile(r"\[\[((?:[^\[\]\\]|\\[\[\]\\]|\\)++)\]")
_ANGLE = re.compile(rf"<((?:{_TYPES}):[^<>\n]++)>")
_PLAIN = re.compile(rf"(?:{_TYPES}):[^\s()<>\[\]]++(?:\(\w++\))?+")
_BLANK = re.compile(r"\n[^\S\n]*+\n")
_CLOSING = re.compile(r"\]\]")
_LINE_END = re.compile(r"\n")
_NOWHERE = 1 << 62


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it stands in [start, end). `label` is its description, None where it has none."""

    start: int
    end: int
    target: str
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Markup:
    """The links of a text and the [start, end) spans a reader does not see, in file order."""

    links: tuple[Link, ...]
    hidden: tuple[tuple[int, int], ...]


def scan(text: str) -> Markup:
    """Return the links of `text` and which of its characters are markup."""
    if _OBJECT.search(text) is None:
        return _PLAIN_TEXT
    found = _Scan(text)
    found.run()
    return Markup(tuple(found.links), tuple(sorted(found.hidden)))


_PLAIN_TEXT = Markup((), ())


def plain(text: str) -> str:
    """Return `text` as a reader sees it: markers gone, a link as its description or target."""
    kept: list[str] = []
    at = 0
    for start, end in scan(text).hidden:
        kept.append(text[at:start])
        at = end
    kept.append(text[at:])
    return "".join(kept)


@cache
def _closer(mark: str) -> re.Pattern[str]:
    """Return the pattern of the `mark` that ends an emphasis."""
    return re.compile(rf"(?<=\S){re.escape(mark)}(?=[\s{_POST}]|\Z)")


class _Ahead:
    """The first match of a pattern at or after a position; positions asked for only grow."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self._matches: Iterator[re.Match[str]] = pattern.finditer(text)
        self._at = -1

    def start(self, position: int) -> int:
        """Return where the match starts, or a position past the text."""
        while self._at < position and self._at < _NOWHERE:
            match = next(self._matches, None)
            self._at = _NOWHERE if match is None else match.start()
        return self._at


@dataclass(slots=True)
class _Frame:
    """The inside of an object, [start, end); after it the walk goes on at `resume`.

    `link` tells whether the inside is a description, in which no other link can stand.
    """

    start: int
    end: int
    resume: int
    link: bool


class _Scan:
    """The state of one pass."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.links: list[Link] = []
        self.hidden: list[tuple[int, int]] = []
        self._frames = [_Frame(0, len(text), len(text), False)]
        self._closers: dict[str, _Ahead] = {}
        self._brackets = _Ahead(_CLOSING, text)
        self._blanks = _Ahead(_BLANK, text)
        self._lines = _Ahead(_LINE_END, text)
        self._second = _Ahead(_LINE_END, text)

    def run(self) -> None:
        """Walk the text once."""
        at = 0
        while (match := _OBJECT.search(self.text, at)) is not None:
            start = match.start()
            while start >= self._frames[-1].end:
                at = max(at, self._frames.pop().resume)
            at = self._object(start, match[0]) if start >= at else at

    def _object(self, start: int, opening: str) -> int:
        """Take the object at `start` if there is one; return where to go on."""
        if opening == "[[":
            return self._bracket(start)
        if len(opening) == 1:
            return self._emphasis(start, opening)
        return self._unbracketed(start)

    def _bracket(self, start: int) -> int:
        match = _BRACKET.match(self.text, start)
        if match is None or self._frames[-1].link:
            return start + 1
        limit = min(self._frames[-1].end, self._blanks.start(start))
        if self.text.startswith("]", match.end()) and match.end() < limit:
            end = match.end() + 1
            self.links.append(Link(start, end, match[1]))
            self.hidden += [(start, start + 2), (end - 2, end)]
            return end
        if not self.text.startswith("[", match.end()):
            return start + 1
        label = match.end() + 1
        close = self._brackets.start(label)
        if close + 2 > limit:
            return start + 1
        self.links.append(Link(start, close + 2, match[1], self.text[label:close]))
        if close == label:
            self.hidden += [(start, start + 2), (match.end() - 1, close + 2)]
            return close + 2
        self.hidden += [(start, label), (close, close + 2)]
        self._frames.append(_Frame(label, close, close + 2, True))
        return label

    def _unbracketed(self, start: int) -> int:
        angle = self.text[start] == "<"
        match = (_ANGLE if angle else _PLAIN).match(self.text, start)
        frame = self._frames[-1]
        if match is None or frame.link or (angle and match.end() > frame.end):
            return start + 1
        if angle:
            self.links.append(Link(start, match.end(), match[1]))
            self.hidden += [(start, start + 1), (match.end() - 1, match.end())]
            return match.end()
        end = min(match.end(), frame.end)
        while not self.text[end - 1].isalnum() and self.text[end - 1] not in "/)":
            end -= 1
        target = self.text[start:end]
        if target.partition(":")[2]:
            self.links.append(Link(start, end, target))
        return max(end, start + 1)

    def _emphasis(self, start: int, mark: str) -> int:
        frame, text = self._frames[-1], self.text
        before = text[start - 1] if start > frame.start else " "
        after = text[start + 1 : start + 2]
        if not (before.isspace() or before in _PRE) or not after or after.isspace():
            return start + 1
        # At most one line break inside, as Org has it by default.
        first = self._lines.start(start)
        limit = min(frame.end, self._blanks.start(start), self._second.start(first + 1))
        if mark not in self._closers:
            self._closers[mark] = _Ahead(_closer(mark), text)
        close = self._closers[mark].start(start + 2)
        last = limit - 1
        if close >= limit and limit == frame.end and last > start + 1:
            close = last if text[last] == mark and not text[last - 1].isspace() else close
        if close >= limit:
            return start + 1
        self.hidden += [(start, start + 1), (close, close + 1)]
        if mark in _VERBATIM:
            return close + 1
        self._frames.append(_Frame(start + 1, close, close + 1, frame.link))
        return start + 1
