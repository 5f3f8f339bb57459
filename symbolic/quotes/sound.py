"""Sound: whether a quote says what a candidate says.

`ground` judges a candidate on its own quote and heading, and on nothing else (R9):

    quote read in the heading ─► entity mentioned ─► value mentioned ─► dates said ─► polarity said
        │ quote-not-read ...      │ in it or above     │ in the quote     │ else lowered, dropped
        ▼                         ▼                    ▼                  ▼ or refused
    Ungrounded                Ungrounded           Ungrounded
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from symbolic.grounding import Grounded, Holder, Missing, Ungrounded
from symbolic.names import fold, quote_form
from symbolic.quotes.lowering import day, said, said_end
from symbolic.quotes.page import Page
from symbolic.quotes.polarity import Stance
from symbolic.quotes.stance import unsaid
from symbolic.quotes.utterance import Utterance
from symbolic.records import UNKNOWN, Candidate, Declarations, ProseHeading, Written
from symbolic.values import BadValue, after, parse_bound


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """The quote says what the candidate says. Its dates are no finer than the quote has them.

    `notes` say what was lowered or dropped, and why.
    """

    candidate: Candidate
    notes: tuple[str, ...] = ()


def ground(
    candidate: Candidate,
    heading: ProseHeading,
    declarations: Declarations,
    *,
    file_title: str | None = None,
) -> Sound | Ungrounded:
    """Judge whether the quote of `candidate` says what it says (R9).

    Only `heading`, the titles above it (its outline, `file_title`) and the aliases of ontology.org
    are read. The result's candidate has its dates lowered to what the quote says.
    """
    quote = candidate.grounding.quote or ""
    if (fault := _unquoted(quote, heading)) is not None:
        return fault
    text = _leaf(heading.text)
    found = text.holder.check(quote)
    assert isinstance(found, Grounded), "an unquoted candidate was turned away"
    links = text.page.links(found.start, found.end)
    said_of = Utterance(quote, links, heading.evidence_date, declarations)
    written = candidate.written
    titles = [title for title in (heading.title, *heading.outline, file_title) if title]
    entity = said_of.entity(written, titles)
    if entity is None and not _own_key(written, heading):
        return Ungrounded(
            reason=Missing.ENTITY,
            message=f"neither the quote nor a title above it mentions '{written.entity}'",
        )
    relation = fold(written.relation)
    relation = declarations.relation_alias.get(relation, relation)
    value = said_of.value(written, declarations.relations.get(relation))
    if value is None:
        return Ungrounded(
            reason=Missing.VALUE, message=f"the quote does not mention '{written.value}'"
        )
    bounds = _bounds(written, said_of, heading.evidence_date)
    if isinstance(bounds, Ungrounded):
        return bounds
    how = unsaid(written, text.page, said_of, entity, value)
    if how is not None:
        return _not_carried(written, quote, how)
    changed, notes = bounds
    if value.lowered is not None:
        notes = (f"the quote says {value.lowered}, not {written.value}", *notes)
        changed = replace(changed, value=value.lowered, kind="date")
    return Sound(candidate=replace(candidate, written=changed), notes=notes)


class _Leaf:
    """A heading's own text, read once for all candidates that quote it."""

    def __init__(self, text: str) -> None:
        self.page = Page(text)
        self.whole = Holder(text)
        self.holder = Holder(self.page.text)


@lru_cache(maxsize=4)
def _leaf(text: str) -> _Leaf:
    return _Leaf(text)


def _unquoted(quote: str, heading: ProseHeading) -> Ungrounded | None:
    """Return why the quote is no evidence at all."""
    if heading.agent:
        return Ungrounded(
            reason=Missing.AGENT,
            message="the heading was written by the program and is no evidence",
        )
    text = _leaf(heading.text)
    if isinstance(text.holder.check(quote), Grounded):
        return None
    found = text.whole.check(quote)
    if isinstance(found, Grounded):
        return Ungrounded(
            reason=Missing.UNREAD,
            message="the quote stands only in a block or comment that is not read for facts",
        )
    return found


def _own_key(written: Written, heading: ProseHeading) -> bool:
    return written.entity_kind == "heading" and written.entity == heading.key


def _bounds(
    written: Written, said_of: Utterance, evidence: str | None
) -> tuple[Written, tuple[str, ...]] | Ungrounded:
    """Return the statement with the bounds that the quote carries, and what was changed."""
    notes: list[str] = []
    kept: dict[str, str | None] = {}
    for name, bound, find in (
        ("valid_from", written.valid_from, said), ("valid_to", written.valid_to, said_end)
    ):  # fmt: skip
        if bound is None or bound == UNKNOWN:
            continue
        try:
            wanted = parse_bound(bound)
        except BadValue:
            # Malformed, which is admission's to say.
            continue
        if wanted is None:
            continue
        own = day(bound) if "T" in wanted else wanted
        lowered = find(own, said_of.spoken)
        if lowered is None:
            if evidence is None or not _of_the_note(own, day(evidence), name == "valid_to"):
                return Ungrounded(
                    reason=Missing.DATE, message=f"the quote does not carry the date {bound}"
                )
            notes.append(f"{name} {bound} is the date of the note, the quote does not say it")
        elif lowered != wanted:
            notes.append(f"{name} {bound} is lowered: the quote says {lowered}")
        else:
            continue
        kept[name] = lowered
    return replace(written, **kept), tuple(notes)  # type: ignore[arg-type]  # names of bounds


def _of_the_note(bound: str, evidence: str, end: bool) -> bool:
    """Return whether `bound` is the date of the note at any precision, for an `end` or its end."""
    unit = evidence[: len(bound)]
    return bound == unit or (end and bound == after(unit))


_HOW = {
    Stance.STATED: "states",
    Stance.DENIED: "denies",
    Stance.ENDED: "ends",
    Stance.ASKED: "asks",
    Stance.SUPPOSED: "only supposes",
}


def _not_carried(written: Written, quote: str, how: Stance) -> Ungrounded:
    wanted = "states" if written.polarity else "denies"
    message = f"the candidate {wanted} it, the quote {_HOW[how]} it: '{quote_form(quote)[:80]}'"
    if _HOW[how] == wanted or (not written.polarity and how is Stance.ENDED):
        message = f"what the quote denies is not surely '{written.value}'"
    return Ungrounded(reason=Missing.POLARITY, message=message)
