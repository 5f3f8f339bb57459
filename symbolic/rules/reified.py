"""The built-ins of contradictions.dl over a view, and the small evaluator that runs it.

Outside time and off the admission path: this is the specification of the declared constraints,
for tests and for `why`. `constraints.py` finds the same by indexed lookups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from importlib.resources import files

from symbolic.canon import MEMBER, term_key
from symbolic.constraints import clash
from symbolic.crowds import crowds
from symbolic.records import (
    Declarations,
    Name,
    NameKind,
    Overlap,
    RelationDecl,
    RuleFile,
    Standing,
    Term,
    Value,
    ValueKind,
)
from symbolic.rules.datalog import Partial, Row, Tables, Tests, run
from symbolic.rules.parse import parse
from symbolic.rules.syntax import Clause
from symbolic.timeline import Case, clean_date, overlap
from symbolic.values import apart, convert
from symbolic.vocabulary import LITERALS, Vocabulary
from symbolic.world import Fact, View

Conflicted = tuple[str, str, tuple[str, ...], str]
"""Constraint, domain, key, fid."""

HEAD = "conflict"
WORDS = {"opposite": 2, "disjoint": 2}
"""How many relations or classes a key begins with, where it is not one."""

FLAGS = ("functional", "inverse_functional", "asymmetric", "irreflexive", "acyclic")


@cache
def contradictions() -> tuple[Clause, ...]:
    """Return the clauses of the shipped contradictions.dl."""
    text = files("symbolic.rules").joinpath("contradictions.dl").read_text(encoding="utf-8")
    return read(text)


def read(text: str) -> tuple[Clause, ...]:
    """Return clauses over built-ins. Raises ValueError where they do not read: a bug."""
    parsed = parse(RuleFile(name="contradictions.dl", text=text), reified=True)
    if parsed.faults:
        raise ValueError(str(parsed.faults[0]))
    return parsed.clauses


def conflicts(view: View, clauses: Sequence[Clause] | None = None) -> set[Conflicted]:
    """Return what `clauses`, else the shipped ones, find among the standing facts of a view."""
    rules = contradictions() if clauses is None else clauses
    found: set[Conflicted] = set()
    for built in worlds(view):
        rows = run(rules, built.tables(), built.tests(), view.zone)
        for constraint, *key, fid in rows.get(HEAD, ()):
            name = constraint.canon.replace(" ", "-")
            words = WORDS.get(name, 1)
            printed = (
                *(word.canon for word in key[:words]), *(term_key(term) for term in key[words:])
            )
            found.add((name, built.domain, printed, fid.canon))
    return found


def worlds(view: View) -> list[Reified]:
    """Return the built-ins of each domain: constraints never cross domains."""
    by_domain: dict[str, list[Case]] = {}
    for fact in view.facts():
        if fact.standing is Standing.STANDING:
            by_domain.setdefault(fact.statement.domain, []).append(_case(view, fact))
    return [
        Reified(domain, cases, view.declarations, view.zone)
        for domain, cases in sorted(by_domain.items())
    ]


def _case(view: View, fact: Fact) -> Case:
    said = fact.statement
    days = {clean_date(a.evidence_date, view.zone) for a in fact.live}
    return Case(
        fid=said.fid, domain=said.domain, entity=said.entity, relation=said.relation.canon,
        value=said.value, polarity=said.polarity, start=said.valid_from, end=said.valid_to,
        policy=view.policy(said), closed=fact.closed,
        dates=tuple(sorted(day for day in days if day)), spells=view.spells(said.fid),
    )


def _word(canon: str) -> Name:
    return Name(NameKind.NAME, canon, canon)


def _made(*parts: str) -> Name:
    """Return the one name of a list of classes or kinds; no name of the memex is equal to it."""
    text = " or ".join(sorted(parts))
    return Name(NameKind.SYMBOL, text, text)


YES, MAYBE = _word("yes"), _word("maybe")


class Reified:
    """The built-ins over the standing facts of one domain."""

    def __init__(
        self, domain: str, cases: Sequence[Case], declarations: Declarations, zone: str
    ) -> None:
        self.domain = domain
        self._cases = {_fid(case): case for case in cases}
        self._words = Vocabulary(declarations)
        self._zone = zone

    def tables(self) -> Tables:
        """Return the built-ins that are sets of rows."""
        return {
            "stmt": set(self._stated()), "declared": set(self._declared()),
            "member": set(self._members()), "kind": set(self._kinds()), "over": set(self._over()),
        }

    def tests(self) -> Tests:
        """Return the built-ins that are asked of terms already found."""
        return {"apart": self._apart, "meets": self._meets, "clashes": self._clashes}

    # --- sets of rows -------------------------------------------------------------------------

    def _stated(self) -> Iterator[Row]:
        for fid, case in self._cases.items():
            polarity = YES if case.polarity else _word("no")
            yield fid, _word(case.relation), case.entity, case.value, polarity

    def _declared(self) -> Iterator[Row]:
        declarations = self._words.declarations
        for name, decl in declarations.relations.items():
            for flag in FLAGS:
                if getattr(decl, flag):
                    yield _word(name), _word(flag.replace("_", " ")), YES
            for other in decl.opposite:
                if other != name:
                    yield _word(name), _word("opposite"), _word(other)
                    yield _word(other), _word("opposite"), _word(name)
            if decl.cardinality is not None:
                most = str(decl.cardinality)
                yield _word(name), _word("cardinality"), Value(ValueKind.INTEGER, most, most)
            if decl.domain:
                yield _word(name), _word("domain"), _made(*decl.domain)
            if classes := [word for word in decl.range if word not in LITERALS]:
                yield _word(name), _word("range"), _made(*classes)
            for kind in self._taken(decl):
                yield _word(name), _word("takes"), _word(kind)
        for name, klass in declarations.classes.items():
            for other in klass.disjoint:
                first, second = sorted((name, other))
                yield _word(first), _word("disjoint"), _word(second)
        used = {
            case.value.canon for case in self._cases.values()
            if case.relation == MEMBER and isinstance(case.value, Name)
        }
        for name in {*declarations.classes, *used}:
            for above in self._words.above(name):
                yield _word(name), _word("within"), _word(above)

    def _taken(self, decl: RelationDecl) -> Iterator[str]:
        """Yield the kinds that RANGE and UNIT take; none where they take any."""
        literals = [word for word in decl.range if word in LITERALS]
        yield from literals
        if len(literals) < len(decl.range):
            yield from (kind.value for kind in NameKind)
        if ValueKind.QUANTITY in literals:
            values = [case.value for case in self._cases.values()]
            yield from (_kind(one) for one in values if one.kind is ValueKind.QUANTITY)
        elif decl.unit is not None and not literals:
            based = convert(Decimal(1), decl.unit)
            yield _measured(None if based is None else based[1])

    def _members(self) -> Iterator[Row]:
        unions = {decl.domain for decl in self._words.declarations.relations.values()}
        for decl in self._words.declarations.relations.values():
            unions.add(tuple(word for word in decl.range if word not in LITERALS))
        for case in self._cases.values():
            if case.relation == MEMBER and case.polarity and isinstance(case.value, Name):
                above = self._words.above(case.value.canon)
                for name in above:
                    yield case.entity, _word(name)
                for union in unions:
                    if not above.isdisjoint(union):
                        yield case.entity, _made(*union)

    def _kinds(self) -> Iterator[Row]:
        for case in self._cases.values():
            for term in (case.entity, case.value):
                yield term, _word(_kind(term))

    def _over(self) -> Iterator[Row]:
        slots: dict[tuple[str, Name], list[Case]] = {}
        for case in self._cases.values():
            if case.polarity:
                slots.setdefault((case.relation, case.entity), []).append(case)
        for (relation, entity), cases in slots.items():
            decl = self._words.relation(relation)
            if decl is None or decl.cardinality is None:
                continue
            _, maybe = crowds(cases, decl.cardinality, self._zone)
            for case in (one for crowd in maybe for one in crowd):
                yield _word(relation), entity, _fid(case)

    # --- asked of terms found -----------------------------------------------------------------

    def _apart(self, row: Partial) -> Iterable[Row]:
        relation, one, other = row
        assert relation is not None and one is not None and other is not None
        if apart(one, other, self._words.tolerance(relation.canon)):
            yield relation, one, other

    def _meets(self, row: Partial) -> Iterable[Row]:
        one, other = self._two(row)
        return self._rows(row, overlap(one, other, self._zone) if one != other else Overlap.NO)

    def _clashes(self, row: Partial) -> Iterable[Row]:
        one, other = self._two(row)
        seen = clash("polarity", one, other, self._zone) if one != other else Overlap.NO
        return self._rows(row, seen)

    def _two(self, row: Partial) -> tuple[Case, Case]:
        one, other, _ = row
        assert isinstance(one, Name) and isinstance(other, Name)
        return self._cases[one], self._cases[other]

    def _rows(self, row: Partial, seen: Overlap) -> Iterable[Row]:
        one, other, _ = row
        if seen is not Overlap.NO and one is not None and other is not None:
            yield one, other, YES if seen is Overlap.YES else MAYBE


def _fid(case: Case) -> Name:
    return Name(NameKind.SYMBOL, case.fid, case.fid)


def _kind(term: Term) -> str:
    """Return the kind of a term; a quantity's names its base unit."""
    if isinstance(term, Value) and term.kind is ValueKind.QUANTITY:
        return _measured(term.unit)
    return term.kind.value


def _measured(unit: str | None) -> str:
    return f"{ValueKind.QUANTITY.value} in {unit}"
