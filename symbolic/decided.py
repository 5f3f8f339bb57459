"""What a journal line decides, and on which keys: the stances that `divergence` plays with.

Keys are today's, so whoever folds says how a statement reads and where a heading key is found.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from symbolic.canon import from_json
from symbolic.divergence import STAR, Decision, Side, Stance
from symbolic.grounding import quote_hash
from symbolic.names import quote_form
from symbolic.records import Line, Statement, Written

HUMAN = ("admit", "reject", "declare", "retract", "supersede", "settle", "ontology", "reconcile",
         "undo")
"""The kinds of a person's lines that are decisions."""

MACHINE = ("admit", "incumbent")
"""The kinds of the machine's lines that a person's decision goes before."""

Body = Mapping[str, object]


class Reads(Protocol):
    """How a fold reads statements and finds keys today."""

    def canonical(self, written: Written) -> Statement | None:
        """Return today's statement, None if it does not read."""

    def place(self, written: Written, key: str, quoted: str, text: str) -> str | None:
        """Return today's heading key of what a line names, None if it is lost."""


def decision(line: Line, reads: Reads, counts: bool) -> Decision | None:
    """Return what `line` decides, None if it is no decision."""
    body = line.body
    made = Decision(line.hash, line.order, line.kind, counts=counts, person=line.person)
    if not body or line.kind not in (HUMAN if line.person else MACHINE):
        return None
    if line.kind == "incumbent":
        stance = Stance(f"conflict {body['conflict']}", "", Side.SETTLE, "incumbent")
        return replace(made, stances=(stance,))
    if line.kind == "undo":
        return replace(made, of=str(body["event"]))
    if line.kind == "reconcile":
        return replace(made, of=str(body["kept"]), refs=_texts(body, "keys"))
    if line.kind == "ontology" and body["via"] == "file":
        return None
    return replace(made, stances=tuple(_stances(line, reads)))


def _stances(line: Line, reads: Reads) -> Iterator[Stance]:
    body = line.body
    if line.kind == "admit":
        yield from _admitted(body, reads, Side.ADMIT)
    elif line.kind == "declare":
        yield from _on(reads, body["statement"], STAR, Side.DECLARE)
    elif line.kind == "reject":
        found = (str(body["key"]), _text(body, "quote_hash"), _text(body, "text_hash"))
        wide = body.get("scope") == "everywhere"
        place = STAR if wide else _place(reads, body["statement"], *found)
        yield from _on(reads, body["statement"], place, Side.REJECT)
    elif line.kind == "retract":
        yield from _listed(body, "statement", reads, Side.RETRACT, "")
    elif line.kind == "supersede":
        new = _body(body["new"])
        how = f"{_fid(reads, new.get('statement'))} {body.get('from')}"
        yield from _listed(body, "old", reads, Side.OLD, how)
        if _quote(new) and new.get("key") is not None:
            yield from _admitted(new, reads, Side.NEW)
        else:
            yield from _on(reads, new.get("statement"), STAR, Side.NEW)
    elif line.kind == "settle":
        value = "both"
        if body["choice"] == "keep":
            value = f"keep {_fid(reads, body.get('kept'))}"
        yield Stance(f"conflict {body['conflict']}", "", Side.SETTLE, value)
    elif line.kind == "ontology":
        group = f"ontology {body['subject']} {body['field']}"
        yield Stance(group, "", Side.ONTOLOGY, json.dumps(body["after"], sort_keys=True))


def _admitted(body: Body, reads: Reads, side: Side) -> Iterator[Stance]:
    place = STAR
    if body.get("key") is not None:
        quoted = quote_hash(_quote(body)) if _quote(body) else ""
        place = _place(reads, body.get("statement"), str(body["key"]), quoted, "")
    yield from _on(reads, body.get("statement"), place, side)


def _listed(body: Body, field: str, reads: Reads, side: Side, how: str) -> Iterator[Stance]:
    lists = (_texts(body, name) for name in ("keys", "quote_hash", "text_hash"))
    places = [_place(reads, body[field], *found) for found in zip(*lists, strict=True)]
    for place in places or [STAR]:
        yield from _on(reads, body[field], place, side, how)


def _on(reads: Reads, statement: object, place: str, side: Side, how: str = "") -> Iterator[Stance]:
    written = _written(statement)
    said = None if written is None else reads.canonical(written)
    if said is not None:
        yield Stance(said.cls, place, side, said.fid, how)


def _fid(reads: Reads, named: object) -> str:
    """Return the fid of a fact named by its statement or its fid, "?" if it does not read."""
    if isinstance(named, str):
        return named
    written = _written(named)
    said = None if written is None else reads.canonical(written)
    return "?" if said is None else said.fid


def _place(reads: Reads, statement: object, key: str, quoted: str, text: str) -> str:
    """Return the heading key that the fold finds today, the line's own where it is lost."""
    written = _written(statement)
    if key == STAR or written is None:
        return STAR
    return reads.place(written, key, quoted, text) or key


def _body(value: object) -> Body:
    return value if isinstance(value, Mapping) else {}


def _written(value: object) -> Written | None:
    """Return the statement in a JSON value, which may wrap it; None if it is none."""
    body = _body(value)
    body = _body(body.get("statement")) or body
    whole = all(isinstance(body.get(part), str) for part in ("entity", "relation", "value"))
    return from_json(body) if whole else None


def _text(body: Body, name: str) -> str:
    return str(body.get(name) or "")


def _texts(body: Body, name: str) -> tuple[str, ...]:
    value = body.get(name)
    found = value if isinstance(value, (list, tuple)) else ()
    return tuple("" if item is None else str(item) for item in found)


def _quote(body: Body) -> str:
    quote = _text(body, "quote")
    return quote if quote_form(quote) else ""


def acting(line: Line, kept: Line | None) -> Line:
    """Return a `reconcile` line as the decision that it keeps, said again in its own place."""
    if kept is None or not kept.body:
        return line
    return replace(line, kind=kept.kind, body=kept.body)
