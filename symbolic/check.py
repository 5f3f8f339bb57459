"""Whether one step of a proof is real: an independent check of one Support against a View.

Nothing is evaluated here and nothing is searched for: a support says how a rule was applied, and
each thing it says is looked up. It knows neither the engine nor the naive reference, so that an
error in either cannot hide itself. docs/fold.md sections 13.1 to 13.4 are what it checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from symbolic.deduced import Instant, Premise, Support, Triple
from symbolic.held import Held, Span, held_of
from symbolic.records import Name, Term
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
)
from symbolic.world import View


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found: nothing wrong if `faults` is empty, else each fault as a sentence."""

    support: Support
    faults: tuple[str, ...] = ()

    @property
    def real(self) -> bool:
        """Whether the step may be shown."""
        return not self.faults


def check(support: Support, view: View) -> Checked:
    """Return what is wrong with `support`, if anything, by what `view` holds now."""
    rule = next((one for one in view.program().rules if one.id == support.rule), None)
    if rule is None:
        return Checked(support, (f"no rule {support.rule} runs",))
    if rule.domain not in (None, support.head.domain):
        return Checked(support, (f"{rule.name} does not run in {support.head.domain}",))
    literals = [one for one in rule.body if isinstance(one, (Atom, Absent))]
    if len(literals) != len(support.premises):
        return Checked(support, (f"{rule.name} asks for {len(literals)} premises",))
    if rule.head is None:
        return Checked(support, (f"{rule.name} has no head",))
    step = _Step(support, rule, rule.head, list(zip(literals, support.premises, strict=True)), view)
    return Checked(support, tuple(dict.fromkeys(step.faults())))


def _low(instant: Instant) -> float:
    return float("-inf") if instant is None else instant


def _high(instant: Instant) -> float:
    return float("inf") if instant is None else instant


@dataclass(frozen=True, slots=True)
class _Step:
    """A support beside the literals of its rule."""

    support: Support
    rule: Rule
    head: Atom
    pairs: Sequence[tuple[Atom | Absent, Premise]]
    view: View

    def faults(self) -> Iterator[str]:
        """Yield what is wrong."""
        yield from self._premises()
        yield from self._instants()
        if not any(self._says(terms) for terms in self._bindings()):
            yield f"{self.rule.name} does not say this of these premises"
        yield from self._concludes()

    # --- the premises and how far they are trusted ------------------------------------------------

    def _premises(self) -> Iterator[str]:
        readings: list[list[tuple[int, bool]]] = []
        for literal, premise in self.pairs:
            absent = isinstance(literal, Absent)
            if premise.absent is not absent or premise.triple.domain != self.support.head.domain:
                yield "a premise is not of the kind the rule asks for"
                continue
            held = held_of(self.view, premise.triple)
            if isinstance(literal, Absent):
                if (premise.lo, premise.hi) not in held.gaps():
                    yield "something absent is no gap"
                continue
            found = _readings(literal, premise, held)
            if not found:
                yield "a premise is not known to hold then"
            readings.append(found)
        if not any(_weakest(some) == self._level for some in product(*readings)):
            yield "it is not trusted as its premises are"

    @property
    def _level(self) -> tuple[int, bool]:
        return self.support.trust, self.support.imprecise

    def _instants(self) -> Iterator[str]:
        spans = [
            (premise.lo, premise.hi)
            for literal, premise in self.pairs
            if isinstance(literal, Absent) or literal.spell is None
        ]
        if self.head.spell is not None:
            spans += [self._spells()[self.head.spell]]
        lo = max((_low(start) for start, _ in spans), default=_low(None))
        hi = min((_high(end) for _, end in spans), default=_high(None))
        if not lo < hi:
            yield "its premises have no instant in common"
        elif (lo, hi) != (_low(self.support.lo), _high(self.support.hi)):
            yield "it does not hold exactly while all its premises do"

    def _spells(self) -> dict[str, Span]:
        return {
            literal.spell: (premise.lo, premise.hi)
            for literal, premise in self.pairs
            if isinstance(literal, Atom) and literal.spell is not None
        }

    # --- what the rule says of them ---------------------------------------------------------------

    def _bindings(self) -> Iterator[Mapping[str, Term]]:
        """Yield every way in which the atoms match their premises: two for a symmetric one."""
        atoms = [(one, p.triple) for one, p in self.pairs if isinstance(one, Atom)]
        for ways in product(*(_ways(atom, triple) for atom, triple in atoms)):
            terms: dict[str, Term] = {}
            if all(
                _binds(argument, term, terms)
                for (atom, _), pair in zip(atoms, ways, strict=True)
                for argument, term in zip((atom.entity, atom.value), pair, strict=True)
            ):
                yield terms

    def _says(self, terms: Mapping[str, Term]) -> bool:
        """Return whether, under a binding, the body is met and the head is what is said."""
        spells = self._spells()
        for literal in self.rule.body:
            if isinstance(literal, Compare):
                left, right = _term(literal.left, terms), _term(literal.right, terms)
                if not compare(literal.operator, left, right, self.view.zone):
                    return False
            elif isinstance(literal, Order) and not _lies(
                literal.relating, spells[literal.left], spells[literal.right]
            ):
                return False
        absent = [(one.atom, p.triple) for one, p in self.pairs if isinstance(one, Absent)]
        return all(
            _is(atom, triple, terms) for atom, triple in [*absent, (self.head, self.support.head)]
        )

    # --- what it concludes ------------------------------------------------------------------------

    def _concludes(self) -> Iterator[str]:
        """Yield a fault unless all of it is deduced, or withheld, at this trust or a better one."""
        head = self.support.head
        for one in self.view.deduced(
            domain=head.domain, entity=head.entity, relation=head.relation.canon, value=head.value
        ):
            if one.triple.polarity == head.polarity:
                covers = [
                    (part.lo, part.hi) for part in one.spells
                    if (part.trust if self.support.imprecise else part.sure or 0)
                    >= self.support.trust
                ]
                spans = sorted([*covers, *one.withheld], key=lambda span: _low(span[0]))
                reached = _low(self.support.lo)
                for lo, hi in spans:
                    if _low(lo) <= reached:
                        reached = max(reached, _high(hi))
                if reached >= _high(self.support.hi):
                    return
        yield "what it says is not what is deduced"


