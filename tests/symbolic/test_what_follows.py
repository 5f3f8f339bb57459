"""What follows, case by case: docs/fold.md section 13, on worlds small enough to read.

Facts in, what is deduced out as `entity relation value: FROM..TO`, with `?` where no proof is
precise and `-` where it is withheld.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from symbolic.canon import MEMBER
from symbolic.deduced import Deduced, Instant
from symbolic.model.world import World, fold
from symbolic.model_rules.derive import derive
from symbolic.records import (
    ClassDecl,
    Declarations,
    Policy,
    Provenance,
    RelationDecl,
    RuleFile,
    Written,
)
from symbolic.values import instant_text
from symbolic.world import Inputs
from tests.symbolic.build import heading, reading, reject


def world(rules: str, *facts: str, domain: str = "memex", **declared: dict[str, object]) -> World:
    """Fold facts written `ann works-at acme 2020 2022`, `not ann ...`, undated where it ends so."""
    places = [heading(f"H{n}", f"note {n}", offset=n) for n in range(len(facts))]
    relations = {
        name.replace("_", " "): RelationDecl(name=name.replace("_", " "), written=name, **more)
        for name, more in declared.items()
    }  # type: ignore[arg-type]
    classes = {"rock": {}, "cat": {"parents": ("pet",)}, "pet": {"disjoint": ("rock",)}}
    return fold(Inputs(
        headings=tuple(places),
        readings=tuple(
            reading(place, statement(fact, domain), f"note {n}", provenance=Provenance.HUMAN)
            for n, (place, fact) in enumerate(zip(places, facts, strict=True))
        ),
        declarations=Declarations(relations=relations, classes={
            name: ClassDecl(name=name, written=name, **more) for name, more in classes.items()
        }),
        rules=(RuleFile(name="a.dl", text=rules),),
    ))  # type: ignore[arg-type]  # fmt: skip


def statement(text: str, domain: str = "memex") -> Written:
    words = text.split()
    polarity = words[0] != "not"
    entity, relation, value, *bounds = words if polarity else words[1:]
    start, end = (None if b == "-" else b for b in (*bounds, "-", "-")[:2])
    relation = MEMBER if relation == "is" else relation
    return Written(entity=entity, relation=relation, value=value, polarity=polarity,
                   valid_from=start, valid_to=end, domain=domain)  # fmt: skip


def day(instant: Instant) -> str:
    return "" if instant is None else instant_text(instant)[:10]


def told(one: Deduced) -> list[str]:
    triple = one.triple
    mark = "" if triple.polarity else "not "
    words = f"{mark}{triple.entity.canon} {triple.relation.canon} {triple.value.canon}"
    return [
        *(f"{words}: {day(s.lo)}..{day(s.hi)}{'?' if s.sure is None else ''}" for s in one.spells),
        *(f"{words}: -{day(lo)}..{day(hi)}" for lo, hi in one.withheld),
    ]


def follows(found: World) -> list[str]:
    assert not found.program().faults
    return sorted(line for one in found.deduced() for line in told(one))


TEMPORAL = {"functional": True, "policy": Policy.TEMPORAL}
EXCLUSIVE = {"functional": True, "policy": Policy.EXCLUSIVE}


def test_a_conclusion_holds_while_all_its_premises_do() -> None:
    found = world("knows(ann, Y) <= at(ann, Z) & at(Y, Z) & Y != ann.",
                  "ann at acme 2020-01-01T00:00:00Z 2022-05-01", "bob at acme 2021 -")  # fmt: skip
    assert follows(found) == [
        "ann knows bob: 2021-01-01..2022-01-01?", "ann knows bob: 2022-01-01..2022-05-01",
    ]


def test_what_may_not_have_begun_is_imprecise_until_its_first_unit_is_over() -> None:
    assert follows(world("q(X, Y) <= p(X, Y).", "ann p bob 2020 2020")) == [
        "ann q bob: 2020-01-01..2021-01-01?"
    ]
    assert follows(world("q(X, Y) <= p(X, Y).", "ann p bob")) == ["ann q bob: .."]


@pytest.mark.parametrize("fact", ["ann p bob - ?", "ann p bob ? -"])
def test_a_fact_without_spells_feeds_nothing(fact: str) -> None:
    assert follows(world("q(X, Y) <= p(X, Y).", fact)) == []


def test_an_unknown_end_makes_the_whole_spell_imprecise() -> None:
    assert follows(world("q(X, Y) <= p(X, Y).", "ann p bob 2020 ?")) == ["ann q bob: 2020-01-01..?"]


def test_an_undated_statement_of_a_temporal_relation_feeds_nothing() -> None:
    assert follows(world("q(X, Y) <= home(X, Y).", "ann home rome", home=TEMPORAL)) == []


def test_rome_oslo_rome_is_two_spells_of_what_follows() -> None:
    found = world("in(X, Y) <= home(X, Y).", "ann home rome 2020-01-01T00:00:00Z -",
                  "ann home oslo 2021-01-01T00:00:00Z -", "ann home rome 2022-01-01T00:00:00Z -",
                  home=TEMPORAL)  # fmt: skip
    assert follows(found) == [
        "ann in oslo: 2021-01-01..2022-01-01", "ann in rome: 2020-01-01..2021-01-01",
        "ann in rome: 2022-01-01..",
    ]


def test_absence_is_asked_at_each_instant() -> None:
    found = world("free(X, Y) <= p(X, Y) & ~busy(X, X).", "ann p bob",
                  "ann busy ann 2020 2021")  # fmt: skip
    assert follows(found) == ["ann free bob: ..2020-01-01", "ann free bob: 2021-01-01.."]


def test_a_denied_fact_is_no_absence() -> None:
    found = world("odd(X, Y) <= denied(p, X, Y).\nnone(X, X) <= q(X, X) & ~p(X, X).",
                  "not ann p bob", "cy q cy", "not cy p cy")  # fmt: skip
    assert follows(found) == ["ann odd bob: ..", "cy none cy: ..", "cy odd cy: .."]


# --- whole spells ---------------------------------------------------------------------------------

JOBS = ("ann at acme 2020 2021", "ann at acme 2021 2022", "ann at bell 2022 2024")


def test_a_spell_is_maximal_and_does_not_enter_the_intersection() -> None:
    moved = world("moved(X, Z) <= at(X, Y)@S & at(X, Z)@T & before(S, T).", *JOBS)
    assert follows(moved) == ["ann moved bell: ..?"]
    assert [s.premises[0].hi for s in moved.supports(_fid(moved))] == [
        s.premises[1].lo for s in moved.supports(_fid(moved))
    ]
    inside = world("in(X, Y) <= at(X, Y)@S & at(X, Z)@T & during(T, S) & Y != Z.", *JOBS)
    assert follows(inside) == []


def test_a_head_with_a_spell_holds_that_spell_cut_by_what_is_plain() -> None:
    found = world("there(X, Y)@S <= at(X, Y)@S & p(X, X).", *JOBS[:2],
                  "ann p ann 2020-06-01T00:00:00Z -")  # fmt: skip
    assert follows(found) == ["ann there acme: 2020-06-01..2022-01-01?"]


def _fid(found: World) -> str:
    [one] = found.deduced()
    return one.triple.statement().fid


# --- withholding ----------------------------------------------------------------------------------


def test_only_the_span_is_withheld_in_which_a_rival_surely_holds() -> None:
    found = world("home(X, Y) <= p(X, Y).\nin(X, Y) <= home(X, Y).", "ann p oslo",
                  "ann home rome 2020 2022", home=EXCLUSIVE)  # fmt: skip
    assert follows(found) == [
        "ann home oslo: -2021-01-01..2022-01-01", "ann home oslo: ..2021-01-01",
        "ann home oslo: 2022-01-01..", "ann in oslo: ..2021-01-01", "ann in oslo: 2022-01-01..",
        "ann in rome: 2020-01-01..2021-01-01?", "ann in rome: 2021-01-01..2022-01-01",
    ]


@pytest.mark.parametrize("bounds", ["2020 ?", "? 2022", "2020 2020"])
def test_a_rival_that_only_may_hold_withholds_nothing(bounds: str) -> None:
    found = world("home(X, Y) <= p(X, Y).", "ann p oslo", f"ann home rome {bounds}", home=EXCLUSIVE)
    assert follows(found) == ["ann home oslo: .."]


def test_a_class_withholds_what_is_disjoint_with_a_class_above_it() -> None:
    found = world("is_a(X, cat) <= p(X, X).", "ann p ann", "ann is rock", "bob p bob",
                  member_of_class={"policy": Policy.EXCLUSIVE})  # fmt: skip
    assert follows(found) == [
        "ann member of class cat: -..", "bob member of class cat: ..",
        "bob member of class pet: ..",
    ]


def test_two_deductions_that_conflict_are_both_kept() -> None:
    found = world("home(X, Y) <= p(X, Y).", "ann p oslo", "ann p rome", home=EXCLUSIVE)
    assert follows(found) == ["ann home oslo: ..", "ann home rome: .."]


def test_a_person_withholds_what_follows_and_all_that_rests_on_it_alone() -> None:
    found = world("q(X, Y) <= p(X, Y).\nr(X, Y) <= q(X, Y).", "ann p bob")
    line = reject(statement("ann q bob"), "*", scope="everywhere")
    assert follows(fold(replace(found.inputs, lines=(line,)))) == ["ann q bob: -.."]


# --- domains, limits, trust -----------------------------------------------------------------------


def test_a_rule_runs_inside_each_domain_and_a_narrowed_one_in_its_own() -> None:
    here = world("q(X, Y) <= p(X, Z) & p(Z, Y).", "ann p bob")
    there = world("", "bob p cy", domain="b")
    both = replace(
        here.inputs, headings=(*here.inputs.headings, *there.inputs.headings),
        readings=(*here.inputs.readings, *there.inputs.readings),
    )  # fmt: skip
    assert follows(fold(both)) == []
    narrow = "% domain: b\nr(X, Y) <= p(X, Y)."
    assert follows(fold(replace(both, rules=(RuleFile(name="b.dl", text=narrow),)))) == [
        "bob r cy: .."
    ]


def test_a_component_that_explodes_derives_nothing_nor_does_what_reads_it() -> None:
    found = world(
        "q(X, Y) <= p(X, Y).\nr(X, Y) <= q(X, Y).\ns(X, Y) <= p(X, Y) & ~r(X, X).\n"
        "t(X, X) <= p(X, Y).", "ann p bob", "ann p cy",
    )  # fmt: skip
    small = derive(found.derived.frame, found.program(), found.derived.trusted, most=1)
    assert {one.relation.canon for one in small.deduced} == {"t"}
    assert list(small.over.values()) == [2]


def test_the_best_proof_is_as_good_as_its_weakest_premise() -> None:
    found = world("q(X, Y) <= p(X, Y).\nq(X, Y) <= r(X, Y) & s(X, Y).", "ann p bob", "ann r bob",
                  "ann s bob")  # fmt: skip
    weak = tuple(
        replace(r, provenance=Provenance.EXTRACTED) if r.written.relation in "ps" else r
        for r in found.inputs.readings
    )
    again = fold(replace(found.inputs, readings=weak))
    [one] = again.deduced()
    assert [(s.trust, s.sure) for s in one.spells] == [(2, 2)]
    assert sorted(s.trust for s in again.supports(_fid(again))) == [2, 2]
