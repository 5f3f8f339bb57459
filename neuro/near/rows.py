"""What the near index holds of a heading: a Row, and the text that stands for it as a vector.

A row refers to the facts by the heading's key alone: search works where facts.db is gone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from symbolic.names import digest

_LAYOUT = re.compile(
    r"^[ \t]*:(?:PROPERTIES|END|LOGBOOK|ID):.*$|^[ \t]*CLOCK:.*$", re.MULTILINE | re.IGNORECASE
)


class Link(NamedTuple):
    """What a heading links to: a heading's key, a path, a title (`name`) or an address (`url`)."""

    kind: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One heading. `outline` has the titles from the top down, its own last; a file has its own.

    `text` is the heading's own text, children left out; `text_hash` as in ProseHeading; `line` is
    1-based. `file_title` is the title of the file it stands in.
    """

    key: str
    path: str
    line: int
    outline: tuple[str, ...]
    title: str
    text: str
    text_hash: str
    file_title: str
    tags: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    is_file: bool = False

    @property
    def ancestors(self) -> tuple[str, ...]:
        """The titles above this heading from the top down, the file's first."""
        return () if self.is_file else (self.file_title, *self.outline[:-1])

    @property
    def embedded(self) -> str:
        """The text that is made a vector: ancestors' titles, own title, own text without layout.

        Drawer marks, IDs and clock lines say nothing about the matter and are left out.
        """
        body = self.text if self.is_file else self.text.partition("\n")[2]
        if ":" in body:
            body = _LAYOUT.sub("", body)
        return "\n".join((*self.ancestors, self.title, body.strip()))

    @property
    def mark(self) -> str:
        """The hash of the embedded text: a vector with this mark is this heading's."""
        return digest(self.embedded)[:32]


COLUMNS = "path, line, key, outline, title, text, text_hash, file_title, tags, links, is_file"
"""The columns of the table `heading` that make a Row, in the order `values` gives them."""


def values(row: Row) -> tuple[object, ...]:
    """Return a row as its columns."""
    return (
        row.path, row.line, row.key, _dumps(row.outline), row.title, row.text, row.text_hash,
        row.file_title, _dumps(row.tags), _dumps(row.links), int(row.is_file),
    )  # fmt: skip


def row_of(columns: Sequence[object]) -> Row:
    """Return the row that `values` made columns of."""
    path, line, key, outline, title, text, text_hash, file_title, tags, links, is_file = columns
    assert isinstance(line, int)
    return Row(
        key=str(key), path=str(path), line=line, outline=tuple(json.loads(str(outline))),
        title=str(title), text=str(text), text_hash=str(text_hash), file_title=str(file_title),
        tags=tuple(json.loads(str(tags))),
        links=tuple(Link(*link) for link in json.loads(str(links))), is_file=bool(is_file),
    )  # fmt: skip


def _dumps(parts: Sequence[object]) -> str:
    return _ENCODER.encode(parts) if parts else "[]"


_ENCODER = json.JSONEncoder(ensure_ascii=False)
