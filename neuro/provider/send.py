"""Sending the requests of one call: within its limits, tried once more where that may help."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from neuro.provider.wire import Address, Trouble

if TYPE_CHECKING:
    from neuro.provider.http import Reply

__all__ = ["Limits", "Sender"]

T = TypeVar("T")

PAUSE = 0.2
"""Seconds before a request is tried once more, where the server names none."""


SHOWN = 400
"""Characters of a message that are kept."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds for a connection, for each wait for bytes, and for the whole call."""

    connect: float
    read: float
    whole: float


def _start() -> float:
    """Return the instant that a call's time runs from, when what it needs is loaded."""
    # Only here: httpx takes a third of a second to load.
    import neuro.provider.http  # noqa: F401

    return time.monotonic()


@dataclass(frozen=True, slots=True)
class Sender:
    """What the requests of one call have in common."""

    there: Address
    root: str
    key: str = field(repr=False)
    local: bool
    limits: Limits
    since: float = field(default_factory=_start)

    def send(
        self, method: str, path: str, body: bytes | None, read: Callable[[Reply], T]
    ) -> T:
        """Send a request, once more where that may help, and return what `read` makes of it.

        Raises Trouble.
        """
        from neuro.provider.http import Call, opened  # as in _start

        headers = {"Content-Type": "application/json"} if body is not None else {}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        call = Call(
            method=method, address=self.there, path=self.root + path, headers=headers, body=body,
            local=self.local, connect=self.limits.connect, read=self.limits.read,
            whole=self.limits.whole, deadline=self.since + self.limits.whole,
        )
        try:
            with opened(call) as reply:
                return read(reply)
        except Trouble as trouble:
            if not self._again(trouble, call.deadline):
                raise self._masked(trouble) from None
        try:
            with opened(call) as reply:
                return read(reply)
        except Trouble as trouble:
            raise self._masked(trouble) from None

    def _again(self, trouble: Trouble, deadline: float) -> bool:
        """Wait before another try; return False where it would come too late or be of no use."""
        once = trouble.reason.startswith("http-") or trouble.broken
        pause = PAUSE if trouble.wait is None else trouble.wait
        if not (trouble.retryable and once) or time.monotonic() + pause >= deadline:
            return False
        time.sleep(pause)
        return True

    def _masked(self, trouble: Trouble) -> Trouble:
        """Take the key out of what a server said, and all that is too much to show."""
        if self.key:
            trouble.message = trouble.message.replace(self.key, "[MASKED]")
        trouble.message = trouble.message[:SHOWN]
        if trouble.wait is not None:
            trouble.message += f" (asks to wait {trouble.wait:g} s)"
        return trouble
