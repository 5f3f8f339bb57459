"""Numbers as prose writes them: digits, grouped digits, magnitudes, words, and their units.

A number is read whole or not at all: no 5 in 15, in 5.2, in 5,000, in 1,5, in 15:30 or in v5.
`1,5` is no number (a comma only groups by three) and is passed over as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from symbolic.quotes.mentions import unspaced
from symbolic.values import convert, number


@dataclass(frozen=True, slots=True)
class Amount:
    """A number at characters [start, end) of a text, and the word that may be its unit."""

    start: int
    end: int
    value: Decimal
    unit: str | None


_TIMES = {
    "hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "dozen": 12, "k": 10**3, "bn": 10**9, "mio": 10**6, "mrd": 10**9,
    "millions": 10**6, "thousands": 10**3, "millionen": 10**6, "milliarden": 10**9,
    "百": 10**2, "千": 10**3, "万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12,
    "만": 10**4, "억": 10**8,
}  # fmt: skip
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: value for value, word in enumerate(_ONES.split())} | {
    word: 10 * value for value, word in enumerate(_TENS.split(), start=2)
}
_LARGE = ("hundred", "thousand", "million", "billion", "trillion", "dozen")
_UNITS = {
    "euro": "EUR", "euros": "EUR", "eur": "EUR", "dollar": "USD", "dollars": "USD", "usd": "USD",
    "pound": "GBP", "pounds": "GBP", "gbp": "GBP", "yen": "JPY", "円": "JPY", "jpy": "JPY",
    "metre": "m", "meter": "m", "kilometer": "km", "kilometers": "km", "kilometre": "km",
    "kilometres": "km", "centimetre": "cm", "centimetres": "cm", "centimeter": "cm",
    "centimeters": "cm", "millimetre": "mm", "millimetres": "mm", "millimeter": "mm",
    "millimeters": "mm", "gram": "g", "grams": "g", "gramm": "g", "kilogram": "kg",
    "kilograms": "kg", "kilo": "kg", "kilos": "kg", "tonne": "t", "tonnes": "t", "yard": "yd",
    "yards": "yd", "inch": "in", "inches": "in", "ounce": "oz", "ounces": "oz", "lbs": "lb",
    "hectare": "ha", "hectares": "ha", "liter": "l", "liters": "l", "litres": "l", "week": "week",
    "hr": "h", "hrs": "h", "mins": "min", "secs": "s", "percent": "%", "per cent": "%",
    "パーセント": "%", "メートル": "m", "キロ": "km", "watt": "W", "watts": "W",
}  # fmt: skip
_BLANKS = dict.fromkeys(map(ord, " \u00a0\u202f"))
_CURRENCY = "€$£¥"

_DATE = re.compile(r"(?<!\d)(\d{4})-\d{2}(?:-\d{2})?(?!\d)")
_DIGITS = re.compile(
    r"[+\-\u2212]?(?:(?<!\d)\d{1,3}(?:[ \u00a0\u202f]\d{3}(?!\d))+|\d+)(?:[.,:/]\d+)*+"
)
_AFTER = re.compile(
    r"[ \u00a0\u202f-]?(per cent|km/h|m/s|°c|[%°€$£¥]|[^\W\d_]+[²³]?|[^\W\d_]+[23](?!\w))",
    re.IGNORECASE,
)
_SPELT = re.compile(
    r"(?<![\w-])(?:(?:a|{words}|{large})(?:[ -](?:and )?(?={words}|{large}))?)+(?!\w)".format(
        words="|".join(sorted(_SMALL, key=len, reverse=True)), large="|".join(_LARGE)
    ),
    re.IGNORECASE,
)
_ORDINAL = frozenset({"st", "nd", "rd", "th"})


def unit_of(word: str | None) -> str | None:
    """Return the unit that `word` names, as values.convert knows it; None if it is no unit."""
    if word is None:
        return None
    if convert(Decimal(1), word) is not None:
        return word
    return _UNITS.get(word.casefold())


def amounts(text: str) -> Iterator[Amount]:
    """Yield the numbers of `text`: those in digits, then those in words."""
    dated = {match.start(): match for match in _DATE.finditer(text)}
    at = 0
    while (match := _DIGITS.search(text, at)) is not None:
        start = match.start() + (match[0][0] in "+-\u2212")
        day = dated.get(start)
        if day is not None:
            at = day.end()
            yield Amount(start, start + 4, Decimal(day[1]), None)
            continue
        at = match.end()
        found = _digits(text, match, start)
        if found is not None:
            yield found
    yield from _spelt(text)


def _digits(text: str, match: re.Match[str], start: int) -> Amount | None:
    before = text[start - 1 : start] if start == match.start() else text[start - 2 : start - 1]
    if before and (before.isalnum() or before == "_") and not unspaced(before):
        if start == match.start():
            return None
        # `2010-2015`: the hyphen joins, it is no sign; `A-5` names something.
        if not before.isdigit():
            return None
        first = start
    else:
        first = match.start()
    if before == "." and start >= 2 and text[start - 2].isalnum():
        return None
    value = number(_plain(text[first : match.end()]))
    if value is None:
        return None
    return _measured(text, first, match.end(), value)


def _plain(digits: str) -> str:
    """Return digits of any script as ASCII, without the blanks that group them."""
    made = digits.replace("\u2212", "-").translate(_BLANKS)
    if made.isascii():
        return made
    return "".join(str(int(char)) if char.isdecimal() else char for char in made)


def _measured(text: str, start: int, end: int, value: Decimal) -> Amount | None:
    """Return the number with its magnitude and unit; None if letters make it something else."""
    unit = text[start - 1] if start and text[start - 1] in _CURRENCY else None
    attached = end < len(text) and text[end].isalpha()
    last = end
    while (match := _AFTER.match(text, last)) is not None:
        word = match[1]
        times = _times(word, joined=match.start(1) == last)
        if times is None:
            known = unit_of(word)
            if attached and last == end and not _apart(word, known, end - start):
                return None
            return Amount(start, last, value, unit or known or word)
        value *= times[1]
        last = match.start(1) + times[0]
    return Amount(start, last, value, unit)


def _apart(word: str, unit: str | None, digits: int) -> bool:
    """Return whether what follows a number without a blank leaves it a number."""
    if word == "s":
        # The 1990s are a decade.
        return digits != 4
    if unit is not None or word.casefold() in _ORDINAL:
        return True
    return unspaced(word[0]) or "\uac00" <= word[0] <= "\ud7a3"


def _times(word: str, *, joined: bool) -> tuple[int, int] | None:
    """Return the length and factor of a magnitude at the start of `word`."""
    low = word.casefold()
    if word == "K" or (low in ("k", "bn") and not joined):
        return None
    if low in _TIMES:
        return len(word), _TIMES[low]
    if not word[0].isascii() and word[0] in _TIMES:
        return 1, _TIMES[word[0]]
    return None


def _spelt(text: str) -> Iterator[Amount]:
    for match in _SPELT.finditer(text):
        words = re.split(r"[ -]+", match[0].casefold())
        if words[0] in _LARGE or words == ["a"]:
            continue
        value = _value(words)
        if value is not None:
            after = _AFTER.match(text, match.end())
            unit = after[1] if after is not None else None
            yield Amount(match.start(), match.end(), Decimal(value), unit_of(unit) or unit)


def _value(words: list[str]) -> int | None:
    """Return what number words add up to; None if they are no one number."""
    total = part = 0
    last = 0
    for word in words:
        if word == "and":
            continue
        if word in _SMALL or word == "a":
            value = _SMALL.get(word, 1)
            if part % 100 and not (last >= 20 and value < 10):
                return None
            part += value
            last = value
            continue
        factor = _TIMES[word]
        if factor in (12, 100):
            part = max(part, 1) * factor
        else:
            total += max(part, 1) * factor
            part = 0
        last = 0
    return total + part
