"""What a person decides: declare, reject, retract, supersede, settle, undo.

Each is called inside `App.writing(person=True)`, writes its lines in one append and returns them.
Naming the id is the decision; the journal keeps the digest of what was printed where one was.
"""

from __future__ import annotations

from dataclasses import dataclass

from bridge import decisions
from bridge.app import App
from bridge.follows import follows, refusal, stands, unretractable, written_of
from bridge.former import today
from bridge.review import current, find, judged
from neuro.pairs import BadPlist
from neuro.plist import parse_fact
from symbolic.admission import weigh
from symbolic.canon import canonical, to_json
from symbolic.errors import Refused, Stale, Usage
from symbolic.records import (
    Admission,
    Candidate,
    Grounding,
    Outcome,
    Policy,
    Provenance,
    Standing,
    Statement,
    Written,
)
from symbolic.values import BadValue, parse_bound
from symbolic.world import OPEN, Conflict, Fact, Proposal, Source, View

NO_UNDO = frozenset(("open", "anchor", "gates", "redact", "redo", "edit", "edited"))
"""Lines that note what happened; there is no decision in them to take back."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a decision wrote. `fact` is the fid it speaks of, `outcome` what became of it."""

    events: tuple[str, ...]
    fact: str | None
    outcome: str


# --- finding what is named ----------------------------------------------------------------------


def fact_named(view: View, fid: str) -> Fact:
    """Return the fact whose id starts, or once did, with `fid`.

    Raises Usage if none or several do.
    """
    exact = view.fact(fid)
    if exact is not None:
        return exact
    if len(fid) >= 6:
        found = [fact for fact in view.facts() if fact.fid.startswith(fid)]
        if len(found) == 1:
            return found[0]
        if found:
            raise Usage(f"{fid} could be {', '.join(f.fid for f in found[:5])}")
    if (now := view.fact(today(view, fid))) is not None:
        return now
    raise Usage(f"there is no fact {fid}: `pp query '? ? ?' --all` lists them with their ids")


def _proposals(view: View, named: str) -> list[Proposal]:
    """Return the proposal with the id `named`, or those whose ids start with it."""
    exact = view.proposals(id=named)
    return list(exact) or [p for p in view.proposals() if p.id.startswith(named)]


def stated(app: App, plist: str) -> tuple[Written, Statement]:
    """Read a plist as a person's statement. Raises Usage with the place of a mistake."""
    read = parse_fact(plist, zone=app.view.zone)
    if isinstance(read, BadPlist):
        raise Usage(f"column {read.column}: {read.message}\n  {read.excerpt}\n  {read.remedy}")
    try:
        return read, canonical(read, app.view.declarations, app.view.zone)
    except BadValue as error:
        raise Usage(str(error)) from error


# --- the decisions ------------------------------------------------------------------------------


def declare(app: App, plist: str) -> Done:
    """State a fact. Raises Refused naming what stands against it surely and exclusively."""
    written, statement = stated(app, plist)
    verdict = _by_person(app.view, written, statement)
    if verdict.outcome is Outcome.BLOCKED:
        raise Refused(_sentence(verdict))
    known = app.view.fact(statement.fid)
    if known is not None and any(
        a.source is Source.JOURNAL and a.provenance is Provenance.HUMAN for a in known.live
    ):
        return Done((), statement.fid, Outcome.DUPLICATE.value)
    lines = app.append([("declare", {"statement": to_json(written)})])
    return Done(tuple(line.hash for line in lines), statement.fid, verdict.outcome.value)


def _by_person(view: View, written: Written, statement: Statement) -> Admission:
    candidate = Candidate(
        written=written, grounding=Grounding(heading=None), proposer=Provenance.HUMAN
    )
    return weigh(statement, candidate, view)


def _sentence(verdict: Admission) -> str:
    return "; ".join(verdict.reasons) or verdict.outcome.value


