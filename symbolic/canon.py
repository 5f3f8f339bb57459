"""From a statement as written to a Statement: typing, aliases, direction, ids.

Shared by the reference fold and the store, which share records and canonical forms and nothing
else. An id once printed resolves for ever, so what enters each hash is fixed here:

- ``sid``: the statement as written, names folded, value as text with the source's own kind.
- ``fid``: the same after today's typing by RANGE, units, aliases, inverse and symmetric direction.
- ``cls``: ``fid`` without the interval; decisions are kept by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from symbolic.names import digest, fold, nfc
from symbolic.records import (
    HEADING_SUBJECT,
    MEMEX,
    Declarations,
    Name,
    NameKind,
    Statement,
    Term,
    Written,
)
from symbolic.values import BadValue, interval, name, typed

MEMBER = "member of class"
"""The folded relation that says what class an entity is in."""

NOTHING = Declarations()


@lru_cache(maxsize=4096)
def sid(written: Written) -> str:
    """Return the immutable id of a statement as written."""
    return digest("sid", *_written_parts(written))


def _written_parts(written: Written) -> tuple[str, ...]:
    entity = fold(written.entity) if written.entity_kind == NameKind.NAME else nfc(written.entity)
    return (
        written.domain,
        written.entity_kind,
        entity,
        fold(written.relation),
        nfc(written.value),
        written.kind or "",
        written.unit or "",
        "+" if written.polarity else "-",
        written.valid_from or "",
        written.valid_to or "",
    )


@lru_cache(maxsize=4096)
def canonical(written: Written, decls: Declarations = NOTHING, zone: str = "UTC") -> Statement:
    """Return the Statement of `written` under today's declarations.

    Raises BadValue if a name is empty, a literal does not read, or the end precedes the start.
    """
    folded = fold(written.relation)
    relation_name = decls.relation_alias.get(folded, folded)
    decl = decls.relations.get(relation_name)
    relation = _spelt(name(written.relation), relation_name, decls)
    entity = _alias(name(written.entity, _name_kind(written.entity_kind)), decls)
    value, _ = typed(
        written.value,
        kind=written.kind,
        unit=written.unit,
        range_=decl.range if decl else (),
        range_unit=decl.unit if decl else None,
        zone=zone,
    )
    if isinstance(value, Name):
        value = _class_alias(value, decls) if relation_name == MEMBER else _alias(value, decls)
    start, end = interval(written.valid_from, written.valid_to, zone=zone)
    if decl is not None and isinstance(value, Name):
        relation, entity, value = _direct(relation, entity, value, decls)
    return identified(written.domain, entity, relation, value, written.polarity, start, end)


_KINDS = {kind.value: kind for kind in NameKind}


def _name_kind(word: str) -> NameKind:
    kind = _KINDS.get(word)
    if kind is None:
        raise BadValue(f"'{word}' is no kind of name")
    return kind


def _direct(
    relation: Name, entity: Name, value: Name, decls: Declarations
) -> tuple[Name, Name, Name]:
    """Turn a symmetric or inverse statement into its one canonical direction."""
    decl = decls.relations[relation.canon]
    if decl.symmetric and _key(value) < _key(entity):
        return relation, value, entity
    side = kept_side(relation.canon, decls)
    if side != relation.canon:
        return _spelt(name(side), side, decls), value, entity
    return relation, entity, value


def kept_side(relation: str, decls: Declarations) -> str:
    """Return `relation` or its inverse: the one in which statements of the pair are kept.

    A CARDINALITY cannot be turned round, so a side that alone has one is kept, else the name that
    comes first.
    """
    decl = decls.relations.get(relation)
    if decl is None or decl.inverse is None:
        return relation
    other = decls.relations.get(decl.inverse)
    if other is None or (decl.cardinality is None) == (other.cardinality is None):
        return min(relation, decl.inverse)
    return decl.inverse if decl.cardinality is None else relation


def _key(term: Name) -> tuple[str, str]:
    return (term.kind.value, term.canon)


def _spelt(term: Name, canon: str, decls: Declarations) -> Name:
    if canon == term.canon:
        return term
    return Name(term.kind, canon, decls.spelling.get(canon, canon))


def _alias(term: Name, decls: Declarations) -> Name:
    if term.kind is not NameKind.NAME:
        return term
    return _spelt(term, decls.entity_alias.get(term.canon, term.canon), decls)


def _class_alias(term: Name, decls: Declarations) -> Name:
    if term.kind is not NameKind.NAME:
        return term
    return _spelt(term, decls.class_alias.get(term.canon, term.canon), decls)


def term_key(term: Term) -> str:
    """Return `term` as one string that sorts and compares as the term does."""
    return term.kind + ":" + term.canon


def identified(
    domain: str,
    entity: Name,
    relation: Name,
    value: Term,
    polarity: bool,
    start: str | None,
    end: str | None,
) -> Statement:
    """Return the Statement of canonical parts, with the ids that follow from them."""
    base = (domain, term_key(entity), term_key(relation), term_key(value), "+" if polarity else "-")
    return Statement(
        fid=digest("fid", *base, start or "", end or "")[:32],
        cls=digest("cls", *base)[:32],
        domain=domain,
        entity=entity,
        relation=relation,
        value=value,
        polarity=polarity,
        valid_from=start,
        valid_to=end,
    )


def with_interval(statement: Statement, start: str | None, end: str | None) -> Statement:
    """Return `statement` with other bounds and the id that follows from them."""
    return identified(
        statement.domain,
        statement.entity,
        statement.relation,
        statement.value,
        statement.polarity,
        start,
        end,
    )


def at_heading(written: Written, title: str, key: str, unique: bool) -> Written:
    """Resolve the `@heading` subject: the title as a name if it is unique, else the heading key."""
    if written.entity != HEADING_SUBJECT:
        return written
    named = unique and bool(title.strip())
    return Written(
        entity=title if named else key,
        entity_kind="name" if named else "heading",
        relation=written.relation,
        value=written.value,
        kind=written.kind,
        unit=written.unit,
        polarity=written.polarity,
        valid_from=written.valid_from,
        valid_to=written.valid_to,
        domain=written.domain,
    )


def class_at_heading(statement: Statement) -> str:
    """Return the decision class of a reading whose subject is its heading, whatever its title."""
    return digest(
        "cls@heading",
        statement.domain,
        term_key(statement.relation),
        term_key(statement.value),
        "+" if statement.polarity else "-",
    )[:32]


def to_json(written: Written) -> dict[str, object]:
    """Return `written` as the journal holds it; defaults are left out."""
    body: dict[str, object] = {
        "entity": written.entity,
        "relation": written.relation,
        "value": written.value,
    }
    optional: Mapping[str, object] = {
        "entity_kind": None if written.entity_kind == NameKind.NAME else written.entity_kind,
        "kind": written.kind,
        "unit": written.unit,
        "polarity": None if written.polarity else False,
        "valid_from": written.valid_from,
        "valid_to": written.valid_to,
        "domain": None if written.domain == MEMEX else written.domain,
    }
    body.update({key: value for key, value in optional.items() if value is not None})
    return body


def from_json(body: Mapping[str, object]) -> Written:
    """Return the statement that `to_json` wrote."""

    def text(key: str) -> str | None:
        value = body.get(key)
        return None if value is None else str(value)

    return Written(
        entity=str(body["entity"]),
        relation=str(body["relation"]),
        value=str(body["value"]),
        entity_kind=text("entity_kind") or NameKind.NAME.value,
        kind=text("kind"),
        unit=text("unit"),
        polarity=body.get("polarity", True) is not False,
        valid_from=text("valid_from"),
        valid_to=text("valid_to"),
        domain=text("domain") or MEMEX,
    )
