"""Mentions of names: whether a text says a name, and where.

A name is looked for in the form in which names compare (case and runs of blanks, hyphens and
underscores do not count), as whole words: `C` stands neither in `C++` nor in `Cat`. Scripts without
blanks between words have no word boundaries, so there a name may stand anywhere; a Hangul name may
carry its particle. Part of a name counts if it is capitalised in both places, has four letters or
more and is not in the word list (commonwords.py).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cached_property

from symbolic.names import nfc
from symbolic.quotes.commonwords import COMMON

SHORTEST_PART = 4
"""Letters that a part of a name needs to stand for it."""

_RUN = re.compile(r"[\s\-_\u2010\u2011]+")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"',
                         "\u2013": "-"})
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_BESIDE_MARK = re.compile(r" (?=[^\w\s]|n't\b)|(?<=[^\w\s]) ")
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f"
    r"\U00020000-\U0003ffff]"
)
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_PARTICLE = re.compile(
    r"(?:은|는|이|가|을|를|의|에|에서|에게|께서|한테|와|과|도|로|으로|만|부터|까지|이나|나|이다|입니다|이며|이고|라는|이라는)"
    r"(?![\uac00-\ud7a3])"
)
_PLURAL = re.compile(r"(?:s|es)(?![^\W_])")
_SIBILANT = ("s", "x", "z", "ch", "sh")


def form(text: str) -> str:
    """Return `text` as mentions compare: as names fold, typographic quotes and dashes as typed."""
    # names.fold keeps what it folded in a cache, which a whole heading must not enter.
    folded = nfc(nfc(text.strip()).casefold()).translate(_QUOTES)
    return _RUN.sub(" ", folded)


def unspaced(char: str) -> bool:
    """Return whether `char` is of a script that puts no blanks between words."""
    return char >= "\u0e00" and _UNSPACED.match(char) is not None


def _wordly(char: str) -> bool:
    return char.isalnum() or (char > "\u02ff" and unicodedata.category(char)[0] == "M")


def within(text: str, at: int) -> bool:
    """Return whether position `at` lies inside a word, a number or a dotted name of `text`."""
    if at <= 0 or at >= len(text):
        return False
    before, after = text[at - 1], text[at]
    if _wordly(before) and _wordly(after):
        return not (unspaced(before) or unspaced(after)) or _marks(after)
    if _wordly(before) and after in "+#":
        # C, C++ and C# are three names; in A+B the sign is between two.
        return after == "#" or not text[at + 1 : at + 2].isalnum()
    if before in ".&" and _wordly(after):
        return at >= 2 and _inner(text[at - 2], after)
    if _wordly(before) and after in ".&":
        return at + 1 < len(text) and _inner(before, text[at + 1])
    if before in ",:" and after.isdigit():
        return at >= 2 and text[at - 2].isdigit()
    if before.isdigit() and after in ",:":
        return text[at + 1 : at + 2].isdigit()
    return after == "'" and before == "n" and text[at + 1 : at + 2] == "t"


def _marks(char: str) -> bool:
    return unicodedata.category(char)[0] == "M"


def _inner(before: str, after: str) -> bool:
    return (
        _wordly(before) and _wordly(after) and not unspaced(before) and not unspaced(after)
    )


class Passage:
    """A text asked for many names; its forms are made once, and only when needed."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def folded(self) -> str:
        """The text in the form of mentions; spans of mentions are positions in it."""
        return form(self.text)

    @cached_property
    def _tight(self) -> tuple[str, list[int]]:
        """The folded text without the blanks beside marks, and where its characters stand."""
        kept: list[str] = []
        places: list[int] = []
        at = 0
        for match in _BESIDE_MARK.finditer(self.folded):
            kept.append(self.folded[at : match.start()])
            places.extend(range(at, match.start()))
            at = match.end()
        kept.append(self.folded[at:])
        places.extend(range(at, len(self.folded)))
        return "".join(kept), places

    @cached_property
    def _capitalised(self) -> frozenset[str]:
        return frozenset(form(word) for word in _capitals(self.text))

    def name(self, written: str) -> tuple[int, int] | None:
        """Return where the whole name stands, in folded characters; None if nowhere."""
        wanted = form(written)
        if not wanted:
            return None
        found = self._whole(wanted)
        if found is None and not wanted.replace(" ", "").isalnum():
            found = self._spaced(wanted)
        return found or self._number(written, wanted)

    def part(self, written: str) -> tuple[int, int] | None:
        """Return where a telling part of the name stands; None if none does."""
        for word in parts(written):
            if word in self._capitalised and (found := self._whole(word)) is not None:
                return found
        return None

    def mention(self, written: str) -> tuple[int, int] | None:
        """Return where the name or a telling part of it stands."""
        return self.name(written) or self.part(written)

    def exact(self, written: str) -> tuple[int, int] | None:
        """Return where a path, URL, command or the like stands, in characters of the NFC text."""
        wanted, text = nfc(written.strip()), nfc(self.text)
        for start in finds(text, wanted):
            end = start + len(wanted)
            before, after = text[start - 1 : start], text[end : end + 2]
            if before and (before.isalnum() or before in "_/.~-") and not unspaced(before):
                continue
            if after and (after[0].isalnum() or after[0] in "_/") and not unspaced(after[0]):
                continue
            if len(after) == 2 and after[0] in ".-" and after[1].isalnum():
                continue
            return start, end
        return None

    def _whole(self, wanted: str) -> tuple[int, int] | None:
        return next(_words(self.folded, wanted), None)

    def places(self, surface: str) -> Iterator[tuple[int, int]]:
        """Yield every place of a folded form as whole words."""
        return _words(self.folded, surface)

    def _spaced(self, wanted: str) -> tuple[int, int] | None:
        """Return the place of a name whose marks are spaced otherwise: `Alien : Covenant`."""
        text, places = self._tight
        found = next(_words(text, _BESIDE_MARK.sub("", wanted)), None)
        if found is None:
            return None
        return places[found[0]], places[found[1] - 1] + 1

    def _number(self, written: str, wanted: str) -> tuple[int, int] | None:
        """Return the place of a common noun in its other number: `nut` for `nuts`."""
        last = written.split()[-1]
        if not (last.isascii() and last.isalpha() and last.islower() and len(last) > 3):
            return None
        for other in _other_number(wanted):
            if (found := self._whole(other)) is not None:
                return found
        return None


