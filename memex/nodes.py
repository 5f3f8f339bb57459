"""The records of a file that was read: Document and Node, richer than what the fold sees."""

from __future__ import annotations

from dataclasses import dataclass, field

from memex.problems import Problem
from memex.scan import RawNode, Scan
from memex.settings import FileSettings
from memex.timestamps import Stamp
from symbolic.records import ProseHeading


@dataclass(frozen=True, slots=True)
class Property:
    """A line of a property drawer; [start, end) is the whole line in file bytes."""

    name: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PlanningEntry:
    """A planning entry; [start, end) is the value in file bytes.

    `stamp` is None for a diary expression and for a date that does not exist.
    """

    raw: str
    stamp: Stamp | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Planning:
    """The planning line of a heading. Of a repeated keyword the last entry counts, as in Org."""

    scheduled: PlanningEntry | None = None
    deadline: PlanningEntry | None = None
    closed: PlanningEntry | None = None


NO_PLANNING = Planning()


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A heading, or the file itself (index 0). Offsets in `raw` are file bytes.

    `title` is without keyword, priority, tags and statistics cookies; `raw.title` keeps the
    cookies. `level` is the true level, `raw.stars` the written one. `tags` are the inherited tags
    and the own ones. `nth` is 0 for a file. Names of properties ignore case.
    """

    path: str
    index: int
    parent: Node | None = field(compare=False, repr=False)
    key: str
    path_key: str
    ident: str | None
    outline: tuple[str, ...]
    nth: int
    level: int
    title: str
    own_tags: tuple[str, ...]
    tags: tuple[str, ...]
    properties: tuple[Property, ...]
    planning: Planning
    done: bool
    archived: bool
    agent: bool
    commented: bool
    text: str = field(repr=False)
    text_hash: str
    body_hash: str
    evidence_date: str | None
    raw: RawNode = field(repr=False)
    data: bytes = field(compare=False, repr=False)
    settings: FileSettings = field(compare=False, repr=False)

    @property
    def todo(self) -> str | None:
        """The TODO keyword."""
        return self.raw.todo

    @property
    def priority(self) -> str | None:
        """The priority, such as A."""
        return self.raw.priority

    @property
    def line(self) -> int:
        """The 1-based line of the heading."""
        return self.raw.line

    @property
    def offset(self) -> int:
        """The byte at which the heading starts."""
        return self.raw.start

    @property
    def body(self) -> str:
        """The text after heading, planning and drawers as the file has it, not normalised.

        It starts at byte `raw.body`. A LOGBOOK that stands further down is part of it.
        """
        return self.data[self.raw.body : self.raw.own].decode("utf-8")

    def value(self, name: str) -> str | None:
        """Return the heading's own value of `name`: the first plain line and all its `+` lines."""
        plain, more = self._values(name)
        parts = more if plain is None else [plain, *more]
        return " ".join(parts) if parts else None

    def inherited(self, name: str) -> str | None:
        """Return the nearest value of `name`: own, an ancestor's, the file's drawer, `#+PROPERTY`.

        `NAME+` lines add to what stands above them.
        """
        added: list[str] = []
        node: Node | None = self
        while node is not None:
            plain, more = node._values(name)
            added[:0] = more
            if plain is not None:
                return " ".join([plain, *added])
            node = node.parent
        added[:0] = file_property(self.settings, name)
        return " ".join(added) if added else None

    def _values(self, name: str) -> tuple[str | None, list[str]]:
        wanted = name.upper()
        plain: str | None = None
        more: list[str] = []
        for row in self.properties:
            upper = row.name.upper()
            if upper == wanted:
                plain = row.value if plain is None else plain
            elif upper == wanted + "+":
                more.append(row.value)
        return plain, more


def file_property(settings: FileSettings, name: str) -> list[str]:
    """Return the value `#+PROPERTY` gives `name`: the last plain line and the `+` lines after."""
    wanted = name.upper()
    parts: list[str] = []
    for key, value in settings.properties:
        if key.upper() == wanted:
            parts = [value]
        elif key.upper() == wanted + "+":
            parts.append(value)
    return parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file that was read: its bytes, settings and nodes, and what is wrong with it.

    `depends` are the setup files its settings rest on, as (path, sha256 or None if it could not
    be read): a change of one is a change of this file's reading.
    """

    path: str
    data: bytes = field(repr=False)
    settings: FileSettings
    scanned: Scan = field(repr=False)
    nodes: tuple[Node, ...] = field(repr=False)
    problems: tuple[Problem, ...] = ()
    depends: tuple[tuple[str, str | None], ...] = ()


def prose(node: Node) -> ProseHeading:
    """Return the record of `node` that the fold reads. `tags` are own and inherited."""
    return ProseHeading(
        key=node.key,
        ident=node.ident,
        path=node.path,
        outline=node.outline,
        nth=node.nth,
        title=node.title,
        line=node.line,
        offset=node.offset,
        text=node.text,
        text_hash=node.text_hash,
        body_hash=node.body_hash,
        evidence_date=node.evidence_date,
        agent=node.agent,
        archived=node.archived,
        commented=node.commented,
        tags=node.tags,
    )
