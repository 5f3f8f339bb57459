"""Org timestamps and planning lines, as values; an impossible date is a finding, never an error.

Plain stamps are read here. orgparse reads the ranges and repeaters it is good at, one stamp at a
time: it raises on dates no calendar has, and its list reader recurses once for every stamp. The
habit part of a repeater and the `--2d` delay, which it drops, are read from the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

_BODY = r"([0-9]{4})-([0-9]{2})-([0-9]{2})((?:[ \t][^\]>\r\n]*)?)"
_STAMP = re.compile(rf"<{_BODY}>(?:--<{_BODY}>)?|\[{_BODY}\](?:--\[{_BODY}\])?")
_PLAIN = re.compile(r"(?:[ \t]+[^\s0-9+.\-\]>]+\.?)?(?:[ \t]+([0-9]{1,2}):([0-9]{2}))?[ \t]*")
_COOKIE = re.compile(
    r"(?<=[ \t])(\+\+|\.\+|\+|--|-)([0-9]+)([hdwmy])(?:/([0-9]+)([hdwmy]))?(?=[ \t]|$)"
)
_PLANNED = re.compile(
    r"\b(CLOSED|DEADLINE|SCHEDULED):[ \t]*((?:<[^>\r\n]+>|\[[^\]\r\n]+\])"
    r"(?:--(?:<[^>\r\n]+>|\[[^\]\r\n]+\]))?)"
)

_LONGEST = 200
"""Of a longer stamp the date alone is read: no real one is, and orgparse's pattern would crawl."""


@dataclass(frozen=True, slots=True)
class Cookie:
    """A repeater (`+1w`, `++1m`, `.+1d/3d`) or a warning period (`-2d`, `--2d`).

    `deadline` is the second part of a habit, as (number, unit).
    """

    mark: str
    number: int
    unit: str
    deadline: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """A timestamp. Dates are `2024-03-05`, times `09:30` or None; `raw` is as written.

    A range `<a>--<b>` and a time range `<a 9:00-10:00>` have an end; others have `end` None.
    """

    raw: str
    active: bool
    date: str
    time: str | None = None
    end: str | None = None
    end_time: str | None = None
    repeater: Cookie | None = None
    warning: Cookie | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A stamp in a text: [start, end) in characters. `stamp` is None if no calendar has it."""

    raw: str
    start: int
    end: int
    stamp: Stamp | None


@dataclass(frozen=True, slots=True)
class Planned:
    """One entry of a planning line: keyword, value as written, [start, end) of the value.

    Offsets are characters of the line. `stamp` is None for a diary expression and for a date that
    does not exist; `bad` tells the second.
    """

    keyword: str
    raw: str
    start: int
    end: int
    stamp: Stamp | None
    bad: bool


def find_stamps(text: str) -> Iterator[Found]:
    """Yield the timestamps of `text` in order, active and inactive; a range counts as one."""
    for match in _STAMP.finditer(text):
        yield Found(match[0], match.start(), match.end(), _read(match))


def read_stamp(text: str) -> Stamp | None:
    """Return the stamp that `text` is, or None if it is none or its date does not exist."""
    match = _STAMP.fullmatch(text.strip())
    return None if match is None else _read(match)


def read_planning(line: str) -> tuple[Planned, ...]:
    """Return the entries of a planning line in order. Only upper-case keywords count, as in Org."""
    entries: list[Planned] = []
    for match in _PLANNED.finditer(line):
        keyword, raw = match.groups()
        stamp = read_stamp(raw)
        bad = stamp is None and not raw.startswith("<%%(")
        entries.append(Planned(keyword, raw, match.start(2), match.end(2), stamp, bad))
    return tuple(entries)


def _read(match: re.Match[str]) -> Stamp | None:
    groups = match.groups()
    active = groups[0] is not None
    year, month, day, tail, *end = groups[:8] if active else groups[8:]
    if len(match[0]) > _LONGEST:
        return _plain(match[0], active, f"{year}-{month}-{day}", None, None)
    if end[0] is None:
        plain = _PLAIN.fullmatch(tail)
        if plain is not None:
            return _plain(match[0], active, f"{year}-{month}-{day}", plain[1], plain[2])
    return _rich(match[0], active, tail)


def is_date(year: int, month: int, day: int) -> bool:
    """Return whether a calendar has that day."""
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _plain(
    raw: str, active: bool, day: str, hour: str | None, minute: str | None
) -> Stamp | None:
    if not is_date(int(day[:4]), int(day[5:7]), int(day[8:])):
        return None
    if hour is None or minute is None:
        return Stamp(raw=raw, active=active, date=day)
    if int(hour) > 23 or int(minute) > 59:
        return None
    return Stamp(raw=raw, active=active, date=day, time=f"{int(hour):02d}:{minute}")


def _rich(raw: str, active: bool, tail: str) -> Stamp | None:
    """Read a range or a stamp with cookies through orgparse; None if it finds no such date."""
    # Imported late: start-up must not pay for a library that most commands never need.
    from orgparse.date import OrgDate

    try:
        found = OrgDate.list_from_str(_two_digits(raw))
    except ValueError:
        return None
    if not found:
        return None
    first = found[0]
    repeater, warning = _cookies(tail)
    return Stamp(
        raw=raw,
        active=active,
        date=_day(first.start),
        time=_time(first.start),
        end=_day(first.end) if first.has_end() else None,
        end_time=_time(first.end) if first.has_end() else None,
        repeater=repeater,
        warning=warning,
    )


def _two_digits(raw: str) -> str:
    """Return `raw` with `9:30` as `09:30`: Org reads both, orgparse the second only."""
    return re.sub(r"(?<=[ \t-])([0-9]):(?=[0-9][0-9])", r"0\1:", raw)


def _cookies(tail: str) -> tuple[Cookie | None, Cookie | None]:
    repeater: Cookie | None = None
    warning: Cookie | None = None
    for mark, number, unit, more, more_unit in _COOKIE.findall(tail):
        cookie = Cookie(mark, int(number), unit, (int(more), more_unit) if more else None)
        if "+" in mark:
            repeater = repeater or cookie
        else:
            warning = warning or cookie
    return repeater, warning


def _day(moment: date) -> str:
    return moment.strftime("%Y-%m-%d").rjust(10, "0")


def _time(moment: date) -> str | None:
    return moment.strftime("%H:%M") if isinstance(moment, datetime) else None
