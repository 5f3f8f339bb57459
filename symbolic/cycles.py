"""Cycles of a relation declared acyclic: strongly connected components of its edges.

Only what the given names reach is walked, along edges, so a change costs its own ancestors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from symbolic.canon import term_key
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


def components(ahead: Mapping[Name, Sequence[Name]]) -> list[set[Name]]:
    """Return the strongly connected components of a graph (Tarjan, without recursion)."""
    order: dict[Name, int] = {}
    low: dict[Name, int] = {}
    stack: list[Name] = []
    on: set[Name] = set()
    found: list[set[Name]] = []
    for root in ahead:
        if root in order:
            continue
        work: list[tuple[Name, Iterator[Name]]] = [(root, iter(ahead[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    found.append(_pop(node, stack, on))
            elif following not in order:
                order[following] = low[following] = len(order)
                stack.append(following)
                on.add(following)
                work.append((following, iter(ahead[following])))
            elif following in on:
                low[node] = min(low[node], order[following])
    return found


def _pop(root: Name, stack: list[Name], on: set[Name]) -> set[Name]:
    component: set[Name] = set()
    while root not in component:
        node = stack.pop()
        on.discard(node)
        component.add(node)
    return component
