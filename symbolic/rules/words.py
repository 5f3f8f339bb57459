"""The words of the rule language that are no relations, and the limits of a file."""

from __future__ import annotations

from symbolic.records import NameKind
from symbolic.rules.syntax import Relating

IS_A = "is_a"
"""`is_a(X, 'C')` is member-of-class."""

DENIED = "denied"
ORDERS = frozenset(one.value for one in Relating)
NAMES = frozenset((NameKind.PATH, NameKind.URL, NameKind.HOST, NameKind.COMMAND))
"""Kinds of names that `kind("...")` makes."""
KINDS = frozenset(("text", "q", "date", *(kind.value for kind in NAMES)))
TRUTHS = frozenset(("true", "false"))

BUILT_IN = frozenset(
    ("stmt", "declared", "member", "kind", "apart", "meets", "clashes", "over", "conflict")
)
"""What contradictions.dl alone may name (symbolic/rules/reified.py)."""

RESERVED = frozenset((IS_A, DENIED, *ORDERS, *KINDS, *TRUTHS, *BUILT_IN)) - {"q"}
"""Bare words that are no relation; in quotes each is one. `q(8848, 'm')` begins with a number."""

MAX_CHARACTERS = 1_000_000
"""A longer file is refused unread."""

MAX_FAULTS = 20
"""After so many faults the rest of a file is not looked at."""

MAX_ATOMS = 8
"""Positive atoms in one body."""

MAX_DIGITS = 1000
"""Digits of a number."""

RULES_MAX_DERIVED = 1_000_000
"""What one recursive component may derive (it stands in the digest's header)."""
