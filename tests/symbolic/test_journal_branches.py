"""Forked chains: copies that a sync tool put aside, lines with an older `prev`, any order."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic.journal.chain import read_journal, read_tail
from symbolic.journal.lines import FaultKind
from symbolic.journal.marks import JournalState
from tests.symbolic.journals import at, declare, journal, only, writer

ASIDE = "2024-01.sync-conflict-20240120-120000-ABCDEFG.jsonl"


def state(root: Path) -> JournalState:
    return read_journal(journal(root))


def forked(root: Path) -> tuple[bytes, bytes, bytes]:
    """Write one chain twice from its second line on; return (what both share, one, other)."""
    with writer(root) as one:
        one.append([declare("a")])
    shared = only(root).read_bytes()
    twin = root / "twin"
    shutil.copytree(journal(root), journal(twin))
    shutil.copytree(root / "state", twin / "state")
    for place, value in ((root, "here"), (twin, "there")):
        with writer(place, clock=at(hours=1)) as each:
            each.append([declare(value), declare(f"{value} again")])
    mine, theirs = only(root).read_bytes(), only(twin).read_bytes()
    shutil.rmtree(twin)
    return shared, mine, theirs


def values(found: JournalState) -> set[object]:
    return {line.body["statement"]["value"] for line in found.lines if line.kind == "declare"}


ALL = {"a", "here", "here again", "there", "there again"}


def test_the_union_of_two_branches_counts(tmp_path: Path) -> None:
    _, _, theirs = forked(tmp_path)
    only(tmp_path).with_name(ASIDE).write_bytes(theirs)
    found = state(tmp_path)
    (dev,) = found.heads
    assert values(found) == ALL
    assert [tip.seq for tip in found.branches[dev]] == [4, 4]
    assert not found.faults
    assert dev in found.beside


def test_lines_with_an_older_prev_are_a_branch(tmp_path: Path) -> None:
    """A merge put the lines of both into one file."""
    shared, mine, theirs = forked(tmp_path)
    only(tmp_path).write_bytes(mine + theirs[len(shared) :])
    found = state(tmp_path)
    assert values(found) == ALL
    assert not found.faults and not found.beside
    assert len(next(iter(found.branches.values()))) == 2


def test_a_branch_whose_beginning_is_not_here_waits(tmp_path: Path) -> None:
    shared, _, theirs = forked(tmp_path)
    only(tmp_path).with_name(ASIDE).write_bytes(theirs[theirs.index(b"\n", len(shared)) + 1 :])
    found = state(tmp_path)
    assert values(found) == {"a", "here", "here again"}
    assert [fault.kind for fault in found.faults] == [FaultKind.WAITING]


def test_one_changed_byte_in_a_branch_breaks_it_there(tmp_path: Path) -> None:
    _, _, theirs = forked(tmp_path)
    only(tmp_path).with_name(ASIDE).write_bytes(theirs.replace(b"there again", b"there_again"))
    found = state(tmp_path)
    assert values(found) == ALL - {"there again"}
    (fault,) = found.faults
    assert (fault.kind, fault.line) == (FaultKind.BROKEN, 4)
    assert fault.file.endswith(ASIDE)


def test_an_unchanged_forked_chain_is_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, theirs = forked(tmp_path)
    only(tmp_path).with_name(ASIDE).write_bytes(theirs)
    whole = state(tmp_path)

    def no_open(*_: object, **__: object) -> None:
        raise AssertionError("opened")

    monkeypatch.setattr(Path, "open", no_open)
    tail = read_tail(journal(tmp_path), whole.marks)
    assert (tail.lines, tail.whole, tail.marks) == ((), False, whole.marks)
    assert (tail.branches, tail.heads, tail.beside) == (whole.branches, whole.heads, whole.beside)


@pytest.mark.law
@given(st.data())
def test_files_may_arrive_in_any_order_and_cut_anywhere(data: st.DataObject) -> None:
    """What counts only grows, no state on the way is broken, and the end is the union."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        _, mine, theirs = forked(root)
        month = only(root)
        whole = {month: mine, month.with_name(ASIDE): theirs}
        month.write_bytes(b"")
        here = dict.fromkeys(whole, 0)
        marks, seen = state(root).marks, set()
        while here != {path: len(raw) for path, raw in whole.items()}:
            left = [path for path in sorted(whole) if here[path] < len(whole[path])]
            path = data.draw(st.sampled_from(left))
            all_of_it = len(whole[path])
            here[path] = data.draw(st.sampled_from((all_of_it, min(all_of_it, here[path] + 700))))
            path.write_bytes(whole[path][: here[path]])
            tail = read_tail(journal(root), marks)
            marks = dict(tail.marks)
            assert not [f for f in tail.faults if f.kind is FaultKind.BROKEN]
            now = values(state(root))
            assert seen <= now
            seen = now
        assert seen == ALL
