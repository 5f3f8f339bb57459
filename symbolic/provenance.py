"""Audit: the whole chain of a fact, heading, proposal, event or conflict, as a tree.

    text ──find()──► target ──audit()──► Audit ──► org_tree(), tree_json(), dot()

The first lines count: origin and date, references, projects, contradiction and revision (R22).
"""

from __future__ import annotations

from dataclasses import dataclass

from symbolic.chains import (
    assertions,
    event_branch,
    fact_branch,
    fact_text,
    line_text,
    named,
)
from symbolic.derivation import Prover
from symbolic.derived import printed_spells
from symbolic.factjson import Json, fact_json, leading, provenance_of, rule_of
from symbolic.figures import Dated, Figures, fact_figures, heading_figures, length
from symbolic.labels import labels, superseded_by, supersedes
from symbolic.records import Line, ProseHeading, Standing
from symbolic.refer import References, link_to
from symbolic.target import NoTarget, find
from symbolic.tree import Branch, org_tree, span_text, statement_text, tree_json
from symbolic.why import event_why, proposal_why
from symbolic.world import Assertion, Conflict, Fact, Proposal, View

__all__ = ["Audit", "Branch", "audit", "audit_json", "org_tree"]

SCHEMA = "pp.audit/1"
AUDITED = 3
"""How many proofs an audit shows; `pp why` shows more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What is known of one thing and where from. `kind` says what `id` is the id of."""

    kind: str
    id: str
    tree: Branch
    figures: Figures | None = None
    fact: Fact | None = None


def audit(view: View, text: str, now: int) -> Audit | NoTarget:
    """Return the audit of what `text` names, or why it names nothing.

    `now`, in microseconds on the scale of `values.reach`, is what labels are computed for.
    """
    target = find(view, text)
    if isinstance(target, NoTarget):
        return target
    if isinstance(target, Fact):
        return _fact(view, target, now)
    if isinstance(target, ProseHeading):
        return _heading(view, target)
    if isinstance(target, Proposal):
        tree = proposal_why(view, target, plain=True)
        chain = Branch("proposed by", (event_branch(view, target.event),))
        return Audit(kind="proposal", id=target.id, tree=Branch(tree.text, (*tree.children, chain)))
    if isinstance(target, Line):
        return Audit(kind="event", id=target.hash, tree=_event(view, target))
    return Audit(kind="conflict", id=target.id, tree=conflict_branch(view, target))


def audit_json(view: View, found: Audit, now: int) -> Json:
    """Return an audit as JSON: the figures as numbers, the fact object, and the tree."""
    body: Json = {"schema": SCHEMA, "kind": found.kind, "id": found.id}
    if found.figures is not None:
        body["figures"] = _figures_json(found.figures)
    if found.fact is not None:
        body["fact"] = fact_json(view, found.fact, now)
    body["tree"] = tree_json(found.tree)
    return body


def conflict_branch(view: View, conflict: Conflict) -> Branch:
    """Return a conflict with the chains of all its members, and what settled it."""
    below = [
        fact_branch(view, fact)
        for fid in conflict.members
        if (fact := view.fact(fid)) is not None
    ]
    if conflict.settled_by is not None:
        below.append(Branch("settled by", (event_branch(view, conflict.settled_by),)))
    elif settled := _settlements(view, conflict):
        below.append(Branch("settled before its members changed", settled))
    text = (
        f"{conflict.state} conflict {conflict.id}: {rule_of(conflict)}, policy "
        f"{conflict.policy.value}, overlap {conflict.overlap.value}, in {conflict.domain}"
    )
    return Branch(text, tuple(below))


def _settlements(view: View, conflict: Conflict) -> tuple[Branch, ...]:
    """Return the settlements of a conflict that has opened again, the last first."""
    undone = view.undone()
    return tuple(
        event_branch(view, line.hash)
        for line in reversed(tuple(view.lines()))
        if line.kind == "settle" and line.body.get("conflict") == conflict.id
        and line.hash not in undone
    )


# --- one thing each ---------------------------------------------------------------------------


def _fact(view: View, fact: Fact, now: int) -> Audit:
    links = References(view)
    figures = fact_figures(view, fact, links)
    lead = leading(fact)
    stands = fact.standing.value if lead else "derived"
    states = ", ".join((stands, *labels(view, fact, now)))
    policy = view.policy(fact.statement).value
    lines = [
        *_figure_lines(view, figures, listed=False),
        Branch(f"{states}; {provenance_of(fact).value}; {policy}"),
        *_spells(view, fact),
        *_admitted(view, fact, lead),
        *Prover(view).branches(fact, AUDITED),
        *_conflicts(view, fact),
        *_replaced(view, fact),
        *_referring(view, links.to_fact(fact)),
    ]
    tree = Branch(fact_text(fact), tuple(lines))
    return Audit(kind="fact", id=fact.fid, tree=tree, figures=figures, fact=fact)


