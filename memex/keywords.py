"""In-buffer keywords (`#+TODO:` ...) and blocks (`#+begin_src` ...) of a byte string.

As in Org a heading ends every block, a block that is not closed before the next heading is none,
and a keyword inside an opaque block is text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from memex.lines import bom_length, line_start

OPAQUE = frozenset({"src", "example", "export", "comment", "verse"})
"""Blocks whose content Org does not parse as elements."""

_KEYWORD = re.compile(
    rb"#\+(todo|seq_todo|typ_todo|filetags|title|startup|property|setupfile|archive|category|date)"
    rb":[ \t]*([^\r\n]*)",
    re.IGNORECASE,
)
_BLOCK = re.compile(rb"#\+(?:begin_(\S+)|end_(\S+)[ \t]*(?=[\r\n]|\Z))", re.IGNORECASE)
_KEYWORD_OPENS = frozenset(b"tTsSfFpPaAcCdD")
_BLOCK_OPENS = frozenset(b"bBeE")


class Keyword(NamedTuple):
    """A keyword line: upper-case `name`, `value` without outer blanks, span of the whole line."""

    name: str
    value: str
    start: int
    end: int


class Block(NamedTuple):
    """A closed block: lower-case `name`, start of its first and of its last line."""

    name: str
    start: int
    last: int


class Marks:
    """The `#+` lines of a byte string. Blocks are paired when first asked for: few files need it.

    `starts` are the offsets of the headings. `keywords` are those outside opaque blocks.
    """

    __slots__ = ("_blocks", "_candidates", "_data", "_starts", "keywords")

    def __init__(self, data: bytes, starts: Sequence[int]) -> None:
        self._data, self._starts = data, starts
        self._blocks: list[Block] | None = None
        found, self._candidates = _find_marks(data)
        self.keywords = [word for word in found if not self.opaque(word.start)]

    @property
    def blocks(self) -> list[Block]:
        """The closed blocks in file order."""
        if self._blocks is None:
            self._blocks = _pair(*_block_marks(self._data, self._candidates), self._starts,
                                 len(self._data))
        return self._blocks

    def opaque(self, pos: int) -> bool:
        """Return whether the line at `pos` stands inside an opaque block.

        Blocks that may hold others are not opaque, and opaque ones do not overlap: it is enough
        to look back to the nearest opaque block.
        """
        before = bisect_left(self._candidates, pos)
        section = bisect_right(self._starts, pos)
        if not before or (section and self._candidates[before - 1] < self._starts[section - 1]):
            return False
        blocks = self.blocks
        at = bisect_right(blocks, pos, key=_block_start) - 1
        while at >= 0 and blocks[at].name not in OPAQUE:
            at -= 1
        return at >= 0 and blocks[at].start < pos < blocks[at].last


def _find_marks(data: bytes) -> tuple[list[Keyword], list[int]]:
    """Return the keyword lines of `data`, and the places that may open or close a block."""
    keywords: list[Keyword] = []
    candidates: list[int] = []
    find, match, floor = data.find, _KEYWORD.match, bom_length(data)
    pos = find(b"#+", 0, -1)
    while pos >= 0:
        letter = data[pos + 2]
        if letter in _BLOCK_OPENS:
            candidates.append(pos)
        elif letter in _KEYWORD_OPENS and (found := match(data, pos)) is not None:
            start = line_start(data, pos, floor)
            if start >= 0:
                name, value = found.groups()
                text = _text(value).strip(" \t")
                keywords.append(Keyword(_text(name).upper(), text, start, found.end()))
        pos = find(b"#+", pos + 2, -1)
    return keywords, candidates


def _block_marks(
    data: bytes, candidates: Sequence[int]
) -> tuple[list[tuple[int, str]], dict[str, list[int]]]:
    """Return the opening lines as (start, name), and the starts of the closing lines by name."""
    begins: list[tuple[int, str]] = []
    ends: dict[str, list[int]] = {}
    floor = bom_length(data)
    for pos in candidates:
        found = _BLOCK.match(data, pos)
        start = line_start(data, pos, floor)
        if found is None or start < 0:
            continue
        if found[1] is not None:
            begins.append((start, _text(found[1]).lower()))
        else:
            ends.setdefault(_text(found[2]).lower(), []).append(start)
    return begins, ends


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _pair(
    begins: Sequence[tuple[int, str]],
    ends: dict[str, list[int]],
    starts: Sequence[int],
    size: int,
) -> list[Block]:
    """Pair each opening line with the first closing line of its name before the next heading."""
    blocks: list[Block] = []
    barrier = -1
    for start, name in begins:
        if start < barrier:
            continue
        closing = ends.get(name)
        if closing is None:
            continue
        at = bisect_right(closing, start)
        if at == len(closing):
            continue
        following = bisect_right(starts, start)
        section_end = starts[following] if following < len(starts) else size
        if closing[at] < section_end:
            blocks.append(Block(name, start, closing[at]))
            if name in OPAQUE:
                barrier = closing[at]
    return blocks


def _block_start(block: Block) -> int:
    return block.start
