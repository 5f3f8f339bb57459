"""Reading the chains of a journal folder: verified, in one total order, from where one left off.

A chain is a folder of months; its lines are linked by ``prev``, numbered by ``seq`` and rise in
``at``. It counts up to its first fault. A `Mark` says how far a file has been read and what its
bytes were, so that an unchanged file is not opened and a grown one is read from its end; if what
was read before is no longer there, everything is read again. A chain that is not one file after
another (copies beside its months, a fork) is read as a tree, whole (`branches`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from symbolic.journal.branches import Branches
from symbolic.journal.folder import copies, devices, find_line, label, months
from symbolic.journal.lines import MAX_LINE, Fault, FaultKind, decode, fault
from symbolic.journal.marks import Head, JournalState, Mark, Torn
from symbolic.records import Line

Order = tuple[str, str, int, str]


def read_journal(folder: Path) -> JournalState:
    """Read and verify all chains of `folder`; one that does not exist is empty."""
    state = _read(folder, {})
    assert isinstance(state, JournalState)
    return state


def read_tail(folder: Path, known: Mapping[str, Mark]) -> JournalState:
    """Read what `folder` holds beyond `known`, the marks of an earlier reading.

    An unchanged file is not opened. If a file lost or changed what was read of it, all is read
    again: `whole` is true and `rewound` names the files. All is read again, too, when a chain
    forks or a forked one grows.
    """
    state = _read(folder, known)
    if isinstance(state, JournalState):
        return state
    again = _read(folder, {})
    assert isinstance(again, JournalState)
    return replace(again, whole=True, rewound=tuple(sorted(state)))


@dataclass(slots=True)
class _Chain:
    """One chain while it is read."""

    folder: Path
    dev: str
    known: Mapping[str, Mark]
    stops: Mapping[str, str] = field(default_factory=dict)
    head: Head = field(default_factory=Head)
    lines: list[Line] = field(default_factory=list)
    marks: dict[str, Mark] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    torn: Torn | None = None
    rewound: set[str] = field(default_factory=set)
    tips: tuple[Head, ...] = ()
    tangled: bool = False
    beside: bool = False

    def read(self) -> _Chain:
        """Read month after month up to the first fault; `tangled` if that is no way to read it."""
        place = self.folder / self.dev
        names, aside = months(place), copies(place)
        known = {key.rpartition("/")[2] for key in self.known if key.startswith(f"{self.dev}/")}
        self.rewound = {f"{self.dev}/{name}" for name in known.difference(names, aside)}
        marked = any(self.known[f"{self.dev}/{name}"].tips for name in known)
        if not self.rewound and (aside or marked):
            self.tangled = not self._unchanged([*names, *aside], known)
            return self
        for name in names:
            if self.faults or self.rewound or self.tangled:
                break
            try:
                self._month(name)
            except OSError as error:
                shown = label(self.folder, self.dev, name)
                message = f"cannot be read: {error.strerror}"
                self.faults.append(fault(FaultKind.BROKEN, shown, 0, message))
        if self.head.seq and not self.tangled:
            self.tips = (self.head,)
        return self

    def _unchanged(self, names: list[str], known: set[str]) -> bool:
        """Pass a chain that was read as a tree by, if nothing in it is new."""
        marks = {f"{self.dev}/{name}": self.known.get(f"{self.dev}/{name}") for name in names}
        found = {key: mark for key, mark in marks.items() if mark is not None and mark.tips}
        if len(found) < len(names) or len(known) != len(names):
            return False
        try:
            same = all(mark.unchanged((self.folder / key).stat()) for key, mark in found.items())
        except OSError:
            return False
        if same:
            one = next(iter(found.values()))
            self.tips = tuple(tip for tip in one.tips if tip.seq)
            self.head = max(self.tips, key=lambda tip: (tip.seq, tip.at, tip.hash), default=Head())
            self.marks.update(found)
            self.beside = one.beside
        return same

    def _month(self, name: str) -> None:
        """Read one file from where its mark ends, or pass it by if it is unchanged."""
        key, path = f"{self.dev}/{name}", self.folder / self.dev / name
        mark = self.known.get(key)
        stat = path.stat()
        if self.torn is not None and stat.st_size:
            message = "torn: the line does not end, and a later month exists"
            self.faults.append(fault(FaultKind.WAITING, self.torn.file, self.torn.line, message))
            self.torn = None
        elif mark is not None and mark.unchanged(stat) and not self.lines:
            self.head, self.marks[key] = mark.head, mark
        else:
            with path.open("rb") as file:
                self._tail(file, key, mark)

    def _tail(self, file: BinaryIO, key: str, mark: Mark | None) -> None:
        """Verify the lines of `file` beyond `mark` and set its new mark."""
        stat = os.fstat(file.fileno())
        digest = hashlib.sha256()
        count = end = 0
        if mark is not None:
            if (mark.lines and self.lines) or not _begins(file, mark, digest):
                self.rewound.add(key)
                return
            count, end = mark.lines, mark.end
            self.head = mark.head if mark.lines else self.head
        shown = label(self.folder, self.dev, key.rpartition("/")[2])
        while raw := file.readline(MAX_LINE + 1):
            line = self._step(raw, shown, count + 1)
            if self.tangled:
                return
            if isinstance(line, Fault):
                self._stop(line, end, stat.st_size)
                break
            self.lines.append(line)
            self.head = Head(line.seq, line.hash, line.at)
            digest.update(raw)
            count, end = count + 1, end + len(raw)
        self.marks[key] = Mark(
            stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, end, count,
            digest.hexdigest(), self.head,
        )  # fmt: skip

    def _step(self, raw: bytes, shown: str, lineno: int) -> Line | Fault:
        """Return the next line if it is whole and continues the chain."""
        line = decode(raw, shown, lineno)
        if isinstance(line, Fault):
            return line
        head = self.head
        month = shown.rpartition("/")[2].removesuffix(".jsonl")
        complaint = self.stops.get(line.hash)
        if line.dev != self.dev:
            complaint = f"written by device {line.dev}, whose chain this is not"
        elif line.seq > head.seq + 1 and lineno == 1 and line.prev != head.hash:
            missing = f"the lines {head.seq + 1} to {line.seq - 1} before it are not here"
            return fault(FaultKind.WAITING, shown, lineno, missing, raw)
        elif line.prev != head.hash:
            self.tangled = True
        elif line.seq != head.seq + 1:
            complaint = f"its seq is {line.seq} after {head.seq}"
        elif line.at <= head.at:
            complaint = f"its time {line.at} is not after {head.at} of the line before"
        elif line.at[:7] != month:
            complaint = f"its time {line.at} is not of this file's month"
        if complaint is None:
            return line
        return fault(FaultKind.BROKEN, shown, lineno, complaint, raw)

    def _stop(self, found: Fault, end: int, size: int) -> None:
        if found.kind is FaultKind.TORN:
            self.torn = Torn(found.file, found.line, end, size - end, found.excerpt)
        else:
            self.faults.append(found)


def _begins(file: BinaryIO, mark: Mark, digest: hashlib._Hash) -> bool:
    """Return whether `file` begins with the bytes `mark` covers; `digest` takes them in."""
    left = mark.end
    while left and (block := file.read(min(left, 1 << 20))):
        digest.update(block)
        left -= len(block)
    return left == 0 and digest.hexdigest() == mark.digest


def _read(folder: Path, known: Mapping[str, Mark]) -> JournalState | set[str]:
    """Read what lies beyond `known`, or return the files that lost what was read of them.

    An empty set is returned where nothing was lost and all has to be read again all the same.
    """
    found = {dev: _Chain(folder, dev, known).read() for dev in devices(folder)}
    rewound = {key for key in known if key.partition("/")[0] not in found}
    rewound.update(*(chain.rewound for chain in found.values()))
    marked = {key.partition("/")[0] for key in known}
    if rewound or any(chain.tangled and dev in marked for dev, chain in found.items()):
        return rewound
    chains: dict[str, _Chain | Branches] = {
        dev: Branches(folder, dev).read() if chain.tangled else chain
        for dev, chain in found.items()
    }
    for dev, stops in _not_above(folder, chains, known).items():
        one = chains[dev]
        if isinstance(one, Branches):
            chains[dev] = Branches(folder, dev, stops).read()
        else:
            chains[dev] = _Chain(folder, dev, known, stops).read()
    lines = [line for chain in chains.values() for line in chain.lines]
    return JournalState(
        lines=tuple(sorted(lines, key=lambda line: line.order)),
        heads={dev: chain.head for dev, chain in chains.items() if chain.head.seq},
        faults=tuple(one for chain in chains.values() for one in chain.faults),
        torn={dev: chain.torn for dev, chain in chains.items() if chain.torn is not None},
        marks={key: mark for chain in chains.values() for key, mark in chain.marks.items()},
        whole=not known,
        branches={dev: chain.tips for dev, chain in chains.items() if chain.tips},
        beside=frozenset(dev for dev, chain in chains.items() if chain.beside),
    )


def _not_above(
    folder: Path, chains: Mapping[str, _Chain | Branches], known: Mapping[str, Mark]
) -> dict[str, dict[str, str]]:
    """Return, by device, the lines (hash -> complaint) that are not above all they have seen.

    A head that is not here holds nothing up. What lies below a head needs no look: chains rise.
    """
    orders: dict[tuple[str, str], Order | None] = {
        (dev, line.hash): line.order for dev, chain in chains.items() for line in chain.lines
    }

    def order(dev: str, digest: str) -> Order | None:
        # Lines read before are not in memory: a tail looks them up in the files.
        if (dev, digest) not in orders and known:
            line = find_line(folder, dev, digest)
            orders[dev, digest] = None if line is None else line.order
        return orders.get((dev, digest))

    found: dict[str, dict[str, str]] = {}
    for chain in chains.values():
        for line in chain.lines:
            for dev, heads in line.seen.items():
                for seq, digest in heads:
                    above = order(dev, digest)
                    if above is not None and above >= line.order:
                        text = f"it has seen line {seq} of {dev}, which comes after it"
                        found.setdefault(chain.dev, {})[line.hash] = text
    return found
