"""Where the time of a journal line comes from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Tells the time; it may stand still or go back, a chain's `at` never does."""

    def now(self) -> datetime:
        """Return the present moment, with a zone."""
        ...


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Return the machine's time in UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class FixedClock:
    """The time that `--now` or PP_NOW gives. Raises ValueError if `moment` has no zone."""

    moment: datetime

    def __post_init__(self) -> None:
        if self.moment.utcoffset() is None:
            raise ValueError("a fixed clock needs a time with a zone")

    def now(self) -> datetime:
        """Return the fixed moment."""
        return self.moment
