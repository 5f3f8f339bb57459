"""The words dates are written with, and what each of them reads as.

A rule is a pattern tried where its first word stands, and a reader of its match. A reader returns
parts (start, end, when): `when` is a truncated ISO date, a function from the day of the evidence to
one (None: that day does not tell), or None for words that name a day no calendar has. Such a
function never decreases, apart from days on which it is None: so what it says of the first and the
last day of a month bounds all between.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from typing import NamedTuple

from memex.timestamps import read_stamp

When = str | Callable[[date], str | None]
Part = tuple[int, int, When | None]
Reader = Callable[[re.Match[str]], tuple[Part, ...]]


class Rule(NamedTuple):
    """A pattern and the reader of its match; no part means that it is no date after all."""

    pattern: re.Pattern[str]
    read: Reader


_FIRST_YEAR, _LAST_YEAR = 1000, 2100
"""Of four digits alone only these read as a year."""

_LONGEST_STAMP = 100



def _numbered(rows: str) -> dict[str, int]:
    """Number the rows from 1; commas part rows, blanks the names in a row."""
    numbered = enumerate(rows.split(","), start=1)
    return {name: at for at, names in numbered for name in names.split()}


_ENGLISH_MONTHS = _numbered(
    "january jan,february feb,march mar,april apr,may,june jun,july jul,august aug,"
    "september sep sept,october oct,november nov,december dec"
)
_OTHER_MONTHS = _numbered(
    "januar jänner janvier enero gennaio,februar février fevrier febrero febbraio,"
    "märz mars marzo,avril abril aprile,mai mayo maggio,juni juin junio giugno,"
    "juli juillet julio luglio,août aout agosto,septembre septiembre settembre,"
    "oktober octobre octubre ottobre,novembre noviembre,dezember décembre diciembre dicembre"
)
_MONTHS = {**_OTHER_MONTHS, **_ENGLISH_MONTHS}
_WEEKDAYS = _numbered("monday,tuesday,wednesday,thursday,friday,saturday,sunday")
_NUMBERS = _numbered("a an one,two,three,four,five,six,seven,eight,nine,ten,eleven,twelve")
_ORDINALS = _numbered(
    "first,second,third,fourth,fifth,sixth,seventh,eighth,ninth,tenth,eleventh,twelfth,thirteenth,"
    "fourteenth,fifteenth,sixteenth,seventeenth,eighteenth,nineteenth,twentieth,twenty-first,"
    "twenty-second,twenty-third,twenty-fourth,twenty-fifth,twenty-sixth,twenty-seventh,"
    "twenty-eighth,twenty-ninth,thirtieth,thirty-first"
)
_UNITS = (
    "km|cm|mm|m|kg|mg|g|t|lb|oz|ml|l|ha|s|ms|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|"
    "months?|years?|k[Bb]|[KMGT]i?B|bytes?|bits?|hz|[kmg]hz|[kmg]?w|kwh|dollars?|euros?|pounds?|"
    "yen|usd|eur|gbp|jpy|met(?:er|re)s?|kilomet(?:er|re)s?|miles?|feet|ft|inch(?:es)?|percent|"
    "people|persons?|users?|words?|pages?|lines?|characters?|chars?|times|items?|files?|copies|"
    "points?|pixels?|px|dpi|rpm|tokens?|entries|bce?"
)


# --- absolute ---------------------------------------------------------------------------------


def _iso(year: str | int, month: str | int | None = None, day: str | int | None = None) -> str:
    """Return the truncated ISO date. Raises ValueError if no calendar has it."""
    date(int(year), int(month or 1), int(day or 1))
    parts = [f"{int(year):04d}"]
    parts += [f"{int(part):02d}" for part in (month, day) if part is not None]
    return "-".join(parts)


def _part(
    match: re.Match[str], year: str | int, month: str | int | None, day: str | int | None
) -> tuple[Part, ...]:
    try:
        found = _iso(year, month, day)
    except ValueError:
        # Spent, or the end of `30 February 2020` would read as a month.
        return ((match.start(), match.end(), None),)
    return ((match.start(), match.end(), found),)


def _stamp(match: re.Match[str]) -> tuple[Part, ...]:
    """Read an Org timestamp; its brackets belong to the span, a range is two stamps."""
    text, start = match.string, match.start() - 1
    # A real stamp is short.
    end = text.find(">" if text[start] == "<" else "]", match.end(), match.end() + _LONGEST_STAMP)
    found = read_stamp(text[start : end + 1]) if end >= 0 else None
    return () if found is None else ((start, end + 1, found.date),)


def _ymd(match: re.Match[str]) -> tuple[Part, ...]:
    year, month, day = match["y"], match["m"], match["d"]
    return _part(match, year, month, day) if _is_year(year) else ()


def _is_year(text: str) -> bool:
    return _FIRST_YEAR <= int(text) <= _LAST_YEAR


def _slashed(match: re.Match[str]) -> tuple[Part, ...]:
    """Read 14/02/2022 and 02/14/2022; where both orders give a date, none is sure."""
    one, two, year = (int(match[name]) for name in ("a", "b", "y"))
    if not _is_year(match["y"]) or (one <= 12 and two <= 12 and one != two):
        return ()
    return _part(match, year, two, one) if two <= 12 else _part(match, year, one, two)


def _dotted(match: re.Match[str]) -> tuple[Part, ...]:
    day, month = int(match["a"]), int(match["b"])
    sure = _is_year(match["y"]) and month <= 12 and (day > 12 or day == month)
    return _part(match, match["y"], month, day) if sure else ()


def _years(match: re.Match[str]) -> tuple[Part, ...]:
    """Read a year alone, or two of them as the ends of a range."""
    first, second = match["y"], match["z"]
    if not _is_year(first):
        return ()
    if second is None:
        return ((match.start("y"), match.end("y"), first),)
    if not _is_year(second) or second < first:
        return ()
    return (
        (match.start("y"), match.end("y"), first), (match.start("z"), match.end("z"), second),
    )


# --- relative ---------------------------------------------------------------------------------


def _shifted(days: int) -> When:
    return lambda today: (today + timedelta(days=days)).isoformat()


def _month(months: int) -> When:
    def of(today: date) -> str:
        at = today.year * 12 + today.month - 1 + months
        return _iso(at // 12, at % 12 + 1)

    return of


def _year(years: int) -> When:
    return lambda today: _iso(today.year + years)


def _week(weeks: int) -> When:
    """Return the month that holds the whole week: a week itself is no truncated date."""

    def of(today: date) -> str | None:
        monday = today + timedelta(days=7 * weeks - today.weekday())
        sunday = monday + timedelta(days=6)
        return _iso(monday.year, monday.month) if monday.month == sunday.month else None

    return of


def _weekday_before(weekday: int) -> When:
    return lambda today: (
        today - timedelta(days=(today.isoweekday() - weekday - 1) % 7 + 1)
    ).isoformat()


def _named_month(word: str, month: int) -> When:
    """Return the month by its name: the latest not after the day, or as last, this, next say."""
    def of(today: date) -> str:
        year = today.year
        if word == "last":
            year -= today.month <= month
        elif word == "next":
            year += today.month >= month
        elif word != "this":
            year -= today.month < month
        return _iso(year, month)

    return of


def _day_of(month: int, day: int) -> When:
    """Return the latest such day that is not after the day of the evidence."""

    def of(today: date) -> str | None:
        for year in range(today.year, today.year - 9, -1):
            try:
                found = date(year, month, day)
            except ValueError:
                continue
            if found <= today:
                return found.isoformat()
        return None

    return of


def _never(_: date) -> str | None:
    """Tell nothing: "a few days ago" is no date whatever the day."""
    return None


_AGO: Mapping[str, Callable[[int], When]] = {
    "day": _shifted, "week": _week, "month": _month, "year": _year,
}
_SHIFT = {"last": -1, "this": 0, "next": 1}


def _day_month(match: re.Match[str]) -> tuple[Part, ...]:
    """Read a day and a month, with the year if it stands there."""
    month = _MONTHS[match["m"].casefold()]
    day = _ORDINALS.get(match["d"].casefold()) or int(match["d"])
    if match["y"] is not None:
        return _part(match, match["y"], month, day)
    if not 1 <= day <= 31 or match["m"] in ("may", "march", "mar"):
        return ()
    return ((match.start(), match.end(), _day_of(month, day)),)


def _month_year(match: re.Match[str]) -> tuple[Part, ...]:
    word = match["m"]
    foreign = word.casefold() not in _ENGLISH_MONTHS
    # `Mars 2020` is a rover, and `may` is a verb.
    if word in ("Mars", "may") or (foreign and word.isupper()) or not _is_year(match["y"]):
        return ()
    return _part(match, match["y"], _MONTHS[word.casefold()], None)


def _in_month(match: re.Match[str]) -> tuple[Part, ...]:
    word, month = match["w"].casefold(), _ENGLISH_MONTHS[match["m"].casefold()]
    start = match.start() if word in _SHIFT else match.start("m")
    return ((start, match.end(), _named_month(word, month)),)


def _ago(match: re.Match[str]) -> tuple[Part, ...]:
    raw, unit = match["n"].casefold(), match["u"].casefold()
    amount = int(raw) if raw.isdigit() else _NUMBERS.get(raw)
    when = _never if amount is None else _AGO[unit](-amount)
    return ((match.start(), match.end(), when),)


def _shift(match: re.Match[str]) -> tuple[Part, ...]:
    step, unit = _SHIFT[match["w"].casefold()], match["u"].casefold()
    when = _AGO[unit](step) if unit in _AGO else _never
    return ((match.start(), match.end(), when),)


def _last_weekday(match: re.Match[str]) -> tuple[Part, ...]:
    word = match["w"].casefold()
    start = match.start("k") if word == "on" else match.start()
    weekday = _WEEKDAYS[match["k"].casefold()]
    when = _weekday_before(weekday) if word in ("on", "last") else _never
    return ((start, match.end(), when),)


def _on_the(match: re.Match[str]) -> tuple[Part, ...]:
    day = int(match["d"])

    def of(today: date) -> str | None:
        # A day that is still to come may as well be that of the month before.
        return _iso(today.year, today.month, day) if day <= today.day else None

    return ((match.start("t"), match.end(), of),) if 1 <= day <= 31 else ()


def _fixed(when: When) -> Reader:
    return lambda match: ((match.start(), match.end(), when),)


# --- the table --------------------------------------------------------------------------------


def _rule(pattern: str, read: Reader) -> Rule:
    return Rule(re.compile(pattern, re.IGNORECASE), read)


def _any(words: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(words, key=len, reverse=True)) + ")"


_M = rf"(?P<m>{_any(_MONTHS)})"
_E = rf"(?P<m>{_any(_ENGLISH_MONTHS)})"
_CAPITAL = r"(?-i:(?=[A-Z]))"
_Y = r"(?P<y>[0-9]{4})(?![\w/]|[.,:-][0-9])"
_YEAR_AFTER = rf"(?:,?\s+(?:del?\s+)?{_Y})?+"
_ALONE = r"(?<![\w./:#$€£¥=+@&?%~-])(?<![0-9],)"
_NUMBERED = (
    r"(?<!\bpage\s)(?<!\bline\s)(?<!\bport\s)(?<!\brfc\s)(?<!\biso\s)(?<!\bpep\s)(?<!\bno\.\s)"
    r"(?<!\bissue\s)(?<!\bversion\s)(?<!\bnumber\s)(?<!\bbug\s)(?<!\broom\s)(?<!\babout\s)"
)

_AGO_DIGITS = _rule(
    r"(?<![\w.,-])(?P<n>[0-9]{1,4})\s+(?P<u>day|week|month|year)s?\s+ago\b", _ago
)
_SHORT_NUMBER = (
    _rule(r"(?<![\w./-])(?P<a>[0-9]{1,2})/(?P<b>[0-9]{1,2})/(?P<y>[0-9]{4})(?![\w/])", _slashed),
    _rule(
        r"(?<![\w./-])(?P<a>[0-9]{1,2})\.\s?(?P<b>[0-9]{1,2})\.\s?(?P<y>[0-9]{4})(?![\w]|\.\d)",
        _dotted,
    ),
    _rule(
        r"(?<![\w./:-])(?P<d>[0-9]{1,2})(?:st|nd|rd|th|er|\.|º)?+\s+(?:of\s+|de\s+|d['’])?+"
        rf"{_M}\b\.?{_YEAR_AFTER}",
        _day_month,
    ),
    _AGO_DIGITS,
)
_FOUR_DIGITS = (
    _rule(r"(?<=[<\[])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])", _stamp),
    _rule(
        r"(?<![\w./-])(?P<y>[0-9]{4})-(?P<m>[0-9]{2})(?:-(?P<d>[0-9]{2}))?+(?![0-9]|-[0-9])", _ymd
    ),
    _rule(r"(?<![\w./-])(?P<y>[0-9]{4})/(?P<m>[0-9]{1,2})/(?P<d>[0-9]{1,2})(?![\w/])", _ymd),
    _rule(r"(?P<y>[0-9]{4})年(?:\s?(?P<m>[0-9]{1,2})月(?:\s?(?P<d>[0-9]{1,2})日)?)?+", _ymd),
    _rule(
        rf"{_ALONE}{_NUMBERED}(?P<y>[0-9]{{4}})(?:\s?[-–—]\s?(?P<z>[0-9]{{4}}))?+"
        rf"(?![\w%€$£¥°/]|[.,:][0-9]|\s?[-–—]\s?[0-9]|\s?[%€$£¥°]|\s(?:{_UNITS})\b)",
        _years,
    ),
)
NUMERIC: Mapping[int, tuple[Rule, ...]] = {
    1: _SHORT_NUMBER, 2: _SHORT_NUMBER, 3: (_AGO_DIGITS,), 4: (*_FOUR_DIGITS, _AGO_DIGITS),
}
"""Tried in this order where so many digits stand."""

_UNIT_WORD = r"(?P<u>day|week|month|year)s?"
_MONTH_FIRST: tuple[Rule, ...] = (
    _rule(
        rf"{_CAPITAL}\b{_E}\b\.?\s+(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?+(?![\w/]|[.:][0-9]){_YEAR_AFTER}",
        _day_month,
    ),
    _rule(rf"(?<![\w-]){_M}\b\.?,?\s+(?:del?\s+)?{_Y}", _month_year),
)
_ORDINAL = (_rule(rf"(?<![\w-])(?P<d>{_any(_ORDINALS)})\s+of\s+{_E}\b{_YEAR_AFTER}", _day_month),)
_PREPOSITIONS = (
    "in", "since", "until", "till", "by", "during", "from", "to", "through", "before", "after",
)
_BARE_MONTH = _rule(
    rf"\b(?P<w>last|this|next|{'|'.join(_PREPOSITIONS)})\s+"
    rf"{_CAPITAL}(?P<m>{_any(_ENGLISH_MONTHS)})\b(?!\.?,?\s+(?:[0-9]|de\s))",
    _in_month,
)
_ON = (
    _rule(
        rf"\b(?P<w>on|last|this|next)\s+(?P<k>{_any(_WEEKDAYS)})\b"
        r"(?!\s+(?:mornings|afternoons|evenings|nights)\b)",
        _last_weekday,
    ),
    _rule(
        r"\bon\s+(?P<t>the)\s+(?P<d>[0-9]{1,2})(?:st|nd|rd|th)\b(?=\s*(?:[.,;:!?)\n]|\Z)"
        r"|\s+(?:I|we|he|she|it|they|at|and|but|with|in|to|by|for|from|this)\b)",
        _on_the,
    ),
)
_SHIFTED = (
    _rule(
        r"(?<!\bthe\s)\b(?P<w>last|this|next)\s+"
        r"(?P<u>week|month|year|weekend|night|spring|summer|autumn|fall|winter)\b(?![-’']\w)",
        _shift,
    ),
)
_TODAY_TOO = (_rule(r"\bthis\s+(?:morning|afternoon|evening)\b", _fixed(_shifted(0))),)
_VAGUE = (
    _rule(rf"\b(?P<n>few|several|some|many)\s+{_UNIT_WORD}\s+ago\b", _ago),
)

RULES: Mapping[str, tuple[Rule, ...]] = {
    **dict.fromkeys(_MONTHS, _MONTH_FIRST),
    **dict.fromkeys({name.split("-")[0] for name in _ORDINALS}, _ORDINAL),
    **dict.fromkeys(_NUMBERS, (_rule(rf"\b(?P<n>\w+)\s+{_UNIT_WORD}\s+ago\b", _ago),)),
    **dict.fromkeys(("few", "several", "some", "many"), _VAGUE),
    **dict.fromkeys(_PREPOSITIONS, (_BARE_MONTH,)),
    **dict.fromkeys(("last", "next"), (_BARE_MONTH, *_ON[:1], *_SHIFTED)),
    "this": (_BARE_MONTH, *_TODAY_TOO, *_ON[:1], *_SHIFTED),
    "on": _ON,
    "today": (_rule(r"\btoday\b", _fixed(_shifted(0))),),
    "tonight": (_rule(r"\btonight\b", _fixed(_shifted(0))),),
    "yesterday": (_rule(r"\byesterday\b", _fixed(_shifted(-1))),),
    "tomorrow": (_rule(r"\btomorrow\b", _fixed(_shifted(1))),),
    "the": (
        _rule(r"\bthe\s+day\s+before\s+yesterday\b", _fixed(_shifted(-2))),
        _rule(r"\bthe\s+day\s+after\s+tomorrow\b", _fixed(_shifted(2))),
    ),
}
"""Tried in this order where the word stands; keys are case-folded."""
