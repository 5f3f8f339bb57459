"""Records to and from the text that SQLite keeps: compact, exact, and the same each time."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from json.encoder import encode_basestring as quoted

from symbolic.names import digest
from symbolic.records import MEMEX, Line, Name, NameKind, Term, Value, ValueKind, Written
from symbolic.world import Spell

_NAMES = frozenset(kind.value for kind in NameKind)
_DEFAULTS: tuple[object, ...] = (None, "name", None, True, None, None, MEMEX)


def dumps(value: object) -> str:
    """Return `value` as compact JSON with sorted keys."""
    return _ENCODER.encode(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def pack_texts(texts: Iterable[str]) -> str:
    """Return texts as `dumps` gives a list of them."""
    return f"[{','.join(map(quoted, texts))}]"


def pack_written(written: Written) -> str:
    """Return a statement as written as a JSON list, trailing defaults left out."""
    rest: list[str | bool | None] = [
        written.kind, written.entity_kind, written.unit, written.polarity, written.valid_from,
        written.valid_to, written.domain,
    ]  # fmt: skip
    while rest and rest[-1] == _DEFAULTS[len(rest) - 1]:
        rest.pop()
    said = [quoted(written.entity), quoted(written.relation), quoted(written.value)]
    # What is made of every reading is put together here: an encoder takes four times as long.
    said += [quoted(part) if isinstance(part, str) else _PLAIN[part] for part in rest]
    return f"[{','.join(said)}]"


_PLAIN = {None: "null", True: "true", False: "false"}


@lru_cache(maxsize=4096)
def unpack_written(text: str) -> Written:
    """Return the statement that `pack_written` wrote."""
    parts = json.loads(text)
    entity, relation, value = parts[:3]
    rest = [*parts[3:], *_DEFAULTS[len(parts) - 3 :]]
    kind, entity_kind, unit, polarity, start, end, domain = rest
    return Written(
        entity=entity, relation=relation, value=value, kind=kind, entity_kind=entity_kind,
        unit=unit, polarity=polarity, valid_from=start, valid_to=end, domain=domain,
    )  # fmt: skip


def pack_line(line: Line) -> str:
    """Return a journal line whole, with the place it was read from."""
    whole = {name: getattr(line, name) for name in _LINE}
    return _LINES.encode(whole)


_LINE = tuple(field.name for field in fields(Line))


@lru_cache(maxsize=4096)
def unpack_line(text: str, void: bool = False) -> Line:
    """Return the line that `pack_line` wrote; a redacted one has an empty body."""
    whole = json.loads(text)
    whole["seen"] = {
        dev: tuple((seq, head) for seq, head in heads) for dev, heads in whole["seen"].items()
    }
    if void:
        whole["body"], whole["salt"] = {}, None
    return Line(**whole)


def line_order(line: Line) -> str:
    """Return a text that sorts as `Line.order` does: no part holds the separator."""
    return f"{line.at}\x01{line.dev}\x01{line.seq:012d}\x01{line.hash}"


def make_term(key: str, unit: str | None = None, written: str | None = None) -> Term:
    """Return the term with key `key` (canon.term_key), shown as `written`."""
    kind, canon = key.split(":", 1)
    shown = canon if written is None else written
    if kind in _NAMES:
        return Name(NameKind(kind), canon, shown)
    return Value(ValueKind(kind), canon, shown, unit)


@lru_cache(maxsize=16)
def fingerprint(value: Hashable) -> str:
    """Return a hash of records, mappings and sets that changes when any part of them does."""
    return digest(packed(value))


def packed(value: object) -> str:
    """Return records, mappings and sets as JSON, the same each time."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=_plain)


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise TypeError(f"{value!r} is no record")


_LINES = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)


ALWAYS = "[[null,null,null]]"
"""The spells of a fact that always holds."""


def unpack_spells(text: object) -> tuple[Spell, ...]:
    """Return the spells in a column."""
    if text is None:
        return ()
    if text == ALWAYS:
        return (Spell(None, None),)
    return tuple(Spell(*row) for row in json.loads(str(text)))
