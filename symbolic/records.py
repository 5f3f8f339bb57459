"""The records every layer shares: frozen values, no I/O, standard library only.

How they nest::

    Written ──canonical()──► Statement ── entity: Name
       ▲                        │         relation: Name
       │                        │         value: Name | Value
       │                        └──────── polarity, interval (valid_from, valid_to)
    Reading (prose) ── Written + heading key, quote, byte span
    Candidate       ── Written + Grounding + proposer, rationale, confidence
    Line (journal)  ── body holds Written, heading key, quote hash

    Assertion = Statement + source + grounding + provenance + by + rule
    Fact      = all assertions with one fid; standing, spells and conflicts are computed

A `Written` is a statement exactly as its source has it; a `Statement` is the same after today's
typing, aliases and directions. The journal carries the first, facts are made of the second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

UNKNOWN = "?"
"""A bound that exists and is not known; an open bound is None."""

MEMEX = "memex"
"""The domain of prose, journal and gate rows."""

HEADING_SUBJECT = "@heading"
"""Entity of a reading whose subject is its heading; resolved to the title or the key later."""


class NameKind(StrEnum):
    """What a name names; only `NAME` folds."""

    NAME = "name"
    PATH = "path"
    URL = "url"
    HOST = "host"
    COMMAND = "command"
    SYMBOL = "symbol"
    HEADING = "heading"


class ValueKind(StrEnum):
    """The kinds of literal values."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    QUANTITY = "quantity"
    BOOLEAN = "boolean"


class Provenance(StrEnum):
    """Who or what produced an assertion."""

    HUMAN = "human-authored"
    GATE = "gate-outcome"
    IMPORTED = "imported"
    EXTRACTED = "extracted"
    PROPOSED = "llm-proposed"
    DEDUCED = "deduced"


TRUST: Mapping[Provenance, int] = {
    Provenance.HUMAN: 4,
    Provenance.GATE: 3,
    Provenance.IMPORTED: 2,
    Provenance.EXTRACTED: 2,
    Provenance.PROPOSED: 1,
    Provenance.DEDUCED: 0,
}
"""Higher is trusted more; a deduced fact rests on its supports."""


class Policy(StrEnum):
    """What follows from a conflict."""

    EXCLUSIVE = "exclusive"
    TEMPORAL = "temporal"
    COEXISTENT = "coexistent"


STRICTNESS: Mapping[Policy, int] = {Policy.EXCLUSIVE: 2, Policy.TEMPORAL: 1, Policy.COEXISTENT: 0}


class Outcome(StrEnum):
    """What admission says of a candidate; the first that applies, in this order."""

    MALFORMED = "malformed"
    UNGROUNDED = "ungrounded"
    REJECTED = "rejected"
    DUPLICATE = "duplicate"
    BLOCKED = "blocked"
    NEEDS_REVIEW = "needs-review"
    SUPERSEDED = "superseded-on-arrival"
    SUPERSEDING = "superseding"
    FLAGGED = "flagged"
    ADMITTED = "admitted"


class Standing(StrEnum):
    """Whether a fact counts now."""

    STANDING = "standing"
    STALE = "stale"
    RETRACTED = "retracted"


class Overlap(StrEnum):
    """Whether two statements hold at a common instant: provably not, perhaps, provably."""

    NO = "no"
    MAYBE = "maybe"
    YES = "yes"


@dataclass(frozen=True, slots=True)
class Name:
    """An entity, relation or class. `canon` compares, `written` is shown."""

    kind: NameKind
    canon: str
    written: str = field(compare=False)


@dataclass(frozen=True, slots=True)
class Value:
    """A literal. `canon` compares; `unit` is the canonical unit of a quantity."""

    kind: ValueKind
    canon: str
    written: str = field(compare=False)
    unit: str | None = None


