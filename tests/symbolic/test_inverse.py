"""Inverse and symmetric relations: nothing depends on how the names of the two sides sort."""

from __future__ import annotations

import pytest

from ontology.declarations import parse
from symbolic.canon import canonical, kept_side
from symbolic.records import Declarations, Written
from tests.cli import Memex, relation

PAIRS = [("child-of", "parent-of"), ("x-child-of", "parent-of")]
"""A relation that counts and its inverse, sorted either way."""


def declared(text: str) -> Declarations:
    """Return what an ontology declares, which has no mistake in it."""
    parsed = parse(text.encode())
    assert parsed.problems == ()
    return parsed.declarations


@pytest.mark.parametrize(("counted", "other"), PAIRS)
def test_the_side_that_counts_is_kept(counted: str, other: str) -> None:
    """Both ways of saying it are one fact, kept in the relation that has a CARDINALITY."""
    decls = declared(relation(counted, inverse=other, cardinality="2"))
    here = Written(entity="Ada", relation=counted, value="Byron")
    there = Written(entity="Byron", relation=other, value="Ada")
    assert canonical(here, decls) == canonical(there, decls)
    name = counted.replace("-", " ")
    assert canonical(there, decls).relation.canon == name
    assert kept_side(name, decls) == kept_side(other.replace("-", " "), decls) == name


def test_without_a_count_the_first_name_is_kept() -> None:
    """The direction is fixed by the names, whichever of the two is declared."""
    decls = declared(relation("b", inverse="a"))
    assert kept_side("a", decls) == kept_side("b", decls) == "a"
    assert kept_side("unheard of", decls) == "unheard of"


def test_two_counts_are_reported() -> None:
    """Only one of two cardinalities can be checked: the file is told which."""
    text = relation("a", inverse="b", cardinality="1") + relation("b", cardinality="3")
    problem, = parse(text.encode()).problems
    assert (problem.key, problem.excerpt) == ("inverse-cardinality", ":CARDINALITY: 3")
    assert "only that of 'a' is checked" in problem.message


@pytest.mark.parametrize(("counted", "other"), PAIRS)
def test_too_many_are_flagged_in_either_words(memex: Memex, counted: str, other: str) -> None:
    """Three parents are one too many, whichever side states them and whatever it is called."""
    memex.ontology(relation(counted, inverse=other, cardinality="2")).begin()
    for parent in ("Anne", "George", "Mary"):
        memex.declare(f'(:entity "{parent}" :relation :{other} :value "Ada")')
    (members,) = memex.conflicts()
    assert len(members) == 3


@pytest.mark.parametrize(("one", "two"), [("Ada", "Zoe"), ("Zoe", "Ada")])
def test_a_symmetric_fact_refers_to_both(memex: Memex, one: str, two: str) -> None:
    """`referenced_by` names it for either spouse, though it is kept one way round."""
    memex.ontology(relation("married-to", symmetric="t")).begin()
    memex.declare(f'(:entity "{one}" :relation :married-to :value "{two}")')
    wed = memex.fact("? married-to ?")
    for name in (one, two):
        memex.declare(f'(:entity "{name}" :relation :plays :value "whist")')
        assert memex.fact(f"{name} plays ?")["referenced_by"] == [wed["id"]]
