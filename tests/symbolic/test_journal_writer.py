"""The writing device: what it says of itself, when it writes, and when it does not."""

from __future__ import annotations

import errno
import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from symbolic import faults
from symbolic.errors import (
    ConfigurationError,
    DiskRefused,
    JournalBroken,
    JournalRefused,
    JournalUnknown,
    ReadOnly,
    Refused,
    Stale,
)
from symbolic.journal.chain import read_journal, read_tail
from symbolic.journal.clock import FixedClock, SystemClock
from symbolic.journal.writer import Opening
from symbolic.records import Line
from tests.symbolic.journals import (
    at,
    declare,
    files,
    journal,
    only,
    sealed,
    writer,
)


def write(root: Path, *values: str, device: str = "one", **shift: float) -> list[Line]:
    with writer(root, device, at(**shift)) as one:
        return one.append([declare(value) for value in values])


def opened(root: Path) -> list[Line]:
    return [line for line in read_journal(journal(root)).lines if line.kind == "open"]


def fail(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    monkeypatch.setattr(faults, "at", faults.armed(spec))


# --- who writes ---------------------------------------------------------------------------------


def test_a_new_device_opens_its_chain(tmp_path: Path) -> None:
    with writer(tmp_path) as one:
        assert one.dev is None
        (line,) = one.append([declare()])
        first, second = one.written
    assert second == line
    assert (first.kind, first.seq, first.by, first.prev) == ("open", 1, "program:test", "0" * 64)
    assert first.body | {"memex": ""} == {
        "memex": "", "device": "laptop", "was": None, "zone": "Europe/Oslo",
        "versions": {"schema": "1"},
    }  # fmt: skip
    assert len(str(first.body["memex"])) == 16
    told = json.loads((tmp_path / "state" / "one" / "device.json").read_bytes())
    assert told == {"dev": line.dev, "runs": [line.run]}
    assert first.run == line.run
    assert read_journal(journal(tmp_path)).lines == (first, second)


def test_open_is_written_again_when_zone_or_versions_change(tmp_path: Path) -> None:
    write(tmp_path, "a")
    write(tmp_path, "b", hours=1)
    assert len(opened(tmp_path)) == 1
    for zone, schema in (("UTC", "1"), ("UTC", "2"), ("UTC", "2")):
        opening = Opening(device="laptop", zone=zone, versions={"schema": schema})
        with writer(tmp_path, clock=at(hours=2), opening=opening) as one:
            one.append([])
    assert [(line.body["zone"], line.body["versions"]) for line in opened(tmp_path)] == [
        ("Europe/Oslo", {"schema": "1"}), ("UTC", {"schema": "1"}), ("UTC", {"schema": "2"}),
    ]  # fmt: skip
    assert len({line.body["memex"] for line in opened(tmp_path)}) == 1


def test_a_new_memex_takes_the_id_given_and_keeps_it(tmp_path: Path) -> None:
    for device, memex in (("one", "00000000000000aa"), ("two", "00000000000000bb")):
        opening = Opening(device=device, zone="UTC", versions={}, memex=memex)
        with writer(tmp_path, device, opening=opening) as one:
            one.append([])
    assert [line.body["memex"] for line in opened(tmp_path)] == ["00000000000000aa"] * 2


def test_every_process_has_its_run_and_all_are_kept(tmp_path: Path) -> None:
    runs = [write(tmp_path, str(number))[0].run for number in range(3)]
    told = json.loads((tmp_path / "state" / "one" / "device.json").read_bytes())
    assert told["runs"] == runs
    assert len(set(runs)) == 3


def test_one_writer_has_one_run_however_often_it_locks(tmp_path: Path) -> None:
    one = writer(tmp_path)
    runs = set()
    for number in range(3):
        with one:
            runs.add(one.append([declare(str(number))])[0].run)
    assert len(runs) == 1
    assert len(opened(tmp_path)) == 1


def test_without_its_state_folder_it_is_a_new_device_and_the_old_chain_counts(
    tmp_path: Path,
) -> None:
    old = write(tmp_path, "a", "b")
    shutil.rmtree(tmp_path / "state")
    with writer(tmp_path, clock=at(days=-9)) as one:
        assert one.news.lines[-2:] == tuple(old)
        (line,) = one.append([declare("c")])
    assert line.dev != old[0].dev
    assert line.seen == {old[0].dev: ((3, old[-1].hash),)}
    found = read_journal(journal(tmp_path))
    assert found.lines[-1] == line
    assert len({found.lines[0].body["memex"], found.lines[-2].body["memex"]}) == 1
    assert not found.faults


def test_without_its_chain_it_is_a_new_device(tmp_path: Path) -> None:
    (old,) = write(tmp_path, "a")
    shutil.rmtree(journal(tmp_path))
    assert write(tmp_path, "b")[0].dev != old.dev


def test_a_device_file_that_does_not_read_is_no_new_device(tmp_path: Path) -> None:
    write(tmp_path, "a")
    for text in ("", "{}", "[]", '{"dev":"x","runs":[]}', '{"dev":"0123456789ab","runs":[1]}'):
        (tmp_path / "state" / "one" / "device.json").write_text(text)
        with pytest.raises(ConfigurationError, match=r"device\.json"):
            write(tmp_path, "b")
    assert len(files(tmp_path)) == 1


def test_the_first_line_waits_for_its_run_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, "device.write:enospc")
    with pytest.raises(DiskRefused) as caught:
        write(tmp_path, "a")
    assert caught.value.exit_code == 8
    assert not files(tmp_path)
    assert os.listdir(tmp_path / "state" / "one") == ["writer.lock"]


