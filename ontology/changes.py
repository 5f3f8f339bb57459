"""Declarations as plain data: one object a subject, and what changed between two states.

A subject is `class/NAME`, `relation/NAME`, `domain/NAME` or `entity/NAME`, folded; its fields bear
the names of the Org properties, and KIND says that it exists. Line numbers and spellings are left
out: they say nothing about the world.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ontology.readers import FLAGS
from symbolic.records import ClassDecl, Declarations, RelationDecl

RULES = "rules/"
"""How the subject of an `ontology` line begins that approves a rule file; it declares nothing."""

Field = str | int | bool | list[str]
Snapshot = dict[str, dict[str, Field]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One field of one subject before and after; None where it is not stated."""

    subject: str
    field: str
    before: Field | None
    after: Field | None


def snapshot(decls: Declarations) -> Snapshot:
    """Return `decls` as plain JSON: {subject: {field: value}}, fields that say nothing left out."""
    found: Snapshot = {}
    for name, klass in decls.classes.items():
        found[f"class/{name}"] = {"KIND": "class", **_class(klass)}
    for name, relation in decls.relations.items():
        found[f"relation/{name}"] = {"KIND": "relation", **_relation(relation)}
    for name, complete in decls.complete.items():
        found[f"domain/{name}"] = _kept({"KIND": "domain", "COMPLETE": sorted(complete)})
    for kind, aliases in (
        ("class", decls.class_alias),
        ("relation", decls.relation_alias),
        ("entity", decls.entity_alias),
    ):
        for name in sorted(set(aliases.values())):
            own = found.setdefault(f"{kind}/{name}", {"KIND": kind})
            own["ALIAS"] = sorted(alias for alias, target in aliases.items() if target == name)
    return dict(sorted(found.items()))


def describe(decls: Declarations) -> list[dict[str, Field]]:
    """Return `decls` as canonical JSON-able objects, sorted, for a digest."""
    return [{"subject": subject, **fields} for subject, fields in snapshot(decls).items()]


def difference(before: Snapshot, after: Snapshot) -> tuple[Change, ...]:
    """Return the changes that lead from `before` to `after`, sorted; applied, they do."""
    changes = []
    for subject in sorted({*before, *after}):
        old, new = before.get(subject, {}), after.get(subject, {})
        changes += [
            Change(subject=subject, field=field, before=old.get(field), after=new.get(field))
            for field in sorted({*old, *new})
            if old.get(field) != new.get(field)
        ]
    return tuple(changes)


def applied(before: Snapshot, changes: Iterable[Change]) -> Snapshot:
    """Return `before` with `changes` made in their order; a subject without fields is gone."""
    after = {subject: dict(fields) for subject, fields in before.items()}
    for change in changes:
        own = after.setdefault(change.subject, {})
        if change.after is None:
            own.pop(change.field, None)
        else:
            own[change.field] = change.after
    return {subject: fields for subject, fields in sorted(after.items()) if fields}


def _class(decl: ClassDecl) -> dict[str, Field]:
    return _kept({
        "POLICY": decl.policy.value if decl.policy else None,
        "PARENT": list(decl.parents),
        "DISJOINT": list(decl.disjoint),
        "LEVEL": decl.level,
    })


def _relation(decl: RelationDecl) -> dict[str, Field]:
    return _kept({
        "POLICY": decl.policy.value if decl.policy else None,
        **{flag: bool(getattr(decl, flag.lower())) for flag in FLAGS},
        "INVERSE": decl.inverse,
        "OPPOSITE": list(decl.opposite),
        "CARDINALITY": decl.cardinality,
        "DOMAIN": list(decl.domain),
        "RANGE": list(decl.range),
        "UNIT": decl.unit,
        "TOLERANCE": decl.tolerance,
        "PATTERN": list(decl.pattern),
        "MIN_SOURCES": None if decl.min_sources == 1 else decl.min_sources,
        "LEVEL": decl.level,
    })


def _kept(fields: Mapping[str, Field | None]) -> dict[str, Field]:
    return {
        key: value
        for key, value in fields.items()
        if value is not None and value is not False and value != []
    }
