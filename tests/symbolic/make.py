"""A small world for tests, made by hand: headings and what they say, rows, journal lines."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from symbolic.canon import canonical, to_json
from symbolic.grounding import holds, quote_hash
from symbolic.model.world import World, fold
from symbolic.names import digest
from symbolic.names import fold as folded
from symbolic.records import (
    ClassDecl,
    Declarations,
    GateRow,
    Line,
    Policy,
    ProseHeading,
    Provenance,
    Reading,
    RelationDecl,
    Written,
)
from symbolic.values import reach
from symbolic.world import Inputs

ADA = "person:Ada"
RULE = "program:admit"


def micros(text: str) -> int:
    """Return the first instant of a bound in UTC."""
    return reach(text).lo


NOW = micros("2026-01-01T12:00:00Z")


def says(entity: str, relation: str, value: str, **more: object) -> Written:
    """Return a statement as written."""
    return Written(entity=entity, relation=relation, value=value, **more)  # type: ignore[arg-type]


@dataclass
class Make:
    """Collects the inputs of a fold. Every method that makes a thing returns its id."""

    zone: str = "UTC"
    headings: list[ProseHeading] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    rows: list[GateRow] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    declarations: Declarations = field(default_factory=Declarations)

    def relation(self, written: str, **properties: object) -> None:
        """Declare a relation."""
        name = folded(written)
        decl = RelationDecl(name=name, written=written, **properties)  # type: ignore[arg-type]
        known = {**self.declarations.relations, name: decl}
        self.declarations = replace(self.declarations, relations=known)

    def klass(self, written: str, *parents: str, policy: Policy | None = None) -> None:
        """Declare a class."""
        decl = ClassDecl(
            name=folded(written), written=written, parents=tuple(map(folded, parents)),
            policy=policy,
        )  # fmt: skip
        known = {**self.declarations.classes, decl.name: decl}
        self.declarations = replace(self.declarations, classes=known)

    def heading(
        self, path: str, title: str, text: str = "", date: str | None = None,
        ident: str | None = None, line: int = 1,
    ) -> str:
        """Add a heading whose own text is its title line and `text`."""
        key = f"id:{ident}" if ident else f"{path}#{title}#1"
        whole = f"* {title}\n{text}"
        self.headings.append(
            ProseHeading(
                key=key, ident=ident, path=path, outline=(title,), nth=1, title=title, line=line,
                offset=0, text=whole, text_hash=digest(whole), body_hash=digest(text),
                evidence_date=date,
            )
        )
        return key

    def read(
        self, key: str, written: Written, quote: str = "",
        provenance: Provenance = Provenance.EXTRACTED,
    ) -> str:
        """Let the heading say `written`; return the fid. A quote it lacks is added to its text."""
        quote = quote or f"{written.entity} {written.relation} {written.value}"
        for at, heading in enumerate(self.headings):
            if heading.key == key and not holds(heading.text, quote):
                self.headings[at] = replace(heading, text=f"{heading.text.rstrip()}\n{quote}")
        self.readings.append(
            Reading(heading=key, written=written, quote=quote, start=0, end=0,
                    provenance=provenance)
        )  # fmt: skip
        return self.fid(written)

    def row(self, source: str, written: Written) -> str:
        """Add a gate row."""
        self.rows.append(GateRow(source=source, written=written))
        return self.fid(written)

    def fid(self, written: Written) -> str:
        """Return the id of a statement under the declarations so far."""
        return canonical(written, self.declarations, self.zone).fid

    def line(self, kind: str, body: dict[str, object], by: str = ADA, at: str = "") -> str:
        """Append a journal line; return its hash. `at` is a day, or a day later than the last."""
        seq = len(self.lines) + 1
        at = f"{at or f'2025-06-{seq:02d}'}T10:00:00.{seq:06d}Z"
        event = digest("line", kind, repr(body), str(seq))
        self.lines.append(
            Line(dev="d" * 12, run="r" * 16, seq=seq, at=at, seen={}, by=by, kind=kind, body=body,
                 hash=event, prev="", path="system/journal/d/2025-06.jsonl", lineno=seq)
        )  # fmt: skip
        return event

    def declare(self, written: Written, at: str = "") -> str:
        """Let a person state a fact; return the event."""
        return self.line("declare", {"statement": to_json(written)}, at=at)

    def admit(
        self, key: str, written: Written, quote: str, *, by: str = ADA, at: str = "",
        min_sources: int = 1, date: str | None = None,
    ) -> str:
        """Journal an admission; return the event."""
        return self.line("admit", _admitted(key, written, quote, min_sources, date), by, at)

    def retract(self, key: str, written: Written, quote: str = "", at: str = "") -> str:
        """Let a person withdraw a fact from one heading."""
        body = {"statement": to_json(written), **_places(key, quote), "reason": "wrong"}
        return self.line("retract", body, at=at)

    def supersede(
        self, key: str, old: Written, new: Written, quote: str = "", *, since: str | None = None,
        at: str = "",
    ) -> str:
        """Let a person replace a fact by one declared."""
        body = {
            "old": to_json(old), "new": {"statement": to_json(new)}, "from": since,
            **_places(key, quote),
        }  # fmt: skip
        return self.line("supersede", body, at=at)

    def anchor(self, key: str, written: Written, new: str | None, at: str = "") -> str:
        """Journal where a key went."""
        body: dict[str, object] = {"statement": to_json(written), "key": key, "new_key": new}
        return self.line("anchor", body, "program:sync", at)

    def undo(self, event: str, at: str = "") -> str:
        """Let a person take an event back."""
        body: dict[str, object] = {"event": event}
        return self.line("undo", body, at=at)

    def propose(self, key: str, written: Written, quote: str, pid: str) -> str:
        """Queue a candidate."""
        body: dict[str, object] = {
            "candidate": to_json(written), "key": key, "quote": quote, "proposal": pid,
            "proposer": Provenance.PROPOSED.value,
        }  # fmt: skip
        return self.line("propose", body, "program:propose")

    def view(self) -> World:
        """Return the world of all this."""
        return fold(self.inputs())

    def inputs(self) -> Inputs:
        """Return all this as inputs."""
        return Inputs(
            headings=tuple(self.headings), readings=tuple(self.readings), lines=tuple(self.lines),
            rows=tuple(self.rows), declarations=self.declarations, zone=self.zone,
        )  # fmt: skip


def _admitted(
    key: str, written: Written, quote: str, min_sources: int, date: str | None
) -> dict[str, object]:
    return {
        "statement": to_json(written), "key": key, "quote": quote,
        "provenance": Provenance.PROPOSED.value, "min_sources": min_sources, "shown": None,
        "outcome": "admitted", "conflicts": [], "evidence_date": date,
    }  # fmt: skip


def _places(key: str, quote: str) -> dict[str, object]:
    return {"keys": [key], "quote_hash": [quote_hash(quote) if quote else ""], "text_hash": [""]}
