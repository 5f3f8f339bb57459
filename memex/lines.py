"""Lines of a byte string: where they start and end, whatever ends them.

A line ends at LF, CRLF or a lone CR. Nothing else ends one: VT, FF, NEL and U+2028 are text.
"""

from __future__ import annotations

BOM = b"\xef\xbb\xbf"

EOL = rb"(?:\r\n|\n|\r)"
"""The pattern of one line ending."""


def bom_length(data: bytes) -> int:
    """Return how many bytes the byte order mark takes: 3 or 0."""
    return 3 if data.startswith(BOM) else 0


def line_end(data: bytes, start: int, stop: int, cr: bool) -> tuple[int, int]:
    """Return (end of the text, start of the next line) of the line at `start`, at most `stop`.

    `cr` says whether `data` holds any CR; without one the search is a single `find`.
    """
    end = data.find(b"\n", start, stop)
    after = end + 1
    if end < 0:
        end = after = stop
    if cr:
        lone = data.find(b"\r", start, end)
        if lone >= 0:
            return lone, lone + 2 if data[lone + 1 : lone + 2] == b"\n" else lone + 1
    return end, after


def next_line(data: bytes, end: int) -> int:
    """Return the start of the line after the one whose text ends at `end`."""
    if data[end : end + 2] == b"\r\n":
        return end + 2
    return min(end + 1, len(data))


def line_start(data: bytes, pos: int, floor: int) -> int:
    """Return the start of the line if only blanks stand between it and `pos`, else -1.

    `floor` is where the first line of the file starts: after the byte order mark.
    """
    while pos > floor and data[pos - 1] in b" \t":
        pos -= 1
    return pos if pos <= floor or data[pos - 1] in b"\r\n" else -1


def count_lines(data: bytes, start: int, stop: int, cr: bool) -> int:
    """Return how many line endings stand in data[start:stop], which begins at a line start."""
    count = data.count(b"\n", start, stop)
    if cr:
        count += data.count(b"\r", start, stop) - data.count(b"\r\n", start, stop)
    return count


def line_number(data: bytes, pos: int) -> int:
    """Return the 1-based number of the line that holds the byte at `pos`."""
    # A CRLF cut in two by `pos` belongs to the line it ends.
    if pos and data[pos - 1 : pos + 1] == b"\r\n":
        pos -= 1
    return 1 + count_lines(data, 0, pos, True)


class LineCounter:
    """Numbers lines from where it last looked, so that many look-ups stay linear in the file."""

    __slots__ = ("_cr", "_data", "_line", "_pos")

    def __init__(self, data: bytes) -> None:
        self._data, self._pos, self._line, self._cr = data, 0, 1, b"\r" in data

    def at(self, pos: int) -> int:
        """Return the 1-based number of the line that holds the byte at `pos`."""
        if self._cr and pos and self._data[pos - 1 : pos + 1] == b"\r\n":
            pos -= 1
        step = count_lines(self._data, min(pos, self._pos), max(pos, self._pos), self._cr)
        self._line += step if pos >= self._pos else -step
        self._pos = pos
        return self._line


def excerpt(data: bytes, pos: int, limit: int = 80) -> str:
    """Return the line at `pos` for a message: without its ending and cut to `limit` characters."""
    begin = max(data.rfind(b"\n", 0, pos), data.rfind(b"\r", 0, pos)) + 1
    end, _ = line_end(data, begin, len(data), True)
    text = data[begin : min(end, begin + 4 * limit)].decode("utf-8", "replace").strip("\ufeff \t")
    return text if len(text) <= limit else text[: limit - 1] + "…"
