"""What admission should say, by brute force: docs/fold.md section 11.

The candidate is put into the world as one more standing fact, everything is derived again, and
the two worlds are compared. Admission answers the same by index lookups and never sees this.
"""

from __future__ import annotations

from functools import lru_cache

from symbolic.canon import MEMBER, canonical
from symbolic.grounding import quote_hash
from symbolic.model.asserted import same_source
from symbolic.model.conflicts import ORDER, Clash, ancestors
from symbolic.model.timelines import points
from symbolic.model.world import Derived, World, derive
from symbolic.records import (
    STRICTNESS,
    Admission,
    Candidate,
    Name,
    Outcome,
    Overlap,
    Policy,
    Standing,
    Statement,
)
from symbolic.values import BadValue
from symbolic.world import OPEN, Assertion, Fact, Source, State


def judge(world: World, candidate: Candidate, *, by_person: bool = False) -> Admission:
    """Return the verdict on `candidate` in `world`, without sentences for people."""
    try:
        said = canonical(candidate.written, world.declarations, world.zone)
    except BadValue:
        return Admission(outcome=Outcome.MALFORMED)
    quote, key = candidate.grounding.quote, candidate.grounding.heading
    heading = world.heading(key) if key is not None else None
    if quote is None or heading is None or heading.agent:
        return Admission(outcome=Outcome.UNGROUNDED)
    if not world.places.holds_text(heading.key, quote):
        return Admission(outcome=Outcome.UNGROUNDED)
    if _barred(world, said, heading.key, quote_hash(quote)):
        return Admission(outcome=Outcome.REJECTED)
    known = world.fact(said.fid)
    if known is not None and known.standing is Standing.STANDING:
        return Admission(outcome=Outcome.DUPLICATE)
    return _weigh(world, candidate, said, heading.key, heading.evidence_date, by_person)


def _barred(world: World, said: Statement, key: str, quoted: str) -> bool:
    for bar in world.all_bars:
        if bar.kind == "reject":
            if bar.statement.fid == said.fid and same_source(bar, key, key, quoted):
                return True
        elif bar.statement.cls == said.cls and bar.resolved == key:
            return True
    return False


def _weigh(
    world: World, candidate: Candidate, said: Statement, key: str, date: str | None,
    by_person: bool,
) -> Admission:
    fact = _as_fact(candidate, said, key, date)
    before = world.derived
    after = _with(world, fact)
    mine = [c for c in after.clashes if fact.fid in (c.one, c.other)]
    rivals = tuple(sorted({_other(c, fact.fid) or fact.fid for c in mine} - {fact.fid}))
    unsure, rule = _exclusive(mine, after)
    if rule is not None:
        blockers = _blockers(mine, fact, after)
        return Admission(
            outcome=Outcome.BLOCKED, blockers=blockers, conflicts=rivals, rule=rule
        )
    if not by_person and (unsure or _needs_review(world, said, key, after)):
        return Admission(outcome=Outcome.NEEDS_REVIEW, conflicts=rivals)
    ended = tuple(sorted(
        fid for fid in before.frame.facts
        if any(s.ended_by == fact.fid for s in after.frame.spells[fid])
    ))
    outcome = Outcome.ADMITTED
    if _superseded(fact, after):
        outcome = Outcome.SUPERSEDED
    elif ended:
        outcome = Outcome.SUPERSEDING
    elif mine:
        outcome = Outcome.FLAGGED
    return Admission(outcome=outcome, conflicts=rivals, superseded=ended)


@lru_cache(maxsize=16)
def _with(world: World, fact: Fact) -> Derived:
    """Return what follows from the standing facts of `world` and `fact`, whoever asks."""
    facts = {**world.derived.frame.facts, fact.fid: fact}
    return derive(facts, world.declarations, world.zone)


def _as_fact(candidate: Candidate, said: Statement, key: str, date: str | None) -> Fact:
    quote = candidate.grounding.quote or ""
    assertion = Assertion(
        statement=said, written=candidate.written, source=Source.HEADING, source_id=key,
        provenance=candidate.proposer, state=State.LIVE, by="candidate", heading=key, key=key,
        quote=quote, quote_hash=quote_hash(quote), evidence_date=date,
    )
    return Fact(statement=said, standing=Standing.STANDING, assertions=(assertion,))


def _other(clash: Clash, fid: str) -> str | None:
    return clash.other if clash.one == fid else clash.one


def _is_exclusive(clash: Clash, derived: Derived) -> bool:
    policies = derived.frame.times.policies
    fids = [clash.one] + ([clash.other] if clash.other is not None else [])
    return max((policies[f] for f in fids), key=lambda p: STRICTNESS[p]) is Policy.EXCLUSIVE


def _exclusive(mine: list[Clash], after: Derived) -> tuple[bool, str | None]:
    """Return whether an exclusive rival perhaps clashes, and the constraint that surely does."""
    hard = [c for c in mine if _is_exclusive(c, after)]
    sure = [c.group[0] for c in hard if c.overlap is Overlap.YES]
    rule = min(sure, key=ORDER.index, default=None)
    return bool(hard) and not sure, rule


def _blockers(mine: list[Clash], fact: Fact, after: Derived) -> tuple[str, ...]:
    names: set[str] = set()
    relation = fact.statement.relation.canon
    for clash in mine:
        if clash.overlap is not Overlap.YES or not _is_exclusive(clash, after):
            continue
        other = _other(clash, fact.fid)
        if other is not None:
            names.add(other)
        elif clash.group[0] == "domain":
            names |= {
                fid for fid, f in after.frame.facts.items()
                if f.statement.relation.canon == MEMBER and f.statement.polarity
                and f.statement.entity == fact.statement.entity
                and f.statement.domain == fact.statement.domain
            }
        else:
            names.add(f"rule:{clash.group[0]}:{relation}")
    return tuple(sorted(names - {fact.fid}))


def _needs_review(world: World, said: Statement, key: str, after: Derived) -> bool:
    known = world.fact(said.fid)
    if known is not None and known.standing is Standing.RETRACTED:
        return True
    if any(bar.kind == "reject" and bar.statement.cls == said.cls for bar in world.all_bars):
        return True
    if after.frame.times.policies[said.fid] is Policy.EXCLUSIVE or _gate_reads(world, said):
        return True
    decl = world.declarations.relations.get(said.relation.canon)
    if decl is None or decl.min_sources <= 1:
        return False
    sources = {key}
    sources |= {a.heading for a in known.live if a.heading is not None} if known else set()
    sources |= {
        p.resolved for p in world.queue
        if p.state in OPEN and p.resolved is not None and p.statement is not None
        and p.statement.fid == said.fid
    }
    return len(sources) < decl.min_sources


def _gate_reads(world: World, said: Statement) -> bool:
    if said.relation.canon in world.declarations.gate_relations:
        return True
    if said.relation.canon != MEMBER or not isinstance(said.value, Name):
        return False
    return bool(ancestors(said.value.canon, world.declarations)
                & world.declarations.gate_classes)


def _superseded(fact: Fact, after: Derived) -> bool:
    """Return whether the spell that the fact's own point starts is ended by another's point."""
    frame = after.frame
    if not frame.times.on_timeline(fact) or not points(fact, frame.times):
        return False
    return any(spell.ended_by is not None for spell in frame.spells[fact.fid])
