"""A thousand days of edits and decisions: no day costs more than one long before it."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.cli import Memex
from tests.laws.days import Life, Measured

MEMORY, DISK = 1.2, 1.3
"""How much more a late day may hold in memory than an early one, and leave on the disk."""

QUICK = 12


def told(one: Measured) -> str:
    """Return a day's figures as a line."""
    return (
        f"day {one.day}: journal {one.journal:,}, state {one.state:,} bytes; "
        f"{one.blocks:,} objects, {one.resident:,} bytes resident"
    )


@pytest.mark.law
def test_no_day_leaves_more_behind_than_one_long_before_it(memex: Memex) -> None:
    """Resident memory, and bytes a day of journal and indices; then all is built anew, and equal.

    Python's memory is measured in this one process, in which every command of a thousand days runs.
    """
    thorough = settings().max_examples > 1000
    step, hundreds = (100, 10) if thorough else (QUICK // 2, 2)
    life = Life(memex)
    days = [life.measured()]
    for _ in range(hundreds):
        for _ in range(step):
            life.live()
        days.append(life.measured())
        print(told(days[-1]))
    memex.run("doctor").expect(0)
    assert memex.rebuild()["result"] == "equal"
    if not thorough:
        return
    first, last = days[1], days[-1]
    assert last.resident <= MEMORY * first.resident, (first, last)
    early, late = days[2].kept - days[1].kept, days[-1].kept - days[-2].kept
    assert late <= DISK * early, f"{late / 100:.0f} bytes a day, {early / 100:.0f} before"
