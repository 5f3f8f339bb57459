"""S30: many processes over one memex. One writes at a time, readers never wait, nothing is lost."""

from __future__ import annotations

import errno
import os
import random
import shutil
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import settings

from symbolic.journal.chain import read_journal
from symbolic.journal.writer import Writer
from tests.cli import Memex, Result, candidate, relation
from tests.processes import Processes
from tests.watched import held

PEOPLE = ("Ada", "Bo", "Cy")
FIRMS = ("Initech", "Globex", "Hooli")
READS = (
    ("query", "? works-at ?"), ("status",), ("contradictions",), ("admit", "--list"),
    ("timeline", "Ada"), ("search", "works"), ("query", "Ada ? ?", "--json"),
)  # fmt: skip

PATIENT = 8.0
"""Seconds that a reader may take on a machine on which a dozen others run; a busy index is 30."""


@pytest.fixture(scope="module")
def base(processes: Processes, tmp_path_factory: pytest.TempPathFactory) -> Memex:
    """Return a memex with prose that grounds rivals, and files that propose them."""
    memex = Memex(tmp_path_factory.mktemp("base") / "memex")
    for who in PEOPLE:
        said = "".join(f"{who} works at {firm}. {who} likes {firm}.\n" for firm in FIRMS)
        memex.write(f"{who}.org", f"* {who}\n{said}")
    memex.ontology(relation("works-at", policy="exclusive", functional="t"))
    for argv in (("init",), ("sync",)):
        processes.run(memex, *argv).expect(0)
    for number, firm in enumerate(FIRMS):
        (memex.base / f"{number}.jsonl").write_text("".join(
            candidate(who, verb, firm, f"{who} {verb.replace('-', ' ')} {firm}",
                      path=f"{who}.org", outline=[who])
            for who in PEOPLE for verb in ("works-at", "likes")
        ))
    return memex


@pytest.fixture
def notes(memex: Memex, base: Memex) -> Memex:
    """Return a copy of `base` with its state."""
    shutil.copytree(base.base, memex.base, dirs_exist_ok=True)
    memex.run("status").expect(0, 1)  # the index learns that its journal stands in new files
    return memex


# --- all at once --------------------------------------------------------------------------------


@dataclass
class Lane:
    """One of those who work at the same time: what was said to be decided, and what went wrong."""

    processes: Processes
    memex: Memex
    number: int
    until: float
    rounds: int
    made: list[str] = field(default_factory=list)
    stale: int = 0
    reads: int = 0
    slowest: float = 0.0
    trouble: list[BaseException] = field(default_factory=list)

    def run(self) -> None:
        """Work until the time or the rounds are over."""
        chance = random.Random(self.number)
        try:
            for turn in range(self.rounds):
                if time.monotonic() > self.until:
                    break
                self._turn(turn, chance)
        except BaseException as error:  # noqa: BLE001 (it is raised again where it is seen)
            self.trouble.append(error)

    def _turn(self, turn: int, chance: random.Random) -> None:
        what = chance.randrange(6)
        if what == 0:
            self._write("propose", "--from", str(self.memex.base / f"{chance.randrange(3)}.jsonl"))
        elif what == 1:
            self._write("admit", "--auto")
        elif what == 2:
            self._by_hand(chance)
        elif what == 3:
            self._write("declare", '(:entity "Dora" :relation :likes :value "rain")')
        elif what == 4:
            told = f'(:entity "Dora" :relation :counts :value "{self.number}.{turn}")'
            self._write("declare", told)
        else:
            self._write("sync")
        self._read(*chance.choice(READS))

    def _by_hand(self, chance: random.Random) -> None:
        """Admit as a person what a list showed, be it old by now."""
        waiting = self._read("admit", "--list", "--json").lines
        if waiting:
            line = chance.choice(waiting)
            self._write("admit", line["proposal"], "--yes", "--shown", line["shown"])

    def _write(self, *argv: str) -> None:
        done = self.processes.run(self.memex, *argv, *([] if argv[0] == "sync" else ["--json"]))
        done.expect(0, 4, 5, 6)
        self.stale += done.code == 5
        if argv[0] != "sync":
            self.made += [line["event"] for line in done.lines if line.get("event")]

    def _read(self, *argv: str) -> Result:
        begun = time.monotonic()
        done = self.processes.run(self.memex, *argv, reader="watched").expect(0, 1)
        self.slowest = max(self.slowest, time.monotonic() - begun)
        self.reads += 1
        assert "another process" not in done.err
        return done


