"""S11: a day asked for is the whole local day of the reader's zone, wherever that is."""

from __future__ import annotations

import pytest

from tests.cli import Memex, relation

EAST, WEST, MEMEX = "Pacific/Apia", "Pacific/Pago_Pago", "Europe/Oslo"
"""UTC+13, UTC-11, and where the notes are written."""


@pytest.fixture
def notes(memex: Memex) -> Memex:
    memex.write(".passepartout.toml", f'zone = "{MEMEX}"\n')
    memex.ontology(relation("moored-at", policy="temporal")).begin()
    memex.declare(
        '(:entity "Ferry" :relation :moored-at :value "Pier"'
        ' :from "2024-03-10T11:30:00Z" :to "2024-03-10T12:30:00Z")'
    )
    memex.declare('(:entity "Ferry" :relation :moored-at :value "Dock" :from "2024-03-31")')
    return memex


@pytest.mark.parametrize(("day", "zone", "found"), [
    ("2024-03-10", MEMEX, True),
    ("2024-03-10", WEST, True),
    ("2024-03-09", WEST, False),
    ("2024-03-11", EAST, True),   # 12:30 to 13:30 UTC+13 of the 11th
    ("2024-03-10", EAST, False),
])  # fmt: skip
def test_s11_the_local_day_is_the_readers(
    notes: Memex, day: str, zone: str, found: bool
) -> None:
    answers = notes.query("Ferry moored-at Pier", "--at", day, "--tz", zone)
    assert bool(answers.says) is found


@pytest.mark.parametrize(("zone", "day", "known"), [
    (EAST, "2025-06-01", False),   # over at 11:00 UTC, an hour before it was said
    (EAST, "2025-06-02", True),
    (MEMEX, "2025-06-01", True),
    (WEST, "2025-05-31", False),   # over at 11:00 UTC of the first of June
    (WEST, "2025-06-01", True),
])  # fmt: skip
def test_s11_as_of_a_day_is_its_last_local_instant(
    notes: Memex, zone: str, day: str, known: bool
) -> None:
    answers = notes.query("Ferry moored-at ?", "--as-of", day, "--tz", zone, "--all")
    assert bool(answers.says) is known


def test_s11_civil_dates_fall_in_the_memexs_zone_and_the_answer_says_so(notes: Memex) -> None:
    told = notes.run("query", "Ferry moored-at Dock", "--at", "2024-04-01", "--tz", EAST).expect(0)
    # Midnight in Oslo on the day the clocks go forward is 23:00 UTC of the day before.
    told.names("holds [2024-03-31T12:00:00+13:00, )", EAST, MEMEX)
    assert told.err.count(MEMEX) == 1
    line = notes.run("timeline", "Ferry", "--tz", "UTC", "--json").expect(0).one["entries"][-1]
    assert line["from"] == "2024-03-30T23:00:00+00:00"


def test_s11_without_a_zone_bounds_print_as_they_are_known(notes: Memex) -> None:
    told = notes.run("query", "Ferry moored-at Dock").expect(0)
    assert "2024-03-31" in told.out and "T" not in told.out.split("[")[1].split(")")[0]


@pytest.mark.parametrize("name", ["Europe", "Mars/Olympus", "../etc/passwd", ""])
def test_s11_a_zone_that_is_none_is_a_usage_error(notes: Memex, name: str) -> None:
    for verb in (("query", "Ferry moored-at ?"), ("timeline", "Ferry")):
        notes.run(*verb, "--tz", name).expect(2).names("is no zone")
