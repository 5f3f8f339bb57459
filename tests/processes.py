"""Real `pp` processes, many of them quickly: forked from one that has loaded everything.

A fresh Python takes half a second to import what one command needs; a fork takes milliseconds. What
is forked is a process like any other: it has its own memory and handles, and dies of SIGKILL.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Literal

from gates.tables import SHIPPED
from ontology.bootstrap import tables_hash
from symbolic import faults
from tests.cli import Memex, Result, clean_environment
from tests.watched import Watch

VERBS = (
    "admit", "audit", "contradictions", "declare", "doctor", "propose", "query", "rebuild",
    "reject", "search", "status", "supersede", "sync", "timeline", "undo", "why",
)  # fmt: skip
LONGEST = 60
"""Seconds after which a process says where it stands, and is killed."""

Reader = Literal["", "watched", "stands"]
"""Whether what a command does to locks is counted, and whether it stops while it reads."""

LATE = (
    "bridge.nearby", "bridge.render", "mmap", "numpy", "pathspec", "symbolic.chains",
    "symbolic.history", "symbolic.model.world", "symbolic.why",
)  # fmt: skip
"""What commands load when they need it, and no fork should."""


@dataclass(frozen=True, slots=True)
class Running:
    """A process: its id, what it was asked, and where its output goes."""

    pid: int
    argv: tuple[str, ...]
    out: Path

    def kill(self) -> None:
        """Kill it as a pulled plug would."""
        os.kill(self.pid, signal.SIGKILL)

    def stopped(self) -> None:
        """Wait until it stands at its fail point."""
        until = time.monotonic() + 30
        while Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
            assert time.monotonic() < until, f"pp {' '.join(self.argv)} does not stop"
            time.sleep(0.002)

    def go(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)


class Processes:
    """Starts `pp` processes over a memex, as a context. What is still running at its end dies.

    `counts` sums what the readers among them did to locks (`Watch`).
    """

    def __init__(self, base: Path) -> None:
        self._base = base
        self._count = 0
        self._alive: dict[int, Running] = {}
        self.counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __enter__(self) -> Processes:
        environ = clean_environment(self._base)
        # Threads do not outlive a fork: a library that keeps some may wait for them for ever.
        environ["OPENBLAS_NUM_THREADS"] = environ["OMP_NUM_THREADS"] = "1"
        environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        self._parent = subprocess.Popen(
            [sys.executable, "-c", "from tests.processes import parent; parent()"],
            env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for running in list(self._alive.values()):
            running.kill()
            self.wait(running)
        assert self._parent.stdin is not None
        self._parent.stdin.close()
        self._parent.wait(timeout=60)
        assert self._parent.stdout is not None
        self._parent.stdout.close()

    def start(
        self, memex: Memex, *argv: str, spec: str = "", limit: int = 0, reader: Reader = ""
    ) -> Running:
        """Start one command, with the fail points of `spec` armed.

        With `limit` no file can be written beyond that many bytes, as on a disk that is full. What
        a `reader` does to locks is counted; one that "stands" stops in the middle.
        """
        with self._lock:
            self._count += 1
            out = self._base / f"process.{self._count}"
        pid = self._ask({
            "argv": memex.argv(*argv), "faults": spec, "out": str(out), "limit": limit,
            "reader": reader,
        })
        self._alive[pid] = running = Running(pid, argv, out)
        return running

    def wait(self, running: Running) -> Result:
        """Return what a process left; the exit code of one that was killed is -9.

        Fails if it ended with a traceback: that is a bug, whatever was asked.
        """
        ended = os.pidfd_open(running.pid)
        try:
            if not select.select([ended], [], [], LONGEST)[0]:
                os.kill(running.pid, signal.SIGUSR1)
                time.sleep(1)
                running.kill()
                select.select([ended], [], [])
        finally:
            os.close(ended)
        code = self._ask({"wait": running.pid})
        del self._alive[running.pid]
        counts = running.out.with_name(f"{running.out.name}.counts")
        if counts.exists():
            with self._lock:
                self.counts.update(json.loads(counts.read_text()))
            counts.unlink()
        said = [running.out.with_name(f"{running.out.name}.{end}") for end in ("out", "err")]
        told = [path.read_text() if path.exists() else "" for path in said]
        for path in said:
            path.unlink(missing_ok=True)
        for bug in ("Traceback", "most recent call first"):
            assert bug not in told[1], f"pp {' '.join(running.argv)}\n{told[1]}"
        return Result(running.argv, code, told[0], told[1])

    def run(
        self, memex: Memex, *argv: str, spec: str = "", limit: int = 0, reader: Reader = ""
    ) -> Result:
        """Run one command to its end."""
        return self.wait(self.start(memex, *argv, spec=spec, limit=limit, reader=reader))

    def _ask(self, request: Mapping[str, object]) -> int:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        with self._lock:
            self._parent.stdin.write(json.dumps(request) + "\n")
            self._parent.stdin.flush()
            return int(self._parent.stdout.readline())


# --- in the parent of all ------------------------------------------------------------------------


def parent() -> None:
    """Fork a command for each line of stdin, or bury one; answer with a number a line."""
    for name in (*(f"bridge.cli.{verb}" for verb in VERBS), *LATE):
        import_module(name)
    tables_hash(SHIPPED)
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            answer = os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1])
        else:
            answer = os.fork()
            if not answer:
                _child(request)
        print(answer, flush=True)


def _child(request: Mapping[str, object]) -> None:
    """Be the command, and leave as a process of its own would; never returns."""
    code, watch = 1, None
    try:
        watch = _become(request)
        faulthandler.register(signal.SIGUSR1)
        code = import_module("bridge.cli.main").run(request["argv"])
    except BaseException:  # noqa: BLE001 (what would be the traceback of a fresh process)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        if watch is not None:
            Path(f"{request['out']}.counts").write_text(json.dumps(watch.counts))
        os._exit(code)


def _become(request: Mapping[str, object]) -> Watch | None:
    """Give a fork the handles, the limit, the watch and the fail points of its command."""
    for end, number in (("out", 1), ("err", 2)):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        handle = os.open(f"{request['out']}.{end}", flags, 0o600)
        os.dup2(handle, number)
        os.close(handle)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    limit = request["limit"]
    assert isinstance(limit, int)
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    watch = None
    if request["reader"]:
        watch = Watch(stand=request["reader"] == "stands")
        watch.begin()
    if spec := str(request["faults"]):
        os.environ["PP_FAULTS"] = spec
        faults.ARMED, faults.at = True, faults.armed(spec)
    return watch
