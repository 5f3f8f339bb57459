"""What the parts of the engine share in one change: the connection, numbers, what moved."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from symbolic.deduction.spans import Span
from symbolic.deduction.tables import KINDS
from symbolic.records import Term
from symbolic.rules.syntax import Predicate

MIXED: Final = -1
"""The trust of a predicate whose pieces differ in it, or do not all hold always and precisely."""

Key = tuple[int, int, int]
"""A triple: `piece.p`, entity, value."""


class Terms(Protocol):
    """The dictionary of terms."""

    def id_of(self, term: Term) -> int:
        """Return the number of a term, given now if it has none."""

    def find(self, term: Term) -> int | None:
        """Return the number of a term, None if it has none."""

    def term(self, number: int) -> Term:
        """Return the term with a number."""


class Guard(Protocol):
    """What withholds: spans in which a triple may not be deduced."""

    def guards(self, domain: str, predicate: Predicate) -> bool:
        """Return whether anything of `predicate` may be withheld."""

    def cuts(self, keys: Sequence[Key]) -> Mapping[Key, Sequence[Span]]:
        """Return the spans of those triples that have any."""


class Unguarded:
    """Withholds nothing."""

    def guards(self, domain: str, predicate: Predicate) -> bool:
        """Return False."""
        return False

    def cuts(self, keys: Sequence[Key]) -> Mapping[Key, Sequence[Span]]:
        """Return nothing."""
        return {}


@dataclass(slots=True)
class Known:
    """A predicate in one domain: what all its pieces have in common, and how many are derived."""

    number: int
    domain: str
    predicate: Predicate
    trust: int | None = None
    stated: int = 0
    """Pieces that base facts gave."""
    pieces: int = 0
    fed: int = 0
    """Whether its base facts feed rules."""
    spelled: int = 0
    """Whether its maximal spells are kept."""
    wide: int = 0
    """Whether its closure was evaluated with all steps, since something may be withheld."""
    saved: tuple[int | None, ...] = (None, 0, 0, 0, 0, 0)


class Numbers:
    """The predicates by number, kept in the table `predicate`."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._by_name: dict[tuple[str, Predicate], Known] = {}
        self.known: dict[int, Known] = {}

    def load(self) -> None:
        """Read what another process may have changed."""
        self._by_name.clear()
        self.known.clear()
        for number, domain, relation, denied, *counts in self._db.execute(
            "select id, domain, relation, denied, trust, stated, pieces, fed, spelled, wide"
            " from predicate"
        ):
            trust, stated, pieces, fed, spelled, wide = counts
            name = (str(domain), Predicate(relation, bool(denied)))
            found = Known(
                number, *name, trust, stated, pieces, fed, spelled, wide, tuple(counts)
            )
            self._by_name[name] = self.known[number] = found

    def of(self, domain: str, predicate: Predicate) -> Known:
        """Return a predicate, numbered now if it is not."""
        found = self._by_name.get((domain, predicate))
        if found is None:
            cursor = self._db.execute(
                "insert into predicate(domain, relation, denied) values (?, ?, ?)",
                (domain, predicate.relation, predicate.denied),
            )
            found = Known(int(cursor.lastrowid or 0), domain, predicate)
            self._by_name[domain, predicate] = self.known[found.number] = found
        return found

    def find(self, domain: str, predicate: Predicate) -> Known | None:
        """Return a predicate if it is numbered."""
        return self._by_name.get((domain, predicate))

    def at(self, p: int) -> Known:
        """Return the predicate of a piece."""
        return self.known[p // KINDS]

    def save(self) -> None:
        """Write the counts that changed."""
        for one in self.known.values():
            if one.stated == 0 and one.pieces == 0:
                one.trust = None
            now = (one.trust, one.stated, one.pieces, one.fed, one.spelled, one.wide)
            if now != one.saved:
                self._db.execute(
                    "update predicate set trust = ?, stated = ?, pieces = ?, fed = ?, spelled = ?,"
                    " wide = ? where id = ?",
                    (*now, one.number),
                )
                one.saved = now


def blended(one: int | None, other: int | None) -> int | None:
    """Return what two sets of pieces have in common; None stands for no piece."""
    if one is None or other is None or one == other:
        return other if one is None else one
    return MIXED


@dataclass(slots=True)
class Touched:
    """Rows written in a change, for those who count: what it took and what it was for."""

    stated: int = 0
    fallen: int = 0
    struck: int = 0
    derived: int = 0
    supports: int = 0

    @property
    def rows(self) -> int:
        """Pieces and supports that were removed or added, what was stated left out."""
        return self.fallen + self.struck + self.derived + self.supports


@dataclass(slots=True, kw_only=True)
class Run:
    """One change under way."""

    db: sqlite3.Connection
    numbers: Numbers
    mark: int
    """The last piece before the change."""
    last: int
    """The last piece there is."""
    watched: frozenset[int]
    """`piece.p` of predicates whose absence or maximal spells something reads."""
    width: int
    """The most premises that a rule has."""
    bulk: bool = False
    """Whether supports have no indices until the end."""
    touched: Touched = field(default_factory=Touched)
    changed: set[int] = field(default_factory=set)
    """`piece.p` of pieces that came or went."""
    added: set[int] = field(default_factory=set)
    """`piece.p` of pieces that came."""
    lost: set[int] = field(default_factory=set)
    """`piece.p` of derived triples that lost a piece and have not been derived again."""
    moved: set[int] = field(default_factory=set)
    """`piece.p` of watched triples that changed."""

    def note(self, since: int, places: Iterable[int]) -> None:
        """Note that pieces of `places` came after the piece `since`."""
        places = set(places)
        self.added |= places
        self.changed |= places
        watched = places & self.watched
        if watched:
            self.moved |= watched
            self.db.execute(
                "insert or ignore into moved select p, e, v from piece not indexed"
                f" where id > ? and p in ({', '.join(map(str, sorted(watched)))})",
                (since,),
            )
