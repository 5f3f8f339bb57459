"""Who says what today: assertions, bars and incumbents, docs/fold.md sections 3 and 4."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from symbolic.canon import at_heading, canonical, class_at_heading, from_json
from symbolic.grounding import quote_hash
from symbolic.model.places import (
    JOURNAL_KEY,
    Places,
    Tracked,
    body_of,
    parallel,
    quote_of,
    text_of,
)
from symbolic.names import fold
from symbolic.records import (
    HEADING_SUBJECT,
    Line,
    Provenance,
    Standing,
    Statement,
    Written,
)
from symbolic.values import BadValue
from symbolic.world import Assertion, Bar, Fact, Inputs, Source, State


@dataclass(frozen=True, slots=True)
class Said:
    """An assertion before any decision, with its place in the journal's order (-1 for prose)."""

    assertion: Assertion
    place: int
    at_heading: str | None = None


class Speech:
    """Reads prose, gate rows and journal into assertions and applies the decisions to them."""

    def __init__(self, inputs: Inputs, counting: list[Line], places: Places) -> None:
        self.inputs = inputs
        self.lines = counting
        self.places = places
        self._titles = Counter(fold(h.title) for h in inputs.headings)

    def canonical(self, written: Written) -> Statement | None:
        """Return the Statement of `written`, None if it does not read today."""
        try:
            return canonical(written, self.inputs.declarations, self.inputs.zone)
        except BadValue:
            return None

    def fid(self, body: object) -> str | None:
        """Return the fid of a journalled statement, None if it does not read today."""
        said = self.canonical(from_json(body_of(body)))
        return said.fid if said else None

    # --- what is said ---------------------------------------------------------------------------

    def said(self) -> list[Said]:
        """Return every assertion of prose, gate rows and journal, all of them undecided."""
        found = [*self._prose(), *self._rows()]
        for place, line in enumerate(self.lines):
            found.extend(self._line(line, place))
        return found

    def _prose(self) -> Iterator[Said]:
        for reading in self.inputs.readings:
            heading = self.places.headings[reading.heading]
            if heading.agent:
                continue
            unique = self._titles[fold(heading.title)] == 1
            written = at_heading(reading.written, heading.title, heading.key, unique)
            statement = self.canonical(written)
            if statement is None:
                continue
            human = reading.provenance is Provenance.HUMAN
            own = reading.written.entity == HEADING_SUBJECT
            yield Said(
                Assertion(
                    statement=statement, written=written, source=Source.HEADING,
                    source_id=heading.key, provenance=reading.provenance, state=State.LIVE,
                    by="person:prose" if human else "program:sync", heading=heading.key,
                    key=heading.key, quote=reading.quote, quote_hash=quote_hash(reading.quote),
                    evidence_date=heading.evidence_date, start=reading.start, end=reading.end,
                ),
                -1,
                class_at_heading(statement) if own else None,
            )

    def _rows(self) -> Iterator[Said]:
        for row in self.inputs.rows:
            statement = self.canonical(row.written)
            if statement is not None:
                yield Said(
                    Assertion(
                        statement=statement, written=row.written, source=Source.GATE,
                        source_id=row.source, provenance=Provenance.GATE, state=State.LIVE,
                        by="program:bootstrap",
                    ),
                    -1,
                )

    def _line(self, line: Line, place: int) -> Iterator[Said]:
        body: Mapping[str, object] = line.body
        if line.kind == "supersede":
            body = body_of(line.body["new"])
        elif line.kind not in ("admit", "declare"):
            return
        written = from_json(body_of(body["statement"]))
        statement = self.canonical(written)
        if statement is None:
            return
        quote, key = quote_of(body), text_of(body, "key")
        assertion = Assertion(
            statement=statement, written=written, source=Source.JOURNAL, source_id=line.hash,
            provenance=Provenance(text_of(body, "provenance") or Provenance.HUMAN.value),
            state=State.LIVE, by=line.by, event=line.hash, at=line.at,
            rule=text_of(body, "rule"), min_sources=int(str(body.get("min_sources") or 1)),
        )
        if quote is not None and key is not None:
            assertion = self._grounded(assertion, written, key, quote, body)
        yield Said(assertion, place)

    def _grounded(
        self, assertion: Assertion, written: Written, key: str, quote: str,
        body: Mapping[str, object],
    ) -> Assertion:
        quoted = quote_hash(quote)
        resolved = self.places.resolve(Tracked(written, key, quoted, ""))
        stands = resolved is not None and self.places.holds(resolved, quoted)
        date = text_of(body, "evidence_date")
        if resolved is not None:
            date = self.places.headings[resolved].evidence_date
        return replace(
            assertion, source=Source.HEADING, source_id=resolved or key, heading=resolved,
            key=key, quote=quote, quote_hash=quoted, evidence_date=date,
            state=State.LIVE if stands else State.STALE,
        )

    # --- what a person decided against it -------------------------------------------------------

    def bars(self) -> list[tuple[int, Bar]]:
        """Return the bars of all lines, each with its line's place in the order."""
        return [(place, bar) for place, line in enumerate(self.lines) for bar in self._bars(line)]

    def _bars(self, line: Line) -> Iterator[Bar]:
        if line.kind == "reject":
            written = from_json(body_of(line.body["statement"]))
            tracked = Tracked(
                written, str(line.body["key"]), text_of(line.body, "quote_hash") or "",
                text_of(line.body, "text_hash") or "",
            )
            scope = text_of(line.body, "scope") or "source"
            yield from self._bar(line, line.body, tracked, scope)
        elif line.kind == "retract":
            yield from self._listed(line, line.body, "statement")
        elif line.kind == "supersede" and text_of(line.body, "from") is None:
            yield from self._listed(line, line.body, "old")
        elif line.kind == "settle" and line.body.get("choice") == "keep":
            kept = self.fid(line.body["kept"])
            members = line.body.get("members")
            for member in members if isinstance(members, (list, tuple)) else ():
                if self.fid(body_of(member)["statement"]) != kept:
                    yield from self._listed(line, body_of(member), "statement")

    def _listed(self, line: Line, body: Mapping[str, object], field: str) -> Iterator[Bar]:
        written = from_json(body_of(body[field]))
        for key, quoted, text in parallel(body):
            yield from self._bar(line, body, Tracked(written, key, quoted, text), "source")

    def _bar(
        self, line: Line, body: Mapping[str, object], tracked: Tracked, scope: str
    ) -> Iterator[Bar]:
        statement = self.canonical(tracked.written)
        if statement is None:
            return
        own = text_of(body, "subject") == HEADING_SUBJECT
        yield Bar(
            event=line.hash, kind=line.kind, written=tracked.written, statement=statement,
            key=tracked.key, resolved=self.places.resolve(tracked),
            quote_hash=tracked.quote_hash, text_hash=tracked.text_hash, scope=scope,
            reason=text_of(line.body, "reason"), at=line.at,
            at_heading=class_at_heading(statement) if own else None,
        )

    def decided(self) -> dict[str, list[Assertion]]:
        """Return all assertions by fid, with what persons and incumbents made of them."""
        bars = self.bars()
        facts: dict[str, list[Assertion]] = defaultdict(list)
        for said in self.said():
            facts[said.assertion.statement.fid].append(_barred(said, bars))
        for line in self.lines:
            if line.kind == "incumbent":
                self._refuse(line, facts)
        return facts

    def _refuse(self, line: Line, facts: dict[str, list[Assertion]]) -> None:
        kept = self.fid(line.body["kept"])
        if not any(a.state is State.LIVE for a in facts.get(kept or "", ())):
            return
        refused = line.body.get("refused")
        for statement in refused if isinstance(refused, (list, tuple)) else ():
            fid = self.fid(statement) or ""
            facts[fid] = [
                replace(a, state=State.REFUSED, ended_by=line.hash)
                if a.state is State.LIVE and _is_reading(a) else a
                for a in facts.get(fid, [])
            ]
            if not facts[fid]:
                del facts[fid]


