"""Why: the reasons of a fact, a proposal or an event, in the words of process or in plain ones.

A source, a check or a decision grasps a statement: a positive prehension lets it in, a negative
one keeps it out; the concrescence is all of them together, the satisfaction what came of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symbolic.chains import assertion, event_branch, fact_branch, journalled, named
from symbolic.derivation import LIMIT, Prover
from symbolic.derived import printed_spells
from symbolic.factjson import rule_of
from symbolic.labels import DISPUTED, UNDATED, UNDER_SOURCED, labels, superseded_by
from symbolic.records import Line, ProseHeading
from symbolic.target import NoTarget, find
from symbolic.tree import Branch, span_text, statement_text
from symbolic.world import Conflict, Fact, Proposal, Queued, State, View
from symbolic.zones import canonical_bound


@dataclass(frozen=True, slots=True)
class _Words:
    """The four words, of process or plain."""

    positive: str
    negative: str
    all: str
    result: str


_PROCESS = _Words(
    "positive prehension", "negative prehension", "concrescence", "satisfaction"
)
_PLAIN = _Words("for", "against", "what was weighed", "outcome")


def _words(plain: bool) -> _Words:
    return _PLAIN if plain else _PROCESS


def why(
    view: View, text: str, now: int, *, plain: bool = False, limit: int = LIMIT
) -> Branch | NoTarget:
    """Return the reasons of what `text` names: a fact, a proposal, an event or a conflict.

    `plain` says the same without the process vocabulary, `limit` is how many proofs of what rules
    derive are shown. A heading has no reasons, its facts have.
    """
    target = find(view, text)
    if isinstance(target, NoTarget):
        return target
    if isinstance(target, Fact):
        return fact_why(view, target, now, plain=plain, limit=limit)
    if isinstance(target, Proposal):
        return proposal_why(view, target, plain=plain)
    if isinstance(target, Line):
        return event_why(view, target, plain=plain)
    if isinstance(target, ProseHeading):
        return NoTarget(
            message=f"'{text}' is a heading; what it says has reasons",
            excerpt=text,
            remedy="ask for one of its facts; `audit` of the heading lists them",
        )
    return conflict_why(view, target)


def fact_why(
    view: View, fact: Fact, now: int, *, plain: bool = False, limit: int = LIMIT
) -> Branch:
    """Return why a fact stands, is stale or was retracted, and where each label comes from."""
    words = _words(plain)
    weighed = tuple(
        Branch(f"{words.positive if a.state is State.LIVE else words.negative}: {line.text}",
               line.children)
        for a in fact.assertions
        for line in (assertion(view, a),)
    )  # fmt: skip
    found = labels(view, fact, now)
    stands = fact.standing.value if fact.assertions else "derived"
    states = ", ".join((stands, *found))
    lines = [Branch(f"{words.all}: {len(weighed)} sources", weighed)] if fact.assertions else []
    lines += [*_times(view, fact, found), *Prover(view).branches(fact, limit)]
    if DISPUTED in found:
        lines += [
            conflict_why(view, conflict)
            for conflict in view.conflicts_of(fact.fid)
            if conflict.state == "open"
        ]
    if UNDER_SOURCED in found:
        wanted = max(a.min_sources for a in fact.live)
        have = len({a.heading for a in fact.live if a.heading is not None})
        lines.append(Branch(f"under-sourced: {have} of the {wanted} headings its rule asked for"))
    return Branch(f"{words.result}: {statement_text(fact.statement)} is {states}", tuple(lines))


def _times(view: View, fact: Fact, found: Sequence[str]) -> list[Branch]:
    lines = [Branch(f"holds {span_text(s.start, s.end)}") for s in view.spells(fact.fid)]
    lines += [
        Branch(f"derived {span_text(*span)}") for span in printed_spells(fact, view.zone)
    ]
    for lo, hi in fact.deduced.withheld if fact.deduced else ():
        span = span_text(canonical_bound(lo, view.zone), canonical_bound(hi, view.zone))
        lines.append(Branch(f"withheld {span}: what is said or decided stands against it"))
    by = superseded_by(view, fact)
    if by is not None:
        below = (event_branch(view, by.event),) if by.event else ()
        lines.append(Branch(f"superseded by {named(view, by.fid)}, {by.at or 'undated'}", below))
    if UNDATED in found:
        lines.append(Branch("undated: no bound and no evidence date places it on its timeline"))
    return lines


def proposal_why(view: View, proposal: Proposal, *, plain: bool = False) -> Branch:
    """Return the verdict on a proposal: reasons, blockers with their headings, the bars it met."""
    words = _words(plain)
    weighed = [Branch(f"{words.negative}: {reason}") for reason in proposal.reasons]
    for blocker in proposal.blockers:
        fact = view.fact(blocker)
        if fact is not None:
            chain = fact_branch(view, fact)
            weighed.append(Branch(f"{words.negative}: blocked by {chain.text}", chain.children))
        else:
            weighed.append(Branch(f"{words.negative}: blocked by {blocker}"))
    said = proposal.statement
    for bar in view.bars(said.cls) if said is not None else ():
        weighed.append(
            Branch(f"{words.negative}: {bar.kind} of {statement_text(bar.statement)}",
                   (event_branch(view, bar.event),))
        )  # fmt: skip
    if proposal.state is Queued.ADMITTED and said is not None:
        fact = view.fact(said.fid)
        for one in fact.assertions if fact else ():
            line = assertion(view, one)
            weighed.append(Branch(f"{words.positive}: {line.text}", line.children))
    if proposal.state is Queued.LAPSED:
        weighed.append(Branch(f"{words.negative}: its quote no longer stands in the prose"))
    text = statement_text(said) if said else "a malformed statement"
    judged = f" ({proposal.outcome})" if proposal.outcome else ""
    return Branch(
        f"{words.result}: {text} is {proposal.state.value}{judged}",
        (Branch(f"{words.all}: {len(weighed)}", tuple(weighed)),) if weighed else (),
    )


def conflict_why(view: View, conflict: Conflict) -> Branch:
    """Return the rule that sets facts against one another, and the facts."""
    facts = (view.fact(fid) for fid in conflict.members)
    return Branch(
        f"{conflict.state} conflict {conflict.id}: {rule_of(conflict)}, {conflict.policy.value}, "
        f"overlap {conflict.overlap.value}",
        tuple(fact_branch(view, fact) for fact in facts if fact is not None),
    )


# --- events -----------------------------------------------------------------------------------

_LETS_IN = frozenset(("admit", "declare", "propose"))
_KEEPS_OUT = frozenset(("refuse", "reject", "retract", "undo", "redact", "failed"))


def event_why(view: View, line: Line, *, plain: bool = False) -> Branch:
    """Return what a journal line did, in a sentence, with what it says and what became of it."""
    words = _words(plain)
    sign = f"{words.positive}: " if line.kind in _LETS_IN else ""
    sign = f"{words.negative}: " if line.kind in _KEEPS_OUT else sign
    below = [Branch(text) for text in _details(line.body)]
    if not line.body:
        return Branch(f"{line.by} wrote a '{line.kind}' line that is redacted, {line.at}", ())
    for one in view.divergences():
        if line.hash in one.events:
            counts = "it counts" if line.hash in one.stands else "it does not count"
            below.append(Branch(f"{counts} until devices that differ agree: pp reconcile {one.id}"))
    undo = view.undone().get(line.hash)
    if undo is not None:
        below.append(Branch("it does not count: undone by", (event_branch(view, undo),)))
    return Branch(f"{sign}{line.by} {_sentence(view, line)}, {line.at}", tuple(below))


def _sentence(view: View, line: Line) -> str:
    body = line.body

    def of(field: str) -> str:
        return journalled(view, body.get(field))

    new = body.get("new")
    put = journalled(view, new.get("statement")) if isinstance(new, Mapping) else "nothing"
    since = f" from {body.get('from')} on" if body.get("from") else ""
    sentences = {
        "propose": lambda: f"proposed {of('candidate')}",
        "admit": lambda: f"admitted {of('statement')}",
        "refuse": lambda: f"refused proposal {body.get('proposal')}: {body.get('outcome')}",
        "reject": lambda: f"rejected {of('statement')}, scope {body.get('scope') or 'source'}",
        "declare": lambda: f"declared {of('statement')}",
        "retract": lambda: f"retracted {of('statement')}",
        "supersede": lambda: f"put {put} in the place of {of('old')}{since}",
        "settle": lambda: f"settled conflict {body.get('conflict')}: {body.get('choice')}",
        "incumbent": lambda: f"kept what stood first in conflict {body.get('conflict')}",
        "anchor": lambda: (
            f"found {of('statement')} at {body.get('new_key') or 'no heading any more'}"
        ),
        "undo": lambda: f"took back event {body.get('event')}",
        "ontology": lambda: f"set {body.get('field')} of {body.get('subject')}",
        "failed": lambda: f"could not read a reply: {body.get('reason')}",
    }
    said = sentences.get(line.kind)
    return said() if said is not None else f"wrote a line of kind {line.kind}"


def _details(body: Mapping[str, object]) -> list[str]:
    """Return the texts of a body that say more than its sentence, one line each."""
    lines = []
    for field in ("quote", "key", "keys", "reason", "reasons", "rationale", "outcome", "shown"):
        value = body.get(field)
        if isinstance(value, str) and value:
            lines.append(f"{field}: {' '.join(value.split())}")
        elif isinstance(value, (list, tuple)):
            lines += [f"{field}: {' '.join(str(item).split())}" for item in value]
    return lines