# --- time and order -----------------------------------------------------------------------------


def test_time_never_goes_back_in_a_chain(tmp_path: Path) -> None:
    times = [write(tmp_path, "a", "b", days=day)[-1].at for day in (1, -400, 0.5, 2)]
    assert times == sorted(times)
    assert times[1] == "2024-01-16T12:00:00.000004Z"
    assert times[3] == "2024-01-17T12:00:00.000001Z"
    assert not read_journal(journal(tmp_path)).faults


def test_a_line_is_above_all_it_has_seen(tmp_path: Path) -> None:
    (far,) = write(tmp_path, "a", device="two", days=30)
    (line,) = write(tmp_path, "b", device="one")
    assert line.seen == {far.dev: ((2, far.hash),)}
    assert line.at > far.at
    (third,) = write(tmp_path, "c", device="two", days=30)
    assert third.seen == {line.dev: ((2, line.hash),)}


def test_the_end_of_time_is_said_and_nothing_is_written(tmp_path: Path) -> None:
    end = FixedClock(datetime.max.replace(tzinfo=UTC))
    with writer(tmp_path, clock=end) as one, pytest.raises(ConfigurationError, match="9999"):
        one.append([declare()])
    assert not files(tmp_path)


def test_the_machine_clock_has_a_zone() -> None:
    assert SystemClock().now().utcoffset() is not None
    with pytest.raises(ValueError, match="zone"):
        FixedClock(datetime(2024, 1, 1))


def test_a_batch_over_the_end_of_a_month_is_two_files(tmp_path: Path) -> None:
    clock = FixedClock(datetime(2024, 1, 31, 23, 59, 59, 999_998, tzinfo=UTC))
    with writer(tmp_path, clock=clock) as one:
        one.append([declare(str(number)) for number in range(4)])
        assert dict(one.marks) == read_journal(journal(tmp_path)).marks
    assert [raw.count(b"\n") for _, raw in sorted(files(tmp_path).items())] == [2, 3]
    assert [line.seq for line in read_journal(journal(tmp_path)).lines] == [1, 2, 3, 4, 5]


# --- batches and what a writer knows ------------------------------------------------------------


def test_a_large_batch_is_split_at_a_thousand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points: list[str] = []
    monkeypatch.setattr(faults, "at", points.append)
    with writer(tmp_path) as one:
        done = one.append([declare(str(number)) for number in range(2000)])
    assert points.count("journal.fsync") == 3
    assert [line.body["statement"]["value"] for line in done] == [str(n) for n in range(2000)]
    found = read_journal(journal(tmp_path))
    assert len(found.lines) == 2001
    assert not found.faults


def test_what_an_earlier_batch_wrote_stays_when_a_later_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, "journal.fsync:eio:2")
    with writer(tmp_path) as one:
        with pytest.raises(JournalRefused):
            one.append([declare(str(number)) for number in range(1500)])
        assert len(one.written) == 1000
        assert one.append([declare("after")])[0].seq == 1001
    assert len(read_journal(journal(tmp_path)).lines) == 1001


def test_news_is_what_others_wrote_since(tmp_path: Path) -> None:
    one, two = writer(tmp_path, "one"), writer(tmp_path, "two", at(days=1))
    with one:
        one.append([declare("a")])
    with two:
        assert len(two.news.lines) == 2
        two.append([declare("b")])
    with one:
        assert list(one.news.lines) == two.written
        (line,) = one.append([declare("c")])
    assert line.seen == {two.dev: ((2, two.written[-1].hash),)}
    with one:
        assert one.news.lines == ()


