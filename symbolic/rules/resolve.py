"""Clauses under today's declarations: names canonical, constants typed, one direction of a pair.

A constant is treated exactly as `symbolic.canon.canonical` treats the same word in a fact, so that
what a rule names is what facts hold.
"""

from __future__ import annotations

from dataclasses import replace

from symbolic.canon import MEMBER, kept_side, term_key
from symbolic.records import Declarations, Name, NameKind, Term, Value
from symbolic.rules.printing import hash_of
from symbolic.rules.syntax import (
    Absent,
    Argument,
    Atom,
    Clause,
    Compare,
    Constant,
    Order,
    Reified,
    Rule,
    Variable,
)
from symbolic.values import typed


def resolve(clause: Clause, declarations: Declarations, zone: str = "UTC") -> Rule:
    """Return `clause` as it is evaluated. A clause with built-ins is a ValueError: a bug."""
    head = None
    if clause.head is not None:
        if isinstance(clause.head, Reified):
            raise ValueError("a clause over built-ins is no rule of the memex")
        head = resolve_atom(clause.head, declarations, zone)
    classes = _class_variables(clause, declarations)
    body = tuple(_literal(one, declarations, zone, classes) for one in clause.body)
    return Rule(
        id=hash_of(head, body, clause.domain), name=clause.name, head=head, body=body,
        domain=clause.domain, place=clause.place,
    )


def _literal(
    literal: object, declarations: Declarations, zone: str, classes: frozenset[str]
) -> Atom | Absent | Compare | Order:
    match literal:
        case Atom():
            return resolve_atom(literal, declarations, zone)
        case Absent():
            return Absent(atom=resolve_atom(literal.atom, declarations, zone))
        case Compare():
            of_class = any(
                isinstance(side, Variable) and side.name in classes
                for side in (literal.left, literal.right)
            )
            return replace(
                literal, left=_compared(literal.left, declarations, of_class),
                right=_compared(literal.right, declarations, of_class),
            )
        case Order():
            return literal
    raise ValueError("a clause over built-ins is no rule of the memex")


def resolve_atom(atom: Atom, declarations: Declarations, zone: str) -> Atom:
    """Return an atom of the canonical relation.

    Of an inverse pair the side in which facts are kept is asked; a value that is no name cannot be
    turned round and stays with the side it was written for.
    """
    relation = declarations.relation_alias.get(atom.relation, atom.relation)
    entity, value = atom.entity, atom.value
    if isinstance(entity, Constant):
        entity = Constant(_alias(entity.term, declarations, of_class=False))
    if isinstance(value, Constant):
        value = Constant(_typed(value.term, relation, declarations, zone))
    literal = isinstance(value, Constant) and isinstance(value.term, Value)
    decl = declarations.relations.get(relation)
    if decl is None or literal:
        return replace(atom, relation=relation, entity=entity, value=value)
    side = kept_side(relation, declarations)
    if side != relation:
        relation, entity, value = side, value, entity
    either = decl.symmetric
    if either and isinstance(entity, Constant) and isinstance(value, Constant):
        entity, value = sorted((entity, value), key=lambda one: term_key(one.term))
    return replace(atom, relation=relation, entity=entity, value=value, either=either)


def _typed(term: Term, relation: str, declarations: Declarations, zone: str) -> Term:
    """Return a value's constant typed by RANGE, else as it was written."""
    decl = declarations.relations.get(relation)
    found, _ = typed(
        term.written, kind=term.kind.value, range_=decl.range if decl else (),
        range_unit=decl.unit if decl else None, zone=zone,
    )
    return _alias(found, declarations, of_class=relation == MEMBER)


def _alias(term: Term, declarations: Declarations, *, of_class: bool) -> Term:
    if not isinstance(term, Name) or term.kind is not NameKind.NAME:
        return term
    aliases = declarations.class_alias if of_class else declarations.entity_alias
    canon = aliases.get(term.canon)
    if canon is None:
        return term
    return Name(term.kind, canon, declarations.spelling.get(canon, canon))


def _compared(argument: Argument, declarations: Declarations, of_class: bool) -> Argument:
    if isinstance(argument, Variable):
        return argument
    return Constant(_alias(argument.term, declarations, of_class=of_class))


def _class_variables(clause: Clause, declarations: Declarations) -> frozenset[str]:
    """Return the variables that stand for classes: values of member-of-class."""
    return frozenset(
        atom.value.name
        for atom in clause.body
        if isinstance(atom, Atom) and isinstance(atom.value, Variable)
        and declarations.relation_alias.get(atom.relation, atom.relation) == MEMBER
    )
