"""near.f32: all vectors in one flat file of 32-bit floats, mapped into memory to be compared.

Slot n of dimension d stands at float n * d. The file is appended to and fsynced before near.db
names the slot; what near.db does not name is free and is written over. It is never shortened:
another process may have it mapped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

FLOAT = 4
"""Bytes of a float, little-endian."""

At = Callable[[str], None]
"""A fail point: called with its name, it may end the process or raise OSError."""


class VectorFile:
    """The file at `path`, which need not be there. `at` passes `near.append`, `near.appended`."""

    def __init__(self, path: Path, at: At) -> None:
        self.path = path
        self._at = at

    @property
    def floats(self) -> int:
        """How many floats the file holds."""
        try:
            return self.path.stat().st_size // FLOAT
        except FileNotFoundError:
            return 0

    def write(self, slots: Sequence[int], matrix: Matrix) -> None:
        """Write row i of `matrix` to `slots[i]` (ascending), and fsync. Raises OSError."""
        dim = matrix.shape[1]
        made = not self.path.exists()
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            for first, last in _runs(slots):
                self._at("near.append")
                data = memoryview(matrix[first:last].astype("<f4").tobytes())
                place = slots[first] * dim * FLOAT
                while data:
                    done = os.pwrite(descriptor, data, place)
                    data, place = data[done:], place + done
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if made:
            _sync_folder(self.path.parent)
        self._at("near.appended")

    def matrix(self, dim: int) -> Matrix:
        """Return the file as rows of `dim` floats, mapped read-only; a last part row is left."""
        import numpy as np  # slow to import: only where vectors are compared

        count = self.floats // dim
        if not count:
            return np.zeros((0, dim), dtype=np.float32)
        assert sys.byteorder == "little", "near.f32 is little-endian and mapped as it is"
        return np.memmap(self.path, dtype=np.float32, mode="r", shape=(count, dim))


def _runs(slots: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the index ranges of `slots` that stand next to each other in the file."""
    first = 0
    for index in range(1, len(slots) + 1):
        if index == len(slots) or slots[index] != slots[index - 1] + 1:
            yield first, index
            first = index


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
