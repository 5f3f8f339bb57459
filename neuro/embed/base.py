"""What an embedder is: texts in, one unit vector each out, and a reason where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

CHUNK = 2000
"""Characters a model with a limited window is given at once; see `chunks`."""


class Embedded(NamedTuple):
    """The vectors of a batch: float32 (texts, dimension), each of length 1, or 0 for no content.

    `failed` maps the index of a text to why it has no vector; its row holds zeros.
    """

    matrix: Matrix
    failed: Mapping[int, str] = {}


class Embedder(Protocol):
    """A model of nearness. `name` is stored with each vector, `batch` is how many texts at once.

    """

    @property
    def name(self) -> str:
        """The model's name, with its version."""

    @property
    def batch(self) -> int:
        """How many texts to give at once."""

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Return the vectors of `texts`; a failure is a value, of that text only."""


class EmbedderMissing(Exception):
    """An embedder that was asked for is not installed; the message names the way out."""


def chunks(text: str, size: int = CHUNK) -> list[str]:
    """Return `text` in pieces of at most `size` characters, cut at blanks where there are any.

    Nothing is left out: a long text's vector is the mean over its pieces.
    """
    found: list[str] = []
    start = 0
    while len(text) - start > size:
        cut = max(text.rfind(blank, start + size // 2, start + size) for blank in " \n")
        end = start + size if cut < 0 else cut + 1
        found.append(text[start:end])
        start = end
    return [*found, text[start:]]


def unit(matrix: Matrix) -> Matrix:
    """Return `matrix` with each row scaled to length 1; a row of zeros stays."""
    import numpy as np  # slow to import: only where vectors are made

    lengths = np.sqrt((matrix * matrix).sum(axis=1, keepdims=True))
    lengths[lengths == 0] = 1
    scaled: Matrix = (matrix / lengths).astype(np.float32)
    return scaled
