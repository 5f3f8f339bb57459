"""A memex behind a link, very many files in one folder, a month of the journal that is large."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import settings

from symbolic.journal.folder import first_open
from tests.cli import Memex
from tests.symbolic.journals import at, declare, journal, only, writer


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


def test_a_large_month_is_checked_block_by_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a month is added to, it has to be what was read; that takes no memory of its size."""
    for day in range(4):
        with writer(tmp_path, clock=at(days=day)) as one:
            one.append([declare("x" * 100_000)] * 40)
            known = dict(one.marks)
    size = only(tmp_path).stat().st_size
    opening = first_open(journal(tmp_path))
    monkeypatch.setattr("symbolic.journal.writer.last_open", lambda *_: opening)
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
