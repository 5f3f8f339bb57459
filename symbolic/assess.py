"""What a candidate is worth as it is proposed: well-formed, grounded by its own quote, admissible.

Grounding (R9) is judged once, here, and its verdict is journalled with the proposal; admission
later looks for the quote alone, so that a corrected alias never takes an admitted fact away.
"""

from __future__ import annotations

from dataclasses import dataclass

from memex.keys import file_key
from symbolic.admission import admit, find_heading
from symbolic.grounding import Ungrounded
from symbolic.quotes.sound import ground
from symbolic.records import Admission, Candidate, Outcome, ProseHeading
from symbolic.world import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessed:
    """A candidate with the verdict it would get now.

    `candidate` has its dates lowered to what the quote says; each of `notes` is one such change.
    """

    candidate: Candidate
    verdict: Admission
    notes: tuple[str, ...] = ()


def assess(candidate: Candidate, view: View) -> Assessed:
    """Judge `candidate` as it is proposed: malformed, ungrounded, then as admission does."""
    verdict = admit(candidate, view)
    heading = find_heading(candidate, view)
    if heading is None or verdict.outcome in (Outcome.MALFORMED, Outcome.UNGROUNDED):
        return Assessed(candidate=candidate, verdict=verdict)
    said = ground(candidate, heading, view.declarations, file_title=_file_title(heading, view))
    if isinstance(said, Ungrounded):
        reason = f"ungrounded: at {heading.path}:{heading.line} {said.message}"
        return Assessed(
            candidate=candidate,
            verdict=Admission(outcome=Outcome.UNGROUNDED, reasons=(reason,)),
        )
    if said.candidate != candidate:
        verdict = admit(said.candidate, view)
    return Assessed(candidate=said.candidate, verdict=verdict, notes=said.notes)


def _file_title(heading: ProseHeading, view: View) -> str | None:
    """Return the title of the heading's file, None where the heading is the file itself."""
    if not heading.outline:
        return None
    found = view.heading(file_key(heading.path))
    if found is None:  # A file with an ID of its own is listed under that.
        found = next(iter(view.headings(path=heading.path)), None)
    return found.title if found is not None and not found.outline else None