def _other_number(word: str) -> Iterator[str]:
    if word.endswith(_SIBILANT):
        yield word + "es"
    else:
        yield word + "s"
    if word.endswith("es") and word[:-2].endswith(_SIBILANT):
        yield word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        yield word[:-1]


def parts(written: str) -> tuple[str, ...]:
    """Return the parts of a name, folded, of which one stands for the whole; () if it has one."""
    words = _WORD.findall(written.translate(_QUOTES))
    if len(words) < 2:
        return ()
    return tuple(form(word) for word in words if _telling(word))


def _telling(word: str) -> bool:
    bare = form(word).removesuffix("'s")
    if sum(char.isalpha() for char in bare) < SHORTEST_PART:
        return False
    return _capital(word) and bare not in COMMON


def _capital(word: str) -> bool:
    return word[0].isupper() or word[0].istitle()


def _capitals(text: str) -> Iterator[str]:
    """Yield the capitalised words of `text`, those with a possessive 's without it as well."""
    for match in _WORD.finditer(nfc(text).translate(_QUOTES)):
        word = match[0]
        if _capital(word):
            yield word
            if "'" in word:
                yield word.partition("'")[0]
        elif "'" in word and _capital(word.rpartition("'")[2]):
            yield word.rpartition("'")[2]


def finds(text: str, wanted: str) -> Iterator[int]:
    """Yield where `wanted` stands in `text`; overlapping places too."""
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _words(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Yield the places of `wanted` in `text` that begin and end at the edge of a word."""
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        if within(text, at):
            # On to the next edge: a run of one letter holds a name of that letter everywhere.
            at += 1
            while within(text, at):
                at += 1
        elif not within(text, end) or _particle(text, end):
            yield at, end
            at = end
        else:
            at += 1
        at = text.find(wanted, at)


def _particle(text: str, at: int) -> bool:
    return _HANGUL.match(text, at - 1) is not None and _PARTICLE.match(text, at) is not None
