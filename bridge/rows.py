"""Prose as rows of the near index, and the mark by which two indices know they hold the same."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence

from neuro.near.rows import Link, Row
from symbolic.records import ProseHeading, Reading

LINKS_TO = "links-to"


def rows_of(headings: Sequence[ProseHeading], readings: Iterable[Reading]) -> list[Row]:
    """Return the rows of one file: its headings in order, with what the readings say they link to.

    The first heading is the file itself.
    """
    links: dict[str, list[Link]] = defaultdict(list)
    for reading in readings:
        written = reading.written
        if written.relation == LINKS_TO:
            links[reading.heading].append(Link(written.kind or "name", written.value))
    file_title = headings[0].title if headings else ""
    return [
        Row(
            key=h.key, path=h.path, line=h.line, outline=h.outline or (h.title,), title=h.title,
            text=h.text, text_hash=h.text_hash, file_title=file_title, tags=h.tags,
            links=tuple(dict.fromkeys(links.get(h.key, ()))), is_file=not h.outline,
        )
        for h in headings
    ]  # fmt: skip


def mark_of(rows: Sequence[Row]) -> str:
    """Return the hash of all that rows hold; no rows have none."""
    if not rows:
        return ""
    held = [
        (r.key, r.line, r.outline, r.title, r.text_hash, r.file_title, r.tags, r.links, r.is_file)
        for r in rows
    ]
    text = json.dumps(held, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
