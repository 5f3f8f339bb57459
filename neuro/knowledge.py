"""Facts that a person wrote as such: knowledge blocks and `:FACT:` properties (R31).

A line that cannot be read is a `Problem` with its place and the way out; the others load.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from memex.lines import LineCounter
from memex.problems import Problem
from neuro.pairs import BadPlist
from neuro.plist import parse_fact
from symbolic.records import Provenance, Reading


class FactLine(NamedTuple):
    """A plist at bytes [start, end) of a line that begins at `line`."""

    line: int
    start: int
    end: int


class FactReader:
    """Reads the fact lines of one file, and numbers the bad ones on the way through it."""

    def __init__(self, path: str, data: bytes, zone: str) -> None:
        self.path, self.data, self.zone = path, data, zone
        self._lines = LineCounter(data)

    def read(
        self, facts: Iterable[FactLine], heading: str
    ) -> tuple[list[Reading], list[Problem]]:
        """Return what `facts` say, and what is wrong with the rest."""
        readings: list[Reading] = []
        problems: list[Problem] = []
        for fact in facts:
            quote = self._text(fact.start, fact.end)
            found = parse_fact(quote, zone=self.zone)
            if isinstance(found, BadPlist):
                problems.append(self._problem(fact, found))
                continue
            readings.append(
                Reading(
                    heading=heading,
                    written=found,
                    quote=quote,
                    start=fact.start,
                    end=fact.end,
                    provenance=Provenance.HUMAN,
                )
            )
        return readings, problems

    def _text(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "surrogateescape")

    def _problem(self, fact: FactLine, bad: BadPlist) -> Problem:
        """Place `bad` in the file: its column counts from the plist, ours from the line."""
        return Problem(
            key="bad-fact",
            path=self.path,
            line=self._lines.at(fact.start),
            column=len(self._text(fact.line, fact.start).lstrip("\ufeff")) + bad.column,
            excerpt=bad.excerpt,
            message=bad.message,
            remedy=bad.remedy,
        )
