"""Random programs of rules and random bases for them: small alphabets, drawn by seed.

A program is text, so that parser and compiler stand between it and whoever evaluates it. Its
predicates lie in layers: a body reads its own layer and those below, what is absent or has `@S`
those below alone, so every program is stratified, with cycles inside a layer wherever they fall.
A base is the Inputs of a fold: readings, gate rows and admissions, so that both the reference and
the store can be given it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from symbolic.canon import MEMBER
from symbolic.records import (
    ClassDecl,
    Declarations,
    GateRow,
    Line,
    Policy,
    ProseHeading,
    Provenance,
    Reading,
    RelationDecl,
    RuleFile,
    Written,
)
from symbolic.world import Inputs
from tests.symbolic.build import admit, heading, reading

ENTITIES = ("ann", "bob", "cy", "dan")
CLASSES = ("cat", "pet", "thing", "rock")
NUMBERS = ("1", "2", "5")
BOUNDS = (
    "2020", "2021", "2022", "2023", "2021-06", "2022-01", "2021-06-15", "2022-01-01",
    "2021-06-15T12:00:00Z", "2022-07-01T00:00:00Z",
)  # fmt: skip
DATES = (None, "2020-05-01", "2021-06-15", "2022-03-03", "2023-09-09")
PARENTS = {"cat": ("pet",), "pet": ("thing",)}


def _relation(name: str, **properties: object) -> RelationDecl:
    return RelationDecl(name=name, written=name, **properties)  # type: ignore[arg-type]


DECLARATIONS = Declarations(
    relations={
        decl.name: decl
        for decl in (
            _relation("near", symmetric=True),
            _relation("above", inverse="below"),
            _relation("below", inverse="above"),
            _relation("home", functional=True, policy=Policy.EXCLUSIVE),
            _relation("seat", functional=True, policy=Policy.TEMPORAL),
            _relation("owns", inverse_functional=True, policy=Policy.EXCLUSIVE),
            _relation("likes", opposite=("hates",), policy=Policy.EXCLUSIVE),
            _relation("hates"),
            _relation("beats", asymmetric=True, policy=Policy.EXCLUSIVE),
            _relation("part", policy=Policy.TEMPORAL),
            _relation("within", transitive=True),
            _relation(MEMBER, policy=Policy.EXCLUSIVE),
        )
    },
    classes={
        name: ClassDecl(
            name=name, written=name, parents=PARENTS.get(name, ()),
            disjoint=("rock",) if name == "pet" else (),
        )
        for name in CLASSES
    },
)  # fmt: skip
"""A relation for each property that deduction knows of, and three classes above one another."""

PLAIN = ("edge", "link", "age", "d one", "d two", "d three", "d four")
DECLARED = tuple(name for name in DECLARATIONS.relations if name != "below")
EXCLUSIVE = frozenset(
    name for name, decl in DECLARATIONS.relations.items() if decl.policy is Policy.EXCLUSIVE
)
SIMPLE = ("edge", "link", "d one", "d two", "d three", "d four")
"""Relations without a declaration and without numbers: what another engine reads as well."""


@dataclass(frozen=True, slots=True)
class Case:
    """A program and a base, with the seed that drew them."""

    seed: int
    inputs: Inputs

    @property
    def text(self) -> str:
        """The rules."""
        return "\n".join(file.text for file in self.inputs.rules)


@dataclass(frozen=True, slots=True)
class Shape:
    """What may stand in a case."""

    timed: bool = False
    spelled: bool = False
    linear: bool = False
    facts: int = 28
    rules: int = 7


UNTIMED = Shape()
TIMED = Shape(timed=True)
SPELLED = Shape(timed=True, spelled=True)
LINEAR = Shape(linear=True, facts=14)


def draw(seed: int, shape: Shape = UNTIMED) -> Case:
    """Return the case of a seed."""
    random = Random(f"{seed} {shape}")
    program = Program(random, shape)
    text = program.text()
    count = random.randint(shape.facts // 2, shape.facts)
    base = facts(random, shape, program.relations, count)
    return Case(seed, replace(base, rules=(RuleFile(name="drawn.dl", text=text),)))


# --- programs -------------------------------------------------------------------------------------


class Program:
    """Draws rules. A predicate is a relation, or its denial, and lies in one layer."""

    def __init__(self, random: Random, shape: Shape) -> None:
        self.random, self.shape = random, shape
        self.relations = (
            SIMPLE if shape.linear
            else (*random.sample(PLAIN, 3), *random.sample(DECLARED, 3))
        )
        self.layers = {
            (relation, denied): random.randint(0, 2)
            for relation in self.relations if relation != "below"
            for denied in (False, True)
            if not denied or (not shape.linear and random.random() < 0.2)
        }
        if MEMBER in self.relations:
            # Memberships follow from memberships, by the closure of classes.
            self.layers[MEMBER, False] = 0

    def text(self) -> str:
        """Return some rules, and now and then a constraint."""
        lines = [self.rule() for _ in range(self.random.randint(2, self.shape.rules))]
        if not self.shape.linear and self.random.random() < 0.3:
            lines.append(self.constraint())
        return "\n".join(lines) + "\n"

    def rule(self) -> str:
        """Return one rule, safe and stratified."""
        strict = [p for p in self.layers if p[0] in EXCLUSIVE and p[0] != MEMBER]
        often = strict if strict and self.random.random() < 0.35 else list(self.layers)
        head = self.random.choice(often)
        if self.shape.linear:
            return self.linear(head)
        body, variables, spells = self.body(self.layers[head])
        pair = f"{self.argument(variables)}, {self.argument(variables, value=True)}"
        at = f"@{self.random.choice(spells)}" if spells and self.random.random() < 0.5 else ""
        return f"{_atom(head, pair, self.random)}{at} <= {' & '.join(body)}."

    def constraint(self) -> str:
        """Return a rule without a head."""
        body, _, _ = self.body(3)
        return f"<= {' & '.join(body)}."

    def linear(self, head: tuple[str, bool]) -> str:
        """Return a left-linear rule: at most its first atom is of the head's own layer."""
        below = [p for p, layer in self.layers.items() if layer < self.layers[head]]
        first = self.random.choice([head, *below] if below else [head])
        length = self.random.randint(1, 3)
        if not below or length == 1:
            first = self.random.choice(below or [head])
            body = [_atom(first, "X, Y" if first != head else "Y, X", self.random)]
            ends = "X, Y"
        else:
            names = ["X", "Z", "W", "Y"]
            chain = [first, *(self.random.choice(below) for _ in range(length - 1))]
            steps = [*names[:length], "Y"]
            body = [
                _atom(one, f"{a}, {b}", self.random)
                for one, a, b in zip(chain, steps, steps[1:], strict=False)
            ]
            ends = self.random.choice(["X, Y", "X, Y", f"X, {self.constant('edge')}"])
        if below and self.random.random() < 0.4:
            body.append("~" + _atom(
                self.random.choice(below), self.random.choice(["X, Y", "Y, X", "X, X"]), self.random
            ))  # fmt: skip
        if self.random.random() < 0.3:
            body.append("X != Y")
        return f"{_atom(head, ends, self.random)} <= {' & '.join(body)}."

    def body(self, layer: int) -> tuple[list[str], list[str], list[str]]:
        """Return literals, the variables they bind, and the spells."""
        allowed = [p for p, its in self.layers.items() if its <= layer]
        below = [p for p, its in self.layers.items() if its < layer]
        variables: list[str] = []
        spells: list[str] = []
        body = []
        for _ in range(self.random.choice((1, 1, 2, 2, 2, 3))):
            spelled = self.shape.spelled and bool(below) and self.random.random() < 0.6
            one = self.random.choice(below if spelled else allowed)
            pair = ", ".join(self.place(one[0], variables, nth) for nth in range(2))
            if spelled:
                spells.append("ST"[len(spells) % 2] + str(len(spells)))
            body.append(_atom(one, pair, self.random) + (f"@{spells[-1]}" if spelled else ""))
        if below and variables and self.random.random() < 0.5:
            one = self.random.choice(below)
            pair = f"{self.argument(variables)}, {self.argument(variables, value=True)}"
            body.append("~" + _atom(one, pair, self.random))
        if variables and self.random.random() < 0.2:
            operator = self.random.choice(("=", "!=", "!=", "!=", "<", "=<", ">", ">="))
            right = self.random.choice([*variables, *variables, *NUMBERS])
            body.append(f"{self.random.choice(variables)} {operator} {right}")
        if len(spells) > 1:
            relating = self.random.choice(("before", "after", "during", "overlaps"))
            body.append(f"{relating}({spells[0]}, {spells[1]})")
        return body, variables, spells

    def place(self, relation: str, variables: list[str], nth: int) -> str:
        """Return an argument of a positive atom, rather a variable that stands already."""
        if self.random.random() < 0.08:
            return self.constant(relation) if nth else self.constant("edge")
        if variables and nth == 0 and self.random.random() < 0.75:
            return self.random.choice(variables)
        name = self.random.choice(("X", "Y", "Z"))
        if name not in variables:
            variables.append(name)
        return name

    def argument(self, variables: Sequence[str], *, value: bool = False) -> str:
        """Return an argument where nothing new may be bound."""
        if not variables or (value and self.random.random() < 0.1):
            return self.constant("edge")
        return self.random.choice(list(variables))

    def constant(self, relation: str) -> str:
        """Return a constant that the relation may have as its value."""
        if relation == "age":
            return self.random.choice(NUMBERS)
        return self.random.choice(CLASSES if relation == MEMBER else ENTITIES)


