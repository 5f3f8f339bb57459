"""What was known at a record time: the fold of the journal up to then, without today's prose.

A journalled assertion is live at T if its line is at or before T and the last line about it by T
is no null anchor, retract or undo. So the prose that the fold gets here is made up: each heading
key holds exactly the quotes that the journal had put there by T. Names and policies are today's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from memex.keys import PathKey, parse_path_key
from symbolic.canon import from_json, sid
from symbolic.deduced import Deduced, Support, Triple
from symbolic.divergence import Divergence
from symbolic.records import (
    HEADING_SUBJECT,
    Declarations,
    GateRow,
    Line,
    Name,
    NameKind,
    Policy,
    ProseHeading,
    Reading,
    RuleFile,
    Statement,
    Term,
    Written,
)
from symbolic.rules.program import Program
from symbolic.values import instant_text, reach
from symbolic.world import (
    Assertion,
    Bar,
    Conflict,
    Fact,
    Fold,
    Inputs,
    Proposal,
    Source,
    Spell,
    Track,
    View,
)

TODAY = "names, policies and rules are today's; the assertions and decisions are those of then"


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """What was known then. `complete` is false where prose may have said more than is recorded."""

    view: View
    complete: bool
    notes: tuple[str, ...]


def as_of_view(view: View, moment: int, fold: Fold) -> AsOf:
    """Return what `view` knew at `moment`, in microseconds on the scale of `values.reach`.

    `fold` computes a world from inputs. Facts read from prose and never decided count from the
    time the index first saw them; before that nothing is known about them.
    """
    lines = [line for line in view.lines() if reach(line.at).lo <= moment]
    prose = _prose(view, lines)
    first: int | None = None
    readings: list[Reading] = []
    rows: list[GateRow] = []
    unseen = False
    for said in _unjournalled(view):
        if said.source is Source.GATE:
            rows.append(GateRow(source=said.source_id, written=said.written))
            continue
        at = reach(said.at).lo if said.at is not None else None
        first = at if first is None or (at is not None and at < first) else first
        if at is None or at > moment:
            unseen = True
        elif said.heading is not None:
            prose.read(said)
            readings.append(_reading(view, said))
    world = fold(
        Inputs(
            headings=prose.headings(),
            readings=tuple(readings),
            lines=tuple(lines),
            rows=tuple(rows),
            declarations=view.declarations,
            zone=view.zone,
            rules=view.rules(),
        )
    )
    since = instant_text(first, view.zone) if first is not None else "this question"
    notes: tuple[str, ...] = (TODAY,)
    if unseen:
        notes += (f"facts read from prose and never decided are known since {since} only",)
    known = first is not None and first <= moment
    return AsOf(view=_Then(view, world), complete=known or not unseen, notes=notes)


def _unjournalled(view: View) -> Iterator[Assertion]:
    """Yield the assertions that stand in no journal line: readings and gate rows."""
    for fact in view.facts():
        for said in fact.assertions:
            if said.event is None and said.source in (Source.HEADING, Source.GATE):
                yield said


def _reading(view: View, said: Assertion) -> Reading:
    """Return the reading an assertion was made of, with the subject its heading stands for."""
    heading = view.heading(said.heading or "")
    written = said.written
    if heading is not None and _is_subject(written, heading):
        written = replace(written, entity=HEADING_SUBJECT, entity_kind=NameKind.NAME.value)
    return Reading(
        heading=said.heading or "", written=written, quote=said.quote or "",
        start=said.start or 0, end=said.end or 0, provenance=said.provenance,
    )  # fmt: skip


def _is_subject(written: Written, heading: ProseHeading) -> bool:
    if written.entity_kind == NameKind.HEADING:
        return written.entity == heading.key
    return written.entity_kind == NameKind.NAME and written.entity == heading.title


# --- prose made from the journal --------------------------------------------------------------


@dataclass(slots=True)
class _Prose:
    """Headings as the journal knew them: key -> quotes, and key -> evidence date."""

    view: View
    quotes: dict[str, list[str]] = field(default_factory=dict)
    dates: dict[str, str | None] = field(default_factory=dict)

    def read(self, said: Assertion) -> None:
        """Let the heading of a reading hold its quote."""
        self._hold(said.heading or "", said.quote or "", said.evidence_date)

    def _hold(self, key: str, quote: str, date: str | None) -> None:
        held = self.quotes.setdefault(key, [])
        if quote not in held:
            held.append(quote)
        if self.dates.get(key) is None:
            self.dates[key] = date

    def grounded(self, line: Line, body: Mapping[str, object], anchors: _Anchors) -> None:
        """Let the heading that `line` names hold its quote, unless a later anchor lost it."""
        statement, key, quote = body.get("statement"), body.get("key"), body.get("quote")
        if not isinstance(statement, Mapping) or not isinstance(key, str):
            return
        if not isinstance(quote, str):
            return
        found = anchors.of(from_json(statement), key, line)
        date = body.get("evidence_date")
        if found is not None:
            self._hold(found, quote, date if isinstance(date, str) else None)

    def headings(self) -> tuple[ProseHeading, ...]:
        """Return the headings; line 0 where today's prose does not have them."""
        return tuple(self._heading(key, quotes) for key, quotes in sorted(self.quotes.items()))

    def _heading(self, key: str, quotes: list[str]) -> ProseHeading:
        today = self.view.heading(key)
        text = "\n\n".join(quotes)
        date = self.dates.get(key)
        if today is not None:
            return replace(today, text=text, evidence_date=date or today.evidence_date, agent=False)
        parts = parse_path_key(key) or PathKey("", (), 1)
        return ProseHeading(
            key=key, ident=key.removeprefix("id:") if key.startswith("id:") else None,
            path=parts.path, outline=parts.outline, nth=parts.nth, title=key, line=0, offset=0,
            text=text, text_hash="", body_hash="", evidence_date=date,
        )  # fmt: skip


