"""system/ontology.org as Declarations: parse, check, close.

    bytes ──ontology_file──► entries ──fields──► drafts ──declare──► Declarations, problems

A mistake costs the property or heading it stands in and nothing else; no input raises.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ontology.class_closure import close_classes
from ontology.entries import ONTOLOGY_FILE, Entry, Problem
from ontology.fields import KINDS, Draft, Stated, draft
from ontology.gathered import Gathered, aliases
from ontology.ontology_file import read
from ontology.readers import tolerance_unit
from ontology.relation_closure import LITERALS, close_relations
from symbolic.names import fold
from symbolic.records import ClassDecl, Declarations, RelationDecl
from symbolic.values import convert


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What the file declares, and what is wrong with it, by line."""

    declarations: Declarations
    problems: tuple[Problem, ...]


def parse(
    data: bytes, *, file: str = ONTOLOGY_FILE, reserved: Collection[str] = ()
) -> Parsed:
    """Return what the bytes of an ontology file declare.

    `reserved` holds folded names that no alias may take (those of the seed vocabulary).
    """
    entries, unread = read(data, file)
    parsed = declare(entries, file=file, reserved=reserved)
    return Parsed(
        declarations=parsed.declarations, problems=_by_line([*unread, *parsed.problems])
    )


def declare(
    entries: Sequence[Entry], *, file: str = ONTOLOGY_FILE, reserved: Collection[str] = ()
) -> Parsed:
    """Return what headings declare; the order of differently named ones does not matter."""
    problems: list[Problem] = []
    drafts = _drafts(entries, file, problems)
    world = Gathered(file=file, drafts=drafts, reserved=frozenset(reserved), problems=problems)
    class_alias = aliases(world, "class")
    relation_alias = aliases(world, "relation")
    entity_alias = aliases(world, "entity")
    classes = close_classes(world, {
        name: _class(world, found, class_alias) for name, found in drafts["class"].items()
    })
    relations = close_relations(world, {
        name: _relation(world, found, class_alias, relation_alias)
        for name, found in drafts["relation"].items()
    })
    complete = {
        name: _complete(world, found, relation_alias, relations)
        for name, found in drafts["domain"].items()
    }
    spelling = _spelling(world, [*classes, *relations])
    declarations = Declarations(
        relations={n: replace(d, written=_own(drafts, "relation", n, spelling))
                   for n, d in sorted(relations.items())},
        classes={n: replace(d, written=_own(drafts, "class", n, spelling))
                 for n, d in sorted(classes.items())},
        relation_alias=dict(sorted(relation_alias.items())),
        class_alias=dict(sorted(class_alias.items())),
        entity_alias=dict(sorted(entity_alias.items())),
        complete=dict(sorted(complete.items())),
        spelling=spelling,
    )
    return Parsed(declarations=declarations, problems=_by_line(problems))


def _by_line(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda p: (p.line or 0, p.key, p.excerpt, p.message)))


def _drafts(
    entries: Sequence[Entry], file: str, problems: list[Problem]
) -> dict[str, dict[str, Draft]]:
    drafts: dict[str, dict[str, Draft]] = {kind: {} for kind in KINDS}
    for at, entry in enumerate(entries):
        following = entries[at + 1] if at + 1 < len(entries) else None
        layout = following is not None and following.level > entry.level
        found = draft(entry, file, layout=layout, problems=problems)
        if found is None:
            continue
        first = drafts[found.kind].setdefault(found.name, found)
        if first is not found:
            problems.append(Problem(
                file=file, line=found.line, excerpt=found.written, key="duplicate",
                message=f"the {found.kind} '{found.written}' is declared twice, "
                        f"first at line {first.line}",
                remedy="Join the two headings; until then the first counts.",
                other_line=first.line,
            ))
    return drafts


def _class(world: Gathered, found: Draft, class_alias: Mapping[str, str]) -> ClassDecl:
    return ClassDecl(
        name=found.name,
        written=found.written,
        policy=found.policy,
        parents=world.resolve(found.names("PARENT"), class_alias),
        disjoint=world.resolve(found.names("DISJOINT"), class_alias),
        level=found.count("LEVEL"),
        line=found.line,
    )


