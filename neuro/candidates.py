"""Candidate lines: JSON in, Candidates out, every mistake a value with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from symbolic.records import Candidate, Grounding, NameKind, Provenance, Written

MAX_LINE = 1 << 20
"""Characters of one candidate line; a longer one is no candidate."""

_KNOWN = frozenset(
    (
        "entity", "entity_kind", "relation", "value", "kind", "unit", "polarity", "valid_from",
        "valid_to", "heading", "path", "outline", "quote", "rationale", "confidence",
    )
)  # fmt: skip
_SURROGATE = re.compile("[\ud800-\udfff]")
_POSITIVE = {"positive", "true", "+", "affirmed", "yes"}
_NEGATIVE = {"negative", "false", "-", "denied", "no"}


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that is no candidate at all."""

    line: int
    excerpt: str
    message: str


@dataclass(frozen=True, slots=True)
class Item:
    """A candidate with the line it stands on. `wrong` are reasons why it is malformed."""

    line: int
    candidate: Candidate
    wrong: tuple[str, ...] = ()


def read_lines(text: str) -> Iterator[Item | Unread]:
    """Yield what each line of a candidates file is; blank lines are passed over."""
    for number, raw in enumerate(text.split("\n"), start=1):
        if raw.strip():
            yield _read(raw.strip(), number)


def _read(raw: str, number: int) -> Item | Unread:
    excerpt = raw if len(raw) <= 80 else raw[:77] + "..."
    if len(raw) > MAX_LINE:
        return Unread(number, excerpt, f"longer than {MAX_LINE} characters")
    try:
        item = json.loads(raw, parse_float=str, parse_constant=_refuse, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        return Unread(number, excerpt, f"no JSON object: {error}")
    if not isinstance(item, dict):
        return Unread(number, excerpt, "no JSON object: write {\"entity\": ..., ...}")
    if (unfit := unwritable(item)) is not None:
        return Unread(number, excerpt, unfit)
    return item_of(item, number)


def _refuse(word: str) -> object:
    raise ValueError(f"{word} is no JSON value")


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def unwritable(item: Mapping[str, object]) -> str | None:
    """Return why an object cannot be written down at all: half a surrogate pair is no character."""
    for key, value in item.items():
        for text in (key, value):
            if isinstance(text, str) and _SURROGATE.search(text):
                return "half of a surrogate pair is no character"
    return None


def item_of(item: Mapping[str, object], number: int, *, model: str | None = None) -> Item:
    """Return the candidate of one JSON object; what is wrong with it stands beside it.

    `model` names who said it, None if no model did.
    """
    wrong: list[str] = []

    def text(key: str, *, needed: bool = False) -> str | None:
        value = item.get(key)
        if isinstance(value, bool):
            value = "true" if value else "false"
        if value is None or (isinstance(value, str) and not value.strip()):
            if needed:
                wrong.append(f"'{key}' is missing")
            return None
        if not isinstance(value, (str, int)):
            wrong.append(f"'{key}' is no text")
            return None
        return str(value)

    unknown = sorted(set(item) - _KNOWN)
    if unknown:
        wrong.append(f"unknown keys: {', '.join(unknown)[:200]}")
    kind = text("entity_kind") or NameKind.NAME.value
    written = Written(
        entity=text("entity", needed=True) or "",
        relation=text("relation", needed=True) or "",
        value=text("value", needed=True) or "",
        entity_kind=kind,
        kind=text("kind"),
        unit=text("unit"),
        polarity=_polarity(item.get("polarity"), wrong),
        valid_from=text("valid_from"),
        valid_to=text("valid_to"),
    )
    grounding = Grounding(
        heading=text("heading"),
        path=text("path"),
        outline=_outline(item.get("outline"), wrong),
        quote=text("quote"),
    )
    candidate = Candidate(
        written=written,
        grounding=grounding,
        proposer=Provenance.PROPOSED,
        rationale=text("rationale"),
        confidence=_confidence(text("confidence"), wrong),
        model=model,
    )
    return Item(number, candidate, tuple(wrong))


def _polarity(value: object, wrong: list[str]) -> bool:
    if value is None:
        return True
    if isinstance(value, bool):
        return value
    if not isinstance(value, (str, int)):
        wrong.append("'polarity' is neither positive nor negative")
        return True
    word = str(value).strip().casefold()
    if word in _NEGATIVE:
        return False
    if word not in _POSITIVE:
        wrong.append(f"'polarity' is neither positive nor negative: {word[:40]}")
    return True


def _outline(value: object, wrong: list[str]) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(title, str) for title in value):
        return tuple(value)
    wrong.append("'outline' is no list of titles")
    return ()


def _confidence(text: str | None, wrong: list[str]) -> str | None:
    if text is None:
        return None
    try:
        fits = 0 <= float(text) <= 1
    except ValueError:
        fits = False
    if not fits:
        wrong.append(f"'confidence' is no number from 0 to 1: {text[:40]}")
        return None
    return text
