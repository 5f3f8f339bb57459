"""A model's doubts: "please verify", "probably". They go to the rationale and state nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORDS = (
    r"please (?:verify|check|confirm|review|double[- ]check)|to be (?:verified|confirmed|checked)"
    r"|needs? (?:to be )?(?:verification|verified|confirmation|confirmed|checking|review)"
    r"|not (?:entirely |completely |quite |fully |100 ?% )?(?:sure|certain|verified|confirmed)"
    r"|can(?:not|'t|’t) (?:verify|confirm|be sure)|could not (?:verify|confirm)"
    r"|unsure|uncertain|unclear|unverified|unconfirmed|probably|possibly|perhaps|maybe"
    r"|presumably|apparently|supposedly|likely|tentative(?:ly)?|low confidence"
    r"|(?:might|may|could) (?:be|have|not)|i (?:think|believe|guess|suppose|assume|inferred)"
    r"|assum(?:ed|ing|ption)|guess(?:ed|ing)?|inferred|double[- ]check|verify|if i am not mistaken"
)
_HEDGE = re.compile(rf"\b(?:{_WORDS})\b", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*[(\[{]([^()\[\]{}]{1,120})[)\]}]\s*$")
_AFTER_A_MARK = re.compile(rf"\s*(?:[,;:–—]|\s-)\s*((?:{_WORDS}))[.!?]?\s*$", re.IGNORECASE)
_CAPITAL = re.compile(r"(?<=\s)(?!I\b)[^\W\d_a-z]\w*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")

_LOOKED_AT = 20_000
_TOLD = 5
LONGEST = 300
"""Characters of one hedge that are kept."""


def hedged(talk: Iterable[str]) -> tuple[str, ...]:
    """Return the sentences of a reply's talk that voice a doubt, at most five.

    Only the first and last 20,000 characters of a piece are looked at.
    """
    found: dict[str, None] = {}
    for piece in talk:
        near = piece if len(piece) <= 2 * _LOOKED_AT else (
            piece[:_LOOKED_AT] + "\n" + piece[-_LOOKED_AT:]
        )
        for sentence in _SENTENCE.split(near):
            if _HEDGE.search(sentence):
                found[clipped(sentence)] = None
                if len(found) == _TOLD:
                    return tuple(found)
    return tuple(found)


def parted(text: str) -> tuple[str, str | None]:
    """Return a name or value without the doubt at its end, and that doubt if there is one.

    "Basel (please verify)" is Basel, "Basel, probably" too; "Basel (Switzerland)" stays.
    """
    tail = text[-200:]
    match = _IN_BRACKETS.search(tail)
    if match is None or not _doubts(match[1]):
        match = _AFTER_A_MARK.search(tail)
    kept = text[: len(text) - len(tail) + match.start()] if match else text
    if match is None or not kept.strip():
        return text, None
    return kept, clipped(match[1])


def _doubts(inside: str) -> bool:
    """Return whether what stands in brackets is a doubt, and no name like "Assumption Parish"."""
    if not inside.strip("? "):
        return True
    return bool(_HEDGE.search(inside)) and (inside.isupper() or not _CAPITAL.search(inside))


def clipped(text: str) -> str:
    """Return `text` as one line of at most 300 characters that can be printed."""
    line = " ".join(text[: 4 * LONGEST].split()).encode("utf-8", "replace").decode("utf-8")
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
