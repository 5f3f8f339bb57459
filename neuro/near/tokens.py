"""One tokeniser for index and query: words, and pairs of characters where words do not suffice.

::

    text ──normal──► NFC, case folded ──┬─ words   Latin, Cyrillic, Hangul ... as they stand;
                                        │          runs of scripts without blanks as pairs
                                        └─ grams   the pairs inside words of other scripts

A run of n characters becomes its n - 1 pairs and then its last character alone. So a part of two
or more characters is a phrase of pairs, one character is a prefix, and no phrase reaches over the
end of a run. Both columns are joined by blanks; the index's `ascii` tokeniser splits there and
nowhere else, since it takes every other character of these tokens as a letter.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from operator import add
from typing import NamedTuple

from symbolic.names import nfc

VERSION = f"1/{unicodedata.unidata_version}"
"""Tokens of another version may differ: an index made of them is built anew."""

_ASCII_WORD = re.compile(r"[a-z0-9]+")

_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff"  # Myanmar
    "\u1780-\u17ff\u19e0-\u19ff"  # Khmer
    "\u1950-\u19df\u1a20-\u1aaf\uaa80-\uaadf"  # Tai Le, New Tai Lue, Tai Tham, Tai Viet
    "\u0f00-\u0fff"  # Tibetan
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u303c"  # radicals, iteration marks
    "\u3040-\u312f\u31a0-\u31ff"  # Hiragana, Katakana, Bopomofo
    "\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"  # Han, half-width Katakana
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"  # Kana and Han beyond the first plane
)
"""Scripts written without blanks between words."""

_LATIN = (
    "\u0000-\u036f\u1d00-\u1dbf\u1e00-\u1eff\u2000-\u2bff"
    "\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f\ufb00-\ufb06"
    "\u3000-\u3004\u3008-\u3020\u302a-\u3030\u303d-\u303f"  # CJK punctuation
    "\ufe00-\ufe6f\uff00-\uff65\U0001f000-\U0001faff"  # full width, pictures
)
"""Latin letters, digits, punctuation, signs: whole words are enough for them."""

_OTHER = re.compile(f"[^{_LATIN}{_UNSPACED}]+")
_RUNS = re.compile(f"([{_UNSPACED}]+)")


@dataclass(frozen=True, slots=True)
class Term:
    """One piece of a query as the index knows it.

    `text` is the folded piece. `word`: its token in the columns title, ancestors and body, None
    for a run of a script without blanks. `pairs`: the phrase of pairs that finds it as a part of a
    longer word or run (in `grams`, or in the word columns if `word` is None), empty for Latin
    words; of one character it is that character alone, to be asked for as a prefix.
    """

    text: str
    word: str | None
    pairs: tuple[str, ...]


def normal(text: str) -> str:
    """Return `text` as tokens compare: NFC, case folded."""
    if text.isascii():
        return text.lower()
    return nfc(nfc(text).casefold())


def words(text: str) -> str:
    """Return the tokens of a word column (title, ancestors, body), joined by blanks."""
    folded = normal(text)
    if folded.isascii():
        return " ".join(_ASCII_WORD.findall(folded))
    found: list[str] = []
    for index, part in enumerate(_RUNS.split(folded)):
        if index % 2 == 0:
            found += _spaced(part)
            continue
        found += _paired(part)
    return " ".join(found)


def column(text: str) -> str:
    """Return what the index's tokenizer cuts into the tokens of `words`, for a word column.

    It splits and folds ASCII itself, so most text need not be taken apart here.
    """
    if "\0" in text:
        return words(text)
    if text.isascii():
        return text
    found: list[str] = []
    for index, part in enumerate(_RUNS.split(normal(text))):
        if index % 2:
            found += _paired(part)
        elif part.isascii():
            found.append(part)
        elif _MARKED.search(part) is None:
            found.append(_SIGNS.sub(" ", part))
        else:
            found += _spaced(part)
    return " ".join(found)


def grams(text: str) -> str:
    """Return the tokens of the column `grams`: the pairs inside words of other scripts."""
    if text.isascii():
        return ""
    folded = normal(text)
    if _OTHER.search(folded) is None:
        return ""
    return " ".join(
        token
        for part in _RUNS.split(folded)[::2]
        for word in _spaced(part)
        for run in _OTHER.findall(word)
        for token in (*pairs(run), run[-1])
    )


def terms(query: str) -> Iterator[Term]:
    """Yield the pieces of a query in order; punctuation yields nothing."""
    for piece, spaced in _pieces(normal(query)):
        if not spaced:
            yield Term(piece, None, pairs(piece) or (piece,))
            continue
        runs = _OTHER.findall(piece)
        # A word that mixes scripts is found as a word only.
        whole = runs[0] if len(runs) == 1 and runs[0] == piece else ""
        yield Term(piece, piece, (pairs(whole) or (whole,)) if whole else ())


def pairs(run: str) -> tuple[str, ...]:
    """Return the overlapping pairs of characters of a run; none of a single one."""
    return tuple(map(add, run, run[1:]))


def _paired(part: str) -> Iterator[str]:
    """Yield the tokens of a run of a script without blanks."""
    for run in _runs(part):
        yield from pairs(run)
        yield run[-1]


def _pieces(folded: str) -> Iterator[tuple[str, bool]]:
    """Yield the words of folded text and, apart from them, its runs of scripts without blanks."""
    for index, part in enumerate(_RUNS.split(folded)):
        spaced = index % 2 == 0
        for piece in _spaced(part) if spaced else _runs(part):
            yield piece, spaced


def _spaced(part: str) -> list[str]:
    """Return the words of text without runs; a letter keeps its combining marks."""
    return (_WORD if _MARKED.search(part) is None else _patterns().words).findall(part)


def _runs(part: str) -> list[str]:
    """Return what of a script without blanks is letters and marks: it has signs of its own."""
    return _patterns().runs.findall(part)


_WORD = re.compile(r"[^\W_]+")
_SIGNS = re.compile(r"[^\w\x00-\x7f]+")
"""What the tokenizer takes for letters though it is none."""
_MARKED = re.compile("[\u0300-\u036f\u0483-\u1fff\u20d0-\u20ff\u2ce0-\u2dff\ua000-\U000fffff]")
"""A quick test for scripts that have combining marks, made of few ranges; Cyrillic may have."""


class _Patterns(NamedTuple):
    """`runs` and `words` find letters with their marks, in scripts without blanks and with."""

    runs: re.Pattern[str]
    words: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    """Return the patterns that know combining marks, which `\\w` leaves out."""
    marks = [chr(code) for code in _marks()]
    spaced = [mark for mark in marks if _RUNS.match(mark) is None]
    run = [mark for mark in marks if _RUNS.match(mark) is not None]
    return _Patterns(*(
        re.compile(f"(?:[^\\W_]+|{_classes(some)})+") for some in (run, spaced)
    ))  # fmt: skip


def _classes(marks: Iterable[str]) -> str:
    """Return classes for marks of the first plane, which `re` looks up in a table, and above."""
    low = [mark for mark in marks if mark <= "\uffff"]
    high = [mark for mark in marks if mark > "\uffff"]
    return "|".join(f"[{_class(some)}]+" for some in (low, high) if some)


def _marks() -> Iterator[int]:
    """Yield the combining marks; there are none below U+0300 or between these two blocks."""
    for block in (range(0x300, 0x20000), range(0xE0100, 0xE01F0)):
        for code in block:
            if unicodedata.category(chr(code))[0] == "M":
                yield code


def _class(characters: Iterable[str]) -> str:
    """Return characters in order as the inside of a character class, in ranges."""
    found: list[list[str]] = []
    for character in characters:
        if found and ord(found[-1][1]) == ord(character) - 1:
            found[-1][1] = character
        else:
            found.append([character, character])
    return "".join(f"{first}-{last}" for first, last in found)
