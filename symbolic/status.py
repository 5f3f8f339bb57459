"""Status: how much is known and from whom, and whether that is foundation enough (R23)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from symbolic.factjson import provenance_of
from symbolic.records import MEMEX, TRUST, Provenance, Standing
from symbolic.world import View

THRESHOLD = "0.7"
TRACE = "trace"
"""The domain of gate verdicts: a second truth that no share counts."""

_LOSSY = (Provenance.PROPOSED, Provenance.IMPORTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Counts of one view. Shares are whole percents that sum to 100, or all 0 without facts."""

    facts: int
    shares: tuple[int, int, int]
    """Non-lossy, proposed by models, imported; what rules derive counts as what it rests on."""
    sufficient: bool
    provenance: Mapping[str, int]
    standing: Mapping[str, int]
    queue: Mapping[str, int]
    conflicts: Mapping[str, int]
    headings: int
    events: int

    @property
    def line(self) -> str:
        """The sufficiency line."""
        mechanical, proposed, imported = self.shares
        verdict = "YES" if self.sufficient else "NO"
        return (
            f"Symbolic index: {self.facts} facts ({mechanical}% non-lossy, {proposed}% "
            f"LLM-proposed, {imported}% Wikidata). Sufficient foundation: {verdict}."
        )


def status(view: View, threshold: str | float = THRESHOLD) -> Status:
    """Return the counts of `view`; the foundation suffices strictly above `threshold`."""
    standing: Counter[str] = Counter()
    sources: Counter[Provenance] = Counter()
    for fact in view.facts():
        if fact.statement.domain == TRACE:
            continue
        standing[fact.standing.value] += 1
        if fact.standing is Standing.STANDING:
            sources[provenance_of(fact)] += 1
    derived = _derived(view)
    sources[Provenance.DEDUCED] += derived.total()
    total = sources.total()
    lossy = [sources[kind] + derived[kind] for kind in _LOSSY]
    mechanical = total - sum(lossy)
    return Status(
        facts=total,
        shares=_three(shares((mechanical, *lossy))),
        sufficient=sufficient(mechanical, total, threshold),
        provenance={kind.value: sources[kind] for kind in Provenance},
        standing={state.value: standing[state.value] for state in Standing},
        queue=Counter(proposal.state.value for proposal in view.proposals()),
        conflicts=Counter(conflict.state for conflict in view.conflicts()),
        headings=sum(1 for _ in view.headings()),
        events=sum(1 for _ in view.lines()),
    )


def _derived(view: View) -> Counter[Provenance]:
    """Count what rules alone derive by what its weakest stretch rests on.

    A closure over what models proposed must not make the foundation look sufficient.
    """
    said = {
        (one.domain, one.entity, one.relation.canon, one.value, one.polarity)
        for fact in view.facts() for one in [fact.statement]
        if fact.standing is Standing.STANDING and one.valid_from is None and one.valid_to is None
    }
    found: Counter[Provenance] = Counter()
    for deduced in view.deduced():
        one = deduced.triple
        known = (one.domain, one.entity, one.relation.canon, one.value, one.polarity) in said
        if deduced.spells and not known and one.domain != TRACE:
            lowest = min(stretch.trust for stretch in deduced.spells)
            found[_rests_on(lowest, one.domain)] += 1
    return found


def _rests_on(trust: int, domain: str) -> Provenance:
    """Return what a level of trust is counted as; what was imported stands in its own domain."""
    if trust <= TRUST[Provenance.PROPOSED]:
        return Provenance.PROPOSED
    if trust <= TRUST[Provenance.IMPORTED] and domain != MEMEX:
        return Provenance.IMPORTED
    return Provenance.DEDUCED


def sufficient(mechanical: int, total: int, threshold: str | float = THRESHOLD) -> bool:
    """Return whether the non-lossy share exceeds `threshold`, exactly; without facts it does not.

    A float is taken as it prints, so that 0.7 is seven tenths.
    """
    return total > 0 and Fraction(mechanical, total) > Fraction(str(threshold))


def shares(counts: Sequence[int]) -> tuple[int, ...]:
    """Return `counts` as whole percents that sum to 100, by the largest remainder.

    Equal remainders go to the earlier count. All are 0 if the counts are.
    """
    total = sum(counts)
    if total == 0:
        return (0,) * len(counts)
    whole = [count * 100 // total for count in counts]
    rest = [count * 100 % total for count in counts]
    order = sorted(range(len(counts)), key=lambda at: (-rest[at], at))
    for at in order[: 100 - sum(whole)]:
        whole[at] += 1
    return tuple(whole)


def _three(values: tuple[int, ...]) -> tuple[int, int, int]:
    first, second, third = values
    return first, second, third
