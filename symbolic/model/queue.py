"""The review queue as a fold of the journal: docs/fold.md section 10."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from symbolic.canon import from_json
from symbolic.grounding import quote_hash
from symbolic.model.asserted import Speech, same_source
from symbolic.model.places import JOURNAL_KEY, Tracked, body_of, quote_of, text_of, texts_of
from symbolic.records import (
    Candidate,
    Declarations,
    Grounding,
    Line,
    Outcome,
    Provenance,
    Written,
)
from symbolic.world import Bar, Fact, Proposal, Queued


@dataclass(frozen=True, slots=True)
class _Closing:
    """An admission, as far as it closes the proposals of one fact from one heading."""

    fid: str
    key: str
    resolved: str | None


def proposals(
    speech: Speech, standing: Mapping[str, Fact], bars: Iterable[Bar],
    beaten: Iterable[tuple[Line, Collection[str]]],
) -> tuple[Proposal, ...]:
    """Return every proposal, in journal order, with what it is today.

    `beaten` are the admissions that do not stand, with the fids that stand in their way.
    """
    blocks = [
        (closing, fid) for line, fids in beaten for closing in _closings(speech, line)
        for fid in fids if fid in standing
    ]
    rejects = [bar for bar in bars if bar.kind == "reject"]
    closings = [closing for line in speech.lines for closing in _closings(speech, line)]
    taken = {named for line in speech.lines if (named := _taken(line)) is not None}
    refusals: dict[str, list[Line]] = {}
    for line in speech.lines:
        if line.kind == "refuse":
            refusals.setdefault(str(line.body["proposal"]), []).append(line)
    found: dict[str, Proposal] = {}
    for line in speech.lines:
        if line.kind == "propose" and line.body.get("candidate") is not None:
            pid = str(line.body["proposal"])
            if pid in found:
                continue  # Two devices may have queued the same: the first line counts.
            refused = refusals.get(pid, [])
            made = _blocked(_proposal(speech, line, refused, closings, rejects, standing), blocks)
            found[pid] = replace(made, state=Queued.ADMITTED) if pid in taken else made
    return tuple(found.values())


def _taken(line: Line) -> str | None:
    """Return the proposal that a line answers by its id, be it in other words than proposed."""
    if line.kind not in ("admit", "declare", "supersede"):
        return None
    return text_of(body_of(line.body["new"]) if line.kind == "supersede" else line.body, "proposal")


def _closings(speech: Speech, line: Line) -> list[_Closing]:
    body = body_of(line.body["new"]) if line.kind == "supersede" else line.body
    if line.kind not in ("admit", "supersede"):
        return []
    written, key = from_json(body_of(body["statement"])), text_of(body, "key")
    statement, quote = speech.canonical(written), quote_of(body)
    if statement is None or key is None:
        return []
    tracked = Tracked(written, key, quote_hash(quote) if quote else "", "")
    return [_Closing(statement.fid, key, speech.places.resolve(tracked))]


def _proposal(
    speech: Speech, line: Line, refused: list[Line], closings: list[_Closing],
    rejects: list[Bar], standing: Mapping[str, Fact],
) -> Proposal:
    body = line.body
    written = from_json(body_of(body["candidate"]))
    key, quote = text_of(body, "key"), quote_of(body)
    quoted = quote_hash(quote) if quote else ""
    resolved = None
    if key is not None:
        resolved = speech.places.resolve(Tracked(written, key, quoted, ""))
    last = refused[-1].body if refused else {}
    named = _blockers(last.get("blockers"), speech)
    statement = speech.canonical(written)
    fid = statement.fid if statement else None
    if fid is not None and any(_closes(c, fid, key, resolved) for c in closings):
        state = Queued.ADMITTED
    elif fid is not None and any(
        bar.statement.fid == fid and same_source(bar, key, resolved, quoted) for bar in rejects
    ):
        state = Queued.REJECTED
    elif any(r.body["outcome"] in (Outcome.MALFORMED, Outcome.UNGROUNDED) for r in refused):
        state = Queued.REFUSED
    elif quote is not None and (resolved is None or not speech.places.holds(resolved, quoted)):
        state = Queued.LAPSED
    elif last.get("outcome") == Outcome.BLOCKED and all(
        _stands(name, standing, speech.inputs.declarations) for name in named
    ):
        state = Queued.BLOCKED
    else:
        state = Queued.PENDING
    return Proposal(
        id=str(body["proposal"]), candidate=candidate_of(body, written), statement=statement,
        key=key or JOURNAL_KEY, resolved=resolved, quote_hash=quoted, state=state,
        event=line.hash, at=line.at, reasons=tuple(texts_of(last, "reasons")), blockers=named,
        outcome=text_of(last, "outcome"),
    )


def _blocked(made: Proposal, blocks: Iterable[tuple[_Closing, str]]) -> Proposal:
    """Return a pending proposal as blocked, where what stands was preferred to its admission."""
    fid = None if made.statement is None else made.statement.fid
    key = None if made.key == JOURNAL_KEY else made.key
    by = {
        name for closing, name in blocks
        if fid is not None and _closes(closing, fid, key, made.resolved)
    }
    if made.state is not Queued.PENDING or not by:
        return made
    return replace(made, state=Queued.BLOCKED, blockers=tuple(sorted(by)))


def candidate_of(body: Mapping[str, object], written: Written) -> Candidate:
    """Return the candidate that a `propose` line holds."""
    return Candidate(
        written=written,
        grounding=Grounding(
            heading=text_of(body, "key"),
            quote=text_of(body, "quote"),
            evidence_date=text_of(body, "evidence_date"),
        ),
        proposer=Provenance(text_of(body, "proposer") or Provenance.PROPOSED.value),
        rationale=text_of(body, "rationale"),
        confidence=text_of(body, "confidence"),
        model=text_of(body, "model"),
    )


def _closes(closing: _Closing, fid: str, key: str | None, resolved: str | None) -> bool:
    if closing.fid != fid:
        return False
    return closing.key == key or (resolved is not None and closing.resolved == resolved)


def _blockers(value: object, speech: Speech) -> tuple[str, ...]:
    """Return the blockers of a refuse line: fids, or `rule:constraint:relation`."""
    names = []
    for item in value if isinstance(value, (list, tuple)) else ():
        body = body_of(item)
        if "rule" in body:
            names.append(f"rule:{body['rule']}")
        else:
            names.append(speech.fid(body["statement"]) or "unreadable")
    return tuple(names)


def _stands(name: str, standing: Mapping[str, Fact], declarations: Declarations) -> bool:
    if not name.startswith("rule:"):
        return name in standing
    constraint, relation = name.removeprefix("rule:").split(":", 1)
    decl = declarations.relations.get(relation)
    if decl is None:
        return False
    if constraint == "range":
        return bool(decl.range) or decl.unit is not None
    if constraint == "irreflexive":
        return decl.irreflexive or decl.asymmetric
    return bool(getattr(decl, constraint.replace("-", "_"), False))
