"""S41: two writes in the same millisecond are both in history, in the order they were made."""

from __future__ import annotations

from tests.cli import Memex, candidate

INSTANT = "2025-03-01T10:00:00.123456Z"


def test_s41_both_are_in_history_in_order(memex: Memex) -> None:
    """The clock stands still; the journal's does not."""
    memex.begin()
    values = [f"v{number:02d}" for number in range(20)]
    events = [
        memex.declare(f'(:entity "Ada" :relation :notes :value "{value}")', now=INSTANT)["event"]
        for value in values
    ]
    lines = memex.journal("declare")
    assert [line["hash"] for line in lines] == events
    times = [line["at"] for line in lines]
    assert times == sorted(set(times)), "each time is above the one before"
    assert [line["seq"] for line in lines] == list(range(lines[0]["seq"], lines[0]["seq"] + 20))

    facts = sorted(memex.query("Ada notes ?", "--all").facts, key=lambda f: f["admitted_at"])
    assert [fact["value"] for fact in facts] == values
    for number, fact in enumerate(facts):
        known = memex.query("Ada notes ?", "--as-of", fact["admitted_at"]).facts
        assert sorted(f["value"] for f in known) == values[: number + 1]


def test_s41_a_batch_has_an_order_too(memex: Memex) -> None:
    memex.write("note.org", "* Note\nAda wrote Poem. Ada wrote Novel. Ada wrote Letter.\n").begin()
    said = "".join(
        candidate("Ada", "wrote", what, f"Ada wrote {what}", path="note.org", outline=["Note"],
                  confidence=f"0.{9 - number}")
        for number, what in enumerate(("Poem", "Novel", "Letter"))
    )  # fmt: skip
    memex.propose(said, now=INSTANT)
    memex.admit_auto(now=INSTANT)
    facts = sorted(memex.query("Ada wrote ?").facts, key=lambda f: f["admitted_at"])
    assert [fact["value"] for fact in facts] == ["Poem", "Novel", "Letter"]
    assert len({fact["admitted_at"] for fact in facts}) == 3


def test_s41_yes_and_no_in_one_instant_end_as_the_later_one(memex: Memex) -> None:
    memex.begin()
    plist = '(:entity "Ada" :relation :notes :value "x")'
    done = memex.declare(plist, now=INSTANT)
    memex.decide("retract", done["fact"]["id"], now=INSTANT)
    assert memex.current("Ada notes ?") == []
    memex.declare(plist, now=INSTANT)
    assert memex.current("Ada notes ?") == ["Ada notes x"]
    assert [line["kind"] for line in memex.journal()][-3:] == ["declare", "retract", "declare"]
    assert memex.rebuild()["result"] == "equal"


def test_s41_a_clock_that_goes_back_writes_above_what_was_written(memex: Memex) -> None:
    memex.begin()
    memex.declare('(:entity "Ada" :relation :notes :value "x")', now="2025-03-01T10:00:00Z")
    memex.declare('(:entity "Ada" :relation :notes :value "y")', now="2024-01-01T10:00:00Z")
    one, other = memex.journal("declare")
    assert one["at"] < other["at"]
    assert other["body"]["statement"]["value"] == "y"


def test_s41_two_devices_in_one_instant_are_both_there(memex: Memex) -> None:
    """A deleted state folder makes another device; both chains are folded in one total order."""
    memex.begin()
    memex.declare('(:entity "Ada" :relation :notes :value "x")', now=INSTANT)
    memex.forget()
    memex.declare('(:entity "Ada" :relation :notes :value "y")', now=INSTANT)
    assert memex.current("Ada notes ?") == ["Ada notes x", "Ada notes y"]
    assert len({line["dev"] for line in memex.journal("declare")}) == 2