def reject(app: App, named: str, *, everywhere: bool, reason: str | None) -> Done:
    """Refuse a proposal or a fact for good, from its source or from everywhere."""
    scope = "everywhere" if everywhere else "source"
    proposals = _proposals(app.view, named)
    if len(proposals) == 1:
        proposal = proposals[0]
        if proposal.state not in OPEN:
            raise Stale(f"proposal {proposal.id} is {proposal.state.value} already")
        shown = decisions.shown(proposal, judged(proposal, app.view), app.view)
        lines = app.append(
            [decisions.reject_proposal(proposal, scope, reason, shown, app.view)]
        )
        fid = proposal.statement.fid if proposal.statement else None
        return Done(tuple(line.hash for line in lines), fid, Outcome.REJECTED.value)
    deduced = follows(app.view, named)
    if deduced is not None and not stands(app.view, deduced.triple.statement().fid):
        lines = app.append(refusal(deduced, reason, app.view))
        fid = deduced.triple.statement().fid
        return Done(tuple(line.hash for line in lines), fid, Outcome.REJECTED.value)
    fact = fact_named(app.view, named)
    _not_a_gate_row(fact)
    entries = decisions.reject_fact(fact, scope, reason, app.view)
    if not entries:
        raise Usage(f"{fact.fid} rests on what a person stated: `pp retract {fact.fid}`")
    lines = app.append(entries)
    return Done(tuple(line.hash for line in lines), fact.fid, Outcome.REJECTED.value)


def retract(app: App, fid: str, *, heading: str | None, reason: str | None) -> Done:
    """Withdraw a fact from all its sources, or from one heading.

    Raises Refused for what only follows from others, naming them.
    """
    deduced = follows(app.view, fid)
    if deduced is not None and not stands(app.view, deduced.triple.statement().fid):
        raise unretractable(deduced, app.view)
    fact = fact_named(app.view, fid)
    _not_a_gate_row(fact)
    if fact.standing is Standing.RETRACTED:
        return Done((), fact.fid, Standing.RETRACTED.value)
    bodies = decisions.withdrawals(fact, app.view, reason, heading)
    if not bodies:
        where = f" at {heading}" if heading else ""
        raise Usage(f"nobody states {fact.fid}{where} now: there is nothing to retract")
    lines = app.append([("retract", body) for body in bodies])
    after = app.view.fact(fact.fid)
    return Done(
        tuple(line.hash for line in lines), fact.fid,
        after.standing.value if after else Standing.RETRACTED.value,
    )


def _not_a_gate_row(fact: Fact) -> None:
    rows = [a.source_id for a in fact.live if a.source is Source.GATE]
    if rows:
        raise Refused(
            f"{fact.fid} is a row of {rows[0]}: it is changed in its table, never contradicted away"
        )


def supersede(app: App, old: str, new: str, since: str | None) -> Done:
    """Replace OLD by NEW, a proposal's id or a plist, in one line.

    On a timeline OLD keeps its history up to `since` (or the start of NEW); elsewhere it goes.
    """
    view = app.view
    fact = fact_named(view, old)
    _not_a_gate_row(fact)
    named = [] if new.lstrip().startswith("(") else _proposals(view, new)
    proposals = [p for p in named if p.state in OPEN]
    if len(named) == 1 and not proposals:
        raise Stale(f"proposal {named[0].id} is {named[0].state.value} already")
    if len(proposals) == 1:
        proposal = find(view, proposals[0].id)
        if proposal.statement is None:
            raise Refused(f"proposal {proposal.id} is malformed")
        statement, written = proposal.statement, proposal.candidate.written
        verdict = judged(proposal, view, by_person=True)
        body = decisions.admitted(proposal, verdict, None, None, view)
        dated = current(proposal).grounding.evidence_date
    else:
        written, statement = stated(app, new)
        verdict, dated = _by_person(view, written, statement), None
        body = {"statement": to_json(written)}
    if statement.fid == fact.fid:
        raise Usage("OLD and NEW are the same fact")
    if verdict.outcome in (Outcome.MALFORMED, Outcome.UNGROUNDED, Outcome.REJECTED):
        raise Refused(_sentence(verdict))
    if _replaced(fact, statement.fid, since, view):
        return Done((), statement.fid, Outcome.DUPLICATE.value)
    others = [blocker for blocker in verdict.blockers if blocker != fact.fid]
    if others:
        raise Refused(f"not only OLD is in the way: {_sentence(verdict)}")
    bound = _since(since, statement, dated, fact, view)
    if "outcome" in body:
        body["outcome"] = Outcome.SUPERSEDING.value
    entry, rest = decisions.supersede(fact, body, bound, view)
    lines = app.append([*rest, entry])
    return Done(
        tuple(line.hash for line in lines), statement.fid, Outcome.SUPERSEDING.value
    )


