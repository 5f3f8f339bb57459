"""What follows from the facts by the rules: the specification of deduction, slow and plain.

`docs/fold.md` section 13 says the same in words. The engine may not import this; they share the
syntax tree and the records, and the laws compare what they say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from symbolic.deduced import Breach, Deduced, Row, Support, Triple
from symbolic.model.conflicts import Frame
from symbolic.model_rules.evaluate import cuts, evaluate, stretches
from symbolic.model_rules.rows import Cut, rows_of, withholding
from symbolic.model_rules.supports import Grounds, breaches, supports
from symbolic.records import Term
from symbolic.rules.program import RULES_MAX_DERIVED, Program


@dataclass(frozen=True, slots=True)
class Derivation:
    """All that rules derive, with all supports; `over` counts what explodes, by rule id."""

    deduced: Mapping[Triple, Deduced] = field(default_factory=dict)
    supports: Mapping[Triple, frozenset[Support]] = field(default_factory=dict)
    breaches: frozenset[Breach] = frozenset()
    over: Mapping[str, int] = field(default_factory=dict)


def derive(
    frame: Frame,
    program: Program,
    trusted: Mapping[tuple[str, Term], set[str]],
    *,
    barred: frozenset[str] = frozenset(),
    most: int = RULES_MAX_DERIVED,
) -> Derivation:
    """Return what follows from the standing facts of `frame`.

    `trusted` are the classes that count for policies, `barred` the fids of deduced facts that a
    person rejects everywhere; a component that would derive more than `most` triples derives none.
    """
    visible = seen(program, frame)
    rows = [row for row in rows_of(frame) if row.triple.relation.canon in visible]
    cut = withholding(frame, trusted, rows, barred)
    return derive_rows(rows, program, frame.times.zone, cut, most=most)


def seen(program: Program, frame: Frame) -> set[str]:
    """Return the relations whose facts deduction can see: all others cut time for nothing.

    They are what a rule reads or concludes, and what stands against what it concludes.
    """
    heads = {rule.head.relation for rule in program.rules if rule.head is not None}
    relations = frame.declarations.relations
    rivals = {
        name for name, decl in relations.items()
        if heads & set(decl.opposite)
        or any(name in relations[head].opposite for head in heads if head in relations)
    }
    return heads | rivals | {predicate.relation for predicate in program.reading()}


def _nowhere(_: Triple) -> tuple[()]:
    return ()


def derive_rows(
    rows: Iterable[Row],
    program: Program,
    zone: str,
    cut: Cut = _nowhere,
    *,
    most: int = RULES_MAX_DERIVED,
) -> Derivation:
    """Return what follows from `rows`, but where `cut` says that it may not."""
    deduced: dict[Triple, Deduced] = {}
    found: dict[Triple, frozenset[Support]] = {}
    broken: set[Breach] = set()
    by_domain: dict[str, list[Row]] = {}
    for row in rows:
        by_domain.setdefault(row.triple.domain, []).append(row)
    explosion: dict[str, int] = {}
    for domain, own in sorted(by_domain.items()):
        run = evaluate(own, program.strata, domain, zone, cut, most)
        explosion.update(run.over)
        triples = {t for moment in run.timeline for t in (*moment.derived, *moment.withheld)}
        mine = {
            t: Deduced(t, stretches(run.timeline, t), cuts(run.timeline, t)) for t in triples
        }
        grounds = Grounds.of(own, mine, run.timeline, domain, zone)
        deduced.update(mine)
        found.update(supports(run.ran, grounds))
        for rule in filter(run.hears, program.constraints):
            broken |= breaches(rule, grounds)
    return Derivation(deduced, found, frozenset(broken), explosion)
