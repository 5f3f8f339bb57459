"""Whether a clause can be evaluated: every variable found by an atom, every spell bound once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from symbolic.rules.faults import Fault, Lines
from symbolic.rules.printing import argument_text, clause_text, literal_text, mentioned
from symbolic.rules.syntax import (
    Absent,
    Atom,
    Clause,
    Compare,
    Literal,
    Order,
    Place,
    Variable,
)
from symbolic.rules.words import MAX_ATOMS


def unsafe(clause: Clause, lines: Lines) -> list[Fault]:
    """Return what keeps `clause` from being evaluated."""
    return [
        Fault(place, message, lines.line(place), remedy)
        for place, message, remedy in (*_variables(clause), *_spells(clause), *_size(clause))
    ]


Found = Iterator[tuple[Place, str, str]]


def _positive(clause: Clause) -> list[Atom]:
    return [one for one in clause.body if isinstance(one, Atom)]


def _terms(literal: Literal) -> list[str]:
    """Return the variables of a literal that stand for terms."""
    if isinstance(literal, Atom):
        pair = (literal.entity, literal.value)
        return [one.name for one in pair if isinstance(one, Variable)]
    return [] if isinstance(literal, Order) else mentioned(literal)


def _variables(clause: Clause) -> Found:
    bound = {name for atom in _positive(clause) for name in mentioned(atom)}
    wanting: list[tuple[Literal, str]] = []
    if isinstance(clause.head, Atom):
        wanting.append((clause.head, "the head"))
    for one in clause.body:
        if isinstance(one, Compare):
            wanting.append((one, "a comparison"))
        elif isinstance(one, Absent):
            wanting.append((one.atom, "an absent atom"))
    for literal, where in wanting:
        missing = [name for name in dict.fromkeys(_terms(literal)) if name not in bound]
        if not missing:
            continue
        spelt = ", ".join(argument_text(Variable(name)) for name in missing)
        yield (
            _place(literal, clause), f"{spelt} in {where} is bound by no atom of the body",
            _unbound_remedy(literal, missing, where),
        )


def _unbound_remedy(literal: Literal, missing: list[str], where: str) -> str:
    if where == "an absent atom" and isinstance(literal, Atom):
        known = literal.entity if literal.value == Variable(missing[0]) else literal.value
        if len(missing) == 1 and isinstance(known, Variable):
            text = literal_text(literal)
            return (
                f"find it by an atom, or ask for none at all by a rule of its own: "
                f"some({known.name}, {known.name}) <= {text}. and here "
                f"~some({known.name}, {known.name})"
            )
    return "let an atom of the body find it: p(X, Y) with this variable in it"


def _spells(clause: Clause) -> Found:
    atoms = _positive(clause)
    binding = Counter(atom.spell for atom in atoms if atom.spell is not None)
    terms = {name for literal in _all(clause) for name in _terms(literal)}
    for atom in atoms:
        spell = atom.spell
        if spell is not None and spell in terms:
            yield (
                atom.place, f"{spell} stands for a spell and for a term",
                "give the spell a variable of its own",
            )
    for spell, count in binding.items():
        if count > 1:
            twice = [atom for atom in atoms if atom.spell == spell][1]
            yield (
                twice.place, f"the spell {spell} is bound by {count} atoms",
                "bind two spells and compare them: during(S, T) & during(T, S)",
            )
    used: list[tuple[str, Place]] = []
    if isinstance(clause.head, Atom) and clause.head.spell is not None:
        used.append((clause.head.spell, clause.head.place))
    for one in clause.body:
        if isinstance(one, Order):
            used += [(one.left, one.place), (one.right, one.place)]
    for spell, place in used:
        if spell not in binding:
            yield (
                place, f"the spell {spell} is bound by no atom of the body",
                f"bind it: p(X, Y)@{spell}",
            )


def _all(clause: Clause) -> Iterable[Literal]:
    return clause.body if clause.head is None else (clause.head, *clause.body)


def _size(clause: Clause) -> Found:
    atoms = _positive(clause)
    if not atoms:
        yield (
            clause.place, "nothing in the body has to be found",
            "begin the body with an atom: p(X, Y)",
        )
    if len(atoms) > MAX_ATOMS:
        rewrite = split(clause)
        remedy = "write it as two rules, the first of which gives two variables on"
        if rewrite is not None:
            remedy = f"write it as two rules: {rewrite}"
        yield (
            atoms[MAX_ATOMS].place,
            f"{len(atoms)} atoms have to be found, the most is {MAX_ATOMS}", remedy,
        )


def _place(literal: Literal, clause: Clause) -> Place:
    if isinstance(literal, (Atom, Compare)):
        return literal.place
    return clause.place


# --- too many atoms -------------------------------------------------------------------------------


def split(clause: Clause) -> str | None:
    """Return the clause as two, the first of which concludes what a run of atoms finds.

    None if no run of at most MAX_ATOMS atoms hands on two variables or fewer, one of them an
    entity. What is left may still be too long; then the same is said of it.
    """
    atoms = _positive(clause)
    for size in range(min(MAX_ATOMS, len(atoms) - 1), 1, -1):
        for start in range(len(atoms) - size + 1):
            run = atoms[start : start + size]
            pair = _handed_on(clause, run)
            if pair is not None:
                return _written(clause, run, *pair)
    return None


def _handed_on(clause: Clause, run: list[Atom]) -> tuple[str, str] | None:
    """Return the two variables that connect `run` to the rest, the entity first."""
    inside = {name for atom in run for name in mentioned(atom)}
    outside = {
        name
        for literal in _all(clause)
        if not any(literal is atom for atom in run)
        for name in mentioned(literal)
    }
    shared = sorted(inside & outside)
    if not 1 <= len(shared) <= 2 or {atom.spell for atom in run} & set(shared):
        return None
    entities = {a.entity.name for a in run if isinstance(a.entity, Variable)}
    first = next((name for name in shared if name in entities), None)
    if first is None:
        return None
    return first, next((name for name in shared if name != first), first)


def _written(clause: Clause, run: list[Atom], entity: str, value: str) -> str:
    name = "part"
    if isinstance(clause.head, Atom):
        name = f"{clause.head.relation} part"
    part = Atom(relation=name, entity=Variable(entity), value=Variable(value))
    rest: list[Literal] = []
    for literal in clause.body:
        if not any(literal is atom for atom in run):
            rest.append(literal)
        elif literal is run[0]:
            rest.append(part)
    return f"{clause_text(part, tuple(run))} {clause_text(clause.head, tuple(rest))}"
