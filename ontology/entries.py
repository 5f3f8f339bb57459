"""What the reader of ontology.org hands over, and what is said about a mistake in it."""

from __future__ import annotations

from dataclasses import dataclass

ONTOLOGY_FILE = "system/ontology.org"
"""The one file of declarations, relative to the memex."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A heading with its properties, in file order. Lines are 1-based.

    `keyword` is its TODO keyword or None; `level` is the number of stars. A property is (name,
    value, line), the name as written.
    """

    title: str
    keyword: str | None = None
    properties: tuple[tuple[str, str, int], ...] = ()
    line: int = 1
    level: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A mistake in a declaration: where it stands, what is wrong, what to do.

    `key` is stable and for programs. `other_line` is the second line where two lines disagree. A
    `notice` is no mistake: the declaration counts, and there is something to know about it.
    """

    file: str
    line: int | None
    excerpt: str
    key: str
    message: str
    remedy: str
    other_line: int | None = None
    notice: bool = False
