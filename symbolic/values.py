"""Literals and bounds: typing, units, and which stretch of time a bound may denote.

A bound is a truncated ISO string that carries its own precision: ``2024``, ``2024-02``,
``2024-02-01`` or a UTC instant ``2024-02-01T09:30:00Z``. Plain dates stay civil dates; the zone
is applied only where a bound is compared. An instant of time is an integer of microseconds since
0001-01-01T00:00Z, so that no float and no overflow at the edges can creep in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from symbolic.names import fold, nfc
from symbolic.records import UNKNOWN, Name, NameKind, Term, Value, ValueKind

FOREVER = 1 << 62
"""Later than any instant; -FOREVER is earlier than any."""

_EPOCH = datetime(1, 1, 1, tzinfo=UTC)
_BOUND = re.compile(
    r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?"
    r"\s*(Z|[+-]\d{2}:?\d{2})?)?)?)?"
)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun",
            "july jul", "august aug", "september sep sept", "october oct", "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH_STARTS = frozenset(word[:3] for word in _MONTHS)
_MONTH_YEAR = re.compile(r"(?:(\d{1,2})\s+)?([A-Za-z]{3,9})\.?(?:\s+(\d{1,2}),)?\s+(\d{4})")
_YEAR_MONTH = re.compile(r"(\d{4})\s+([A-Za-z]{3,9})\.?(?:\s+(\d{1,2}))?")
_INTEGER = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)")
_DECIMAL = re.compile(r"[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)\.\d+")
_QUANTITY = re.compile(r"([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s*([^\d\s,.+-].*)")

_UNITS: dict[str, tuple[str, str]] = {}
"""Unit as written -> (base unit, factor as a decimal string)."""

for _base, _rows in {
    "m": "mm 0.001;cm 0.01;dm 0.1;m 1;metre 1;metres 1;meter 1;meters 1;km 1000;"
         "kilometre 1000;kilometres 1000;kilometer 1000;kilometers 1000;"
         "in 0.0254;ft 0.3048;foot 0.3048;feet 0.3048;yd 0.9144;mi 1609.344;mile 1609.344;"
         "miles 1609.344",
    "kg": "mg 0.000001;g 0.001;kg 1;t 1000;oz 0.028349523125;lb 0.45359237",
    "s": "ms 0.001;s 1;sec 1;second 1;seconds 1;min 60;minute 60;minutes 60;h 3600;hour 3600;"
         "hours 3600;d 86400;day 86400;days 86400;week 604800;weeks 604800",
    "m2": "cm2 0.0001;m2 1;m² 1;km2 1000000;km² 1000000;ha 10000",
    "l": "ml 0.001;cl 0.01;dl 0.1;l 1;litre 1;litres 1;m3 1000;m³ 1000",
    "m/s": "m/s 1;km/h 0.2777777777777777777777777778",
    "B": "B 1;kB 1000;MB 1000000;GB 1000000000;TB 1000000000000;KiB 1024;MiB 1048576;"
         "GiB 1073741824",
    "W": "W 1;kW 1000;MW 1000000",
    "J": "J 1;kJ 1000;kWh 3600000",
    "K": "K 1",
    "°C": "°C 1",
    "%": "% 1;percent 1",
    "EUR": "EUR 1;€ 1",
    "USD": "USD 1;$ 1",
    "GBP": "GBP 1;£ 1",
    "JPY": "JPY 1;¥ 1",
}.items():
    for _row in _rows.split(";"):
        _unit, _factor = _row.split()
        _UNITS[nfc(_unit)] = (_base, _factor)


class BadValue(ValueError):
    """A literal or bound that cannot be read; the message is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The stretch [lo, hi) in which a bound may lie, in microseconds since year 1."""

    lo: int
    hi: int


# --- bounds -----------------------------------------------------------------------------------


def tz(zone: str) -> tzinfo:
    """Return the zone of that name. Raises ZoneInfoNotFoundError, a KeyError, or ValueError."""
    if zone == "UTC":
        return UTC
    from zoneinfo import ZoneInfo  # it looks for the system's tables when it is imported

    return ZoneInfo(zone)


def parse_bound(text: str | None, zone: str = "UTC") -> str | None:
    """Return the canonical bound of `text`: None (open), "?" or a truncated ISO string.

    A stamp with an offset becomes a UTC instant; a naive stamp with a time is read in `zone`.
    Raises BadValue on anything else, and on dates that no calendar has.
    """
    if text is None or not text.strip():
        return None
    raw = text.strip()
    if raw == UNKNOWN:
        return UNKNOWN
    match = _BOUND.fullmatch(raw)
    if match is None:
        spoken = _spoken_date(raw)
        if spoken is None:
            raise BadValue(f"'{raw}' is no date: write 2024, 2024-02, 2024-02-01 or an instant")
        return spoken
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    try:
        if day is None:
            date(int(year), int(month or 1), 1)
            return raw
        date(int(year), int(month), int(day))
        if hour is None:
            return raw
        micro = int((fraction or "0").ljust(6, "0"))
        local = datetime(
            int(year), int(month), int(day), int(hour), int(minute), int(second or 0), micro,
            tzinfo=_offset(offset) if offset else tz(zone),
        )
        instant = local.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadValue(f"'{raw}' is no date: {error}") from error
    return instant.isoformat(timespec="microseconds" if micro else "seconds")[:-6] + "Z"


def _offset(text: str) -> tzinfo | None:
    return datetime.fromisoformat("2000-01-01T00:00:00" + text.replace("Z", "+00:00")).tzinfo


def _spoken_date(raw: str) -> str | None:
    """Read `12 May 2024`, `May 12, 2024`, `May 2024`, `2024 May`; None if it is none of these."""
    if match := _MONTH_YEAR.fullmatch(raw):
        first, word, second, year = match.groups()
        day = first or second
    elif match := _YEAR_MONTH.fullmatch(raw):
        year, word, day = match.groups()
    else:
        return None
    month = _MONTHS.get(word.casefold())
    if month is None:
        return None
    try:
        date(int(year), month, int(day or 1))
    except ValueError as error:
        raise BadValue(f"'{raw}' is no date: {error}") from error
    return f"{year}-{month:02d}" + (f"-{int(day):02d}" if day else "")


@lru_cache(maxsize=65536)
def reach(bound: str, zone: str = "UTC") -> Reach:
    """Return the stretch in which `bound` lies. "?" may lie anywhere.

    Raises BadValue if `bound` is not canonical.
    """
    if bound == UNKNOWN:
        return Reach(-FOREVER, FOREVER)
    if "T" in bound:
        start = _micros(datetime.fromisoformat(bound.replace("Z", "+00:00")))
        # An instant is one microsecond wide: two equal instants are ordered with nothing between.
        return Reach(start, start + 1)
    parts = [int(part) for part in bound.split("-")]
    return Reach(_civil(parts, zone), _civil_after(parts, zone))


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _civil(parts: Sequence[int], zone: str) -> int:
    year, month, day = (*parts, 1, 1)[:3]
    try:
        local = datetime(year, month, day)
    except ValueError as error:
        raise BadValue(f"no such date: {'-'.join(map(str, parts))}") from error
    try:
        return _micros(local.replace(tzinfo=tz(zone)).astimezone(UTC))
    except OverflowError:
        return _micros(local.replace(tzinfo=UTC))


def _civil_after(parts: Sequence[int], zone: str) -> int:
    after = _next_parts(parts)
    return FOREVER if after is None else _civil(after, zone)


def _next_parts(parts: Sequence[int]) -> list[int] | None:
    if len(parts) == 1:
        return None if parts[0] == 9999 else [parts[0] + 1]
    if len(parts) == 2:
        year, month = parts
        if month == 12:
            return None if year == 9999 else [year + 1, 1]
        return [year, month + 1]
    try:
        following = date(*parts) + timedelta(days=1)
    except OverflowError:
        return None
    return [following.year, following.month, following.day]


def after(bound: str | None) -> str | None:
    """Return the exclusive end that stands for the inclusive end `bound`: the next unit.

    An instant has no extent and an end past year 9999 is open.
    """
    if bound is None or bound == UNKNOWN or "T" in bound:
        return bound
    parts = _next_parts([int(part) for part in bound.split("-")])
    if parts is None:
        return None
    return "-".join(f"{part:0{4 if at == 0 else 2}d}" for at, part in enumerate(parts))


def interval(
    start: str | None, end: str | None, *, inclusive: bool = False, zone: str = "UTC"
) -> tuple[str | None, str | None]:
    """Return canonical (valid_from, valid_to) with an exclusive end.

    Equal bounds mean that one unit, for an inclusive end and an exclusive one alike. An end that
    cannot lie after its start raises BadValue naming both bounds; it is never swapped.
    """
    if start is None and end is None:
        return None, None
    low, high = parse_bound(start, zone), parse_bound(end, zone)
    if low is not None and low == high and low != UNKNOWN:
        return low, after(high)
    if inclusive:
        if None not in (low, high) and UNKNOWN not in (low, high):
            assert low is not None and high is not None
            if reach(high, zone).hi <= reach(low, zone).lo:
                raise BadValue(f"the end {end} lies before the start {start}")
        high = after(high)
    if low not in (None, UNKNOWN) and high not in (None, UNKNOWN):
        assert low is not None and high is not None
        if reach(high, zone).hi <= reach(low, zone).lo + 1:
            raise BadValue(f"the end {end} lies before the start {start}")
    return low, high


def instant_text(moment: int, zone: str = "UTC") -> str:
    """Return `moment` (microseconds since year 1) as an ISO stamp in `zone`, for people."""
    value = _EPOCH + timedelta(microseconds=moment)
    return value.astimezone(tz(zone)).isoformat()


# --- values -----------------------------------------------------------------------------------


def number(text: str) -> Decimal | None:
    """Return the number `text` spells: a dot is the decimal mark, commas group by three."""
    raw = text.strip()
    if _INTEGER.fullmatch(raw) or _DECIMAL.fullmatch(raw):
        try:
            return Decimal(raw.replace(",", ""))
        except InvalidOperation:
            return None
    return None


def plain(value: Decimal) -> str:
    """Return `value` without exponent and without trailing zeros."""
    if value == 0:
        return "0"
    text = format(value.normalize(), "f")
    return text


def convert(amount: Decimal, unit: str) -> tuple[Decimal, str] | None:
    """Return `amount` in the base unit of `unit` and that base unit, or None if it is unknown."""
    row = _UNITS.get(nfc(unit.strip()))
    return None if row is None else (amount * Decimal(row[1]), row[0])


def _quantity(raw: str, unit: str | None) -> Value | None:
    match = _QUANTITY.fullmatch(raw)
    amount = number(match[1]) if match else number(raw)
    named = match[2] if match else unit
    if amount is None or named is None:
        return None
    based = convert(amount, named)
    if based is None:
        return None
    text = raw if match else f"{raw} {named}"
    return Value(ValueKind.QUANTITY, f"{plain(based[0])} {based[1]}", text, based[1])


def _date(raw: str, zone: str) -> Value | None:
    try:
        bound = parse_bound(raw, zone)
    except BadValue:
        return None
    if bound is None or bound == UNKNOWN:
        return None
    return Value(ValueKind.DATE, bound, raw)


_TRUTH = {
    **dict.fromkeys(("true", "yes", "t"), "true"), **dict.fromkeys(("false", "no", "nil"), "false"),
}


def literal(raw: str, kind: ValueKind, unit: str | None = None, zone: str = "UTC") -> Value:
    """Return `raw` as a literal of `kind`. Raises BadValue if it is none."""
    found: Value | None = None
    amount = number(raw)
    if kind is ValueKind.TEXT:
        found = Value(kind, nfc(raw), raw)
    elif kind in (ValueKind.INTEGER, ValueKind.DECIMAL) and amount is not None:
        if kind is ValueKind.DECIMAL or amount == int(amount):
            found = Value(kind, plain(amount), raw)
    elif kind is ValueKind.DATE:
        found = _date(raw, zone)
    elif kind is ValueKind.QUANTITY:
        found = _quantity(raw.strip(), unit)
    elif kind is ValueKind.BOOLEAN and raw.strip().casefold() in _TRUTH:
        found = Value(kind, _TRUTH[raw.strip().casefold()], raw)
    if found is None:
        raise BadValue(f"'{raw}' is no {kind.value}" + (f" in {unit}" if unit else ""))
    return found


@lru_cache(maxsize=8192)
def name(raw: str, kind: NameKind = NameKind.NAME) -> Name:
    """Return `raw` as a Name. Raises BadValue if nothing but blanks is left."""
    if not raw.strip():
        raise BadValue("a name cannot be empty")
    if kind is NameKind.NAME:
        return Name(kind, fold(raw), raw.strip())
    return Name(kind, nfc(raw.strip()), raw.strip())


def guess(raw: str, zone: str = "UTC") -> Term:
    """Type `raw` where nothing declares its kind: number, date or quantity if unambiguous.

    Four digits stay an integer; `1,5` is no number, since a comma only groups by three.
    """
    text = raw.strip()
    amount = number(text)
    if amount is not None:
        kind = ValueKind.DECIMAL if "." in text else ValueKind.INTEGER
        return Value(kind, plain(amount), raw)
    if text[:1].isalpha() and text[:3].casefold() not in _MONTH_STARTS:
        return name(raw)
    if text[:1].isdigit() or text[:1] in "+-" or text[-1:].isdigit():
        found = _date(text, zone) or _quantity(text, None)
        if found is not None:
            return found
    return name(raw)


def typed(
    raw: str,
    *,
    kind: str | None = None,
    unit: str | None = None,
    range_: tuple[str, ...] = (),
    range_unit: str | None = None,
    zone: str = "UTC",
) -> tuple[Term, bool]:
    """Type a value by the relation's RANGE, else by its own `kind`, else by its looks.

    Returns the term and whether it fits RANGE: a value that RANGE refuses is typed without it,
    since a standing fact must stay readable after RANGE changed.
    """
    literal_ranges = [word for word in range_ if word in _LITERALS]
    for word in literal_ranges:
        try:
            return literal(raw, ValueKind(word), unit or range_unit, zone), True
        except BadValue:
            continue
    if not literal_ranges and range_unit is not None:
        try:
            return literal(raw, ValueKind.QUANTITY, unit or range_unit, zone), True
        except BadValue:
            pass
    fits = not literal_ranges and range_unit is None
    if kind is not None and kind in _LITERALS:
        return literal(raw, ValueKind(kind), unit, zone), fits and not range_
    if kind is not None:
        if kind not in _NAMES:
            raise BadValue(f"'{kind}' is no kind of value")
        return name(raw, NameKind(kind)), fits
    if range_ and fits:
        return name(raw), True
    if unit is not None:
        return literal(raw, ValueKind.QUANTITY, unit, zone), fits
    return guess(raw, zone), fits


_LITERALS = frozenset(kind.value for kind in ValueKind)
_NAMES = frozenset(kind.value for kind in NameKind)


def apart(one: Term, other: Term, tolerance: str | None) -> bool:
    """Return whether two values differ by more than `tolerance` ("5", "5 m" or "0.5 %")."""
    if one == other:
        return False
    if tolerance is None or not isinstance(one, Value) or not isinstance(other, Value):
        return True
    numeric = (ValueKind.INTEGER, ValueKind.DECIMAL, ValueKind.QUANTITY)
    if one.kind not in numeric or other.kind not in numeric or one.unit != other.unit:
        return True
    first, second = Decimal(one.canon.split()[0]), Decimal(other.canon.split()[0])
    allowed = _tolerance(tolerance, max(abs(first), abs(second)), one.unit)
    return allowed is None or abs(first - second) > allowed


def _tolerance(text: str, scale: Decimal, unit: str | None) -> Decimal | None:
    raw = text.strip()
    if raw.endswith("%"):
        share = number(raw[:-1])
        return None if share is None else share * scale / 100
    bare = number(raw)
    if bare is not None:
        return bare
    match = _QUANTITY.fullmatch(raw)
    amount = number(match[1]) if match else None
    if match is None or amount is None:
        return None
    based = convert(amount, match[2])
    return based[0] if based is not None and based[1] == unit else None
