"""The journal against real processes: kills, a full disk, two writers at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from symbolic import faults
from symbolic.errors import ConfigurationError
from symbolic.journal.chain import read_journal
from tests.conftest import REPO
from tests.symbolic.journals import at, declare, files, journal, only, writer

CHILD = """
import resource, sys
from pathlib import Path
from symbolic.errors import PpError
from symbolic.journal.clock import SystemClock
from symbolic.journal.writer import Opening, Writer

root, name, count, limit = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
opening = Opening(device="laptop", zone="UTC", versions={})
one = Writer(
    root / "system" / "journal", root / "state" / "one", SystemClock(),
    by="program:test", opening=opening, wait=60,
)
statement = {"entity": "x", "relation": "is", "value": name}
try:
    for number in range(count):
        with one:
            one.append([("declare", {"statement": statement}, "person:Ada")] * 3)
except PpError as error:
    print(error.key, error)
    sys.exit(error.exit_code)
"""


def child(
    root: Path, name: str = "a", count: int = 1, limit: int = 0, spec: str = ""
) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(REPO), "PP_FAULTS": spec}
    command = [sys.executable, "-c", CHILD, str(root), name, str(count), str(limit)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out + err


@pytest.mark.parametrize(
    ("point", "lines"),
    [("device.write", 4), ("journal.write", 4), ("journal.fsync", 7), ("journal.synced", 7)],
)
def test_after_a_kill_every_whole_line_counts(tmp_path: Path, point: str, lines: int) -> None:
    assert run(child(tmp_path, "a"))[0] == 0
    assert run(child(tmp_path, "b", spec=f"{point}:kill"))[0] == -signal.SIGKILL
    found = read_journal(journal(tmp_path))
    assert len(found.lines) == lines
    assert not found.faults
    assert run(child(tmp_path, "c"))[0] == 0
    after = read_journal(journal(tmp_path))
    assert after.lines[:lines] == found.lines
    assert len(after.lines) == lines + 3
    assert len(after.heads) == 1
    assert not after.faults


@pytest.mark.parametrize("point", ["device.write", "journal.write", "journal.fsync"])
def test_a_kill_before_the_first_line_leaves_a_journal_that_goes_on(
    tmp_path: Path, point: str
) -> None:
    assert run(child(tmp_path, spec=f"{point}:kill"))[0] == -signal.SIGKILL
    assert run(child(tmp_path))[0] == 0
    found = read_journal(journal(tmp_path))
    assert not found.faults
    assert [line.seq for line in found.lines] == list(range(1, len(found.lines) + 1))


def test_a_kill_frees_the_lock_and_leaves_its_run_known(tmp_path: Path) -> None:
    run(child(tmp_path, spec="journal.fsync:kill"))
    runs = json.loads((tmp_path / "state" / "one" / "device.json").read_bytes())["runs"]
    assert {line.run for line in read_journal(journal(tmp_path)).lines} <= set(runs)


@pytest.mark.parametrize("action", ["eio", "enospc"])
def test_a_disk_that_refuses_is_exit_8_and_nothing_done(tmp_path: Path, action: str) -> None:
    run(child(tmp_path))
    before = files(tmp_path)
    code, told = run(child(tmp_path, spec=f"journal.fsync:{action}"))
    assert (code, told.split()[0]) == (8, "journal-refused")
    assert files(tmp_path) == before


def test_a_disk_that_takes_half_a_line_is_exit_8_and_nothing_done(tmp_path: Path) -> None:
    run(child(tmp_path))
    before = files(tmp_path)
    code, told = run(child(tmp_path, limit=only(tmp_path).stat().st_size + 700))
    assert (code, told.split()[0]) == (8, "journal-refused")
    assert files(tmp_path) == before


def test_two_processes_write_one_chain(tmp_path: Path) -> None:
    both = [child(tmp_path, name, count=8) for name in "ab"]
    assert [run(process) for process in both] == [(0, ""), (0, "")]
    found = read_journal(journal(tmp_path))
    assert not found.faults
    assert len(found.heads) == 1
    values = [line.body["statement"]["value"] for line in found.lines[1:]]
    assert sorted(values) == ["a"] * 24 + ["b"] * 24
    # A batch is one append: its lines stand together.
    assert all(len(set(values[at : at + 3])) == 1 for at in range(0, 48, 3))


def test_fail_points_do_nothing_unless_armed() -> None:
    assert not faults.ARMED
    assert faults.at is faults._quiet
    faults.at("journal.fsync")


def test_a_fail_point_fails_the_time_it_is_told_and_no_other() -> None:
    fail = faults.armed("a:eio:2, b:enospc")
    fail("a")
    with pytest.raises(OSError, match="fail point a"):
        fail("a")
    fail("a")
    with pytest.raises(OSError, match="No space"):
        fail("b")
    fail("other")


@pytest.mark.parametrize(
    "spec", ["a", "a:burn", ":kill", "a:eio:0", "a:eio:x", "a:eio:1:1", "a:eio,"]
)
def test_a_bad_specification_is_said(spec: str) -> None:
    with pytest.raises(ConfigurationError, match="PP_FAULTS"):
        faults.armed(spec)


def test_a_process_that_was_killed_mid_line_is_repaired(tmp_path: Path) -> None:
    run(child(tmp_path))
    raw = only(tmp_path).read_bytes()
    only(tmp_path).write_bytes(raw + raw[:100])
    with writer(tmp_path, clock=at(days=10_000)) as one:
        assert one.cut is not None
        assert one.cut.size == 100
        one.append([declare()])
    assert not read_journal(journal(tmp_path)).faults
