"""Hashed character n-grams: nearness by shared spelling, in every language, with no model.

::

    text ──► folded, punctuation as blanks ──► n-grams inside words, with their borders
                          each hashed to one of 256 places and a sign ──► sum, signed root, unit

Near means that two texts share most of their word stems: an inflection, another order, an inserted
word. A paraphrase in other words is far; that takes a trained model. The same text gives the same
vector on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from neuro.embed.base import Embedded, unit
from symbolic.names import nfc

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "hashing-ngrams-1"
DIM = 256
SIZES = (2, 3, 4)
"""Lengths of n-grams; a blank at a word's border counts as a character."""

CHUNK = 16_384
"""Characters hashed at once (64 KB): all of it stays in the processor's cache."""


class Ngrams:
    """The built-in embedder."""

    name = NAME
    batch = 2048

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Return the vectors of `texts`; it never fails. Text without letters is zeros."""
        import numpy as np  # slow to import: only where vectors are made

        rows = [np.zeros((0, DIM), dtype=np.float32)]
        for part in _parts([_folded(text) for text in texts]):
            sums = _sums(part)
            rows.append(np.copysign(np.sqrt(np.abs(sums)), sums))
        return Embedded(unit(np.concatenate(rows)))


def _folded(text: str) -> str:
    return text.lower() if text.isascii() else nfc(nfc(text).casefold())


def _parts(texts: Sequence[str]) -> Iterator[list[str]]:
    part: list[str] = []
    size = 0
    for text in texts:
        if part and size + len(text) > CHUNK:
            yield part
            part, size = [], 0
        part.append(text)
        size += len(text) + 2
    if part:
        yield part


def _sums(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return, for each text, the signed count of n-grams at each place."""
    import numpy as np

    # Two blanks stand between texts, so that no n-gram that counts reaches over.
    codes = _codes("".join(f" {text} " for text in texts))
    blank = codes == _BLANK
    rows = np.arange(0, len(texts) * DIM, DIM)
    owner = np.repeat(rows, [len(text) + 2 for text in texts])
    total = np.zeros(len(texts) * DIM, dtype=np.float64)
    hashed = codes
    inside = ~(blank[:-1] & blank[1:])
    for size in range(2, SIZES[-1] + 1):
        count = len(codes) - size + 1
        hashed = (hashed[:count] * np.uint32(0x01000193)) ^ codes[size - 1 :]
        if size > 2:
            inside = inside[:count] & ~blank[size - 2 : -1]
        mixed = hashed[inside] + np.uint32(size)
        mixed = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x2C1B3C6D)
        mixed = (mixed ^ (mixed >> np.uint32(12))) * np.uint32(0x297A2D39)
        place = owner[:count][inside] + (mixed >> np.uint32(24))
        sign = 1.0 - ((mixed >> np.uint32(14)) & np.uint32(2))
        total += np.bincount(place, weights=sign, minlength=len(total))
    return total.astype(np.float32).reshape(len(texts), DIM)


def _codes(joined: str) -> NDArray[np.uint32]:
    """Return the code points of folded text, with blanks for all that is no letter or digit."""
    import numpy as np

    if joined.isascii():
        data = joined.encode("ascii").translate(_ASCII)
        return np.frombuffer(data, dtype=np.uint8).astype(np.uint32)
    codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    table = _blanks()
    blank = table[np.minimum(codes, len(table) - 1)]
    return np.where(blank, np.uint32(_BLANK), codes).astype(np.uint32)


_BLANK = 32
_ASCII = bytes(code if chr(code).isalnum() else _BLANK for code in range(128)) + bytes(128)


@cache
def _blanks() -> NDArray[np.bool_]:
    """Return which code points of the blocks with punctuation count as a blank.

    A combining mark belongs to its letter; what lies above the table is a character of its own.
    """
    import numpy as np

    table = np.zeros(0x3022, dtype=bool)
    for code in (*range(0x100), *range(0x2000, 0x2070), *range(0x3000, 0x3021)):
        table[code] = not chr(code).isalnum() and code not in (0x3005, 0x3006, 0x3007)
    return table
