"""Grounding: whether a quote stands in a text, and where; whether it says what a candidate says.

A quote matches on NFC with every run of white space equal, either on the text as it is or with
Org markup transparent (markers gone, a link as its description or target). Case must match. The
span found is in bytes of the file, so it can be shown, hashed and edited.

`ground` judges a candidate on its own quote and heading, and on nothing else (R9):

    quote read in the heading ─► entity mentioned ─► value mentioned ─► dates said ─► polarity said
        │ quote-not-read ...      │ in it or above     │ in the quote     │ else lowered, dropped
        ▼                         ▼                    ▼                  ▼ or refused
    Ungrounded                Ungrounded           Ungrounded
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache

from memex.markup import plain, scan
from symbolic.names import digest, fold, quote_form
from symbolic.quotes.forms import Form, mapped
from symbolic.quotes.lowering import day, said, said_end
from symbolic.quotes.page import Page
from symbolic.quotes.polarity import Stance
from symbolic.quotes.stance import unsaid
from symbolic.quotes.utterance import Utterance
from symbolic.records import UNKNOWN, Candidate, Declarations, ProseHeading, Written
from symbolic.values import BadValue, after, parse_bound


class Missing(StrEnum):
    """Why a quote grounds nothing, or not this candidate."""

    EMPTY = "empty-quote"
    CASE = "case-differs"
    ABSENT = "quote-not-found"
    UNREAD = "quote-not-read"
    AGENT = "written-by-the-program"
    ENTITY = "entity-not-mentioned"
    VALUE = "value-not-mentioned"
    DATE = "date-not-mentioned"
    POLARITY = "polarity-not-carried"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """The quote stands in bytes [start, end) of the file; `exact` if not only past markup."""

    start: int
    end: int
    exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """The quote says what the candidate says. Its dates are no finer than the quote has them.

    `notes` say what was lowered or dropped, and why.
    """

    candidate: Candidate
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ungrounded:
    """The quote does not carry it. `reason` is the key, `message` the sentence."""

    reason: Missing
    message: str


@lru_cache(maxsize=1024)
def quote_hash(quote: str) -> str:
    """Return the id of a quote: the same for every layout of the same characters."""
    return digest("quote", quote_form(quote))[:32]


def match_form(text: str) -> str:
    """Return `text` as quotes compare with Org markup transparent."""
    return quote_form(plain(text))


def holds(text: str, quote: str) -> bool:
    """Return whether `quote` stands in `text`. An empty quote stands nowhere."""
    wanted = quote_form(quote)
    if not wanted:
        return False
    if wanted in quote_form(text):
        return True
    bare = match_form(quote)
    return bool(bare) and bare in match_form(text)


def locate(text: str | bytes, quote: str, *, base: int = 0) -> tuple[int, int] | None:
    """Return the byte span of the first place of `quote`; `base` is where `text` starts."""
    return Holder(text, base=base).locate(quote)


def check(quote: str | None, text: str | bytes, *, base: int = 0) -> Grounded | Ungrounded:
    """Return where `quote` stands in a heading's own text, or why it grounds nothing (R9)."""
    return Holder(text, base=base).check(quote)


class Holder:
    """One text asked for many quotes: both its forms are made once, and only when needed.

    Bytes are read as UTF-8; a text that is none is the memex's to report and raises here.
    """

    def __init__(self, text: str | bytes, *, base: int = 0) -> None:
        self._text = text if isinstance(text, str) else text.decode("utf-8")
        self._base = base

    @cached_property
    def _exact(self) -> str:
        return quote_form(self._text)

    @cached_property
    def _match(self) -> str:
        return match_form(self._text)

    @cached_property
    def _exact_map(self) -> Form:
        return mapped(self._text, ())

    @cached_property
    def _match_map(self) -> Form:
        return mapped(self._text, scan(self._text).hidden)

    def holds(self, quote: str) -> bool:
        """Return whether `quote` stands in the text."""
        return isinstance(self.check(quote), Grounded)

    def locate(self, quote: str) -> tuple[int, int] | None:
        """Return the byte span of the first place of `quote` in the file, None where it has none.

        A place that needs no look past markup comes first.
        """
        found = self.check(quote)
        return (found.start, found.end) if isinstance(found, Grounded) else None

    def check(self, quote: str | None) -> Grounded | Ungrounded:
        """Return where `quote` stands, or why it stands nowhere."""
        wanted = quote_form(quote or "")
        if not wanted:
            return Ungrounded(reason=Missing.EMPTY, message="the quote is empty")
        if wanted in self._exact:
            return self._placed(self._exact_map.find(wanted), exact=True)
        bare = match_form(quote or "")
        if bare and bare in self._match:
            return self._placed(self._match_map.find(bare), exact=False)
        if wanted.casefold() in self._exact.casefold():
            return Ungrounded(
                reason=Missing.CASE, message="the quote stands in the heading in another case only"
            )
        return Ungrounded(
            reason=Missing.ABSENT, message="the quote does not stand in the heading's own text"
        )

    def _placed(self, span: tuple[int, int] | None, *, exact: bool) -> Grounded:
        assert span is not None, "a form and its map hold the same text"
        start = self._base + len(self._text[: span[0]].encode("utf-8", "surrogatepass"))
        length = len(self._text[span[0] : span[1]].encode("utf-8", "surrogatepass"))
        return Grounded(start=start, end=start + length, exact=exact)


# --- a candidate against its quote ----------------------------------------------------------------


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
