"""In-buffer keywords (`#+TODO:` ...) and blocks (`#+begin_src` ...) of a byte string.

As in Org a heading ends every block, a block that is not closed before the next heading is none,
and a keyword inside an opaque block is text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memex.lines import bom_length, line_start

OPAQUE = frozenset({"src", "example", "export", "comment", "verse"})
"""Blocks whose content Org does not parse as elements."""

_KEYWORD = re.compile(
    rb"#\+(?i:(todo|seq_todo|typ_todo|filetags|title|startup|property|setupfile|archive|category"
    rb"|date)):[ \t]*([^\r\n]*)"
)
_BLOCK = re.compile(rb"#\+(?i:begin_(\S+)|end_(\S+)[ \t]*(?=[\r\n]|\Z))")
_MAYBE = re.compile(rb"#\+[bBeE]")


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

    __slots__ = ("_blocks", "_data", "_first", "_opaque", "_starts", "keywords")

    def __init__(self, data: bytes, starts: Sequence[int]) -> None:
        self._data, self._starts = data, starts
        self._blocks: list[Block] | None = None
        self._opaque: list[Block] = []
        first = _MAYBE.search(data)
        self._first = len(data) if first is None else first.start()
        self.keywords = [word for word in _find_keywords(data) if not self.opaque(word.start)]

    @property
    def blocks(self) -> list[Block]:
        """The closed blocks in file order."""
        if self._blocks is None:
            begins, ends = _block_marks(self._data, self._first)
            self._blocks = _pair(begins, ends, self._starts, len(self._data))
            self._opaque = [block for block in self._blocks if block.name in OPAQUE]
        return self._blocks

    def opaque(self, pos: int) -> bool:
        """Return whether the line at `pos` stands inside an opaque block.

        Opaque blocks do not overlap: it is enough to look back to the nearest one.
        """
        if pos <= self._first or not self.blocks:
            return False
        at = bisect_right(self._opaque, pos, key=_block_start) - 1
        return at >= 0 and self._opaque[at].start < pos < self._opaque[at].last


def _find_keywords(data: bytes) -> Iterator[Keyword]:
    floor = bom_length(data)
    for found in _KEYWORD.finditer(data):
        start = line_start(data, found.start(), floor)
        if start >= 0:
            name, value = found.groups()
            text = _text(value).strip(" \t")
            yield Keyword(_text(name).upper(), text, start, found.end())


def _block_marks(data: bytes, pos: int) -> tuple[list[tuple[int, str]], dict[str, list[int]]]:
    """Return the opening lines as (start, name), and the starts of the closing lines by name."""
    begins: list[tuple[int, str]] = []
    ends: dict[str, list[int]] = {}
    floor = bom_length(data)
    for found in _BLOCK.finditer(data, pos):
        start = line_start(data, found.start(), floor)
        if start < 0:
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
