"""What the store remembers of each file: its stat, what it rests on, its IDs, its problems."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from memex.files import FileStat
from memex.keys import IdClaim
from memex.problems import Problem
from memex.sync import KnownFile


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """A file as the last sync left it. `mark` is of its rows: what the near index has to hold."""

    known: KnownFile
    claims: tuple[IdClaim, ...] = ()
    problems: tuple[Problem, ...] = field(default=())
    mark: str = ""

    def text(self) -> str:
        """Return the record as JSON text."""
        stat = self.known.stat
        return json.dumps(
            {
                "stat": [stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode, stat.sha256],
                "depends": [list(pair) for pair in self.known.depends],
                "ids": [list(claim) for claim in self.claims],
                "problems": [asdict(problem) for problem in self.problems],
                "mark": self.mark,
            },
            ensure_ascii=False,
        )


def record_of(text: str) -> FileRecord:
    """Return the record that `FileRecord.text` wrote."""
    body = json.loads(text)
    return FileRecord(
        known=KnownFile(FileStat(*body["stat"]), tuple((p, s) for p, s in body["depends"])),
        claims=tuple(IdClaim(*claim) for claim in body["ids"]),
        problems=tuple(Problem(**problem) for problem in body["problems"]),
        mark=body["mark"],
    )


def records_of(stats: Mapping[str, str]) -> dict[str, FileRecord]:
    """Return the records of all files."""
    return {path: record_of(text) for path, text in stats.items()}


def marks_of(stats: Mapping[str, str]) -> dict[str, str]:
    """Return {path: mark} of the files that have rows, without reading the rest of the records."""
    marks = {path: json.loads(text)["mark"] for path, text in stats.items()}
    return {path: mark for path, mark in marks.items() if mark}


def all_problems(records: Iterable[FileRecord]) -> list[Problem]:
    """Return what is wrong in the files, by path and line."""
    found = [problem for record in records for problem in record.problems]
    return sorted(found, key=lambda p: (p.path, p.line, p.column))
