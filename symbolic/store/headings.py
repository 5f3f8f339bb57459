"""Headings read back as records. Reading verbs load this and not what replaces prose."""

from __future__ import annotations

import json
from collections.abc import Sequence

from symbolic.records import ProseHeading

_COLUMNS = (
    "path, offset, key, ident, outline, nth, title, line, text, text_hash, body_hash,"
    " evidence_date, agent, archived, commented, tags"
)


def heading_of(row: Sequence[object]) -> ProseHeading:
    """Return the heading in a row of the columns that `columns` names."""
    parts = dict(zip(_FIELDS, row, strict=True))
    parts["outline"] = tuple(json.loads(str(parts["outline"])))
    parts["tags"] = tuple(json.loads(str(parts["tags"])))
    for flag in ("agent", "archived", "commented"):
        parts[flag] = bool(parts[flag])
    return ProseHeading(**parts)  # type: ignore[arg-type]


_FIELDS = tuple(name.strip() for name in _COLUMNS.split(","))

ALL = f"select {_COLUMNS} from heading order by path, offset, key"
OF_FILE = f"select {_COLUMNS} from heading where path = ? order by offset, key"
TITLED = f"select {_COLUMNS} from heading where folded = ? order by path, offset, key"
ONE = f"select {_COLUMNS} from heading where key = ? order by path, offset limit 1"
