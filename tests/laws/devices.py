"""Several machines with one memex, in one process: each has its own folder, state and clock.

Files travel as a sync tool carries them: a newer version replaces an older one, whole or cut; where
two versions of a chain's month have both grown, one is put aside as a conflict copy.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from bridge.app import App, open_app
from bridge.index import FACTS, remove_index
from bridge.report import Report
from bridge.settings import Settings, load
from bridge.setup import begin
from bridge.sync import sync
from symbolic.digest import digest_d
from symbolic.journal.device import read_device
from symbolic.records import Line
from tests.laws.carrying import aside, begins, dev_of, events, is_chain, part, rows_of, version
from tests.laws.history import BEGUN, Ticking
from tests.laws.strategies import TABLES

_MEMORY = Path("/dev/shm")
ZONE = "Europe/Berlin"


@dataclass(slots=True)
class Machine:
    """One machine. `wrong` shifts its clock; it may go back."""

    home: Path
    clock: Ticking = field(default_factory=Ticking)
    _app: App | None = None

    @property
    def root(self) -> Path:
        """The memex as this machine has it."""
        return self.home / "memex"

    @property
    def state(self) -> Path:
        """The state folder."""
        return self.home / "state"

    @property
    def dev(self) -> str | None:
        """The device that this machine is now."""
        device = read_device(self.state)
        return None if device is None else device.dev

    @property
    def settings(self) -> Settings:
        """The settings of this machine."""
        return load(
            memex=str(self.root), state=str(self.state), now=BEGUN.isoformat(),
            environ={"HOME": str(self.home), "USER": self.home.name, "PP_ZONE": ZONE},
        )  # fmt: skip

    @property
    def app(self) -> App:
        """The memex, opened; a process of its own until `stop`."""
        if self._app is None:
            self._app = open_app(self.settings, tables=TABLES)
            self._app.clock = self.clock
        return self._app

    def stop(self) -> None:
        """End the process."""
        if self._app is not None:
            self._app.close()
            self._app = None

    @contextmanager
    def deciding(self, verb: str, *, person: bool = True) -> Iterator[App]:
        """Hold the writer lock for one decision."""
        self.clock.tick()
        with self.app.writing(verb, person=person) as app:
            yield app

    def sync(self, *, anew: bool = True) -> Report:
        """Sync as a new process would, or as one that is running."""
        self.clock.tick()
        if anew:
            self.stop()
        return sync(self.app)

    def lose_index(self) -> None:
        """Throw the index away."""
        self.stop()
        remove_index(self.state / FACTS)

    def lose_state(self) -> None:
        """Throw the state folder away: this machine is a new device then."""
        self.stop()
        shutil.rmtree(self.state, ignore_errors=True)

    def digest(self) -> str:
        """Return D as the store has it."""
        return digest_d(self.app.view, self.app.header())

    def lines(self) -> list[Line]:
        """Return all lines this machine knows."""
        return list(self.app.view.lines())

    def indexed(self) -> set[str]:
        """Return the hashes of the lines that the index holds, as it stands on the disk."""
        if not (self.state / FACTS).exists():
            return set()
        with closing(sqlite3.connect(self.state / FACTS)) as db:
            return {row[0] for row in db.execute("select hash from line")}

    def files(self) -> dict[str, bytes]:
        """Return every file of the memex."""
        top = str(self.root)
        found = [
            f"{folder}/{name}" for folder, _, names in os.walk(top) for name in names
        ]
        return {name[len(top) + 1 :]: Path(name).read_bytes() for name in sorted(found)}

    def put(self, name: str, data: bytes, age: int | None = None) -> None:
        """Write a file of the memex, as if at `age` (ns) where it is carried."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        if age is not None:
            os.utime(path, ns=(age, age))

    def age(self, name: str) -> int:
        """Return when a file was written."""
        return (self.root / name).stat().st_mtime_ns


def _scratch() -> Path:
    return Path(tempfile.mkdtemp(prefix="fleet-", dir=_MEMORY if _MEMORY.is_dir() else None))


