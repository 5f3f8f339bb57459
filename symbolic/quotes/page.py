"""A heading's own text as far as it is evidence: unread blocks and asides taken out.

src, example, export, comment, verse and quote blocks are not read, `knowledge` excepted, nor are
comment lines and fixed-width lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import takewhile

from memex.keywords import OPAQUE, Block
from memex.markup import Link, plain, scan
from memex.scan import read_outline
from symbolic.quotes.mentions import Passage, form

UNREAD = OPAQUE | {"quote"}
"""Blocks whose content is no evidence."""

GAP = "\ufffe"
"""Stands where something was taken out; a noncharacter, so that no quote reaches over it."""

_KNOWLEDGE = re.compile(rb"[ \t]*#\+begin_src[ \t]++knowledge(?=[ \t\r\n]|\Z)", re.IGNORECASE)
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_ASIDE = re.compile(rb"^[ \t]*[#:](?:[ \t][^\r\n]*)?$", re.MULTILINE)
_BREAK = re.compile(r"(?<!\s)\s++-++\s++|\n[^\S\n]*+(?:\n|(?=[+*]\s|\d++[.)]\s))")
_OWN_LINE = re.compile(
    r"^((?:[^\S\n]*+(?::[\w@+-]+:|CLOCK:|SCHEDULED:|DEADLINE:|CLOSED:|#\+|\|)|\*+ )[^\n]*+)$",
    re.MULTILINE,
)


def evidence(text: str) -> str:
    """Return `text` with a GAP for all that is not read."""
    data = text.encode("utf-8", "surrogatepass")
    parts: list[bytes] = []
    at = 0
    for start, end in _unread(data):
        if end > at:
            parts += (data[at : max(at, start)], b"\n\n", GAP.encode(), b"\n\n")
            at = end
    parts.append(data[at:])
    return b"".join(parts).decode("utf-8", "surrogatepass")


def _unread(data: bytes) -> list[tuple[int, int]]:
    """Return the spans that are not read, in order; they may overlap."""
    blocks = read_outline(data).marks.blocks if b"#+" in data else []
    spans = [
        (block.start, _line_end(data, block.last)) for block in blocks if _skipped(data, block)
    ]
    kept = [
        (block.start, block.last) for block in blocks if _KNOWLEDGE.match(data, block.start)
    ]
    starts = [start for start, _ in kept]
    for match in _ASIDE.finditer(data):
        at = bisect_right(starts, match.start()) - 1
        if at < 0 or match.start() >= kept[at][1]:
            spans.append(match.span())
    return sorted(spans)


def _skipped(data: bytes, block: Block) -> bool:
    return block.name in UNREAD and _KNOWLEDGE.match(data, block.start) is None


def _line_end(data: bytes, at: int) -> int:
    match = _LINE.match(data, at)
    return len(data) if match is None else match.end()


class Page:
    """The evidence of one heading in the forms that grounding asks for, each made once."""

    def __init__(self, text: str) -> None:
        self.text = evidence(text)

    @cached_property
    def _folded(self) -> tuple[str, list[int]]:
        pieces: list[str] = []
        breaks: list[int] = []
        size = 0
        for raw in _BREAK.split(_set_apart(plain(self.text))):
            piece = form(raw).strip()
            if piece:
                pieces.append(piece)
                size += len(piece) + 1
                breaks.append(size)
        return " ".join(pieces), breaks

    @property
    def folded(self) -> str:
        """What a reader sees, in the form of mentions."""
        return self._folded[0]

    def breaks(self, at: int) -> tuple[int, ...]:
        """Return the ends of the paragraphs, items and titles before and after `at`."""
        edges = self._folded[1]
        place = bisect_right(edges, at)
        return tuple(edges[max(0, place - 1) : place + 1])

    @cached_property
    def _links(self) -> tuple[Link, ...]:
        return scan(self.text).links

    def links(self, start: int, end: int) -> tuple[Link, ...]:
        """Return the links of which a part stands in bytes [start, end) of `text`."""
        links = self._links
        if not links:
            return ()
        data = self.text.encode("utf-8")
        low = len(data[:start].decode("utf-8"))
        high = low + len(data[start:end].decode("utf-8"))
        first = bisect_left(links, low + 1, key=lambda link: link.end)
        return tuple(takewhile(lambda link: link.start < high, links[first:]))


def _set_apart(text: str) -> str:
    """Return `text` with blank lines around its heading line, drawers, keywords and table rows.

    No sentence runs from one of them into the prose below it.
    """
    return _OWN_LINE.sub(r"\n\1\n", text)


def passage(text: str) -> Passage:
    """Return `text`, a quote or a title, as a reader sees it."""
    return Passage(plain(text))
