"""What is odd in rules that do run: a comparison that never holds, a constant no fact can have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from symbolic.records import Declarations, NameKind, Term
from symbolic.rules.compare import NUMBER, kind_of
from symbolic.rules.faults import Fault, Lines
from symbolic.rules.parse import Parsed
from symbolic.rules.printing import argument_text, mentioned
from symbolic.rules.resolve import resolve
from symbolic.rules.syntax import (
    Absent,
    Argument,
    Atom,
    Clause,
    Compare,
    Constant,
    Place,
    Rule,
    Variable,
)
from symbolic.values import convert, typed
from symbolic.vocabulary import LITERALS

Kinds = frozenset[str] | None
"""Kinds as `compare.kind_of` names them; None where anything may be."""

_NAMES = frozenset(kind.value for kind in NameKind)
Found = Iterator[tuple[Place, str, str]]


def findings(
    files: Sequence[Parsed], declarations: Declarations, zone: str = "UTC"
) -> tuple[Fault, ...]:
    """Return what to look at in files that read, in the order of the files."""
    out: list[Fault] = []
    named: dict[str, Place] = {}
    for parsed in files:
        lines = Lines(parsed.file.name, parsed.file.text)
        for clause in parsed.clauses:
            rule = resolve(clause, declarations, zone)
            found = (
                *_refused(clause, declarations, zone), *_never(rule, declarations),
                *_lonely(clause), *_twice(clause, named),
            )
            out += [Fault(place, text, lines.line(place), way) for place, text, way in found]
    return tuple(out)


def _refused(clause: Clause, declarations: Declarations, zone: str) -> Found:
    """Find constants that RANGE refuses."""
    for atom in _atoms(clause):
        name = declarations.relation_alias.get(atom.relation, atom.relation)
        decl = declarations.relations.get(name)
        if decl is None or not isinstance(atom.value, Constant):
            continue
        term: Term = atom.value.term
        _, fits = typed(
            term.written, kind=term.kind.value, range_=decl.range, range_unit=decl.unit, zone=zone
        )
        if not fits:
            wanted = ", ".join(decl.range) or f"a quantity in {decl.unit}"
            yield (
                atom.place, f"{argument_text(atom.value)} is no value of {decl.written}",
                f"its RANGE is {wanted}; no fact that fits it can match",
            )


def _atoms(clause: Clause) -> Iterator[Atom]:
    heads = (clause.head,) if isinstance(clause.head, Atom) else ()
    for literal in (*heads, *clause.body):
        if isinstance(literal, Absent):
            yield literal.atom
        elif isinstance(literal, Atom):
            yield literal


def _never(rule: Rule, declarations: Declarations) -> Found:
    """Find variables and comparisons that no kind of value can satisfy."""
    kinds: dict[str, Kinds] = {}
    told: set[str] = set()
    for atom in rule.positive:
        for argument, mine in ((atom.entity, _NAMES), (atom.value, _range(atom, declarations))):
            if not isinstance(argument, Variable):
                continue
            both = _meet(kinds.get(argument.name), mine)
            if both is not None and not both and argument.name not in told:
                told.add(argument.name)
                yield (
                    atom.place, f"{argument.name} stands for values of different kinds",
                    "use two variables; an entity is a name and never a literal",
                )
            kinds[argument.name] = both
    for one in rule.body:
        if isinstance(one, Compare):
            left, right = _of(one.left, kinds), _of(one.right, kinds)
            if left and right and not left & right:
                yield (
                    one.place,
                    f"{argument_text(one.left)} ({_spelt(left)}) and {argument_text(one.right)} "
                    f"({_spelt(right)}) are of different kinds, which never compare",
                    "compare values of one kind: numbers, q(8848, 'm'), date(2024-02), names",
                )


def _range(atom: Atom, declarations: Declarations) -> Kinds:
    decl = declarations.relations.get(atom.relation)
    if decl is None or not (decl.range or decl.unit):
        return None
    based = None if decl.unit is None else convert(Decimal(1), decl.unit)
    found: set[str] = set()
    for word in decl.range or ("quantity",):
        if word == "quantity":
            if based is None:
                return None
            found.add(f"quantity in {based[1]}")
        elif word in ("integer", "decimal"):
            found.add(NUMBER)
        elif word in LITERALS:
            found.add(word)
        else:
            found |= _NAMES
    return frozenset(found)


def _meet(one: Kinds, other: Kinds) -> Kinds:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _of(argument: Argument, kinds: dict[str, Kinds]) -> Kinds:
    if isinstance(argument, Constant):
        return frozenset((kind_of(argument.term),))
    return kinds.get(argument.name)


def _spelt(kinds: Iterable[str]) -> str:
    found = set(kinds)
    rest = sorted(found - _NAMES)
    return " or ".join([*(sorted(found) if len(found) == 1 and found <= _NAMES else
                          ["a name"] if found & _NAMES else []), *rest])


def _lonely(clause: Clause) -> Found:
    """Find variables that stand once: most are slips of the pen."""
    heads = () if clause.head is None else (clause.head,)
    counted = Counter(name for one in (*heads, *clause.body) for name in mentioned(one))
    for name, count in counted.items():
        if count == 1 and not name.startswith("_"):
            yield (
                clause.place, f"{name} stands in the rule only once",
                f"write _ for it, or _{name} to keep the word",
            )


def _twice(clause: Clause, named: dict[str, Place]) -> Found:
    first = named.setdefault(clause.name, clause.place)
    if first.file != clause.place.file:
        yield (
            clause.place, f"the name {clause.name} is taken at {first.file}:{first.line}",
            "give each rule a name of its own: % name: WORD",
        )
