"""The scanner: bytes in, flat nodes out, in one linear pass and without a copy of the text.

    file = heading 0, heading 1 .. n                    (nodes, in file order)
    node = heading line | planning | property drawer | body       its own text, [start, own)
                                     body = text | LOGBOOK | text
    subtree of a node = [start, end)                    parents by a stack of stars

Every byte belongs to exactly one span; `spans` gives them and joining them gives the file back.
The inner loop works on plain tuples and `find`: a MULTILINE pattern over the whole file costs more
than all the rest. Any bytes are accepted; text that is no UTF-8 is carried as surrogate escapes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from memex.headline import parse_headline
from memex.keywords import Marks
from memex.lines import EOL, bom_length, count_lines, line_end, line_start, next_line
from memex.settings import FileSettings, read_settings

_NOT_LF, _NOT_EOL = rb"[^\n]", rb"[^\r\n]"


def _drawer(eol: bytes, text: bytes) -> bytes:
    """Return the pattern of a property drawer as Org sees it; its group is what the markers hold.

    `eol` ends a line and `text` is a byte that does not. Possessive repeats: a drawer that does
    not end costs one pass over its lines.
    """
    stop = rb"(?!" + text + rb")"
    row = rb"[ \t]*+:(?!END:[ \t]*" + stop + rb")\S+:(?:[ \t]" + text + rb"*+)?" + stop
    close = rb"[ \t]*+:END:[ \t]*" + stop
    return rb"[ \t]*+:PROPERTIES:[ \t]*((?:" + eol + row + rb")*+)" + eol + close


def _heading(eol: bytes, text: bytes) -> bytes:
    """Return the pattern of a heading: 1 stars, 2 the rest of the line, 3 planning, 4 drawer.

    Every part after the first opens with the line ending before it, so that the one before the
    next heading is left to that heading.
    """
    planning = eol + rb"[ \t]*+(?:CLOSED|DEADLINE|SCHEDULED):" + text + rb"*+"
    drawer = eol + _drawer(eol, text)
    return rb"(\*+) (" + text + rb"*+)(?i:(" + planning + rb")?(?:" + drawer + rb")?)"


_DRAWER = re.compile(_drawer(EOL, _NOT_EOL), re.IGNORECASE)
_FIRST = re.compile(_heading(EOL, _NOT_EOL))
_HEADING = re.compile(rb"[\r\n]" + _heading(EOL, _NOT_EOL))
# The literal `\n*` in front makes this the quickest search there is for headings.
_HEADING_LF = re.compile(rb"\n" + _heading(rb"\n", _NOT_LF))
_PROPERTY = re.compile(r":([^ \t\n\f\v]+):[ \t]*(.*)")
_LINE = re.compile(rb"[^\r\n]*" + EOL)
_LOGBOOK = re.compile(rb":LOGBOOK:[ \t]*" + EOL, re.IGNORECASE)
_END = re.compile(rb":END:[ \t]*(?:" + EOL + rb"|\Z)", re.IGNORECASE)
_COMMENT = re.compile(rb"#(?: [^\r\n]*)?(?:" + EOL + rb"|\Z)")


class SpanKind(StrEnum):
    """What a span of a file is."""

    BOM = "bom"
    HEADING = "heading"
    PLANNING = "planning"
    PROPERTIES = "properties"
    LOGBOOK = "logbook"
    BODY = "body"


class Span(NamedTuple):
    """A named stretch of a file: data[start:end] belongs to node number `node`."""

    kind: SpanKind
    start: int
    end: int
    node: int


class RawNode(NamedTuple):
    """One heading as offsets into the file, and what its heading line says.

    heading line [start, head), planning line [head, plan), property drawer
    [drawer_start, drawer_end), body [body, own), LOGBOOK [log_start, log_end), own text
    [start, own), subtree [start, end). An absent part is an empty span. `body` is where the text
    after heading, planning and drawers begins; a LOGBOOK further down lies inside [body, own).
    `stars` is the written level, 0 for the file; `parent` is a node number, -1 for the file.
    """

    start: int
    head: int
    plan: int
    drawer_start: int
    drawer_end: int
    log_start: int
    log_end: int
    body: int
    own: int
    end: int
    stars: int
    parent: int
    line: int
    todo: str | None
    priority: str | None
    commented: bool
    title: str
    tags: tuple[str, ...]
    properties: tuple[tuple[str, str], ...]


class Outline(NamedTuple):
    """The headings and marks of a file before heading lines are read: no TODO set is needed."""

    starts: list[int]
    heads: list[re.Match[bytes]]
    marks: Marks
    settings: FileSettings


class Scan(NamedTuple):
    """A scanned file: node 0 is the file, the others its headings in order."""

    data: bytes
    nodes: list[RawNode]
    outline: Outline


def read_outline(data: bytes) -> Outline:
    """Return where the headings of `data` stand, its `#+` lines and settings."""
    heads = _find_headings(data)
    starts = [head.start(1) for head in heads]
    marks = Marks(data, starts)
    return Outline(starts, heads, marks, read_settings(marks.keywords))


def scan(
    data: bytes, *, outline: Outline | None = None, todo: Container[str] | None = None
) -> Scan:
    """Return the nodes of `data`. Never raises on any bytes.

    `todo` replaces the file's own TODO set, as a setup file may add to it.
    """
    outline = outline or read_outline(data)
    if todo is None:
        todo = frozenset(outline.settings.active + outline.settings.done)
    logbooks = _find_logbooks(data, outline)
    nodes = [_file_node(data, outline, logbooks.get(-1))]
    _read_headings(data, outline, logbooks, todo, nodes)
    return Scan(data, nodes, outline)


def _find_headings(data: bytes) -> list[re.Match[bytes]]:
    floor = bom_length(data)
    first = _FIRST.match(data, floor)
    pattern = _HEADING if b"\r" in data else _HEADING_LF
    if first is None:
        return list(pattern.finditer(data, floor))
    return [first, *pattern.finditer(data, first.end())]


def _tree(starts: Sequence[int], stars: Sequence[int], size: int) -> tuple[list[int], list[int]]:
    """Return each heading's parent as a node number, and the end of its subtree."""
    parents: list[int] = []
    ends = [size] * len(starts)
    stack: list[int] = []
    for at, depth in enumerate(stars):
        while stack and stars[stack[-1]] >= depth:
            ends[stack.pop()] = starts[at]
        parents.append(stack[-1] + 1 if stack else 0)
        stack.append(at)
    return parents, ends


