"""A disk that is full, read-only or of another time; files that change under the reader.

What was journalled is decided, whatever becomes of the index; what was refused is not, and is said.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memex import sync as memex_sync
from symbolic.journal.chain import read_journal
from symbolic.journal.clock import Clock
from tests.cli import Memex, candidate, org, read_only
from tests.processes import Processes
from tests.symbolic.journals import declare, journal, writer


@pytest.fixture
def notes(memex: Memex) -> Memex:
    memex.write("people.org", org("""
        * Ada
        :PROPERTIES:
        :CITY: Oslo
        :END:
        Ada works at Initech. Ada plays cornet.
        * Bo
        Bo likes herring.
        """))
    memex.begin()
    memex.propose(
        candidate("Ada", "works-at", "Initech", "Ada works at Initech", path="people.org",
                  outline=["Ada"])
        + candidate("Ada", "plays", "cornet", "Ada plays cornet", path="people.org",
                    outline=["Ada"])
    )
    return memex


LITTLE = 33_000
"""Bytes that are enough to open an index and too few to write to it."""

SAID = '(:entity "Bo" :relation :likes :value "herring")'


# --- the index ----------------------------------------------------------------------------------


@pytest.mark.parametrize("error", ["enospc", "eio"])
@pytest.mark.parametrize("argv", [("declare", SAID), ("admit", "--auto")])
def test_an_index_that_is_refused_is_a_warning_since_the_line_is_made(
    notes: Memex, processes: Processes, argv: tuple[str, ...], error: str
) -> None:
    twin = notes.twin("twin", journal=True)
    shutil.copytree(notes.state, twin.state)
    whole = processes.run(twin, *argv).expect(0)
    spec = ",".join(f"index.commit:{error}:{time}" for time in range(1, 9))
    ran = processes.run(notes, *argv, spec=spec).expect(0)
    assert "the index could not be written" in ran.err
    assert [line.split()[0] for line in ran.out.splitlines()] == [
        line.split()[0] for line in whole.out.splitlines()
    ]
    assert len(notes.journal()) == len(twin.journal())
    assert notes.digest() == twin.digest()
    assert notes.rebuild()["result"] == "equal"


@pytest.mark.parametrize("point", ["index.commit", "near.words", "near.append"])
def test_a_sync_that_is_refused_takes_nothing_in_by_half(
    notes: Memex, processes: Processes, point: str
) -> None:
    notes.edit("people.org", "Oslo", "Bergen")
    ran = processes.run(notes, "sync", spec=f"{point}:enospc")
    if point == "index.commit":
        assert ran.expect(8).err.startswith("pp: ")
        assert notes.current("Ada city ?") == ["Ada city Oslo"]
    else:
        ran.expect(0).names("the near index")
    notes.sync()
    assert notes.current("Ada city ?") == ["Ada city Bergen"]
    notes.run("doctor").expect(0)


def test_a_disk_with_little_room_decides_or_refuses_and_never_both(
    notes: Memex, processes: Processes
) -> None:
    """No file may grow beyond a limit: at each limit exit 0 and a line, or exit 8 and none."""
    seen = set()
    for number, limit in enumerate([1, 100, 1000, 4000, 6000, 10_000, 30_000, 100_000, 1 << 20]):
        before, digest = notes.journal_bytes(), notes.digest()
        told = f'(:entity "Bo" :relation :counts :value "{number}")'
        ran = processes.run(notes, "declare", told, limit=limit).expect(0, 8)
        made = len(notes.journal("declare"))
        assert ran.code == 0 or notes.journal_bytes() == before
        assert ran.code == 8 or notes.journal("declare")[-1]["body"]["statement"]["value"] == str(
            number
        )
        assert (notes.digest() == digest) == (ran.code == 8)
        seen.add((ran.code, "index could not be written" in ran.err))
        assert made == len({line["hash"] for line in notes.journal("declare")})
    assert {(8, False), (0, False)} <= seen
    assert notes.rebuild()["result"] == "equal"


def test_reading_goes_on_where_the_index_cannot_follow_the_journal(
    notes: Memex, processes: Processes
) -> None:
    processes.run(notes, "declare", SAID, spec="journal.synced:kill")
    ran = processes.run(notes, "query", "Bo likes ?", limit=LITTLE).expect(0)
    assert "Bo likes herring" in ran.out
    assert "could not be written" in ran.err


def test_a_state_folder_that_turned_read_only_is_said(notes: Memex) -> None:
    """Reading needs no room of its own; writing names the folder that has none."""
    with read_only(notes, notes.state):
        ran = notes.run("declare", SAID)
        assert ran.code in (3, 8)
        assert str(notes.state) in ran.err
        notes.run("query", "Ada ? ?").expect(0, 3)
    notes.run("declare", SAID).expect(0)
    assert notes.rebuild()["result"] == "equal"


def test_a_memex_that_turns_read_only_between_two_commands(notes: Memex) -> None:
    digest = notes.digest()
    with read_only(notes):
        ran = notes.run("declare", SAID).expect(3)
        assert "'declare'" in ran.err
        assert notes.digest() == digest
        notes.run("admit", "--auto").expect(3).names("'admit'")
        notes.run("query", "Ada ? ?").expect(0)
    notes.run("admit", "--auto").expect(0)


# --- time ---------------------------------------------------------------------------------------


class Jumping(Clock):
    """A clock that is somewhere else each time it is asked."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def now(self) -> datetime:
        """Return a moment within twenty years."""
        days = self._chance.uniform(-3650, 3650)
        return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=days)


