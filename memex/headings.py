"""Headings of a file as records: keys, inherited tags and properties, planning, own text.

    bytes ──scan──► RawNode ──read_document──► Node ──prose──► ProseHeading (what the fold reads)

A Document holds the bytes and the nodes; a Node knows its offsets in them. What a node inherits is
handed down from its parent while the nodes are made, so the whole is linear in the file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memex.evidence import STAMP_BYTES, created_date, name_date, own_stamps, tree_date
from memex.headline import plain_title
from memex.keys import IdClaim, Identities, encode, file_key, id_key, resolve_ids
from memex.lines import LineCounter, bom_length, excerpt, line_number
from memex.nodes import (
    NO_PLANNING,
    Document,
    Node,
    Planning,
    PlanningEntry,
    Property,
    file_property,
)
from memex.problems import Problem, Skipped
from memex.scan import RawNode, Scan, find_unseen_drawers, property_spans, read_outline, scan
from memex.settings import FileSettings
from memex.setupfiles import SetupReader, no_setup, with_setup
from memex.timestamps import read_planning
from symbolic.names import digest, nfc


def read_document(
    path: str, data: bytes, *, setup: SetupReader = no_setup
) -> Document | Skipped:
    """Read the file `path` (relative to the memex, NFC, forward slashes) from its bytes.

    Returns Skipped if the bytes are no UTF-8. Keys are given as if no other file held the same
    ID; `rekey` settles that over all files.
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        where = f"line {line_number(data, error.start)}, byte {error.start}"
        return Skipped(path, f"not UTF-8 at {where}: save the file as UTF-8")
    outline = read_outline(data)
    settings, depends, problems = with_setup(path, data, outline.settings, setup)
    words = frozenset(settings.active + settings.done)
    scanned = scan(data, outline=outline, todo=words)
    reader = _Reader(path, data, scanned, settings)
    nodes, identities = _settle(reader.nodes(), None)
    found = [*problems, *reader.problems, *identities.problems, *_unseen(path, scanned)]
    return Document(
        path=path,
        data=data,
        settings=settings,
        scanned=scanned,
        nodes=nodes,
        problems=tuple(sorted(found, key=lambda problem: problem.line)),
        depends=depends,
    )


