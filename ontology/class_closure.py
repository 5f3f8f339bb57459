"""Classes taken together: implied ones, circles of PARENT, DISJOINT said both ways."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ontology.gathered import Gathered, place
from symbolic.records import ClassDecl


def close_classes(world: Gathered, decls: dict[str, ClassDecl]) -> dict[str, ClassDecl]:
    """Return the classes with implied ones added, cycles cut, DISJOINT said both ways."""
    closed = dict(decls)
    for decl in decls.values():
        for name in (*decl.parents, *decl.disjoint):
            closed.setdefault(name, ClassDecl(name=name, written=name))
    for group in cycles({name: decl.parents for name, decl in closed.items()}):
        _cut(world, closed, group)
    disjoint: dict[str, set[str]] = {}
    for name, decl in decls.items():
        for other in decl.disjoint:
            if _apart(world, closed, name, other):
                disjoint.setdefault(name, set()).add(other)
                disjoint.setdefault(other, set()).add(name)
    return {
        name: replace(
            decl,
            parents=tuple(sorted(decl.parents)),
            disjoint=tuple(sorted(disjoint.get(name, ()))),
        )
        for name, decl in closed.items()
    }


def _cut(world: Gathered, closed: dict[str, ClassDecl], group: frozenset[str]) -> None:
    drafts = sorted((world.drafts["class"][name] for name in group), key=place)
    named = ", ".join(f"'{draft.written}' (line {draft.line})" for draft in drafts)
    world.report(
        drafts[0], "PARENT", "cycle", f"PARENT runs in a circle through {named}",
        "Remove one of these parents; until then none of them counts.",
        drafts[1].line if len(drafts) > 1 else None,
    )
    for name in group:
        decl = closed[name]
        kept = tuple(parent for parent in decl.parents if parent not in group)
        closed[name] = replace(decl, parents=kept)


def _apart(world: Gathered, closed: Mapping[str, ClassDecl], name: str, other: str) -> bool:
    """Return whether two classes can be disjoint: neither lies under the other."""
    if name != other and name not in above(closed, other) and other not in above(closed, name):
        return True
    world.report(
        world.drafts["class"][name], "DISJOINT", "disjoint-parent",
        f"'{name}' cannot exclude '{other}': one lies under the other",
        "Remove the PARENT or the DISJOINT.",
    )
    return False


def above(classes: Mapping[str, ClassDecl], name: str) -> frozenset[str]:
    """Return every class above `name`, itself left out unless it is in a circle."""
    found: set[str] = set()
    ahead = [name]
    while ahead:
        decl = classes.get(ahead.pop())
        for parent in decl.parents if decl else ():
            if parent not in found:
                found.add(parent)
                ahead.append(parent)
    return frozenset(found)


def cycles(edges: Mapping[str, tuple[str, ...]]) -> list[frozenset[str]]:
    """Return the groups of names that reach one another, sorted; iterative, so depth is free."""
    back: dict[str, list[str]] = {}
    for name, targets in edges.items():
        for target in targets:
            back.setdefault(target, []).append(name)
    seen: set[str] = set()
    groups = []
    for name in reversed(_finished(edges)):
        group = _reached(back, name, seen)
        if len(group) > 1 or name in edges.get(name, ()):
            groups.append(group)
    return sorted(groups, key=sorted)


def _finished(edges: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the names in the order in which a depth-first walk leaves them."""
    seen: set[str] = set()
    left: list[str] = []
    for root in sorted(edges):
        ahead = [(root, False)]
        while ahead:
            name, done = ahead.pop()
            if done:
                left.append(name)
            elif name not in seen:
                seen.add(name)
                ahead.append((name, True))
                ahead.extend((target, False) for target in edges.get(name, ()))
    return left


def _reached(back: Mapping[str, list[str]], start: str, seen: set[str]) -> frozenset[str]:
    group: set[str] = set()
    ahead = [start]
    while ahead:
        name = ahead.pop()
        if name not in seen:
            seen.add(name)
            group.add(name)
            ahead.extend(back.get(name, ()))
    return frozenset(group)
