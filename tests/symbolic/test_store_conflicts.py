"""Sentence by sentence, docs/fold.md as the store keeps it: policy, time, spells, conflicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from symbolic.canon import canonical
from symbolic.records import ClassDecl, Declarations, Overlap, Policy, Provenance, Written
from symbolic.store.store import Store
from symbolic.world import Change, Conflict, Spell
from tests.symbolic import build
from tests.symbolic.build import relation, relations, says


def stands(declarations: Declarations, *said: Written) -> Store:
    """Return a store in which a person declared each of `said`."""
    view = Store.memory(declarations=declarations)
    view.apply(Change(lines=tuple(build.declare(w, at) for at, w in enumerate(said, start=1))))
    return view


def dated(declarations: Declarations, *said: tuple[Written, str | None]) -> Store:
    """Return a store in which each statement is read from a heading of a date."""
    headings = [
        build.heading(f"H{n}", "body", path=f"{n}.org", date=date)
        for n, (_, date) in enumerate(said)
    ]
    readings = [build.reading(h, w, "body") for h, (w, _) in zip(headings, said, strict=True)]
    view = Store.memory(declarations=declarations)
    view.apply(Change(headings=tuple(headings), readings=tuple(readings)))
    return view


def fid(view: Store, written: Written) -> str:
    return canonical(written, view.declarations).fid


def spells(view: Store, written: Written) -> list[tuple[str | None, str | None]]:
    return [(s.start, s.end) for s in view.spells(fid(view, written))]


def only(view: Store) -> Conflict:
    (found,) = view.conflicts()
    return found


def lives(value: str, start: str | None = None, end: str | None = None, **more: Any) -> Written:
    return says("Ada", "lives in", value, valid_from=start, valid_to=end, **more)


TIMELINE = relations(relation("lives in", functional=True, policy=Policy.TEMPORAL))
MANY = relations(relation("lives in", policy=Policy.TEMPORAL))
FREE = relations(relation("lives in", functional=True))

# --- 6. policy --------------------------------------------------------------------------------

CLASSES = {
    "person": ClassDecl(name="person", written="person", policy=Policy.EXCLUSIVE),
    "author": ClassDecl(
        name="author", written="author", parents=("person",), policy=Policy.TEMPORAL
    ),
    "poet": ClassDecl(name="poet", written="poet", parents=("author",)),
}


def policy(view: Store, written: Written) -> Policy:
    return view.policy(canonical(written, view.declarations))


def test_the_most_specific_class_with_a_policy_decides() -> None:
    decls = Declarations(classes=CLASSES)
    tea, poet = says("Ada", "likes", "tea"), says("Ada", "member of class", "poet")
    view = stands(decls, tea)
    assert policy(view, tea) is Policy.COEXISTENT
    view.apply(Change(lines=(build.declare(says("Ada", "member of class", "person"), 5),)))
    assert policy(view, tea) is Policy.EXCLUSIVE
    view.apply(Change(lines=(build.declare(poet, 6),)))
    assert policy(view, tea) is Policy.TEMPORAL
    view.apply(Change(declarations=replace(decls, relations={
        "likes": relation("likes", policy=Policy.COEXISTENT)
    })))  # fmt: skip
    assert policy(view, tea) is Policy.COEXISTENT


def test_what_a_model_says_of_a_class_sets_no_policy() -> None:
    here = build.heading("Ada", "a poet")
    view = Store.memory(declarations=Declarations(classes=CLASSES))
    poet = says("Ada", "member of class", "poet")
    view.apply(Change(headings=(here,), lines=(build.admit(poet, here.key, "a poet"),)))
    assert policy(view, says("Ada", "likes", "tea")) is Policy.COEXISTENT


# --- 8. spells --------------------------------------------------------------------------------


def test_rome_oslo_rome_is_two_spells_of_rome() -> None:
    rome, oslo = lives("Rome"), lives("Oslo")
    view = dated(TIMELINE, (rome, "2020"), (oslo, "2021"), (rome, "2022"))
    assert spells(view, rome) == [("2020", "2021"), ("2022", None)]
    assert view.spells(fid(view, oslo)) == (Spell("2021", "2022", fid(view, rome)),)
    assert view.conflicts() == ()


def test_arrival_order_does_not_show_and_a_rival_taken_back_leaves_one_spell() -> None:
    rome, oslo = lives("Rome"), lives("Oslo")
    view = dated(TIMELINE, (rome, "2020"), (oslo, "2021"), (rome, "2022"))
    view.apply(Change(paths=("1.org",)))
    assert spells(view, rome) == [("2020", None)]


def test_a_many_valued_timeline_is_ended_by_the_negation_of_its_own_value() -> None:
    rome, not_rome = lives("Rome", "2020"), lives("Rome", "2021", polarity=False)
    view = stands(MANY, rome, not_rome, lives("Oslo", "2020-06"))
    assert spells(view, rome) == [("2020", "2021")]
    assert spells(view, not_rome) == [("2021", None)]
    assert spells(view, lives("Oslo", "2020-06")) == [("2020-06", None)]


@pytest.mark.parametrize(
    ("said", "date", "expected"),
    [
        (lives("Rome", "2020", "2021"), None, [("2020", "2021")]),
        (lives("Rome", "2020", "?"), "2022", [("2020", "2022")]),
        (lives("Rome", "2020", "?"), None, [("2020", None)]),
        (lives("Rome", "?", "2021"), "2020", [("2020", "2021")]),
        (lives("Rome", "?", "2021"), "2022", []),
        (lives("Rome", "?"), "2020", [("2020", None)]),
        (lives("Rome", "?", "?"), "2020", []),
        (lives("Rome", None, "2021"), "2020", [("2020", "2021")]),
        (lives("Rome", None, "2021"), "2022", [(None, "2021")]),
        (lives("Rome", None, "?"), "2022", []),
        (lives("Rome"), None, []),
        (lives("Rome"), "2020", [("2020", None)]),
    ],
)
def test_the_points_of_a_timeline(
    said: Written, date: str | None, expected: list[tuple[str | None, str | None]]
) -> None:
    assert spells(dated(TIMELINE, (said, date)), said) == expected


@pytest.mark.parametrize(
    ("said", "date", "expected"),
    [
        (lives("Rome"), None, [(None, None)]),
        (lives("Rome", "2020", "?"), "2022", [("2020", "2022")]),
        (lives("Rome", "2020", "?"), "2019", [("2020", None)]),
        (lives("Rome", "?", "2021"), "2020", [("2020", "2021")]),
        (lives("Rome", "?", "2021"), "2022", []),
        (lives("Rome", "?"), "2020", [("2020", None)]),
        (lives("Rome", None, "?"), "2022", []),
    ],
)
def test_the_one_spell_off_a_timeline(
    said: Written, date: str | None, expected: list[tuple[str | None, str | None]]
) -> None:
    assert spells(dated(Declarations(), (said, date)), said) == expected


def test_an_unknown_end_without_a_date_after_it_is_ended_by_the_next_point() -> None:
    rome, oslo = lives("Rome", "2020", "?"), lives("Oslo", "2022")
    assert spells(stands(TIMELINE, rome, oslo), rome) == [("2020", "2022")]


def test_a_person_closes_a_spell_earlier_than_its_end() -> None:
    old, new = lives("Rome", "2020", "2024"), says("Ada", "lives in", "Oslo", valid_from="2022")
    for decls in (TIMELINE, Declarations()):
        view = stands(decls, old)
        view.apply(Change(lines=(build.supersede(old, new, 9, from_="2022"),)))
        assert view.spells(fid(view, old)) == (Spell("2020", "2022", fid(view, new)),)


def test_a_stated_end_is_never_cut_and_its_overlap_is_flagged() -> None:
    rome, oslo = lives("Rome", "2020", "2023"), lives("Oslo", "2021")
    view = stands(TIMELINE, rome, oslo)
    assert spells(view, rome) == [("2020", "2023")]
    assert (only(view).constraint, only(view).overlap) == ("functional", Overlap.MAYBE)
    assert only(view).policy is Policy.TEMPORAL


def test_unordered_points_of_different_values_clash() -> None:
    view = stands(TIMELINE, lives("Rome", "2020"), lives("Oslo", "2020-06"))
    assert only(view).overlap is Overlap.MAYBE


def test_what_has_no_date_at_all_clashes_with_every_rival() -> None:
    view = stands(TIMELINE, lives("Rome"), lives("Oslo", "2020"))
    assert only(view).overlap is Overlap.MAYBE


# --- 7 and 9. conflicts -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((None, None), ("2020", "2022"), Overlap.YES),
        ((None, None), ("2020", "2021"), Overlap.YES),
        (("2020", "2021"), ("2021", None), None),
        (("2020", "2021"), ("2022", None), None),
        (("2020", "2022"), ("2021", None), Overlap.MAYBE),
        (("2020", "2023"), ("2021", "2024"), Overlap.YES),
        (("2020", None), ("2020", "2021"), Overlap.YES),
        (("2020", "?"), ("2021", None), Overlap.MAYBE),
        (("2020", "2020-06"), ("2020-03", "2020-05"), Overlap.MAYBE),
    ],
)
def test_overlap(
    one: tuple[str | None, str | None],
    other: tuple[str | None, str | None],
    expected: Overlap | None,
) -> None:
    view = stands(FREE, lives("Rome", *one), lives("Oslo", *other))
    assert [c.overlap for c in view.conflicts()] == ([expected] if expected else [])


def test_tolerance_keeps_two_numbers_from_being_apart() -> None:
    decls = relations(relation("age", functional=True, tolerance="1"))
    assert stands(decls, says("Ada", "age", "7"), says("Ada", "age", "8")).conflicts() == ()
    assert len(stands(decls, says("Ada", "age", "7"), says("Ada", "age", "9")).conflicts()) == 1


PART = "part of"


@pytest.mark.parametrize(
    ("constraint", "decl", "said", "key"),
    [
        ("functional", {"functional": True}, [("a", PART, "b"), ("a", PART, "c")],
         (PART, "name:a")),
        ("inverse-functional", {"inverse_functional": True},
         [("a", PART, "c"), ("b", PART, "c")], (PART, "name:c")),
        ("opposite", {"opposite": ("likes",)}, [("a", PART, "b"), ("a", "likes", "b")],
         ("likes", PART, "name:a", "name:b")),
        ("asymmetric", {"asymmetric": True}, [("b", PART, "a"), ("a", PART, "b")],
         (PART, "name:a", "name:b")),
        ("irreflexive", {"irreflexive": True}, [("a", PART, "a")], (PART, "name:a")),
        ("irreflexive", {"asymmetric": True}, [("a", PART, "a")], (PART, "name:a")),
        ("acyclic", {"acyclic": True}, [("b", PART, "c"), ("c", PART, "d"), ("d", PART, "b")],
         (PART, "name:b")),
        ("acyclic", {"acyclic": True}, [("b", PART, "b")], (PART, "name:b")),
        ("cardinality", {"cardinality": 2}, [("a", PART, "b"), ("a", PART, "c"), ("a", PART, "d")],
         (PART, "name:a")),
        ("domain", {"domain": ("city",)}, [("a", PART, "b")], (PART, "name:a")),
        ("range", {"range": ("city",)}, [("x", PART, "a")], (PART, "name:a")),
        ("range", {"range": ("integer",)}, [("x", PART, "b")], (PART, "name:b")),
        ("range", {"unit": "km"}, [("x", PART, "3 kg")], (PART, "quantity:3 kg")),
    ],
)  # fmt: skip
def test_each_constraint_makes_one_conflict_with_its_key_and_falls_with_a_member(
    constraint: str,
    decl: dict[str, Any],
    said: list[tuple[str, str, str]],
    key: tuple[str, ...],
) -> None:
    member = says("a", "member of class", "person")
    written = [says(*parts) for parts in said]
    view = stands(relations(relation(PART, **decl)), member, *written)
    found = only(view)
    assert (found.constraint, found.key, found.overlap) == (constraint, key, Overlap.YES)
    assert found.members == tuple(sorted(fid(view, w) for w in written))
    assert view.conflicts_of(found.members[0]) == (found,)
    touched = view.apply(Change(lines=(build.retract(written[0], ["*"], at=50),)))
    assert view.conflicts() == () and touched.conflicts == {found.id}
    view.apply(Change(lines=(build.declare(written[0], 51),)))
    assert view.conflicts() == (found,)


def test_two_polarities_of_one_statement_conflict_and_two_negatives_never() -> None:
    no, no_then = lives("Rome", polarity=False), lives("Rome", "2020", polarity=False)
    view = stands(Declarations(), no, no_then)
    assert view.conflicts() == ()
    view.apply(Change(lines=(build.declare(lives("Rome"), 9),)))
    assert only(view).constraint == "polarity" and len(only(view).members) == 3


def test_disjoint_classes_conflict_through_their_ancestors() -> None:
    classes = {
        "person": ClassDecl(name="person", written="person", disjoint=("city",)),
        "author": ClassDecl(name="author", written="author", parents=("person",)),
    }
    member = "member of class"
    view = stands(
        Declarations(classes=classes), says("a", member, "author"), says("a", member, "city")
    )
    assert only(view).key == ("city", "person", "name:a")


def test_a_fact_outside_any_class_has_every_domain_and_range() -> None:
    decls = relations(relation(PART, domain=("city",), range=("city",)))
    view = stands(decls, says("a", PART, "b"))
    assert view.conflicts() == ()
    late = build.declare(says("a", "member of class", "person"), 9)
    view.apply(Change(lines=(late, build.declare(says("b", "member of class", "city"), 10))))
    assert only(view).constraint == "domain"
    view.apply(Change(lines=(build.undo(late.hash, 11),)))
    assert view.conflicts() == ()


def test_cardinality_counts_at_an_instant() -> None:
    decls = relations(relation(PART, cardinality=1))
    one = says("a", PART, "b", valid_from="2020", valid_to="2021")
    other = says("a", PART, "c", valid_from="2022")
    view = stands(decls, one, other)
    assert view.conflicts() == ()
    view.apply(Change(lines=(build.declare(says("a", PART, "d", valid_from="2023"), 9),)))
    assert only(view).overlap is Overlap.YES and fid(view, one) not in only(view).members


def test_a_cycle_cut_in_two_is_two_cycles() -> None:
    decls = relations(relation(PART, acyclic=True))
    edges = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("c", "d"), ("d", "c")]
    view = stands(decls, *(says(x, PART, y) for x, y in edges))
    assert only(view).key == (PART, "name:a")
    view.apply(Change(lines=(build.retract(says("b", PART, "c"), ["*"], at=50),)))
    assert {c.key for c in view.conflicts()} == {(PART, "name:a"), (PART, "name:c")}
    view.apply(Change(lines=(build.declare(says("b", PART, "c"), 51),)))
    assert only(view).key == (PART, "name:a") and len(only(view).members) == 6


def test_constraints_never_cross_domains() -> None:
    other = replace(lives("Oslo"), domain="wikidata")
    assert stands(FREE, lives("Rome"), other).conflicts() == ()


def test_a_conflict_is_settled_until_a_new_member_joins() -> None:
    rome, oslo, bonn = lives("Rome"), lives("Oslo"), lives("Bonn")
    view = stands(FREE, rome, oslo)
    line = build.settle(only(view).id, [(rome, ["*"]), (oslo, ["*"])], 9)
    touched = view.apply(Change(lines=(line,)))
    assert only(view).settled_by == line.hash and touched.conflicts == {only(view).id}
    view.apply(Change(lines=(build.declare(bonn, 10),)))
    assert only(view).state == "open"
    view.apply(Change(lines=(build.retract(bonn, ["*"], at=11),)))
    assert only(view).state == "settled"


# --- lookups ----------------------------------------------------------------------------------


def test_facts_are_found_by_any_of_their_parts() -> None:
    rome, oslo = lives("Rome"), replace(lives("Oslo"), domain="wikidata")
    view = stands(Declarations(), rome, oslo, says("Bob", "lives-in", "Rome"))
    said = canonical(rome)
    every = [f.fid for f in view.facts()]
    assert every == sorted(every) and len(every) == 3
    assert len(list(view.facts(entity=said.entity))) == 2
    assert len(list(view.facts(relation="lives in", value=said.value))) == 2
    assert len(list(view.facts(domain="wikidata"))) == 1
    assert [f.fid for f in view.facts(entity=said.entity, domain="memex")] == [said.fid]
    assert list(view.facts(relation="unknown")) == []


def test_a_fact_shows_the_spelling_of_each_source() -> None:
    view = stands(Declarations(), says("ADA", "Lives-In", "Rome"))
    (fact,) = view.facts()
    assert fact.statement.entity.written == "ADA" and fact.statement.entity.canon == "ada"
    assert fact.assertions[0].written == says("ADA", "Lives-In", "Rome")
    assert fact.assertions[0].provenance is Provenance.HUMAN