class Fleet:
    """Machines that share one memex. Close it, or use it as a context."""

    def __init__(self, count: int, prose: dict[str, str] | None = None) -> None:
        self.home = _scratch()
        first = Machine(self.home / "m0")
        first.root.mkdir(parents=True)
        for name, text in (prose or {}).items():
            first.put(name, text.encode())
        begin(first.settings, None)
        self.machines = [first]
        self._copies = 0
        self._clones = 0
        first.sync()
        for number in range(1, count):
            one = Machine(self.home / f"m{number}", Ticking(BEGUN + timedelta(seconds=number)))
            shutil.copytree(first.root, one.root)
            self.machines.append(one)

    def copy(self) -> Fleet:
        """Return a fleet that is what this one is, in folders of its own."""
        twin = Fleet.__new__(Fleet)
        twin.home, twin._copies, twin._clones = _scratch(), self._copies, self._clones
        twin.machines = []
        for one in self.machines:
            one.stop()
            twin.machines.append(Machine(twin.home / one.home.name, Ticking(one.clock.moment)))
        shutil.copytree(self.home, twin.home, dirs_exist_ok=True)
        return twin

    def close(self) -> None:
        """Let go of everything."""
        for one in self.machines:
            one.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def clone(self, number: int) -> Machine:
        """Copy a machine as it is, memex and state: both take themselves for it."""
        one = self.machines[number]
        one.stop()
        self._clones += 1
        twin = Machine(self.home / f"clone{self._clones}", Ticking(one.clock.moment))
        shutil.copytree(one.home, twin.home)
        self.machines.append(twin)
        return twin

    def leave(self, number: int) -> None:
        """Lose a machine with all it has: its device writes no more."""
        one = self.machines.pop(number)
        one.stop()
        shutil.rmtree(one.home)

    def snapshot(self, number: int) -> Path:
        """Copy a machine as it is, to be put back later."""
        one = self.machines[number]
        one.stop()
        self._copies += 1
        return Path(shutil.copytree(one.home, self.home / f"snapshot{self._copies}"))

    def put_back(self, number: int, snapshot: Path, folders: tuple[str, ...]) -> None:
        """Put an old state back: of the memex, of the state folder, or of both."""
        one = self.machines[number]
        one.stop()
        for folder in folders:
            shutil.rmtree(one.home / folder, ignore_errors=True)
            if (snapshot / folder).exists():
                shutil.copytree(snapshot / folder, one.home / folder)

    def send(self, source: int, target: int, name: str, cut: int | None = None) -> None:
        """Carry one file over; of what is new in a chain only a part, if it is cut."""
        one = self.machines[source]
        carry(self.machines[target], name, (one.root / name).read_bytes(), cut, one.age(name))

    def exchange(self) -> None:
        """Make all files equal everywhere."""
        living = {one.dev for one in self.machines}
        everything: dict[str, list[tuple[tuple[int, int, int], bytes]]] = {}
        for one in self.machines:
            for name, found in one.files().items():
                data = found
                if is_chain(name) and dev_of(name) in living:
                    # A line that does not end came half: its rest comes with the next version.
                    data = found[: found.rfind(b"\n") + 1]
                rank = version(data) if is_chain(name) else (one.age(name), 0, 0)
                everything.setdefault(name, []).append((rank, data))
        final: dict[str, tuple[int, bytes]] = {}
        for name, versions in everything.items():
            (rank, best) = max(versions)
            final[name] = (rank[0], best)
            for _, data in versions:
                if is_chain(name) and not begins(best, data):
                    final[aside(name, data)] = (0, data)
        for one in self.machines:
            for name, (age, data) in final.items():
                if not (one.root / name).exists() or (one.root / name).read_bytes() != data:
                    one.put(name, data, None if is_chain(name) else age)

    def kept(self) -> set[str]:
        """Return the hashes of all lines whose bytes some file or index holds."""
        found: set[str] = set()
        for one in self.machines:
            for name, data in one.files().items():
                if is_chain(name):
                    found.update(*(events(row) for row in rows_of(data)))
            found |= one.indexed()
        return found

    def exchange_chains(self) -> None:
        """Bring each machine the chains of the others as they are at their own device."""
        for one in self.machines:
            dev = one.app.dev
            for name, data in one.files().items():
                if dev is not None and is_chain(name) and dev in name:
                    for other in self.machines:
                        if other is not one:
                            other.put(name, data)


def carry(target: Machine, name: str, data: bytes, cut: int | None, age: int) -> None:
    """Bring the version `data` of a file to a machine, as a sync tool would.

    Of a chain's new lines the first `cut` bytes come, counted round and round.
    """
    place = target.root / name
    here = place.read_bytes() if place.exists() else b""
    if not is_chain(name):
        if not place.exists() or target.age(name) < age:
            target.put(name, data, age)
    elif begins(data, here):
        if version(data) > version(here):
            target.put(name, part(data, len(rows_of(here)), cut))
    elif not begins(here, data):
        target.put(aside(name, data), part(data, 0, cut))
