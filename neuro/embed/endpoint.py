"""An endpoint's /v1/embeddings as an embedder: how to ask comes from outside as a function.

Whether a text may be sent is decided before it gets here. A failure is of its text only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from neuro.embed.base import Embedded, chunks, unit
from neuro.provider.messages import Failure

Ask = Callable[[Sequence[str]], Sequence[Sequence[float] | Failure]]
"""One vector or failure for each text."""

BATCH = 10


class EndpointEmbedder:
    """Vectors from a server. `name` is provider/model; the dimension is what it answers with."""

    batch = BATCH

    def __init__(self, name: str, ask: Ask) -> None:
        self.name = name
        self._ask = ask

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Return the vectors of `texts`, a long one as the mean over its pieces."""
        import numpy as np  # slow to import: only where vectors are made

        pieces = [(index, piece) for index, text in enumerate(texts) for piece in chunks(text)]
        answers: list[Sequence[float] | Failure] = []
        for first in range(0, len(pieces), BATCH):
            answers += self._ask([piece for _, piece in pieces[first : first + BATCH]])
        dims = Counter(len(one) for one in answers if not isinstance(one, Failure))
        dim = dims.most_common(1)[0][0] if dims else 0
        matrix = np.zeros((len(texts), dim), dtype=np.float32)
        failed: dict[int, str] = {}
        for (index, _), answer in zip(pieces, answers, strict=True):
            wrong = _wrong(answer, dim)
            if wrong is not None:
                failed.setdefault(index, wrong)
            elif index not in failed:
                matrix[index] += unit(np.array([answer], dtype=np.float32))[0]
        for index in failed:
            matrix[index] = 0
        return Embedded(unit(matrix), failed)


def _wrong(answer: Sequence[float] | Failure, dim: int) -> str | None:
    """Return why an answer is no vector of `dim` numbers, None if it is one."""
    if isinstance(answer, Failure):
        return answer.reason
    if len(answer) != dim or not dim:
        return "dimension"
    if not all(map(math.isfinite, answer)) or not any(answer):
        return "empty"
    return None
