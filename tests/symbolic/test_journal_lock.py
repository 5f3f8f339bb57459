"""The writer lock: who waits, what is said, and the lease where flock does not work."""

from __future__ import annotations

import errno
import json
import os
import threading
from pathlib import Path

import pytest

from symbolic.errors import (
    ConfigurationError,
    LockHeld,
)
from symbolic.journal import lock as journal_lock
from symbolic.journal.chain import read_journal
from symbolic.journal.clock import SystemClock
from symbolic.journal.lock import WriterLock, break_lock
from symbolic.records import Line
from tests.symbolic.journals import (
    PERSON,
    at,
    declare,
    journal,
    writer,
)


def write(root: Path, *values: str, device: str = "one", **shift: float) -> list[Line]:
    with writer(root, device, at(**shift)) as one:
        return one.append([declare(value) for value in values])


# --- the lock -----------------------------------------------------------------------------------


def test_a_second_writer_waits_and_then_says_who_writes(tmp_path: Path) -> None:
    with writer(tmp_path) as one:
        one.append([declare()])
        with pytest.raises(LockHeld, match=f"pid {os.getpid()}") as caught:
            writer(tmp_path, wait=0.05).__enter__()
    assert caught.value.exit_code == 5
    write(tmp_path, "b")


def test_other_devices_have_their_own_lock(tmp_path: Path) -> None:
    with writer(tmp_path, "one") as one, writer(tmp_path, "two") as two:
        one.append([declare()])
        two.append([declare()])
    assert len(read_journal(journal(tmp_path)).heads) == 2


def test_many_threads_write_one_chain(tmp_path: Path) -> None:
    def work(name: int) -> None:
        for number in range(5):
            with writer(tmp_path, wait=60, clock=SystemClock()) as one:
                one.append([declare(f"{name}.{number}")])

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = read_journal(journal(tmp_path))
    assert not found.faults
    assert len(found.heads) == 1
    values = {line.body["statement"]["value"] for line in found.lines if line.by == PERSON}
    assert len(values) == len(found.lines) - 1 == 20


def no_flock(monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr("fcntl.flock", flock)


def test_without_flock_a_lease_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_flock(monkeypatch)
    with WriterLock(tmp_path), pytest.raises(LockHeld, match="--break-lock"):
        WriterLock(tmp_path, wait=0.03).__enter__()
    assert not (tmp_path / "writer.lease").exists()
    with WriterLock(tmp_path, wait=0):
        pass


def test_a_lease_of_a_dead_process_or_an_earlier_start_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_flock(monkeypatch)
    alive = json.loads(journal_lock._information())
    for change in ({"pid": 2**22 + 1}, {"boot": "another"}):
        (tmp_path / "writer.lease").write_text(json.dumps({**alive, **change}))
        with WriterLock(tmp_path, wait=1):
            pass


@pytest.mark.parametrize("text", ['{"host": "elsewhere", "pid": 1, "boot": ""}', "", "[]"])
def test_a_lease_of_another_host_is_broken_by_a_person_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    no_flock(monkeypatch)
    (tmp_path / "writer.lease").write_text(text)
    with pytest.raises(LockHeld, match="--break-lock"):
        WriterLock(tmp_path, wait=0.03).__enter__()
    assert break_lock(tmp_path)
    assert not break_lock(tmp_path)
    with WriterLock(tmp_path, wait=0):
        pass


def test_the_lease_of_a_live_process_here_is_not_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_flock(monkeypatch)
    with WriterLock(tmp_path):
        assert not break_lock(tmp_path)
        assert (tmp_path / "writer.lease").exists()


def test_a_state_folder_that_is_no_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("x")
    with pytest.raises(ConfigurationError, match="state folder"):
        write(tmp_path, "a")


