"""What follows from the facts by the rules: the specification of deduction, slow and plain.

`docs/fold.md` section 13 says the same in words. The engine may not import this; they share the
syntax tree and the records, and the laws compare what they say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from symbolic.deduced import Breach, Deduced, Row, Support, Triple
from symbolic.model.conflicts import Frame
from symbolic.model_rules.evaluate import cuts, evaluate, stretches
from symbolic.model_rules.rows import Cut, rows_of, withholding
from symbolic.model_rules.supports import Grounds, breaches, supports
from symbolic.records import Term
from symbolic.rules.syntax import Rule

RULES_MAX_DERIVED = 1_000_000


class Rules(Protocol):
    """What deduction needs of a program."""

    @property
    def strata(self) -> Sequence[Sequence[Rule]]:
        """The rules by recursive component, the lowest first."""

    @property
    def constraints(self) -> Sequence[Rule]:
        """The rules without a head."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """All that rules derive, with all supports; `over` counts what explodes, by rule id."""

    deduced: Mapping[Triple, Deduced] = field(default_factory=dict)
    supports: Mapping[Triple, frozenset[Support]] = field(default_factory=dict)
    breaches: frozenset[Breach] = frozenset()
    over: Mapping[str, int] = field(default_factory=dict)


def derive(
    frame: Frame,
    program: Rules,
    trusted: Mapping[tuple[str, Term], set[str]],
    *,
    barred: frozenset[str] = frozenset(),
    most: int = RULES_MAX_DERIVED,
) -> Derivation:
    """Return what follows from the standing facts of `frame`.

    `trusted` are the classes that count for policies, `barred` the fids of deduced facts that a
    person rejects everywhere; a component that would derive more than `most` triples derives none.
    """
    rows = rows_of(frame)
    cut = withholding(frame, trusted, rows, barred)
    return derive_rows(rows, program, frame.times.zone, cut, most=most)


def _nowhere(_: Triple) -> tuple[()]:
    return ()


def derive_rows(
    rows: Iterable[Row],
    program: Rules,
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
