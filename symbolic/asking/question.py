"""Questions written as rules, with a head where columns are chosen or counted.

::

    works_at(X, 'Acme') & born_in(X, Y)                 every variable is a column
    answer(X) <= works_at(X, 'Acme') & ~born_in(X, _)   X alone
    n(Y, count(X)) <= works_at(X, Y)                    how many X for each Y, at each instant
    count(X) <= works_at(X, Y)                          how many X in all

The body is that of a rule and is read by its parser; only the head is read here, as aggregation is
for questions and stands in no rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from symbolic.records import Declarations, RuleFile
from symbolic.rules.faults import Fault, Lines
from symbolic.rules.parse import parse
from symbolic.rules.resolve import resolve
from symbolic.rules.safety import unsafe
from symbolic.rules.syntax import (
    Absent,
    Argument,
    Clause,
    Constant,
    Place,
    Rule,
    Variable,
)
from symbolic.values import name

FILE = "question"
"""What a question is called where a rule has its file."""


class Aggregate(StrEnum):
    """What may be made of the distinct values of a variable at an instant."""

    COUNT = "count"
    SUM = "sum"
    MIN = "min"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the answer: a variable, or what is made of its values in each group."""

    variable: str
    aggregate: Aggregate | None = None

    @property
    def title(self) -> str:
        """The column's name, as it was written."""
        return f"{self.aggregate}({self.variable})" if self.aggregate else self.variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question under today's declarations: a rule without head, and the columns to show."""

    rule: Rule
    columns: tuple[Column, ...]

    @property
    def aggregated(self) -> bool:
        """Whether any column is made of several values."""
        return any(column.aggregate is not None for column in self.columns)


_HEAD = re.compile(
    r"\s*(?P<name>[a-z][\w-]*|'[^']*')\s*\((?P<columns>[^&~]*?)\)\s*<=(?!=)", re.DOTALL
)
_COLUMN = re.compile(r"\s*(?:(?P<made>[a-z]+)\s*\(\s*)?(?P<name>[A-Z_]\w*)\s*(?(made)\)\s*)")


def parse_question(text: str, declarations: Declarations, zone: str) -> Question | Fault:
    """Return the question that `text` spells, or the first thing that is wrong with it."""
    head = _HEAD.match(text)
    body = text[head.end() :] if head else re.sub(r"^\s*<=", "", text)
    stripped = body.strip().removesuffix(".")
    file = RuleFile(name=FILE, text=f"<= {stripped}.")
    parsed = parse(file)
    faults = parsed.faults or tuple(
        fault
        for clause in parsed.clauses
        for fault in unsafe(_answered(clause), Lines(FILE, file.text))
    )
    if faults:
        return _fault(text, faults[0].message, faults[0].remedy)
    if len(parsed.clauses) != 1:
        return _fault(text, "a question is one rule", "join what you ask for with &")
    rule = resolve(parsed.clauses[0], declarations, zone)
    named = dict.fromkeys(name for name in _variables(rule) if not name.startswith("_"))
    if head is None:
        return Question(rule=rule, columns=tuple(map(Column, named)))
    alone = head["name"] in set(Aggregate) and "(" not in head["columns"]
    columns = _columns(f"{head['name']}({head['columns']})" if alone else head["columns"])
    if isinstance(columns, Fault):
        return columns
    for column in columns:
        if column.variable not in named:
            return _fault(
                text, f"{column.variable} is in the head and in no atom of the question",
                "use a variable that the body binds",
            )
    return Question(rule=rule, columns=tuple(columns))


def _answered(clause: Clause) -> Clause:
    """Return a clause to judge the safety of: `~p(X, _)` asks whether there is any value at all.

    A rule has to derive that first; a question is answered once and may ask it so.
    """
    some = Constant(name("any"))

    def end(one: Argument) -> Argument:
        return some if isinstance(one, Variable) and one.name.startswith("_#") else one

    body = tuple(
        Absent(atom=replace(one.atom, entity=end(one.atom.entity), value=end(one.atom.value)))
        if isinstance(one, Absent) else one
        for one in clause.body
    )
    return replace(clause, body=body)


def _variables(rule: Rule) -> list[str]:
    """Return the variables that positive atoms bind, in the order they are written."""
    return [
        end.name
        for atom in rule.positive
        for end in (atom.entity, atom.value)
        if isinstance(end, Variable)
    ]


def _columns(text: str) -> Sequence[Column] | Fault:
    found: list[Column] = []
    for part in text.split(","):
        match = _COLUMN.fullmatch(part)
        made = match["made"] if match else None
        if match is None or (made is not None and made not in set(Aggregate)):
            return _fault(
                text, f"'{part.strip()}' is no column",
                "write a variable, or count(X), sum(X), min(X) or max(X)",
            )
        found.append(Column(match["name"], Aggregate(made) if made else None))
    return found


def _fault(text: str, message: str, remedy: str) -> Fault:
    return Fault(place=Place(FILE, 1, 1), message=message, excerpt=text.strip(), remedy=remedy)
