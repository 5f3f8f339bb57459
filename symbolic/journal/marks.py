"""What reading a journal yields: heads, how far each file was read, a torn end, the whole state."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symbolic.journal.lines import FIRST_PREV, Fault
from symbolic.records import Line

Row = tuple[int, int, int, int, int, int, str, int, str, str, Sequence[Sequence[Any]], bool]


@dataclass(frozen=True, slots=True)
class Head:
    """The last verified line of a chain; `seq` is 0 where there is none."""

    seq: int = 0
    hash: str = FIRST_PREV
    at: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a month file was read: `end` bytes and `lines` lines, whose sha256 is `digest`.

    The first four are the file's state at that time, `head` the chain's line at `end`. `tips` are
    the ends of all branches of a chain that is not read file after file, as it has copies beside
    its months or forks; without them it has one end. `beside`: copies hold what no month does.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    end: int
    lines: int
    digest: str
    head: Head
    tips: tuple[Head, ...] = ()
    beside: bool = False

    def row(self) -> Row:
        """Return the mark as one flat row, for a table."""
        head = self.head
        return (
            self.size, self.mtime_ns, self.ctime_ns, self.inode, self.end, self.lines,
            self.digest, head.seq, head.hash, head.at,
            [[tip.seq, tip.hash, tip.at] for tip in self.tips], self.beside,
        )  # fmt: skip

    @classmethod
    def of_row(cls, row: Row) -> Mark:
        """Return the mark that `row` was made of."""
        return cls(*row[:7], Head(*row[7:10]), tuple(Head(*tip) for tip in row[10]), row[11])

    def unchanged(self, stat: os.stat_result) -> bool:
        """Return whether the file is what it was and had been read to its end."""
        same = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
        mine = (self.size, self.mtime_ns, self.ctime_ns, self.inode)
        return same == mine and self.end == self.size


@dataclass(frozen=True, slots=True)
class Torn:
    """The last line of a chain that does not end: `size` bytes from byte `offset` of `file`."""

    file: str
    line: int
    offset: int
    size: int
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalState:
    """What a journal folder holds. `lines` are in the order (at, dev, seq, hash).

    `lines` are those beyond the marks given, all of them if `whole`. `heads` are by device.
    `torn` names, by device, a last line that does not end: half-written or half-arrived, no fault.
    `marks` are by file (`<dev>/YYYY-MM.jsonl`) and make the next reading a short one. `rewound`
    names the files that no longer hold what the marks given say; then everything was read again.
    `branches` are the ends of each chain, several where it is forked. `beside` names the chains of
    which a copy that a sync tool made holds lines that the months themselves lack.
    """

    lines: tuple[Line, ...]
    heads: Mapping[str, Head]
    faults: tuple[Fault, ...]
    torn: Mapping[str, Torn]
    marks: Mapping[str, Mark]
    whole: bool
    rewound: tuple[str, ...] = ()
    branches: Mapping[str, tuple[Head, ...]] = field(default_factory=dict)
    beside: frozenset[str] = frozenset()

    @property
    def newest(self) -> str:
        """The newest `at` of all chains, empty if there is no line."""
        return max((head.at for head in self.heads.values()), default="")