def _read_headings(
    data: bytes,
    outline: Outline,
    logbooks: dict[int, tuple[int, int]],
    todo: Container[str],
    nodes: list[RawNode],
) -> None:
    size, cr, starts = len(data), b"\r" in data, outline.starts
    stars = [head.end(1) - start for head, start in zip(outline.heads, starts, strict=True)]
    parents, ends = _tree(starts, stars, size)
    count, new, add, headline = data.count, tuple.__new__, nodes.append, parse_headline
    line, counted, at = 1, 0, -1
    for found, start, own, depth, parent, end in zip(
        outline.heads, starts, [*starts, size][1:], stars, parents, ends, strict=True
    ):
        at += 1
        line += count_lines(data, counted, start, True) if cr else count(b"\n", counted, start)
        counted = start
        _, text, planning, drawer = found.groups()
        keyword, priority, commented, title, tags = headline(
            text.decode("utf-8", "surrogateescape"), todo
        )
        properties: tuple[tuple[str, str], ...] = ()
        if cr or found.end() == size:
            head, plan, drawer_end = _parts(data, found)
        else:
            head = plan = found.end(2) + 1
            if planning is not None:
                plan = found.end(3) + 1
            drawer_end = found.end() + 1
        if drawer:
            properties = _properties(drawer)
        body = log_start = log_end = drawer_end
        if at in logbooks:
            log_start, log_end = logbooks[at]
            if log_start == body:
                body = log_end
        fields = (
            start, head, plan, plan, drawer_end, log_start, log_end, body, own, end,
            depth, parent, line, keyword, priority, commented, title, tags, properties,
        )
        # The generated constructor of a NamedTuple costs three times as much as the tuple.
        add(new(RawNode, fields))


def _parts(data: bytes, found: re.Match[bytes]) -> tuple[int, int, int]:
    """Return the ends of heading line, planning line and drawer, line endings included."""
    head = plan = next_line(data, found.end(2))
    if found[3] is not None:
        plan = next_line(data, found.end(3))
    return head, plan, next_line(data, found.end()) if found[4] is not None else plan


def _properties(block: bytes) -> tuple[tuple[str, str], ...]:
    """Return the (name, value) pairs of the lines between the markers of a drawer."""
    text = block.decode("utf-8", "surrogateescape")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    rows = _PROPERTY.findall(text)
    if " \n" in text or "\t\n" in text or text[-1] in " \t":
        rows = [(name, value.rstrip(" \t")) for name, value in rows]
    return tuple(rows)


def property_spans(data: bytes, node: RawNode) -> tuple[tuple[int, int], ...]:
    """Return the span of each property's line, in the order of `node.properties`."""
    drawer = _DRAWER.match(data, node.drawer_start, node.drawer_end)
    if drawer is None or not drawer[1]:
        return ()
    start, end = next_line(data, drawer.start(1)), next_line(data, drawer.end(1))
    return tuple(match.span() for match in _LINE.finditer(data, start, end))


