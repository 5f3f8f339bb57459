"""The writer lock: one process at a time writes the journal and the indices.

It is flock on `writer.lock` in the state folder, so a killed process frees it. What the file says
(host, pid, start) is information. Where flock does not work (some network file systems) a lease
file stands in: it is taken over when it is of this host and its process is gone or the machine has
been started anew; one of another host is never broken but by a person (`break_lock`).
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from symbolic.errors import LockHeld
from symbolic.journal.disk import make_folder, state_error

FILE = "writer.lock"
LEASE = "writer.lease"
WAIT = 5.0
"""Seconds that a process waits for the lock before it gives up."""

_POLL = 0.01
_NO_FLOCK = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)


class WriterLock:
    """The writer lock of the folder `state`, as a context. Raises LockHeld after `wait` seconds.

    A state folder that cannot be written raises ConfigurationError, a full disk DiskRefused.
    """

    def __init__(self, state: Path, wait: float = WAIT) -> None:
        self._state = state
        self._wait = wait
        self._descriptor: int | None = None
        self._lease: Path | None = None
        self._leasing = False

    def __enter__(self) -> WriterLock:
        try:
            make_folder(self._state)
            path = self._state / FILE
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._take(time.monotonic() + self._wait)
        except OSError as error:
            self._release()
            raise state_error(self._state, error) from error
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._release()

    def _take(self, deadline: float) -> None:
        while not self._try():
            if time.monotonic() >= deadline:
                gone = "if it is surely gone, pp --break-lock VERB"
                remedy = gone if self._leasing else "try again"
                holder = _holder(self._state / (LEASE if self._leasing else FILE))
                raise LockHeld(f"another process is writing ({holder}): {remedy}")
            time.sleep(_POLL)

    def _try(self) -> bool:
        """Take the lock if it is free."""
        assert self._descriptor is not None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            if error.errno not in _NO_FLOCK:
                raise
            self._leasing = True
            return self._try_lease()
        # Information only: a full disk must not keep anybody from the lock.
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, _information(), 0)
        return True

    def _try_lease(self) -> bool:
        path = self._state / LEASE
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            _retire(path)
            return False
        try:
            os.write(descriptor, _information())
        finally:
            os.close(descriptor)
        self._lease = path
        return True

    def _release(self) -> None:
        if self._lease is not None:
            self._lease.unlink(missing_ok=True)
            self._lease = None
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def break_lock(state: Path) -> bool:
    """Remove the lease of the folder `state`: a person says its holder is gone. A flock stays.

    So does the lease of a process that is seen to live on this host. Returns whether one went.
    """
    import socket

    path = state / LEASE
    told = _told(path)
    here = told.get("host") == socket.gethostname() and isinstance(told.get("pid"), int)
    if not path.exists() or (here and not _dead(told)):
        return False
    path.unlink(missing_ok=True)
    return True


def _boot() -> str:
    """Return an id that changes at each start of the machine, empty where there is none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def _information() -> bytes:
    start = datetime.now(UTC).isoformat(timespec="seconds")
    told = {"host": os.uname().nodename, "pid": os.getpid(), "start": start, "boot": _boot()}
    return json.dumps(told).encode() + b"\n"


def _told(path: Path) -> dict[str, object]:
    try:
        told = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


def _holder(path: Path) -> str:
    told = _told(path)
    if "pid" not in told:
        return "it does not say who"
    return f"pid {told['pid']} on {told.get('host')}, since {told.get('start')}"


def _retire(path: Path) -> None:
    """Remove the lease at `path` if it is of this host and its process is surely gone."""
    told = _told(path)
    if not _dead(told):
        return
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    with suppress(FileNotFoundError):
        path.rename(aside)
        # Another process may have been quicker: then this is its live lease, which goes back.
        if _told(aside) != told:
            with suppress(FileExistsError):
                os.link(aside, path)
        aside.unlink()


def _dead(told: dict[str, object]) -> bool:
    pid = told.get("pid")
    if told.get("host") != os.uname().nodename or not isinstance(pid, int):
        return False
    if told.get("boot") != _boot():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
