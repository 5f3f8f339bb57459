"""clingo as an oracle: what rules derive at one instant, at every trust, precise or not.

Nothing here shares a line with the reference but the syntax tree. A fact that is trusted at 3 holds
at levels 1 to 3, a precise one at 5 to 7 as well; a rule runs at each level by itself, and asks for
absence at level 1, where everything stands. So the trust of what follows is the highest level at
which it does. A deduced fact falls away where an exclusive rival among base facts is precise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import clingo

from symbolic.canon import MEMBER
from symbolic.deduced import Row, Triple
from symbolic.records import Declarations, Name, Policy, RelationDecl, Term, Value
from symbolic.rules.program import Program
from symbolic.rules.syntax import (
    Absent,
    Argument,
    Atom,
    Compare,
    Constant,
    Operator,
    Predicate,
    Rule,
)

LITERALS = 1000
"""Numbers from here on stand for literals: they are no entities and are never turned round."""

OPERATORS = {
    Operator.EQ: "=", Operator.NE: "!=", Operator.LT: "<", Operator.LE: "<=", Operator.GT: ">",
    Operator.GE: ">=",
}  # fmt: skip

Levels = dict[Triple, tuple[int, int | None]]
"""The trust of a deduced triple, and that of its best precise proof."""


def at_instant(
    rows: Sequence[Row], program: Program, declarations: Declarations
) -> tuple[Levels, set[Triple]]:
    """Return what follows from `rows`, which all hold at one instant, and what is withheld."""
    return _Instant(rows, program.strata, declarations).deduced() if rows else ({}, set())


class _Instant:
    """One instant as a program for clingo."""

    def __init__(
        self, rows: Iterable[Row], strata: Sequence[Sequence[Rule]], declarations: Declarations
    ) -> None:
        self.rows = list(rows)
        self.rules = [rule for stratum in strata for rule in stratum]
        self.declarations = declarations
        terms = {term for row in self.rows for term in (row.triple.entity, row.triple.value)}
        terms |= {
            side.term for rule in self.rules for one in (*rule.body, rule.head)
            for side in _sides(one) if isinstance(side, Constant)
        }
        names = sorted((t for t in terms if isinstance(t, Name)), key=lambda t: (t.kind, t.canon))
        numbers = sorted((t for t in terms if isinstance(t, Value)), key=lambda t: int(t.canon))
        self.number: dict[Term, int] = {term: at for at, term in enumerate(names)}
        self.number |= {term: LITERALS + int(term.canon) for term in numbers}
        predicates = {Predicate(r.triple.relation.canon, not r.triple.polarity) for r in self.rows}
        for rule in self.rules:
            predicates |= {p for p, _ in rule.reads()}
            if rule.head is not None:
                predicates.add(rule.head.predicate)
        predicates |= {Predicate(p.relation, not p.denied) for p in predicates}
        self.predicates = sorted(predicates)
        self.at = {predicate: nth for nth, predicate in enumerate(self.predicates)}

    def deduced(self) -> tuple[Levels, set[Triple]]:
        """Return what follows and how surely, and what is withheld."""
        control = clingo.Control(["--warn=none"])
        control.add("base", [], self.text())
        control.ground([("base", [])])
        symbols: list[clingo.Symbol] = []
        models = []
        with control.solve(yield_=True) as handle:
            for model in handle:
                models.append(model)
                symbols = list(model.symbols(shown=True))
        assert len(models) == 1, f"{len(models)} stable models: the program is not stratified"
        terms = {number: term for term, number in self.number.items()}
        levels: dict[Triple, set[int]] = {}
        withheld = set()
        for symbol in symbols:
            predicate, level, entity, value = (one.number for one in symbol.arguments)
            triple = self._triple(predicate, terms[entity], terms[value])
            if symbol.name == "gone":
                withheld.add(triple)
            else:
                levels.setdefault(triple, set()).add(level)
        found = {
            triple: (max(n for n in at if n < 5), max((n - 4 for n in at if n > 4), default=None))
            for triple, at in levels.items()
        }
        if not self.doubtful:
            found = {triple: (trust, trust) for triple, (trust, _) in found.items()}
        return found, withheld

    @property
    def doubtful(self) -> bool:
        """Whether precise proofs have to be told from others."""
        return any(row.imprecise for row in self.rows)

    def levels(self) -> list[int]:
        """Return the levels at which anything can differ; 1 is always one."""
        trusts = {1, *(row.trust for row in self.rows)}
        return sorted(trusts | ({trust + 4 for trust in trusts} if self.doubtful else set()))

    def _triple(self, predicate: int, entity: Term, value: Term) -> Triple:
        said = self.predicates[predicate]
        row = next(row.triple for row in self.rows)
        assert isinstance(entity, Name)
        relation = Name(row.relation.kind, said.relation, said.relation)
        return Triple(row.domain, entity, relation, value, not said.denied)

    def text(self) -> str:
        """Return the program."""
        lines = [f"level({level})." for level in self.levels()]
        lines += [f"literal(X) :- term(X), X >= {LITERALS}."]
        lines += [f"term({number})." for number in self.number.values()]
        for row in self.rows:
            held = self._held(row.triple)
            at = [n for n in self.levels() if n <= row.trust]
            if not row.imprecise:
                at += [n for n in self.levels() if 4 < n <= row.trust + 4]
            lines += [f"base({held[0]},{level},{held[1]})." for level in at]
            if not row.imprecise:
                lines.append(f"sure({held[0]},{held[1]}).")
        lines += [
            "holds(P,L,X,Y) :- base(P,L,X,Y).",
            "holds(P,L,X,Y) :- derived(P,L,X,Y).",
            "derived(P,L,X,Y) :- said(P,L,X,Y), not literal(X), not rival(P,X,Y).",
            "gone(P,L,X,Y) :- said(P,L,X,Y), not literal(X), rival(P,X,Y).",
            "either(P,L,X,Y) :- holds(P,L,X,Y).",
            "either(P,L,Y,X) :- holds(P,L,X,Y), not literal(Y).",
            "#show derived/4. #show gone/4.",
        ]
        lines += [self._rule(rule) for rule in self.rules]
        lines.extend(self._rivals())
        return "\n".join(lines)

    def _held(self, triple: Triple) -> tuple[int, str]:
        predicate = self.at[Predicate(triple.relation.canon, not triple.polarity)]
        return predicate, f"{self.number[triple.entity]},{self.number[triple.value]}"

    # --- rules ------------------------------------------------------------------------------------

    def _rule(self, rule: Rule) -> str:
        assert rule.head is not None
        body = ["level(L)"]
        for one in rule.body:
            if isinstance(one, Atom):
                body.append(self._atom(one, "L"))
            elif isinstance(one, Absent):
                body.append(f"not {self._atom(one.atom, '1')}")
            elif isinstance(one, Compare):
                left, right = self._argument(one.left), self._argument(one.right)
                body.append(f"{left} {OPERATORS[one.operator]} {right}")
                # Names are numbered by their spelling, numbers by their size, and a name never
                # compares with a number.
                body.append(f"{left} / {LITERALS} = {right} / {LITERALS}")
        entity, value = self._argument(rule.head.entity), self._argument(rule.head.value)
        predicate = self.at[rule.head.predicate]
        said = f"said({predicate},L,{entity},{value}) :- {', '.join(body)}"
        if not rule.head.either:
            return f"{said}."
        turned = f"said({predicate},L,{value},{entity}) :- {', '.join(body)}"
        return (
            f"{said}, {entity} <= {value}.\n{turned}, {value} < {entity}, {entity} < {LITERALS}."
        )

    def _atom(self, atom: Atom, level: str) -> str:
        how = "either" if atom.either else "holds"
        entity, value = self._argument(atom.entity), self._argument(atom.value)
        return f"{how}({self.at[atom.predicate]},{level},{entity},{value})"

    def _argument(self, argument: Argument) -> str:
        if isinstance(argument, Constant):
            return str(self.number[argument.term])
        return f"V{argument.name.replace('#', '_')}"

    # --- who withholds ----------------------------------------------------------------------------

    def _rivals(self) -> Iterable[str]:
        yield "rival(-1,0,0)."
        for predicate in self.predicates:
            if any(rule.head and rule.head.predicate == predicate for rule in self.rules):
                yield from self._rivals_of(predicate)

    def _rivals_of(self, predicate: Predicate) -> Iterable[str]:
        """Yield who excludes a statement of `predicate`, exclusively and pairwise."""
        name, mine = predicate.relation, self.at[predicate]
        decl = self.declarations.relations.get(name) or RelationDecl(name=name, written=name)
        exclusive = decl.policy is Policy.EXCLUSIVE
        rival = f"rival({mine},X,Y) :- "
        if exclusive:
            yield f"{rival}sure({self.at[Predicate(name, not predicate.denied)]},X,Y)."
        if predicate.denied:
            return
        for other, its in self.declarations.relations.items():
            opposed = other in decl.opposite or name in its.opposite
            if opposed and Predicate(other) in self.at and (
                exclusive or its.policy is Policy.EXCLUSIVE
            ):
                yield f"{rival}sure({self.at[Predicate(other)]},X,Y)."
        if decl.functional and exclusive:
            yield f"{rival}sure({mine},X,Z), term(Y), Y != Z."
        if decl.inverse_functional and exclusive:
            yield f"{rival}sure({mine},Z,Y), term(X), X != Z."
        if decl.asymmetric and exclusive:
            yield f"{rival}sure({mine},Y,X), X != Y."
        if name == MEMBER and exclusive:
            yield from self._classes(mine)

    def _classes(self, member: int) -> Iterable[str]:
        classes = {t.canon: n for t, n in self.number.items() if isinstance(t, Name)}
        for name in self.declarations.classes:
            classes.setdefault(name, 500 + len(classes))
        for name, decl in self.declarations.classes.items():
            yield f"up({classes[name]},{classes[name]})."
            for parent in decl.parents:
                yield f"up({classes[name]},X) :- up({classes[parent]},X)."
            for other in decl.disjoint:
                yield f"disjoint({classes[name]},{classes[other]})."
        yield "disjoint(X,Y) :- disjoint(Y,X)."
        yield f"rival({member},X,C) :- sure({member},X,D), up(C,A), up(D,B), disjoint(A,B)."


def _sides(one: object) -> tuple[Argument, ...]:
    if isinstance(one, Absent):
        one = one.atom
    if isinstance(one, Atom):
        return one.entity, one.value
    return (one.left, one.right) if isinstance(one, Compare) else ()
