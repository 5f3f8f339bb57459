"""Grounding: whether a quote stands in a text, and where.

A quote matches on NFC with every run of white space equal, either on the text as it is or with
Org markup transparent (markers gone, a link as its description or target). Case must match. The
span found is in bytes of the file, so it can be shown, hashed and edited.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache

from memex.markup import plain, scan
from symbolic.names import digest, nfc, quote_form

_LONGEST_CLUSTER = 32
"""Of more marks on one letter only all or none can be selected: the search is quadratic."""


class Missing(StrEnum):
    """Why a quote grounds nothing."""

    EMPTY = "empty-quote"
    CASE = "case-differs"
    ABSENT = "quote-not-found"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """The quote stands in bytes [start, end) of the file; `exact` if not only past markup."""

    start: int
    end: int
    exact: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Ungrounded:
    """The quote does not stand there. `reason` is the key, `message` the sentence."""

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


@dataclass(frozen=True, slots=True)
class _Form:
    """A normalised text whose character i stands in source characters [starts[i], ends[i])."""

    text: str
    starts: Sequence[int] = field(repr=False)
    ends: Sequence[int] = field(repr=False)

    def find(self, wanted: str) -> tuple[int, int] | None:
        """Return the source span of the first `wanted`."""
        at = self.text.find(wanted)
        return None if at < 0 else (self.starts[at], self.ends[at + len(wanted) - 1])


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
    def _exact_map(self) -> _Form:
        return _mapped(self._text, ())

    @cached_property
    def _match_map(self) -> _Form:
        return _mapped(self._text, scan(self._text).hidden)

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


def _mapped(text: str, hidden: Sequence[tuple[int, int]]) -> _Form:
    """Return `quote_form` of `text` without its `hidden` spans, with the way back."""
    chars, places = _visible(text, hidden)
    composed, starts, ends = _composed("".join(chars), places)
    out: list[str] = []
    from_: list[int] = []
    to: list[int] = []
    for char, start, end in zip(composed, starts, ends, strict=True):
        if not char.isspace():
            out.append(char)
        elif out and out[-1] != " ":
            out.append(" ")
        else:
            continue
        from_.append(start)
        to.append(end)
    if out and out[-1] == " ":
        del out[-1], from_[-1], to[-1]
    return _Form("".join(out), from_, to)


def _visible(text: str, hidden: Sequence[tuple[int, int]]) -> tuple[list[str], list[int]]:
    chars: list[str] = []
    places: list[int] = []
    at = 0
    for start, end in (*hidden, (len(text), len(text))):
        chars.extend(text[at:start])
        places.extend(range(at, start))
        at = end
    return chars, places


def _composed(text: str, places: Sequence[int]) -> tuple[str, list[int], list[int]]:
    """Return NFC of `text` and, for each of its characters, the source characters it came from."""
    if unicodedata.is_normalized("NFC", text):
        return text, list(places), [place + 1 for place in places]
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(text):
        end = at + 1
        while end < len(text) and _joins(text[end]):
            end += 1
        for low, high in _splits(text[at:end]):
            made = nfc(text[at + low : at + high])
            out.append(made)
            starts.extend([places[at + low]] * len(made))
            ends.extend([places[at + high - 1] + 1] * len(made))
        at = end
    return "".join(out), starts, ends


def _splits(cluster: str) -> list[tuple[int, int]]:
    """Return the parts of a base letter and its marks that compose on their own."""
    size = len(cluster)
    if size == 1:
        return [(0, 1)]
    whole = nfc(cluster)
    if whole == cluster:
        return [(at, at + 1) for at in range(size)]
    if size > _LONGEST_CLUSTER:
        return [(0, size)]
    edges = [at for at in range(1, size) if nfc(cluster[:at]) + nfc(cluster[at:]) == whole]
    return list(zip([0, *edges], [*edges, size], strict=True))


def _joins(char: str) -> bool:
    """Return whether `char` may compose with what stands before it.

    Marks do, and the vowel and final letters of Hangul, and the vowel signs of Kirat Rai, which
    newer Unicode versions class as letters.
    """
    if char < "\u0300":
        return False
    return (
        unicodedata.category(char)[0] == "M"
        or "\u1160" <= char <= "\u11ff"
        or "\ud7b0" <= char <= "\ud7ff"
        or "\U00016d63" <= char <= "\U00016d6a"
    )
