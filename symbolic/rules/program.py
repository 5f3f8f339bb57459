"""Rule files and declarations as one program: what runs, in which order, and what does not.

::

    files ──parse──► clauses ──unsafe──► (a bad file falls out whole) ──resolve──► rules
    declarations ──shipped──► closures ──────────────────────────────────────────►  │
                                         Program ◄── strata, disabled ◄──stratify───┘
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symbolic.records import Declarations, RuleFile
from symbolic.rules.faults import Fault, Lines
from symbolic.rules.parse import Parsed, parse
from symbolic.rules.resolve import resolve
from symbolic.rules.safety import unsafe
from symbolic.rules.shipped import shipped
from symbolic.rules.strata import Cycle, Strata, described, stratify
from symbolic.rules.syntax import Predicate, Rule
from symbolic.rules.words import RULES_MAX_DERIVED as RULES_MAX_DERIVED


@dataclass(frozen=True, slots=True)
class Program:
    """What is evaluated. Equal whatever the order of files and clauses.

    `rules` are all that run, shipped ones first; `strata` the same by recursive component, lowest
    first. `constraints` have no head and flag. `faults` says what does not run; `disabled` are the
    predicates in or above a cycle through negation.
    """

    rules: tuple[Rule, ...] = ()
    strata: tuple[tuple[Rule, ...], ...] = ()
    constraints: tuple[Rule, ...] = ()
    faults: tuple[Fault, ...] = ()
    disabled: frozenset[Predicate] = frozenset()

    def reading(self) -> frozenset[Predicate]:
        """Return the predicates that any body reads."""
        return frozenset(
            predicate for rule in (*self.rules, *self.constraints) for predicate, _ in rule.reads()
        )


def checked(file: RuleFile) -> Parsed:
    """Return a file's clauses with all faults that it has by itself, unsafe clauses included."""
    parsed = parse(file)
    if parsed.faults:
        return parsed
    lines = Lines(file.name, file.text)
    found = tuple(fault for clause in parsed.clauses for fault in unsafe(clause, lines))
    return Parsed(parsed.file, parsed.clauses, parsed.domain, found)


def compile(
    files: Sequence[RuleFile], declarations: Declarations, zone: str = "UTC"
) -> Program:
    """Return the program of `files` under `declarations`.

    None of the rules of a file with a fault run; those of the others do.
    """
    faults: list[Fault] = []
    own: list[Rule] = []
    for file in sorted(files, key=lambda one: one.name):
        parsed = checked(file)
        faults += parsed.faults
        if not parsed.faults:
            own += [resolve(clause, declarations, zone) for clause in parsed.clauses]
    found = {rule.id: rule for rule in shipped(declarations)}
    for rule in sorted(own, key=lambda one: (one.id, one.name)):
        found.setdefault(rule.id, rule)  # a rule that stands twice runs once
    strata = stratify(rule for rule in found.values() if rule.head is not None)
    texts = {file.name: file for file in files}
    faults += [_circular(cycle, texts) for cycle in strata.cycles]
    return Program(
        rules=tuple(rule for rule in found.values() if _runs(rule, strata)),
        strata=strata.layers,
        constraints=tuple(
            rule for rule in found.values()
            if rule.head is None and not any(p in strata.disabled for p, _ in rule.reads())
        ),
        faults=tuple(faults),
        disabled=strata.disabled,
    )


def _runs(rule: Rule, strata: Strata) -> bool:
    return rule.head is not None and rule.head.predicate not in strata.disabled


def _circular(cycle: Cycle, files: dict[str, RuleFile]) -> Fault:
    place = cycle.steps[0].place
    return Fault(
        place, described(cycle), Lines(place.file, files[place.file].text).line(place),
        "take one of these steps out: what an absence or a spell needs must be known before",
    )
