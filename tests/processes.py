"""Real `pp` processes, many of them quickly: forked from one that has loaded everything.

A fresh Python takes half a second to import what one command needs; a fork takes milliseconds. What
is forked is a process like any other: it has its own memory and handles, and dies of SIGKILL.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
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

    def stop(self) -> None:
        """Let it stand where it is."""
        os.kill(self.pid, signal.SIGSTOP)

    def go(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)


class Processes:
    """Starts `pp` processes over a memex, as a context. What is still running at its end dies."""

    def __init__(self, base: Path) -> None:
        self._base = base
        self._count = 0
        self._alive: dict[int, Running] = {}

    def __enter__(self) -> Processes:
        environ = clean_environment(self._base)
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

    def start(self, memex: Memex, *argv: str, spec: str = "", limit: int = 0) -> Running:
        """Start one command, with the fail points of `spec` armed.

        With `limit` no file can be written beyond that many bytes, as on a disk that is full.
        """
        self._count += 1
        out = self._base / f"process.{self._count}"
        pid = self._ask({
            "argv": memex.argv(*argv), "faults": spec, "out": str(out), "limit": limit,
        })
        self._alive[pid] = running = Running(pid, argv, out)
        return running

    def wait(self, running: Running) -> Result:
        """Return what a process left; the exit code of one that was killed is -9.

        Fails if it ended with a traceback: that is a bug, whatever was asked.
        """
        code = self._ask({"wait": running.pid})
        del self._alive[running.pid]
        said = [running.out.with_name(f"{running.out.name}.{end}") for end in ("out", "err")]
        told = [path.read_text() if path.exists() else "" for path in said]
        for path in said:
            path.unlink(missing_ok=True)
        assert "Traceback" not in told[1], f"pp {' '.join(running.argv)}\n{told[1]}"
        return Result(running.argv, code, told[0], told[1])

    def run(self, memex: Memex, *argv: str, spec: str = "", limit: int = 0) -> Result:
        """Run one command to its end."""
        return self.wait(self.start(memex, *argv, spec=spec, limit=limit))

    def _ask(self, request: Mapping[str, object]) -> int:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
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
            answer = os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1])
        else:
            answer = os.fork()
            if not answer:
                _child(request)
        print(answer, flush=True)


def _child(request: Mapping[str, object]) -> None:
    """Be the command, and leave as a process of its own would; never returns."""
    code = 1
    try:
        _become(request)
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
    if spec := str(request["faults"]):
        os.environ["PP_FAULTS"] = spec
        faults.ARMED, faults.at = True, faults.armed(spec)