def together(
    processes: Processes, memex: Memex, count: int, *, rounds: int, seconds: float
) -> list[Lane]:
    """Let `count` lanes work at once, and return them; what went wrong in one is raised."""
    until = time.monotonic() + seconds
    lanes = [Lane(processes, memex, number, until, rounds) for number in range(count)]
    threads = [threading.Thread(target=lane.run) for lane in lanes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for lane in lanes:
        for error in lane.trouble:
            raise error
    return lanes


@pytest.mark.law
@pytest.mark.parametrize("count", [2, 12])
def test_s30_all_at_once_one_fact_each_and_nothing_lost(
    notes: Memex, processes: Processes, count: int
) -> None:
    thorough = settings().max_examples > 1000
    rounds = 10_000 if thorough else 12 // count
    lanes = together(processes, notes, count, rounds=rounds, seconds=60 if thorough else 600)
    processes.run(notes, "admit", "--auto").expect(0, 4, 6)
    notes.sync()

    found = read_journal(notes.root / "system" / "journal")
    assert (found.faults, found.torn) == ((), {})
    assert len(found.heads) == 1
    written = Counter(line.hash for line in found.lines)
    made = [event for lane in lanes for event in lane.made]
    assert len(made) == len(set(made))
    assert all(written[event] == 1 for event in made), "what was said to be decided stands"

    by_kind: dict[str, Counter[str]] = {"propose": Counter(), "admit": Counter()}
    for line in found.lines:
        if line.kind in by_kind:
            by_kind[line.kind][str(line.body["proposal"])] += 1
    assert set(by_kind["propose"].values()) <= {1}
    assert set(by_kind["admit"].values()) <= {1}
    said = Counter(
        f"Dora {statement['relation']} {statement['value']}"
        for line in found.lines if line.kind == "declare"
        for statement in [line.body["statement"]]
    )
    assert set(said.values()) <= {1}
    assert notes.current("Dora ? ?") == sorted(said)

    for who in PEOPLE:
        assert len(notes.current(f"{who} works-at ?")) <= 1
        liked = notes.current(f"{who} likes ?")
        assert len(liked) == len(set(liked))
    _told(lanes, len(found.lines), processes)
    if not thorough:
        assert max(lane.slowest for lane in lanes) < PATIENT
    assert notes.rebuild()["result"] == "equal"


def _told(lanes: Sequence[Lane], lines: int, processes: Processes) -> None:
    """Say what was counted; no read was busy (exit 5, in `Lane`) and none took a lock."""
    counts, reads = processes.counts, sum(lane.reads for lane in lanes)
    stale, slowest = sum(lane.stale for lane in lanes), max(lane.slowest for lane in lanes)
    print(
        f"{len(lanes)} processes: {lines} lines, {stale} decisions on an old view or given up; "
        f"{reads} reads, none busy, the slowest {slowest:.2f} s; all readers so far: "
        f"{counts['locks']} locks, {counts['lock files']} lock files opened, "
        f"{counts['folded']} times the journal was ahead and nobody at it"
    )
    assert reads >= len(lanes)
    assert counts["locks"] == counts["lock files"] == 0


# --- one stands still ---------------------------------------------------------------------------


TOLD = '(:entity "Dora" :relation :city :value "rain")'


@pytest.mark.law
@pytest.mark.parametrize(("argv", "point", "seen"), [
    (("declare", TOLD), "index.commit", False),
    (("declare", TOLD), "journal.fsync", None),
    (("declare", TOLD), "journal.synced", True),
    (("sync",), "index.commit", False),
    (("sync",), "index.committed", True),
    (("sync",), "near.words", True),
    (("sync",), "near.appended", True),
])  # fmt: skip
def test_s30_readers_finish_while_a_writer_stands_in_its_transaction(
    notes: Memex, processes: Processes, argv: tuple[str, ...], point: str, seen: bool | None
) -> None:
    notes.write("more.org", "* Dora\n:PROPERTIES:\n:CITY: rain\n:END:\nDora works at Hooli.\n")
    notes.ontology(relation("works-at", policy="temporal", functional="t"))
    writer = processes.start(notes, *argv, spec=f"{point}:stop")
    writer.stopped()
    thorough = settings().max_examples > 1000
    try:
        for read in READS if thorough else random.Random(point).sample(READS, 3):
            begun = time.monotonic()
            processes.run(notes, *read, reader="watched").expect(0, 1)
            assert time.monotonic() - begun < PATIENT
        found = processes.run(notes, "query", "Dora city ?", reader="watched").expect(0)
        if seen is not None:
            assert ("Dora city rain" in found.out) is seen
    finally:
        writer.go()
    processes.wait(writer).expect(0)
    notes.sync()
    assert notes.current("Dora city ?") == ["Dora city rain"]
    assert notes.rebuild()["result"] == "equal"


def test_s30_a_reader_that_stands_still_is_in_no_writers_way(
    notes: Memex, processes: Processes
) -> None:
    """It holds shared locks alone, that no writer waits for, and goes on seeing its moment."""
    reader = processes.start(notes, "query", "Dora ? ?", reader="stands")
    reader.stopped()
    assert held(reader.pid) == {"POSIX READ"}
    begun = time.monotonic()
    processes.run(notes, "declare", TOLD).expect(0)
    processes.run(notes, "sync").expect(0)
    assert time.monotonic() - begun < PATIENT
    reader.go()
    assert "rain" not in processes.wait(reader).expect(0).out
    assert notes.current("Dora ? ?") == ["Dora city rain"]
    assert processes.counts["locks"] == processes.counts["lock files"] == 0


def test_s30_a_second_writer_says_who_writes_and_a_killed_one_is_in_nobodys_way(
    notes: Memex, processes: Processes
) -> None:
    told = '(:entity "Dora" :relation :likes :value "{}")'
    first = processes.start(notes, "declare", told.format("rain"), spec="index.commit:stop")
    first.stopped()
    second = processes.run(notes, "declare", told.format("snow"))
    assert f"pid {first.pid}" in second.expect(5).err
    first.kill()
    assert processes.wait(first).code == -9
    # The file still names the dead one; the lock went with it.
    assert str(first.pid) in (notes.state / "writer.lock").read_text()
    begun = time.monotonic()
    processes.run(notes, "declare", told.format("snow")).expect(0)
    assert time.monotonic() - begun < PATIENT
    assert notes.current("Dora likes ?") == ["Dora likes rain", "Dora likes snow"]


def test_s30_a_lock_file_of_another_host_holds_nobody_up(notes: Memex) -> None:
    """The state folder was copied, or a home is shared: what the file says is no lock."""
    (notes.state / "writer.lock").write_text(
        '{"host": "elsewhere", "pid": 1, "start": "2001-01-01T00:00:00+00:00", "boot": "x"}\n'
    )
    notes.declare('(:entity "Dora" :relation :likes :value "rain")')
    assert f'"pid": {os.getpid()}' in (notes.state / "writer.lock").read_text()


def test_s30_without_flock_another_hosts_lease_is_broken_by_a_person_only(
    notes: Memex, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr("fcntl.flock", flock)
    monkeypatch.setitem(Writer.__init__.__kwdefaults__, "wait", 0.05)
    lease = '{"host": "elsewhere", "pid": 1, "start": "2001-01-01T00:00:00+00:00", "boot": "x"}'
    (notes.state / "writer.lease").write_text(lease)
    told = notes.run("declare", TOLD).expect(5).names("pid 1 on elsewhere", "--break-lock")
    assert not told.out
    assert notes.current("Dora ? ?") == []
    notes.run("--break-lock", "declare", TOLD).expect(0).names("was broken")
    assert notes.current("Dora ? ?") == ["Dora city rain"]
    assert not (notes.state / "writer.lease").exists()


def test_s30_a_decision_on_an_old_view_is_stale(notes: Memex, processes: Processes) -> None:
    """Two persons are shown the same proposal, and rivals; the second decides on what was."""
    for number in (0, 1):
        processes.run(notes, "propose", "--from", str(notes.base / f"{number}.jsonl"))
    shown = {line["candidate"]["value"]: line
             for line in processes.run(notes, "admit", "--list", "--json").expect(0).lines
             if line["candidate"]["entity"] == "Ada"
             and line["candidate"]["relation"] == "works-at"}
    both = [shown["Initech"], shown["Initech"], shown["Globex"]]
    running = [
        processes.start(notes, "admit", line["proposal"], "--yes", "--shown", line["shown"])
        for line in both
    ]
    codes = [processes.wait(one).code for one in running]
    assert sorted(codes) == [0, 5, 5]
    assert len(notes.current("Ada works-at ?")) == 1


def test_s30_a_sync_that_changes_the_ontology_does_not_move_under_a_decision(
    notes: Memex, processes: Processes
) -> None:
    """A verb that was opened before the sync and writes after it judges by the new ontology."""
    for number in (0, 1):
        processes.run(notes, "propose", "--from", str(notes.base / f"{number}.jsonl"))
    notes.ontology(relation("works-at", policy="coexistent"))
    syncing = processes.start(notes, "sync", spec="sync.applied:stop")
    syncing.stopped()
    waiting = processes.start(notes, "admit", "--auto")
    time.sleep(0.3)
    syncing.go()
    processes.wait(syncing).expect(0)
    processes.wait(waiting).expect(0)
    assert len(notes.current("Ada works-at ?")) == 2
    assert notes.rebuild()["result"] == "equal"

