"""What rules yield, as records: triples with spells, and the supports that carry them.

Instants are microseconds since year 1, as `values.reach` counts them; None is open. A stated or
"?" bound has become one instant by the time it gets here (the first one it may be).
"""

from __future__ import annotations

from dataclasses import dataclass

from symbolic.canon import identified
from symbolic.records import Name, Statement, Term

Instant = int | None


@dataclass(frozen=True, slots=True)
class Triple:
    """What rules match: all facts with this domain, entity, relation, value and polarity."""

    domain: str
    entity: Name
    relation: Name
    value: Term
    polarity: bool = True

    def statement(self) -> Statement:
        """Return the triple as a statement without bounds; its fid is the deduced fact's."""
        return identified(
            self.domain, self.entity, self.relation, self.value, self.polarity, None, None
        )


@dataclass(frozen=True, slots=True)
class Stretch:
    """[lo, hi) with the trust of the best proof at each of its instants.

    `trust` counts every proof, `sure` those alone that read no imprecise bound; None where there
    is none such. Both are levels of `records.TRUST`. Neighbours with equal trusts are one stretch.
    """

    lo: Instant
    hi: Instant
    trust: int
    sure: int | None


@dataclass(frozen=True, slots=True)
class Row:
    """What a standing base fact feeds: one piece of one of its spells.

    A spell that begins with a civil date is two rows: while its first unit lasts it may not have
    begun yet, which is `imprecise`, and the rest. Rows of a fact with a "?" bound are imprecise.
    """

    triple: Triple
    lo: Instant
    hi: Instant
    trust: int
    imprecise: bool
    fid: str


@dataclass(frozen=True, slots=True)
class Premise:
    """What one body atom of a support rests on: a base fact's row, or a deduced triple's stretch.

    `fid` is the base fact's id, None for what rules derived and for the maximal spell of an atom
    with `@S`, which may consist of both. An absent atom has a Premise with `absent` set and the
    stretch over which nothing was found.
    """

    triple: Triple
    lo: Instant
    hi: Instant
    fid: str | None = None
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Support:
    """One step: `rule` (a Rule's id) gives `head` over [lo, hi) from `premises`.

    Premises stand in the order of the rule's body. `trust` is that of the weakest premise;
    `imprecise` says that one of them is known there from imprecise proofs alone: from a "?" bound,
    or from the reading of a bound as its first instant.
    """

    head: Triple
    rule: str
    premises: tuple[Premise, ...]
    lo: Instant
    hi: Instant
    trust: int
    imprecise: bool


@dataclass(frozen=True, slots=True)
class Breach:
    """What a rule without a head flags: `rule` (its id) finds `premises` over [lo, hi)."""

    rule: str
    domain: str
    premises: tuple[Premise, ...]
    lo: Instant
    hi: Instant
    trust: int
    imprecise: bool


@dataclass(frozen=True, slots=True)
class Deduced:
    """A triple that rules derive. `spells` is what feeds on, `withheld` what is cut out of it."""

    triple: Triple
    spells: tuple[Stretch, ...]
    withheld: tuple[tuple[Instant, Instant], ...] = ()
