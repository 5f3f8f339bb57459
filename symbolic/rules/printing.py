"""Clauses as text: what `parse` reads back as the same clause."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from symbolic.canon import MEMBER
from symbolic.names import digest, fold
from symbolic.records import Name, NameKind, Term, Value, ValueKind
from symbolic.rules.lexer import escape
from symbolic.rules.syntax import (
    Absent,
    Argument,
    Atom,
    Clause,
    Compare,
    Constant,
    Head,
    Literal,
    Order,
    Reified,
    Variable,
)
from symbolic.rules.words import DENIED, IS_A, RESERVED

_BARE = re.compile(r"[a-z]\w*")
_PLAIN_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2}(?:T[0-9:.]+Z)?)?)?", re.ASCII)


def print_clause(clause: Clause) -> str:
    """Return `clause` on one line, below a line with its name if a person gave it one."""
    text = clause_text(clause.head, clause.body)
    return text if "/" in clause.name else f"% name: {clause.name}\n{text}"


def clause_text(head: Head | None, body: tuple[Literal, ...]) -> str:
    """Return a clause without its name."""
    left = "" if head is None else f"{literal_text(head)} "
    return f"{left}<= {' & '.join(map(literal_text, body))}."


def literal_text(literal: Literal) -> str:
    """Return one literal of a body, or a head."""
    match literal:
        case Atom():
            return _atom(literal)
        case Absent():
            return f"~{_atom(literal.atom)}"
        case Compare():
            left, right = map(argument_text, (literal.left, literal.right))
            return f"{left} {literal.operator} {right}"
        case Order():
            return f"{literal.relating}({literal.left}, {literal.right})"
        case Reified():
            mark = "~" if literal.absent else ""
            return f"{mark}{literal.name}({', '.join(map(argument_text, literal.arguments))})"


def _atom(atom: Atom) -> str:
    pair = f"{argument_text(atom.entity)}, {argument_text(atom.value)}"
    at = "" if atom.spell is None else f"@{atom.spell}"
    if atom.denied:
        return f"{DENIED}({relation_text(atom.relation)}, {pair}){at}"
    word = IS_A if atom.relation == MEMBER else relation_text(atom.relation)
    return f"{word}({pair}){at}"


def relation_text(relation: str) -> str:
    """Return a folded relation as a word, in quotes where it is none or is reserved."""
    word = relation.replace(" ", "_")
    return word if _BARE.fullmatch(word) and word not in RESERVED else _quoted(relation)


def argument_text(argument: Argument) -> str:
    """Return a variable or a constant."""
    if isinstance(argument, Variable):
        return "_" if argument.name.startswith("_#") else argument.name
    return term_text(argument.term)


def term_text(term: Term) -> str:
    """Return a constant as rules write it."""
    if isinstance(term, Name):
        if term.kind is NameKind.NAME:
            # RANGE may make a text of it, so what was written is kept where it is the same name.
            same = fold(term.written) == term.canon
            return _quoted(term.written if same else term.canon)
        return f'{term.kind.value}("{escape(term.canon, chr(34))}")'
    return _value(term)


def _value(value: Value) -> str:
    if value.kind in (ValueKind.INTEGER, ValueKind.DECIMAL):
        whole = value.kind is ValueKind.DECIMAL and "." not in value.canon
        return f"{value.canon}.0" if whole else value.canon
    if value.kind is ValueKind.BOOLEAN:
        return value.canon
    if value.kind is ValueKind.QUANTITY:
        amount, _, unit = value.canon.partition(" ")
        return f"q({amount}, {_quoted(unit)})"
    if value.kind is ValueKind.DATE:
        plain = _PLAIN_DATE.fullmatch(value.canon)
        return f"date({value.canon if plain else _quoted(value.canon)})"
    return f'text("{escape(value.canon, chr(34))}")'


def _quoted(text: str) -> str:
    return f"'{escape(text, chr(39))}'"


# --- ids ------------------------------------------------------------------------------------------


def renamed(
    head: Head | None, body: tuple[Literal, ...]
) -> tuple[Head | None, tuple[Literal, ...]]:
    """Return a clause with variables V1, V2 ... in the order in which they first stand.

    The head comes first. Names are spelt canonically: two clauses that differ in the names of
    variables or in the spelling of names alone become the same text.
    """
    names: dict[str, str] = {}
    for literal in (*(() if head is None else (head,)), *body):
        for name in mentioned(literal):
            names.setdefault(name, f"V{len(names) + 1}")
    new = None if head is None else _renamed(head, names)
    assert new is None or isinstance(new, (Atom, Reified))
    return new, tuple(_renamed(one, names) for one in body)


def mentioned(literal: Literal) -> list[str]:
    """Return the names of variables of a literal, spells included, in the order written."""
    match literal:
        case Atom():
            found = _variables(literal.entity, literal.value)
            return found if literal.spell is None else [*found, literal.spell]
        case Absent():
            return mentioned(literal.atom)
        case Compare():
            return _variables(literal.left, literal.right)
        case Order():
            return [literal.left, literal.right]
        case Reified():
            return _variables(*literal.arguments)


def _variables(*arguments: Argument) -> list[str]:
    return [one.name for one in arguments if isinstance(one, Variable)]


def _renamed(literal: Literal, names: Mapping[str, str]) -> Literal:
    def of(argument: Argument) -> Argument:
        if isinstance(argument, Variable):
            return Variable(names[argument.name])
        term = argument.term
        return Constant(replace(term, written=term.canon) if isinstance(term, Name) else term)

    match literal:
        case Atom():
            spell = None if literal.spell is None else names[literal.spell]
            return replace(
                literal, entity=of(literal.entity), value=of(literal.value), spell=spell
            )
        case Absent():
            inner = _renamed(literal.atom, names)
            assert isinstance(inner, Atom)
            return Absent(atom=inner)
        case Compare():
            return replace(literal, left=of(literal.left), right=of(literal.right))
        case Order():
            return replace(literal, left=names[literal.left], right=names[literal.right])
        case Reified():
            return replace(literal, arguments=tuple(map(of, literal.arguments)))


def hash_of(head: Head | None, body: tuple[Literal, ...], domain: str | None) -> str:
    """Return the hash of a clause: names of variables, layout and comments are not in it."""
    either = [
        str(at) for at, one in enumerate(body)
        if (isinstance(one, Atom) and one.either) or (isinstance(one, Absent) and one.atom.either)
    ]
    return digest("rule", clause_text(*renamed(head, body)), domain or "", *either)[:32]
