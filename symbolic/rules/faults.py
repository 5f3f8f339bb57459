"""What is wrong with a rule file: a place in it, a sentence, the line, and a remedy."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from symbolic.rules.syntax import Place

WIDE = 80
"""Characters of a line that an excerpt shows."""

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Fault:
    """A mistake of the user's, as a value. `str` of it is how people read it."""

    place: Place
    message: str
    excerpt: str
    remedy: str

    def __str__(self) -> str:
        where = f"{self.place.file}:{self.place.line}:{self.place.column}"
        return f"{where}: {self.message}\n    {self.excerpt}\n    {self.remedy}"


class Lines:
    """The lines of a text, whatever ends them: LF, CRLF or CR alone."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._text = text
        ends = list(_LINE_END.finditer(text))
        self._starts = [0, *(end.end() for end in ends)]
        self._stops = [*(end.start() for end in ends), len(text)]

    def number(self, offset: int) -> int:
        """Return the number of the line in which the character at `offset` stands, from 1."""
        return bisect_right(self._starts, offset)

    def place(self, offset: int) -> Place:
        """Return where the character at `offset` stands."""
        line = self.number(offset)
        return Place(self.file, line, offset - self._starts[line - 1] + 1)

    def line(self, place: Place) -> str:
        """Return the line of `place` around its column, without what no terminal shows."""
        start, stop = self._starts[place.line - 1], self._stops[place.line - 1]
        if stop - start > WIDE:
            start = max(start, start + place.column - 1 - WIDE // 2)
            stop = min(stop, start + WIDE)
        return shown(self._text[start:stop]).strip()

    def fault(self, offset: int, message: str, remedy: str) -> Fault:
        """Return a fault at the character at `offset`."""
        place = self.place(offset)
        return Fault(place, message, self.line(place), remedy)


def shown(text: str) -> str:
    """Return `text` with blanks as blanks and what cannot be printed as a replacement mark."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)