def _file_node(data: bytes, outline: Outline, logbook: tuple[int, int] | None) -> RawNode:
    """Return node 0. Its drawer may stand below comment lines and nothing else, as in Org."""
    floor = bom_length(data)
    size = len(data)
    own = outline.starts[0] if outline.starts else size
    at = floor
    while (comment := _COMMENT.match(data, at, own)) is not None and comment.end() > at:
        at = comment.end()
    drawer = _DRAWER.match(data, at, own)
    properties: tuple[tuple[str, str], ...] = ()
    drawer_start = drawer_end = body = floor
    if drawer is not None:
        drawer_start, drawer_end = drawer.start(), next_line(data, drawer.end())
        body = drawer_end if drawer_start == floor else floor
        if drawer[1]:
            properties = _properties(drawer[1])
    log_start, log_end = logbook or (own, own)
    if logbook is not None and log_start == body:
        body = log_end
    return RawNode(
        0, floor, floor, drawer_start, drawer_end, log_start, log_end, body, own, size,
        0, -1, 1, None, None, False, outline.settings.own_title or "",
        outline.settings.filetags, properties,
    )


def _find_logbooks(data: bytes, outline: Outline) -> dict[int, tuple[int, int]]:
    """Return the first closed LOGBOOK of each heading by its index; -1 is the file itself."""
    upper = data.upper()
    pos = upper.find(b":LOGBOOK:")
    found: dict[int, tuple[int, int]] = {}
    if pos < 0:
        return found
    starts, floor, size = outline.starts, bom_length(data), len(data)
    while pos >= 0:
        at = bisect_right(starts, pos) - 1
        own = starts[at + 1] if at + 1 < len(starts) else size
        opening = _LOGBOOK.match(data, pos, own)
        start = line_start(data, pos, floor)
        step = pos + 1
        if opening is not None and start >= 0 and not outline.marks.opaque(start):
            end = _drawer_end(data, upper, opening.end(), own, floor)
            # Closed or not, nothing further down this heading can be its first LOGBOOK.
            step = own
            if end is not None:
                found[at] = (start, end)
        pos = upper.find(b":LOGBOOK:", step)
    return found


def _drawer_end(data: bytes, upper: bytes, start: int, stop: int, floor: int) -> int | None:
    pos = upper.find(b":END:", start, stop)
    while pos >= 0:
        closing = _END.match(data, pos, stop)
        if closing is not None and line_start(data, pos, floor) >= 0:
            return closing.end()
        pos = upper.find(b":END:", pos + 1, stop)
    return None


def find_unseen_drawers(scanned: Scan) -> tuple[int, ...]:
    """Return the starts of lines `:PROPERTIES:` that open no drawer Org sees.

    Such a drawer holds no properties: it is unterminated, has a line that is no property, or
    stands after a blank line or after the body.
    """
    data, nodes, outline = scanned
    upper, floor = data.upper(), bom_length(data)
    found: list[int] = []
    pos = upper.find(b":PROPERTIES:")
    while pos >= 0:
        start = line_start(data, pos, floor)
        end, _ = line_end(data, pos, len(data), True)
        if start >= 0 and not data[pos + 12 : end].strip(b" \t"):
            node = nodes[bisect_right(outline.starts, pos)]
            seen = node.drawer_start <= start < node.drawer_end
            if not seen and not outline.marks.opaque(start):
                found.append(start)
        pos = upper.find(b":PROPERTIES:", pos + 12)
    return tuple(found)


def spans(data: bytes) -> tuple[Span, ...]:
    """Return a partition of `data` into named spans, in order and without empty ones.

    The law: joining data[start:end] of all spans gives `data` back, for any bytes.
    """
    floor = bom_length(data)
    parts = [Span(SpanKind.BOM, 0, floor, 0)] if floor else []
    for number, node in enumerate(scan(data, todo=()).nodes):
        parts.extend(span for span in _node_spans(node, number) if span.start < span.end)
    return tuple(parts)


def _node_spans(node: RawNode, number: int) -> Iterator[Span]:
    if node.stars:
        yield Span(SpanKind.HEADING, node.start, node.head, number)
        yield Span(SpanKind.PLANNING, node.head, node.plan, number)
    at = node.plan
    drawers = (
        (SpanKind.PROPERTIES, node.drawer_start, node.drawer_end),
        (SpanKind.LOGBOOK, node.log_start, node.log_end),
    )
    for kind, start, end in drawers:
        if start < end:
            yield Span(SpanKind.BODY, at, start, number)
            yield Span(kind, start, end, number)
            at = end
    yield Span(SpanKind.BODY, at, node.own, number)
