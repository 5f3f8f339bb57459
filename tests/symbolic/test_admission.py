"""Admission, in the order of docs/fold.md, section 11, over a store."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from symbolic.admission import admit
from symbolic.canon import canonical
from symbolic.records import (
    Admission,
    Candidate,
    ClassDecl,
    Declarations,
    Grounding,
    Line,
    Outcome,
    Policy,
    Provenance,
    Written,
)
from symbolic.store.store import Store
from symbolic.world import Change
from tests.symbolic import build
from tests.symbolic.build import relation, relations, says

HERE = build.heading("Ada", "Ada was born in Rome.", date="2021")
OLD = build.heading(
    "Old", "Ada was born in Rome, they say.", path="old.org", date="2019", offset=11
)
QUOTE = "born in Rome"
ROME, OSLO = says("Ada", "born-in", "Rome"), says("Ada", "born-in", "Oslo")

EXCLUSIVE = relations(relation("born in", functional=True, policy=Policy.EXCLUSIVE))
FREE = relations(relation("born in", functional=True))
TIMELINE = relations(relation("born in", functional=True, policy=Policy.TEMPORAL))


def world(declarations: Declarations, *lines: Line) -> Store:
    view = Store.memory(declarations=declarations)
    view.apply(Change(headings=(HERE, OLD), lines=lines))
    return view


def candidate(written: Written = ROME, at: Any = HERE, quote: str | None = QUOTE) -> Candidate:
    key = None if at is None else at.key
    return Candidate(
        written=written, grounding=Grounding(heading=key, quote=quote),
        proposer=Provenance.PROPOSED,
    )  # fmt: skip


def fid(view: Store, written: Written) -> str:
    return canonical(written, view.declarations).fid


@pytest.mark.parametrize(
    "bad", [says("", "r", "v"), says("Ada", "r", "v", valid_from="2021", valid_to="2020"),
            says("Ada", "r", "x", kind="date"), says("Ada", "r", "v", kind="no such kind")]
)  # fmt: skip
def test_1_malformed(bad: Written) -> None:
    found = admit(candidate(bad), world(FREE))
    assert found.outcome is Outcome.MALFORMED and found.reasons


@pytest.mark.parametrize(
    "bad",
    [
        candidate(quote=None), candidate(quote="  "), candidate(quote="born in Oslo"),
        candidate(at=None), candidate(at=build.heading("Gone", "", path="z.org")),
    ],
)  # fmt: skip
def test_2_ungrounded(bad: Candidate) -> None:
    assert admit(bad, world(FREE), by_person=True).outcome is Outcome.UNGROUNDED


def test_2_the_agents_heading_grounds_nothing_and_a_path_with_its_outline_does() -> None:
    view = world(FREE)
    placed = Grounding(heading=None, path="a.org", outline=("Ada",), quote=QUOTE)
    assert admit(replace(candidate(), grounding=placed), view).outcome is Outcome.ADMITTED
    view.apply(Change(headings=(replace(HERE, agent=True),)))
    assert admit(candidate(), view).outcome is Outcome.UNGROUNDED


def test_3_rejected_from_its_source_and_from_every_text_that_repeats_the_quote() -> None:
    view = world(FREE, build.reject(ROME, OLD.key, QUOTE))
    for at in (OLD, HERE):
        assert admit(candidate(at=at), view, by_person=True).outcome is Outcome.REJECTED
    assert admit(candidate(quote="Ada was born"), view).outcome is Outcome.NEEDS_REVIEW
    everywhere = world(FREE, build.reject(ROME, OLD.key, QUOTE, scope="everywhere"))
    assert admit(candidate(quote="Ada was born"), everywhere).outcome is Outcome.REJECTED


def test_3_retracted_at_this_heading_whatever_the_interval() -> None:
    view = world(FREE, build.retract(ROME, [HERE.key]))
    dated = replace(ROME, valid_from="2020")
    assert admit(candidate(dated), view).outcome is Outcome.REJECTED
    assert admit(candidate(dated, OLD), view).outcome is Outcome.ADMITTED


def test_4_duplicate_names_the_fact() -> None:
    view = world(EXCLUSIVE, build.admit(ROME, OLD.key, QUOTE))
    found = admit(candidate(), view)
    assert found.outcome is Outcome.DUPLICATE and "old.org:13" in found.reasons[0]


def test_5_blocked_names_the_rule_the_fact_and_its_place() -> None:
    view = world(EXCLUSIVE, build.admit(OSLO, OLD.key, "Ada was born"))
    found = admit(candidate(), view, by_person=True)
    standing = fid(view, OSLO)
    assert found == Admission(
        outcome=Outcome.BLOCKED, blockers=(standing,), conflicts=(standing,), rule="functional",
        reasons=(
            f"exclusive: born-in of Ada is Oslo (fact {standing[:12]}, old.org:13);"
            " Rome cannot stand beside it (functional)",
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("decl", "written", "blockers"),
    [
        ({"irreflexive": True}, says("Ada", "r", "Ada"), ("rule:irreflexive:r",)),
        ({"range": ("integer",)}, says("Ada", "r", "Rome"), ("rule:range:r",)),
        ({"domain": ("city",)}, says("Ada", "r", "Rome"), None),
    ],
)
def test_5_what_a_candidate_breaks_alone_is_blocked_by_its_rule_or_by_the_classes(
    decl: dict[str, Any], written: Written, blockers: tuple[str, ...] | None
) -> None:
    person = says("Ada", "member of class", "person")
    decls = relations(relation("r", policy=Policy.EXCLUSIVE, **decl))
    view = world(decls, build.declare(person))
    found = admit(candidate(written), view)
    assert found.outcome is Outcome.BLOCKED and found.reasons
    assert found.blockers == (blockers or (fid(view, person),))


def test_5_a_cycle_is_blocked_by_its_other_edges() -> None:
    decls = relations(relation("r", acyclic=True, policy=Policy.EXCLUSIVE))
    edges = (says("b", "r", "c"), says("c", "r", "a"))
    view = world(decls, *(build.declare(w, n) for n, w in enumerate(edges, start=1)))
    found = admit(candidate(says("a", "r", "b")), view)
    assert (found.outcome, found.rule) == (Outcome.BLOCKED, "acyclic")
    assert found.blockers == tuple(sorted(fid(view, w) for w in edges))


def test_5_one_value_too_many_is_blocked() -> None:
    decls = relations(relation("r", cardinality=2, policy=Policy.EXCLUSIVE))
    edges = (says("a", "r", "b"), says("a", "r", "c", valid_to="2020"))
    view = world(decls, *(build.declare(w, n) for n, w in enumerate(edges, start=1)))
    assert admit(candidate(says("a", "r", "d")), view).rule == "cardinality"
    later = admit(candidate(says("a", "r", "d", valid_from="2022")), view, by_person=True)
    assert later.outcome is Outcome.ADMITTED


def test_6_perhaps_a_clash_under_exclusive_needs_review_and_a_person_may() -> None:
    view = world(EXCLUSIVE, build.declare(replace(OSLO, valid_from="2020", valid_to="2022")))
    late = candidate(replace(ROME, valid_from="2021"))
    found = admit(late, view)
    assert found.outcome is Outcome.NEEDS_REVIEW and found.reasons[0].startswith("perhaps")
    assert found.reasons[-1] == "born-in is exclusive here, so a person decides"
    assert admit(late, view, by_person=True).outcome is Outcome.FLAGGED


def test_6_what_was_rejected_elsewhere_or_withdrawn_needs_review() -> None:
    said = build.declare(ROME, 1)
    view = world(FREE, said, build.retract(ROME, ["*"], at=2))
    found = admit(candidate(), view)
    assert found.outcome is Outcome.NEEDS_REVIEW and "withdrawn" in found.reasons[0]
    other = replace(ROME, valid_from="2020")
    view = world(FREE, build.reject(other, HERE.key, QUOTE))
    found = admit(candidate(), view)
    assert found.outcome is Outcome.NEEDS_REVIEW and "from 2020 was rejected" in found.reasons[0]


def test_6_what_gates_read_needs_a_person() -> None:
    decls = Declarations(
        classes={"mine": ClassDecl(name="mine", written="mine", parents=("secret files",))},
        gate_classes=frozenset({"secret files"}), gate_relations=frozenset({"classified as"}),
    )  # fmt: skip
    for said in (
        says("x", "member of class", "secret-files"), says("x", "member of class", "mine"),
        says("x", "classified-as", "harmless"),
    ):  # fmt: skip
        assert admit(candidate(said), world(decls)).outcome is Outcome.NEEDS_REVIEW
        assert admit(candidate(said), world(decls), by_person=True).outcome is Outcome.ADMITTED


def test_6_min_sources_counts_live_headings_open_proposals_and_this_one() -> None:
    decls = relations(relation("born in", min_sources=2))
    assert admit(candidate(), world(decls)).outcome is Outcome.NEEDS_REVIEW
    again = build.propose(ROME, HERE.key, QUOTE)
    assert admit(candidate(), world(decls, again)).outcome is Outcome.NEEDS_REVIEW
    other = build.propose(ROME, OLD.key, QUOTE)
    assert admit(candidate(), world(decls, other)).outcome is Outcome.ADMITTED


def test_7_superseded_on_arrival() -> None:
    view = world(TIMELINE, build.declare(replace(OSLO, valid_from="2020")))
    found = admit(candidate(at=OLD), view)
    assert found.outcome is Outcome.SUPERSEDED and "Oslo" in found.reasons[0]


def test_8_superseding_names_whom_it_ends() -> None:
    view = world(TIMELINE, build.declare(replace(OSLO, valid_from="2020")))
    found = admit(candidate(), view)
    assert found.outcome is Outcome.SUPERSEDING
    assert found.superseded == (fid(view, replace(OSLO, valid_from="2020")),)


def test_9_flagged_beside_a_standing_fact() -> None:
    view = world(FREE, build.declare(OSLO))
    found = admit(candidate(), view)
    assert (found.outcome, found.conflicts) == (Outcome.FLAGGED, (fid(view, OSLO),))
    undated = world(TIMELINE, build.declare(OSLO))
    assert admit(candidate(), undated).outcome is Outcome.FLAGGED


def test_10_admitted_beside_what_no_constraint_sets_against_it() -> None:
    view = world(Declarations(), build.declare(OSLO))
    assert admit(candidate(), view) == Admission(outcome=Outcome.ADMITTED)


def test_judging_writes_nothing() -> None:
    view = world(EXCLUSIVE, build.declare(OSLO))
    before = view._db.total_changes
    admit(candidate(), view)
    assert view._db.total_changes == before