class _Reader:
    """Makes the nodes of one file; `problems` fills on the way."""

    def __init__(self, path: str, data: bytes, scanned: Scan, settings: FileSettings) -> None:
        self.path, self.data, self.scanned, self.settings = path, data, scanned, settings
        self.problems: list[Problem] = []
        self._lines = LineCounter(data)
        self._crlf = b"\r" in data
        self._done = frozenset(settings.done)
        self._archive = path.lower().endswith(".org_archive")
        self._name_date = name_date(path)
        self._file_key = file_key(path)
        self._twins: Counter[str] = Counter()

    def nodes(self) -> list[Node]:
        made: list[Node] = []
        tree_dates: list[str | None] = []
        encoded: list[str] = []
        for index, raw in enumerate(self.scanned.nodes):
            parent = made[raw.parent] if index else None
            title = plain_title(nfc(raw.title)) if index else self._title()
            dated = tree_date(title)
            if parent is not None:
                dated = dated or tree_dates[raw.parent]
            elif dated is not None and len(dated) == 4:
                # A file called 1984 is a book more often than a year.
                dated = None
            tree_dates.append(dated)
            step = encode(title)
            encoded.append(f"{encoded[raw.parent]}/{step}" if raw.parent > 0 else step)
            made.append(self._node(index, raw, parent, title, encoded[index], tree_dates[index]))
        return made

    def _title(self) -> str:
        stem = self.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
        return nfc(self.settings.own_title or stem)

    def _node(
        self, index: int, raw: RawNode, parent: Node | None, title: str, encoded: str,
        tree: str | None,
    ) -> Node:
        properties = self._properties(raw)
        ident = _own(properties, "ID") or None
        outline: tuple[str, ...] = ()
        if parent is None:
            nth, path_key = 0, self._file_key
            own_tags = tags = tuple(map(nfc, self.settings.filetags))
            agent = _yes(" ".join(file_property(self.settings, "AGENT")))
            archived, commented, level = self._archive, False, 0
        else:
            self._twins[encoded] += 1
            nth = self._twins[encoded]
            path_key = f"{self._file_key}{encoded}#{nth}"
            outline = (*parent.outline, title)
            own_tags = tuple(map(nfc, raw.tags)) if raw.tags else ()
            tags = _joined(parent.tags, own_tags) if own_tags else parent.tags
            agent, archived, commented = parent.agent, parent.archived, parent.commented
            level = (raw.stars + 1) // 2 if self.settings.odd else raw.stars
        own_agent = _own(properties, "AGENT")
        planning = self._planning(raw) if raw.plan > raw.head else NO_PLANNING
        text, body_text = self._texts(raw)
        return Node(
            path=self.path,
            index=index,
            parent=parent,
            key=id_key(ident) if ident else path_key,
            path_key=path_key,
            ident=ident,
            outline=outline,
            nth=nth,
            level=level,
            title=title,
            own_tags=own_tags,
            tags=tags,
            properties=properties,
            planning=planning,
            done=raw.todo in self._done,
            archived=archived or "ARCHIVE" in own_tags,
            agent=agent if own_agent is None else _yes(own_agent),
            commented=commented or raw.commented,
            text=text,
            text_hash=digest(text),
            body_hash=digest(body_text),
            evidence_date=self._evidence(raw, properties, tree),
            raw=raw,
            data=self.data,
            settings=self.settings,
        )

    def _properties(self, raw: RawNode) -> tuple[Property, ...]:
        if not raw.properties:
            return ()
        return tuple(
            Property(nfc(name), nfc(value), start, end)
            for (name, value), (start, end) in zip(
                raw.properties, property_spans(self.data, raw), strict=True
            )
        )

    def _texts(self, raw: RawNode) -> tuple[str, str]:
        """Return the own text, and the same without the heading line: NFC, line ends LF."""
        start = raw.start or bom_length(self.data)
        heading = self._plain(start, raw.head) if raw.stars else ""
        rest = self._plain(raw.head, raw.own)
        return nfc(heading + rest), nfc(rest)

    def _plain(self, start: int, end: int) -> str:
        text = self.data[start:end].decode("utf-8")
        if self._crlf:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return text

    def _planning(self, raw: RawNode) -> Planning:
        line = self.data[raw.head : raw.plan].decode("utf-8")
        found: dict[str, PlanningEntry] = {}
        for entry in read_planning(line):
            start = raw.head + len(line[: entry.start].encode())
            end = start + len(entry.raw.encode())
            found[entry.keyword.lower()] = PlanningEntry(entry.raw, entry.stamp, start, end)
            if entry.bad:
                self._impossible(raw, start, entry.raw, entry.keyword)
        return Planning(**found)

    def _evidence(
        self, raw: RawNode, properties: Sequence[Property], tree: str | None
    ) -> str | None:
        start = raw.body if raw.stars else raw.plan
        body = ""
        if STAMP_BYTES.search(self.data, start, raw.own) is not None:
            body = self._plain(start, raw.own)
        title = raw.title if raw.stars else f"{raw.title} {self.settings.date or ''}"
        dated: str | None = None
        near = raw.start
        for found in own_stamps(title, body):
            if found.stamp is None:
                near = self._impossible(raw, near, found.raw, "")
            elif dated is None:
                dated = found.stamp.date
        created = next((row for row in properties if row.name.upper() == "CREATED"), None)
        if dated is None and created is not None and _dated(created.value):
            dated = created_date(created.value)
            if dated is None:
                self._impossible(raw, created.start, created.value, "CREATED")
        return dated or tree or self._name_date

    def _impossible(self, node: RawNode, near: int, raw: str, keyword: str) -> int:
        """Report `raw`, found at or after `near` in the own text; return where to look next."""
        place = max(self.data.find(raw.encode(), near, node.own), near)
        what = f"{keyword} {raw}" if keyword else raw
        self.problems.append(
            Problem(
                key="impossible-date",
                path=self.path,
                line=self._lines.at(place),
                excerpt=excerpt(self.data, place),
                message=f"{what} is no date that exists, so nothing was read from it",
                remedy="correct the date; the rest of the heading is read",
            )
        )
        return place + 1


def _own(properties: Sequence[Property], name: str) -> str | None:
    """Return the first plain value of `name`; an empty value is a value."""
    return next((row.value for row in properties if row.name.upper() == name), None)


def _dated(value: str) -> bool:
    """Return whether a CREATED value means a day: a diary expression means many."""
    return bool(value) and not value.startswith("<%%(")


def _yes(value: str) -> bool:
    return value.strip() == "t"


def _joined(inherited: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*inherited, *own)))


def _unseen(path: str, scanned: Scan) -> Iterator[Problem]:
    lines = LineCounter(scanned.data)
    for place in find_unseen_drawers(scanned):
        yield Problem(
            key="unseen-drawer",
            path=path,
            line=lines.at(place),
            excerpt=excerpt(scanned.data, place),
            message="Org does not see this drawer, so its properties do not count",
            remedy="put it right below the heading and its planning line, one `:KEY: value` a"
            " line, closed by `:END:`",
        )


def claims(nodes: Sequence[Node]) -> list[IdClaim]:
    """Return the IDs that `nodes` carry."""
    return [
        IdClaim(node.ident, node.path, node.offset, node.line)
        for node in nodes
        if node.ident is not None
    ]


def rekey(nodes: Sequence[Node], identities: Identities) -> tuple[Node, ...]:
    """Return `nodes` keyed by who owns each ID over all files."""
    return _settle(nodes, identities)[0]


def _settle(
    nodes: Sequence[Node], identities: Identities | None
) -> tuple[tuple[Node, ...], Identities]:
    settled = identities or resolve_ids(claims(nodes))
    keyed: list[Node] = []
    for node in nodes:
        key = node.path_key
        if node.ident is not None and settled.keeps(node.ident, node.path, node.offset):
            key = id_key(node.ident)
        keyed.append(node if key == node.key else replace(node, key=key))
    return tuple(keyed), settled
