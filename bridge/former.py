"""Ids that were printed once: a fact's id moves with aliases, types and directions, its name not.

A fact's id is made of today's declarations. The journal holds every state they were in, so what a
statement's id was under each of them can be said again, and an id once printed resolves for ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ontology.bootstrap import seed
from ontology.changes import RULES, Change, Field, Snapshot, applied, snapshot
from symbolic.canon import canonical
from symbolic.records import Declarations, RelationDecl
from symbolic.target import SHORTEST, NoTarget, find
from symbolic.values import BadValue
from symbolic.world import View

_HEX = re.compile(rf"[0-9a-f]{{{SHORTEST},32}}")


def today(view: View, text: str) -> str:
    """Return the id that the fact named by a former id has today; `text` if it is no such id."""
    wanted = text.strip().lower()
    if not _HEX.fullmatch(wanted) or not isinstance(find(view, text), NoTarget):
        return text
    written = [(said.written, fact.fid) for fact in view.facts() for said in fact.assertions]
    for decls in _states(view):
        found = set()
        for statement, fid in written:
            try:
                then = canonical(statement, decls, view.zone).fid
            except BadValue:
                continue
            if then.startswith(wanted):
                found.add(fid)
        if len(found) == 1:
            return found.pop()
    return text


def _states(view: View) -> Iterator[Declarations]:
    """Yield what was declared after each change of the ontology, the first state first."""
    state = snapshot(seed().declarations)
    yield _read(state)
    for line in view.lines():
        if line.kind != "ontology" or not line.body:
            continue
        body = line.body
        if str(body["subject"]).startswith(RULES):
            continue
        change = Change(
            subject=str(body["subject"]), field=str(body["field"]),
            before=body["before"], after=body["after"],  # type: ignore[arg-type]  # as written
        )
        state = applied(state, [change])
        yield _read(state)


def _read(state: Snapshot) -> Declarations:
    """Return as much of the declarations as an id depends on: types, directions, aliases."""
    relations: dict[str, RelationDecl] = {}
    aliases: dict[str, dict[str, str]] = {"relation": {}, "class": {}, "entity": {}}
    for subject, fields in state.items():
        kind, _, name = subject.partition("/")
        for alias in _names(fields, "ALIAS"):
            aliases.get(kind, {})[alias] = name
        if kind == "relation":
            relations[name] = RelationDecl(
                name=name, written=name, symmetric=bool(fields.get("SYMMETRIC")),
                inverse=_text(fields, "INVERSE"), range=_names(fields, "RANGE"),
                unit=_text(fields, "UNIT"),
            )
    return Declarations(
        relations=relations, relation_alias=aliases["relation"], class_alias=aliases["class"],
        entity_alias=aliases["entity"],
    )


def _names(fields: Mapping[str, Field], key: str) -> tuple[str, ...]:
    value = fields.get(key)
    return tuple(value) if isinstance(value, list) else ()


def _text(fields: Mapping[str, Field], key: str) -> str | None:
    value = fields.get(key)
    return value if isinstance(value, str) else None