def _admitted(view: View, fact: Fact, lead: Assertion | None) -> list[Branch]:
    """Return when a base fact was admitted and who says it; nothing of what is derived alone."""
    if lead is None:
        return []
    return [
        Branch(f"admitted {lead.at or 'when it was first read'} by {lead.by}"),
        Branch(f"sources: {len(fact.live)} of {len(fact.assertions)}", assertions(view, fact)),
    ]


def _heading(view: View, heading: ProseHeading) -> Audit:
    links = References(view)
    figures = heading_figures(view, heading, links)
    facts = links.grounded(heading.key)
    said = Branch(f"facts: {len(facts)}", tuple(fact_branch(view, fact) for fact in facts))
    lines = [*_figure_lines(view, figures), said] if facts else _figure_lines(view, figures)
    where = Branch(f"{heading.path}:{heading.line}, key {heading.key}")
    tree = Branch(heading.title or heading.path, (where, *lines))
    return Audit(kind="heading", id=heading.key, tree=tree, figures=figures)


def _event(view: View, line: Line) -> Branch:
    tree = event_why(view, line, plain=True)
    return Branch(line_text(line), (tree, *event_branch(view, line.hash).children))


# --- parts ------------------------------------------------------------------------------------


def _figure_lines(view: View, figures: Figures, *, listed: bool = True) -> list[Branch]:
    """Return the four counts, references with links where they are `listed` here.

    The audit of a fact lists what refers to it further down, with the facts' ids.
    """
    origin = _heading_text(view, figures.origin)
    lines = [
        Branch(f"origin: {origin}, {figures.date or 'undated'}"),
        Branch(
            f"references: {len(figures.references)}",
            tuple(
                Branch(f"{link_to(r.heading)} {r.heading.path}: {statement_text(r.fact.statement)}")
                for r in (figures.references if listed else ())
            ),
        ),
        Branch(
            f"projects referring: {len(figures.projects)}",
            tuple(Branch(project) for project in figures.projects),
        ),
    ]
    if figures.contradicted is not None:
        lines.append(_dated(view, "contradicted", figures.contradicted, figures.date, "later"))
    if figures.revised is not None:
        since = figures.contradicted.at if figures.contradicted else figures.date
        lines.append(_dated(view, "revised", figures.revised, since, "after"))
    return lines


def _dated(view: View, what: str, dated: Dated, since: str | None, word: str) -> Branch:
    how_long = f" {length(since, dated.at, view.zone)} {word}" if since else ""
    below = []
    if dated.fid is not None:
        below.append(Branch(named(view, dated.fid)))
    if dated.heading is not None:
        below.append(Branch(_heading_text(view, dated.heading)))
    if dated.event is not None:
        below.append(event_branch(view, dated.event))
    return Branch(f"{what}{how_long}, {dated.at}", tuple(below))


def _heading_text(view: View, key: str | None) -> str:
    heading = view.heading(key) if key else None
    return link_to(heading) if heading else (key or "no heading")


def _spells(view: View, fact: Fact) -> list[Branch]:
    spells = view.spells(fact.fid) if fact.standing is Standing.STANDING else ()
    said = [
        Branch(
            f"holds {span_text(spell.start, spell.end)}",
            (Branch(f"ended by {named(view, spell.ended_by)}"),) if spell.ended_by else (),
        )
        for spell in spells
    ]
    derived = (span_text(*span) for span in printed_spells(fact, view.zone))
    return [*said, *(Branch(f"derived {span}") for span in derived)]


def _conflicts(view: View, fact: Fact) -> list[Branch]:
    return [
        Branch(
            f"contradicted: {conflict.constraint} conflict {conflict.id}, {conflict.state}",
            tuple(
                fact_branch(view, other)
                for fid in conflict.members
                if fid != fact.fid and (other := view.fact(fid)) is not None
            ),
        )
        for conflict in view.conflicts_of(fact.fid)
    ]


def _replaced(view: View, fact: Fact) -> list[Branch]:
    lines = []
    by = superseded_by(view, fact)
    if by is not None:
        below = (event_branch(view, by.event),) if by.event else ()
        lines.append(Branch(f"replaced by {named(view, by.fid)}, {by.at or 'undated'}", below))
    lines += [Branch(f"replaces {named(view, fid)}") for fid in supersedes(view, fact)]
    return lines


def _referring(view: View, fids: tuple[str, ...]) -> list[Branch]:
    if not fids:
        return []
    return [Branch(f"referred to by: {len(fids)}", tuple(Branch(named(view, f)) for f in fids))]


def _figures_json(figures: Figures) -> Json:
    return {
        "origin": figures.origin,
        "date": figures.date,
        "references": len(figures.references),
        "projects": list(figures.projects),
        "contradicted": _dated_json(figures.contradicted, figures.contradicted_days),
        "revised": _dated_json(figures.revised, figures.revised_days),
    }


def _dated_json(dated: Dated | None, days: int | None) -> Json | None:
    if dated is None:
        return None
    return {
        "at": dated.at, "days": days, "fact": dated.fid, "heading": dated.heading,
        "event": dated.event,
    }  # fmt: skip
