"""A memex behind a link, very many files in one folder, a month of the journal that is large."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import settings

from symbolic.journal.lines import MAX_LINE
from tests.cli import Memex
from tests.symbolic.journals import at, declare, journal, only, writer

LIKES = '(:entity "Bo" :relation :likes :value "{}")'


def test_a_memex_behind_a_link_is_the_memex(memex: Memex) -> None:
    memex.write("deep/a.org", "* Ada\n:PROPERTIES:\n:CITY: Oslo\n:END:\n").begin()
    event = memex.declare('(:entity "Bo" :relation :likes :value "rain")')["event"]
    digest, lines, real = memex.digest(), memex.journal_bytes(), memex.root
    link = memex.base / "link"
    link.symlink_to(real, target_is_directory=True)
    memex.root = link
    assert memex.sync()["files"]["unchanged"] == 1
    assert memex.digest() == digest
    assert memex.journal_bytes() == lines
    memex.decide("undo", event)
    memex.root = real
    assert memex.current("Bo likes ?") == []
    memex.run("doctor").expect(0)
    assert memex.rebuild()["result"] == "equal"


def test_a_journal_behind_a_link_is_the_journal(memex: Memex) -> None:
    """Somebody keeps system/ elsewhere: it is written there, and nothing takes its place."""
    memex.write("a.org", "* Ada\n:PROPERTIES:\n:CITY: Oslo\n:END:\n").begin()
    elsewhere = memex.base / "elsewhere"
    (memex.root / "system").rename(elsewhere)
    (memex.root / "system").symlink_to(elsewhere, target_is_directory=True)
    memex.declare('(:entity "Bo" :relation :likes :value "rain")')
    assert len(list(elsewhere.rglob("*.jsonl"))) == 1
    assert (memex.root / "system").is_symlink()
    assert memex.current("Bo likes ?") == ["Bo likes rain"]


def test_very_many_files_in_one_folder(memex: Memex) -> None:
    count = 10_000 if settings().max_examples > 1000 else 1_000
    for number in range(count):
        text = f"* Note {number}\n:PROPERTIES:\n:NUMBER: {number}\n:END:\n"
        memex.write(f"all/{number}.org", text)
    memex.init()
    assert memex.sync()["files"]["read"] == count
    assert memex.sync()["files"]["unchanged"] == count
    memex.move("all", "moved")
    told = memex.sync()["files"]
    assert (told["read"], told["removed"]) == (count, count)
    assert len(memex.query('"Note 7" number ?').facts) == 1


@pytest.mark.parametrize("own", [True, False])
def test_a_month_of_two_gigabytes_is_read_as_far_as_it_reads(memex: Memex, own: bool) -> None:
    """Half a sync tool's work, or a disk that came back full of nothing: bounded, and said."""
    memex.write("a.org", "* Ada\n:PROPERTIES:\n:CITY: Oslo\n:END:\n").begin()
    memex.declare(LIKES.format("rain"))
    month = memex.journal_files[-1]
    if not own:
        memex.forget().sync()
    os.truncate(month, 2 << 30)  # a hole: it takes no room
    tracemalloc.start()
    try:
        memex.run("sync").expect(1).names(month.name, "longer than")
        memex.run("status").expect(1).names("broken")
        assert memex.current("Bo likes ?") == ["Bo likes rain"]
        ran = memex.run("declare", LIKES.format("snow")).expect(3 if own else 0)
        assert own is ("the own chain is broken" in ran.err)
        memex.run("rebuild", "--verify").expect(3).names("the index is kept")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5 * MAX_LINE
    assert month.stat().st_size == 2 << 30


def test_a_large_month_is_checked_block_by_block(tmp_path: Path) -> None:
    """Before a month is added to, it has to be what was read; that takes no memory of its size."""
    for day in range(4):
        with writer(tmp_path, clock=at(days=day)) as one:
            one.append([declare("x" * 100_000)] * 40)
            known = dict(one.marks)
    size = only(tmp_path).stat().st_size
    tracemalloc.start()
    try:
        with writer(tmp_path, clock=at(days=5), known=known) as one:
            one.append([declare("one more")])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size > 16_000_000
    assert peak < size / 4
    assert len(list(journal(tmp_path).glob("*/*.jsonl"))) == 1
