"""Reading a journal folder: order, chains, what is torn, what is broken, and reading on."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic.errors import JournalBroken
from symbolic.journal.chain import read_journal, read_tail
from symbolic.journal.clock import FixedClock
from symbolic.journal.folder import find_line, first_open, last_open
from symbolic.journal.lines import FaultKind
from symbolic.journal.marks import JournalState, Mark
from tests.symbolic.journals import at, declare, files, journal, only, sealed, writer


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def state(root: Path) -> JournalState:
    return read_journal(journal(root))


def written(root: Path, device: str, day: float, *values: str) -> str:
    with writer(root, device, at(days=day)) as one:
        one.append([declare(value) for value in values])
        assert one.dev is not None
        return one.dev


def test_no_folder_is_an_empty_journal(tmp_path: Path) -> None:
    found = state(tmp_path)
    assert (found.lines, found.heads, found.faults, found.newest) == ((), {}, (), "")
    assert first_open(journal(tmp_path)) is None


def test_lines_of_all_devices_are_in_one_order(tmp_path: Path) -> None:
    written(tmp_path, "one", 2, "b")
    written(tmp_path, "two", 0, "c")
    written(tmp_path, "one", 1, "d")
    found = state(tmp_path)
    assert [line.body.get("statement", {}).get("value") for line in found.lines] == [
        None, "b", None, "c", "d",
    ]  # fmt: skip
    assert list(found.lines) == sorted(found.lines, key=lambda line: line.order)
    assert not found.faults
    for line in found.lines:
        assert line.path.endswith(f"journal/{line.dev}/2024-01.jsonl")


def test_other_files_in_the_journal_are_let_be(tmp_path: Path) -> None:
    dev = written(tmp_path, "one", 0, "a")
    (journal(tmp_path) / ".stfolder").mkdir()
    (journal(tmp_path) / "notes").mkdir()
    (journal(tmp_path) / "README").write_text("x")
    (journal(tmp_path) / dev / "2024-01.jsonl.bak").write_text("x")
    assert len(state(tmp_path).lines) == 2
    assert not state(tmp_path).faults


def test_a_conflict_copy_that_says_the_same_changes_nothing(tmp_path: Path) -> None:
    dev = written(tmp_path, "one", 0, "a")
    before = state(tmp_path)
    name = "2024-01.sync-conflict-20240101-120000-ABCDEFG.jsonl"
    shutil.copy(only(tmp_path), journal(tmp_path) / dev / name)
    found = state(tmp_path)
    assert (found.lines, found.heads, found.faults) == (before.lines, before.heads, ())
    assert len(found.branches[dev]) == 1 and not found.beside
    written(tmp_path, "one", 1, "b")
    assert len(state(tmp_path).lines) == 3


def test_months_are_one_chain(tmp_path: Path) -> None:
    dev = written(tmp_path, "one", 0, "a")
    written(tmp_path, "one", 20, "b")
    written(tmp_path, "one", 60, "c")
    assert sorted(files(tmp_path)) == [
        f"{dev}/2024-01.jsonl", f"{dev}/2024-02.jsonl", f"{dev}/2024-03.jsonl",
    ]  # fmt: skip
    assert [line.seq for line in state(tmp_path).lines] == [1, 2, 3, 4]
    assert [line.lineno for line in state(tmp_path).lines] == [1, 2, 1, 1]


def test_a_missing_month_waits_and_the_lines_before_it_count(tmp_path: Path) -> None:
    dev = written(tmp_path, "one", 0, "a")
    written(tmp_path, "one", 20, "b")
    written(tmp_path, "one", 60, "c")
    (journal(tmp_path) / dev / "2024-02.jsonl").unlink()
    found = state(tmp_path)
    assert [line.seq for line in found.lines] == [1, 2]
    assert [(fault.kind, fault.line) for fault in found.faults] == [(FaultKind.WAITING, 1)]


def test_a_torn_month_before_another_is_no_torn_end(tmp_path: Path) -> None:
    dev = written(tmp_path, "one", 0, "a")
    written(tmp_path, "one", 20, "b")
    path = journal(tmp_path) / dev / "2024-01.jsonl"
    path.write_bytes(path.read_bytes()[:-1])
    found = state(tmp_path)
    assert [(fault.kind, fault.line) for fault in found.faults] == [(FaultKind.WAITING, 2)]
    assert not found.torn


def edited(path: Path, number: int, **change: object) -> None:
    """Change line `number` (0-based) and all hashes that follow from it, as a forger would."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    lines[number].update(change)
    out = []
    for line in lines:
        if out and "prev" not in change:
            line["prev"] = json.loads(out[-1])["hash"]
        out.append(sealed(line))
    path.write_bytes(b"".join(out))