def test_known_marks_go_from_process_to_process(tmp_path: Path) -> None:
    with writer(tmp_path) as one:
        one.append([declare("a")])
        marks = one.marks
    with writer(tmp_path, known=marks, clock=at(days=1)) as two:
        assert two.news.lines == ()
        two.append([declare("b")])
        marks = two.marks
    tail = read_tail(journal(tmp_path), marks)
    assert (tail.lines, tail.whole) == ((), False)
    assert marks == read_journal(journal(tmp_path)).marks


def test_a_bug_in_one_body_writes_nothing_of_the_batch(tmp_path: Path) -> None:
    with writer(tmp_path) as one:
        with pytest.raises(TypeError):
            one.append([declare(), ("gates", {"hash": 0.5}, None)])
        with pytest.raises(ValueError, match="person:NAME"):
            one.append([declare(), ("gates", {"hash": "h"}, "me")])
    assert not files(tmp_path)
    assert not (tmp_path / "state" / "one" / "device.json").exists()


def test_a_line_longer_than_a_line_may_be_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symbolic.journal.writer.MAX_LINE", 1000)
    with writer(tmp_path) as one:
        one.append([])
        with pytest.raises(Refused, match="longer"):
            one.append([declare("x" * 1000)])
        assert one.append([declare("x")])[0].seq == 2


def test_without_the_lock_nothing_is_written(tmp_path: Path) -> None:
    one = writer(tmp_path)
    with pytest.raises(RuntimeError):
        one.append([declare()])


# --- what stops writing -------------------------------------------------------------------------


def test_a_torn_last_line_is_cut_and_reported(tmp_path: Path) -> None:
    write(tmp_path, "a", "b")
    raw = only(tmp_path).read_bytes()
    only(tmp_path).write_bytes(raw[:-5])
    with writer(tmp_path) as one:
        assert one.cut is not None
        assert (one.cut.line, one.cut.offset) == (3, raw.rfind(b"\n", 0, -1) + 1)
        assert one.cut.file.endswith("2024-01.jsonl")
        assert one.append([declare("c")])[0].seq == 3
    with writer(tmp_path) as one:
        assert one.cut is None


def test_the_torn_line_of_another_device_is_let_be(tmp_path: Path) -> None:
    write(tmp_path, "a")
    path = only(tmp_path)
    path.write_bytes(path.read_bytes() + b'{"at":"2024')
    with writer(tmp_path, "two") as two:
        assert two.cut is None
        two.append([declare("b")])
    assert path.read_bytes().endswith(b'{"at":"2024')


def test_a_broken_own_chain_refuses_and_another_ones_does_not(tmp_path: Path) -> None:
    write(tmp_path, "a", "b")
    path = only(tmp_path)
    raw = path.read_bytes().replace(b'"value":"a"', b'"value":"z"')
    path.write_bytes(raw)
    with pytest.raises(JournalBroken, match=r"2024-01\.jsonl:2") as caught:
        write(tmp_path, "c")
    assert (caught.value.line, caught.value.exit_code) == (2, 3)
    assert path.read_bytes() == raw
    assert write(tmp_path, "c", device="two")[0].seq == 2


def test_a_line_of_a_newer_version_makes_the_memex_read_only(tmp_path: Path) -> None:
    write(tmp_path, "a")
    path = only(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + sealed({**json.loads(lines[1]), "kind": "dream"}))
    with pytest.raises(JournalBroken, match=r"2024-01\.jsonl:2.*dream") as caught:
        write(tmp_path, "b", device="two")
    assert caught.value.key == "journal-newer"


@pytest.mark.parametrize("point", ["journal.write", "journal.fsync", "journal.synced"])
@pytest.mark.parametrize("action", ["eio", "enospc"])
def test_a_disk_error_leaves_the_file_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, action: str
) -> None:
    write(tmp_path, "a")
    before = files(tmp_path)
    with writer(tmp_path) as one:
        fail(monkeypatch, f"{point}:{action}")
        with pytest.raises(JournalRefused, match="declare") as caught:
            one.append([declare("b"), declare("c")])
        assert caught.value.exit_code == 8
        assert files(tmp_path) == before
        assert one.append([declare("d")])[0].seq == 3
        assert one.marks == read_journal(journal(tmp_path)).marks
    assert len(read_journal(journal(tmp_path)).lines) == 3


def test_a_disk_error_in_a_new_chain_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, "journal.fsync:eio")
    with pytest.raises(JournalRefused):
        write(tmp_path, "a")
    assert not files(tmp_path)
    assert write(tmp_path, "a")[0].seq == 2