def _relation(
    world: Gathered,
    found: Draft,
    class_alias: Mapping[str, str],
    relation_alias: Mapping[str, str],
) -> RelationDecl:
    found = _consistent(world, found)
    inverse = world.resolve(found.names("INVERSE"), relation_alias)
    return RelationDecl(
        name=found.name,
        written=found.written,
        policy=found.policy,
        functional=found.flag("FUNCTIONAL"),
        inverse_functional=found.flag("INVERSE_FUNCTIONAL"),
        symmetric=found.flag("SYMMETRIC"),
        asymmetric=found.flag("ASYMMETRIC"),
        irreflexive=found.flag("IRREFLEXIVE"),
        acyclic=found.flag("ACYCLIC"),
        transitive=found.flag("TRANSITIVE"),
        inverse=inverse[0] if inverse else None,
        opposite=world.resolve(found.names("OPPOSITE"), relation_alias),
        cardinality=found.count("CARDINALITY"),
        domain=tuple(sorted(world.resolve(found.names("DOMAIN"), class_alias))),
        range=_range(world, found, class_alias),
        unit=found.text("UNIT"),
        tolerance=found.text("TOLERANCE"),
        pattern=found.names("PATTERN"),
        min_sources=found.count("MIN_SOURCES") or 1,
        level=found.count("LEVEL"),
        line=found.line,
    )


def _consistent(world: Gathered, found: Draft) -> Draft:
    """Return `found` without properties that cannot hold together."""
    for other in ("ASYMMETRIC", "ACYCLIC"):
        if found.flag("SYMMETRIC") and found.flag(other):
            world.report(
                found, other, "symmetric",
                f"'{found.written}' is declared SYMMETRIC and {other}",
                "Keep one of the two; until then neither counts.",
                found.stated["SYMMETRIC"].line,
            )
            found = _without(found, "SYMMETRIC", other)
    unit, words = found.text("UNIT"), found.names("RANGE")
    if unit is not None and words and "quantity" not in map(fold, words):
        world.report(
            found, "UNIT", "unit-range", "UNIT needs a RANGE of quantity",
            "Write :RANGE: quantity, or remove the UNIT.",
        )
        found = _without(found, "UNIT")
    return _tolerable(world, found)


def _tolerable(world: Gathered, found: Draft) -> Draft:
    unit, tolerance = found.text("UNIT"), found.text("TOLERANCE")
    if unit is None or tolerance is None:
        return found
    mine, stated = convert(Decimal(1), unit), tolerance_unit(tolerance)
    if stated is None or mine is None or mine[1] == stated:
        return found
    world.report(
        found, "TOLERANCE", "tolerance", f"a tolerance in {stated} does not fit the unit {unit}",
        f"State it in {unit} or as a share: 0.5 %.",
    )
    return _without(found, "TOLERANCE")


def _without(found: Draft, *keys: str) -> Draft:
    kept: dict[str, Stated] = {k: v for k, v in found.stated.items() if k not in keys}
    return replace(found, stated=kept)


def _range(world: Gathered, found: Draft, class_alias: Mapping[str, str]) -> tuple[str, ...]:
    """Return RANGE in its order, since literal kinds are tried in it.

    Beside a literal kind a word that is no declared class is a slip of the pen: RANGE is left out.
    """
    words: dict[str, None] = {}
    for word in found.names("RANGE"):
        literal = fold(word) in LITERALS
        words[fold(word) if literal else world.resolve((word,), class_alias)[0]] = None
    known = {*LITERALS, *world.drafts["class"], *world.reserved}
    unknown = [word for word in words if word not in known]
    if unknown and LITERALS & words.keys():
        world.report(
            found, "RANGE", "range",
            f"RANGE names a kind of literal beside '{unknown[0]}', which is neither a kind nor a "
            "declared class",
            f"The kinds are {', '.join(sorted(LITERALS))}; declare the class if it is one.",
        )
        return ()
    return tuple(words)


def _complete(
    world: Gathered,
    found: Draft,
    relation_alias: Mapping[str, str],
    relations: Mapping[str, RelationDecl],
) -> frozenset[str]:
    """Return the relations a domain holds whole; whole one way is whole the other way."""
    named = world.resolve(found.names("COMPLETE"), relation_alias)
    inverses = [relations[name].inverse for name in named if name in relations]
    return frozenset([*named, *(name for name in inverses if name is not None)])


def _spelling(world: Gathered, implied: Iterable[str]) -> dict[str, str]:
    """Return a written form of every name; of two kinds of one name that of the class counts."""
    found = {name: min(world.heard.get(name, {name})) for name in implied}
    for kind in reversed(KINDS):
        found.update((name, own.written) for name, own in world.drafts[kind].items())
    return dict(sorted(found.items()))


def _own(
    drafts: Mapping[str, Mapping[str, Draft]], kind: str, name: str, spelling: Mapping[str, str]
) -> str:
    own = drafts[kind].get(name)
    return own.written if own else spelling[name]
