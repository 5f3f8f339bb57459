"""What was known at a record time: the journal up to then, without today's prose."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from symbolic.asof import TODAY, as_of_view
from symbolic.factjson import answer_json
from symbolic.labels import moment
from symbolic.model.world import World, fold
from symbolic.pattern import Pattern, parse_pattern
from symbolic.query import Answer, Status, answer
from symbolic.records import Policy
from symbolic.world import Assertion, Fact, View
from tests.symbolic.make import NOW, Make, micros, says

TEA = says("Ana", "likes", "tea")


def ask(view: View, day: str, text: str = "ana likes ?", tz: str | None = None) -> Answer:
    pattern = parse_pattern(text)
    assert isinstance(pattern, Pattern)
    window = moment(day, tz or view.zone)
    return answer(view, pattern, now=NOW, as_of=window, fold=fold)


def values(found: Answer) -> list[str]:
    return [row.fact.statement.value.written for row in found.rows]


def test_a_line_counts_from_its_day_on_and_the_whole_of_it() -> None:
    make = Make()
    make.declare(TEA, at="2025-03-10")
    view = make.view()
    assert ask(view, "2025-03-09").status is Status.UNVERIFIED
    assert values(ask(view, "2025-03-10")) == ["tea"]
    assert ask(view, "2025-03-10T09:59:59Z").status is Status.UNVERIFIED
    assert TODAY in ask(view, "2025-03-10").notes


def test_the_day_is_the_local_one() -> None:
    make = Make()
    make.declare(TEA, at="2025-03-10")
    view = make.view()
    assert values(ask(view, "2025-03-10", tz="Pacific/Pago_Pago")) == ["tea"]
    assert values(ask(view, "2025-03-11", tz="Pacific/Tongatapu")) == ["tea"]
    assert not ask(view, "2025-03-09", tz="Pacific/Tongatapu").rows


def test_a_gone_heading_does_not_matter_and_prints_no_line() -> None:
    make = Make()
    make.admit("old.org#Gone#1", TEA, "Ana likes tea", at="2025-01-01", date="2024-01-01")
    view = make.view()
    assert not answer(view, Pattern(), now=NOW, all_=True).rows
    found = ask(view, "2025-02-01")
    assert values(found) == ["tea"]
    body: Any = answer_json(view, found)
    fact = body["answers"][0]["fact"]
    assert fact["groundings"] == [
        {"heading": "old.org#Gone#1", "path": "old.org", "line": None, "outline": [],
         "quote": "Ana likes tea"}
    ]  # fmt: skip


def test_a_null_anchor_ends_it_until_it_comes_back() -> None:
    make = Make()
    key = "a.org#Note#1"
    make.admit(key, TEA, "Ana likes tea", at="2025-01-01")
    make.anchor(key, TEA, None, at="2025-02-01")
    make.anchor(key, TEA, "b.org#Note#1", at="2025-03-01")
    view = make.view()
    assert values(ask(view, "2025-01-15")) == ["tea"]
    assert not ask(view, "2025-02-15").rows
    assert values(ask(view, "2025-03-15")) == ["tea"]


def test_an_admission_after_the_null_anchor_stands() -> None:
    make = Make()
    key = "a.org#Note#1"
    make.admit(key, TEA, "Ana likes tea", at="2025-01-01")
    make.anchor(key, TEA, None, at="2025-02-01")
    make.admit(key, TEA, "Ana likes tea", at="2025-03-01")
    assert values(ask(make.view(), "2025-03-15")) == ["tea"]


def test_retract_and_undo_count_from_their_own_days() -> None:
    make = Make()
    key = make.heading("a.org", "Note", "Ana likes tea")
    make.admit(key, TEA, "Ana likes tea", at="2025-01-01")
    event = make.retract(key, TEA, "Ana likes tea", at="2025-02-01")
    make.undo(event, at="2025-03-01")
    view = make.view()
    assert values(ask(view, "2025-01-15")) == ["tea"]
    assert not ask(view, "2025-02-15").rows
    assert values(ask(view, "2025-03-15")) == ["tea"]


def test_s22_record_time_shows_both_headings() -> None:
    make = Make()
    here = make.heading("a.org", "Here", "Ana likes tea")
    make.admit(here, TEA, "Ana likes tea", at="2025-01-01")
    make.admit("b.org#There#1", TEA, "Ana likes tea indeed", at="2025-01-02")
    view = make.view()
    [now] = answer(view, Pattern(), now=NOW).rows
    assert len(now.fact.live) == 1
    [then] = ask(view, "2025-02-01").rows
    assert len(then.fact.live) == 2


def test_spells_are_those_of_then() -> None:
    make = Make()
    make.relation("works-at", functional=True, policy=Policy.TEMPORAL)
    make.declare(says("Ana", "works-at", "Initech", valid_from="2020"), at="2025-01-01")
    make.declare(says("Ana", "works-at", "Globex", valid_from="2022"), at="2025-03-01")
    view = make.view()
    assert values(ask(view, "2025-02-01", "ana works-at ?")) == ["Initech"]
    assert values(ask(view, "2025-04-01", "ana works-at ?")) == ["Globex"]


def test_as_of_in_the_pattern() -> None:
    make = Make()
    make.declare(TEA, at="2025-03-10")
    pattern = parse_pattern("(fact-query :entity :ana :as-of 2025-03-09)")
    assert isinstance(pattern, Pattern)
    found = answer(make.view(), pattern, now=NOW, fold=fold)
    assert found.status is Status.UNVERIFIED


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed(World):
    """A world whose readings were first seen at a time, as an index keeps it."""

    def facts(self, **parts: Any) -> list[Fact]:
        return [
            replace(fact, assertions=tuple(_seen(a) for a in fact.assertions))
            for fact in World.facts(self, **parts)
        ]


def _seen(said: Assertion) -> Assertion:
    return said if said.event else replace(said, at="2025-06-01T00:00:00.000000Z")


def indexed(make: Make) -> View:
    world = make.view()
    return Indexed(**{name: getattr(world, name) for name in World.__slots__})


def test_undecided_prose_is_unverified_before_the_index_was_built() -> None:
    make = Make()
    make.declarations = replace(make.declarations, complete={"memex": frozenset({"likes"})})
    make.read(make.heading("a.org", "Note"), TEA)
    view = indexed(make)
    before = ask(view, "2025-05-01")
    assert before.status is Status.UNVERIFIED and len(before.notes) == 2
    assert "2025-06-01" in before.notes[1]
    assert values(ask(view, "2025-06-02")) == ["tea"]
    assert ask(view, "2025-06-02", "bo likes ?").status is Status.ABSENT


def test_a_suppressed_reading_was_live_before_the_suppression() -> None:
    make = Make()
    key = make.heading("a.org", "Note")
    make.read(key, TEA, "Ana likes tea")
    make.retract(key, TEA, "Ana likes tea", at="2025-07-01")
    view = indexed(make)
    assert values(ask(view, "2025-06-15")) == ["tea"]
    assert not ask(view, "2025-07-02").rows


def test_as_of_now_knows_what_is_known_now() -> None:
    make = Make()
    make.relation("works-at", functional=True, policy=Policy.TEMPORAL)
    for date, firm in (("2024", "Initech"), ("2025", "Globex")):
        make.read(make.heading(f"{date}.org", date, date=date), says("Ana", "works-at", firm))
    key = make.heading("a.org", "Note", "Ana likes tea", "2024-05-05")
    make.admit(key, TEA, "Ana likes tea")
    view = indexed(make)
    then = as_of_view(view, micros("2030"), fold).view
    for fact in view.facts():
        again = then.fact(fact.fid)
        assert again is not None and again.standing is fact.standing
        assert then.spells(fact.fid) == view.spells(fact.fid)
