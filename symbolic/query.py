"""Answers to patterns over base facts and what rules derive, in three honest degrees.

verified    a standing fact matches
absent      a standing fact of the other polarity matches a question with nothing open, or the
            domain is declared to hold every instance of the relation and none matches
unverified  nothing is known either way

A word finds Names of every kind and, as a value, literals that read so; aliases, inverse and
symmetric directions and the closure of declared classes apply, as they do to facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from symbolic.canon import MEMBER, kept_side, term_key
from symbolic.derived import as_fact
from symbolic.labels import UNDATED, holds, labels, moment
from symbolic.names import fold as folded
from symbolic.pattern import Pattern, Slot, Variable, Word
from symbolic.records import Declarations, Name, NameKind, Standing, Term, ValueKind
from symbolic.values import BadValue, Reach, literal, name
from symbolic.world import Fact, Fold, View


class Status(StrEnum):
    """How much an answer is worth."""

    VERIFIED = "verified"
    UNVERIFIED = "unverified"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A fact that answers, what its variables are (`?r` -> term), and its labels then."""

    bindings: Mapping[str, Term]
    fact: Fact
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a pattern.

    `denials` are facts of the other polarity that match. `at` is the time asked for; `view` is
    what was known at the record time asked for, None for today's.
    """

    status: Status
    rows: tuple[Row, ...]
    denials: tuple[Row, ...]
    at: int | Reach
    notes: tuple[str, ...] = ()
    view: View | None = None


@dataclass(frozen=True, slots=True)
class _Match:
    """A fact read in the direction asked for."""

    fact: Fact
    bindings: Mapping[str, Term]

    @property
    def key(self) -> tuple[str, ...]:
        said = self.fact.statement
        bound = (f"{var}={term_key(term)}" for var, term in self.bindings.items())
        return (
            said.domain, term_key(said.entity), said.relation.canon, term_key(said.value),
            said.valid_from or "", said.fid, *bound,
        )  # fmt: skip


def answer(
    view: View,
    pattern: Pattern,
    *,
    now: int,
    at: Reach | None = None,
    all_: bool = False,
    domain: str | None = None,
    as_of: Reach | None = None,
    tz: str | None = None,
    fold: Fold | None = None,
) -> Answer:
    """Return what is known that matches `pattern`.

    Without `at` what holds at `now` answers, undated facts included; with it what holds then;
    with `all_` every standing fact, of both polarities. `as_of` asks with the assertions and
    decisions known at its last instant, and needs the `fold` to build them; a `:as-of` in the
    pattern is read in `tz`, by default the memex's zone. `domain` goes before the pattern's own.
    """
    then: View | None = None
    notes: tuple[str, ...] = ()
    closed = True
    if as_of is None and pattern.as_of is not None:
        as_of = moment(pattern.as_of, tz or view.zone)
    if as_of is not None:
        if fold is None:
            raise TypeError("a question about a record time needs the fold")
        # Imported late: most questions are about today.
        from symbolic.asof import as_of_view

        past = as_of_view(view, as_of.hi - 1, fold)
        then, notes, closed = past.view, past.notes, past.complete
    asked = _Asked(then or view, pattern, domain or pattern.domain, now, at, all_)
    return asked.answer(then, notes, closed)


class _Asked:
    """One question to one view."""

    def __init__(
        self, view: View, pattern: Pattern, domain: str | None, now: int, at: Reach | None,
        all_: bool,
    ) -> None:
        self.view = view
        self.pattern = pattern
        self.domain = domain
        self.at: int | Reach = now if at is None else at
        self.undated = at is None
        self.all_ = all_

    def answer(self, then: View | None, notes: tuple[str, ...], closed: bool) -> Answer:
        said = [self._row(m) for m in _matches(self.view, self.pattern, self.domain)]
        rows = [row for row in said if self._shown(row)]
        agreeing = [r for r in rows if r.fact.statement.polarity == self.pattern.polarity]
        denying = [
            row for row in map(self._row, _matches(self.view, self.pattern, self.domain, deny=True))
            if self._shown(row)
        ]
        status = Status.UNVERIFIED
        if agreeing:
            status = Status.VERIFIED
        elif self._denied(denying) or (closed and self._closed(said)):
            status = Status.ABSENT
        listed = sorted([*rows, *denying], key=_order) if self.all_ else rows
        return Answer(
            status=status, rows=tuple(listed), denials=tuple(denying), at=self.at, notes=notes,
            view=then,
        )

    def _row(self, match: _Match) -> Row:
        marks = labels(self.view, match.fact, self.at)
        return Row(bindings=match.bindings, fact=match.fact, labels=marks)

    def _shown(self, row: Row) -> bool:
        return self.all_ or self._holds(row)

    def _holds(self, row: Row) -> bool:
        return holds(row.labels, undated=self.undated)

    def _denied(self, denying: list[Row]) -> bool:
        """Return whether a standing fact says no to a question with nothing open."""
        return self.pattern.ground and any(map(self._holds, denying))

    def _closed(self, said: list[Row]) -> bool:
        """Return whether what is not known is known not to be."""
        return self._complete() and not any(map(self._doubtful, said))

    def _doubtful(self, row: Row) -> bool:
        """Return whether a fact that is not shown may hold all the same."""
        return UNDATED in row.labels or not self.view.spells(row.fact.fid)

    def _complete(self) -> bool:
        relation = self.pattern.relation
        if not isinstance(relation, Word) or not self.pattern.polarity:
            return False
        decls = self.view.declarations
        canon = _relation(relation, decls)
        decl = decls.relations.get(canon)
        names = {canon, decl.inverse} if decl and decl.inverse else {canon}
        return any(
            names & relations
            for domain, relations in decls.complete.items()
            if self.domain is None or folded(domain) == folded(self.domain)
        )


def _order(row: Row) -> tuple[str, ...]:
    return _Match(row.fact, row.bindings).key


# --- matching ---------------------------------------------------------------------------------


def _matches(
    view: View, pattern: Pattern, domain: str | None, *, deny: bool = False
) -> list[_Match]:
    """Return the standing facts that match, in order; with `deny` those of the other polarity."""
    polarity = pattern.polarity is not deny
    found: dict[tuple[str, ...], _Match] = {}
    for stored, flipped, named in _directions(pattern, view.declarations):
        for fact in _with_deduced(view, pattern, stored, flipped, polarity):
            said = fact.statement
            if said.polarity is not polarity or fact.standing is not Standing.STANDING:
                continue
            if domain is not None and folded(said.domain) != folded(domain):
                continue
            if flipped and not isinstance(said.value, Name):
                continue
            ends = (said.value, said.entity) if flipped else (said.entity, said.value)
            bindings = _bound(pattern, (ends[0], named or said.relation, ends[1]))
            if bindings is not None:
                match = _Match(fact, bindings)
                found.setdefault(match.key, match)
    return _without_closure([match for _, match in sorted(found.items())])


def _without_closure(found: list[_Match]) -> list[_Match]:
    """Leave out the classes that follow from those an entity is said to be in anyway."""
    said = {
        match.fact.statement.entity for match in found
        if match.fact.deduced is None and match.fact.statement.relation.canon == MEMBER
    }
    return [
        match for match in found
        if match.fact.assertions or match.fact.statement.relation.canon != MEMBER
        or match.fact.statement.entity not in said
    ]


def _directions(
    pattern: Pattern, decls: Declarations
) -> Iterator[tuple[str | None, bool, Name | None]]:
    """Yield (stored relation, whether it reads the other way round, the name it has then)."""
    if isinstance(pattern.relation, Word):
        canon = _relation(pattern.relation, decls)
        yield canon, False, None
        decl = decls.relations.get(canon)
        if decl is not None and decl.symmetric:
            yield canon, True, None
        side = kept_side(canon, decls)
        if side != canon:
            yield side, True, None
        return
    yield None, False, None
    if isinstance(pattern.entity, Variable) and isinstance(pattern.value, Variable):
        return  # Everything is listed anyway, each fact once and as it is stored.
    turned = {(name_, name_) for name_, decl in decls.relations.items() if decl.symmetric}
    for canon, decl in decls.relations.items():
        if decl.inverse is not None:
            side = kept_side(canon, decls)
            turned.add((side, decl.inverse if side == canon else canon))
    for stored, read in sorted(turned):
        known = decls.relations.get(read)
        spelt = known.written if known else decls.spelling.get(read, read)
        yield stored, True, Name(NameKind.NAME, read, spelt)


def _with_deduced(
    view: View, pattern: Pattern, stored: str | None, flipped: bool, polarity: bool
) -> Iterator[Fact]:
    """Yield the base facts and what rules derive; what is both comes once, as both."""
    subject, object_ = pattern.entity, pattern.value
    if flipped:
        subject, object_ = object_, subject
    decls = view.declarations
    for entity in _names(subject, decls.entity_alias):
        for value in _values(object_, view, stored, polarity):
            both = {
                fact.fid: fact for one in view.deduced(entity=entity, relation=stored, value=value)
                for fact in [as_fact(view, one)]
            }
            for fact in view.facts(entity=entity, relation=stored, value=value):
                yield both.pop(fact.fid, fact)
            yield from both.values()


def _relation(word: Word, decls: Declarations) -> str:
    return decls.relation_alias.get(folded(word.text), folded(word.text))


def _names(slot: Slot, alias: Mapping[str, str]) -> Iterator[Name | None]:
    """Yield the Names that a word can mean, or None for an open place."""
    if isinstance(slot, Variable):
        yield None
        return
    for kind in (slot.kind,) if slot.kind else NameKind:
        term = name(slot.text, kind)
        if kind is NameKind.NAME:
            term = Name(kind, alias.get(term.canon, term.canon), term.written)
        yield term


def _values(
    slot: Slot, view: View, relation: str | None, polarity: bool
) -> Iterator[Term | None]:
    """Yield the terms that a word can mean as a value, or None for an open place."""
    decls = view.declarations
    if isinstance(slot, Variable):
        yield None
        return
    if relation == MEMBER:
        yield from _classes(slot, decls, polarity)
        return
    seen: set[Term] = set()
    aliases = (decls.entity_alias, decls.class_alias) if relation is None else (decls.entity_alias,)
    for alias in aliases:
        for term in _names(slot, alias):
            if term is not None and term not in seen:
                seen.add(term)
                yield term
    if slot.named or slot.kind is not None:
        return
    decl = decls.relations.get(relation or "")
    for kind in ValueKind:
        try:
            value = literal(slot.text, kind, decl.unit if decl else None, view.zone)
        except BadValue:
            continue
        yield value


def _classes(word: Word, decls: Declarations, polarity: bool) -> Iterator[Name]:
    """Yield a class with those below it, whose members it has, or above it, which deny it."""
    for term in _names(word, decls.class_alias):
        if term is None or term.kind is not NameKind.NAME:
            continue
        related = below(term.canon, decls) if polarity else above(term.canon, decls)
        for canon in sorted(related):
            yield Name(NameKind.NAME, canon, decls.spelling.get(canon, canon))
    yield from (t for t in _names(word, {}) if t is not None and t.kind is not NameKind.NAME)


def above(canon: str, decls: Declarations) -> frozenset[str]:
    """Return a class with all its declared ancestors."""
    return _closure(canon, lambda one: decls.classes[one].parents if one in decls.classes else ())


def below(canon: str, decls: Declarations) -> frozenset[str]:
    """Return a class with all that are declared below it."""
    children: dict[str, list[str]] = {}
    for one, decl in decls.classes.items():
        for parent in decl.parents:
            children.setdefault(parent, []).append(one)
    return _closure(canon, lambda one: children.get(one, ()))


def _closure(start: str, step: Callable[[str], Iterable[str]]) -> frozenset[str]:
    reached, ahead = {start}, [start]
    while ahead:
        for one in step(ahead.pop()):
            if one not in reached:
                reached.add(one)
                ahead.append(one)
    return frozenset(reached)


def _bound(pattern: Pattern, terms: tuple[Term, Term, Term]) -> dict[str, Term] | None:
    """Return what the variables are, None if one would have to be two things."""
    bindings: dict[str, Term] = {}
    for slot, term in zip(pattern.slots, terms, strict=True):
        if not isinstance(slot, Variable):
            continue
        if slot.kind is not None and term.kind is not slot.kind:
            return None
        if slot.name and bindings.setdefault(f"?{slot.name}", term) != term:
            return None
    return bindings
