"""How two terms compare in a rule: numbers, quantities, dates, and what compares as it is spelt."""

from __future__ import annotations

from decimal import Decimal

from symbolic.records import Name, Term, Value, ValueKind
from symbolic.rules.syntax import Operator
from symbolic.values import reach

NUMBER = "number"
"""Integers and decimals are one kind: 5 = 5.0."""


def kind_of(term: Term) -> str:
    """Return what `term` compares with: a kind, and for a quantity its base unit."""
    if isinstance(term, Name):
        return term.kind.value
    if term.kind in (ValueKind.INTEGER, ValueKind.DECIMAL):
        return NUMBER
    if term.kind is ValueKind.QUANTITY:
        return f"{term.kind.value} in {term.unit}"
    return term.kind.value


def compare(operator: Operator, left: Term, right: Term, zone: str) -> bool:
    """Return whether two terms compare so. Terms of different kinds never do, not even by `!=`.

    Quantities compare in their base unit, dates by their first instant in `zone`, all else by its
    canonical spelling.
    """
    if kind_of(left) != kind_of(right):
        return False
    one, other = _key(left, zone), _key(right, zone)
    match operator:
        case Operator.EQ:
            return one == other
        case Operator.NE:
            return one != other
        case Operator.LT:
            return one < other  # type: ignore[operator]  # one kind, so one type
        case Operator.LE:
            return one <= other  # type: ignore[operator]
        case Operator.GT:
            return one > other  # type: ignore[operator]
        case Operator.GE:
            return one >= other  # type: ignore[operator]


def _key(term: Term, zone: str) -> Decimal | int | str:
    if isinstance(term, Value):
        if term.kind in (ValueKind.INTEGER, ValueKind.DECIMAL, ValueKind.QUANTITY):
            return Decimal(term.canon.split()[0])
        if term.kind is ValueKind.DATE:
            return reach(term.canon, zone).lo
    return term.canon
