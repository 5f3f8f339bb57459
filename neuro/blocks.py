"""What of an Org body is running text: paragraphs, description items, knowledge blocks.

src, example, export, comment, verse and quote blocks, fixed-width lines, comment lines and keyword
lines are no prose and are stepped over; a src block in the language `knowledge` is kept apart.
One pass over the lines. Spans are bytes of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memex.keywords import OPAQUE, Block
from memex.lines import line_end
from memex.markup import PLAIN_TYPES
from neuro.knowledge import FactLine

UNREAD = OPAQUE | {"quote"}
"""Blocks whose content is not read."""

KNOWLEDGE = re.compile(rb"#\+(?i:begin_src[ \t]++knowledge)(?=[ \t\r\n]|\Z)")
TYPED = b"|".join(b"(?<=%b:)" % name.encode() for name in PLAIN_TYPES)
"""Behind the colon of a link without brackets: a colon is sought sooner than one of its types."""

_WORTH = re.compile(rb"\[\[|:(?:(?<=[ \t]:):|" + TYPED + rb")")
"""A stretch of lines without any of these holds no link and no description."""

_KEYWORD = re.compile(rb"#\+\S++")
_DRAWER_LINE = re.compile(rb":[^\s:]++:[ \t]*+\Z")
_BULLET = re.compile(rb"(?:[-+*]|\d++[.)]|[A-Za-z][.)])(?:[ \t]++|\Z)")
_COUNTER = re.compile(rb"\[@(?:start:)?(?:\d++|[A-Za-z])\][ \t]*+")
_CHECKBOX = re.compile(rb"\[[ Xx-]\](?:[ \t]++|\Z)")


class Description(NamedTuple):
    """An item `- term :: text`. Its first line without indentation is [start, end).

    The term is [term, term_end); the text is [text, text_end) with the lines that continue it.
    """

    start: int
    end: int
    term: int
    term_end: int
    text: int
    text_end: int


class Body(NamedTuple):
    """The parts of a body in file order; `knowledge` holds the content lines of such blocks."""

    paragraphs: tuple[tuple[int, int], ...]
    descriptions: tuple[Description, ...]
    knowledge: tuple[FactLine, ...]


class _Line(NamedTuple):
    """A line: its start, first byte after the indentation, end of text, start of the next."""

    start: int
    first: int
    end: int
    after: int


def read_body(data: bytes, start: int, stop: int, blocks: Sequence[Block]) -> Body:
    """Return the running text of data[start:stop]. `blocks` are the closed blocks of the file."""
    reader = _Reader(data, start, stop, blocks)
    reader.run()
    return Body(tuple(reader.paragraphs), tuple(reader.descriptions), tuple(reader.knowledge))


def unread(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks that are stepped over, in file order; none stands inside another."""
    found: list[Block] = []
    last = -1
    for block in blocks:
        if block.name in UNREAD and block.start >= last:
            found.append(block)
            last = block.last
    return found


def stretches(
    data: bytes, start: int, stop: int, passed_over: Sequence[Block]
) -> Iterator[tuple[int, int]]:
    """Yield the parts of data[start:stop] that may hold a link or a description, in order.

    Each reaches from blank line to blank line, or to a block of `passed_over` (see `unread`): what
    `read_body` makes of it is what it makes of it within the whole, as a blank line ends all.
    """
    at = start
    block = bisect_left(passed_over, start, key=_block_start)
    while (found := _WORTH.search(data, at, stop)) is not None:
        pos = found.start()
        while block < len(passed_over) and passed_over[block].last <= pos:
            at = max(at, passed_over[block].last)
            block += 1
        if block < len(passed_over) and passed_over[block].start <= pos:
            at = passed_over[block].last
            continue
        blank = data.rfind(b"\n\n", at, pos)
        end = data.find(b"\n\n", pos, stop)
        end = stop if end < 0 else end + 1
        yield (at if blank < 0 else blank + 2), end
        at = end


def _block_start(block: Block) -> int:
    return block.start


def _lines(data: bytes, start: int, stop: int) -> Iterator[_Line]:
    cr = data.find(b"\r", start, stop) >= 0
    at = start
    while at < stop:
        end, after = line_end(data, at, stop, cr)
        yield _Line(at, end - len(data[at:end].lstrip(b" \t")), end, after)
        at = after


