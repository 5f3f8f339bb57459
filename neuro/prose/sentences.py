"""The sentences of a heading: its running text, cut where sentences end.

    ProseHeading.text ──read_body──► paragraphs and items ──► Sentence, exact slices of the text

What blocks.py does not read is not read here, nor are the heading line, planning, drawers of
properties and logs, table rows and mail quotes. An item of a list is a paragraph of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memex.scan import RawNode, Scan, scan
from neuro.blocks import read_body
from symbolic.records import ProseHeading

_BULLET = re.compile(
    r"(?:[-+*]|\d++[.)]|[a-z]\.|[A-Za-z]\))[ \t]++(?:\[@(?:start:)?\w+\][ \t]*+)?"
    r"(?:\[[ Xx-]\][ \t]++)?"
)
_TERM = re.compile(r"[^\n]*?[ \t]::[ \t]++")
_END = re.compile(
    r"[.!?]++[\"'”’)\]}»*/_=~]*+(?=\s|\Z)|[。！？．]++[」』）”\"]*+"
)
_BLANK_LINE = re.compile(r"\n[ \t]*+\n")
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘]*\Z")
_ABBREVIATIONS = frozenset(re.findall(r"\S+", """
    mr mrs ms mx dr prof st sr jr messrs rev hon gen col capt lt sgt gov sen rep vs cf viz e.g i.e
    eg ie eds ca approx est dept univ inc ltd co corp bros resp incl excl mt ft bzw z.b d.h usw
"""))
_BEFORE_NUMBERS = frozenset(re.findall(r"\S+", """
    no nos nr vol vols p pp fig figs eq ch sec art op ca approx jan feb mar apr jun jul aug sep sept
    oct nov dec
"""))
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]\Z")
_QUOTES = re.compile(r'["“”„«»「」『』]')
_OPENING, _CLOSING = frozenset("“„«「『"), frozenset("”»」』")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it stands in [start, end) of the heading's text, without outer blanks.

    `inside` is the mark of a quotation that is open where it starts; `ended`: a mark ends it.
    """

    start: int
    end: int
    text: str
    inside: str | None
    ended: bool


def sentences(heading: ProseHeading) -> tuple[Sentence, ...]:
    """Return the sentences of a heading in order; none if it is commented out. Never raises.

    COMMENT that a heading inherits is not in its text: the caller knows of it.
    """
    text = heading.text
    # Surrogates stand for bytes that are no text: they pass through.
    data = text.encode("utf-8", "surrogatepass")
    scanned = scan(data)
    if any(node.commented for node in scanned.nodes):
        return ()
    found: list[Sentence] = []
    at = read = 0
    for start, end in _paragraphs(scanned):
        at += len(data[read:start].decode("utf-8", "surrogatepass"))
        paragraph = data[start:end].decode("utf-8", "surrogatepass")
        for first, last in _unbroken(paragraph):
            found.extend(_cut(paragraph[first:last], at + first))
        at, read = at + len(paragraph), end
    return tuple(found)


def _paragraphs(scanned: Scan) -> Iterator[tuple[int, int]]:
    """Yield the byte spans of what is running text, in order."""
    blocks = scanned.outline.marks.blocks
    for node in scanned.nodes:
        for start, end in _bodies(node):
            yield from read_body(scanned.data, start, end, blocks).paragraphs


def _bodies(node: RawNode) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a node's text that are neither planning nor a drawer Org sees."""
    at = node.plan
    for start, end in ((node.drawer_start, node.drawer_end), (node.log_start, node.log_end)):
        if start < end:
            yield at, start
            at = end
    yield at, node.own


def _unbroken(paragraph: str) -> Iterator[tuple[int, int]]:
    """Yield the stretches between blank lines."""
    at = 0
    for match in _BLANK_LINE.finditer(paragraph):
        yield at, match.start()
        at = match.end()
    yield at, len(paragraph)


def _cut(paragraph: str, base: int) -> Iterator[Sentence]:
    """Yield the sentences of one paragraph that begins at `base`."""
    at = _skip_bullet(paragraph)
    if paragraph.startswith(("|", ">"), at):
        return
    inside: str | None = None
    for end, ended in _ends(paragraph, at):
        text = paragraph[at:end]
        start = at + len(text) - len(text.lstrip())
        stop = at + len(text.rstrip())
        if start < stop:
            yield Sentence(
                base + start, base + stop, paragraph[start:stop], inside, ended
            )
        inside = quoting(text, inside)
        at = end


def _skip_bullet(paragraph: str) -> int:
    bullet = _BULLET.match(paragraph)
    if bullet is None:
        return 0
    term = _TERM.match(paragraph, bullet.end())
    return bullet.end() if term is None else term.end()


def _ends(paragraph: str, start: int) -> Iterator[tuple[int, bool]]:
    """Yield where each sentence ends, and whether by a mark; the last one ends with the text."""
    last = start
    for match in _END.finditer(paragraph, start):
        if match[0][0] in ".!?" and not _is_end(paragraph, match, last):
            continue
        last = match.end()
        yield last, True
    if last < len(paragraph):
        yield len(paragraph), False


def _is_end(paragraph: str, match: re.Match[str], last: int) -> bool:
    """Return whether a full stop ends a sentence: not after `Dr`, an initial, before lower case."""
    after = _next_letter(paragraph, match.end())
    if after.islower():
        return False
    if match[0][0] != ".":
        return True
    # No abbreviation is long: looking back further would cost the square of a long word.
    found = _LAST_WORD.search(paragraph, max(last, match.start() - 16), match.start())
    word = found[0] if found else ""
    if not after:
        return True
    if after.isdigit() and word.casefold() in _BEFORE_NUMBERS:
        return False
    return word.casefold() not in _ABBREVIATIONS and not _INITIALS.match(word)


def _next_letter(paragraph: str, at: int) -> str:
    """Return the next character that is no blank, bracket or mark; blanks are few in prose."""
    rest = paragraph[at : at + 80].lstrip(" \t\n\"'“‘([{*/_=~")
    return rest[:1]


def quoting(text: str, inside: str | None) -> str | None:
    """Return which mark holds a quotation open after `text`; `inside` is the one before it."""
    for match in _QUOTES.finditer(text):
        inside = turned(match[0], inside)
    return inside


def turned(mark: str, inside: str | None) -> str | None:
    """Return the state of a quotation after `mark`. A straight mark opens or closes in turn."""
    if inside is not None:
        closes = mark in _CLOSING or (mark == '"' and inside == '"') or (
            mark == "“" and inside == "„"
        )
        return None if closes else inside
    return mark if mark in _OPENING or mark == '"' else None


def quotations(text: str, inside: str | None) -> tuple[tuple[int, int], ...]:
    """Return the [start, end) spans of `text` that stand in a quotation, its marks included."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _QUOTES.finditer(text):
        after = turned(match[0], inside)
        if inside is None and after is not None:
            start = match.start()
        elif inside is not None and after is None:
            spans.append((start, match.end()))
        inside = after
    if inside is not None:
        spans.append((start, len(text)))
    return tuple(spans)
