"""pyDatalog as an oracle, in a process of its own that is killed when one program takes too long.

Run as a script it is that process: a program on each line in, what it answers on each line out.
pyDatalog.load runs Python, so only text that is made here ever reaches it: names are numbered.
"""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Facts = set[tuple[int, int, int]]
"""(predicate, entity, value), all by number."""


class Worker:
    """One process for many programs; a new one after each that had to be killed."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.killed = 0
        self._process: subprocess.Popen[str] | None = None

    def ask(self, lines: Sequence[str], predicates: Iterable[int]) -> Facts | None:
        """Return all that holds of `predicates` under the program `lines`, None if killed."""
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps([list(lines), list(predicates)]) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], self.seconds)
        if not ready:
            self.close()
            self.killed += 1
            return None
        answer = json.loads(process.stdout.readline())
        return {tuple(row) for row in answer}

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__))], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        return self._process

    def close(self) -> None:
        """Kill the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None


def serve() -> None:
    """Answer programs until there are no more."""
    from pyDatalog import pyDatalog

    for line in sys.stdin:
        lines, predicates = json.loads(line)
        pyDatalog.clear()  # Logic(True) keeps facts
        # A predicate that nothing defines is an error to pyDatalog; this defines it as empty.
        nothing = [f"p{n}(X,Y) <= nothing(X,Y) & (X > 0)" for n in predicates]
        pyDatalog.load("\n".join(["+ nothing(0,0)", *nothing, *lines]))
        found: list[Any] = []
        for n in predicates:
            answer = pyDatalog.ask(f"p{n}(X,Y)")
            found += [(n, *row) for row in answer.answers] if answer else []
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    serve()