Term = Name | Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A statement exactly as its source has it. `kind` and `unit` are the source's own hints.

    Bounds are truncated ISO strings, None (open) or "?"; `valid_to` is exclusive.
    """

    entity: str
    relation: str
    value: str
    entity_kind: str = NameKind.NAME.value
    kind: str | None = None
    unit: str | None = None
    polarity: bool = True
    valid_from: str | None = None
    valid_to: str | None = None
    domain: str = MEMEX


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement after typing, aliases and direction. `fid` and `cls` are content hashes.

    `cls` leaves out the interval: the key under which decisions are kept.
    """

    fid: str
    cls: str
    domain: str
    entity: Name
    relation: Name
    value: Term
    polarity: bool
    valid_from: str | None
    valid_to: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseHeading:
    """One heading as the fold sees it. `text` is its own text, children left out.

    `outline` holds the titles from the top down to this one; a file is heading 0 and its outline
    is empty. `text_hash` covers `text`, `body_hash` the same without the heading line; both are
    over NFC text with LF, so line endings do not show. `line` is 1-based, `offset` in bytes.
    """

    key: str
    ident: str | None
    path: str
    outline: tuple[str, ...]
    nth: int
    title: str
    line: int
    offset: int
    text: str
    text_hash: str
    body_hash: str
    evidence_date: str | None
    agent: bool = False
    archived: bool = False
    commented: bool = False
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A statement that a mechanical reader found in the prose, with the place it stands."""

    heading: str
    written: Written
    quote: str
    start: int
    end: int
    provenance: Provenance


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRow:
    """A row of a gate table as a statement; `source` names the vector or table."""

    source: str
    written: Written


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFile:
    """A file of rules. `name` is its name within `system/rules`, or of a shipped one."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounding:
    """Where a candidate or an assertion says it was read. `path` and `outline` as written."""

    heading: str | None
    path: str | None = None
    outline: tuple[str, ...] = ()
    quote: str | None = None
    evidence_date: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A statement somebody proposes. Only admission makes an assertion of it.

    `confidence` is a decimal string in [0, 1]: floats stand in no record and no digest.
    """

    written: Written
    grounding: Grounding
    proposer: Provenance
    rationale: str | None = None
    confidence: str | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """Admission's verdict and report. `blockers` and `conflicts` hold fids, `rule` a constraint.

    `superseded` holds the fids whose spell this candidate would end.
    """

    outcome: Outcome
    reasons: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    superseded: tuple[str, ...] = ()
    rule: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationDecl:
    """A relation as declared. Names are folded; `written` and `line` are for people."""

    name: str
    written: str
    policy: Policy | None = None
    functional: bool = False
    inverse_functional: bool = False
    symmetric: bool = False
    asymmetric: bool = False
    irreflexive: bool = False
    acyclic: bool = False
    transitive: bool = False
    inverse: str | None = None
    opposite: tuple[str, ...] = ()
    cardinality: int | None = None
    domain: tuple[str, ...] = ()
    range: tuple[str, ...] = ()
    unit: str | None = None
    tolerance: str | None = None
    pattern: tuple[str, ...] = ()
    min_sources: int = 1
    level: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassDecl:
    """A class as declared. `parents` and `disjoint` are folded names."""

    name: str
    written: str
    policy: Policy | None = None
    parents: tuple[str, ...] = ()
    disjoint: tuple[str, ...] = ()
    level: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarations:
    """All that ontology.org and the seed vocabulary declare.

    Keys are folded canonical names. `relation_alias`, `class_alias` and `entity_alias` map a
    folded alias to the folded canonical name. `complete` maps a domain to the relations of which
    it holds every instance. `spelling` keeps the written form of a canonical name. Gates read the
    memberships in `gate_classes` and the `gate_relations`: nothing enters them without a person.
    """

    relations: Mapping[str, RelationDecl] = field(default_factory=dict)
    classes: Mapping[str, ClassDecl] = field(default_factory=dict)
    relation_alias: Mapping[str, str] = field(default_factory=dict)
    class_alias: Mapping[str, str] = field(default_factory=dict)
    entity_alias: Mapping[str, str] = field(default_factory=dict)
    complete: Mapping[str, frozenset[str]] = field(default_factory=dict)
    spelling: Mapping[str, str] = field(default_factory=dict)
    gate_classes: frozenset[str] = frozenset()
    gate_relations: frozenset[str] = frozenset()

    def __hash__(self) -> int:
        # Cheap, since pure functions of declarations are remembered: equal ones are as long.
        return hash((len(self.relations), len(self.classes), len(self.spelling)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A journal line, verified. `body` is the canonical JSON object without its salt.

    `salt` and `body_hash` are what it takes to write the line out again; a redacted line has no
    salt and an empty body.
    """

    dev: str
    run: str
    seq: int
    at: str
    seen: Mapping[str, tuple[tuple[int, str], ...]]
    by: str
    kind: str
    body: Mapping[str, object]
    hash: str
    prev: str
    path: str = ""
    lineno: int = 0
    salt: str | None = field(default=None, compare=False)
    body_hash: str = field(default="", compare=False)

    @property
    def order(self) -> tuple[str, str, int, str]:
        """The one total order of lines on every device."""
        return (self.at, self.dev, self.seq, self.hash)

    @property
    def person(self) -> bool:
        """Whether a person decided this line."""
        return self.by.startswith("person:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """The prose as the fold gets it."""

    headings: tuple[ProseHeading, ...] = ()
    readings: tuple[Reading, ...] = ()
