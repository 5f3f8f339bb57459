"""Grounding: whether a quote stands in a text, and where.

A quote matches on NFC with every run of white space equal, either on the text as it is or with
Org markup transparent (markers gone, a link as its description or target). Case must match. The
span found is in bytes of the file, so it can be shown, hashed and edited.

Whether the quote says what a candidate says is `symbolic/quotes/sound.py`: a question that only a
candidate asks, with tables of words that a reading verb need not load.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from memex.markup import plain, scan
from symbolic.names import digest, quote_form
from symbolic.quotes.forms import Form, mapped


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
class Ungrounded:
    """The quote does not carry it. `reason` is the key, `message` the sentence."""

    reason: Missing
    message: str


@lru_cache(maxsize=4096)
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
