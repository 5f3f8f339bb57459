"""How two terms compare in a rule: docs/fold.md section 13.2."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from symbolic.records import Name, Term, ValueKind
from symbolic.rules.syntax import Operator
from symbolic.values import reach

_TESTS: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQ: operator.eq,
    Operator.NE: operator.ne,
    Operator.LT: operator.lt,
    Operator.LE: operator.le,
    Operator.GT: operator.gt,
    Operator.GE: operator.ge,
}


def compare(test: Operator, left: Term, right: Term, zone: str) -> bool:
    """Return whether two terms compare so; terms of different kinds never do, not even as `!=`."""
    (kind, one), (other_kind, other) = _measure(left, zone), _measure(right, zone)
    return kind == other_kind and _TESTS[test](one, other)


def _measure(term: Term, zone: str) -> tuple[str, str | int | Decimal]:
    """Return what a term is measured in and how much of it: numbers, instants, else its text."""
    if isinstance(term, Name):
        return term.kind.value, term.canon
    if term.kind in (ValueKind.INTEGER, ValueKind.DECIMAL):
        return "number", Decimal(term.canon)
    if term.kind is ValueKind.QUANTITY:
        return f"quantity {term.unit}", Decimal(term.canon.split()[0])
    if term.kind is ValueKind.DATE:
        return "date", reach(term.canon, zone).lo
    return term.kind.value, term.canon
