"""What befalls the machines of a fleet: files travel, cut anywhere; machines crash and come back.

A line whose bytes no file and no index holds any more is lost, and is no longer asked for.
"""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.laws.carrying import is_chain
from tests.laws.devices import Machine
from tests.laws.persons import Persons, machines, picks

cuts = st.none() | st.integers(0, 4000)
FEWEST = 3
MOST = 5


class Mishaps(Persons):
    """Persons, and the world."""

    def __init__(self) -> None:
        super().__init__()
        self.snapshots: list[tuple[Machine, Path]] = []

    def number_of(self, one: Machine) -> int:
        """Return the number of a machine."""
        return self.f.machines.index(one)

    def _forget(self) -> None:
        """Ask no more for decisions that nothing holds."""
        kept = self.f.kept()
        for event in [event for event in self.decided if event not in kept]:
            del self.decided[event]
            self.did("lost for good")

    @rule(number=machines, anew=st.booleans())
    def sync(self, number: int, anew: bool) -> None:
        """Sync, as a new process or as one that is running."""
        self.at(number).sync(anew=anew)

    @rule(source=machines, other=machines, pick=picks, cut=cuts)
    def send(self, source: int, other: int, pick: int, cut: int | None) -> None:
        """Carry one file from a machine to another, whole or its beginning."""
        one, two = self.at(source), self.at(other)
        names = sorted(one.files())
        if one is not two and names:
            name = names[pick % len(names)]
            before = two.files()
            self.f.send(self.number_of(one), self.number_of(two), name, cut)
            after = two.files()
            if after != before:
                torn = [n for n in after if is_chain(n) and not after[n].endswith(b"\n")]
                self.did("a chain came torn" if torn else "one file came")

    @rule(
        source=machines, other=machines, what=st.sampled_from(("all", "chains", "prose")),
    )
    def send_all(self, source: int, other: int, what: str) -> None:
        """Carry all files from a machine to another, or the chains ahead of the prose."""
        one, two = self.at(source), self.at(other)
        if one is not two:
            for name in sorted(one.files()):
                if what == "all" or is_chain(name) == (what == "chains"):
                    self.f.send(self.number_of(one), self.number_of(two), name)
            self.did(f"sent {what}")

    @rule(number=machines, what=st.sampled_from(("process", "index", "state", "torn")))
    def lose(self, number: int, what: str) -> None:
        """End the process, lose the index or the state folder, tear the last line."""
        one = self.at(number)
        one.stop()
        if what == "index":
            one.lose_index()
        elif what == "state":
            one.lose_state()
        elif what == "torn":
            for name in self._own(one):
                path = one.root / name
                path.write_bytes(path.read_bytes() + b'{"at":"2025')
        self.did(f"lost {what}")
        self._forget()

    @rule(number=machines, cut=st.integers(1, 3000))
    def die(self, number: int, cut: int) -> None:
        """Lose the state folder while the last lines of its chain are being written."""
        one = self.at(number)
        own = self._own(one)
        one.lose_state()
        for name in own[-1:]:
            data = (one.root / name).read_bytes()
            # Its `open` stays: without any line it would be no memex.
            one.put(name, data[: max(len(data) - cut, data.find(b"\n") + 1)])
            self.did("died with a torn tail")
        self._forget()

    def _own(self, one: Machine) -> list[str]:
        dev = one.dev
        return [n for n in sorted(one.files()) if dev and dev in n and "conflict" not in n]

    @rule(number=machines)
    def leave(self, number: int) -> None:
        """Lose a machine with all it has."""
        one = self.at(number)
        if len(self.f.machines) > FEWEST:
            self.snapshots = [(of, place) for of, place in self.snapshots if of is not one]
            self.f.leave(self.number_of(one))
            self.did("left")
            self._forget()

    @rule(number=machines)
    def crash(self, number: int) -> None:
        """Lose the index commit of the last decision: the journal has it, the index has not."""
        one = self.at(number)
        one.app  # noqa: B018  # There is an index to lose.
        one.stop()
        kept = one.home / "kept"
        shutil.copytree(one.state, kept)
        self.declare(self.number_of(one), number)
        one.stop()
        if (one.state / "device.json").exists():
            shutil.copy(one.state / "device.json", kept / "device.json")
        before = one.app.dev
        one.stop()
        shutil.rmtree(one.state)
        kept.rename(one.state)
        assert one.app.dev == before
        self.did("crashed")

    @rule(number=machines)
    def clone(self, number: int) -> None:
        """Copy a machine with all it has."""
        if len(self.f.machines) < MOST:
            self.f.clone(self.number_of(self.at(number)))
            self.did("cloned")

    @rule(number=machines, deeds=st.tuples(picks, picks), cut=cuts)
    def fork(self, number: int, deeds: tuple[int, int], cut: int | None) -> None:
        """Let a machine and its clone write on, and the chain of one reach the other."""
        if len(self.f.machines) < MOST:
            one = self.at(number)
            twin = self.f.clone(self.number_of(one))
            for each, pick in zip((one, twin), deeds, strict=True):
                self.declare(self.number_of(each), pick)
            before = one.files().keys()
            for name in self._own(twin)[-1:]:
                self.f.send(self.number_of(twin), self.number_of(one), name, cut)
            if any("conflict" in name for name in one.files().keys() - before):
                self.did("a copy was put aside")

    @rule(number=machines)
    def keep(self, number: int) -> None:
        """Take a snapshot of a machine."""
        one = self.at(number)
        self.snapshots.append((one, self.f.snapshot(self.number_of(one))))

    @rule(
        number=machines, pick=picks,
        folders=st.sampled_from((("memex", "state"), ("memex",), ("state",))),
    )
    def put_back(self, number: int, pick: int, folders: tuple[str, ...]) -> None:
        """Put a snapshot back: the machine, the memex alone, or the state folder alone."""
        if not self.snapshots:
            self.keep(number)
            self.declare(number, pick)
        one, snapshot = self.snapshots[pick % len(self.snapshots)]
        self.f.put_back(self.number_of(one), snapshot, folders)
        self.did(f"put back {' and '.join(folders)}")
        self._forget()

    @rule(number=machines, pick=picks, drop=st.integers(1, 3), cut=cuts, wide=st.booleans())
    def restore_copy(
        self, number: int, pick: int, drop: int, cut: int | None, wide: bool
    ) -> None:
        """Let an old copy of one chain come back, torn or whole, here or everywhere."""
        one = self.at(number)
        names = [n for n in sorted(one.files()) if is_chain(n) and "conflict" not in n]
        if not names:
            return
        name = names[pick % len(names)]
        rows = (one.root / name).read_bytes().splitlines(keepends=True)
        if len(rows) <= drop:
            return
        old = b"".join(rows[:-drop]) + (b"" if cut is None else rows[-drop][:cut].rstrip(b"\n"))
        for each in self.f.machines if wide else [one]:
            each.app  # noqa: B018  # What the file holds is folded before it goes.
            each.stop()
            each.put(name, old)
        self.did(f"an old copy came back {'everywhere' if wide else 'here'}")
        self._forget()

    @rule(number=machines, hours=st.integers(-48, 2) | st.just(31 * 24))
    def lose_clock(self, number: int, hours: int) -> None:
        """Set a clock back or forth, or into another month."""
        one = self.at(number)
        one.clock.moment += timedelta(hours=hours)
        self.did("another month" if hours > 2 else "lost its clock")
