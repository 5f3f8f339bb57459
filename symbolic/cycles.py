"""Cycles of a relation declared acyclic: strongly connected components of its edges.

Only what the given names reach is walked, along edges, so a change costs its own ancestors.
"""

from __future__ import annotations

from collections.abc import Iterable

from symbolic.canon import term_key
from symbolic.components import components
from symbolic.constraints import Facts, Finding, Group
from symbolic.records import Name, Overlap
from symbolic.timeline import Case, extents


def tangles(
    domain: str, relation: str, seeds: Iterable[Name], facts: Facts, zone: str
) -> list[Finding]:
    """Return the cycles of an acyclic relation that the names `seeds` can reach.

    Every component of a seed is among them, for it lies within what the seed reaches.
    """
    edges = _reached(domain, relation, seeds, facts)
    ahead = {node: [_to(case) for case in out] for node, out in edges.items()}
    found = []
    for component in components(ahead):
        inside = [c for node in component for c in edges[node] if _to(c) in component]
        if not inside:
            continue
        smallest = min(component, key=term_key)
        whole = all(extents(case, zone) == [(None, None)] for case in inside)
        ordered = tuple(sorted(inside, key=lambda case: case.fid))
        group = Group("acyclic", domain, (relation,), smallest)
        found.append(Finding(group, Overlap.YES if whole else Overlap.MAYBE, ordered))
    return found


def _reached(
    domain: str, relation: str, seeds: Iterable[Name], facts: Facts
) -> dict[Name, list[Case]]:
    edges: dict[Name, list[Case]] = {}
    todo = list(seeds)
    while todo:
        node = todo.pop()
        if node in edges:
            continue
        edges[node] = [
            case
            for case in facts.slot(domain, node, relation)
            if case.polarity and isinstance(case.value, Name)
        ]
        todo.extend(_to(case) for case in edges[node])
    return edges


def _to(case: Case) -> Name:
    assert isinstance(case.value, Name)
    return case.value
