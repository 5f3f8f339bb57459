"""Relations taken together: INVERSE and OPPOSITE said both ways, and what follows from it.

A statement is kept in one direction of an inverse pair, so what is declared of one side is said
of the other as well, turned round.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from ontology.gathered import Gathered
from symbolic.records import STRICTNESS, RelationDecl, ValueKind

LITERALS = frozenset(kind.value for kind in ValueKind)
"""Words of RANGE that are kinds of literals; any other word is a class."""


def close_relations(world: Gathered, decls: Mapping[str, RelationDecl]) -> dict[str, RelationDecl]:
    """Return the relations with implied ones added and both sides of each pair in agreement."""
    pairs = _pairs(world, decls)
    opposites = _opposites(world, decls, pairs)
    named = {**{name: RelationDecl(name=name, written=name) for name in (*pairs, *opposites)},
             **decls}
    closed = {
        name: replace(
            decl, inverse=pairs.get(name), opposite=tuple(sorted(opposites.get(name, ())))
        )
        for name, decl in named.items()
    }
    return {
        name: decl if decl.inverse is None else _with_inverse(world, decl, closed[decl.inverse])
        for name, decl in closed.items()
    }


def _pairs(world: Gathered, decls: Mapping[str, RelationDecl]) -> dict[str, str]:
    partners: dict[str, set[str]] = {}
    for name, decl in decls.items():
        if decl.inverse is not None:
            partners.setdefault(name, set()).add(decl.inverse)
            partners.setdefault(decl.inverse, set()).add(name)
    pairs: dict[str, str] = {}
    for name, decl in decls.items():
        other = decl.inverse
        if other is None:
            continue
        fault = _inverse_fault(decls, partners, world.reserved, name, other)
        if fault is None:
            pairs[name], pairs[other] = other, name
        else:
            world.report(world.drafts["relation"][name], "INVERSE", "inverse", *fault)
    return pairs


def _inverse_fault(
    decls: Mapping[str, RelationDecl],
    partners: Mapping[str, set[str]],
    reserved: Collection[str],
    name: str,
    other: str,
) -> tuple[str, str] | None:
    if name == other:
        return f"'{name}' is named as its own inverse", "Write :SYMMETRIC: t instead."
    for side in (name, other):
        if side in reserved:
            return f"'{side}' is a word of the gates and takes no inverse", "Remove the INVERSE."
        if len(partners[side]) > 1:
            named = ", ".join(f"'{partner}'" for partner in sorted(partners[side]))
            return (
                f"'{side}' has more than one inverse: {named}",
                "Keep one; other names of the same relation are its ALIAS.",
            )
        if side in decls and decls[side].symmetric:
            return (
                f"'{side}' is symmetric, so it is its own inverse",
                "Remove SYMMETRIC, or make the other name an ALIAS.",
            )
    return None


def _opposites(
    world: Gathered, decls: Mapping[str, RelationDecl], pairs: Mapping[str, str]
) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}

    def add(one: str, other: str) -> None:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)

    for name, decl in decls.items():
        draft = world.drafts["relation"][name]
        for other in decl.opposite:
            if other == name:
                world.report(
                    draft, "OPPOSITE", "opposite", f"'{name}' is named as its own opposite",
                    "Name another relation, or remove it.",
                )
                continue
            add(name, other)
            if name in pairs and other in pairs:
                add(pairs[name], pairs[other])
            elif name in pairs or other in pairs:
                paired, alone = (name, other) if name in pairs else (other, name)
                world.report(
                    draft, "OPPOSITE", "opposite-direction",
                    f"'{paired}' has an inverse and '{alone}' has none, so a clash that is told "
                    f"through '{pairs[paired]}' is not seen",
                    f"Give '{alone}' an INVERSE too.", notice=True,
                )
    return found


def _with_inverse(world: Gathered, decl: RelationDecl, other: RelationDecl) -> RelationDecl:
    """Return `decl` with what its inverse declares, turned round."""
    policies = [policy for policy in (decl.policy, other.policy) if policy is not None]
    levels = [level for level in (decl.level, other.level) if level is not None]
    subjects = _either(world, decl, "DOMAIN", decl.domain, other.range)
    values = _either(world, decl, "RANGE", decl.range, other.domain)
    _counted_once(world, decl, other)
    return replace(
        decl,
        policy=max(policies, key=STRICTNESS.__getitem__, default=None),
        functional=decl.functional or other.inverse_functional,
        inverse_functional=decl.inverse_functional or other.functional,
        asymmetric=decl.asymmetric or other.asymmetric,
        irreflexive=decl.irreflexive or other.irreflexive,
        acyclic=decl.acyclic or other.acyclic,
        transitive=decl.transitive or other.transitive,
        domain=subjects,
        range=values,
        min_sources=max(decl.min_sources, other.min_sources),
        level=max(levels, default=None),
    )


def _counted_once(world: Gathered, decl: RelationDecl, other: RelationDecl) -> None:
    """Tell of a CARDINALITY that is not checked, since the other side of the pair has one too."""
    if decl.cardinality is None or other.cardinality is None or decl.name < other.name:
        return
    world.report(
        world.drafts["relation"][decl.name], "CARDINALITY", "inverse-cardinality",
        f"'{decl.name}' and its inverse '{other.name}' both have a CARDINALITY, and only that of "
        f"'{other.name}' is checked",
        "State it on one side only.",
    )


def _either(
    world: Gathered, decl: RelationDecl, key: str, own: tuple[str, ...], turned: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the classes stated on this side, else those on the other; two that differ are told."""
    classes = tuple(word for word in turned if word not in LITERALS)
    if not own or not classes or set(own) == set(classes):
        return own or classes
    draft = world.drafts["relation"][decl.name]
    world.report(
        draft, key, "inverse-classes",
        f"{key} of '{decl.name}' disagrees with its inverse '{decl.inverse}'",
        "State the same classes on both sides, or on one side only.",
    )
    return own
