"""Fail points: places at which a test may kill the process or let the disk refuse.

``faults.at(NAME)`` does nothing unless ``PP_FAULTS`` was set when this module was imported. Its
form is ``NAME:ACTION[:N]``, several joined by commas. ACTION is ``kill`` (SIGKILL, as a power cut
looks to the process), ``stop`` (SIGSTOP: it stands there until it is told to go on), ``eio`` or
``enospc``; it happens the N-th time NAME is passed (default 1) and not again.
"""

from __future__ import annotations

import errno
import os
import re
import signal
from collections.abc import Callable

from symbolic.errors import ConfigurationError

_ERRORS = {"eio": errno.EIO, "enospc": errno.ENOSPC}
_SIGNALS = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP}
_SPEC = re.compile(r"([\w.-]+):(kill|stop|eio|enospc)(?::([1-9]\d*))?")

ARMED = bool(os.environ.get("PP_FAULTS"))
"""Whether this process has fail points armed; doctor says so and exits 1."""


def armed(spec: str) -> Callable[[str], None]:
    """Return the `at` that `spec` describes. Raises ConfigurationError if it does not read."""
    waiting: dict[str, list[tuple[str, int]]] = {}
    passed: dict[str, int] = {}
    for part in spec.split(","):
        match = _SPEC.fullmatch(part.strip())
        if match is None:
            raise ConfigurationError(
                f"PP_FAULTS: '{part}' is not NAME:kill|stop|eio|enospc[:N]", key="faults"
            )
        name, action, count = match.groups()
        waiting.setdefault(name, []).append((action, int(count or "1")))

    def fail(name: str) -> None:
        if name not in waiting:
            return
        passed[name] = passed.get(name, 0) + 1
        for action, count in waiting[name]:
            if count != passed[name]:
                continue
            if action in _SIGNALS:
                os.kill(os.getpid(), _SIGNALS[action])
                continue
            raise OSError(_ERRORS[action], os.strerror(_ERRORS[action]), f"fail point {name}")

    return fail


def _quiet(name: str) -> None:
    """Do nothing: no fail point is armed."""


at: Callable[[str], None] = armed(os.environ["PP_FAULTS"]) if ARMED else _quiet
