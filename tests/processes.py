"""Real `pp` processes, many of them quickly: forked from one that has loaded everything.

A fresh Python takes half a second to import what one command needs; a fork takes milliseconds. What
is forked is a process like any other: it has its own memory and handles, and dies of SIGKILL.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import TracebackType

from symbolic import faults
from tests.cli import Memex, Result, clean_environment

VERBS = (
    "admit", "audit", "contradictions", "declare", "doctor", "propose", "query", "rebuild",
    "reject", "search", "status", "supersede", "sync", "timeline", "undo", "why",
)  # fmt: skip
LONGEST = 60
"""Seconds after which a process says where it stands, and is killed."""

_RUNNING = -1000
"""What waiting answers while a process runs."""

LATE = ("bridge.nearby", "bridge.render", "numpy", "pathspec")
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
    """Starts `pp` processes over a memex, as a context. What is still running at its end dies."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._count = 0
        self._alive: dict[int, Running] = {}
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
        self, memex: Memex, *argv: str, spec: str = "", limit: int = 0, reader: bool = False
    ) -> Running:
        """Start one command, with the fail points of `spec` armed.

        With `limit` no file can be written beyond that many bytes, as on a disk that is full. A
        `reader` ends with a traceback if it opens the writer lock or locks any file.
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
        until = time.monotonic() + LONGEST
        while (code := self._ask({"wait": running.pid})) == _RUNNING:
            time.sleep(0.002)
            if time.monotonic() > until:
                os.kill(running.pid, signal.SIGUSR1)
                time.sleep(1)
                running.kill()
                until = float("inf")
        del self._alive[running.pid]
        said = [running.out.with_name(f"{running.out.name}.{end}") for end in ("out", "err")]
        told = [path.read_text() if path.exists() else "" for path in said]
        for path in said:
            path.unlink(missing_ok=True)
        for bug in ("Traceback", "most recent call first"):
            assert bug not in told[1], f"pp {' '.join(running.argv)}\n{told[1]}"
        return Result(running.argv, code, told[0], told[1])

    def run(
        self, memex: Memex, *argv: str, spec: str = "", limit: int = 0, reader: bool = False
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
    """Fork a command for each line of stdin, or wait for one; answer with a number a line."""
    for name in (*(f"bridge.cli.{verb}" for verb in VERBS), *LATE):
        import_module(name)
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            pid, status = os.waitpid(request["wait"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else _RUNNING
        else:
            answer = os.fork()
            if not answer:
                _child(request)
        print(answer, flush=True)


def _reads_only(event: str, given: tuple[object, ...]) -> None:
    """Refuse a reader what only writers do."""
    if event in ("fcntl.flock", "fcntl.lockf"):
        raise AssertionError(f"a reader locks a file: {event}")
    if event == "open" and str(given[0]).endswith(("writer.lock", "writer.lease")):
        raise AssertionError(f"a reader opens {given[0]}")


def _child(request: Mapping[str, object]) -> None:
    """Be the command, and leave as a process of its own would; never returns."""
    code = 1
    try:
        _become(request)
        faulthandler.register(signal.SIGUSR1)
        code = import_module("bridge.cli.main").run(request["argv"])
    except BaseException:  # noqa: BLE001 (what would be the traceback of a fresh process)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _become(request: Mapping[str, object]) -> None:
    """Give a fork the handles, the limit and the fail points of its command."""
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
    if request["reader"]:
        sys.addaudithook(_reads_only)
    if spec := str(request["faults"]):
        os.environ["PP_FAULTS"] = spec
        faults.ARMED, faults.at = True, faults.armed(spec)
