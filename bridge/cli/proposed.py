"""How candidates and failures of `pp propose` are printed, for people and as JSON lines."""

from __future__ import annotations

from collections.abc import Iterable

from bridge.cli.common import put, put_json, say
from bridge.decisions import REFUSALS
from bridge.failures import Failed
from bridge.proposing import Told
from bridge.render import candidate_fields, said_text
from bridge.review import Proposed
from neuro.candidates import Unread
from symbolic.records import ProseHeading


def refused(done: Iterable[Proposed]) -> bool:
    """Return whether any candidate was refused."""
    return any(one.verdict.outcome in REFUSALS for one in done)


def candidate(one: Proposed, as_json: bool) -> None:
    """Print a candidate with its verdict."""
    verdict = one.verdict
    if as_json:
        put_json({
            "schema": "pp.propose/1",
            "line": one.line,
            "proposal": one.proposal,
            "outcome": verdict.outcome.value,
            "new": one.new,
            "candidate": candidate_fields(one.candidate),
            "reasons": [*verdict.reasons, *one.notes],
            "blockers": list(verdict.blockers),
            "conflicts": list(verdict.conflicts),
        })
        return
    known = "" if one.new else " (proposed before)"
    said = said_text(one.candidate.written)
    put(f"{one.proposal}  {verdict.outcome.value:22} {said}{known}")
    for reason in (*verdict.reasons, *one.notes):
        put(f"    {reason}")
    if one.candidate.rationale:
        put(f"    because: {one.candidate.rationale}")


def unread(bad: Unread, source: str, as_json: bool) -> None:
    """Print a line that is no candidate."""
    say(f"{source}:{bad.line}: {bad.message}\n    {bad.excerpt}")
    if as_json:
        put_json({
            "schema": "pp.propose/1", "line": bad.line, "outcome": "unreadable",
            "reasons": [bad.message],
        })


def heading(done: Told, as_json: bool, *, known: bool = True) -> None:
    """Print what one heading gave; without `known` what was proposed before is passed over."""
    shown = [one for one in done.proposed if known or one.new]
    if not as_json and (shown or done.failed):
        put(f"{place(done.heading)}  {' > '.join(done.heading.outline) or done.heading.title}")
    for one in shown:
        candidate(one, as_json)
    for failed in done.failed:
        failure(failed, done.heading, as_json)


def failure(failed: Failed, where: ProseHeading, as_json: bool) -> None:
    """Print something that could not be read."""
    if as_json:
        put_json({
            "schema": "pp.propose/1", "outcome": "failed", "heading": where.key,
            "path": where.path, "line": where.line, "reason": failed.reason,
            "model": failed.model, "attempt": failed.attempt, "reasons": [failed.message],
        })
        return
    times = f", attempt {failed.attempt}" if failed.attempt > 1 else ""
    put(f"{place(where)}: failed: {failed.reason} ({failed.model}{times}): {failed.message}")


def place(where: ProseHeading) -> str:
    """Return where a heading stands: `path:line`."""
    return f"{where.path}:{where.line}"
