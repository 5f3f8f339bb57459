"""contradictions.dl is the specification of the declared constraints: it finds what the fold finds.

Each of its lines, and each literal of each, is there for a reason: without it some world differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic.canon import canonical
from symbolic.model.world import World, fold
from symbolic.records import ClassDecl, Declarations, Name, NameKind, Policy, Written
from symbolic.rules.datalog import run
from symbolic.rules.reified import Conflicted, Reified, conflicts, contradictions, read, worlds
from symbolic.rules.syntax import Clause, Compare, Literal, Variable
from symbolic.rules.syntax import Reified as BuiltIn
from symbolic.store.store import Store
from symbolic.values import name
from symbolic.world import Change, Inputs, View
from tests.symbolic.build import declare, relation, says
from tests.symbolic.histories import DECLARATIONS, OTHER, ROWS, History, histories

CLOSED = replace(
    DECLARATIONS, relations={**DECLARATIONS.relations, "likes": relation("likes")}
)
"""What ontology.org gives: the other side of an OPPOSITE is a relation too."""

few = settings(max_examples=settings.default.max_examples // 5)

WORDS = Declarations(
    relations={
        decl.name: decl
        for decl in (
            relation("born in", functional=True, policy=Policy.EXCLUSIVE),
            relation("lives in", functional=True, policy=Policy.TEMPORAL),
            relation("height", functional=True, unit="m", tolerance="5 m"),
            relation("chair of", functional=True, inverse_functional=True),
            relation("called", inverse_functional=True),
            relation("likes", opposite=("hates",)),
            relation("hates"),
            relation("eats", irreflexive=True),
            relation("parent of", asymmetric=True),
            relation("below", acyclic=True),
            relation("has", cardinality=1),
            relation("owns", domain=("person", "firm")),
            relation("made of", range=("metal", "wood", "text")),
            relation("grown in", range=("place",)),
            relation("mass", range=("quantity", "decimal")),
            relation("free"),
        )
    },
    classes={
        decl.name: decl
        for decl in (
            ClassDecl(name="person", written="person", disjoint=("firm",)),
            ClassDecl(name="author", written="author", parents=("person",)),
            ClassDecl(name="firm", written="firm", parents=("body",)),
            ClassDecl(name="bank", written="bank", parents=("firm",)),
            ClassDecl(name="place", written="place", disjoint=("body",)),
        )
    },
)

TOPICS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "functional": (("born in", "lives in", "free"), ("Rome", "Oslo")),
    "tolerance": (("height", "free"), ("100", "104 m", "0.2 km", "tall")),
    "inverse-functional": (("called", "chair of", "free"), ("Rome", "7")),
    "polarity": (("free", "born in", "lives in"), ("Rome", "7")),
    "opposite": (("likes", "hates", "free"), ("Ada", "Rome")),
    "disjoint": (("member of class", "free"), ("author", "bank", "place", "person", "thing")),
    "irreflexive": (("eats", "free", "parent of"), ("Ada", "Bob")),
    "asymmetric": (("parent of", "free"), ("Ada", "Bob", "/ada")),
    "acyclic": (("below", "free"), ("Ada", "Bob", "/ada", "Cy")),
    "cardinality": (("has", "free"), ("Rome", "Oslo")),
    "domain": (("owns", "member of class", "free"), ("author", "place", "thing")),
    "range": (("made of", "grown in", "member of class"), ("Ada", "7", "metal", "place", "wood")),
    "unit": (("height", "mass", "made of"), ("7", "7.5", "7 kg", "7 m", "Ada")),
}
"""For each constraint relations and values that get in its way, and one that it leaves alone."""

SPANS = (
    (None, None), (None, None), ("2020", "2021"), ("2021", None), ("2020-06", None), (None, "2020"),
    ("?", "2021"), (None, "?"),
)  # fmt: skip


def kinded(word: str) -> dict[str, str]:
    return {"entity_kind": "path"} if word.startswith("/") else {}


@st.composite
def statements(draw: st.DrawFn, topic: str) -> list[Written]:
    """Draw statements about one topic."""
    relations, values = TOPICS[topic]
    made = []
    for _ in range(draw(st.integers(2, 5))):
        entity, value = draw(st.sampled_from(("Ada", "Bob", "/ada"))), draw(st.sampled_from(values))
        start, end = draw(st.sampled_from(SPANS))
        made.append(says(
            entity, draw(st.sampled_from(relations)), value,
            kind="path" if value.startswith("/") else None, valid_from=start, valid_to=end,
            polarity=draw(st.sampled_from((True, True, True, False))),
            domain=draw(st.sampled_from(("memex", "memex", "memex", "wiki"))), **kinded(entity),
        ))
    return made


def world(said: list[Written], declarations: Declarations = WORDS) -> World:
    lines = tuple(declare(one, at) for at, one in enumerate(said, start=1))
    return fold(Inputs(lines=lines, declarations=declarations))


def expected(view: View) -> set[Conflicted]:
    return {
        (one.constraint, one.domain, one.key, fid)
        for one in view.conflicts() for fid in one.members
    }


# --- the law --------------------------------------------------------------------------------------


@pytest.mark.law
@given(histories(max_steps=4), st.sampled_from((CLOSED, OTHER)))
@few
def test_it_finds_the_conflicts_of_the_fold(history: History, declarations: Declarations) -> None:
    whole = history.whole
    view = fold(Inputs(
        headings=whole.headings, readings=whole.readings, lines=whole.lines, rows=ROWS,
        declarations=declarations, zone="Asia/Tokyo",
    ))
    assert conflicts(view) == expected(view)


@pytest.mark.law
@given(st.sampled_from(sorted(TOPICS)).flatmap(statements))
@few
def test_it_finds_the_conflicts_of_the_store_in_every_corner(said: list[Written]) -> None:
    with Store.memory(declarations=WORDS) as store:
        store.apply(Change(lines=tuple(declare(one, at) for at, one in enumerate(said, start=1))))
        assert conflicts(store) == expected(store) == expected(world(said))


# --- every line counts ----------------------------------------------------------------------------

HAND_MADE: tuple[tuple[Written, ...], ...] = (
    (says("Ada", "born in", "Rome"), says("Ada", "born in", "Oslo")),
    (says("Ada", "free", "Rome"), says("Ada", "free", "Oslo")),
    (says("Ada", "born in", "Rome"), says("Ada", "born in", "Oslo", polarity=False)),
    (says("Ada", "born in", "Rome", valid_to="2020"),
     says("Ada", "born in", "Oslo", valid_from="2021"), says("Bob", "born in", "Oslo")),
    (says("Ada", "born in", "Rome", valid_to="2020"), says("Ada", "born in", "Rome")),
    (says("Ada", "lives in", "Rome", valid_from="2020"),
     says("Ada", "lives in", "Oslo", valid_from="2021"), says("Bob", "lives in", "Cork")),
    (says("Ada", "height", "100"), says("Ada", "height", "104"), says("Bob", "height", "7 kg")),
    (says("Ada", "called", "A"), says("Bob", "called", "A"), says("Bob", "called", "B")),
    (says("Ada", "called", "A"), says("Ada", "called", "A", valid_from="2020")),
    (says("Ada", "called", "A"), says("Bob", "called", "A", polarity=False)),
    (says("Ada", "called", "A", polarity=False), says("Bob", "called", "A")),
    (says("Ada", "called", "A", valid_to="2020"), says("Bob", "called", "A", valid_from="2021"),
     says("Ada", "born in", "A", valid_to="2020"), says("Bob", "chair of", "A")),
    (says("Ada", "free", "A"), says("Bob", "free", "A")),
    (says("Ada", "free", "A"), says("Ada", "free", "A", polarity=False)),
    (says("Ada", "free", "A", valid_to="2020"),
     says("Ada", "free", "A", polarity=False, valid_from="2021")),
    (says("Ada", "free", "A"), says("Ada", "free", "A", valid_from="2020")),
    (says("Ada", "free", "A"), says("Ada", "free", "B", polarity=False)),
    (says("Ada", "free", "A"), says("Bob", "free", "A", polarity=False)),
    (says("Ada", "free", "A"), says("Ada", "eats", "A", polarity=False)),
    (says("Ada", "likes", "A"), says("Ada", "hates", "A")),
    (says("Ada", "likes", "A"), says("Ada", "hates", "A", polarity=False)),
    (says("Ada", "likes", "A", polarity=False), says("Ada", "hates", "A")),
    (says("Ada", "likes", "A"), says("Ada", "hates", "B"), says("Bob", "hates", "A")),
    (says("Ada", "likes", "A"), says("Ada", "free", "A"), says("Ada", "eats", "A")),
    (says("Ada", "likes", "A", valid_to="2020"), says("Ada", "hates", "A", valid_from="2021")),
    (says("Ada", "member of class", "author"), says("Ada", "member of class", "bank")),
    (says("Ada", "member of class", "author"), says("Bob", "member of class", "bank")),
    (says("Ada", "member of class", "author"), says("Ada", "member of class", "thing")),
    (says("Ada", "member of class", "author"),
     says("Ada", "member of class", "bank", polarity=False)),
    (says("Ada", "member of class", "author", polarity=False),
     says("Ada", "member of class", "bank")),
    (says("Ada", "member of class", "author", valid_to="2020"),
     says("Ada", "member of class", "bank", valid_from="2021")),
    (says("Ada", "member of class", "author"), says("Ada", "free", "bank"),
     says("Bob", "free", "author"), says("Bob", "member of class", "bank")),
    (says("Ada", "parent of", "Bob"), says("Bob", "parent of", "Ada")),
    (says("Ada", "parent of", "Bob"), says("Bob", "parent of", "Ada", polarity=False)),
    (says("Ada", "parent of", "Bob", polarity=False), says("Bob", "parent of", "Ada")),
    (says("Ada", "parent of", "Bob", valid_to="2020"),
     says("Bob", "parent of", "Ada", valid_from="2021")),
    (says("Ada", "parent of", "Bob"), says("Bob", "parent of", "Cy")),
    (says("Ada", "parent of", "Ada"), says("Ada", "parent of", "Ada", valid_from="2020")),
    (says("Ada", "free", "Bob"), says("Bob", "free", "Ada")),
    (says("Ada", "parent of", "/ada", kind="path"),
     says("/ada", "parent of", "Ada", entity_kind="path")),
    (says("Ada", "eats", "Ada"), says("Ada", "free", "Ada"), says("Bob", "eats", "Ada")),
    (says("Ada", "eats", "Ada", polarity=False), says("Ada", "parent of", "Ada", polarity=False)),
    (says("Ada", "below", "Bob"), says("Bob", "below", "Cy"), says("Cy", "below", "Ada"),
     says("Cy", "below", "Dan"), says("Eve", "below", "Cy"), says("Ada", "free", "Bob")),
    (says("Ada", "below", "Bob"), says("Bob", "below", "Ada", polarity=False)),
    (says("Ada", "below", "Bob"), says("Bob", "below", "Cy"),
     says("Cy", "below", "Ada", polarity=False)),
    (says("Ada", "below", "/ada", kind="path"), says("/ada", "below", "Ada", entity_kind="path")),
    (says("Bob", "below", "Cy"), says("Cy", "below", "Bob"), says("Cy", "below", "Ada")),
    (says("Bob", "below", "Cy"), says("Cy", "below", "Bob"), says("Ada", "below", "Bob")),
    (says("Bob", "below", "/b", kind="path"), says("/b", "below", "Bob", entity_kind="path"),
     says("host", "below", "Bob", entity_kind="host"), says("a", "below", "/b", entity_kind="host"),
     says("/b", "below", "b", entity_kind="path", kind="host")),
    (says("Ada", "free", "Bob"), says("Bob", "free", "Ada"), says("Bob", "free", "Bob")),
    (says("Ada", "below", "Bob"), says("Bob", "below", "Ada"), says("Ada", "below", "Bob",
     polarity=False)),
    (says("Ada", "has", "Rome"), says("Ada", "has", "Oslo")),
    (says("Rome", "owns", "Ada"), says("Rome", "member of class", "place")),
    (says("Rome", "owns", "Ada", polarity=False), says("Rome", "member of class", "place")),
    (says("Bob", "owns", "Ada"), says("Bob", "member of class", "author")),
    (says("Bob", "owns", "Ada"), says("Bob", "free", "author")),
    (says("Rome", "free", "Ada"), says("Rome", "member of class", "place")),
    (says("Ada", "grown in", "Bob"), says("Bob", "member of class", "author")),
    (says("Ada", "grown in", "Bob", polarity=False), says("Bob", "member of class", "author")),
    (says("Ada", "grown in", "Bob"), says("Bob", "member of class", "place")),
    (says("Ada", "grown in", "Bob"), says("Ada", "free", "Cy")),
    (says("Ada", "free", "Bob"), says("Bob", "member of class", "author")),
    (says("Ada", "mass", "Bob"), says("Ada", "height", "7 kg"), says("Bob", "height", "7")),
    (says("Ada", "mass", "Bob", polarity=False), says("Ada", "free", "7")),
)
"""Small worlds: one for each side of each constraint, and those that only just break none."""


@cache
def hand_made() -> tuple[tuple[World, set[Conflicted]], ...]:
    """Return the hand-made worlds with what the fold finds in them."""
    made = [world(list(said)) for said in HAND_MADE]
    return tuple((one, expected(one)) for one in made)


def differs(clauses: tuple[Clause, ...]) -> bool:
    return any(conflicts(view, clauses) != found for view, found in hand_made())


def test_the_hand_made_worlds_agree() -> None:
    for (view, found), said in zip(hand_made(), HAND_MADE, strict=True):
        assert conflicts(view) == found, said
    seen = {constraint for _, found in hand_made() for constraint, *_ in found}
    assert seen == {one.head.arguments[0].term.canon.replace(" ", "-")  # type: ignore[union-attr]
                    for one in contradictions() if one.head.name == "conflict"}  # type: ignore[union-attr]


LINES = [
    line for line in
    files("symbolic.rules").joinpath("contradictions.dl").read_text(encoding="utf-8").splitlines()
    if line.strip() and not line.startswith("%")
]


@pytest.mark.parametrize("line", LINES, ids=[line[:48] for line in LINES])
def test_without_any_line_some_conflict_is_missed_or_made_up(line: str) -> None:
    kept = "\n".join(one for one in LINES if one is not line)
    if line.startswith("both"):
        with pytest.raises(ValueError, match="nothing defines both"):
            differs(read(kept))
    else:
        assert differs(read(kept))


def runs(clause: Clause) -> bool:
    """Return whether all that is compared, denied or tested is found before."""
    found: set[str] = set()
    for one in clause.body:
        asked = [a.name for a in arguments(one) if isinstance(a, Variable)]
        test = isinstance(one, Compare) or (
            isinstance(one, BuiltIn) and (one.absent or one.name in ("apart", "meets", "clashes"))
        )
        if test and not found.issuperset(name for name in asked if not name.startswith("_")):
            return False
        found.update(asked)
    assert isinstance(clause.head, BuiltIn)
    return all(not isinstance(a, Variable) or a.name in found for a in clause.head.arguments)


def arguments(one: Literal) -> Iterator[object]:
    if isinstance(one, Compare):
        yield from (one.left, one.right)
    elif isinstance(one, BuiltIn):
        yield from one.arguments


MUTANTS = [
    (number, at)
    for number, clause in enumerate(contradictions())
    for at in range(len(clause.body))
    if runs(replace(clause, body=clause.body[:at] + clause.body[at + 1 :]))
]


@pytest.mark.parametrize(("number", "at"), MUTANTS)
def test_without_any_literal_some_conflict_is_missed_or_made_up(number: int, at: int) -> None:
    clauses = list(contradictions())
    clause = clauses[number]
    clauses[number] = replace(clause, body=clause.body[:at] + clause.body[at + 1 :])
    assert differs(tuple(clauses)), f"{clause.place.line}: literal {at + 1} is not needed"


# --- the built-ins --------------------------------------------------------------------------------


def built(*said: Written) -> Reified:
    (one,) = worlds(world(list(said)))
    return one


def rows(one: Reified, table: str) -> set[tuple[str, ...]]:
    return {tuple(term.canon for term in row) for row in one.tables()[table]}


def answers(one: Reified, test: str, *asked: str | Name | None) -> set[str]:
    partial = tuple(name(a) if isinstance(a, str) else a for a in asked)
    return {row[-1].canon for row in one.tests()[test](partial)}


def test_stmt_and_its_polarity() -> None:
    no = says("Ada", "free", "7", polarity=False)
    fid = canonical(no, WORDS).fid
    assert rows(built(no), "stmt") == {(fid, "free", "ada", "7", "no")}


def test_declared() -> None:
    found = rows(built(says("Ada", "member of class", "unheard of")), "declared")
    assert {
        ("born in", "functional", "yes"), ("likes", "opposite", "hates"),
        ("hates", "opposite", "likes"), ("has", "cardinality", "1"),
        ("owns", "domain", "firm or person"), ("made of", "range", "metal or wood"),
        ("firm", "disjoint", "person"), ("bank", "within", "body"), ("bank", "within", "bank"),
        ("unheard of", "within", "unheard of"), ("height", "takes", "quantity in m"),
        ("grown in", "takes", "path"),
    } <= found
    assert ("person", "disjoint", "firm") not in found, "a pair is declared once"
    assert not any(one[:2] == ("born in", "takes") for one in found)


def test_member_is_closed_and_denials_make_none() -> None:
    found = rows(built(
        says("Ada", "member of class", "bank"),
        says("Ada", "member of class", "place", polarity=False),
    ), "member")
    assert {klass for _, klass in found} == {"bank", "firm", "body", "firm or person"}


def test_kind() -> None:
    found = rows(built(says("Ada", "free", "7 m"), says("Ada", "free", "7.5")), "kind")
    assert found == {("7 m", "quantity in m"), ("7.5", "decimal"), ("ada", "name")}


def test_apart_is_beyond_tolerance() -> None:
    one = built(says("Ada", "height", "100"), says("Ada", "height", "105"))
    terms = {term.canon: term for row in one.tables()["stmt"] for term in (row[3],)}
    near, far = terms["100 m"], terms["105 m"]
    assert not list(one.tests()["apart"]((name("height"), near, far)))
    assert list(one.tests()["apart"]((name("free"), near, far)))
    assert not list(one.tests()["apart"]((name("free"), near, near)))


@pytest.mark.parametrize(
    ("relation", "one", "other", "meets", "clashes"),
    [
        ("free", ("2020", "2023"), ("2021", None), {"yes"}, {"yes"}),
        ("free", ("2020", "2022"), ("2021", None), {"maybe"}, {"maybe"}),
        ("free", ("2020", "2021"), ("2021", None), set(), set()),
        ("free", (None, None), (None, "?"), {"maybe"}, {"maybe"}),
        ("lives in", ("2020", None), ("2021", None), set(), set()),
        ("lives in", ("2020", "2023"), ("2021", None), {"yes"}, {"maybe"}),
        ("lives in", ("2020", None), ("2020-06", None), {"yes", "maybe"}, {"maybe"}),
    ],
)
def test_meets_is_overlap_and_clashes_is_the_timeline(
    relation: str, one: tuple[str | None, str | None], other: tuple[str | None, str | None],
    meets: set[str], clashes: set[str],
) -> None:
    said = [
        says("Ada", relation, value, valid_from=start, valid_to=end)
        for value, (start, end) in (("A", one), ("B", other))
    ]
    table = built(*said)
    first, second = (
        Name(NameKind.SYMBOL, canonical(one, WORDS).fid, "") for one in said
    )
    found = answers(table, "meets", first, second, None)
    assert found == meets or (len(meets) > 1 and found < meets)
    assert answers(table, "clashes", first, second, None) == clashes
    assert not answers(table, "meets", first, first, None), "a fact does not meet itself"


def test_over_is_more_than_cardinality_at_one_instant() -> None:
    apart_in_time = (says("Ada", "has", "A", valid_to="2020"), says("Ada", "has", "B",
                     valid_from="2021"))
    assert not rows(built(*apart_in_time), "over")
    both = (says("Ada", "has", "A", valid_to="2021"), says("Ada", "has", "B", valid_from="2020"))
    assert {row[:2] for row in rows(built(*both), "over")} == {("has", "ada")}
    assert len(rows(built(*both), "over")) == 2
    assert not rows(built(says("Ada", "has", "A"), says("Ada", "has", "B", polarity=False)), "over")


# --- the evaluator --------------------------------------------------------------------------------

TERMS = st.sampled_from([name(word) for word in "abcde"])
EDGES = st.sets(st.tuples(TERMS, TERMS), max_size=12)


@given(EDGES)
@few
def test_recursion_and_absence_are_those_of_a_graph(edges: set[tuple[Name, Name]]) -> None:
    clauses = read(
        "far(X, Y) <= edge(X, Y).\nfar(X, Z) <= far(X, Y) & edge(Y, Z).\n"
        "conflict(X, Y) <= edge(X, _) & edge(_, Y) & ~far(X, Y) & X != Y.\n"
    )
    found = run(clauses, {"edge": set(edges)}, {})
    reached = set(edges)
    while fresh := {(x, z) for x, y in reached for w, z in edges if y == w} - reached:
        reached |= fresh
    assert found["far"] == reached
    heads, tails = {x for x, _ in edges}, {y for _, y in edges}
    assert found["conflict"] == {
        (x, y) for x in heads for y in tails if x != y and (x, y) not in reached
    }


def test_a_cycle_through_absence_is_a_bug() -> None:
    with pytest.raises(ValueError, match="cycle"):
        run(read("p(X) <= s(X) & ~p(X)."), {"s": set()}, {})


def test_text_that_does_not_read_is_a_bug() -> None:
    with pytest.raises(ValueError, match="contradictions"):
        read("conflict(")
