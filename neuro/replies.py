"""A model's reply: the items in it as candidates, or the reason why there are none.

    text ──find──► values, talk ──read_reply──► Read(items, bad, hedges)
                                           └──► Unreadable(reason, message, excerpt)

A reply is a JSON array of items, one object with `candidates`, `facts` or `triples`, or one item;
items of their own, one below the other, are a list as well. Several lists that differ, a value
that is broken, a reply that was cut or that asks for another operation than proposing are refused
whole: what cannot be read is told, never taken for "no facts". An empty list is a Read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from neuro.candidates import Item
from neuro.findjson import FENCE, Broken, Found, Twice, Value, find, spoken, whole
from neuro.hedges import clipped, hedged
from neuro.items import Asked, BadItem, doubted, excerpt, read_item, says, shown, spell, told

WRAPPERS = ("candidates", "facts", "triples")
"""Keys under which one object holds the items."""

MAX_ITEMS = 10_000
"""More items than that are a model that runs in circles."""

_HALVES = re.compile(r"(?:\s|[-*•]|\d+[.)])*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a reply proposes; `line` of an Item is its number. No items and none bad: no facts.

    `hedges` are the doubts that stand around the items; each item's rationale holds them too.
    """

    items: tuple[Item, ...] = ()
    bad: tuple[BadItem, ...] = ()
    hedges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A reply of which nothing is taken.

    `reason` is one of empty, truncated, prose, think-only, wrong-id, operation.
    """

    reason: str
    message: str
    excerpt: str


def named_by(key: str, path: str, outline: Sequence[str]) -> frozenset[str]:
    """Return what else than its key names a heading: `path::Title/Title`."""
    return frozenset((key, f"{path}::{'/'.join(outline)}"))


def read_reply(
    text: str,
    *,
    key: str,
    named: frozenset[str] = frozenset(),
    cut: bool = False,
    model: str | None = None,
) -> Read | Unreadable:
    """Read the reply to a question about the heading `key`; `named` are its other names.

    `cut` says that the server knows of more text: then nothing is taken. Never raises.
    """
    found = find(text)
    talk = tuple(piece for piece in spoken(found.talk) if piece)
    values = found.values or _bare(talk)
    if isinstance(values, Broken):
        found.broken, values = values, []
    refused = _unread(text, found, values, talk, cut)
    if refused is not None:
        return refused
    try:
        listed = _listed(values, text)
        if isinstance(listed, str):
            return Unreadable(reason="prose", message=listed, excerpt=excerpt(text))
        return _read(listed, hedged(talk), Asked(key, named), model)
    except RecursionError:
        # Two values can be read and still be too deep to be compared.
        return Unreadable(
            reason="prose", message="nested too deeply to be compared", excerpt=excerpt(text)
        )


def _bare(talk: tuple[str, ...]) -> list[Value] | Broken:
    """Return the JSON that is the whole of the talk: a list of scalars, an empty one."""
    body = talk[0] if len(talk) == 1 else ""
    value = whole(body)
    return [] if value is None else value if isinstance(value, Broken) else [value]


def _unread(
    text: str, found: Found, values: list[Value], talk: tuple[str, ...], cut: bool
) -> Unreadable | None:
    """Return why nothing of a reply can be read, None if something can."""
    broken = found.broken
    if found.unclosed or (found.reasoned and not values and not talk and broken is None):
        return Unreadable(
            reason="think-only", excerpt=excerpt(text),
            message="the reply holds reasoning alone: let it answer longer, or turn reasoning off",
        )  # fmt: skip
    if not values and not talk and broken is None:
        return Unreadable(reason="empty", message="the reply is empty", excerpt=excerpt(text))
    if cut or (broken is not None and broken.cut):
        at = len(text) if broken is None else broken.start
        return Unreadable(
            reason="truncated", excerpt=excerpt(text[at:] or text),
            message="the reply ends too early: let it answer longer, or ask for less at once",
        )  # fmt: skip
    for value in values:
        if value.operation is not None:
            return Unreadable(
                reason="operation", excerpt=excerpt(text[value.start :]),
                message=f"a model can only propose: the reply says {clipped(value.operation)}",
            )  # fmt: skip
    if broken is not None:
        return Unreadable(
            reason="prose", message=broken.message, excerpt=excerpt(text[broken.start :])
        )
    if not values:
        return Unreadable(
            reason="prose", message="no JSON list of items stands in the reply",
            excerpt=excerpt(text),
        )  # fmt: skip
    return None


# --- which list is meant ------------------------------------------------------------------------


def _listed(values: list[Value], text: str) -> object:
    """Return the JSON of the one list, wrapper or item; a sentence if it is not clear which."""
    first = values[0]
    if all(value.json == first.json for value in values[1:]):
        return first.json
    between = (FENCE.sub("", text[one.end : other.start]) for one, other in pairwise(values))
    if all(_single(value.json) for value in values) and all(map(_HALVES.fullmatch, between)):
        return [value.json for value in values]
    return f"{len(values)} lists that differ stand in the reply: it is not clear which is meant"


def _single(value: object) -> bool:
    return isinstance(value, Twice) or (isinstance(value, dict) and not _wrapped(value))


def _wrapped(value: Mapping[str, object]) -> bool:
    """Return whether an object holds items and is none: `facts` beside an entity is no list."""
    return any(key in value for key in WRAPPERS) and not says(value)


def _read(
    found: object, hedges: tuple[str, ...], asked: Asked, model: str | None
) -> Read | Unreadable:
    """Read the items of a list, of a wrapper or the one item."""
    if isinstance(found, dict) and _wrapped(found):
        held = _unwrapped(found, asked)
        if isinstance(held, Unreadable):
            return held
        hedges = (*map(clipped, told(found, [])), *hedges)
        found = held
    listed = found if isinstance(found, list) else [found]
    if len(listed) > MAX_ITEMS:
        return Unreadable(
            reason="prose", message=f"{len(listed)} items: no heading states more than {MAX_ITEMS}",
            excerpt=shown(listed[0]),
        )  # fmt: skip
    items: list[Item] = []
    bad: list[BadItem] = []
    for number, raw in enumerate(listed, start=1):
        read = read_item(raw, number, asked, model)
        if isinstance(read, BadItem):
            bad.append(read)
        else:
            items.append(doubted(read, hedges))
    return Read(items=tuple(items), bad=tuple(bad), hedges=hedges)


def _unwrapped(found: Mapping[str, object], asked: Asked) -> list[object] | Unreadable:
    """Return the items of a wrapper.

    What else it holds may be talk, but no second list: that would be lost in silence.
    """
    lists = [key for key in WRAPPERS if key in found]
    others = [
        key for key, value in found.items()
        if key not in WRAPPERS and isinstance(value, (list, dict, Twice)) and value
    ]  # fmt: skip
    if len(lists) > 1 or others:
        return Unreadable(
            reason="prose", excerpt=shown(found),
            message=clipped(f"more than one list stands in it: {', '.join([*lists, *others])}"),
        )  # fmt: skip
    place = found.get("heading")
    if place is not None and not asked.names(place):
        return Unreadable(
            reason="wrong-id", excerpt=shown(found),
            message=f"the reply is about another heading than the one asked: {spell(place)}",
        )  # fmt: skip
    held = found[lists[0]]
    if isinstance(held, dict):
        return [held]
    if not isinstance(held, list):
        return Unreadable(
            reason="prose", excerpt=shown(found), message=f"'{lists[0]}' is no list of items"
        )
    return held
