"""The syntax tree of rules: what the parser makes of text, and what both evaluators read.

::

    RuleFile ──parse──► Clause (as written) ──resolve──► Rule (declarations applied)
                          head ◄─ Atom              Atom.relation canonical, one direction of an
                          body ◄─ Atom, Absent,     inverse pair kept, `either` for a symmetric
                                  Compare, Order    relation, constants typed

Nothing here knows how rules are evaluated: the naive reference and the engine share this module
and no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from symbolic.records import Term


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a rule file: 1-based line and column, in characters."""

    file: str
    line: int
    column: int


NOWHERE = Place("", 0, 0)
"""The place of what the program itself adds: the closures of classes and transitive relations."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; `_` alone is a fresh one each time and is renamed by the parser."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant:
    """A term written in a rule."""

    term: Term


Argument = Variable | Constant


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """`p(X, Y)`, `denied(p, X, Y)`, each with or without `@S`.

    `relation` is folded (as written in a Clause, canonical in a Rule). `spell` is the variable that
    binds one maximal spell of the triple; such an atom does not enter the intersection. `either`
    is set in a Rule for a symmetric relation: the atom matches a stored triple both ways round.
    """

    relation: str
    entity: Argument
    value: Argument
    denied: bool = False
    spell: str | None = None
    either: bool = False
    place: Place = field(default=NOWHERE, compare=False)

    @property
    def predicate(self) -> Predicate:
        """What strata are made of: a relation and its denial are two predicates."""
        return Predicate(self.relation, self.denied)


@dataclass(frozen=True, slots=True, order=True)
class Predicate:
    """A relation or its denial."""

    relation: str
    denied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """`~p(X, Y)` or `~denied(p, X, Y)`: stratified absence at an instant."""

    atom: Atom


class Operator(StrEnum):
    """How two values compare."""

    EQ = "="
    NE = "!="
    LT = "<"
    LE = "=<"
    GT = ">"
    GE = ">="


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """`X < 5`: values of different kinds compare false."""

    operator: Operator
    left: Argument
    right: Argument
    place: Place = field(default=NOWHERE, compare=False)


class Relating(StrEnum):
    """How two spells lie to one another."""

    BEFORE = "before"
    AFTER = "after"
    DURING = "during"
    OVERLAPS = "overlaps"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """`before(S, T)`: two spell variables compared."""

    relating: Relating
    left: str
    right: str
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reified:
    """`stmt(F, R, X, Y, Pol)` and its like: built-ins that only contradictions.dl may name.

    `absent` stands for a `~` before it.
    """

    name: str
    arguments: tuple[Argument, ...]
    absent: bool = False
    place: Place = field(default=NOWHERE, compare=False)


Literal = Atom | Absent | Compare | Order | Reified
Head = Atom | Reified


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A clause as written. Without a head it is a constraint, which flags as `rule:NAME`.

    `domain` is set where the file is narrowed to one.
    """

    name: str
    head: Head | None
    body: tuple[Literal, ...]
    domain: str | None = None
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A clause under today's declarations; what is evaluated.

    `id` is a hash of the clause printed in canonical form: comments, order and spelling of
    variables do not show in it, so an edit of these changes nothing that was derived.
    """

    id: str
    name: str
    head: Atom | None
    body: tuple[Atom | Absent | Compare | Order, ...]
    domain: str | None = None
    place: Place = field(default=NOWHERE, compare=False)

    @property
    def positive(self) -> tuple[Atom, ...]:
        """The atoms that have to be found, in the order written."""
        return tuple(one for one in self.body if isinstance(one, Atom))

    @property
    def absent(self) -> tuple[Atom, ...]:
        """The atoms that must not be found."""
        return tuple(one.atom for one in self.body if isinstance(one, Absent))

    @property
    def spelled(self) -> bool:
        """Whether any atom, the head's included, binds a spell with `@S`."""
        atoms = (*self.positive, *((self.head,) if self.head else ()))
        return any(atom.spell is not None for atom in atoms)

    def reads(self) -> Iterator[tuple[Predicate, bool]]:
        """Yield (predicate, whether it has to lie in a lower stratum) for each body atom.

        Absence needs all that is derived of its predicate, and so does a maximal spell.
        """
        for atom in self.positive:
            yield atom.predicate, atom.spell is not None
        for atom in self.absent:
            yield atom.predicate, True
