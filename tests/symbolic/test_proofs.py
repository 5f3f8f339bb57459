"""Proofs come smallest first, each once, and none rests on itself."""

from __future__ import annotations

from itertools import islice, product

from hypothesis import given
from hypothesis import strategies as st

from symbolic.deduced import Premise, Support, Triple
from symbolic.proofs import Proof, deduced, proofs
from symbolic.values import name

RELATION = name("r")


def triple(number: int) -> Triple:
    return Triple("memex", name(f"n{number}"), RELATION, name("v"))


def premise(number: int) -> Premise:
    """A premise: base facts have numbers from 100."""
    fid = f"{number:032x}" if number >= 100 else None
    return Premise(triple(number), None, None, fid)


def support(head: int, rule: str, *below: int) -> Support:
    return Support(triple(head), rule, tuple(map(premise, below)), None, None, 4, False)


Graph = dict[Triple, tuple[Support, ...]]


def graph(*supports: Support) -> Graph:
    found: Graph = {}
    for one in supports:
        found[one.head] = (*found.get(one.head, ()), one)
    return found


def all_proofs(known: Graph, goal: Triple, path: tuple[Triple, ...] = ()) -> list[Proof]:
    """Return every proof without repetition on a path, the slow way."""
    if goal in path:
        return []
    found = []
    for one in known.get(goal, ()):
        below = [
            all_proofs(known, p.triple, (*path, goal)) if deduced(p) else [None]
            for p in one.premises
        ]
        found += [Proof(one, tuple(each)) for each in product(*below)]
    return found


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    nodes = st.integers(0, 4)
    leaves = st.integers(100, 102)
    made = draw(st.lists(
        st.tuples(nodes, st.lists(nodes | leaves, min_size=1, max_size=2)),
        min_size=1, max_size=7, unique_by=lambda one: (one[0], tuple(one[1])),
    ))  # fmt: skip
    return graph(*(support(head, f"rule{n}", *below) for n, (head, below) in enumerate(made)))


@given(graphs())
def test_all_proofs_are_found_and_the_smallest_first(known: Graph) -> None:
    found = list(proofs(triple(0), lambda one: known.get(one, ())))
    wanted = all_proofs(known, triple(0))
    assert sorted(map(repr, found)) == sorted(map(repr, wanted))
    sizes = [proof.size for proof in found]
    assert sizes == sorted(sizes)


def test_a_diamond_of_many_layers_gives_its_first_proofs_at_once() -> None:
    layers = [
        support(n, rule, n + 1, n + 1) for n in range(40) for rule in ("left", "right")
    ]
    known = graph(*layers[:40], support(20, "leaf", 100))
    first = list(islice(proofs(triple(10), lambda one: known.get(one, ())), 3))
    assert [proof.size for proof in first] == [first[0].size] * 3


def test_what_rests_on_itself_alone_has_no_proof() -> None:
    known = graph(support(0, "round", 1), support(1, "about", 0))
    assert list(proofs(triple(0), lambda one: known.get(one, ()))) == []
