"""The estimate of what rules may derive: exact where counts say all, and never silent."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from symbolic.records import Declarations, RelationDecl, RuleFile
from symbolic.rules.estimate import NONE, Count, Estimate, estimate
from symbolic.rules.program import compile
from symbolic.rules.syntax import Predicate
from symbolic.rules.words import RULES_MAX_DERIVED


class Table:
    def __init__(self, counts: Mapping[str, tuple[int, int, int]]) -> None:
        self.counts = counts

    def count(self, predicate: Predicate) -> Count:
        found = self.counts.get(predicate.relation)
        return NONE if found is None or predicate.denied else Count(*found)


def estimates(
    text: str, declarations: Declarations | None = None, **counts: tuple[int, int, int]
) -> list[Estimate]:
    program = compile([RuleFile(name="a.dl", text=text)], declarations or Declarations())
    assert not program.faults
    return list(estimate(program, Table(counts)))


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("q(X, Y)", 100),
        ("q(X, Z) & r(Z, Y)", 100 * 50 // 25),
        ("q(X, 'one') & r(X, Y)", 2),
        ("q(X, X) & r(X, Y)", 2),
        ("q(X, _) & r(_, Y)", 100 * 10),
        ("q(X, Y) & none(X, Y)", 0),
        ("q(X, Y) & denied(r, X, Y)", 0),
    ],
)
def test_a_join_is_estimated_from_counts(body: str, rows: int) -> None:
    (one,) = estimates(f"p(X, Y) <= {body}.", q=(100, 100, 20), r=(50, 25, 10))
    assert one.rows == rows and not one.over and not one.recursive


def test_what_is_derived_below_counts_above() -> None:
    below, above = estimates(
        "a(X, Y) <= q(X, Y). b(X, Y) <= a(X, Y).", q=(100, 100, 20)
    )
    assert (below.rows, above.rows) == (100, 100)


def test_a_chain_grows_with_its_rounds_and_never_beyond_all_pairs() -> None:
    text = "far(X, Y) <= near(X, Y). far(X, Z) <= far(X, Y) & near(Y, Z)."
    small = estimates(text, near=(100, 10, 10))
    assert all(one.recursive for one in small)
    assert small[0].component <= 2 * 100 and not small[0].over
    dense = estimates(text, near=(100_000, 2000, 2000))
    assert dense[0].over and dense[0].component > RULES_MAX_DERIVED


def test_a_transitive_relation_is_estimated_too() -> None:
    words = Declarations(relations={"near": RelationDecl(
        name="near", written="near", transitive=True
    )})
    (one,) = estimates("", words, near=(100_000, 2000, 2000))
    assert one.recursive and one.over


def test_a_cross_product_is_warned_of() -> None:
    (one,) = estimates("p(X, Y) <= q(X, _) & r(_, Y).", q=(5000, 5000, 1), r=(5000, 1, 5000))
    assert one.over
