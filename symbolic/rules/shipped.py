"""The rules that declarations stand for: class closure by PARENT, and TRANSITIVE relations."""

from __future__ import annotations

from collections.abc import Iterator

from symbolic.canon import MEMBER, kept_side
from symbolic.records import Declarations, Name, NameKind
from symbolic.rules.printing import hash_of
from symbolic.rules.syntax import Atom, Constant, Rule, Variable

PARENT = "PARENT/"
TRANSITIVE = "TRANSITIVE/"
"""How the names of shipped rules begin; no name of a file's rule can."""


def shipped(declarations: Declarations) -> list[Rule]:
    """Return one rule for every PARENT edge and every TRANSITIVE relation, by name."""
    found = [*_closure(declarations), *_transitive(declarations)]
    return sorted(found, key=lambda rule: rule.name)


def _closure(declarations: Declarations) -> Iterator[Rule]:
    for child, decl in declarations.classes.items():
        for parent in decl.parents:
            if parent != child:
                head, body = _member(parent, declarations), _member(child, declarations)
                yield _rule(f"{PARENT}{child}/{parent}", head, body)


def _member(klass: str, declarations: Declarations) -> Atom:
    word = Name(NameKind.NAME, klass, declarations.spelling.get(klass, klass))
    return Atom(relation=MEMBER, entity=Variable("X"), value=Constant(word))


def _transitive(declarations: Declarations) -> Iterator[Rule]:
    x, y, z = Variable("X"), Variable("Y"), Variable("Z")
    kept = {
        kept_side(name, declarations): decl.symmetric
        for name, decl in declarations.relations.items()
        if decl.transitive
    }
    for name, either in kept.items():
        head, one, other = (
            Atom(relation=name, entity=left, value=right, either=either)
            for left, right in ((x, z), (x, y), (y, z))
        )
        yield _rule(f"{TRANSITIVE}{name}", head, one, other)


def _rule(name: str, head: Atom, *body: Atom) -> Rule:
    return Rule(id=hash_of(head, body, None), name=name, head=head, body=body)