@pytest.mark.parametrize("seed", range(8))
def test_a_clock_that_jumps_both_ways_never_takes_a_chain_back(tmp_path: Path, seed: int) -> None:
    clock = Jumping(seed)
    for number in range(40):
        with writer(tmp_path, f"device{number % 2}", clock) as one:
            one.append([declare(str(number))])
    found = read_journal(journal(tmp_path))
    assert not found.faults
    assert [line.body["statement"]["value"] for line in found.lines if line.kind == "declare"] == [
        str(number) for number in range(40)
    ]


def test_decisions_made_under_a_jumping_clock_are_the_same_decisions(notes: Memex) -> None:
    steady, chance = notes.twin("steady", journal=True).begin(), random.Random(7)
    for number in range(12):
        told = f'(:entity "Bo" :relation :counts :value "{number}")'
        now = f"20{chance.randrange(10, 25)}-{chance.randrange(1, 13):02}-03T04:05:06Z"
        event = notes.declare(told, now=now)["event"]
        other = steady.declare(told)["event"]
        if number % 3 == 2:
            notes.decide("undo", event, now="2001-01-01T00:00:00Z")
            steady.decide("undo", other)
    notes.sync(now="1999-01-01T00:00:00Z")
    steady.sync()
    assert notes.digest() == steady.digest()
    assert notes.rebuild()["result"] == "equal"


# --- files that change between the walk and the read ---------------------------------------------

CHANGES: dict[str, Callable[[Path], object]] = {
    "edited": lambda path: path.write_text("* Ada\n:PROPERTIES:\n:CITY: Rome\n:END:\n"),
    "emptied": lambda path: path.write_bytes(b""),
    "deleted": lambda path: path.unlink(missing_ok=True),
    "a folder": lambda path: (path.unlink(missing_ok=True), path.mkdir(exist_ok=True)),
    "a link": lambda path: (path.unlink(missing_ok=True), path.symlink_to("/etc/passwd")),
    "no text": lambda path: path.write_bytes(b"\xff\xfe\x00\x01* Ada\n"),
}


@pytest.mark.parametrize("how", CHANGES)
@pytest.mark.parametrize("other", ["a.org", "b.org", "c.org"])
def test_a_file_that_changes_between_walk_and_read(
    memex: Memex, monkeypatch: pytest.MonkeyPatch, how: str, other: str
) -> None:
    """Whichever file changes while another is read, the next sync knows what is there."""
    for name in "abc":
        memex.write(f"{name}.org", f"* {name}\n:PROPERTIES:\n:CITY: Oslo\n:END:\n")
    memex.init()
    read = memex_sync.read_content

    def meddled(path: str, place: str) -> object:
        if path == "b.org":
            CHANGES[how](memex.root / other)
        return read(path, place)

    monkeypatch.setattr(memex_sync, "read_content", meddled)
    memex.run("sync").expect(0, 1)
    monkeypatch.undo()
    memex.run("sync").expect(0, 1)
    digest = memex.digest()
    memex.run("rebuild", "--verify").expect(0)
    fresh = memex.twin("fresh", journal=True)
    fresh.run("sync").expect(0, 1)
    assert fresh.digest() == digest


def test_a_state_folder_on_another_file_system(memex: Memex, tmp_path: Path) -> None:
    """Nothing is renamed from the one to the other."""
    where = tmp_path / "other"
    where.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(where)],
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip("no right to mount a file system here")
    try:
        memex.state = where / "state"
        memex.write("a.org", "* Ada\n:PROPERTIES:\n:CITY: Oslo\n:END:\n").begin()
        memex.declare(SAID)
        assert memex.rebuild()["result"] == "equal"
        archive = tmp_path / "b.tar.gz"
        memex.run("backup", str(archive)).expect(0)
        shutil.rmtree(memex.root)
        memex.run("restore", str(archive)).expect(0)
        memex.sync()
        memex.run("doctor").expect(0)
    finally:
        subprocess.run(["umount", str(where)], check=True)
