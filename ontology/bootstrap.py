"""Gate tables become facts and the first vocabulary, anew on each load and with no model.

    tables row ──► GateRow (entity, member-of-class, class)     source: its vector or table
    shell row  ──► also (its example, classified-as, quality)
    classes, relations, qualities, provenances ──► VocabularyEntry and Declarations

A row added to a table is a fact more, a row removed one less; there is no other list to keep.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache

from gates.action_tables import NETWORK_SOURCE, PERMISSION_SOURCE, SHELL_SOURCE, TOOL_SOURCE
from gates.content_tables import PRIVACY_SOURCE
from gates.path_tables import SECRET_FILES, SELF_BUILD
from gates.path_tables import SOURCE as PATH_SOURCE
from gates.rows import SeedClass
from gates.seed_tables import CLASSIFIED_AS, MEMBER_OF_CLASS
from gates.tables import SHIPPED, Tables
from ontology.changes import describe
from symbolic.canon import to_json
from symbolic.names import digest, fold
from symbolic.records import (
    ClassDecl,
    Declarations,
    GateRow,
    NameKind,
    Policy,
    RelationDecl,
    Written,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabularyEntry:
    """A word of the seed vocabulary.

    `kind` is class, relation, quality or provenance. `members` are the entities in a class, those
    of its subclasses included, or the entities that carry a quality; as written, in table order.
    """

    name: str
    kind: str
    policy: Policy
    source: str
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seed:
    """What the gate tables say: facts, declarations, vocabulary. Tables have one seed."""

    rows: tuple[GateRow, ...]
    declarations: Declarations
    vocabulary: tuple[VocabularyEntry, ...]


@lru_cache(maxsize=8)
def seed(tables: Tables = SHIPPED) -> Seed:
    """Return the facts, declarations and vocabulary that follow from `tables`."""
    rows = tuple(_rows(tables))
    classes = _classes(tables, rows)
    return Seed(
        rows=rows,
        declarations=_declarations(tables, classes),
        vocabulary=tuple(_vocabulary(tables, classes, rows)),
    )


@lru_cache(maxsize=8)
def tables_hash(tables: Tables = SHIPPED) -> str:
    """Return the sha256 of all that `tables` put into facts, vocabulary and declarations."""
    made = seed(tables)
    lines = sorted(
        json.dumps(line, sort_keys=True, ensure_ascii=False)
        for line in (
            *({"row": row.source, **to_json(row.written)} for row in made.rows),
            *({"word": asdict(entry)} for entry in made.vocabulary),
            *({"declares": line} for line in describe(made.declarations)),
        )
    )
    return digest("tables", *lines)


def _rows(tables: Tables) -> Iterator[GateRow]:
    for path in tables.protected_paths:
        yield _member(PATH_SOURCE, path.pattern, NameKind.PATH, path.member_of)
    for part in tables.self_build_paths:
        yield _member(SELF_BUILD, part.pattern, NameKind.PATH, part.member_of)
    for tag in tables.privacy_tags:
        # Tags compare in any case and are what `tagged` names in prose, so they are plain names.
        yield _member(PRIVACY_SOURCE, tag.tag, NameKind.NAME, tag.member_of)
    for shell in tables.shell_patterns:
        yield _member(SHELL_SOURCE, shell.name, NameKind.SYMBOL, shell.member_of)
        yield _classified(SHELL_SOURCE, shell.example, NameKind.COMMAND, shell.quality)
    for host in tables.trusted_hosts:
        yield _member(NETWORK_SOURCE, host.host, NameKind.HOST, host.member_of)
        yield _classified(NETWORK_SOURCE, host.host, NameKind.HOST, host.quality)
    for permission in tables.permissions:
        yield _member(PERMISSION_SOURCE, permission.tool, NameKind.SYMBOL, permission.member_of)
    for tool in tables.tools:
        yield _member(TOOL_SOURCE, tool.tool, NameKind.SYMBOL, tool.member_of)


def _member(source: str, entity: str, kind: NameKind, member_of: str) -> GateRow:
    return _row(source, entity, kind, MEMBER_OF_CLASS, member_of)


def _classified(source: str, entity: str, kind: NameKind, quality: str) -> GateRow:
    return _row(source, entity, kind, CLASSIFIED_AS, quality)


def _row(source: str, entity: str, kind: NameKind, relation: str, value: str) -> GateRow:
    # The value's kind is stated: a class called "3d" must not be read as three days.
    written = Written(
        entity=entity,
        relation=relation,
        value=value,
        entity_kind=kind.value,
        kind=NameKind.NAME.value,
    )
    return GateRow(source=source, written=written)


def _classes(tables: Tables, rows: tuple[GateRow, ...]) -> tuple[SeedClass, ...]:
    """Return the listed classes and those that only a row names."""
    found = {fold(entry.name): entry for entry in tables.classes}
    for row in rows:
        if row.written.relation == MEMBER_OF_CLASS:
            parent = SECRET_FILES if row.source == PATH_SOURCE else None
            found.setdefault(
                fold(row.written.value), SeedClass(row.written.value, row.source, parent)
            )
    return tuple(found.values())


def _declarations(tables: Tables, classes: tuple[SeedClass, ...]) -> Declarations:
    relations = {
        fold(entry.name): RelationDecl(
            name=fold(entry.name),
            written=entry.name,
            policy=None if entry.shared else Policy.EXCLUSIVE,
            functional=entry.functional,
        )
        for entry in tables.relations
    }
    return Declarations(
        relations=relations,
        classes={fold(entry.name): _class(entry, classes) for entry in classes},
        spelling={fold(word): word for word in _words(tables, classes)},
        gate_classes=frozenset(fold(entry.name) for entry in classes),
        gate_relations=frozenset(fold(e.name) for e in tables.relations if not e.shared),
    )


def _words(tables: Tables, classes: tuple[SeedClass, ...]) -> Iterator[str]:
    yield from (entry.name for entry in classes)
    yield from (entry.name for entry in tables.relations)
    yield from (entry.name for entry in (*tables.qualities, *tables.provenances))


def _class(entry: SeedClass, classes: tuple[SeedClass, ...]) -> ClassDecl:
    own = set(map(fold, entry.disjoint))
    other_way = {fold(e.name) for e in classes if fold(entry.name) in map(fold, e.disjoint)}
    return ClassDecl(
        name=fold(entry.name),
        written=entry.name,
        policy=Policy.EXCLUSIVE,
        parents=() if entry.parent is None else (fold(entry.parent),),
        disjoint=tuple(sorted(own | other_way)),
    )


def _vocabulary(
    tables: Tables, classes: tuple[SeedClass, ...], rows: tuple[GateRow, ...]
) -> Iterator[VocabularyEntry]:
    for entry in classes:
        below = {entry.name, *(e.name for e in classes if e.parent == entry.name)}
        yield _word(entry.name, "class", entry.source, _entities(rows, MEMBER_OF_CLASS, below))
    for relation in tables.relations:
        yield _word(relation.name, "relation", relation.source)
    for quality in tables.qualities:
        carriers = _entities(rows, CLASSIFIED_AS, {quality.name})
        yield _word(quality.name, "quality", quality.source, carriers)
    for provenance in tables.provenances:
        yield _word(provenance.name, "provenance", provenance.source)


def _word(name: str, kind: str, source: str, members: tuple[str, ...] = ()) -> VocabularyEntry:
    return VocabularyEntry(
        name=name, kind=kind, policy=Policy.EXCLUSIVE, source=source, members=members
    )


def _entities(rows: tuple[GateRow, ...], relation: str, values: set[str]) -> tuple[str, ...]:
    wanted = {fold(value) for value in values}
    return tuple(
        row.written.entity
        for row in rows
        if row.written.relation == relation and fold(row.written.value) in wanted
    )
