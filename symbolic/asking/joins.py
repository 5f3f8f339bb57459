"""Rows that satisfy the body of a question: a join by indexed lookups, narrowed from the left.

An atom is looked up with all that is bound by then; the atom with the fewest open ends goes next.
Each match carries the instants at which all its atoms hold and the facts they rest on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from symbolic.asking.spans import ALWAYS, Span, cut, minus, union
from symbolic.deduced import Deduced
from symbolic.labels import UNDATED, labels, stretch
from symbolic.names import fold
from symbolic.records import Name, Standing, Term
from symbolic.rules.compare import compare
from symbolic.rules.syntax import (
    Absent,
    Argument,
    Atom,
    Compare,
    Constant,
    Order,
    Relating,
    Rule,
    Variable,
)
from symbolic.values import FOREVER, Reach
from symbolic.world import Spell, View

Bindings = Mapping[str, Term]

Source = str | Deduced
"""What a match rests on: the id of a base fact, or what rules derive."""


@dataclass(frozen=True, slots=True)
class Held:
    """A fact that one atom matches, read in the atom's direction, with one span of it."""

    entity: Term
    value: Term
    span: Span
    source: Source
    domain: str
    undated: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """One way to satisfy a body. `spells` binds what `@S` binds.

    `undated` is set where a fact without a date took part, `open` names the relations whose absence
    is not known but only not found.
    """

    bindings: Bindings
    spells: Mapping[str, Span]
    spans: tuple[Span, ...]
    facts: tuple[Source, ...]
    domain: str | None
    undated: bool = False
    open: frozenset[str] = frozenset()


class Joiner:
    """One question to one view.

    `undated` lets facts without a date in, as holding always: for questions about now. `read` turns
    a spell into instants; a question reads it as labels do.
    """

    def __init__(
        self, view: View, *, now: int, domain: str | None, undated: bool,
        read: Callable[[Spell, str], Reach] = stretch,
    ) -> None:
        self.view = view
        self.read = read
        self.now = now
        self.domain = None if domain is None else fold(domain)
        self.undated = undated

    def matches(self, rule: Rule) -> Iterator[Match]:
        """Yield every way to satisfy the body of `rule`, in no particular order."""
        start = Match({}, {}, (ALWAYS,), (), rule.domain and fold(rule.domain))
        yield from self._join(start, list(rule.positive), _Checks.of(rule))

    def _join(self, done: Match, atoms: list[Atom], checks: _Checks) -> Iterator[Match]:
        done_ = checks.passed(done, self, last=not atoms)
        if done_ is None:
            return
        if not atoms:
            yield done_
            return
        atom = min(atoms, key=lambda one: _openness(one, done_.bindings))
        rest = [one for one in atoms if one is not atom]
        for held in self.rows(atom, done_.bindings, done_.domain):
            bindings = _bound(atom, held, done_.bindings)
            if bindings is None:
                continue
            for more in self._with(done_, atom, held, bindings):
                yield from self._join(more, rest, checks)

    def _with(
        self, done: Match, atom: Atom, held: Held, bindings: Bindings
    ) -> Iterator[Match]:
        facts = (*done.facts, held.source)
        undated = done.undated or held.undated
        if atom.spell is None:
            spans = tuple(
                both for span in done.spans if (both := cut(span, held.span)) is not None
            )
            if spans:
                yield Match(bindings, done.spells, spans, facts, held.domain, undated, done.open)
            return
        whole = next(s for s in self.whole(held, atom) if cut(s, held.span) is not None)
        if done.spells.get(atom.spell, whole) == whole:
            spells = {**done.spells, atom.spell: whole}
            yield Match(bindings, spells, done.spans, facts, held.domain, undated, done.open)

    def whole(self, held: Held, atom: Atom) -> tuple[Span, ...]:
        """Return the maximal spells of the triple that `held` is a part of."""
        ends = {"<entity>": held.entity, "<value>": held.value}
        triple = Atom(
            relation=atom.relation, entity=Variable("<entity>"), value=Variable("<value>"),
            denied=atom.denied, either=atom.either,
        )
        return union(row.span for row in self.rows(triple, ends, held.domain))

    # --- rows ---------------------------------------------------------------------------------

    def rows(self, atom: Atom, bindings: Bindings, domain: str | None) -> Iterator[Held]:
        """Yield the spans of the facts that match `atom` under `bindings`, in one domain if set."""
        yield from self._ways(atom, atom.entity, atom.value, False, bindings, domain)
        if atom.either:
            yield from self._ways(atom, atom.value, atom.entity, True, bindings, domain)

    def _ways(
        self, atom: Atom, first: Argument, second: Argument, turned: bool, bindings: Bindings,
        domain: str | None,
    ) -> Iterator[Held]:
        entity, value = term_of(first, bindings), term_of(second, bindings)
        if entity is not None and not isinstance(entity, Name):
            return
        for source, said_domain, e, v, span, undated in self._stored(atom, entity, value):
            if domain not in (None, said_domain) or self.domain not in (None, said_domain):
                continue
            if turned and (e == v or not isinstance(v, Name)):
                continue  # A pair with itself is one row, whichever way it is read.
            one, other = (v, e) if turned else (e, v)
            yield Held(one, other, span, source, said_domain, undated)

    def _stored(
        self, atom: Atom, entity: Name | None, value: Term | None
    ) -> Iterator[tuple[Source, str, Name, Term, Span, bool]]:
        view, positive = self.view, not atom.denied
        for fact in view.facts(entity=entity, relation=atom.relation, value=value):
            said = fact.statement
            if fact.standing is not Standing.STANDING or said.polarity is not positive:
                continue
            ends = fact.fid, fold(said.domain), said.entity, said.value
            spells = view.spells(fact.fid)
            for spell in spells:
                held = self.read(spell, view.zone)
                if held.lo < held.hi:
                    yield (*ends, (held.lo, held.hi), False)
            if not spells and self.undated and UNDATED in labels(view, fact, self.now):
                yield (*ends, ALWAYS, True)
        for deduced in view.deduced(entity=entity, relation=atom.relation, value=value):
            triple = deduced.triple
            if triple.polarity is positive:
                held_by = deduced, fold(triple.domain), triple.entity, triple.value
                for one in deduced.spells:
                    low = -FOREVER if one.lo is None else one.lo
                    yield (*held_by, (low, FOREVER if one.hi is None else one.hi), False)


