"""Why not: the single changes that would let a candidate in, each found by trying it.

Every change is applied to a copy of the index, and admission is asked again; a change that is
listed did what it is listed for. Nothing is guessed and nothing of a trial stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace

from bridge.decisions import Entry, withdrawals
from bridge.supposing import supposed
from symbolic.admission import admit
from symbolic.canon import MEMBER
from symbolic.chains import fact_text
from symbolic.records import (
    UNKNOWN,
    Admission,
    Candidate,
    Declarations,
    Outcome,
    Policy,
    RelationDecl,
    Term,
    Written,
)
from symbolic.store.store import Store
from symbolic.vocabulary import Vocabulary
from symbolic.world import Change, Fact, Proposal, View

LETS_IN = frozenset(
    (Outcome.ADMITTED, Outcome.FLAGGED, Outcome.SUPERSEDING, Outcome.SUPERSEDED, Outcome.DUPLICATE)
)
"""The outcomes after which a fact stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that could be otherwise: decisions, declarations, or the candidate itself.

    `command` is what `pp` would be told to do it, empty where a file has to be edited.
    """

    text: str
    command: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = ()
    declarations: Declarations | None = None
    candidate: Candidate | None = None
    by_person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A step and what admission then says; `by_person` if it says so only when a person admits."""

    step: Step
    verdict: Admission
    by_person: bool = False

    @property
    def lets_in(self) -> bool:
        """Whether the fact would stand."""
        return self.verdict.outcome in LETS_IN


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """What admission says today, and what it says after each single change."""

    proposal: Proposal
    verdict: Admission
    tried: tuple[Tried, ...]

    @property
    def ways(self) -> tuple[Tried, ...]:
        """The changes that would let it in.

        Where a person's yes is all it takes, no other change that still needs one is a way.
        """
        enough = any(one.step.by_person and one.lets_in for one in self.tried)
        return tuple(
            one for one in self.tried
            if one.lets_in and (one.step.by_person or not (enough and one.by_person))
        )


def why_not(store: Store, proposal: Proposal, person: str) -> WhyNot:
    """Try every single change that bears on `proposal`. `store` is a copy: see `Store.copy`."""
    verdict = admit(proposal.candidate, store)
    tried: list[Tried] = []
    if verdict.outcome not in LETS_IN:
        tried = [
            _after(store, step, proposal.candidate, person)
            for step in steps(store, proposal, verdict)
        ]
    return WhyNot(proposal=proposal, verdict=verdict, tried=tuple(tried))


def _after(store: Store, step: Step, candidate: Candidate, person: str) -> Tried:
    change = None
    if step.entries:
        change = Change(lines=supposed(store, step.entries, person))
    elif step.declarations is not None:
        change = Change(declarations=step.declarations)
    asked = step.candidate or candidate
    with store.trial(change) if change is not None else nullcontext(store) as view:
        verdict = admit(asked, view, by_person=step.by_person)
        if verdict.outcome is Outcome.NEEDS_REVIEW:
            by_person = admit(asked, view, by_person=True)
            return Tried(step=step, verdict=by_person, by_person=True)
    return Tried(step=step, verdict=verdict, by_person=step.by_person)


# --- what could be otherwise ------------------------------------------------------------------


def steps(view: View, proposal: Proposal, verdict: Admission) -> Iterator[Step]:
    """Yield the single changes that may bear on a verdict, the mildest first."""
    yield Step(text="a person admits it", command=("admit", proposal.id), by_person=True)
    said = proposal.statement
    rivals = dict.fromkeys((*verdict.blockers, *verdict.conflicts))
    facts = [fact for fid in rivals if (fact := view.fact(fid)) is not None]
    for fact in facts:
        bodies = withdrawals(fact, view, None)
        if bodies:
            yield Step(
                text=f"{fact_text(fact)} is retracted",
                command=("retract", fact.fid),
                entries=tuple(("retract", body) for body in bodies),
            )
    for bar in view.bars(said.cls) if said is not None else ():
        yield Step(
            text=f"the {bar.kind} of {bar.at[:10]} is undone",
            command=("undo", bar.event),
            entries=(("undo", {"event": bar.event}),),
        )
    yield from _other_times(proposal.candidate, facts)
    if said is not None:
        yield from _undeclared(said.relation.canon, view.declarations)
        if said.relation.canon == MEMBER:
            yield from _joint(said.value, view.declarations)


