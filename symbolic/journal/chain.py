"""Reading the chains of a journal folder: verified, in one total order, from where one left off.

A chain is a folder of months; its lines are linked by ``prev``, numbered by ``seq`` and rise in
``at``. It counts up to its first fault. A `Mark` says how far a file has been read and what its
bytes were, so that an unchanged file is not opened and a grown one is read from its end; if what
was read before is no longer there, everything is read again.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from symbolic.errors import ConfigurationError
from symbolic.journal.lines import MAX_LINE, Fault, FaultKind, decode, fault
from symbolic.journal.marks import Head, JournalState, Mark, Torn
from symbolic.records import Line

_DEV = re.compile(r"[0-9a-f]{12}")
_MONTH = re.compile(r"\d{4}-\d{2}\.jsonl", re.ASCII)
_CONFLICT = re.compile(r".*\.sync-conflict-.*\.jsonl")

Order = tuple[str, str, int, str]


def read_journal(folder: Path) -> JournalState:
    """Read and verify all chains of `folder`; one that does not exist is empty."""
    state = _read(folder, {})
    assert isinstance(state, JournalState)
    return state


def read_tail(folder: Path, known: Mapping[str, Mark]) -> JournalState:
    """Read what `folder` holds beyond `known`, the marks of an earlier reading.

    An unchanged file is not opened. If a file lost or changed what was read of it, all is read
    again: `whole` is true and `rewound` names the files.
    """
    state = _read(folder, known)
    if isinstance(state, JournalState):
        return state
    again = _read(folder, {})
    assert isinstance(again, JournalState)
    return JournalState(
        lines=again.lines, heads=again.heads, faults=again.faults, torn=again.torn,
        marks=again.marks, whole=True, rewound=tuple(sorted(state)),
    )  # fmt: skip


def first_open(folder: Path) -> Line | None:
    """Return the first `open` line in the order, whose memex id is the memex's.

    A chain begins with its device's `open`, so only first lines are read; a redacted one is passed.
    """
    firsts = []
    for dev in _devices(folder):
        for name in _months(folder / dev):
            with (folder / dev / name).open("rb") as file:
                line = decode(file.readline(MAX_LINE + 1), label(folder, dev, name), 1)
            if isinstance(line, Line) and line.kind == "open" and line.seq == 1 and line.body:
                firsts.append(line)
            break
    return min(firsts, key=lambda line: line.order, default=None)


def last_open(folder: Path, dev: str) -> Line | None:
    """Return the last `open` line of the chain of `dev`, None if it has none."""
    for name in reversed(_months(folder / dev)):
        for line in _containing(folder, dev, name, b'"kind":"open"'):
            if line.kind == "open":
                return line
    return None


def find_line(folder: Path, dev: str, digest: str) -> Line | None:
    """Return the line of `dev` whose hash is `digest`; it is verified, its chain is not."""
    for name in reversed(_months(folder / dev)):
        for line in _containing(folder, dev, name, b'"hash":"' + digest.encode() + b'"'):
            if line.hash == digest:
                return line
    return None


def label(folder: Path, dev: str, name: str) -> str:
    """Return how a month file is named to people: the journal folder's last two parts and it."""
    return "/".join((*folder.parts[-2:], dev, name))


def _containing(folder: Path, dev: str, name: str, text: bytes) -> Iterator[Line]:
    """Yield the lines of a file that hold `text`, the last first."""
    raw = (folder / dev / name).read_bytes()
    at = len(raw)
    while (at := raw.rfind(text, 0, at)) >= 0:
        start = raw.rfind(b"\n", 0, at) + 1
        end = raw.find(b"\n", at) + 1
        line = decode(raw[start : end or len(raw)], label(folder, dev, name), 0)
        if isinstance(line, Line):
            yield line
        at = start


def _devices(folder: Path) -> list[str]:
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.is_dir()]
    except FileNotFoundError:
        return []
    except NotADirectoryError as error:
        raise ConfigurationError(
            f"{folder} cannot be a folder, since a file stands in its way: move that file, "
            "or name another memex",
            key="journal-folder",
        ) from error
    return sorted(name for name in names if _DEV.fullmatch(name))


def _months(chain: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(chain) if _MONTH.fullmatch(name))
    except FileNotFoundError:
        return []


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

    def read(self) -> _Chain:
        """Read month after month up to the first fault."""
        names = _months(self.folder / self.dev)
        known = {key.rpartition("/")[2] for key in self.known if key.startswith(f"{self.dev}/")}
        self.rewound = {f"{self.dev}/{name}" for name in known.difference(names)}
        for name in names:
            if self.faults or self.rewound:
                break
            try:
                self._month(name)
            except OSError as error:
                shown = label(self.folder, self.dev, name)
                message = f"cannot be read: {error.strerror}"
                self.faults.append(fault(FaultKind.BROKEN, shown, 0, message))
        return self

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
        elif line.seq > head.seq + 1 and lineno == 1:
            missing = f"the lines {head.seq + 1} to {line.seq - 1} before it are not here"
            return fault(FaultKind.WAITING, shown, lineno, missing, raw)
        elif line.seq != head.seq + 1:
            complaint = f"its seq is {line.seq} after {head.seq}"
        elif line.prev != head.hash:
            complaint = "its prev is not the hash of the line before"
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
    """Read what lies beyond `known`, or return the files that lost what was read of them."""
    chains = {dev: _Chain(folder, dev, known).read() for dev in _devices(folder)}
    rewound = {key for key in known if key.partition("/")[0] not in chains}
    rewound.update(*(chain.rewound for chain in chains.values()))
    if rewound:
        return rewound
    for dev, stops in _not_above(folder, chains, known).items():
        chains[dev] = _Chain(folder, dev, known, stops).read()
    lines = [line for chain in chains.values() for line in chain.lines]
    faults = [found for chain in chains.values() for found in chain.faults]
    return JournalState(
        lines=tuple(sorted(lines, key=lambda line: line.order)),
        heads={dev: chain.head for dev, chain in chains.items() if chain.head.seq},
        faults=(*faults, *_conflict_files(folder, chains)),
        torn={dev: chain.torn for dev, chain in chains.items() if chain.torn is not None},
        marks={key: mark for chain in chains.values() for key, mark in chain.marks.items()},
        whole=not known,
    )


def _not_above(
    folder: Path, chains: Mapping[str, _Chain], known: Mapping[str, Mark]
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


def _conflict_files(folder: Path, chains: Mapping[str, _Chain]) -> list[Fault]:
    found = []
    for dev in chains:
        for name in sorted(os.listdir(folder / dev)):
            if _CONFLICT.fullmatch(name):
                message = "a sync tool left this second copy of a month"
                found.append(fault(FaultKind.CONFLICT, label(folder, dev, name), 0, message))
    return found
