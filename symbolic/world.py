"""What the fold computes, as records, and the read protocol both of its forms offer.

`symbolic.model` computes a World in plain dicts (the specification), `symbolic.store` keeps the
same in SQLite (the cache). Everything above them - admission, queries, audits, the digest - reads
through `View` and cannot tell which one it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from symbolic.deduced import Deduced, Support, Triple
from symbolic.divergence import Divergence
from symbolic.records import (
    Candidate,
    Declarations,
    GateRow,
    Line,
    Name,
    Overlap,
    Policy,
    ProseHeading,
    Provenance,
    Reading,
    RuleFile,
    Standing,
    Statement,
    Term,
    Written,
)

if TYPE_CHECKING:
    from symbolic.rules.program import Program


class Source(StrEnum):
    """Where a chain ends."""

    HEADING = "heading"
    JOURNAL = "journal"
    GATE = "gate"
    IMPORT = "import"


class State(StrEnum):
    """What an assertion is today."""

    LIVE = "live"
    STALE = "stale"
    WITHDRAWN = "withdrawn"
    SUPPRESSED = "suppressed"
    REFUSED = "refused"


class Queued(StrEnum):
    """What a proposal is today; the first three are open."""

    PENDING = "pending"
    BLOCKED = "blocked"
    LAPSED = "lapsed"
    ADMITTED = "admitted"
    REJECTED = "rejected"
    REFUSED = "refused"


OPEN = (Queued.PENDING, Queued.BLOCKED, Queued.LAPSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assertion:
    """One source saying one statement.

    `heading` is today's key (None if lost or not from a heading), `key` the one in the journal.
    `event` is the hash of the asserting journal line, `ended_by` that of the line which withdrew,
    suppressed or refused it. `evidence_date` is the heading's today where it resolves.
    """

    statement: Statement
    written: Written
    source: Source
    source_id: str
    provenance: Provenance
    state: State
    by: str
    heading: str | None = None
    key: str | None = None
    quote: str | None = None
    quote_hash: str = ""
    evidence_date: str | None = None
    start: int | None = None
    end: int | None = None
    event: str | None = None
    ended_by: str | None = None
    at: str | None = None
    rule: str | None = None
    min_sources: int = 1

    @property
    def digest_source(self) -> str:
        """The source key that the digest prints: no line hash, since order may not show."""
        if self.source is Source.JOURNAL:
            return "journal"
        if self.source is Source.GATE:
            return f"gate:{self.source_id}"
        return self.heading or f"lost:{self.key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """All assertions with one fid. Stands while one is live.

    `deduced` is what rules derive of it, where an answer says so; views give base facts alone.
    """

    statement: Statement
    standing: Standing
    assertions: tuple[Assertion, ...]
    closed: tuple[str, str] | None = None
    """(bound, fid): a person's `supersede --from` closes this fact there, in favour of fid."""
    deduced: Deduced | None = None

    @property
    def fid(self) -> str:
        """The id of the statement."""
        return self.statement.fid

    @property
    def live(self) -> tuple[Assertion, ...]:
        """The assertions that count."""
        return tuple(a for a in self.assertions if a.state is State.LIVE)