@pytest.mark.parametrize(
    "change",
    [
        {"seq": 2},
        {"seq": 4},
        {"prev": "e" * 64},
        {"dev": "0123456789ab"},
        {"at": "2024-01-15T11:00:00.000000Z"},
        {"at": "2024-02-15T11:00:00.000000Z"},
    ],
)
def test_a_line_in_the_wrong_place_breaks_its_chain_there(
    tmp_path: Path, change: dict[str, object]
) -> None:
    written(tmp_path, "one", 0, "a", "b", "c")
    edited(only(tmp_path), 2, **change)
    found = state(tmp_path)
    assert [line.seq for line in found.lines] == [1, 2]
    (fault,) = found.faults
    assert (fault.kind, fault.line) == (FaultKind.BROKEN, 3)
    assert fault.file.endswith("2024-01.jsonl")


def test_a_line_not_above_all_it_has_seen_is_broken(tmp_path: Path) -> None:
    one = written(tmp_path, "one", 5, "a")
    two = written(tmp_path, "two", 0, "b", "c")
    path = next((journal(tmp_path) / two).iterdir())
    assert find_line(journal(tmp_path), one, state(tmp_path).heads[one].hash) is not None
    before = read_journal(journal(tmp_path))
    edited(path, 0, at="2024-01-16T00:00:00.000000Z")
    found = state(tmp_path)
    assert {line.dev for line in found.lines} == {one}
    assert [(fault.kind, fault.line) for fault in found.faults] == [(FaultKind.BROKEN, 1)]
    assert before.heads.keys() == {one, two}


def test_a_tail_looks_up_what_it_has_seen(tmp_path: Path) -> None:
    written(tmp_path, "one", 5, "a")
    one = state(tmp_path)
    written(tmp_path, "two", 0, "b")
    written(tmp_path, "one", 9, "c")
    two = next(path for path in files(tmp_path) if not path.startswith(one.lines[0].dev))
    edited(journal(tmp_path) / two, 0, at="2024-01-16T00:00:00.000000Z")
    tail, whole = read_tail(journal(tmp_path), one.marks), state(tmp_path)
    assert tail.faults == whole.faults != ()
    assert tail.marks == whole.marks
    assert one.lines + tail.lines == whole.lines


def test_a_head_that_is_not_here_holds_nothing_up(tmp_path: Path) -> None:
    one = written(tmp_path, "one", 0, "a")
    written(tmp_path, "two", 1, "b")
    shutil.rmtree(journal(tmp_path) / one)
    assert len(state(tmp_path).lines) == 2
    assert not state(tmp_path).faults


def test_the_memex_is_that_of_the_first_open_in_the_order(tmp_path: Path) -> None:
    with writer(tmp_path, "one", at(days=3)) as one:
        one.append([])
    with tempfile.TemporaryDirectory() as other, writer(Path(other), "two", at(days=1)) as two:
        two.append([declare()])
        assert two.dev is not None
        shutil.copytree(journal(Path(other)) / two.dev, journal(tmp_path) / two.dev)
    first = first_open(journal(tmp_path))
    assert first == two.written[0] != one.written[0]


def test_the_last_open_is_found_among_others(tmp_path: Path) -> None:
    dev = written(tmp_path, "one", 0, *("a" for _ in range(5)), '"kind":"open"')
    last = last_open(journal(tmp_path), dev)
    assert last is not None
    assert last.hash == state(tmp_path).lines[0].hash


# --- any damage ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sample")
    written(root, "one", 0, "a", "Ünïcode ☃", "c")
    return root


@pytest.mark.law
@given(st.data())
def test_cut_anywhere_whole_lines_stay_and_the_chain_goes_on(
    sample: Path, data: st.DataObject
) -> None:
    with folder() as root:
        shutil.copytree(sample, root, dirs_exist_ok=True)
        raw = only(root).read_bytes()
        cut = data.draw(st.integers(0, len(raw)))
        only(root).write_bytes(raw[:cut])
        whole = raw[: raw.rfind(b"\n", 0, cut) + 1]
        found = state(root)
        assert [line.seq for line in found.lines] == list(range(1, whole.count(b"\n") + 1))
        assert not found.faults
        torn = next(iter(found.torn.values()), None)
        assert (torn.offset, torn.size) == (len(whole), cut - len(whole)) if torn else cut in (
            len(whole), 0,
        )  # fmt: skip
        with writer(root, clock=at(days=1)) as again:
            assert (again.cut is not None) == (cut > len(whole))
            again.append([declare("next")])
        assert only(root).read_bytes().startswith(whole)
        after = state(root)
        assert not after.faults
        assert not after.torn
        assert after.lines[: len(found.lines)] == found.lines
        assert after.lines[-1].body["statement"]["value"] == "next"


