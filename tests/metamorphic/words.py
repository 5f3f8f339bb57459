"""New names for old ones: invented words in four scripts, and a way to spell them like the old.

Every word is made for one name alone, so a text that holds new names reads back in one way only.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from symbolic.names import fold

_RUN = re.compile(r"[\s\-_]+")
_HAN = "澄岚砚筝苔蔚霁沅漪棠瑾珩鹭鸢杉榆柚茗穹霭溟垣阡陌墨笺篆鼎磬笙"
_SYLLABLES: Mapping[str, tuple[str, str]] = {
    "latin": ("b d f g k l m n p r v z".replace(" ", ""), "aeiou"),
    "cyrillic": ("бвгджзклмнпртф", "аеиоу"),
    "greek": ("βγδθκλμνξπρτφ", "αειου"),
}
SYMBOLS = ("", "#", "++", "°")
"""What may stand behind a word and is never dropped: the three of C, C++ and C#, and one more."""


class Words:
    """A source of words that were never given before and do not stand in `text`."""

    def __init__(self, rng: random.Random, text: str) -> None:
        self._rng = rng
        self._taken = set(map(fold, re.findall(r"\w+", text)))
        self._text = text.casefold()

    def word(self, script: str) -> str:
        """Return a new word in small letters; one in Han has no case."""
        while True:
            made = self._made(script)
            folded = fold(made)
            if folded not in self._taken and made.casefold() not in self._text:
                self._taken.add(folded)
                return made

    def _made(self, script: str) -> str:
        if script == "han":
            return "".join(self._rng.sample(_HAN, 2))
        hard, soft = _SYLLABLES[script]
        return "".join(
            self._rng.choice(hard) + self._rng.choice(soft) for _ in range(self._rng.choice((2, 3)))
        )


def renamed(
    spellings: Iterable[str], words: Words, rng: random.Random, *, plain: Iterable[str] = ()
) -> dict[str, str]:
    """Return a new spelling for each old one; two fold alike if and only if the old ones do.

    A new name has one word or two as the old one has, and repeats its case and its separator, so
    that it fits where the old one stood: behind a colon, in a tag, across a line break. Names that
    fold like one of `plain` get no symbol behind them.
    """
    bare = set(map(fold, plain))
    groups = [list(group) for _, group in groupby(sorted(set(spellings), key=_by_fold), key=fold)]
    rng.shuffle(groups)
    made: dict[str, str] = {}
    for family in _families(groups):
        base = words.word("cyrillic" if len(family) > 1 else rng.choice(("latin", "greek")))
        suffixes = rng.sample(SYMBOLS[:3], len(family)) if len(family) > 1 else [""]
        for group, suffix in zip(family, suffixes, strict=True):
            parts = [base]
            if len(family) == 1:
                parts = _parts(group, words, rng)
                apt = fold(group[0]) not in bare and rng.random() < 0.25
                suffix = rng.choice(SYMBOLS) if apt else ""
            for old, new in zip(group, _spelt(group, parts, suffix), strict=True):
                made[old] = new
    assert len(set(map(fold, made.values()))) == len(groups), "the bijection broke when folded"
    return made


def _by_fold(text: str) -> tuple[str, str]:
    return fold(text), text


def _families(groups: list[list[str]]) -> Iterator[list[list[str]]]:
    """Yield the groups, those that differ in their symbols alone (C, C++, C#) together."""
    by_letters: dict[str, list[list[str]]] = {}
    for group in groups:
        letters = "".join(re.findall(r"\w", fold(group[0]))) if len(group[0]) < 4 else ""
        by_letters.setdefault(letters or fold(group[0]) + "\0", []).append(group)
    yield from by_letters.values()


def _parts(group: list[str], words: Words, rng: random.Random) -> list[str]:
    # Han has no case to tell two spellings of one name apart.
    scripts = ["latin", "cyrillic", "greek"] + (["han", "han"] if len(group) == 1 else [])
    script = rng.choice(scripts)
    count = 2 if len(_RUN.split(group[0].strip())) > 1 else 1
    return [words.word(script) for _ in range(count)]


def _spelt(group: list[str], parts: list[str], suffix: str) -> list[str]:
    """Return the new spelling of each old one, all different and all of one fold."""
    given: list[str] = []
    for old in group:
        gap = _RUN.search(old.strip())
        between = gap[0][0] if gap else ""
        choices = [_like(old, parts, between)]
        choices += [_like(pattern, parts, between) for pattern in ("A", "a", "Aa")]
        choices += [_like(old, parts, other) for other in " -_" if len(parts) > 1]
        fresh = next(choice for choice in choices if choice + suffix not in given)
        given.append(fresh + suffix)
    return given


def _like(old: str, parts: list[str], between: str) -> str:
    if old.isupper() and len(old) > 1:
        return between.join(parts).upper()
    if old[:1].isupper():
        return between.join(part.capitalize() for part in parts)
    return between.join(parts)
