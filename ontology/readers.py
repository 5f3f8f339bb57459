"""What the value of each property reads as: one small reader a kind of value.

`READERS` says which properties each KIND has; it is the one list of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal

from symbolic.records import Policy
from symbolic.values import convert, number

FLAGS = (
    "FUNCTIONAL", "INVERSE_FUNCTIONAL", "SYMMETRIC", "ASYMMETRIC", "IRREFLEXIVE", "ACYCLIC",
    "TRANSITIVE",
)

_TOKEN = re.compile(r'\s*(?:"([^"]*)"|([^\s"]+))(?=\s|$)')
_AMOUNT = re.compile(r"([\d.,]+)\s*(\D.*)?")


class Misread(ValueError):
    """A property's value does not read; carries a sentence and a remedy."""

    def __init__(self, key: str, message: str, remedy: str) -> None:
        super().__init__(message)
        self.key = key
        self.message = message
        self.remedy = remedy


def split_names(value: str) -> tuple[str, ...]:
    """Return the names in a blank-separated list; a name with blanks stands in double quotes.

    Raises Misread on an open quote, an empty name, or commas between names.
    """
    found: list[str] = []
    at, end = 0, len(value.rstrip())
    while at < end:
        match = _TOKEN.match(value, at, end)
        if match is None:
            raise Misread(
                "quote", "a double quote is open or stuck to a word",
                'Write names with blanks as "two words" and put a blank between names.',
            )
        quoted, bare = match.groups()
        name = quoted if bare is None else bare
        if not name.strip():
            raise Misread("empty-name", "a name is empty", 'Remove the empty "".')
        if bare is not None and bare.strip(",") != bare:
            raise Misread(
                "comma", f"'{bare}' holds a comma",
                "Separate names by blanks alone; quote a name that has a comma.",
            )
        found.append(name.strip())
        at = match.end()
    if not found:
        raise Misread("empty", "no name is given", "Name at least one, or remove the property.")
    return tuple(dict.fromkeys(found))


def _one_name(value: str) -> tuple[str, ...]:
    found = split_names(value)
    if len(found) > 1:
        raise Misread(
            "one-name", f"one name is expected, {len(found)} are given",
            'Write a name with blanks in double quotes: "two words".',
        )
    return found


def _flag(value: str) -> bool:
    word = value.strip().casefold()
    if word in ("t", "yes", "true"):
        return True
    if word in ("nil", "no", "false"):
        return False
    raise Misread("flag", f"'{value}' is neither yes nor no", "Write t for yes, or remove it.")


def _policy(value: str) -> Policy:
    try:
        return Policy(value.strip().casefold().removeprefix(":"))
    except ValueError as error:
        raise Misread(
            "policy", f"'{value}' is no policy", "Write exclusive, temporal or coexistent."
        ) from error


def _whole(least: int) -> Callable[[str], int]:
    def read(value: str) -> int:
        text = value.strip()
        # ASCII and short: int() reads other scripts' digits, and refuses very long ones.
        if re.fullmatch(r"[0-9]{1,9}", text) and int(text) >= least:
            return int(text)
        raise Misread(
            "number", f"'{value}' is no whole number from {least}", f"Write {least} or more."
        )

    return read


def _unit(value: str) -> str:
    text = value.strip()
    if convert(Decimal(1), text) is None:
        raise Misread(
            "unit", f"'{value}' is no unit known here",
            "Use a known unit (m, km, kg, s, h, EUR, % ...) or remove the property.",
        )
    return text


def _tolerance(value: str) -> str:
    text = value.strip()
    match = _AMOUNT.fullmatch(text)
    amount = number(match[1]) if match else None
    unit = match[2] if match else None
    if amount is None or (unit and unit.strip() != "%" and convert(amount, unit) is None):
        raise Misread(
            "tolerance", f"'{value}' is no tolerance",
            "Write an amount, an amount with its unit, or a share: 5, 5 m, 0.5 %.",
        )
    return text


def tolerance_unit(text: str) -> str | None:
    """Return the base unit of a tolerance that reads; None for a bare number or a share."""
    match = _AMOUNT.fullmatch(text)
    if match is None or not match[2] or match[2].strip() == "%":
        return None
    based = convert(Decimal(1), match[2])
    return None if based is None else based[1]


Reader = Callable[[str], object]

READERS: Mapping[str, Mapping[str, Reader]] = {
    "class": {
        "POLICY": _policy,
        "PARENT": split_names,
        "DISJOINT": split_names,
        "ALIAS": split_names,
        "LEVEL": _whole(0),
    },
    "relation": {
        "POLICY": _policy,
        "ALIAS": split_names,
        "LEVEL": _whole(0),
        **dict.fromkeys(FLAGS, _flag),
        "INVERSE": _one_name,
        "OPPOSITE": split_names,
        "CARDINALITY": _whole(1),
        "DOMAIN": split_names,
        "RANGE": split_names,
        "UNIT": _unit,
        "TOLERANCE": _tolerance,
        "PATTERN": split_names,
        "MIN_SOURCES": _whole(1),
    },
    "domain": {"COMPLETE": split_names},
    "entity": {"ALIAS": split_names},
}