def _readings(atom: Atom, premise: Premise, held: Held) -> list[tuple[int, bool]]:
    """Return (trust, imprecise) of a premise as it may be read; nothing if it is not there."""
    triple = premise.triple
    if triple.relation.canon != atom.relation or triple.polarity is atom.denied:
        return []
    if atom.spell is not None:
        known = held.maximal() if premise.fid is None else {}
        return known.get((premise.lo, premise.hi), [])
    pieces = held.rows if premise.fid is not None else held.stretches
    return [
        (piece.trust, piece.imprecise) for piece in pieces
        if (piece.lo, piece.hi, piece.fid) == (premise.lo, premise.hi, premise.fid)
    ]


def _weakest(readings: Sequence[tuple[int, bool]]) -> tuple[int, bool]:
    trust = min((trust for trust, _ in readings), default=0)
    return trust, any(imprecise for _, imprecise in readings)


def _ways(atom: Atom, triple: Triple) -> list[tuple[Term, Term]]:
    straight: tuple[Term, Term] = (triple.entity, triple.value)
    turned = atom.either and isinstance(triple.value, Name)
    return [straight, (triple.value, triple.entity)] if turned else [straight]


def _binds(argument: Argument, term: Term, terms: dict[str, Term]) -> bool:
    known = argument.term if isinstance(argument, Constant) else terms.setdefault(
        argument.name, term
    )  # fmt: skip
    return known == term


def _term(argument: Argument, terms: Mapping[str, Term]) -> Term:
    return argument.term if isinstance(argument, Constant) else terms[argument.name]


def _is(atom: Atom, triple: Triple, terms: Mapping[str, Term]) -> bool:
    """Return whether `triple` is what `atom` says, in its one canonical direction."""
    entity, value = _term(atom.entity, terms), _term(atom.value, terms)
    if atom.either and isinstance(entity, Name) and isinstance(value, Name):
        entity, value = min(
            (entity, value), (value, entity), key=lambda pair: (pair[0].kind, pair[0].canon)
        )
    said = (triple.relation.canon, triple.entity, triple.value, triple.polarity)
    return said == (atom.relation, entity, value, not atom.denied)


def _lies(relating: Relating, one: Span, other: Span) -> bool:
    (a, b), (c, d) = ((_low(lo), _high(hi)) for lo, hi in (one, other))
    match relating:
        case Relating.BEFORE:
            return b <= c
        case Relating.AFTER:
            return d <= a
        case Relating.DURING:
            return c <= a and b <= d
        case Relating.OVERLAPS:
            return max(a, c) < min(b, d)