@pytest.mark.law
@given(st.data())
def test_any_byte_changed_is_named_or_in_the_torn_end(
    sample: Path, data: st.DataObject
) -> None:
    with folder() as root:
        shutil.copytree(sample, root, dirs_exist_ok=True)
        raw = bytearray(only(root).read_bytes())
        whole = state(root)
        index = data.draw(st.integers(0, len(raw) - 1))
        raw[index] ^= data.draw(st.integers(1, 255))
        only(root).write_bytes(raw)
        found = state(root)
        number = raw[:index].count(b"\n") + 1
        assert found.lines == whole.lines[: number - 1]
        named = [*found.faults, *found.torn.values()]
        assert [fault.line for fault in named] == [number]


STEPS = st.lists(
    st.tuples(
        st.sampled_from((
            "write", "write", "write", "cut", "flip", "touch", "copy", "gone", "aside", "back",
        )),
        st.sampled_from(["one", "two"]),
        st.integers(0, 70),
        st.integers(0, 10_000),
    ),
    max_size=8,
)


@pytest.mark.law
@given(STEPS)
def test_reading_on_equals_reading_all(steps: list[tuple[str, str, int, int]]) -> None:
    """After any history of writing and damage, known lines and the tail are the whole journal."""
    with folder() as root:
        lines: list[object] = []
        marks: dict[str, Mark] = {}
        for what, device, day, place in steps:
            act(root, what, device, day, place)
            tail = read_tail(journal(root), marks)
            lines = list(tail.lines) if tail.whole else lines + list(tail.lines)
            marks = {key: Mark.of_row(mark.row()) for key, mark in tail.marks.items()}
            whole = state(root)
            assert sorted(lines, key=lambda line: line.order) == list(whole.lines)
            assert (tail.heads, tail.faults, tail.torn) == (whole.heads, whole.faults, whole.torn)
            assert marks == whole.marks


def act(root: Path, what: str, device: str, day: int, place: int) -> None:
    """Write as `device`, or damage one month file as a sync tool or a bad disk would."""
    names = sorted(files(root))
    if what == "write":
        with suppress(JournalBroken), writer(root, device, at(days=day)) as one:
            one.append([declare(str(place))])
        return
    if not names:
        return
    path = journal(root) / names[place % len(names)]
    raw = bytearray(path.read_bytes())
    if what == "cut":
        path.write_bytes(raw[: place % (len(raw) + 1)])
    elif what == "flip" and raw:
        raw[place % len(raw)] ^= 1
        path.write_bytes(raw)
    elif what == "touch":
        os.utime(path)
    elif what == "copy":
        other = path.with_suffix(".tmp")
        other.write_bytes(raw)
        other.replace(path)
    elif what == "gone":
        path.unlink()
    elif what == "aside":
        month = path.name[:7]
        path.with_name(f"{month}.sync-conflict-2024-{place % 3}.jsonl").write_bytes(raw)
    elif what == "back":
        # An old copy of the file comes back, and its device goes on from there in ignorance.
        cut = raw[: raw.rfind(b"\n", 0, max(1, place % (len(raw) + 1))) + 1]
        path.write_bytes(cut)


def test_an_unchanged_file_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, "one", 0, "a")
    marks = state(tmp_path).marks

    def no_open(*_: object, **__: object) -> None:
        raise AssertionError("opened")

    monkeypatch.setattr(Path, "open", no_open)
    tail = read_tail(journal(tmp_path), marks)
    assert (tail.lines, tail.whole, tail.marks) == ((), False, marks)
    assert len(tail.heads) == 1


def test_a_file_that_lost_what_was_read_is_named(tmp_path: Path) -> None:
    dev = written(tmp_path, "one", 0, "a", "b")
    marks = state(tmp_path).marks
    raw = only(tmp_path).read_bytes()
    only(tmp_path).write_bytes(raw[: raw.rfind(b"\n", 0, -1) + 1])
    tail = read_tail(journal(tmp_path), marks)
    assert tail.whole
    assert tail.rewound == (f"{dev}/2024-01.jsonl",)
    assert len(tail.lines) == 2


def test_a_year_before_1000_and_a_zone_are_written_as_utc(tmp_path: Path) -> None:
    with writer(tmp_path, clock=FixedClock(datetime(33, 4, 3, tzinfo=UTC))) as one:
        one.append([])
    assert only(tmp_path).name == "0033-04.jsonl"
    assert state(tmp_path).lines[0].at == "0033-04-03T00:00:00.000000Z"


def test_a_file_that_cannot_be_read_is_a_fault(tmp_path: Path) -> None:
    dev = written(tmp_path, "one", 0, "a")
    (journal(tmp_path) / dev / "2024-02.jsonl").mkdir()
    (fault,) = state(tmp_path).faults
    assert fault.kind is FaultKind.BROKEN
    assert "cannot be read" in fault.message
