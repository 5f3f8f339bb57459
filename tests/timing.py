"""Whether work grows with its input and no faster: a ratio, so a busy machine does not matter."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_SMALL, _TIMES = 2_500, 16


def assert_linear(made: Callable[[int], T], run: Callable[[T], object]) -> None:
    """Fail if 16 times the input takes more than 64 times as long; the square would take 256."""
    small, large = _seconds(made(_SMALL), run), _seconds(made(_SMALL * _TIMES), run)
    assert large < 0.1 + 4 * _TIMES * small, f"{small:.4f} s, then {large:.4f} s"


def _seconds(given: T, run: Callable[[T], object]) -> float:
    """Return the best of two, in CPU time of this process."""
    best = float("inf")
    for _ in range(2):
        begin = time.process_time()
        run(given)
        best = min(best, time.process_time() - begin)
    return best