class _Anchors:
    """Where anchor lines say a statement's key is, each with its place in the order."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._last: dict[tuple[str, str], tuple[Line, str | None]] = {}
        for line in lines:
            statement = line.body.get("statement")
            if line.kind == "anchor" and isinstance(statement, Mapping):
                new = line.body.get("new_key")
                where = (sid(from_json(statement)), str(line.body.get("key")))
                self._last[where] = (line, new if isinstance(new, str) else None)

    def of(self, written: Written, key: str, line: Line) -> str | None:
        """Return the key by the last anchor; None if that came after `line` and lost the place."""
        anchor, new = self._last.get((sid(written), key), (None, key))
        if new is None and anchor is not None and anchor.order < line.order:
            return key
        return new


def _prose(view: View, lines: list[Line]) -> _Prose:
    out = _undone(lines)
    anchors = _Anchors(line for line in lines if line.hash not in out)
    prose = _Prose(view)
    for line in lines:
        if line.hash in out:
            continue
        if line.kind == "admit":
            prose.grounded(line, line.body, anchors)
        elif line.kind == "supersede":
            new = line.body.get("new")
            prose.grounded(line, new if isinstance(new, Mapping) else {}, anchors)
    return prose


def _undone(lines: list[Line]) -> set[str]:
    """Return the events that an undo takes out, of which those that are undone take out none."""
    out: set[str] = set()
    for line in reversed(lines):
        if line.kind == "undo" and line.hash not in out:
            out.add(str(line.body.get("event")))
    return out


# --- the view of then -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Then:
    """Knowledge of then over headings of today. Implements `symbolic.world.View`."""

    today: View
    world: View

    @property
    def declarations(self) -> Declarations:
        """Today's declarations."""
        return self.today.declarations

    @property
    def zone(self) -> str:
        """The memex's zone."""
        return self.today.zone

    def heading(self, key: str) -> ProseHeading | None:
        """Return today's heading; None where it is gone."""
        return self.today.heading(key)

    def headings(self, *, path: str | None = None) -> Iterable[ProseHeading]:
        """Return today's headings."""
        return self.today.headings(path=path)

    def titled(self, title: str) -> Iterable[ProseHeading]:
        """Return today's headings with a title."""
        return self.today.titled(title)

    def starting(self, prefix: str) -> Iterable[Fact | Line | Proposal | Conflict]:
        """Return what was known then under an id that starts so."""
        return self.world.starting(prefix)

    def fact(self, fid: str) -> Fact | None:
        """Return a fact as it was known."""
        return self.world.fact(fid)

    def facts(
        self,
        *,
        domain: str | None = None,
        entity: Name | None = None,
        relation: str | None = None,
        value: Term | None = None,
    ) -> Iterable[Fact]:
        """Return facts as they were known."""
        return self.world.facts(domain=domain, entity=entity, relation=relation, value=value)

    def deduced(
        self,
        *,
        domain: str | None = None,
        entity: Name | None = None,
        relation: str | None = None,
        value: Term | None = None,
    ) -> Iterable[Deduced]:
        """Return what rules derive of the facts of then."""
        return self.world.deduced(domain=domain, entity=entity, relation=relation, value=value)

    def supports(self, fid: str) -> tuple[Support, ...]:
        """Return the supports among the facts of then."""
        return self.world.supports(fid)

    def supports_of(self, triple: Triple) -> tuple[Support, ...]:
        """Return the supports of a triple among the facts of then."""
        return self.world.supports_of(triple)

    def rules(self) -> tuple[RuleFile, ...]:
        """Return the rule files: today's."""
        return self.world.rules()

    def program(self) -> Program:
        """Return the rules that run."""
        return self.world.program()

    def facts_at(self, key: str) -> Iterable[Fact]:
        """Return the facts of then that today's heading holds."""
        return self.world.facts_at(key)

    def spells(self, fid: str) -> tuple[Spell, ...]:
        """Return when a fact held by what was known."""
        return self.world.spells(fid)

    def policy(self, statement: Statement) -> Policy:
        """Return today's policy."""
        return self.today.policy(statement)

    def conflicts(self) -> tuple[Conflict, ...]:
        """Return the conflicts of then."""
        return self.world.conflicts()

    def conflicts_of(self, fid: str) -> tuple[Conflict, ...]:
        """Return the conflicts of then of one fact."""
        return self.world.conflicts_of(fid)

    def bars(self, cls: str | None = None) -> tuple[Bar, ...]:
        """Return the decisions of then."""
        return self.world.bars(cls)

    def proposals(
        self, *, id: str | None = None, fid: str | None = None, closed: bool = True
    ) -> tuple[Proposal, ...]:
        """Return the queue of then."""
        return self.world.proposals(id=id, fid=fid, closed=closed)

    def tracks(self) -> tuple[Track, ...]:
        """Return the keys of then."""
        return self.world.tracks()

    def line(self, event: str) -> Line | None:
        """Return a line of the journal up to then."""
        return self.world.line(event)

    def lines(self) -> Iterable[Line]:
        """Return the journal up to then."""
        return self.world.lines()

    def undone(self) -> Mapping[str, str]:
        """Return what was undone by then."""
        return self.world.undone()

    def divergences(self) -> tuple[Divergence, ...]:
        """Return what diverged then."""
        return self.world.divergences()