def _other_times(candidate: Candidate, facts: list[Fact]) -> Iterator[Step]:
    """Yield the candidate with the bound at which a rival begins or ends."""
    for fact in facts:
        said = fact.statement
        if said.valid_from not in (None, UNKNOWN, candidate.written.valid_to):
            yield _bounded(candidate, f"it is said to end by {said.valid_from}",
                           replace(candidate.written, valid_to=said.valid_from))  # fmt: skip
        if said.valid_to not in (None, UNKNOWN, candidate.written.valid_from):
            yield _bounded(candidate, f"it is said to begin in {said.valid_to}",
                           replace(candidate.written, valid_from=said.valid_to))  # fmt: skip


def _bounded(candidate: Candidate, text: str, written: Written) -> Step:
    return Step(text=text, candidate=replace(candidate, written=written))


def _undeclared(relation: str, decls: Declarations) -> Iterator[Step]:
    """Yield the declarations with one property of a relation off."""
    decl = decls.relations.get(relation)
    if decl is None:
        return
    for text, other in _without(decl):
        relations = {**decls.relations, relation: other}
        if other.opposite != decl.opposite:
            relations = {name: _unopposed(one, relation) for name, one in relations.items()}
        yield Step(
            text=f"{decl.written} {text} in the ontology",
            declarations=replace(decls, relations=relations),
        )


def _unopposed(decl: RelationDecl, relation: str) -> RelationDecl:
    """Return a declaration without `relation` as an opposite: either side may declare it."""
    if relation not in decl.opposite:
        return decl
    return replace(decl, opposite=tuple(one for one in decl.opposite if one != relation))


def _joint(value: Term, decls: Declarations) -> Iterator[Step]:
    """Yield the declarations with one pair of disjoint classes joined."""
    for one, other in Vocabulary(decls).disjoint_pairs(value.canon):
        classes = dict(decls.classes)
        for name, gone in ((one, other), (other, one)):
            decl = classes.get(name)
            if decl is not None:
                kept = tuple(c for c in decl.disjoint if c != gone)
                classes[name] = replace(decl, disjoint=kept)
        yield Step(
            text=f"{one} and {other} were not DISJOINT in the ontology",
            declarations=replace(decls, classes=classes),
        )


def _without(decl: RelationDecl) -> Iterator[tuple[str, RelationDecl]]:
    off: list[tuple[object, str, RelationDecl]] = [
        (decl.functional, "were not FUNCTIONAL", replace(decl, functional=False)),
        (decl.inverse_functional, "were not INVERSE_FUNCTIONAL",
         replace(decl, inverse_functional=False)),
        (decl.asymmetric, "were not ASYMMETRIC", replace(decl, asymmetric=False)),
        (decl.irreflexive, "were not IRREFLEXIVE", replace(decl, irreflexive=False)),
        (decl.acyclic, "were not ACYCLIC", replace(decl, acyclic=False)),
        (decl.domain, "had no DOMAIN", replace(decl, domain=())),
        (decl.range, "had no RANGE", replace(decl, range=())),
        (decl.opposite, "had no OPPOSITE", replace(decl, opposite=())),
        (decl.cardinality, "had no CARDINALITY", replace(decl, cardinality=None)),
        (decl.min_sources > 1, "needed one source only", replace(decl, min_sources=1)),
    ]  # fmt: skip
    yield from ((text, other) for declared, text, other in off if declared)
    for policy in (Policy.TEMPORAL, Policy.COEXISTENT):
        if decl.policy not in (None, policy):
            yield f"had the policy {policy.value}", replace(decl, policy=policy)
