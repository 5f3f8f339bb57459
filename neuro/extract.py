"""The mechanical reader: what a file states in its properties, tags, links, dates and fact lines.

    Document ──extract──► Extraction: readings in file order, problems of the fact lines

No model and no judgement: sentences are somebody else's. The subject of a reading is its heading
(`@heading`), but in knowledge blocks and `:FACT:` lines, which name theirs. A reading's quote is
the very text it stands on, and [start, end) selects that text in the file's bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memex.keys import outline_key
from memex.keywords import Block
from memex.lines import bom_length
from memex.markup import plain, scan
from memex.nodes import Document, Node, PlanningEntry
from memex.problems import Problem
from neuro.blocks import KNOWLEDGE, TYPED, Description, read_body, stretches, unread
from neuro.knowledge import FactLine, FactReader
from neuro.links import Targets, resolve, title_form
from neuro.properties import base_name, states_fact
from symbolic.names import quote_form
from symbolic.records import HEADING_SUBJECT, NameKind, Provenance, Reading, ValueKind, Written

UNREAD_FOLDER = "system/"
"""The program's own folder: declarations and journals, no prose."""

_LINKISH = re.compile(rb"\[\[|:(?:" + TYPED + rb")")
_TAG = re.compile(rb"[^\s:]++")
_PROPERTY_HEAD = re.compile(rb"[ \t]*:\S+:[ \t]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What was read of a file, and the fact lines that could not be."""

    readings: tuple[Reading, ...] = ()
    problems: tuple[Problem, ...] = ()


def extract(
    document: Document, nodes: Sequence[Node] | None = None, *, zone: str = "UTC"
) -> Extraction:
    """Return the readings of `document`. Never raises on any text.

    `nodes` stand for the document's own where `rekey` has given them other keys. Headings that are
    commented out or written by the program are passed over, and so is the program's folder.
    """
    if document.path.startswith(UNREAD_FOLDER):
        return Extraction()
    nodes = document.nodes if nodes is None else nodes
    targets = _targets(document.path, nodes)
    facts = FactReader(document.path, document.data, zone)
    readings: list[Reading] = []
    problems: list[Problem] = []
    blocks = document.scanned.outline.marks.blocks
    passed_over = unread(blocks)
    taught = KNOWLEDGE.search(document.data) is not None
    for node in nodes:
        if node.commented or node.agent:
            continue
        reader = _Reader(document, node, targets, facts, blocks, passed_over, taught)
        reader.run()
        readings.extend(reader.readings)
        problems.extend(reader.problems)
    return Extraction(readings=tuple(readings), problems=tuple(problems))


def _targets(path: str, nodes: Sequence[Node]) -> Targets:
    titles: dict[str, str] = {}
    custom: dict[str, str] = {}
    for node in nodes:
        if node.index:
            titles.setdefault(title_form(node.title), node.key)
        for row in node.properties:
            if row.name.upper() == "CUSTOM_ID" and row.value:
                custom.setdefault(row.value, node.key)
    return Targets(
        path=path,
        titles=titles,
        custom=custom,
        heading_key=lambda place, title: outline_key(place, (title,), 1),
    )


class _Reader:
    """Reads one heading; `readings` and `problems` fill on the way."""

    def __init__(
        self, document: Document, node: Node, targets: Targets, facts: FactReader,
        blocks: Sequence[Block], passed_over: Sequence[Block], taught: bool,
    ) -> None:
        self.document, self.node, self.targets, self.facts = document, node, targets, facts
        self.blocks, self.passed_over, self.taught = blocks, passed_over, taught
        self.data = document.data
        self.readings: list[Reading] = []
        self.problems: list[Problem] = []
        self._seen: set[tuple[Written, str]] = set()

    def run(self) -> None:
        """Read every part of the heading's own text."""
        raw = self.node.raw
        if raw.stars:
            # Past the stars: they are no markup.
            self._links(raw.start + raw.stars + 1, raw.head)
        self._tags()
        self._planning()
        self._properties()
        self._body(raw.plan, raw.drawer_start)
        self._body(raw.drawer_end, raw.own)
        self.readings.sort(key=lambda reading: (reading.start, reading.end))

    def _add(self, relation: str, value: str, kind: str | None, start: int, end: int) -> None:
        written = Written(entity=HEADING_SUBJECT, relation=relation, value=value, kind=kind)
        self._keep(
            Reading(
                heading=self.node.key,
                written=written,
                quote=self._text(start, end),
                start=start,
                end=end,
                provenance=Provenance.EXTRACTED,
            )
        )

    def _keep(self, reading: Reading) -> None:
        """Keep the first of equal statements on equal quotes: the rest is the same grounding."""
        if (reading.written, reading.quote) not in self._seen:
            self._seen.add((reading.written, reading.quote))
            self.readings.append(reading)

    def _text(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "surrogateescape")

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        """Return [start, end) without outer blanks and line ends."""
        line = self.data[start:end]
        first = start + len(line) - len(line.lstrip(b" \t"))
        return first, max(first, start + len(line.rstrip(b" \t\r\n")))

    def _tags(self) -> None:
        for start, end in self._tag_spans():
            self._add("tagged", self._text(start, end), NameKind.NAME.value, start, end)

    def _tag_spans(self) -> Iterator[tuple[int, int]]:
        raw = self.node.raw
        if raw.stars:
            if raw.tags:
                start, end = self._trimmed(raw.start, raw.head)
                blank = max(self.data.rfind(gap, start, end) for gap in (b" ", b"\t"))
                yield from self._words(blank + 1, end)
            return
        for word in self.document.scanned.outline.marks.keywords:
            if word.name == "FILETAGS":
                yield from self._words(self.data.index(b":", word.start) + 1, word.end)

    def _words(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the spans of the words between blanks and colons."""
        for match in _TAG.finditer(self.data, start, end):
            yield match.span()

    def _planning(self) -> None:
        planning = self.node.planning
        for relation in ("closed", "deadline", "scheduled"):
            entry: PlanningEntry | None = getattr(planning, relation)
            if entry is None or entry.stamp is None:
                continue
            word = relation.upper().encode() + b":"
            start = self.data.rindex(word, self.node.raw.head, entry.start)
            self._add(relation, entry.stamp.date, ValueKind.DATE.value, start, entry.end)

    def _properties(self) -> None:
        facts: list[FactLine] = []
        for row in self.node.properties:
            if not row.value.strip():
                continue
            start, end = self._trimmed(row.start, row.end)
            if base_name(row.name) == "FACT":
                head = _PROPERTY_HEAD.match(self.data, start, end)
                facts.append(FactLine(row.start, start if head is None else head.end(), end))
            elif states_fact(row.name):
                self._add(base_name(row.name).lower(), row.value.strip(), None, start, end)
        self._knowledge(facts)

    def _knowledge(self, facts: Sequence[FactLine]) -> None:
        if not facts:
            return
        readings, problems = self.facts.read(facts, self.node.key)
        for reading in readings:
            self._keep(reading)
        self.problems += problems

    def _body(self, start: int, stop: int) -> None:
        """Read what of a body can hold something: most of most bodies holds nothing."""
        start = max(start, bom_length(self.data))
        if self.taught and KNOWLEDGE.search(self.data, start, stop) is not None:
            self._stretch(start, stop)
            return
        for first, end in stretches(self.data, start, stop, self.passed_over):
            self._stretch(first, end)

    def _stretch(self, start: int, stop: int) -> None:
        body = read_body(self.data, start, stop, self.blocks)
        for span in body.paragraphs:
            self._links(*span)
        for item in body.descriptions:
            self._description(item)
        self._knowledge(body.knowledge)

    def _description(self, item: Description) -> None:
        term = quote_form(plain(self._text(item.term, item.term_end)))
        text = quote_form(self._text(item.text, item.text_end))
        if term and text:
            self._add(term, text, None, item.start, item.end)

    def _links(self, start: int, stop: int) -> None:
        if _LINKISH.search(self.data, start, stop) is None:
            return
        text = self._text(start, stop)
        at_char, at_byte = 0, start
        for link in scan(text).links:
            first = at_byte + len(text[at_char : link.start].encode("utf-8", "surrogateescape"))
            written = text[link.start : link.end].encode("utf-8", "surrogateescape")
            at_char, at_byte = link.end, first + len(written)
            named = resolve(link.target, self.targets)
            if named is not None:
                self._add("links-to", named[0], named[1].value, first, at_byte)