def _atom(predicate: tuple[str, bool], pair: str, random: Random) -> str:
    name, denied = predicate
    if name == "above" and random.random() < 0.5:
        first, second = pair.split(", ")
        name, pair = "below", f"{second}, {first}"
    word = name.replace(" ", "_")
    if denied:
        return f"denied({word}, {pair})"
    return f"is_a({pair})" if name == MEMBER else f"{word}({pair})"


# --- bases ----------------------------------------------------------------------------------------


def facts(random: Random, shape: Shape, relations: Sequence[str], count: int) -> Inputs:
    """Return a base of about `count` statements, said by people, notes, models and gate rows."""
    headings: list[ProseHeading] = []
    readings: list[Reading] = []
    lines: list[Line] = []
    rows: list[GateRow] = []
    for nth in range(count):
        written = _statement(random, shape, relations)
        date = random.choice(DATES) if shape.timed else None
        place = heading(f"H{nth}", f"note {nth}", offset=nth, date=date)
        headings.append(place)
        kind = random.choice(("human", "human", "extracted", "extracted", "proposed", "gate"))
        if kind == "gate":
            rows.append(GateRow(source=f"row {nth}", written=written))
        elif kind == "proposed":
            lines.append(admit(written, place.key, f"note {nth}", nth + 1, date=date))
        else:
            own = Provenance.HUMAN if kind == "human" else Provenance.EXTRACTED
            readings.append(reading(place, written, f"note {nth}", provenance=own))
    return Inputs(
        headings=tuple(headings), readings=tuple(readings), lines=tuple(lines), rows=tuple(rows),
        declarations=Declarations() if shape.linear else DECLARATIONS, zone="Europe/Berlin",
    )  # fmt: skip


def _statement(random: Random, shape: Shape, relations: Sequence[str]) -> Written:
    relation = random.choice(SIMPLE[:4] if shape.linear else relations)
    value = random.choice(
        NUMBERS if relation == "age" else CLASSES if relation == MEMBER else ENTITIES
    )
    start, end = _interval(random) if shape.timed else (None, None)
    return Written(
        entity=random.choice(ENTITIES), relation=relation, value=value,
        polarity=shape.linear or random.random() < 0.9, valid_from=start, valid_to=end,
    )  # fmt: skip


def _interval(random: Random) -> tuple[str | None, str | None]:
    """Return bounds of mixed precision; some are unknown, some make no interval at all."""
    if random.random() < 0.25:
        return None, None
    start = random.choice((None, "?", *BOUNDS, *BOUNDS))
    end = random.choice((None, None, None, "?", *BOUNDS[2:]))
    return start, end
