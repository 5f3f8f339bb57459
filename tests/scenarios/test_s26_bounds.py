"""S26: bounds are taken as written or refused: never swapped, never true nowhere in silence."""

from __future__ import annotations

import pytest

from tests.cli import Json, Memex, candidate, relation

INVERTED = [
    ("2024", "2023"), ("2024-05", "2024-04"), ("2024-05-02", "2024-05-01"),
    ("2024-05-02", "2023"), ("2024", "2023-12-31"), ("2024-06-15", "2024-05"),
    ("2024-05-02T10:00:00Z", "2024-05-02T09:00:00Z"),
]  # fmt: skip
MIXED = [
    ("2024", "2024-03-10"), ("2024", "2024-12-31"), ("2024", "2024-01-01"), ("2023", "2024-01-01"),
    ("2024-06-15", "2024"), ("2024-06-15", "2024-06"), ("2024-06", "2024"),
    ("2024-06-15", "2024-07"), ("2024-06-15", "2025"), ("2024", "2024-06"),
    ("2024-06-15", "2024-06-15T09:00:00Z"), ("2024-06-15T09:00:00Z", "2024-06-15"),
    ("2024-06-15T09:00:00Z", "2024"),
]  # fmt: skip
INSTANTS = [
    "2024-06-15T10:30:00Z", "2024-01-01T00:30:00Z", "2024-06-15T00:30:00Z", "2024-06-20T00:30:00Z",
    "2024-03-09T00:30:00Z", "2024-12-31T00:30:00Z", "2023-12-31T00:30:00Z", "2024-06-01T00:30:00Z",
]  # fmt: skip
"""Before, in and after every unit of the mixed bounds."""


def told(memex: Memex, start: str, end: str | None, words: str) -> str:
    """Write and read in a note that ends in `words`; return the candidate that quotes it."""
    quote = f"The rent of Ada was 900 {words}"
    memex.write("rent.org", f"* Rent\n{quote}, heating included.\n").sync()
    return candidate(
        "Ada", "rent", "900", quote, path="rent.org", outline=["Rent"],
        valid_from=start, valid_to=end,
    )  # fmt: skip


@pytest.fixture(params=["coexistent", "temporal"])
def rent(memex: Memex, request: pytest.FixtureRequest) -> Memex:
    return memex.ontology(relation("rent", functional="t", policy=request.param)).init()


@pytest.mark.parametrize(("start", "end"), INVERTED)
def test_s26_an_inverted_span_is_refused_with_both_bounds_named(
    rent: Memex, start: str, end: str
) -> None:
    [line] = rent.propose(told(rent, start, end, f"from {start} until {end}"), code=4)
    assert line["outcome"] == "malformed"
    assert start in " ".join(line["reasons"]) and end in " ".join(line["reasons"])
    assert rent.queue() == [] and rent.current("Ada ? ?", "--all") == []

    stated = f'(:entity "Ada" :relation :rent :value 900 :from "{start}" :to "{end}")'
    rent.run("declare", stated).expect(2, 4).names(start, end)
    assert rent.current("Ada ? ?", "--all") == []


def test_s26_an_inverted_block_is_an_error_with_its_place_and_the_rest_loads(rent: Memex) -> None:
    rent.write(
        "block.org",
        """
        * Block
        #+begin_src knowledge
        (:entity "Bo" :relation :rent :value 800 :from 2024-05 :to 2024-04)
        (:entity "Cy" :relation :rent :value 700 :from 2024-04 :to 2024-05)
        #+end_src
        """,
    )
    [problem] = rent.sync(code=1)["problems"]
    assert (problem["path"], problem["line"]) == ("block.org", 3)
    assert "2024-05" in problem["message"] and "2024-04" in problem["message"]
    assert problem["column"] > 1 and problem["excerpt"] and problem["remedy"]
    assert rent.current("? rent ?", "--all") == ["Cy rent 700"]
    rent.run("doctor").expect(1).names("block.org:3", "2024-05", "2024-04")


