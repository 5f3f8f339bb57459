"""Labels of a standing fact, by the clock alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic.labels import labels, moment, superseded_by, supersedes
from symbolic.records import Policy, Provenance, Standing, Written
from tests.symbolic.make import ADA, NOW, RULE, Make, micros, says


def one(written: Written, at: str, **decl: object) -> tuple[str, ...]:
    make = Make()
    make.relation(written.relation, **decl)
    make.declare(written)
    view = make.view()
    fact = view.fact(make.fid(written))
    assert fact is not None
    return labels(view, fact, micros(at))


PLAN = says("trip", "is", "on", valid_from="2030-02", valid_to="2030-04")


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("2030-01-31T23:59:59Z", ("future",)),
        ("2030-02-01T00:00:00Z", ("current",)),
        ("2030-03-31T23:59:59Z", ("current",)),
        ("2030-04-01T00:00:00Z", ("past",)),
    ],
)
def test_s09_a_plan_turns_by_the_clock_alone(at: str, expected: tuple[str, ...]) -> None:
    assert one(PLAN, at) == expected


def test_without_bounds_a_fact_that_no_timeline_orders_is_current() -> None:
    assert one(says("x", "likes", "y"), "1900") == ("current",)


def test_on_a_timeline_without_a_point_it_is_undated() -> None:
    assert one(says("x", "at", "y"), "2026", policy=Policy.TEMPORAL) == ("undated",)


@pytest.mark.parametrize("policy", [None, Policy.TEMPORAL])
def test_s07_a_former_one_is_past_from_its_first_evidence_on(policy: Policy | None) -> None:
    make = Make()
    make.relation("ceo-of", policy=policy)
    key = make.heading("a.org", "Note", "former CEO of Y", date="2020-05-01")
    fid = make.read(key, says("x", "ceo-of", "y", valid_to="?"))
    view = make.view()
    fact = view.fact(fid)
    assert fact is not None
    assert labels(view, fact, micros("2020-04-30")) == ()
    assert labels(view, fact, micros("2020-05-01")) == ("past",)
    assert labels(view, fact, NOW) == ("past",)


def test_s06_superseded_by_the_later_point_in_either_order() -> None:
    for order in (1, -1):
        make = Make()
        make.relation("works-at", functional=True, policy=Policy.TEMPORAL)
        notes = [("2024-03-01", "Initech"), ("2026-01-01", "Globex")][::order]
        for date, firm in notes:
            key = make.heading(f"{date}.org", date, firm, date=date)
            make.read(key, says("Ana", "works-at", firm))
        view = make.view()
        old = view.fact(make.fid(says("Ana", "works-at", "Initech")))
        new = view.fact(make.fid(says("Ana", "works-at", "Globex")))
        assert old is not None and new is not None
        assert labels(view, old, NOW) == ("past", "superseded")
        assert labels(view, old, micros("2025")) == ("current",)
        assert labels(view, new, NOW) == ("current",)
        by = superseded_by(view, old)
        assert by is not None and (by.fid, by.at) == (new.fid, "2026-01-01")
        assert supersedes(view, new) == (old.fid,)
        assert superseded_by(view, new) is None


def test_rome_oslo_rome() -> None:
    make = Make()
    make.relation("lives-in", functional=True, policy=Policy.TEMPORAL)
    for date, city in (("2020", "Rome"), ("2021", "Oslo"), ("2022", "Rome")):
        make.read(make.heading(f"{date}.org", date, date=date), says("Ana", "lives-in", city))
    view = make.view()
    rome = view.fact(make.fid(says("Ana", "lives-in", "Rome")))
    assert rome is not None
    assert labels(view, rome, micros("2020-06")) == ("current",)
    assert labels(view, rome, micros("2021-06")) == ("future", "past", "superseded")
    assert labels(view, rome, micros("2022-06")) == ("current",)
    assert superseded_by(view, rome) is None


def test_s35_a_persons_supersede_closes_and_names_both_ends() -> None:
    make = Make()
    key = make.heading("a.org", "Note", date="2020")
    old, new = says("Ana", "likes", "tea"), says("Ana", "likes", "coffee")
    make.read(key, old, "tea")
    event = make.supersede(key, old, new, "tea", since="2025-01-01")
    view = make.view()
    fact, other = view.fact(make.fid(old)), view.fact(make.fid(new))
    assert fact is not None and other is not None
    assert labels(view, fact, NOW) == ("past", "superseded")
    by = superseded_by(view, fact)
    assert by is not None and (by.fid, by.at, by.event) == (other.fid, "2025-01-01", event)
    assert supersedes(view, other) == (fact.fid,)


def test_s35_a_fact_taken_out_by_supersede_says_by_what_and_when() -> None:
    make = Make()
    key = make.heading("a.org", "Note", date="2020")
    old, new = says("Ana", "likes", "tea"), says("Ana", "likes", "coffee")
    make.read(key, old, "tea")
    make.supersede(key, old, new, "tea")
    view = make.view()
    fact, other = view.fact(make.fid(old)), view.fact(make.fid(new))
    assert fact is not None and other is not None
    assert fact.standing.value == "retracted"
    assert labels(view, fact, NOW) == ("superseded",)
    by = superseded_by(view, fact)
    assert by is not None and by.fid == other.fid and by.at == make.lines[0].at
    assert supersedes(view, other) == (fact.fid,)


def test_disputed_while_the_conflict_is_open() -> None:
    make = Make()
    make.relation("height", functional=True)
    for value in ("8848 m", "8849 m"):
        make.declare(says("Everest", "height", value))
    view = make.view()
    for fact in view.facts():
        assert labels(view, fact, NOW) == ("current", "disputed")


def sourced(second: bool, *, person: bool = False) -> tuple[str, ...]:
    make = Make()
    written = says("Ana", "likes", "tea")
    for name, there in (("a", True), ("b", second)):
        key = make.heading(f"{name}.org", name, "Ana likes tea" if there else "gone")
        make.admit(key, written, "Ana likes tea", by=RULE, min_sources=2)
    if person:
        make.admit("a.org#a#1", written, "Ana likes tea", by=ADA)
    view = make.view()
    fact = view.fact(make.fid(written))
    assert fact is not None
    return labels(view, fact, NOW)


def test_s29_one_source_of_two_is_lost() -> None:
    assert sourced(True) == ("current",)
    assert sourced(False) == ("current", "under-sourced")
    assert sourced(False, person=True) == ("current",)


def test_a_gate_row_is_never_under_sourced() -> None:
    make = Make()
    fid = make.row("gate-vector-2", says(".env", "member-of-class", "secret-files"))
    view = make.view()
    fact = view.fact(fid)
    assert fact is not None and fact.live[0].provenance is Provenance.GATE
    assert labels(view, fact, NOW) == ("current",)


@pytest.mark.parametrize(
    ("day", "zone", "expected"),
    [
        ("2024-03-01", "UTC", ("current",)),
        ("2024-03-01", "Pacific/Tongatapu", ("current", "part")),
        ("2024-02-29", "Pacific/Pago_Pago", ("current", "part")),
        ("2024-02-29", "UTC", ("future",)),
    ],
)
def test_s11_a_day_is_the_whole_local_day(day: str, zone: str, expected: tuple[str, ...]) -> None:
    make = Make()
    written = says("x", "is", "on", valid_from="2024-03-01")
    make.declare(written)
    view = make.view()
    fact = view.fact(make.fid(written))
    assert fact is not None
    assert labels(view, fact, moment(day, zone)) == expected


def test_an_early_instant_and_an_end_before_it_never_hold() -> None:
    make = Make()
    old, new = says("Ana", "likes", "tea", valid_from="2024"), says("Ana", "likes", "coffee")
    key = make.heading("a.org", "Note")
    make.read(key, old, "tea")
    make.supersede(key, old, new, "tea", since="2023")
    view = make.view()
    fact = view.fact(make.fid(old))
    assert fact is not None
    for at in ("2022", "2023-06", "2025"):
        assert "current" not in labels(view, fact, micros(at))


YEARS = st.integers(2000, 2006).map(str)
POINTS = st.lists(
    st.tuples(st.sampled_from("XYZ"), st.booleans(), YEARS, st.none() | YEARS), max_size=5
)
REPLACED = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("UV"), st.none() | YEARS),
                    max_size=2)  # fmt: skip


def history(
    points: list[tuple[str, bool, str, str | None]],
    replaced: list[tuple[int, str, str | None]],
) -> Make:
    make = Make()
    make.relation("at", functional=True, policy=Policy.TEMPORAL)
    told = []
    for number, (value, polarity, start, end) in enumerate(points):
        end = end if end is not None and end > start else None
        key = make.heading(f"{number}.org", f"Note {number}", date="2001")
        written = says("Ana", "at", value, polarity=polarity, valid_from=start, valid_to=end)
        make.read(key, written)
        told.append((key, written))
    for which, value, since in replaced:
        if which < len(told):
            key, old = told[which]
            make.supersede(key, old, says("Ana", "at", value, valid_from="2004"), since=since)
    return make


@given(POINTS, REPLACED)
def test_law_both_ends_of_a_supersession_agree(
    points: list[tuple[str, bool, str, str | None]], replaced: list[tuple[int, str, str | None]]
) -> None:
    view = history(points, replaced).view()
    by = {fact.fid: superseded_by(view, fact) for fact in view.facts()}
    for fact in view.facts():
        assert set(supersedes(view, fact)) == {
            fid for fid, one in by.items() if one is not None and one.fid == fact.fid
        }


@given(POINTS, REPLACED, YEARS)
def test_law_a_dated_fact_is_now_or_else_before_or_after(
    points: list[tuple[str, bool, str, str | None]],
    replaced: list[tuple[int, str, str | None]],
    at: str,
) -> None:
    view = history(points, replaced).view()
    for fact in view.facts():
        found = labels(view, fact, micros(at))
        if fact.standing is not Standing.STANDING:
            assert found in ((), ("superseded",))
            continue
        assert ("current" in found) is not ({"past", "future"} & set(found) != set())
        if "superseded" in found:
            assert "past" in found
