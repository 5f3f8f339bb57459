"""What a reading command does to locks, counted in its own process by its own interpreter.

An audit hook sees each file that Python opens or locks, and SQLite traces the statements of each
connection. What SQLite itself locks by the byte stands in /proc/locks: `held` reads it of a process
that stands still.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from collections import Counter
from pathlib import Path
from typing import Any


class Watch:
    """Counts `locks`, `lock files` opened and `folded` (transactions that wrote) of its process.

    One that `stand`s stops itself (SIGSTOP) once, in the transaction that it reads in.
    """

    def __init__(self, *, stand: bool) -> None:
        self.counts: Counter[str] = Counter()
        self._stand = stand
        self._writing = False
        self._since = 100

    def begin(self) -> None:
        """Watch this process from here on, for good."""
        sys.addaudithook(self._event)
        connect = sqlite3.connect

        def traced(*given: Any, **named: Any) -> sqlite3.Connection:
            made = connect(*given, **named)
            made.set_trace_callback(self._statement)
            return made

        sqlite3.connect = traced

    def _event(self, event: str, given: tuple[object, ...]) -> None:
        if event in ("fcntl.flock", "fcntl.lockf"):
            self.counts["locks"] += 1
        elif event == "open" and str(given[0]).endswith(("writer.lock", "writer.lease")):
            self.counts["lock files"] += 1

    def _statement(self, sql: str) -> None:
        """Take in one statement as it starts; stand still within what is read, if told to."""
        if sql == "begin immediate":
            self._writing = True
        elif sql == "commit":
            self.counts["folded"] += self._writing
            self._writing = False
        elif sql == "begin":
            self._since = 0
        self._since += 1
        # The first statement of a transaction takes its locks: at the second they are held.
        if self._stand and self._since == 3:
            self._stand = False
            os.kill(os.getpid(), signal.SIGSTOP)


def held(pid: int) -> set[str]:
    """Return how the files that the process `pid` locks are locked: `POSIX READ`, `FLOCK WRITE`."""
    rows = (line.split() for line in Path("/proc/locks").read_text().splitlines())
    # A row with an arrow is somebody who waits for the lock of the row above.
    return {
        f"{'waits for ' if row[1] == '->' else ''}{row[-7]} {row[-5]}"
        for row in rows if row[-4] == str(pid)
    }
