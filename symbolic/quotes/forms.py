"""A text in the form in which quotes compare, with the way back to its own characters.

NFC and every run of white space as one blank, hidden spans left out: what `names.quote_form` makes
of the visible text, and for each of its characters where in the source it stands.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

from symbolic.names import nfc

_LONGEST_CLUSTER = 32
"""Of more marks on one letter only all or none can be selected: the search is quadratic."""


@dataclass(frozen=True, slots=True)
class Form:
    """A normalised text whose character i stands in source characters [starts[i], ends[i])."""

    text: str
    starts: Sequence[int] = field(repr=False)
    ends: Sequence[int] = field(repr=False)

    def find(self, wanted: str) -> tuple[int, int] | None:
        """Return the source span of the first `wanted`."""
        at = self.text.find(wanted)
        return None if at < 0 else (self.starts[at], self.ends[at + len(wanted) - 1])


def mapped(text: str, hidden: Sequence[tuple[int, int]]) -> Form:
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
    return Form("".join(out), from_, to)


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