def _is_reading(assertion: Assertion) -> bool:
    return assertion.source is Source.HEADING and assertion.event is None


def same_source(
    bar: Bar, key: str | None, resolved: str | None, quoted: str
) -> bool:
    """Return whether a source is the one a reject bars."""
    return (
        bar.scope == "everywhere"
        or (key is not None and key == bar.key)
        or (resolved is not None and resolved == bar.resolved)
        or (quoted != "" and quoted == bar.quote_hash)
    )


def _barred(said: Said, bars: list[tuple[int, Bar]]) -> Assertion:
    assertion = said.assertion
    if assertion.source is Source.GATE:
        return assertion
    for place, bar in bars:
        if _is_reading(assertion):
            state = _reading_state(said, bar)
        else:
            state = _journal_state(said, bar) if place > said.place else None
        if state is not None:
            return replace(assertion, state=state, ended_by=bar.event)
    return assertion


def _reading_state(said: Said, bar: Bar) -> State | None:
    a = said.assertion
    if bar.kind == "reject":
        hit = (
            a.provenance is Provenance.EXTRACTED
            and a.statement.fid == bar.statement.fid
            and same_source(bar, a.key, a.heading, a.quote_hash)
        )
        return State.WITHDRAWN if hit else None
    if bar.resolved is None or a.heading != bar.resolved:
        return None
    if bar.at_heading is not None:
        return State.SUPPRESSED if said.at_heading == bar.at_heading else None
    return State.SUPPRESSED if a.statement.cls == bar.statement.cls else None


def _journal_state(said: Said, bar: Bar) -> State | None:
    a = said.assertion
    if a.statement.fid != bar.statement.fid:
        return None
    if bar.kind == "reject":
        declared = a.source is Source.JOURNAL
        hit = not declared and same_source(bar, a.key, a.heading, a.quote_hash)
        return State.WITHDRAWN if hit else None
    hit = (
        bar.key == JOURNAL_KEY
        or (a.key is not None and a.key == bar.key)
        or (a.heading is not None and a.heading == bar.resolved)
    )
    return State.WITHDRAWN if hit else None


def _place(a: Assertion) -> tuple[str, str, str, int, str]:
    return (a.at or "", a.event or "", a.source_id, a.start or 0, a.quote or "")


def facts_of(
    decided: Mapping[str, list[Assertion]], closed: Mapping[str, tuple[str, str]]
) -> dict[str, Fact]:
    """Return the facts that assertions make, with their standing."""
    gone = (State.WITHDRAWN, State.SUPPRESSED)
    facts = {}
    for fid, said in decided.items():
        states = {a.state for a in said}
        standing = Standing.STALE
        if State.LIVE in states:
            standing = Standing.STANDING
        elif states & set(gone):
            standing = Standing.RETRACTED
        ordered = sorted(said, key=_place)
        facts[fid] = Fact(
            statement=said[0].statement, standing=standing, assertions=tuple(ordered),
            closed=closed.get(fid) if standing is Standing.STANDING else None,
        )
    return facts
