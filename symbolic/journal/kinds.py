"""The kinds of journal lines and what each body holds.

A shape is a function from a value to a complaint, or None if the value fits. A field whose name
ends in ``?`` may be left out; every other one has to be there, if need be as null. Fields that the
table does not know are a bug when written and are let pass when read, so that a later version may
add an optional one without locking out this one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

Shape = Callable[[object], str | None]
"""Returns what is wrong with a value, as the end of a sentence, or None."""

_HEX16 = re.compile(r"[0-9a-f]{16}")


def _text(value: object) -> str | None:
    return None if isinstance(value, str) else "is no text"


def _whole(value: object) -> str | None:
    ok = isinstance(value, int) and not isinstance(value, bool)
    return None if ok else "is no whole number"


def _truth(value: object) -> str | None:
    return None if isinstance(value, bool) else "is neither true nor false"


def _object(value: object) -> str | None:
    return None if isinstance(value, Mapping) else "is no object"


def _anything(value: object) -> str | None:
    return None


def _memex_id(value: object) -> str | None:
    ok = isinstance(value, str) and _HEX16.fullmatch(value) is not None
    return None if ok else "is no memex id (16 hex digits)"


def _or_null(shape: Shape) -> Shape:
    return lambda value: None if value is None else shape(value)


def _either(*shapes: Shape) -> Shape:
    def check(value: object) -> str | None:
        complaints = [shape(value) for shape in shapes]
        return None if None in complaints else " and ".join(filter(None, complaints))

    return check


def _word(*words: str) -> Shape:
    return lambda value: None if value in words else f"is none of {', '.join(words)}"


def _list(shape: Shape) -> Shape:
    def check(value: object) -> str | None:
        if not isinstance(value, (list, tuple)):
            return "is no list"
        complaints = (shape(item) for item in value)
        return next((f"has an item that {text}" for text in complaints if text), None)

    return check


def _map(shape: Shape) -> Shape:
    def check(value: object) -> str | None:
        if not isinstance(value, Mapping):
            return "is no object"
        return next((f"'{key}' {text}" for key in value if (text := shape(value[key]))), None)

    return check


def _record(fields: Mapping[str, Shape], *parallel: str) -> Shape:
    """Return the shape of an object with `fields`, whose `parallel` lists are equally long."""

    def check(value: object) -> str | None:
        if not isinstance(value, Mapping):
            return "is no object"
        found = _complaints(fields, value)
        if found:
            return f"({'; '.join(found)})"
        lengths = {len(value[name]) for name in parallel if name in value}
        return f"has {', '.join(parallel)} of different lengths" if len(lengths) > 1 else None

    return check


def _complaints(fields: Mapping[str, Shape], body: Mapping[str, object]) -> list[str]:
    found = []
    for spelling, shape in fields.items():
        name = spelling.removesuffix("?")
        if name not in body:
            if name == spelling:
                found.append(f"'{name}' is missing")
        elif complaint := shape(body[name]):
            found.append(f"'{name}' {complaint}")
    return found


_maybe_text = _or_null(_text)
_texts = _list(_text)
_maybe_texts = _list(_maybe_text)

_STATEMENT: Mapping[str, Shape] = {
    "entity": _text, "relation": _text, "value": _text, "entity_kind?": _text, "kind?": _text,
    "unit?": _text, "polarity?": _truth, "valid_from?": _text, "valid_to?": _text,
    "domain?": _text,
}  # fmt: skip
_statement = _record(_STATEMENT)

# Suppressions: the i-th key, quote hash and text hash name one heading.
_PLACES: Mapping[str, Shape] = {
    "keys": _texts, "quote_hash": _maybe_texts, "text_hash": _maybe_texts,
}  # fmt: skip
_PARALLEL = ("keys", "quote_hash", "text_hash")

_ADMIT: Mapping[str, Shape] = {
    "proposal?": _maybe_text, "statement": _statement, "key?": _maybe_text,
    "quote?": _maybe_text, "evidence_date?": _maybe_text, "provenance": _text,
    "rule?": _maybe_text, "min_sources": _whole, "shown": _maybe_text, "outcome": _text,
    "conflicts": _texts, "text_hash?": _maybe_text,
}  # fmt: skip
_DECLARE: Mapping[str, Shape] = {
    "statement": _statement, "proposal?": _maybe_text, "shown?": _maybe_text,
}  # fmt: skip
_RETRACT: Mapping[str, Shape] = {
    "statement": _statement, "subject?": _maybe_text, **_PLACES, "reason": _maybe_text,
    "shown?": _maybe_text,
}  # fmt: skip
_MEMBER: Mapping[str, Shape] = {
    "statement": _statement, "subject?": _maybe_text, **_PLACES, "reason?": _maybe_text,
}  # fmt: skip
_SPAN: Mapping[str, Shape] = {"offset": _whole, "old": _text, "new": _text}
_FILE: Mapping[str, Shape] = {
    "path": _text, "old": _maybe_text, "new": _maybe_text, "spans": _list(_record(_SPAN)),
}  # fmt: skip
_item = _either(_text, _object)


def _admitted(value: object) -> str | None:
    """Check the new side of a `supersede`: the body of an `admit` or of a `declare`."""
    admit = isinstance(value, Mapping) and "provenance" in value
    return _record(_ADMIT if admit else _DECLARE)(value)


KINDS: Mapping[str, Mapping[str, Shape]] = {
    "open": {
        "memex": _memex_id, "device": _text, "was": _or_null(_record({"dev": _text,
        "hash": _maybe_text})), "zone": _text, "versions": _map(_text),
    },
    "propose": {
        "candidate": _or_null(_object), "key": _maybe_text, "quote": _maybe_text,
        "evidence_date": _maybe_text, "grounding": _or_null(_item), "proposer": _text,
        "model": _maybe_text, "reply_digest": _maybe_text, "rationale": _maybe_text,
        "confidence": _maybe_text, "proposal": _maybe_text, "text_hash?": _maybe_text,
        "prompt?": _maybe_text,
    },
    "failed": {
        "key": _maybe_text, "reason": _text, "reply_digest": _maybe_text, "attempt": _whole,
        "model?": _maybe_text, "text_hash?": _maybe_text, "prompt?": _maybe_text,
        "message?": _maybe_text,
    },
    "admit": _ADMIT,
    "refuse": {
        "proposal": _text, "outcome": _text, "reasons": _texts, "blockers": _list(_item),
    },
    "reject": {
        "proposal?": _maybe_text, "statement": _statement, "key": _maybe_text,
        "quote_hash": _maybe_text, "text_hash": _maybe_text,
        "scope": _word("source", "everywhere"), "reason": _maybe_text, "shown": _maybe_text,
    },
    "declare": _DECLARE,
    "retract": _RETRACT,
    "supersede": {
        "old": _statement, "subject?": _maybe_text, "new": _admitted, "from": _maybe_text,
        **_PLACES, "reason?": _maybe_text, "shown?": _maybe_text,
    },
    "settle": {
        "conflict": _text, "members": _list(_record(_MEMBER, *_PARALLEL)), "choice": _text,
        "kept?": _or_null(_item), "shown?": _maybe_text,
    },
    "incumbent": {"conflict": _text, "kept": _item, "refused": _list(_item)},
    "anchor": {"statement": _statement, "key": _text, "new_key": _maybe_text},
    "ontology": {
        "subject": _text, "field": _text, "before": _anything, "after": _anything, "via": _text,
        "shown?": _maybe_text, "conflicts": _list(_item),
    },
    "gates": {"hash": _text},
    "import": {
        "domain": _text, "file_hash?": _maybe_text, "count?": _or_null(_whole),
        "dropped?": _or_null(_truth),
    },
    "reconcile": {"divergence": _text, "keys": _texts, "kept": _text, "shown?": _maybe_text},
    "undo": {"event": _text, "shown?": _maybe_text},
    "redact": {"events": _texts, "reason": _maybe_text},
    "redo": {"line": _object},
    "edit": {"batch": _text, "by": _text, "files": _list(_record(_FILE))},
    "edited": {"edit": _text, "state": _word("done", "undone", "half")},
}  # fmt: skip
"""Every kind of line with the fields of its body, `salt` left out."""

_LISTS_OF = frozenset({"retract", "supersede"})


class BadBody(TypeError):
    """A body that its kind does not allow was about to be written: a bug."""


def problems(kind: str, body: Mapping[str, object]) -> tuple[str, ...]:
    """Return what is wrong with `body` for a line of `kind`, one sentence end each.

    Raises KeyError if there is no such kind.
    """
    found = _complaints(KINDS[kind], body)
    if not found and kind in _LISTS_OF:
        shape = _record({}, *_PARALLEL)
        found = [f"the body {complaint}"] if (complaint := shape(body)) else []
    if not found and kind == "import" and not body.get("dropped"):
        missing = [name for name in ("file_hash", "count") if body.get(name) is None]
        found = [f"'{name}' is missing and 'dropped' is not true" for name in missing]
    return tuple(found)


def require(kind: str, body: Mapping[str, object]) -> None:
    """Raise BadBody unless `body` holds exactly what the table gives a line of `kind`."""
    if kind not in KINDS:
        raise BadBody(f"there is no journal line of kind '{kind}'")
    known = {spelling.removesuffix("?") for spelling in KINDS[kind]}
    found = [*problems(kind, body), *(f"'{name}' is no field" for name in body.keys() - known)]
    if found:
        raise BadBody(f"a '{kind}' line: {'; '.join(found)}")
