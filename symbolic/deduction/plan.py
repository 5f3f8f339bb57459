"""A rule as SQL over integer ids: one text for each way to run it, in the compiler's join order.

::

    whole          all its bindings                               a rule is new
    delta(i)       those whose i-th atom is a piece since `mark`  pieces came
    moved(i)       those whose i-th absent triple is in `moved`   what was absent may not be now
    backward       those with a head in `goal`                    kept supports of a head ran out

SQLite knows nothing of how pieces are spread, so the order is fixed with CROSS JOIN: the atom that
a way starts from, then whichever shares most bound terms with what stands. Each text fills `cand`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from symbolic.deduction.tables import BEGINNING, CLOSED, END, KINDS, MAXIMAL, PREMISES, STATED
from symbolic.records import Term
from symbolic.rules.syntax import (
    Argument,
    Atom,
    Compare,
    Constant,
    Order,
    Predicate,
    Relating,
    Rule,
)

_SPACED = " || ' ' || "


@dataclass(frozen=True, slots=True)
class Sources:
    """How predicates and terms of one domain are numbered."""

    number: Callable[[Predicate], int]
    term: Callable[[Term], int]
    closed: frozenset[Predicate]
    """Predicates whose pieces are of two kinds, since a transitive closure adds to them."""

    def read(self, atom: Atom) -> tuple[int, ...]:
        """Return the values of `piece.p` that an atom reads."""
        base = self.number(atom.predicate) * KINDS
        if atom.spell is not None:
            return (base + MAXIMAL,)
        return self.all_of(atom.predicate)

    def all_of(self, predicate: Predicate) -> tuple[int, ...]:
        """Return the values of `piece.p` under which a predicate holds."""
        base = self.number(predicate) * KINDS
        return (base + STATED, base + CLOSED) if predicate in self.closed else (base + STATED,)


@dataclass(frozen=True, slots=True)
class Way:
    """One text and what it starts from: the values of `piece.p` whose change asks for it."""

    sql: str
    trigger: frozenset[int] = frozenset()
    plain: str = ""
    """The same where all that is read holds always, at one trust (parameter `trust`)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All texts of one rule in one domain."""

    rule: Rule
    number: int
    head: int
    """`piece.p` of what it derives."""
    reads: frozenset[int]
    absent: tuple[tuple[int, ...], ...]
    whole: tuple[Way, ...]
    delta: tuple[Way, ...]
    moved: tuple[Way, ...]
    fallen: tuple[Way, ...]
    """Removes the supports that stand on the absence of what is in `moved`."""
    backward: tuple[Way, ...]
    turned: frozenset[int] = frozenset()
    """`piece.p` of absent atoms that match either way round."""

    wide: Plan | None = None
    """Of a closure: the rule as it stands. Where something may be withheld on the way, a path can
    be whole from its middle on and not from its start, so that no step may be left out."""

    def turns(self, p: int) -> bool:
        """Return whether absence of `p` is asked for both ways round."""
        return p in self.turned


def is_closing(rule: Rule) -> bool:
    """Return whether a rule says that its relation is transitive: p(X, Z) <= p(X, Y) & p(Y, Z)."""
    if rule.head is None or len(rule.body) != 2:
        return False
    one, two = rule.body
    if not isinstance(one, Atom) or not isinstance(two, Atom):
        return False
    atoms = (rule.head, one, two)
    if any(a.denied or a.spell or a.relation != rule.head.relation or a.either for a in atoms):
        return False
    if one.value != two.entity:
        one, two = two, one
    ends = (one.entity, one.value, two.entity, two.value)
    return (
        all(isinstance(end, type(one.entity)) and not isinstance(end, Constant) for end in ends)
        and one.value == two.entity
        and len({one.entity, one.value, two.value}) == 3
        and (rule.head.entity, rule.head.value) == (one.entity, two.value)
    )


def compiled(rule: Rule, number: int, sources: Sources) -> Plan:
    """Return the plan of a rule with a head; that of a closure builds each path in one way only."""
    if not is_closing(rule):
        return _compiled(rule, number, sources, STATED, linear=False)
    plan = _compiled(rule, number, sources, CLOSED, linear=True)
    return replace(plan, wide=_compiled(rule, number, sources, CLOSED, linear=False))


def _compiled(rule: Rule, number: int, sources: Sources, kind: int, *, linear: bool) -> Plan:
    assert rule.head is not None
    head = sources.number(rule.head.predicate) * KINDS + kind
    builder = _Builder(rule, number, head, sources, linear)
    shapes = list(builder.shapes())
    positions = range(len(rule.positive))
    return Plan(
        rule=rule, number=number, head=head,
        reads=frozenset(p for places in builder.places for p in places),
        absent=tuple(sources.all_of(atom.predicate) for atom in rule.absent),
        turned=frozenset(p for a in rule.absent if a.either for p in sources.all_of(a.predicate)),
        whole=tuple(builder.way(shape, None) for shape in shapes),
        delta=tuple(builder.way(shape, at) for at in positions for shape in shapes),
        moved=tuple(
            builder.moved(shape, at, turned)
            for at, atom in enumerate(rule.absent) for shape in shapes
            for turned in ((False, True) if atom.either else (False,))
        ),
        fallen=tuple(
            builder.fallen(shape, at, turned)
            for at, atom in enumerate(rule.absent) for shape in shapes
            for turned in ((False, True) if atom.either else (False,))
        ),
        backward=tuple(
            builder.backward(shape, turned) for shape in shapes
            for turned in ((False, True) if rule.head.either else (False,))
        ),
    )  # fmt: skip


@dataclass(slots=True)
class _Joined:
    """A join under way: the tables, what has to hold, and what each variable stands for."""

    tables: list[str] = field(default_factory=list)
    where: list[str] = field(default_factory=list)
    bound: dict[str, str] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)


Shape = tuple[bool, ...]
"""For each positive atom, whether a symmetric one is matched the other way round."""


class _Builder:
    def __init__(
        self, rule: Rule, number: int, head: int, sources: Sources, linear: bool
    ) -> None:
        self._rule, self._number, self._head, self._sources = rule, number, head, sources
        self.places = [sources.read(atom) for atom in rule.positive]
        if linear:
            # What follows from edges, and one more edge.
            stated = sources.number(rule.positive[0].predicate) * KINDS + STATED
            self.places[self._last()] = (stated,)

    def _last(self) -> int:
        assert self._rule.head is not None
        return 1 if self._rule.positive[1].value == self._rule.head.value else 0

    def shapes(self) -> Iterator[Shape]:
        """Yield the ways to turn the symmetric atoms."""
        return product(*((False, True) if a.either else (False,) for a in self._rule.positive))

    # --- texts --------------------------------------------------------------------------------

    def way(self, shape: Shape, start: int | None) -> Way:
        """Return the text of all bindings, or of those whose atom `start` is new."""
        if start is None:
            return Way(self._found(shape, None), plain=self._found(shape, None, plain=True))
        trigger = frozenset(self.places[start])
        return Way(self._found(shape, start), trigger, self._found(shape, start, plain=True))

    def _found(self, shape: Shape, start: int | None, *, plain: bool = False) -> str:
        joined = _Joined()
        for at in self._order(shape, start, set()):
            self._add(joined, at, shape, mark=start)
        return self._filled(joined, plain=plain)

    def moved(self, shape: Shape, absent: int, turned: bool) -> Way:
        """Return the text of the bindings whose absent triple is in `moved`."""
        joined = self._from_moved(shape, absent, turned)
        return Way(self._filled(joined), frozenset(self._moving(absent)))

    def fallen(self, shape: Shape, absent: int, turned: bool) -> Way:
        """Return the text that removes the supports standing on an absence in `moved`."""
        joined = self._from_moved(shape, absent, turned)
        e, v = self._head_terms(joined)
        width = len(self._rule.positive)
        ids = "".join(f", a{at}.id" for at in range(width))
        columns = "".join(f", {one}" for one in PREMISES[:width])
        sql = (
            f"insert into struck(head, rule{columns}) select distinct h.head, {self._number}{ids}"
            f" from {' cross join '.join([*joined.tables, 'piece h indexed by piece_pe'])}"
            f" where {self._where(joined)} and h.p in ({self._head}, {self._head + 4})"
            f" and h.e = {e} and h.v = {v} and h.head is not null"
        )
        return Way(sql, frozenset(self._moving(absent)))

    def _moving(self, absent: int) -> tuple[int, ...]:
        return self._sources.all_of(self._rule.absent[absent].predicate)

    def _from_moved(self, shape: Shape, absent: int, turned: bool) -> _Joined:
        atom = self._rule.absent[absent]
        joined = _Joined(tables=["moved m"])
        joined.where.append(f"m.p in ({_list(self._moving(absent))})")
        ends = ("m.v", "m.e") if turned else ("m.e", "m.v")
        if turned:
            joined.where.append("m.e <> m.v")
        self._bind(joined, atom.entity, ends[0])
        self._bind(joined, atom.value, ends[1])
        for at in self._order(shape, None, set(joined.bound)):
            self._add(joined, at, shape)
        return joined

    def backward(self, shape: Shape, turned: bool) -> Way:
        """Return the text of the bindings whose head is in `goal`."""
        head = self._rule.head
        assert head is not None
        joined = _Joined(tables=["goal g"])
        joined.where.append(f"g.p = {self._head}")
        ends = ("g.v", "g.e") if turned else ("g.e", "g.v")
        self._bind(joined, head.entity, ends[0])
        self._bind(joined, head.value, ends[1])
        for at in self._order(shape, None, set(joined.bound)):
            self._add(joined, at, shape)
        return Way(self._filled(joined))

    # --- parts --------------------------------------------------------------------------------

    def _order(self, shape: Shape, start: int | None, bound: set[str]) -> list[int]:
        """Return the atoms, `start` first, then always the one with most terms bound."""
        atoms = self._rule.positive
        left = [at for at in range(len(atoms)) if at != start]
        order = [] if start is None else [start]
        known = set(bound)
        if start is not None:
            known |= _variables(atoms[start])
        while left:
            best = max(left, key=lambda at: (_known(atoms[at], known), -at))
            left.remove(best)
            order.append(best)
            known |= _variables(atoms[best])
        return order

    def _add(self, joined: _Joined, at: int, shape: Shape, mark: int | None = None) -> None:
        atom, name = self._rule.positive[at], f"a{at}"
        fresh = mark == at
        ends = (f"{name}.v", f"{name}.e") if shape[at] else (f"{name}.e", f"{name}.v")
        known = [argument for argument, end in
                 zip((atom.entity, atom.value), ends, strict=True)
                 if isinstance(argument, Constant) or argument.name in joined.bound]
        if fresh:
            hint = " not indexed"
            joined.where.append(f"{name}.id > :mark")
        else:
            column = self._entered(atom, ends, joined) if known else "e"
            hint = f" indexed by piece_p{column}"
            if mark is not None and at < mark:
                joined.where.append(f"{name}.id <= :mark")
        joined.tables.append(f"piece {name}{hint}")
        joined.where.append(f"{name}.p in ({_list(self.places[at])})")
        if shape[at]:
            joined.where.append(f"{name}.e <> {name}.v")
        self._bind(joined, atom.entity, ends[0])
        self._bind(joined, atom.value, ends[1])
        joined.named |= {a.name for a, end in zip((atom.entity, atom.value), ends, strict=True)
                         if not isinstance(a, Constant) and end.endswith(".e")}
        if shape[at] and not isinstance(atom.entity, Constant):
            joined.where.append(f"named({name}.v)")

    @staticmethod
    def _entered(atom: Atom, ends: tuple[str, str], joined: _Joined) -> str:
        """Return the column by which a piece is looked up: the entity's if that is known."""
        for argument, end in zip((atom.entity, atom.value), ends, strict=True):
            if end.endswith(".e") and (
                isinstance(argument, Constant) or argument.name in joined.bound
            ):
                return "e"
        return "v"

    def _bind(self, joined: _Joined, argument: Argument, column: str) -> None:
        if isinstance(argument, Constant):
            joined.where.append(f"{column} = {self._sources.term(argument.term)}")
        elif argument.name in joined.bound:
            joined.where.append(f"{column} = {joined.bound[argument.name]}")
        else:
            joined.bound[argument.name] = column

    def _value(self, argument: Argument, bound: Mapping[str, str]) -> str:
        if isinstance(argument, Constant):
            return str(self._sources.term(argument.term))
        return bound[argument.name]

    def _where(self, joined: _Joined) -> str:
        conditions = list(joined.where)
        spells = {atom.spell: f"a{at}" for at, atom in reversed(
            list(enumerate(self._rule.positive))) if atom.spell is not None}
        for at, atom in enumerate(self._rule.positive):
            if atom.spell is not None and spells[atom.spell] != f"a{at}":
                one, other = f"a{at}", spells[atom.spell]
                conditions.append(f"{one}.lo = {other}.lo and {one}.hi = {other}.hi")
        for literal in self._rule.body:
            if isinstance(literal, Compare):
                left = self._value(literal.left, joined.bound)
                right = self._value(literal.right, joined.bound)
                conditions.append(f"compares('{literal.operator.value}', {left}, {right})")
            elif isinstance(literal, Order):
                conditions.append(_lies(literal, spells))
        return " and ".join(conditions)

    def _head_terms(self, joined: _Joined) -> tuple[str, str]:
        head = self._rule.head
        assert head is not None
        e, v = (self._value(end, joined.bound) for end in (head.entity, head.value))
        if head.either:
            return (f"case when turned({e}, {v}) then {v} else {e} end",
                    f"case when turned({e}, {v}) then {e} else {v} end")
        return e, v

    def _filled(self, joined: _Joined, *, plain: bool = False) -> str:
        head = self._rule.head
        assert head is not None
        where = [self._where(joined)]
        if not isinstance(head.entity, Constant) and head.entity.name not in joined.named:
            where.append(f"named({joined.bound[head.entity.name]})")
        e, v = self._head_terms(joined)
        width = len(self._rule.positive)
        ids = "".join(f", a{at}.id" for at in range(width))
        columns = "".join(f", {one}" for one in PREMISES[:width])
        lo, hi = (str(BEGINNING), str(END)) if plain else self._stretch()
        if plain:
            measures = f"{lo}, {hi}, :trust, 0, 0"
        else:
            if lo != str(BEGINNING):
                where.append(f"{lo} < {hi}")
            trust = _least([f"a{at}.trust" for at in range(width)])
            imprecise = " or ".join(f"a{at}.imprecise" for at in range(width))
            measures = f"{lo}, {hi}, {trust}, ({imprecise}), {self._rough(joined, lo, hi)}"
        for atom in self._rule.absent:
            inside = "1" if plain else f"n.lo <= {lo} and n.hi >= {hi}"
            where.append(f"not {self._exists(atom, joined, inside)}")
        return (
            f"insert into cand(p, e, v, rule{columns}, lo, hi, trust, imprecise, rough)"
            f" select {self._head}, {e}, {v}, {self._number}{ids}, {measures}"
            f" from {' cross join '.join(joined.tables)} where {' and '.join(where)} limit :room"
        )

    def _stretch(self) -> tuple[str, str]:
        """Return the bounds of what a binding gives, as SQL."""
        head = self._rule.head
        assert head is not None
        inside = [f"a{at}" for at, atom in enumerate(self._rule.positive) if atom.spell is None]
        if head.spell is not None:
            inside += [f"a{at}" for at, atom in enumerate(self._rule.positive)
                       if atom.spell == head.spell][:1]
        if not inside:
            return str(BEGINNING), str(END)
        return (_most([f"{one}.lo" for one in inside]), _least([f"{one}.hi" for one in inside]))

    def _rough(self, joined: _Joined, lo: str, hi: str) -> str:
        """Return as SQL the absent triples, null where none of them holds within [lo, hi)."""
        absent = self._rule.absent
        if not absent:
            return "null"
        some = " or ".join(self._exists(a, joined, f"n.lo < {hi} and n.hi > {lo}") for a in absent)
        ends = [self._value(end, joined.bound) for a in absent for end in (a.entity, a.value)]
        return f"case when {some} then {_SPACED.join(ends)} end"

    def _exists(self, atom: Atom, joined: _Joined, inside: str) -> str:
        places = _list(self._sources.all_of(atom.predicate))
        e, v = (self._value(end, joined.bound) for end in (atom.entity, atom.value))
        ways = [(e, v), (v, e)] if atom.either else [(e, v)]
        found = [f"exists (select 1 from piece n indexed by piece_pe where n.p in ({places})"
                 f" and n.e = {one} and n.v = {other} and {inside})" for one, other in ways]
        return f"({' or '.join(found)})"


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _least(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"min({', '.join(parts)})"


def _most(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"max({', '.join(parts)})"


def _variables(atom: Atom) -> set[str]:
    return {end.name for end in (atom.entity, atom.value) if not isinstance(end, Constant)}


def _known(atom: Atom, known: set[str]) -> int:
    return sum(
        isinstance(end, Constant) or end.name in known for end in (atom.entity, atom.value)
    )


def _lies(order: Order, spells: Mapping[str, str]) -> str:
    one, other = spells[order.left], spells[order.right]
    if order.relating is Relating.AFTER:
        one, other = other, one
    if order.relating in (Relating.BEFORE, Relating.AFTER):
        return f"{one}.hi <= {other}.lo"
    if order.relating is Relating.DURING:
        return f"{other}.lo <= {one}.lo and {one}.hi <= {other}.hi"
    return f"{one}.lo < {other}.hi and {other}.lo < {one}.hi"
