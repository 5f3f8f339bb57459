"""Reading what was derived back as records: stretches, withheld spans, supports.

Pieces are how the engine keeps time: one for each thing that was new. What is read is the profile
they make together, and every kept support with the bounds that the finished profile of its
premises gives it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import Any, cast

from symbolic.deduced import Deduced, Instant, Premise, Stretch, Support, Triple
from symbolic.deduction.spans import Cover, Span, levels, minus, union
from symbolic.deduction.state import Key, Numbers, Terms
from symbolic.deduction.tables import (
    BEGINNING,
    CLOSED,
    END,
    KINDS,
    MAXIMAL,
    PREMISES,
    STATED,
    WITHHELD,
)
from symbolic.records import Name, NameKind, Term
from symbolic.rules.syntax import Absent, Argument, Atom, Constant, Rule

Found = tuple[Premise, Cover]
"""A premise and the stretch at one trust that stands for it."""

_PIECE = "p, e, v, lo, hi, trust, imprecise"


def instant(bound: int) -> Instant:
    """Return a bound as records have it: None is open."""
    return None if bound in (BEGINNING, END) else bound


class Reader:
    """Reads by indexed lookups, and writes nothing."""

    def __init__(
        self, db: sqlite3.Connection, numbers: Numbers, terms: Terms,
        rules: Callable[[], Mapping[int, Rule]],
        fid_of: Callable[[int], str],
    ) -> None:  # fmt: skip
        """Read pieces with `numbers` and `terms`; `rules` are asked for when
        a support is read, `fid_of` names the base facts."""
        self._db, self._numbers, self._terms = db, numbers, terms
        self._rules, self._fid_of = rules, fid_of

    # --- triples ------------------------------------------------------------------------------

    def triple(self, p: int, e: int, v: int) -> Triple:
        """Return the triple of a piece, or of what is absent, whose entity may be a literal."""
        known = self._numbers.at(p)
        relation = known.predicate.relation
        return Triple(
            known.domain, cast(Name, self._terms.term(e)),
            Name(NameKind.NAME, relation, relation), self._terms.term(v),
            not known.predicate.denied,
        )  # fmt: skip

    def key(self, triple: Triple) -> Key | None:
        """Return (the first place, entity, value) of a triple, None if nothing is known of it."""
        for number, known in self._numbers.known.items():
            if (known.domain, known.predicate.relation, known.predicate.denied) == (
                triple.domain, triple.relation.canon, not triple.polarity
            ):
                e, v = self._terms.find(triple.entity), self._terms.find(triple.value)
                return None if e is None or v is None else (number * KINDS, e, v)
        return None

    def select(
        self, domain: str | None, entity: Term | None, relation: str | None, value: Term | None
    ) -> tuple[str, list[int]] | None:
        """Return the condition, and its arguments, for triples with these parts, if any can be."""
        numbers = [
            number for number, known in self._numbers.known.items()
            if domain in (None, known.domain) and relation in (None, known.predicate.relation)
        ]  # fmt: skip
        places = ", ".join(
            str(number * KINDS + kind + held) for number in numbers
            for kind in (STATED, CLOSED) for held in (0, WITHHELD)
        )  # fmt: skip
        where, args = [f"p in ({places})"], list[int]()
        for column, term in (("e", entity), ("v", value)):
            if term is not None:
                found = self._terms.find(term)
                if found is None:
                    return None
                where.append(f"{column} = ?")
                args.append(found)
        return " and ".join(where), args

    def deduced(self, where: str = "true", args: Sequence[object] = ()) -> Iterator[Deduced]:
        """Yield what is derived; `where` is a condition on p, e and v."""
        rows = self._db.execute(
            f"select {_PIECE} from piece where head is not null and {where} order by p / 8, e, v",
            args,
        ).fetchall()
        for (number, e, v), same in groupby(rows, key=lambda row: (row[0] // KINDS, *row[1:3])):
            kept: list[Cover] = []
            held: list[Span] = []
            for p, _, _, *cover in same:
                if p % KINDS >= WITHHELD:
                    held.append((cover[0], cover[1]))
                else:
                    kept.append(Cover(*cover))
            yield Deduced(
                self.triple(number * KINDS, e, v), tuple(self._stretches(kept)),
                tuple((instant(lo), instant(hi)) for lo, hi in union(held)),
            )  # fmt: skip

    @staticmethod
    def _stretches(covers: Sequence[Cover]) -> Iterator[Stretch]:
        for one in levels(covers) if covers else ():
            yield Stretch(instant(one.lo), instant(one.hi), one.trust, one.sure)

    # --- supports -----------------------------------------------------------------------------

    def in_order(self, key: Key) -> tuple[Support, ...]:
        """Return the kept supports of a triple, the smallest first."""
        return tuple(sorted(self.supports(key), key=size_of))

    def supports(self, key: Key) -> set[Support]:
        """Return the kept supports of a triple."""
        p, e, v = key
        base = p // KINDS * KINDS
        places = ", ".join(
            str(base + kind + held) for kind in (STATED, CLOSED) for held in (0, WITHHELD)
        )
        heads = [row[0] for row in self._db.execute(
            f"select distinct head from piece where p in ({places}) and e = ? and v = ?"
            " and head is not null", (e, v),
        )]  # fmt: skip
        found: set[Support] = set()
        for head in heads:
            for row in self._db.execute(
                f"select rule, {', '.join(PREMISES)}, lo, hi from support where head = ?", (head,)
            ).fetchall():
                found.update(self._exact((base, e, v), row[0], row[1:-2], row[-2:]))
        return found

    def _exact(
        self, head: Key, number: int, ids: Sequence[int], span: tuple[int, int]
    ) -> Iterator[Support]:
        """Yield the steps that a stored support stands for, with their exact bounds."""
        rule = self._rules()[number]
        for step in self.steps(rule, self._numbers.at(head[0]).domain, ids, span, head[1:]):
            yield Support(self.triple(*head), rule.id, *step)

    def steps(
        self, rule: Rule, domain: str, ids: Sequence[int], span: tuple[int, int],
        head: Sequence[int] = (),
    ) -> Iterator[tuple[tuple[Premise, ...], Instant, Instant, int, bool]]:  # fmt: skip
        """Yield (premises, lo, hi, trust, imprecise) of what pieces `ids` meet `rule` by."""
        pieces = [
            self._db.execute(f"select {_PIECE}, fact from piece where id = ?", (one,)).fetchone()
            for one in ids if one
        ]  # fmt: skip
        options = [self._premises(piece, span) for piece in pieces]
        bound = _bindings(rule, [piece[1:3] for piece in pieces], head, self._terms)
        gaps = [self._gaps(atom, bound, span, domain) for atom in rule.absent]
        for chosen in product(*options):
            lo, hi = self._shared(rule, chosen)
            for absent in product(*gaps):
                start = max((lo, *(gap[1][0] for gap in absent)))
                end = min((hi, *(gap[1][1] for gap in absent)))
                if start >= end:
                    continue
                there = iter([premise for premise, _ in chosen])
                missing = iter([premise for premise, _ in absent])
                yield (
                    tuple(
                        next(there) if isinstance(one, Atom) else next(missing)
                        for one in rule.body if isinstance(one, (Atom, Absent))
                    ),
                    instant(start), instant(end),
                    min(cover.trust for _, cover in chosen),
                    any(cover.imprecise for _, cover in chosen),
                )  # fmt: skip

    def facts_in(self, triple: Triple, lo: Instant, hi: Instant) -> set[str]:
        """Return the fids of the base facts, and of what is deduced, that hold of a triple."""
        key = self.key(triple)
        if key is None:
            return set()
        start = BEGINNING if lo is None else lo
        end = END if hi is None else hi
        rows = self._db.execute(
            "select distinct fact from piece where p in (?, ?) and e = ? and v = ?"
            " and lo < ? and hi > ?",
            (key[0] + STATED, key[0] + CLOSED, *key[1:], end, start),
        ).fetchall()
        return {triple.statement().fid if n is None else self._fid_of(n) for n, in rows}

    @staticmethod
    def _shared(rule: Rule, chosen: Iterable[Found]) -> Span:
        lo, hi = BEGINNING, END
        spell = rule.head.spell if rule.head is not None else None
        for atom, (_, cover) in zip(rule.positive, chosen, strict=True):
            if atom.spell is None or atom.spell == spell:
                lo, hi = max(lo, cover.lo), min(hi, cover.hi)
        return lo, hi

    def _premises(self, piece: Sequence[Any], span: Span) -> list[Found]:
        """Return what a premise may be read as within `span`."""
        p, e, v, lo, hi, trust, imprecise, fact = piece
        triple = self.triple(p, e, v)
        fid = None if fact is None else self._fid_of(fact)
        if fact is not None or p % KINDS == MAXIMAL:
            premise = Premise(triple, instant(lo), instant(hi), fid)
            return [(premise, Cover(lo, hi, trust, imprecise))]
        covers = [Cover(*row) for row in self._db.execute(
            "select lo, hi, trust, imprecise from piece"
            " where p in (?, ?) and e = ? and v = ? and head is not null",
            (p // KINDS * KINDS + STATED, p // KINDS * KINDS + CLOSED, e, v),
        )]  # fmt: skip
        found: list[Found] = []
        for one in levels(covers):
            if one.lo >= span[1] or one.hi <= span[0]:
                continue
            premise = Premise(triple, instant(one.lo), instant(one.hi))
            if one.sure != one.trust:
                found.append((premise, Cover(one.lo, one.hi, one.trust, 1)))
            if one.sure is not None:
                found.append((premise, Cover(one.lo, one.hi, one.sure, 0)))
        return found

    def _gaps(
        self, atom: Atom, bound: Mapping[str, int], span: Span, domain: str
    ) -> list[tuple[Premise, Span]]:
        """Return the gaps of an absent triple that meet `span`."""
        e, v = (_number(end, bound, self._terms) for end in (atom.entity, atom.value))
        known = self._numbers.find(domain, atom.predicate)
        assert known is not None
        base = known.number * KINDS
        if atom.either and self._turned(e, v):
            e, v = v, e
        held = self._db.execute(
            "select lo, hi from piece where p in (?, ?) and e = ? and v = ?",
            (base + STATED, base + CLOSED, e, v),
        ).fetchall()
        return [
            (Premise(self.triple(base, e, v), instant(lo), instant(hi), absent=True), (lo, hi))
            for lo, hi in minus((BEGINNING, END), held)
            if lo < span[1] and hi > span[0]
        ]

    def _turned(self, e: int, v: int) -> bool:
        one, other = self._terms.term(e), self._terms.term(v)
        if not isinstance(one, Name) or not isinstance(other, Name):
            return False
        return (other.kind.value, other.canon) < (one.kind.value, one.canon)


def size_of(support: Support) -> tuple[object, ...]:
    """Return what supports are sorted by: fewest derived premises, fewest premises, then ids."""
    derived = sum(one.fid is None and not one.absent for one in support.premises)
    ids = tuple(one.fid or one.triple.statement().fid for one in support.premises)
    lo = BEGINNING if support.lo is None else support.lo
    return derived, len(support.premises), support.rule, ids, lo, support.imprecise


def _number(argument: Argument, bound: Mapping[str, int], terms: Terms) -> int:
    if isinstance(argument, Constant):
        found = terms.find(argument.term)
        assert found is not None
        return found
    return bound[argument.name]


def _bindings(
    rule: Rule, pairs: Sequence[Sequence[int]], head: Sequence[int], terms: Terms
) -> dict[str, int]:
    """Return what the variables stand for where each atom matched the (entity, value) given."""
    atoms = [*rule.positive, *((rule.head,) if rule.head is not None else ())]
    ways = [
        (tuple(pair), tuple(pair)[::-1]) if atom.either else (tuple(pair),)
        for atom, pair in zip(atoms, [*pairs, *((head,) if head else ())], strict=True)
    ]
    for chosen in product(*ways):
        bound: dict[str, int] = {}
        if all(
            _number(end, bound, terms) == number
            if isinstance(end, Constant)
            else bound.setdefault(end.name, number) == number
            for atom, pair in zip(atoms, chosen, strict=True)
            for end, number in zip((atom.entity, atom.value), pair, strict=True)
        ):
            return bound
    raise AssertionError(f"{rule.name}: its premises do not give its head")