def _replaced(old: Fact, new: str, since: str | None, view: View) -> bool:
    """Return whether OLD has made way for NEW already: said twice it is one decision."""
    stands = view.fact(new)
    if stands is None or not any(a.provenance is Provenance.HUMAN for a in stands.live):
        return False
    if since is None and old.standing is Standing.RETRACTED:
        return True
    return old.closed is not None and old.closed[1] == new and since in (None, old.closed[0])


def _since(
    since: str | None, new: Statement, dated: str | None, old: Fact, view: View
) -> str | None:
    """Return the bound at which OLD ends, None if it is withdrawn altogether."""
    try:
        given = parse_bound(since, view.zone)
    except BadValue as error:
        raise Usage(f"--from: {error}") from error
    if given is not None:
        return given
    if view.policy(old.statement) is not Policy.TEMPORAL:
        return None
    start = new.valid_from if new.valid_from not in (None, "?") else dated
    if start is None:
        raise Usage("on a timeline NEW needs a date: give --from DATE, or :from in the plist")
    return start


def settle(app: App, named: str, *, keep: str | None) -> Done:
    """Close a conflict: keep one member and withdraw the others, or let all stand.

    A member that only follows from rules cannot be withdrawn: Refused, naming what it follows from.
    """
    view = app.view
    conflict = conflict_named(view, named)
    members = [fact for fid in conflict.members if (fact := view.fact(fid)) is not None]
    stated = {fact.fid for fact in members}
    derived = [
        found for fid in conflict.members
        if fid not in stated and (found := follows(view, fid)) is not None
    ]
    kept = None
    if keep is not None:
        kept = fact_named(view, keep)
        if kept.fid not in conflict.members:
            raise Usage(f"{kept.fid} is no member of {conflict.id}")
        for fact in members:
            if fact.fid != kept.fid:
                _not_a_gate_row(fact)
        if derived:
            raise unretractable(derived[0], view)
    also = [written_of(one, view.declarations, view.zone) for one in derived]
    lines = app.append([decisions.settle(conflict, kept, members, view, also)])
    return Done(
        tuple(line.hash for line in lines), kept.fid if kept else None, "settled"
    )


def conflict_named(view: View, named: str) -> Conflict:
    """Return the conflict whose id starts with `named`. Raises Usage if none or several do."""
    found = [c for c in view.conflicts() if c.id.startswith(named)]
    if len(found) != 1:
        raise Usage(f"there is no conflict {named}: see `pp contradictions`")
    return found[0]


def undo(app: App, named: str) -> Done:
    """Take an event out of the fold. What it had overridden is live again."""
    found = [line for line in app.view.lines() if line.hash.startswith(named)]
    if len(found) != 1 or len(named) < 6:
        raise Usage(f"there is no event {named}: decisions print theirs, `pp why` names them")
    line = found[0]
    if line.kind in NO_UNDO:
        raise Refused(f"{line.hash[:12]} is a '{line.kind}' line: it notes what happened")
    if line.kind == "ontology" and line.body.get("via") == "file":
        raise Refused(
            f"{line.hash[:12]} was read from system/ontology.org: edit the file, then pp sync"
        )
    out = app.view.undone().get(line.hash)
    if out is not None:
        raise Stale(f"{line.hash[:12]} is undone already, by {out[:12]}")
    lines = app.append([("undo", {"event": line.hash})])
    return Done(tuple(done.hash for done in lines), None, "undone")