def test_a_batch_over_two_months_is_undone_in_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = FixedClock(datetime(2024, 1, 31, 23, 59, 59, 999_998, tzinfo=UTC))
    write(tmp_path, "a")
    before = files(tmp_path)
    fail(monkeypatch, "journal.fsync:eio:2")
    with writer(tmp_path, clock=clock) as one, pytest.raises(JournalRefused):
        one.append([declare(str(number)) for number in range(4)])
    assert files(tmp_path) == before


def test_a_short_write_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a")
    before = files(tmp_path)
    real = os.write
    with writer(tmp_path) as one:
        monkeypatch.setattr(os, "write", lambda file, data: real(file, bytes(data)[:100]))
        fail(monkeypatch, "journal.write:enospc:3")
        with pytest.raises(JournalRefused):
            one.append([declare("b")])
        assert files(tmp_path) == before
        one.append([declare("c")])
    assert len(read_journal(journal(tmp_path)).lines) == 3


def test_a_handle_whose_fsync_failed_is_not_used_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a")
    real, handles = os.fsync, []

    def fsync(file: int) -> None:
        handles.append(os.readlink(f"/proc/self/fd/{file}") + str(os.lseek(file, 0, os.SEEK_CUR)))
        if len(handles) == 1:
            raise OSError(errno.EIO, "no")
        real(file)

    with writer(tmp_path) as one:
        one.append([])
        monkeypatch.setattr("os.fsync", lambda file: None)
        one.append([declare()])
        monkeypatch.setattr("os.fsync", fsync)
        with pytest.raises(JournalRefused):
            one.append([declare("b")])
    # The second handle is a fresh one: it has never moved from the start of the file.
    assert handles[0] != handles[1]
    assert handles[1].endswith(".jsonl0")


def test_if_it_cannot_be_put_back_it_says_unknown_and_writes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a")
    size = only(tmp_path).stat().st_size
    with writer(tmp_path) as one:
        fail(monkeypatch, "journal.fsync:eio,journal.truncate:eio")
        with pytest.raises(JournalUnknown, match="unknown") as caught:
            one.append([declare("b")])
    assert (caught.value.offset, caught.value.exit_code) == (size, 8)
    assert caught.value.file.endswith("2024-01.jsonl")
    with pytest.raises(JournalUnknown):
        write(tmp_path, "c")
    monkeypatch.setattr("symbolic.journal.writer._lost", {})
    assert write(tmp_path, "c")[0].seq == 4


@pytest.mark.parametrize("code", [errno.EROFS, errno.EACCES])
def test_a_read_only_memex_names_the_line_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def no(*_: object, **__: object) -> int:
        raise OSError(code, os.strerror(code))

    write(tmp_path, "a")
    with writer(tmp_path) as one:
        one.append([declare("b")])
        monkeypatch.setattr(os, "open", no)
        with pytest.raises(ReadOnly, match="'declare'") as caught:
            one.append([declare()])
        monkeypatch.undo()
    assert (caught.value.kind, caught.value.exit_code) == ("declare", 3)


def test_a_read_only_memex_is_known_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a")
    monkeypatch.setattr(os, "access", lambda *_: False)
    opening = Opening(device="laptop", zone="UTC", versions={})
    before = (tmp_path / "state" / "one" / "device.json").read_bytes()
    with writer(tmp_path, opening=opening) as one, pytest.raises(ReadOnly, match="'gates'"):
        one.append([("gates", {"hash": "h"}, None)])
    assert (tmp_path / "state" / "one" / "device.json").read_bytes() == before


def test_a_torn_line_on_a_read_only_memex_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a")
    only(tmp_path).write_bytes(only(tmp_path).read_bytes()[:-1])

    def no(name: str) -> None:
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr(faults, "at", no)
    with writer(tmp_path) as one:
        assert one.cut is None
        assert len(one.news.lines) == 1


def test_another_program_in_the_own_chain_is_stale_and_loses_nothing(tmp_path: Path) -> None:
    write(tmp_path, "a")
    path = only(tmp_path)
    with writer(tmp_path) as one:
        path.write_bytes(path.read_bytes() + b"somebody else\n")
        before = files(tmp_path)
        with pytest.raises(Stale):
            one.append([declare()])
        assert files(tmp_path) == before
        changed = before[next(iter(before))].replace(b"somebody else\n", b"")
        changed = changed.replace(b"Nab", b"Bab")
        path.write_bytes(changed)
        with pytest.raises(Stale):
            one.append([declare()])
        assert path.read_bytes() == changed