@pytest.mark.parametrize("bound", ["2024", "2024-05", "2024-05-02"])
def test_s26_equal_bounds_are_that_one_unit(rent: Memex, bound: str) -> None:
    """One rule for a wire bound (exclusive) and a written one (inclusive) alike."""
    after = {"2024": "2025", "2024-05": "2024-06", "2024-05-02": "2024-05-03"}[bound]
    rent.take(told(rent, bound, bound, f"in {bound}"))
    rent.declare(f'(:entity "Bo" :relation :rent :value 900 :from {bound} :to {bound})')
    for who in ("Ada", "Bo"):
        fact = rent.fact(f"{who} rent ?")
        assert (fact["valid_from"], fact["valid_to"]) == (bound, after)
        assert fact["spells"] == [[bound, after]]
    assert rent.current("? rent ?", "--at", bound) == ["Ada rent 900", "Bo rent 900"]
    assert rent.current("? rent ?", "--at", after) == []


def test_s26_a_written_end_is_inclusive_and_one_on_the_wire_exclusive(rent: Memex) -> None:
    rent.take(told(rent, "2024-01-10", "2024-03-10", "from 2024-01-10 to 2024-03-09"))
    rent.declare('(:entity "Bo" :relation :rent :value 900 :from 2024-01-10 :to 2024-03-10)')
    assert rent.fact("Ada rent ?")["valid_to"] == "2024-03-10"
    assert rent.fact("Bo rent ?")["valid_to"] == "2024-03-11"
    assert rent.current("? rent ?", "--at", "2024-03-10") == ["Bo rent 900"]


@pytest.mark.parametrize(("start", "end"), MIXED)
def test_s26_mixed_precision_is_never_true_nowhere_unflagged(
    rent: Memex, start: str, end: str
) -> None:
    """Refused with both bounds, or flagged, or current at some instant: one of the three."""
    [line] = rent.propose(told(rent, start, end, f"from {start} until {end}"))
    if line["outcome"] == "malformed":
        assert start in " ".join(line["reasons"]) and end in " ".join(line["reasons"])
        return
    [verdict] = rent.admit_auto()
    [fact] = rent.timeline("Ada")
    if start[:10] != end[:10]:
        # The quote says days: an instant is lowered to its own.
        assert (fact["valid_from"], fact["valid_to"]) == (start[:10], end[:10])
    if verdict["outcome"] not in ("flagged", "needs-review"):
        assert_somewhere(rent, fact)


@pytest.mark.parametrize(("start", "end"), [span for span in MIXED if "T" in "".join(span)])
def test_s26_an_instant_and_a_coarser_date_are_not_true_nowhere_either(
    rent: Memex, start: str, end: str
) -> None:
    """Prose says no instants, a person's statement may."""
    rent.sync()
    stated = f'(:entity "Ada" :relation :rent :value 900 :from "{start}" :to "{end}")'
    ran = rent.run("declare", stated).expect(0, 2, 4)
    if ran.code:
        ran.names(start, end)
        return
    [fact] = rent.timeline("Ada")
    assert fact["valid_from"] == start
    assert_somewhere(rent, fact)


def assert_somewhere(rent: Memex, fact: Json) -> None:
    """Check that the fact is current at some instant, or that a label says why not."""
    if set(fact["labels"]) - {"past", "future", "superseded"}:
        return
    held = any(rent.current("Ada rent ?", "--at", instant) for instant in INSTANTS)
    assert held, f"{fact['valid_from']} to {fact['valid_to']} holds at no time and nothing says so"


@pytest.mark.parametrize("bound", ["2024-13", "2024-02-30", "24", "yesterday", "2024/05", "5000-1"])
def test_s26_what_is_no_date_is_refused_and_never_guessed(rent: Memex, bound: str) -> None:
    [line] = rent.propose(told(rent, bound, None, f"from {bound} on"), code=4)
    assert line["outcome"] == "malformed" and bound in " ".join(line["reasons"])


def test_s26_two_spans_of_mixed_precision_that_may_overlap_are_flagged(memex: Memex) -> None:
    """900 until some day of May, 950 from May on: perhaps both, perhaps not."""
    memex.ontology(relation("rent", functional="t")).init()
    memex.take(told(memex, "2024-01", "2024-05-17", "from January 2024 to 2024-05-16"))
    memex.declare('(:entity "Ada" :relation :rent :value 950 :from 2024-05)')
    assert memex.conflicts() == [["Ada rent 900", "Ada rent 950"]]
