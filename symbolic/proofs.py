"""Proofs of what rules derive, the smallest first.

::

    Proof ── support: rule, head ──► premises ──► Proof of each deduced one
                                             └──► a base fact: the leaf, whose chain audit knows

A proof is a finite tree in which nothing rests on itself. Its size is the number of its steps and
base facts. The search is best first: partial proofs are grown at their first open premise, ordered
by what they have plus the least that their open premises can cost.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from symbolic.deduced import Premise, Support, Triple

Supports = Callable[[Triple], tuple[Support, ...]]
"""The supports of a deduced triple; of a base fact there are none."""

SLICE = 10_000
"""The most triples that are looked at below one question."""


@dataclass(frozen=True, slots=True)
class Proof:
    """One step and the proofs of its deduced premises, None for a base fact or an absence.

    `below` stands in the order of the support's premises.
    """

    support: Support
    below: tuple[Proof | None, ...]

    @property
    def size(self) -> int:
        """Steps and base facts."""
        return 1 + sum(1 if proof is None else proof.size for proof in self.below)


def proofs(target: Triple, supports: Supports) -> Iterator[Proof]:
    """Yield the proofs of `target`, the smallest first, equal ones in the order of their rules."""
    known = _slice(target, supports)
    least = _least(known)
    if target not in least:
        return
    ticket = count()
    start = _Partial((), (target,), ((),))
    queue: list[tuple[int, tuple[str, ...], int, _Partial]] = [
        (least[target], (), next(ticket), start)
    ]
    while queue:
        _, _, _, partial = heapq.heappop(queue)
        if not partial.open:
            yield partial.proof()
            continue
        for grown in partial.grown(known):
            if all(triple in least for triple in grown.open):
                cost = grown.cost + sum(least[triple] for triple in grown.open)
                heapq.heappush(queue, (cost, grown.rules, next(ticket), grown))


def deduced(premise: Premise) -> bool:
    """Return whether a premise has a proof of its own."""
    return premise.fid is None and not premise.absent


@dataclass(frozen=True, slots=True)
class _Partial:
    """A proof under way, its steps in the order in which a walk from the top meets them.

    `open` are the premises still to prove, the next one first; `above` what each of them would
    rest on itself by.
    """

    steps: tuple[Support, ...]
    open: tuple[Triple, ...]
    above: tuple[tuple[Triple, ...], ...]

    @property
    def cost(self) -> int:
        return sum(
            1 + sum(not deduced(premise) for premise in step.premises) for step in self.steps
        )

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(step.rule for step in self.steps)

    def grown(self, known: Mapping[Triple, tuple[Support, ...]]) -> Iterator[_Partial]:
        """Yield this proof with its next open premise proved in each way."""
        goal, *rest = self.open
        path, *others = self.above
        path = (*path, goal)
        for support in known[goal]:
            fresh = tuple(p.triple for p in support.premises if deduced(p))
            if not any(triple in path for triple in fresh):
                yield _Partial(
                    (*self.steps, support), (*fresh, *rest), (*(path for _ in fresh), *others)
                )

    def proof(self) -> Proof:
        steps = iter(self.steps)

        def build() -> Proof:
            step = next(steps)
            return Proof(step, tuple(build() if deduced(p) else None for p in step.premises))

        return build()


def _slice(target: Triple, supports: Supports) -> dict[Triple, tuple[Support, ...]]:
    """Return the supports of `target` and of all below it, at most SLICE triples."""
    known: dict[Triple, tuple[Support, ...]] = {}
    ahead = [target]
    while ahead and len(known) < SLICE:
        triple = ahead.pop(0)
        if triple in known:
            continue
        known[triple] = tuple(sorted(supports(triple), key=_order))
        for support in known[triple]:
            ahead.extend(p.triple for p in support.premises if deduced(p))
    for triple in ahead:
        known.setdefault(triple, ())
    return known


def _order(support: Support) -> tuple[str, str]:
    return support.rule, " ".join(p.fid or p.triple.statement().fid for p in support.premises)


def _least(known: Mapping[Triple, tuple[Support, ...]]) -> dict[Triple, int]:
    """Return the size of the smallest proof of each triple that has one."""
    least: dict[Triple, int] = {}
    waiting: dict[Triple, list[Triple]] = {}
    for head, ways in known.items():
        for support in ways:
            for premise in support.premises:
                if deduced(premise):
                    waiting.setdefault(premise.triple, []).append(head)
    ahead = set(known)
    while ahead:
        head = ahead.pop()
        costs = [
            1 + sum(least[p.triple] if deduced(p) else 1 for p in support.premises)
            for support in known[head]
            if all(not deduced(p) or p.triple in least for p in support.premises)
        ]
        best = min(costs, default=None)
        if best is not None and best < least.get(head, best + 1):
            least[head] = best
            ahead.update(waiting.get(head, ()))
    return least
