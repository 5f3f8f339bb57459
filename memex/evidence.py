"""The evidence date of a heading: when the prose says it was written.

In this order: the heading's own timestamp, its CREATED property, the date tree its titles make,
the name of its file. Never a planning line, CLOCK, drawer, property or state log (finishing a task
would else reorder a life), and never the time of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memex.timestamps import Found, find_stamps, is_date

_STAMP_START = re.compile(r"[\[<][0-9]{4}-[0-9]{2}-")
STAMP_BYTES = re.compile(rb"[\[<][0-9]{4}-[0-9]{2}-")
"""What every timestamp begins with: a quick test before a body is read line by line."""

_DRAWER_OPEN = re.compile(r"[ \t]*:[\w-]+:[ \t]*$")
_DRAWER_CLOSE = re.compile(r"[ \t]*:END:[ \t]*$", re.IGNORECASE)
_BLOCK_OPEN = re.compile(r"[ \t]*#\+BEGIN(?:_(\S+)|:(?:[ \t].*)?$)", re.IGNORECASE)
_BLOCK_CLOSE = re.compile(r"[ \t]*#\+END(?:_(\S+)|:)[ \t]*$", re.IGNORECASE)
_LOGGED = re.compile(
    r"[ \t]*(?:CLOCK:|SCHEDULED:|DEADLINE:|CLOSED:"
    r"|[-+*][ \t]+(?:State[ \t]+\"|Rescheduled[ \t]+from|New[ \t]+deadline[ \t]+from"
    r"|Not[ \t]+scheduled,|Removed[ \t]+deadline,|Refiled[ \t]+on|CLOSING[ \t]+NOTE"
    r"|Note[ \t]+taken[ \t]+on))"
)
_ASIDE = re.compile(r"[ \t]*(?:#(?:[ \t+]|$)|:(?:[ \t]|$))")

_UNREAD = frozenset({"src", "example", "quote", "verse", "comment", "export", ""})
"""Blocks whose text is not the heading's own; the empty name is a dynamic block."""

_TREE = re.compile(r"([12][0-9]{3})(?:-([0-9]{2})(?:-([0-9]{2}))?)?(?:[ \t]+\(?\w+\.?\)?)?$")
_CREATED = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:[T ].*)?)?)?$")
_COMPACT = re.compile(
    r"(?<![^\W_])([12][0-9]{3})([0-9]{2})([0-9]{2})(?:T?[0-9]{4}(?:[0-9]{2})?)?(?![^\W_])"
)
_DASHED = re.compile(r"(?<![0-9])([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T[0-9]|(?![0-9]))")


def own_stamps(title: str, body: str) -> Iterator[Found]:
    """Yield the timestamps that stand in `title` and in the text of `body`, in order.

    `body` may hold drawers, CLOCK lines, logs and blocks: they are passed over. Line ends are LF.
    """
    yield from _text_stamps(title)
    for line in text_lines(body) if body else ():
        if _STAMP_START.search(line) is not None:
            yield from _text_stamps(line)


def _text_stamps(text: str) -> Iterator[Found]:
    """Yield the stamps of one line that are not part of a link and not verbatim."""
    for found in find_stamps(text):
        before, after = text[: found.start][-1:], text[found.end :][:1]
        if found.raw[0] == "[" and (before == "[" or after == "]"):
            continue
        if before in ("=", "~") and before == after:
            continue
        yield found


def text_lines(body: str) -> Iterator[str]:
    """Yield the lines of `body` outside drawers, logs, keywords, comments and unread blocks.

    A drawer or block that is never closed is none, as in Org.
    """
    lines = body.split("\n")
    closers = _closers(lines)
    at = 0
    while at < len(lines):
        line = lines[at]
        end = closers.get(at)
        if end is not None:
            at = end + 1
            continue
        at += 1
        if _LOGGED.match(line) is None and _ASIDE.match(line) is None:
            yield line


def _closers(lines: list[str]) -> dict[int, int]:
    """Map the line that opens an unread block or a drawer to the line that closes it."""
    pairs: dict[int, int] = {}
    blocks: dict[str, int] = {}
    drawer: int | None = None
    for at in range(len(lines) - 1, -1, -1):
        line = lines[at]
        if ":" not in line and "#+" not in line:
            continue
        if _DRAWER_CLOSE.match(line):
            drawer = at
        elif (close := _BLOCK_CLOSE.match(line)) is not None:
            blocks[(close[1] or "").lower()] = at
        elif (start := _BLOCK_OPEN.match(line)) is not None:
            name = (start[1] or "").lower()
            if name in _UNREAD and name in blocks:
                pairs[at] = blocks[name]
        elif drawer is not None and _DRAWER_OPEN.match(line):
            pairs[at] = drawer
    return pairs


def first_date(stamps: Iterable[Found]) -> str | None:
    """Return the day of the first stamp that exists; a range gives its start."""
    return next((found.stamp.date for found in stamps if found.stamp is not None), None)


def created_date(value: str) -> str | None:
    """Return the date a CREATED property holds: a stamp, a plain date or eight digits."""
    stamped = first_date(find_stamps(value))
    if stamped is not None:
        return stamped
    text = value.strip().strip("[]<>")
    match = _CREATED.match(text) or _COMPACT.match(text)
    return None if match is None else _bound(match[1], match[2], match[3])


def tree_date(title: str) -> str | None:
    """Return the date of a date-tree title: `2024`, `2024-03 March`, `2024-03-05 Tuesday`."""
    match = _TREE.match(title.strip())
    if match is None or (match[2] is None and len(match[0]) > 4):
        return None
    return _bound(match[1], match[2], match[3])


def name_date(path: str) -> str | None:
    """Return the date in a file's name: `2024-03-05`, `20240305`, a denote or org-roam id."""
    stem = path.rsplit("/", 1)[-1].split(".org", 1)[0]
    for pattern in (_DASHED, _COMPACT):
        for match in pattern.finditer(stem):
            found = _bound(match[1], match[2], match[3])
            if found is not None:
                return found
    return None


def _bound(year: str, month: str | None, day: str | None) -> str | None:
    """Return the canonical bound of the parts, or None if no calendar has it."""
    if not is_date(int(year), int(month or 1), int(day or 1)):
        return None
    return "-".join(part for part in (year, month, day) if part)