class _Reader:
    """The state of one pass: the paragraph that is open, and the item that opened it."""

    def __init__(self, data: bytes, start: int, stop: int, blocks: Sequence[Block]) -> None:
        self.data, self.start, self.stop, self.blocks = data, start, stop, blocks
        self.paragraphs: list[tuple[int, int]] = []
        self.descriptions: list[Description] = []
        self.knowledge: list[FactLine] = []
        self._open: tuple[int, int] | None = None
        self._indent = -1
        self._item: Description | None = None

    def run(self) -> None:
        """Walk the lines, jumping over what is not read."""
        at_block = bisect_left(self.blocks, self.start, key=_block_start)
        skip_to = self.start
        for line in _lines(self.data, self.start, self.stop):
            if line.start < skip_to:
                continue
            while at_block < len(self.blocks) and self.blocks[at_block].start < line.start:
                at_block += 1
            block = self.blocks[at_block] if at_block < len(self.blocks) else None
            if block is not None and block.start == line.start and block.name in UNREAD:
                self._close()
                skip_to = block.last
                if KNOWLEDGE.match(self.data, line.first, line.end):
                    self._keep_knowledge(line.after, block.last)
                # The closing line itself is a keyword line and is passed over as one.
                continue
            self._line(line)
        self._close()

    def _keep_knowledge(self, start: int, stop: int) -> None:
        for line in _lines(self.data, start, stop):
            end = line.first + len(self.data[line.first : line.end].rstrip(b" \t"))
            if line.first < end and self.data[line.first] != ord(";"):
                self.knowledge.append(FactLine(line.start, line.first, end))

    def _line(self, line: _Line) -> None:
        head = self.data[line.first : line.first + 1]
        if line.first == line.end or (head in b"#:" and self._is_mark(line, head)):
            self._close()
        elif head == b"|":
            self._close()
            self.paragraphs.append((line.first, line.end))
        elif (bullet := self._bullet(line)) is not None:
            self._close()
            self._open = (line.first, line.end)
            self._indent = line.first - line.start
            self._describe(line, bullet)
        elif self._open is not None and line.first - line.start > self._indent:
            self._open = (self._open[0], line.end)
        else:
            self._close()
            self._open = (line.first, line.end)

    def _is_mark(self, line: _Line, head: bytes) -> bool:
        """Return whether the line is a comment, fixed-width, keyword, block or drawer line."""
        following = self.data[line.first + 1 : line.first + 2]
        if line.first + 1 == line.end or following == b" ":
            return True
        if head == b":":
            return _DRAWER_LINE.match(self.data, line.first, line.end) is not None
        return self._is_keyword(line)

    def _is_keyword(self, line: _Line) -> bool:
        match = _KEYWORD.match(self.data, line.first, line.end)
        if match is None:
            return False
        word = match[0].lower()
        if word.startswith(b"#+end_") or b":" in word:
            return True
        if not word.startswith(b"#+begin_"):
            return False
        at = bisect_left(self.blocks, line.start, key=_block_start)
        return at < len(self.blocks) and self.blocks[at].start == line.start

    def _bullet(self, line: _Line) -> re.Match[bytes] | None:
        # A star at the margin is a heading or, without its blank, text.
        if self.data[line.first] == ord("*") and line.first == line.start:
            return None
        return _BULLET.match(self.data, line.first, line.end)

    def _describe(self, line: _Line, bullet: re.Match[bytes]) -> None:
        if self.data[line.first] not in b"-+*":
            return
        term = bullet.end()
        for part in (_COUNTER, _CHECKBOX):
            match = part.match(self.data, term, line.end)
            term = term if match is None else match.end()
        mark = self._separator(term, line.end)
        if mark < 0:
            return
        term_end = term + len(self.data[term:mark].rstrip(b" \t"))
        end = line.first + len(self.data[line.first : line.end].rstrip(b" \t"))
        if term < term_end:
            self._item = Description(line.first, end, term, term_end, mark + 2, line.end)

    def _separator(self, start: int, stop: int) -> int:
        """Return where the last ` ::` with blanks around it stands, as in Org, or -1."""
        limit = stop
        while (at := self.data.rfind(b"::", start, limit)) > start:
            before, behind = self.data[at - 1], self.data[at + 2 : at + 3]
            if before in b" \t" and (at + 2 == stop or behind in b" \t"):
                return at
            limit = at + 1
        return -1

    def _close(self) -> None:
        """End the open paragraph, and with it the text of the item that began it."""
        if self._open is not None:
            self.paragraphs.append(self._open)
            if self._item is not None:
                self.descriptions.append(self._item._replace(text_end=self._open[1]))
        self._open, self._item, self._indent = None, None, -1
