"""The headings of an ontology file as entries: thin, over the one scanner of Org bytes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from memex.headline import plain_title
from memex.lines import count_lines, excerpt, line_number
from memex.scan import RawNode, Scan, find_unseen_drawers, property_spans, read_outline, scan
from ontology.entries import Entry, Problem
from ontology.fields import ACCEPTED, SETTLED

KEYWORDS = frozenset({ACCEPTED, *SETTLED})
"""Always keywords here: without its #+TODO line a proposal would else read as a declaration."""


def read(data: bytes, file: str) -> tuple[tuple[Entry, ...], tuple[Problem, ...]]:
    """Return the headings of `data` in file order, and what could not be read. Never raises."""
    outline = read_outline(data)
    todo = frozenset(outline.settings.active + outline.settings.done) | KEYWORDS
    scanned = scan(data, outline=outline, todo=todo)
    problems = [*_undecoded(data, file), *_unseen(scanned, file)]
    entries = []
    for node in _counted(scanned.nodes):
        entry = Entry(
            title=plain_title(node.title),
            keyword=node.todo,
            properties=tuple(_properties(data, node)),
            line=node.line,
            level=node.stars,
        )
        if _decodes(entry):
            entries.append(entry)
    return tuple(entries), tuple(problems)


def _counted(nodes: list[RawNode]) -> Iterator[RawNode]:
    """Leave out the file itself and commented subtrees."""
    quiet = 0
    for node in nodes[1:]:
        if node.start >= quiet and node.commented:
            quiet = node.end
        if node.start >= quiet:
            yield node


def _properties(data: bytes, node: RawNode) -> Iterator[tuple[str, str, int]]:
    line, counted = node.line, node.start
    for (name, value), (start, _) in zip(
        node.properties, property_spans(data, node), strict=False
    ):
        line += count_lines(data, counted, start, True)
        counted = start
        yield name, value, line


def _decodes(entry: Entry) -> bool:
    texts = [entry.title, *(part for name, value, _ in entry.properties for part in (name, value))]
    return all(not "\ud800" <= char <= "\udfff" for text in texts for char in text)


def _undecoded(data: bytes, file: str) -> Iterator[Problem]:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        yield Problem(
            file=file, line=line_number(data, error.start), excerpt=excerpt(data, error.start),
            key="not-utf8", message="the file holds bytes that are no UTF-8",
            remedy="Save it as UTF-8; headings whose title or properties hold such bytes are left "
                   "out.",
        )


def _unseen(scanned: Scan, file: str) -> Iterator[Problem]:
    starts = [node.start for node in scanned.nodes]
    commented = {node.start for node in scanned.nodes[1:]} - {
        node.start for node in _counted(scanned.nodes)
    }
    for start in find_unseen_drawers(scanned):
        if starts[max(bisect_right(starts, start) - 1, 0)] in commented:
            continue
        yield Problem(
            file=file, line=line_number(scanned.data, start),
            excerpt=excerpt(scanned.data, start), key="unseen-drawer",
            message="Org does not see this drawer, so its properties do not count",
            remedy="Put it directly below the heading (or its planning line), one :KEY: value a "
                   "line, and close it with :END:.",
        )
