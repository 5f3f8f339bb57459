"""Reading one chain as a tree: a sync tool put copies beside its months, or its lines fork.

A line counts if it verifies and its ``prev`` counts, in whatever file that stands; the union of all
branches is the chain. What two files both hold counts once. A line whose ``prev`` is not here waits
for it, and so does all that follows it in its file.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from symbolic.journal.folder import copies, label, months
from symbolic.journal.lines import FIRST_PREV, MAX_LINE, Fault, FaultKind, decode, fault
from symbolic.journal.marks import Head, Mark, Torn
from symbolic.records import Line


@dataclass(slots=True)
class _File:
    """One file while it is read: its lines as bytes and decoded, and how many of them count."""

    name: str
    shown: str
    stat: os.stat_result
    raw: list[bytes]
    lines: list[Line]
    end: Fault | None
    done: int = 0
    here: set[str] = field(default_factory=set)

    @property
    def size(self) -> int:
        """The bytes of the lines that count."""
        return sum(len(raw) for raw in self.raw[: self.done])


@dataclass(slots=True)
class Branches:
    """One chain read whole, all its branches."""

    folder: Path
    dev: str
    stops: Mapping[str, str] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    marks: dict[str, Mark] = field(default_factory=dict)
    tips: tuple[Head, ...] = ()
    torn: Torn | None = None
    beside: bool = False

    @property
    def head(self) -> Head:
        """The end of the branch that goes farthest."""
        return max(self.tips, key=lambda tip: (tip.seq, tip.at, tip.hash), default=Head())

    def read(self) -> Branches:
        """Read every file of the chain and link what can be linked."""
        place = self.folder / self.dev
        last = months(place)[-1:]
        files = [file for name in (*months(place), *copies(place)) if (file := self._load(name))]
        known: dict[str, Line] = {}
        while any([self._link(file, known) for file in files]):
            continue
        self.lines = list(known.values())
        below = {line.prev for line in self.lines}
        self.tips = tuple(sorted(
            (Head(x.seq, x.hash, x.at) for x in self.lines if x.hash not in below),
            key=lambda tip: (tip.seq, tip.hash),
        ))  # fmt: skip
        self._judge(files, last)
        whole = {x.hash for f in files if ".sync-" not in f.name for x in f.lines[: f.done]}
        self.beside = bool(known.keys() - whole)
        for file in files:
            self._mark(file)
        return self

    def _load(self, name: str) -> _File | None:
        """Read a file up to the first line that does not verify by itself."""
        shown = label(self.folder, self.dev, name)
        raws: list[bytes] = []
        lines: list[Line] = []
        try:
            with (self.folder / self.dev / name).open("rb") as file:
                stat = os.fstat(file.fileno())
                while raw := file.readline(MAX_LINE + 1):
                    line = decode(raw, shown, len(lines) + 1)
                    raws.append(raw)
                    if isinstance(line, Fault):
                        return _File(name, shown, stat, raws, lines, line)
                    lines.append(line)
        except OSError as error:
            message = f"cannot be read: {error.strerror}"
            self.faults.append(fault(FaultKind.BROKEN, shown, 0, message))
            return None
        return _File(name, shown, stat, raws, lines, None)

    def _link(self, file: _File, known: dict[str, Line]) -> bool:
        """Let the next lines of a file count as far as their `prev` is here; whether any did."""
        before = file.done
        while file.done < len(file.lines):
            line = file.lines[file.done]
            linked = line.prev == FIRST_PREV or line.prev in known
            if not linked or self._complaint(line, file, known) is not None:
                break
            known.setdefault(line.hash, line)
            file.here.add(line.hash)
            file.done += 1
        return file.done > before

    def _complaint(self, line: Line, file: _File, known: Mapping[str, Line]) -> str | None:
        """Return what is wrong with a line whose `prev` is here."""
        before = known.get(line.prev)
        seq, at = (before.seq, before.at) if before is not None else (0, "")
        if line.hash in file.here:
            return "it stands here already"
        if line.dev != self.dev:
            return f"written by device {line.dev}, whose chain this is not"
        if line.seq != seq + 1:
            return f"its seq is {line.seq} after {seq}"
        if line.at <= at:
            return f"its time {line.at} is not after {at} of the line before"
        if line.at[:7] != file.name[:7]:
            return f"its time {line.at} is not of this file's month"
        return self.stops.get(line.hash)

    def _judge(self, files: list[_File], last: list[str]) -> None:
        """Say of each file that does not count to its end why it does not."""
        known = {line.hash: line for line in self.lines}
        waiting: list[Fault] = []
        for file in files:
            if file.done == len(file.lines):
                self._ended(file, last, waiting)
                continue
            line, raw = file.lines[file.done], file.raw[file.done]
            lineno = file.done + 1
            if line.prev == FIRST_PREV or line.prev in known:
                text = self._complaint(line, file, known) or ""
                self.faults.append(fault(FaultKind.BROKEN, file.shown, lineno, text, raw))
            elif file.done == 0 or any(
                line.prev == x.hash for f in files if f is not file for x in f.lines
            ):
                text = f"the line {line.seq - 1} before it is not here"
                waiting.append(fault(FaultKind.WAITING, file.shown, lineno, text, raw))
            else:
                text = "its prev is not the hash of a line before"
                self.faults.append(fault(FaultKind.BROKEN, file.shown, lineno, text, raw))
        if not self.faults:
            self.faults = waiting

    def _ended(self, file: _File, last: list[str], waiting: list[Fault]) -> None:
        found = file.end
        if found is None:
            return
        if found.kind is not FaultKind.TORN:
            self.faults.append(found)
        elif [file.name] == last:
            raw = file.raw[-1]
            self.torn = Torn(found.file, found.line, file.size, len(raw), found.excerpt)
        else:
            text = "torn: the line does not end"
            waiting.append(fault(FaultKind.WAITING, found.file, found.line, text, file.raw[-1]))

    def _mark(self, file: _File) -> None:
        digest = hashlib.sha256(b"".join(file.raw[: file.done])).hexdigest()
        line = file.lines[file.done - 1] if file.done else None
        head = Head() if line is None else Head(line.seq, line.hash, line.at)
        stat = file.stat
        self.marks[f"{self.dev}/{file.name}"] = Mark(
            stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino, file.size, file.done,
            digest, head, self.tips or (Head(),), self.beside,
        )  # fmt: skip
