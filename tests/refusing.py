"""A disk that refuses one call of a process, or that one and all after it."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

CALLS = ("write", "fsync", "ftruncate", "replace", "mkdir")
ERRORS = (errno.ENOSPC, errno.EIO)
Doom = tuple[int, int, bool]
"""The number of the call that fails, its error, and whether half of its bytes are written."""


@dataclass(slots=True)
class Disk:
    """Counts the calls that reach the disk, fails one of them, or that one and all after it."""

    doom: Doom | None = None
    for_good: bool = False
    calls: list[str] = field(default_factory=list)
    failed: set[int] = field(default_factory=set)
    again: list[str] = field(default_factory=list)
    """Calls on a handle of which an fsync had failed."""

    def met(self, name: str, real: Callable[..., Any], *given: Any) -> Any:
        """Be the call, or fail as told."""
        self.calls.append(name)
        handle = given[0] if name in ("write", "fsync", "ftruncate") else None
        if handle in self.failed and name == "fsync":
            self.again.append(name)
        if self.doom is None:
            return real(*given)
        number, error, half = self.doom
        if len(self.calls) < number or (len(self.calls) > number and not self.for_good):
            return real(*given)
        if name == "fsync":
            assert handle is not None
            self.failed.add(handle)
        if name == "write" and half:
            real(handle, bytes(given[1])[: len(given[1]) // 2])
        raise OSError(error, os.strerror(error))

    def closed(self, handle: int) -> None:
        """Forget a handle: its number may be given to another."""
        self.failed.discard(handle)


@contextmanager
def disk(doom: Doom | None = None, *, for_good: bool = False) -> Iterator[Disk]:
    """Stand between the process and the disk."""
    found = Disk(doom, for_good)
    close = os.close

    def closing(handle: int) -> None:
        found.closed(handle)
        close(handle)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "close", closing)
        for name in CALLS:
            real = getattr(os, name)

            def call(*given: Any, _name: str = name, _real: Any = real, **rest: Any) -> Any:
                return found.met(_name, lambda *g: _real(*g, **rest), *given)

            patch.setattr(os, name, call)
        yield found


def dooms(calls: int) -> Iterator[Doom]:
    for number in range(1, calls + 1):
        for error in ERRORS:
            yield number, error, False
            yield number, error, True
