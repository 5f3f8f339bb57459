"""Declarations as constraints ask for them: closures, opposites, disjoint pairs, policies, ranges.

One `Vocabulary` is made for a set of declarations and remembers what it worked out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cached_property

from symbolic.canon import MEMBER
from symbolic.names import fold
from symbolic.records import (
    STRICTNESS,
    Declarations,
    Name,
    Policy,
    RelationDecl,
    Term,
    ValueKind,
)
from symbolic.values import convert

LITERALS = frozenset(kind.value for kind in ValueKind)

Classes = Callable[[Name], frozenset[str]]
"""The known classes of an entity, with all ancestors."""


def vocabulary(declarations: Declarations) -> Vocabulary:
    """Return the vocabulary of `declarations`; the last one is kept, with what it worked out."""
    global _last
    if _last is None or _last.declarations is not declarations:
        _last = Vocabulary(declarations)
    return _last


_last: Vocabulary | None = None


class Vocabulary:
    """Today's declarations with their closures."""

    def __init__(self, declarations: Declarations) -> None:
        self.declarations = declarations
        self._above: dict[str, frozenset[str]] = {}

    def relation(self, name: str) -> RelationDecl | None:
        """Return the declaration of a relation, None where there is none."""
        return self.declarations.relations.get(name)

    def functional(self, name: str) -> bool:
        """Return whether a relation has one value at a time."""
        decl = self.relation(name)
        return decl is not None and decl.functional

    def tolerance(self, name: str) -> str | None:
        """Return by how much two values of a relation may differ and be the same."""
        decl = self.relation(name)
        return None if decl is None else decl.tolerance

    def acyclic(self, name: str) -> bool:
        """Return whether a relation may have no cycle."""
        decl = self.relation(name)
        return decl is not None and decl.acyclic

    def min_sources(self, name: str) -> int:
        """Return how many headings a fact of a relation needs."""
        decl = self.relation(name)
        return 1 if decl is None else decl.min_sources

    # --- classes ------------------------------------------------------------------------------

    def above(self, name: str) -> frozenset[str]:
        """Return a class and all its ancestors by PARENT; a cycle among them is walked once."""
        found = self._above.get(name)
        if found is None:
            seen, todo = {name}, [name]
            while todo:
                decl = self.declarations.classes.get(todo.pop())
                fresh = [p for p in (decl.parents if decl else ()) if p not in seen]
                seen.update(fresh)
                todo.extend(fresh)
            found = self._above[name] = frozenset(seen)
        return found

    def closure(self, names: Iterable[str]) -> frozenset[str]:
        """Return classes with all their ancestors."""
        return frozenset(above for name in names for above in self.above(name))

    @cached_property
    def _disjoint(self) -> frozenset[tuple[str, str]]:
        pairs = set()
        for name, decl in self.declarations.classes.items():
            for other in decl.disjoint:
                pairs.add((min(name, other), max(name, other)))
        return frozenset(pairs)

    def disjoint_pairs(self, name: str) -> list[tuple[str, str]]:
        """Return the declared disjoint pairs of which a class or an ancestor of it is one side."""
        if not self._disjoint:
            return []
        above = self.above(name)
        return sorted(pair for pair in self._disjoint if pair[0] in above or pair[1] in above)

    @cached_property
    def classes_have_policies(self) -> bool:
        """Whether any class declares a policy, so that memberships can matter to it."""
        return any(decl.policy is not None for decl in self.declarations.classes.values())

    def policy(self, relation: str, trusted: Iterable[str]) -> Policy:
        """Return the policy of a fact; `trusted` are the classes of its entity that may decide."""
        decl = self.relation(relation)
        if decl is not None and decl.policy is not None:
            return decl.policy
        declared: dict[str, Policy] = {}
        for name in self.closure(trusted):
            klass = self.declarations.classes.get(name)
            if klass is not None and klass.policy is not None:
                declared[name] = klass.policy
        specific = [
            policy
            for name, policy in declared.items()
            if not any(self._strictly_below(other, name) for other in declared)
        ]
        return max(specific, key=STRICTNESS.__getitem__, default=Policy.COEXISTENT)

    def _strictly_below(self, lower: str, upper: str) -> bool:
        return upper in self.above(lower) and lower not in self.above(upper)

    # --- relations ----------------------------------------------------------------------------

    @cached_property
    def _opposites(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for name, decl in self.declarations.relations.items():
            for other in decl.opposite:
                if other != name:
                    found.setdefault(name, set()).add(other)
                    found.setdefault(other, set()).add(name)
        return {name: frozenset(others) for name, others in found.items()}

    def opposites(self, relation: str) -> frozenset[str]:
        """Return the relations declared opposite to one, on either side."""
        return self._opposites.get(relation, frozenset())

    def constrained(self, relation: str) -> bool:
        """Return whether anything but polarity can go wrong with a relation."""
        return (
            relation == MEMBER
            or relation in self.declarations.relations
            or relation in self._opposites
        )

    def ranged(self, relation: str) -> bool:
        """Return whether a relation says what its values have to be."""
        decl = self.relation(relation)
        return decl is not None and bool(decl.range or decl.unit)

    def in_range(self, relation: str, value: Term, classes: Classes) -> bool:
        """Return whether RANGE and UNIT of a relation take `value`."""
        decl = self.relation(relation)
        if decl is None or not self.ranged(relation):
            return True
        literals = [word for word in decl.range if word in LITERALS]
        names = [word for word in decl.range if word not in LITERALS]
        if isinstance(value, Name):
            if not names:
                return False
            of = classes(value)
            return not of or not of.isdisjoint(names)
        if literals:
            return value.kind.value in literals
        if names or decl.unit is None:
            return False
        based = convert(Decimal(1), decl.unit)
        return value.kind is ValueKind.QUANTITY and based is not None and value.unit == based[1]

    def declares(self, constraint: str, relation: str) -> bool:
        """Return whether `relation` (any spelling) still declares `constraint`."""
        folded = fold(relation)
        name = self.declarations.relation_alias.get(folded, folded)
        if constraint == "polarity":
            return True
        if constraint == "disjoint":
            return bool(self._disjoint)
        if constraint == "opposite":
            return bool(self.opposites(name))
        if constraint == "range":
            return self.ranged(name)
        decl = self.relation(name)
        if decl is None:
            return False
        return {
            "functional": decl.functional,
            "inverse-functional": decl.inverse_functional,
            "asymmetric": decl.asymmetric,
            "irreflexive": decl.irreflexive or decl.asymmetric,
            "acyclic": decl.acyclic,
            "cardinality": decl.cardinality is not None,
            "domain": bool(decl.domain),
        }.get(constraint, False)
