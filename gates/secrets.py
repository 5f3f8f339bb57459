"""Whether a text holds something of the shape of a secret: the content categories, read as a gate.

The rows are compiled when they are first asked for. A text is looked at as it stands and once more
with what the eye does not see taken out: zero-width and control characters, full-width letters,
typographic dashes. The work is linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from gates.content_tables import CONTENT_CATEGORIES

_LONGEST = 256
"""Of a longer run without a blank only pieces of this size are looked at: some rows would be
quadratic in it."""

_SHARED = 128
"""What two neighbouring pieces share: every row is satisfied by less, so no shape is cut in two."""

# Everything that Unicode lets a renderer leave out, and the control characters that are no blanks.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_DASHES = re.compile("[\u2010-\u2015\u2212\u2e3a\u2e3b\ufe58\ufe63\uff0d]")


def secret_shapes(text: str) -> tuple[str, ...]:
    """Return the names of the content categories that `text` shows, in the table's order."""
    forms = [_pieces(form) for form in _forms(text)]
    return tuple(
        name for name, shape in _shapes() if any(shape.search(form) for form in forms)
    )


@lru_cache(maxsize=1)
def _shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((row.name, re.compile(row.pattern)) for row in CONTENT_CATEGORIES)


def _forms(text: str) -> tuple[str, ...]:
    """Return `text` and, where that differs, `text` as it is seen."""
    seen = text
    if not text.isascii():
        seen = _DASHES.sub("-", unicodedata.normalize("NFKC", text))
    seen = _UNSEEN.sub("", seen)
    return (text,) if seen == text else (text, seen)


def _pieces(text: str) -> str:
    """Return `text` with every very long run cut into overlapping pieces, one a line."""
    if len(text) <= _LONGEST:
        return text
    return _long_run().sub(_cut, text)


@lru_cache(maxsize=1)
def _long_run() -> re.Pattern[str]:
    # Tried at the start of a run only, and given up there: once a run, so linear.
    return re.compile(rf"(?<!\S)\S{{{_LONGEST + 1},}}+")


def _cut(run: re.Match[str]) -> str:
    whole, step = run.group(), _LONGEST - _SHARED
    return "\n".join(
        whole[start : start + _LONGEST] for start in range(0, len(whole) - _SHARED, step)
    )
