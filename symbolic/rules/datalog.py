"""Clauses over built-ins, run to a fixpoint over rows in memory: contradictions.dl is small.

Literals are taken in the order written, each found through an index on what is bound by then.
Time plays no part; a `~` reads what lies in a lower component.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from symbolic.components import components
from symbolic.records import Term
from symbolic.rules.compare import compare
from symbolic.rules.syntax import Argument, Clause, Compare, Constant, Reified

Row = tuple[Term, ...]
Partial = tuple[Term | None, ...]
"""A row of which some parts are not known yet."""

Tables = Mapping[str, set[Row]]
Tests = Mapping[str, Callable[[Partial], Iterable[Row]]]
"""Built-ins that are computed: all rows that fit a partial one."""

Bindings = dict[str, Term]


class _Rows:
    """Rows with an index for every set of places that was asked for."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows = set(rows)
        self._indices: dict[tuple[int, ...], dict[Row, list[Row]]] = {}

    def add(self, row: Row) -> bool:
        """Add a row; return whether it is new."""
        if row in self.rows:
            return False
        self.rows.add(row)
        for places, index in self._indices.items():
            index.setdefault(tuple(row[at] for at in places), []).append(row)
        return True

    def fitting(self, partial: Partial) -> Sequence[Row]:
        """Return the rows that have the known parts of `partial`."""
        places = tuple(at for at, term in enumerate(partial) if term is not None)
        index = self._indices.get(places)
        if index is None:
            index = self._indices[places] = {}
            for row in self.rows:
                index.setdefault(tuple(row[at] for at in places), []).append(row)
        key = tuple(term for term in partial if term is not None)
        return tuple(index.get(key, ()))


def run(
    clauses: Sequence[Clause], tables: Tables, tests: Tests, zone: str = "UTC"
) -> dict[str, set[Row]]:
    """Return the rows of every head.

    Raises ValueError on a cycle through `~`, or a name that nothing defines: a bug.
    """
    rows = {name: _Rows(found) for name, found in tables.items()}
    heads: dict[str, list[Clause]] = {}
    for clause in clauses:
        assert isinstance(clause.head, Reified)
        heads.setdefault(clause.head.name, []).append(clause)
        rows.setdefault(clause.head.name, _Rows())
    named = {one.name for c in clauses for one in c.body if isinstance(one, Reified)}
    if unknown := sorted(named - rows.keys() - tests.keys()):
        raise ValueError(f"nothing defines {', '.join(unknown)}")
    engine = _Engine(rows, tests, zone)
    for component in components(_reads(heads)):
        mine = [clause for name in sorted(component) for clause in heads.get(name, ())]
        if any(_negates(clause, component) for clause in mine):
            raise ValueError(f"a cycle through ~ among {', '.join(sorted(component))}")
        while any([engine.apply(clause) for clause in mine]):
            pass
    return {name: rows[name].rows for name in heads}


def _reads(heads: Mapping[str, Sequence[Clause]]) -> dict[str, list[str]]:
    edges: dict[str, list[str]] = {}
    for name, clauses in heads.items():
        edges[name] = sorted({
            one.name for clause in clauses for one in clause.body
            if isinstance(one, Reified) and one.name in heads
        })
    return edges


def _negates(clause: Clause, component: set[str]) -> bool:
    return any(
        isinstance(one, Reified) and one.absent and one.name in component for one in clause.body
    )


class _Engine:
    """Applies clauses to rows."""

    def __init__(self, rows: Mapping[str, _Rows], tests: Tests, zone: str) -> None:
        self._rows = rows
        self._tests = tests
        self._zone = zone

    def apply(self, clause: Clause) -> bool:
        """Add what a clause gives; return whether anything was new."""
        head = clause.head
        assert isinstance(head, Reified)
        found = [
            tuple(term for term in _partial(head.arguments, bound) if term is not None)
            for bound in list(self._solve(clause, 0, {}))
        ]
        return any([self._rows[head.name].add(row) for row in found])

    def _solve(self, clause: Clause, at: int, bound: Bindings) -> Iterator[Bindings]:
        if at == len(clause.body):
            yield bound
            return
        literal = clause.body[at]
        if isinstance(literal, Compare):
            left, right = _partial((literal.left, literal.right), bound)
            assert left is not None and right is not None
            if compare(literal.operator, left, right, self._zone):
                yield from self._solve(clause, at + 1, bound)
            return
        assert isinstance(literal, Reified)
        matches = self._matches(literal, bound)
        if literal.absent:
            if next(matches, None) is None:
                yield from self._solve(clause, at + 1, bound)
            return
        for more in matches:
            yield from self._solve(clause, at + 1, more)

    def _matches(self, literal: Reified, bound: Bindings) -> Iterator[Bindings]:
        partial = _partial(literal.arguments, bound)
        test = self._tests.get(literal.name)
        rows = self._rows[literal.name].fitting(partial) if test is None else test(partial)
        for row in rows:
            more = _matched(literal.arguments, row, bound)
            if more is not None:
                yield more


def _partial(arguments: Sequence[Argument], bound: Bindings) -> Partial:
    return tuple(
        one.term if isinstance(one, Constant) else bound.get(one.name) for one in arguments
    )


def _matched(arguments: Sequence[Argument], row: Row, bound: Bindings) -> Bindings | None:
    """Return `bound` with what `row` binds, None if it says otherwise."""
    more = dict(bound)
    for argument, term in zip(arguments, row, strict=True):
        if isinstance(argument, Constant):
            if argument.term != term:
                return None
        elif more.setdefault(argument.name, term) != term:
            return None
    return more
