"""Admission: the one deterministic judge between a candidate and the facts (docs/fold.md, 11).

``admit(candidate, view) -> Admission`` is pure and looks up only what the candidate can meet. It
never writes, never evicts and never asks a model. The first outcome that applies is given, with
sentences that name the other fact and where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from symbolic.canon import MEMBER, canonical
from symbolic.grounding import holds, quote_hash
from symbolic.records import (
    Admission,
    Candidate,
    Name,
    Outcome,
    Overlap,
    Policy,
    ProseHeading,
    Standing,
    Statement,
    Term,
)
from symbolic.refer import place, respelt
from symbolic.rivals import Around, Clash
from symbolic.world import Bar, Fact, Source, View


def admit(candidate: Candidate, view: View, *, by_person: bool = False) -> Admission:
    """Judge `candidate` against what `view` knows.

    `by_person` is a person's own admission: what needs review has it then. Nothing else changes.
    """
    try:
        statement = canonical(candidate.written, view.declarations, view.zone)
    except ValueError as error:
        return Admission(outcome=Outcome.MALFORMED, reasons=(f"malformed: {error}",))
    heading = find_heading(candidate, view)
    if (fault := _ungrounded(candidate, heading)) is not None:
        return Admission(outcome=Outcome.UNGROUNDED, reasons=(fault,))
    assert heading is not None and candidate.grounding.quote is not None
    case = _Case(candidate, statement, heading, view, view.bars(statement.cls))
    barred = case.barred()
    if barred:
        return Admission(outcome=Outcome.REJECTED, reasons=barred)
    fact = view.fact(statement.fid)
    if fact is not None and fact.standing is Standing.STANDING:
        reason = f"duplicate: it stands already as {case.name(fact)}"
        return Admission(outcome=Outcome.DUPLICATE, reasons=(reason,))
    return case.judge(fact, by_person)


def weigh(statement: Statement, candidate: Candidate, view: View) -> Admission:
    """Judge what a person states in their own name: it needs no quote and no review.

    No rejection bars it; only what surely and exclusively stands against it does.
    """
    fact = view.fact(statement.fid)
    return _Case(candidate, statement, None, view).judge(fact, True)


def find_heading(candidate: Candidate, view: View) -> ProseHeading | None:
    """Return the heading a candidate is grounded in: by key, else by path and outline if one is."""
    grounding = candidate.grounding
    if grounding.heading is not None:
        return view.heading(grounding.heading)
    if grounding.path is None:
        return None
    headings = view.headings(path=grounding.path)
    found = [h for h in headings if h.outline == grounding.outline]
    return found[0] if len(found) == 1 else None


def _ungrounded(candidate: Candidate, heading: ProseHeading | None) -> str | None:
    quote = candidate.grounding.quote
    if not quote or not quote.strip():
        return "ungrounded: it has no quote"
    if heading is None:
        named = candidate.grounding.heading or candidate.grounding.path or "none is named"
        return f"ungrounded: no heading is found for it ({named})"
    place = f"{heading.path}:{heading.line}"
    if heading.agent:
        return f"ungrounded: the heading at {place} was written by the program and is no evidence"
    if not holds(heading.text, quote):
        return f"ungrounded: the heading at {place} does not hold the quote '{quote}'"
    return None


def shown(term: Term) -> str:
    """Return a term as people read it."""
    return term.written


@dataclass(frozen=True, slots=True)
class _Case:
    """A well-formed, grounded candidate before the judge."""

    candidate: Candidate
    statement: Statement
    heading: ProseHeading | None
    view: View
    bars: tuple[Bar, ...] = ()

    # --- names --------------------------------------------------------------------------------

    def name(self, fact: Fact) -> str:
        """Return a fact with the place it stands, for a sentence."""
        return f"fact {fact.fid[:12]}, {self._place(fact)}"

    def _place(self, fact: Fact) -> str:
        said = next(iter(fact.live), fact.assertions[0] if fact.assertions else None)
        if said is None:
            return "said by nobody now"
        if said.source is Source.HEADING:
            path, line = place(self.view, said)
            return f"{path or said.heading or said.key}" + (f":{line}" if line else "")
        if said.source is Source.JOURNAL:
            return f"declared by {said.by}"
        return f"{said.source.value} {said.source_id}"

    # --- rejections ---------------------------------------------------------------------------

    def barred(self) -> tuple[str, ...]:
        """Return why a person's decision bars the candidate from this source, if one does."""
        return tuple(
            f"rejected: {bar.event[:12]} of {bar.at[:10]} bars it"
            + (f" ({bar.reason})" if bar.reason else "")
            for bar in self.bars
            if self._bars(bar)
        )

    def _bars(self, bar: Bar) -> bool:
        assert self.heading is not None
        here = bar.resolved is not None and bar.resolved == self.heading.key
        if bar.kind != "reject":
            return here
        if bar.statement.fid != self.statement.fid:
            return False
        mark = quote_hash(self.candidate.grounding.quote or "")
        return here or bar.scope == "everywhere" or (bar.quote_hash == mark)

    # --- rivals -------------------------------------------------------------------------------

    def judge(self, fact: Fact | None, by_person: bool) -> Admission:
        """Return the verdict on a candidate that nothing bars and that does not stand yet."""
        date = self.heading.evidence_date if self.heading else None
        around = Around(self.view, self.statement, date, fact)
        clashes = around.clashes()
        conflicts = tuple(sorted({clash.rival for clash in clashes if clash.rival is not None}))

        def verdict(outcome: Outcome, reasons: Iterable[str], **more: object) -> Admission:
            return Admission(
                outcome=outcome, reasons=tuple(dict.fromkeys(reasons)), conflicts=conflicts,
                **more,  # type: ignore[arg-type]
            )  # fmt: skip

        blocking = [c for c in clashes if c.policy is Policy.EXCLUSIVE and c.overlap is Overlap.YES]
        if blocking:
            return verdict(
                Outcome.BLOCKED, map(self._sentence, blocking), rule=blocking[0].constraint,
                blockers=tuple(sorted({b for c in blocking for b in self._blockers(c)})),
            )  # fmt: skip
        review = [] if by_person else self._review(fact, clashes, around)
        if review:
            return verdict(Outcome.NEEDS_REVIEW, review)
        if around.ended_by is not None:
            reason = f"superseded on arrival: {self._told(around.ended_by)} follows it"
            return verdict(Outcome.SUPERSEDED, [reason], superseded=around.ended)
        if around.ended:
            reasons = [f"superseding: it ends {self._told(fid)}" for fid in around.ended]
            return verdict(Outcome.SUPERSEDING, reasons, superseded=around.ended)
        if clashes:
            return verdict(Outcome.FLAGGED, map(self._sentence, clashes))
        return verdict(Outcome.ADMITTED, ())

    def _blockers(self, clash: Clash) -> list[str]:
        if clash.rival is not None:
            return [clash.rival]
        if clash.constraint != "domain":
            return [f"rule:{clash.constraint}:{self.statement.relation.canon}"]
        facts = self.view.facts(
            domain=self.statement.domain, entity=self.statement.entity, relation=MEMBER
        )
        return [
            fact.fid
            for fact in facts
            if fact.standing is Standing.STANDING and fact.statement.polarity
        ]

    def _review(self, fact: Fact | None, clashes: list[Clash], around: Around) -> list[str]:
        """Return why a person has to decide, in the order that is fixed."""
        said, words = self.statement, around.words
        reasons = [
            f"perhaps {self._sentence(clash)}"
            for clash in clashes
            if clash.policy is Policy.EXCLUSIVE and clash.overlap is Overlap.MAYBE
        ]
        reasons += [
            f"{_said(bar.statement)} was rejected ({bar.event[:12]} of {bar.at[:10]})"
            for bar in self.bars
            if bar.kind == "reject"
        ]
        if fact is not None and fact.standing is Standing.RETRACTED:
            reasons.append(f"it was withdrawn before ({self.name(fact)})")
        if around.case.policy is Policy.EXCLUSIVE:
            reasons.append(f"{shown(said.relation)} is exclusive here, so a person decides")
        if self._read_by_gates(around):
            reasons.append(f"gates read {shown(said.relation)} {shown(said.value)}")
        least = words.min_sources(said.relation.canon)
        if least > 1 and (have := len(self._sources(fact))) < least:
            reasons.append(f"{shown(said.relation)} needs {least} sources and has {have}")
        return reasons

    def _read_by_gates(self, around: Around) -> bool:
        decls, said = self.view.declarations, self.statement
        if said.relation.canon in decls.gate_relations:
            return True
        if said.relation.canon != MEMBER or not isinstance(said.value, Name):
            return False
        return not decls.gate_classes.isdisjoint(around.words.above(said.value.canon))

    def _sources(self, fact: Fact | None) -> set[str]:
        """Return the headings that say it: live ones, those of open proposals, and this one."""
        found = {self.heading.key} if self.heading else set()
        found.update(a.heading for a in (fact.live if fact else ()) if a.heading is not None)
        for proposal in self.view.proposals(fid=self.statement.fid, closed=False):
            if proposal.resolved is not None:
                found.add(proposal.resolved)
        return found

    # --- sentences ----------------------------------------------------------------------------

    def _told(self, fid: str) -> str:
        fact = self.view.fact(fid)
        if fact is None:
            return fid
        first = next(iter(fact.live), fact.assertions[0])
        spelt = respelt(first.written, fact.statement)
        as_written = "" if spelt is None else f", written as '{spelt}'"
        return f"{_said(fact.statement)} ({self.name(fact)}{as_written})"

    def _sentence(self, clash: Clash) -> str:
        if clash.rival is None:
            return f"{clash.policy.value}: {_ALONE[clash.constraint](self.statement)}"
        alike = clash.constraint in ("functional", "disjoint", "cardinality")
        said = shown(self.statement.value) if alike else _said(self.statement)
        spelt = respelt(self.candidate.written, self.statement)
        said += "" if spelt is None else f" (written as '{spelt}')"
        ending = "contradicts it, both stay"
        if clash.policy is Policy.EXCLUSIVE:
            sure = clash.overlap is Overlap.YES
            ending = "cannot stand beside it" if sure else "may exclude it"
        return (
            f"{clash.policy.value}: {self._told(clash.rival)}; {said} {ending}"
            f" ({clash.constraint})"
        )


def _said(statement: Statement) -> str:
    """Return a statement as a sentence's part: `born-in of Ada is Rome, from 2020`."""
    verb = "is" if statement.polarity else "is not"
    text = f"{shown(statement.relation)} of {shown(statement.entity)} {verb} "
    text += shown(statement.value)
    if statement.valid_from is not None:
        text += f", from {statement.valid_from}"
    if statement.valid_to is not None:
        text += f", to {statement.valid_to}"
    return text


_ALONE: dict[str, Callable[[Statement], str]] = {
    "irreflexive": lambda s: f"{shown(s.relation)} holds between two, not of {shown(s.entity)}"
    " and itself (irreflexive)",
    "acyclic": lambda s: f"{shown(s.relation)} may not lead from {shown(s.entity)} back to itself"
    " (acyclic)",
    "domain": lambda s: f"{shown(s.entity)} is in no class that {shown(s.relation)} is declared for"
    " (domain)",
    "range": lambda s: f"{shown(s.value)} is no value that {shown(s.relation)} takes (range)",
}
