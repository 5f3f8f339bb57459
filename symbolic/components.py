"""Strongly connected components, by Tarjan's algorithm without recursion."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def components(ahead: Mapping[Node, Sequence[Node]]) -> list[set[Node]]:
    """Return the strongly connected components of a graph, those that others lead to first.

    Every node that an edge leads to has to be a key of `ahead`.
    """
    order: dict[Node, int] = {}
    low: dict[Node, int] = {}
    stack: list[Node] = []
    on: set[Node] = set()
    found: list[set[Node]] = []
    for root in ahead:
        if root in order:
            continue
        work: list[tuple[Node, Iterator[Node]]] = [(root, iter(ahead[root]))]
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


def _pop(root: Node, stack: list[Node], on: set[Node]) -> set[Node]:
    component: set[Node] = set()
    while root not in component:
        node = stack.pop()
        on.discard(node)
        component.add(node)
    return component
