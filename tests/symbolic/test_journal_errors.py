"""ENOSPC and EIO at every write, fsync, truncation and rename that a batch makes.

The calls are counted once, then each is made to fail in turn, also with half of its bytes written.
A live process has the whole batch or nothing, and says so; the next start goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from symbolic.errors import DiskRefused, JournalUnknown, PpError
from symbolic.journal.chain import read_journal
from symbolic.journal.clock import FixedClock
from tests.cli import Memex
from tests.refusing import disk, dooms
from tests.symbolic.journals import at, declare, files, journal, writer

SILVESTER = FixedClock(datetime(2024, 1, 31, 23, 59, 59, 999_998, tzinfo=UTC))
"""Two microseconds before a new month: a batch of three lines touches two files."""

Write = Callable[[Path], None]


def three(root: Path) -> None:
    with writer(root, clock=at(days=1)) as one:
        one.append([declare(value) for value in "abc"])


def over_new_year(root: Path) -> None:
    with writer(root, clock=SILVESTER) as one:
        one.append([declare(value) for value in "abc"])


def nothing(root: Path) -> None:
    (root / "system").mkdir(parents=True)


CASES = [(nothing, three), (three, three), (nothing, over_new_year), (three, over_new_year)]


def whole(root: Path) -> dict[str, bytes]:
    """Return the month files that hold something: an empty one reads as none."""
    return {name: data for name, data in files(root).items() if data}


@pytest.mark.parametrize("number", range(len(CASES)))
def test_one_refusal_is_the_whole_batch_or_nothing_and_said(tmp_path: Path, number: int) -> None:
    before, write = CASES[number]
    before(tmp_path / "counted")
    with disk() as counted:
        write(tmp_path / "counted")
    assert counted.calls.count("write") >= 1
    assert counted.calls.count("fsync") >= 2
    for doom in dooms(len(counted.calls)):
        root = tmp_path / "-".join(map(str, doom))
        before(root)
        held = whole(root)
        with disk(doom) as met:
            try:
                write(root)
                refused = False
            except PpError as error:
                assert error.exit_code == 8, error
                refused = True
        assert not met.again, doom
        found = read_journal(journal(root))
        assert (found.faults, found.torn) == ((), {})
        if refused:
            assert whole(root) == held, doom
        write(root)
        found = read_journal(journal(root))
        assert (found.faults, found.torn) == ((), {})
        said = [line for line in found.lines if line.kind == "declare"]
        batches = 1 + (before is three) + (not refused)
        assert len(said) == 3 * batches, doom


@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_disk_that_is_gone_for_good_is_unknown_until_the_next_start(
    tmp_path: Path, number: int
) -> None:
    before, write = CASES[number]
    before(tmp_path / "counted")
    with disk() as counted:
        write(tmp_path / "counted")
    unknown = 0
    for doom in dooms(len(counted.calls)):
        root = tmp_path / "-".join(map(str, doom))
        before(root)
        with disk(doom, for_good=True) as met, pytest.raises(DiskRefused) as refused:
            write(root)
        unknown += isinstance(refused.value, JournalUnknown)
        assert not met.again, doom
        found = read_journal(journal(root))
        assert found.faults == ()
        if isinstance(refused.value, JournalUnknown):
            # The disk is well again, but this process does not know what it holds.
            with pytest.raises(JournalUnknown, match="from byte"):
                write(root)
        else:
            assert not found.torn
            write(root)
    assert unknown


def test_a_decision_is_made_or_refused_at_every_call(memex: Memex) -> None:
    """The same through `pp`: exit 8 and nothing done, or exit 0 and a line."""
    memex.write("a.org", "* Ada\n").begin()
    memex.declare('(:entity "Ada" :relation :likes :value "rain")')
    with disk() as counted:
        memex.declare('(:entity "Ada" :relation :likes :value "snow")')
    calls = len(counted.calls)
    for number, doom in enumerate(dooms(calls)):
        digest, lines = memex.digest(), memex.journal("declare")
        with disk(doom):
            ran = memex.run("declare", f'(:entity "Ada" :relation :likes :value "{number}")')
        after = memex.journal("declare")
        assert (ran.code, len(after) - len(lines)) in ((0, 1), (8, 0)), (doom, ran.said)
        if ran.code == 8:
            assert ran.err.startswith("pp: ")
            assert memex.digest() == digest
    assert memex.rebuild()["result"] == "equal"
    assert not read_journal(memex.root / "system" / "journal").faults
