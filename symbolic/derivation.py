"""Proofs as trees for people: each step with its rule and premises, down to headings.

No step is printed that the independent checker (symbolic/check.py) has not found real by what the
view holds; one that is not is named as such, since the index it was read from is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from symbolic.chains import fact_branch
from symbolic.check import Checked, check
from symbolic.deduced import Instant, Premise, Support, Triple
from symbolic.derived import spelt
from symbolic.proofs import Proof, proofs
from symbolic.rules.syntax import Rule
from symbolic.tree import Branch, span_text, statement_text
from symbolic.world import Fact, View
from symbolic.zones import canonical_bound

LIMIT = 20
"""How many proofs are shown where nobody says otherwise."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """The proofs of one triple that were asked for, and whether there are more."""

    proofs: tuple[Proof, ...]
    more: bool


@dataclass(slots=True)
class Prover:
    """Finds, checks and prints proofs over one view; what it checked it remembers."""

    view: View
    _supports: dict[Triple, tuple[Support, ...]] = field(default_factory=dict)
    _pieces: dict[Support, tuple[Support, ...]] = field(default_factory=dict)
    _checked: dict[Support, Checked] = field(default_factory=dict)
    _rules: dict[str, Rule] = field(default_factory=dict)

    def proofs(self, triple: Triple, limit: int = LIMIT) -> Derivation:
        """Return the smallest proofs of `triple`."""
        found = tuple(islice(proofs(triple, self.supports), limit + 1))
        return Derivation(found[:limit], len(found) > limit)

    def supports(self, triple: Triple) -> tuple[Support, ...]:
        """Return the supports of a triple; those that differ in their span alone are one.

        A fact that begins with a civil date is known apart while its first unit lasts
        (docs/fold.md, 13.1). To a reader both pieces are one proof.
        """
        known = self._supports.get(triple)
        if known is None:
            kept = self.view.supports_of(triple)
            known = self._supports[triple] = tuple(self._joined(kept))
        return known

    def _joined(self, kept: tuple[Support, ...]) -> Iterator[Support]:
        groups: dict[tuple[object, ...], list[Support]] = {}
        for support in kept:
            same = tuple((p.triple, p.fid, p.absent) for p in support.premises)
            groups.setdefault((support.rule, same), []).append(support)
        for group in groups.values():
            group.sort(key=_low)
            run = [group[0]]
            for support in group[1:]:
                if run[-1].hi is not None and run[-1].hi == support.lo:
                    run.append(support)
                else:
                    yield self._one(run)
                    run = [support]
            yield self._one(run)

    def _one(self, run: list[Support]) -> Support:
        first, last = run[0], run[-1]
        whole = replace(
            last,
            premises=tuple(
                replace(one, lo=min(one, other, key=_low).lo, hi=max(one, other, key=_high).hi)
                for one, other in zip(first.premises, last.premises, strict=True)
            ),
            lo=first.lo, imprecise=all(one.imprecise for one in run),
        )  # fmt: skip
        self._pieces[whole] = tuple(run)
        return whole

    def faults(self, support: Support) -> tuple[str, ...]:
        """Return what the checker finds wrong with a step, with any piece of it."""
        found: dict[str, None] = {}
        for piece in self._pieces.get(support, (support,)):
            known = self._checked.get(piece)
            if known is None:
                known = self._checked[piece] = check(piece, self.view)
            found.update(dict.fromkeys(known.faults))
        return tuple(found)

    # --- trees --------------------------------------------------------------------------------

    def branches(self, fact: Fact, limit: int = LIMIT) -> Iterator[Branch]:
        """Yield a branch for each proof of a deduced fact, then one that says if there are more."""
        if fact.deduced is None:
            return
        found = self.proofs(fact.deduced.triple, limit)
        for number, proof in enumerate(found.proofs, 1):
            yield self.branch(proof, f"proof {number}, {_size(proof)}: ")
        if found.more:
            yield Branch(f"there are more: --limit {2 * limit}")
        if not found.proofs:
            yield Branch("no proof of it is kept: run pp rebuild --verify")

    def branch(self, proof: Proof, before: str = "") -> Branch:
        """Return a proof as a tree: the step, its rule, then a branch for each premise."""
        support = proof.support
        faults = self.faults(support)
        said = self._said(support.head, support.lo, support.hi)
        head = f"{before}{said} by {self._rule(support)}"
        if faults:
            wrong = tuple(Branch(fault) for fault in faults)
            return Branch(f"{head}: the checker does not find this step (pp rebuild)", wrong)
        head += self._imprecise(support)
        below = [
            self.branch(under) if under is not None else self._premise(premise)
            for premise, under in zip(support.premises, proof.below, strict=True)
        ]
        return Branch(head, tuple(below))

    def _imprecise(self, support: Support) -> str:
        pieces = self._pieces.get(support, (support,))
        spans: list[tuple[Instant, Instant]] = []
        for one in pieces:
            if not one.imprecise:
                continue
            if spans and spans[-1][1] is not None and spans[-1][1] == one.lo:
                spans[-1] = (spans[-1][0], one.hi)
            else:
                spans.append((one.lo, one.hi))
        if not spans:
            return ""
        if all(one.imprecise for one in pieces):
            return ", imprecise"
        return f", imprecise {' '.join(self._span(*span) for span in spans)}"

    def _premise(self, premise: Premise) -> Branch:
        text = self._said(premise.triple, premise.lo, premise.hi)
        if premise.absent:
            return Branch(f"nothing says {text}")
        fact = self.view.fact(premise.fid) if premise.fid is not None else None
        if fact is None:
            return Branch(text)
        chain = fact_branch(self.view, fact)
        return Branch(f"{text}: fact {fact.fid}", chain.children)

    def _said(self, triple: Triple, lo: Instant, hi: Instant) -> str:
        return f"{statement_text(spelt(self.view, triple))} {self._span(lo, hi)}"

    def _span(self, lo: Instant, hi: Instant) -> str:
        zone = self.view.zone
        return span_text(canonical_bound(lo, zone), canonical_bound(hi, zone))

    def _rule(self, support: Support) -> str:
        if not self._rules:
            self._rules.update({rule.id: rule for rule in self.view.program().rules})
        rule = self._rules.get(support.rule)
        if rule is None:
            return f"rule {support.rule}"
        where = f" ({rule.place.file}:{rule.place.line})" if rule.place.line else ""
        return f"rule {rule.name}{where}"


def _low(one: Support | Premise) -> float:
    return float("-inf") if one.lo is None else one.lo


def _high(one: Support | Premise) -> float:
    return float("inf") if one.hi is None else one.hi


def _size(proof: Proof) -> str:
    steps = _steps(proof)
    return f"{steps} step{'s' if steps > 1 else ''}"


def _steps(proof: Proof) -> int:
    return 1 + sum(_steps(below) for below in proof.below if below is not None)
