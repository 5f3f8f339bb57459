"""Whether work grows with its input and no faster: a ratio, so a busy machine does not matter."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_SMALL, _TIMES = 2_500, 16


def assert_linear(made: Callable[[int], T], run: Callable[[T], object]) -> None:
    """Fail if 16 times the input takes more than 64 times as long; the square would take 256."""
    small = min(_seconds(made(_SMALL), run) for _ in range(2))
    limit = 0.1 + 4 * _TIMES * small
    given = made(_SMALL * _TIMES)
    # A second try only where the first was too slow.
    large = next((took for _ in range(2) if (took := _seconds(given, run)) < limit), None)
    assert large is not None, f"{small:.4f} s, then more than {limit:.4f} s"


def _seconds(given: T, run: Callable[[T], object]) -> float:
    """Return the CPU time of this process that a run takes."""
    begin = time.process_time()
    run(given)
    return time.process_time() - begin