@dataclass(frozen=True, slots=True)
class _Checks:
    """What narrows a match without adding to it, each tried as soon as its variables are bound."""

    compared: tuple[Compare, ...]
    ordered: tuple[Order, ...]
    absent: tuple[Atom, ...]

    @classmethod
    def of(cls, rule: Rule) -> _Checks:
        return cls(
            tuple(one for one in rule.body if isinstance(one, Compare)),
            tuple(one for one in rule.body if isinstance(one, Order)),
            tuple(one.atom for one in rule.body if isinstance(one, Absent)),
        )

    def passed(self, match: Match, joiner: Joiner, *, last: bool) -> Match | None:
        """Return `match` if nothing bound so far is against it; absence is tried at the last."""
        zone = joiner.view.zone
        for one in self.compared:
            left, right = (term_of(end, match.bindings) for end in (one.left, one.right))
            if left is None or right is None:
                continue
            if not compare(one.operator, left, right, zone):
                return None
        for order in self.ordered:
            known = {order.left, order.right} <= match.spells.keys()
            if known and not related(order, match.spells):
                return None
        return self._without(match, joiner) if last and self.absent else match

    def _without(self, match: Match, joiner: Joiner) -> Match | None:
        spans = match.spans
        unknown: set[str] = set()
        for atom in self.absent:
            rows = joiner.rows(atom, match.bindings, match.domain)
            spans = minus(spans, [
                row.span for row in rows if _bound(atom, row, match.bindings) is not None
            ])
            if not spans:
                return None
            if not _known_absent(atom, match, spans, joiner):
                unknown.add(atom.relation)
        return Match(
            match.bindings, match.spells, spans, match.facts, match.domain, match.undated,
            match.open | unknown,
        )


def _known_absent(atom: Atom, match: Match, spans: Iterable[Span], joiner: Joiner) -> bool:
    """Return whether absence is known: the relation is complete, or a fact denies it."""
    if complete(joiner.view, atom.relation, match.domain or joiner.domain):
        return True
    if any(term_of(end, match.bindings) is None for end in (atom.entity, atom.value)):
        return False
    denial = Atom(
        relation=atom.relation, entity=atom.entity, value=atom.value, denied=not atom.denied,
        either=atom.either,
    )
    rows = joiner.rows(denial, match.bindings, match.domain)
    return not minus(spans, [row.span for row in rows])


def complete(view: View, relation: str, domain: str | None) -> bool:
    """Return whether a domain holds every instance of `relation`, and of all it is derived from."""
    declared = {
        name
        for where, relations in view.declarations.complete.items()
        if domain is None or fold(where) == domain
        for name in relations
    }
    seen: set[str] = set()
    todo = [relation]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        decl = view.declarations.relations.get(name)
        if name not in declared and (decl is None or decl.inverse not in declared):
            return False
        for rule in view.program().rules:
            if rule.head is not None and rule.head.relation == name:
                todo.extend(predicate.relation for predicate, _ in rule.reads())
    return True


# --- terms and spans --------------------------------------------------------------------------


def term_of(end: Argument, bindings: Bindings) -> Term | None:
    """Return what stands at an end of an atom, None while its variable is free."""
    return end.term if isinstance(end, Constant) else bindings.get(end.name)


def _openness(atom: Atom, bindings: Bindings) -> int:
    """Return how open an atom is: an open entity is worse than an open value."""
    entity, value = (term_of(end, bindings) is None for end in (atom.entity, atom.value))
    return 2 * entity + value


def _bound(atom: Atom, held: Held, bindings: Bindings) -> Bindings | None:
    """Return the bindings with an atom's ends, None if they do not fit."""
    found = dict(bindings)
    for end, term in ((atom.entity, held.entity), (atom.value, held.value)):
        if isinstance(end, Constant):
            if end.term != term:
                return None
        elif found.setdefault(end.name, term) != term:
            return None
    return found


def related(order: Order, spells: Mapping[str, Span]) -> bool:
    """Return whether two spells lie to one another as `order` says."""
    left, right = spells[order.left], spells[order.right]
    match order.relating:
        case Relating.BEFORE:
            return left[1] <= right[0] and left[1] < FOREVER
        case Relating.AFTER:
            return right[1] <= left[0] and right[1] < FOREVER
        case Relating.DURING:
            return right[0] <= left[0] and left[1] <= right[1]
        case Relating.OVERLAPS:
            return cut(left, right) is not None