@dataclass(frozen=True, slots=True, order=True)
class Spell:
    """A stretch in which a fact holds; bounds as bound strings, None open.

    `ended_by` is the fact whose point ended it, None if it ends by its own stated end.
    """

    start: str | None
    end: str | None
    ended_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A group of facts that a declared constraint sets against one another."""

    id: str
    constraint: str
    domain: str
    key: tuple[str, ...]
    members: tuple[str, ...]
    policy: Policy
    overlap: Overlap
    settled_by: str | None = None

    @property
    def state(self) -> str:
        """`open` or `settled`."""
        return "open" if self.settled_by is None else "settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A person's decision against a statement from one source.

    `kind` is the journal kind (reject, retract, supersede, settle). `resolved` is today's key,
    None if lost; key `*` stands for the journal itself. `at_heading` is the class with the heading
    as subject, set where the extractor took the subject from the heading.
    """

    event: str
    kind: str
    written: Written
    statement: Statement
    key: str
    resolved: str | None
    quote_hash: str
    text_hash: str
    scope: str = "source"
    reason: str | None = None
    at_heading: str | None = None
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A candidate in the queue. `statement` is None if it is malformed."""

    id: str
    candidate: Candidate
    statement: Statement | None
    key: str
    resolved: str | None
    quote_hash: str
    state: Queued
    event: str
    at: str
    reasons: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    outcome: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A key that stands in the journal, and where it is found today."""

    statement: Written
    key: str
    anchored: str | None
    """What the last anchor line says, or `key` itself if there is none."""
    resolved: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """All that the fold is a function of."""

    headings: tuple[ProseHeading, ...] = ()
    readings: tuple[Reading, ...] = ()
    lines: tuple[Line, ...] = ()
    rows: tuple[GateRow, ...] = ()
    declarations: Declarations = field(default_factory=Declarations)
    zone: str = "UTC"
    rules: tuple[RuleFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is new since a view was made. `paths` are the files replaced or removed whole.

    `headings` and `readings` are all those of the replaced files. `lines` are journal lines not
    folded before, in any order. `declarations` and `rows` are None where they did not change.
    `rules` is None where no rule file changed, else all of them.
    `seen_at` is the record time of facts read from prose and never decided.
    """

    paths: tuple[str, ...] = ()
    headings: tuple[ProseHeading, ...] = ()
    readings: tuple[Reading, ...] = ()
    lines: tuple[Line, ...] = ()
    declarations: Declarations | None = None
    rows: tuple[GateRow, ...] | None = None
    rules: tuple[RuleFile, ...] | None = None
    zone: str | None = None
    seen_at: str = ""
    whole: bool = False

    @property
    def nothing(self) -> bool:
        """Whether no prose, line, row or rule is new; declarations and zone the store compares."""
        return not (
            self.paths or self.headings or self.readings or self.lines or self.whole
            or self.rows is not None or self.rules is not None
        )


class View(Protocol):
    """The one door to what is known. Every answer is a value; nothing here writes."""

    @property
    def declarations(self) -> Declarations:
        """Today's declarations, seed and own."""

    @property
    def zone(self) -> str:
        """The memex's zone."""

    def heading(self, key: str) -> ProseHeading | None:
        """Return the heading with today's key `key`."""

    def headings(self, *, path: str | None = None) -> Iterable[ProseHeading]:
        """Return all headings, or those of one file, in (path, offset) order."""

    def titled(self, title: str) -> Iterable[ProseHeading]:
        """Return the headings whose title is `title`, folded, in (path, offset) order."""

    def starting(self, prefix: str) -> Iterable[Fact | Line | Proposal | Conflict]:
        """Return what has an id that starts with `prefix`, hex digits in lower case."""

    def fact(self, fid: str) -> Fact | None:
        """Return a fact by its id."""

    def facts(
        self,
        *,
        domain: str | None = None,
        entity: Name | None = None,
        relation: str | None = None,
        value: Term | None = None,
    ) -> Iterable[Fact]:
        """Return the facts with these parts (canonical; relation folded), in fid order."""

    def facts_at(self, key: str) -> Iterable[Fact]:
        """Return the facts that have a live assertion at today's heading `key`, in fid order."""

    def spells(self, fid: str) -> tuple[Spell, ...]:
        """Return when a standing fact holds, in order of start."""

    def deduced(
        self,
        *,
        domain: str | None = None,
        entity: Name | None = None,
        relation: str | None = None,
        value: Term | None = None,
    ) -> Iterable[Deduced]:
        """Return what rules derive of triples with these parts, in fid order."""

    def supports(self, fid: str) -> tuple[Support, ...]:
        """Return the supports of the triple of a fact, the smallest first; a store caps them."""

    def supports_of(self, triple: Triple) -> tuple[Support, ...]:
        """Return the same for a triple: no id has to be looked for."""

    def rules(self) -> tuple[RuleFile, ...]:
        """Return the rule files, in the order of their names."""

    def program(self) -> Program:
        """Return the rules that run, and what is wrong with those that do not."""

    def policy(self, statement: Statement) -> Policy:
        """Return the policy that a statement falls under."""

    def conflicts(self) -> tuple[Conflict, ...]:
        """Return all conflicts among standing facts, in id order."""

    def conflicts_of(self, fid: str) -> tuple[Conflict, ...]:
        """Return the conflicts that a fact is a member of, in id order."""

    def bars(self, cls: str | None = None) -> tuple[Bar, ...]:
        """Return active rejections and suppressions, of one class or all, in journal order."""

    def proposals(
        self, *, id: str | None = None, fid: str | None = None, closed: bool = True
    ) -> tuple[Proposal, ...]:
        """Return the proposals in journal order: all, or of one `id` or fact.

        Without `closed` those alone that are OPEN: what was decided since grows for ever.
        """

    def tracks(self) -> tuple[Track, ...]:
        """Return every (statement, key) of the journal with where it is found today."""

    def line(self, event: str) -> Line | None:
        """Return a journal line by its hash."""

    def lines(self) -> Iterable[Line]:
        """Return all journal lines in the order."""

    def undone(self) -> Mapping[str, str]:
        """Return {event: hash of the undo line that takes it out of the fold}."""

    def divergences(self) -> tuple[Divergence, ...]:
        """Return the decisions of several devices that a person has to reconcile, in id order."""


Fold = Callable[[Inputs], View]
"""What makes a view of all inputs at once."""
