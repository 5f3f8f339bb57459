"""Polarity: whether a sentence states something about a value, denies it, asks or supposes it.

No grammar is parsed. A sentence is a row of events (cues, conditions, commas, conjunctions ...;
the table is negations.py) around the place of the value. Doubt goes against the candidate: where a
negation may reach the value it states nothing (the wide scope), and it denies only what it surely
reaches (the narrow one), so a sentence can carry neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from symbolic.quotes.mentions import unspaced
from symbolic.quotes.negations import ABBREVIATIONS, Language, Order, language

Span = tuple[int, int]

_LONGEST_SENTENCE = 600
"""Characters looked at on either side of a value: further away nothing governs it."""

_END = re.compile(r"[.!?…]+[\"')\]»”]*(?= |\Z)|[。！？]+")
_WORD = re.compile(r"[^\W_]+")
_SUBJECT = re.compile(r"\W*(?:he|she|it|they|we|i|you|there|this|these|those|er|sie|es|il|elle)\b")
_ITEM = re.compile(
    r"[\W]*(?:(?:to|in|at|of|the|a|an|any|for|with|by|on|from|his|her|its|their|as)\s+)*\Z"
)
_OR = re.compile(r",? (?:[\w']+,? ){0,4}?(?:or|nor)\b")
_THAT = re.compile(r"\b(?:that|dass|que|che|что)\b")
_ANY_MORE = re.compile(r"\b(?:any ?more|any longer)\b")


class Stance(StrEnum):
    """What a sentence does with what it says about a value."""

    STATED = "stated"
    DENIED = "denied"
    ENDED = "no longer so"
    ASKED = "asked"
    SUPPOSED = "supposed"


@dataclass(frozen=True, slots=True)
class Reading:
    """How one sentence reads. `denial` is the cue that surely governs the value, if one does."""

    stance: Stance
    denial: Span | None = None


@dataclass(frozen=True, slots=True)
class _Event:
    kind: str
    start: int
    end: int
    depth: int = 0
    relative: bool = False


def sentence(text: str, at: int, breaks: Sequence[int] = ()) -> Span:
    """Return the sentence of the folded `text` around `at`; none reaches over one of `breaks`."""
    low = max([0, at - _LONGEST_SENTENCE, *(b for b in breaks if b <= at)])
    high = min([len(text), at + _LONGEST_SENTENCE, *(b for b in breaks if b > at)])
    start, end = low, high
    for match in _END.finditer(text, low, high):
        if _abbreviated(text, match):
            continue
        if match.end() <= at:
            start = match.end()
        else:
            end = match.end()
            break
    return start, end


def _abbreviated(text: str, match: re.Match[str]) -> bool:
    if match[0] != ".":
        return False
    word = text[max(0, match.start() - 12) : match.start()].rpartition(" ")[2].lstrip("(\"'")
    return word in ABBREVIATIONS or (len(word) == 1 and word.isalpha() and not unspaced(word))


def read(
    text: str, value: Span, subject: Sequence[Span], own: frozenset[str] = frozenset()
) -> Reading:
    """Return how the folded sentence `text` speaks of the value at `value`.

    `subject` are the places of the entity. Words inside a mention ("Never Let Me Go") and the
    relation's `own` words ("denies") are no cues.
    """
    table = language(_between(text, (value, *subject)))
    asked = table.asked.search(text)
    if asked is not None and not _covered(asked.span(), (value, *subject)):
        return Reading(Stance.ASKED)
    events = _events(table, text, (value, *subject), own)
    if _supposed(events, value, text):
        return Reading(Stance.SUPPOSED)
    if table.order is Order.BEFORE:
        found, sure = _behind(events, value), True
    else:
        wide, narrow = _forward(events, text, value, subject)
        found, sure = wide, narrow is not None
        if found is None:
            found, sure = _backward(table, events, text, value, subject), True
    if found is None:
        return Reading(Stance.STATED)
    ended = found.kind == "ended" or _runs_out(text, found, events)
    stance = Stance.ENDED if ended else Stance.DENIED
    return Reading(stance, (found.start, found.end) if sure else None)


def _between(text: str, names: Sequence[Span]) -> str:
    """Return `text` without the names it speaks of: they may be of another language than it is."""
    left = list(text)
    for start, end in names:
        left[start:end] = " " * (end - start)
    bare = "".join(left)
    return bare if any(char.isalpha() for char in bare) else text


def _covered(span: Span, masks: Sequence[Span]) -> bool:
    return any(start <= span[0] and span[0] < end for start, end in masks)


def _events(
    table: Language, text: str, masks: Sequence[Span], own: frozenset[str]
) -> list[_Event]:
    found: list[_Event] = []
    depth = 0
    relative = False
    for match in table.pattern.finditer(text):
        kind = match.lastgroup or ""
        if kind == "safe" or _covered(match.span(), masks):
            continue
        if kind in ("aux", "cue", "ended") and own and own & set(_WORD.findall(match[0])):
            continue
        depth += (kind == "open") - (kind == "close")
        relative = (relative or kind == "relative") and kind not in ("comma", "strong")
        found.append(_Event(kind, match.start(), match.end(), depth, relative))
    return found


def _supposed(events: Sequence[_Event], value: Span, text: str) -> bool:
    """Return whether the value stands in a condition, or in what hangs on one."""
    for event in events:
        if event.kind != "supposed":
            continue
        if event.start < value[0]:
            if not any(e.kind == "strong" and event.end <= e.start < value[0] for e in events):
                return True
            continue
        between = [e for e in events if value[1] <= e.start < event.start]
        if not _THAT.search(text, value[1], event.start) and not any(
            e.kind in ("strong", "join", "stop", "relative")
            or (e.kind == "comma" and text[e.end : event.start].strip())
            for e in between
        ):
            return True
    return False


def _forward(
    events: Sequence[_Event], text: str, value: Span, subject: Sequence[Span]
) -> tuple[_Event | None, _Event | None]:
    """Return the negation before the value that may reach it, and the one that surely does."""
    wide: _Event | None = None
    narrow: _Event | None = None
    for event in events:
        if event.start >= value[0]:
            break
        if event.kind in ("aux", "cue", "ended"):
            wide = narrow = event
        elif wide is None:
            continue
        elif event.kind in ("strong", "stop", "relative") or _undone(event, wide):
            wide = narrow = None
        elif event.kind in ("comma", "join"):
            if _new_clause(event, wide, text, value, subject):
                wide = narrow = None
            elif not _listed(event, text, value):
                narrow = None
    if wide is not None and wide.kind == "aux" and _until_follows(events, value):
        return None, None
    return wide, narrow


def _undone(event: _Event, cue: _Event) -> bool:
    """Return whether `event` ends the reach of `cue`: `not ... until`, or its bracket closes."""
    if event.kind == "until":
        return cue.kind == "aux"
    return event.kind == "close" and event.depth < cue.depth


def _new_clause(
    event: _Event, cue: _Event, text: str, value: Span, subject: Sequence[Span]
) -> bool:
    if event.kind == "comma" and cue.relative:
        return True
    if _SUBJECT.match(text, event.end, value[0]):
        return True
    return any(event.end <= start < value[0] for start, _ in subject)


def _listed(event: _Event, text: str, value: Span) -> bool:
    """Return whether the value is an item of the list in which the negation stands."""
    if text[event.start : event.end] in ("or", "oder", "o", "ou", "или", "ni", "nor"):
        return True
    between = text[event.end : value[0]]
    if event.kind == "join":
        return _ITEM.match(between) is not None
    return re.search(r"\b(?:or|nor)\b", between) is not None or bool(_OR.match(text, value[1]))


def _until_follows(events: Sequence[_Event], value: Span) -> bool:
    for event in events:
        if event.start >= value[1]:
            if event.kind == "until":
                return True
            if event.kind in ("strong", "comma", "stop", "join"):
                return False
    return False


def _behind(events: Sequence[_Event], value: Span) -> _Event | None:
    """Return the negation after the value, where verbs end the sentence."""
    for event in events:
        if event.start < value[1]:
            continue
        if event.kind in ("aux", "cue", "ended"):
            return event
        if event.kind in ("strong", "stop"):
            return None
    return None


def _backward(
    table: Language, events: Sequence[_Event], text: str, value: Span, subject: Sequence[Span]
) -> _Event | None:
    """Return the negation behind a value that is its subject, or anywhere in its clause."""
    ends = ("strong", "comma", "stop", "relative", "join")
    begin = max((e.end for e in events if e.kind in ends and e.start < value[0]), default=0)
    first = [span for span in subject if begin <= span[0] < value[0]]
    joined = [
        span for span in subject
        if span[1] <= value[0] and _joined(events, text[span[1] : value[0]], span[1], value[0])
    ]
    if table.order is Order.AFTER and first and not joined:
        return None
    kinds = ("aux", "ended") if table.order is Order.AFTER else ("aux", "cue", "ended")
    for event in events:
        if event.start < value[1]:
            continue
        if event.kind in ends or event.kind in ("open", "close"):
            return None
        if event.kind in kinds:
            # "Halden did not hire Ada until 2020": it did.
            return None if _until_follows(events, (event.start, event.end)) else event
    return None


def _joined(events: Sequence[_Event], between: str, start: int, end: int) -> bool:
    """Return whether only a conjunction stands between subject and value: `Ada and Bo`."""
    joins = [e for e in events if e.kind == "join" and start <= e.start < end]
    return len(joins) == 1 and between.strip() == between[
        joins[0].start - start : joins[0].end - start
    ]


def _runs_out(text: str, cue: _Event, events: Sequence[_Event]) -> bool:
    """Return whether the negation is one of the present only: `does not ... any more`."""
    stop = min(
        (e.start for e in events if e.kind == "strong" and e.start >= cue.end), default=len(text)
    )
    return _ANY_MORE.search(text, cue.end, stop) is not None
