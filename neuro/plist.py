"""The one-line plist: facts as people write them. Queries are read by `symbolic.pattern`.

    (:entity :nabokov :relation :lectures-on :value :kafka)
    (:file ".env" :member-of-class :secret-files)

A fact becomes a `Written`; a line that is none becomes a `BadPlist`, never an exception and never
half a fact. Reading is one pass over a flat list of tokens, so no
input can make it recurse or look back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta

from neuro.pairs import Bad, BadPlist, Pair, Token, pairs, quoted, reported
from symbolic.records import HEADING_SUBJECT, MEMEX, UNKNOWN, Name, NameKind, ValueKind, Written
from symbolic.values import BadValue, guess, interval, parse_bound, typed

_ENTITY_KINDS: Mapping[str, NameKind] = {
    "entity": NameKind.NAME,
    "file": NameKind.PATH,
    "path": NameKind.PATH,
    "command": NameKind.COMMAND,
    "url": NameKind.URL,
    "host": NameKind.HOST,
    "domain": NameKind.HOST,
    "symbol": NameKind.SYMBOL,
    "heading": NameKind.HEADING,
}
_KIND_KEYS: Mapping[str, str] = {
    NameKind.NAME: "entity",
    NameKind.PATH: "file",
    NameKind.COMMAND: "command",
    NameKind.URL: "url",
    NameKind.HOST: "host",
    NameKind.SYMBOL: "symbol",
    NameKind.HEADING: "heading",
}
_FACT_KEYS = frozenset(("relation", "value", "not", "from", "to", "unit", "kind"))
_KINDS = frozenset(kind.value for kind in (*NameKind, *ValueKind))
_WORD = re.compile(r'[^\s()"\x00-\x1f\x7f]+')


def parse_fact(line: str, *, zone: str = "UTC") -> Written | BadPlist:
    """Return the statement that `line` spells, or what is wrong with it.

    Parentheses may be left out. `:to` is inclusive in the line and exclusive in the result.
    """
    return reported(line, lambda: _fact(line, zone))


# --- facts ------------------------------------------------------------------------------------


def _fact(line: str, zone: str) -> Written:
    entity: Pair | None = None
    short: Pair | None = None
    named: dict[str, Pair] = {}
    for pair in pairs(line):
        key = pair.key.text.lower()
        if key in _ENTITY_KINDS:
            entity = _only_entity(entity, pair)
        elif key in _FACT_KEYS:
            named[key] = pair
        elif key == "source":
            raise Bad(
                pair.key.at,
                ":source names a gate row and stands in gate tables only",
                "leave it out; the heading is the source",
            )
        elif key == "as-of":
            raise Bad(pair.key.at, ":as-of belongs to a query", "write :from and :to")
        elif short is not None:
            raise Bad(
                pair.key.at,
                f":{pair.key.text} is unknown, and :{short.key.text} already is the relation",
                "known keys: " + " ".join(f":{key}" for key in sorted(_FACT_KEYS)),
            )
        else:
            short = pair
    if entity is None:
        raise Bad(0, "no entity", "write :entity, :file, :command, :url, :host or :symbol")
    relation, value = _predicate(named, short)
    return _written(entity, relation, value, named, zone)


def _only_entity(known: Pair | None, pair: Pair) -> Pair:
    if known is not None:
        raise Bad(
            pair.key.at,
            f"two entities: :{known.key.text} and :{pair.key.text}",
            f"for a relation of that name write :relation :{pair.key.text} :value ...",
        )
    return pair


def _predicate(named: Mapping[str, Pair], short: Pair | None) -> tuple[str, Token]:
    relation, value = named.get("relation"), named.get("value")
    if short is not None:
        clash = relation or value
        if clash is not None:
            raise Bad(
                short.key.at,
                f":{short.key.text} is an unknown key beside :{clash.key.text}",
                "write either :relation and :value or the short pair",
            )
        return short.key.text, short.value
    if relation is None:
        raise Bad(0, "no relation", "write :relation and :value, or :relation-name value")
    if value is None:
        raise Bad(relation.key.at, "no value", "write :value")
    return _term(relation, "a relation"), value.value


def _written(
    entity: Pair, relation: str, value: Token, named: Mapping[str, Pair], zone: str
) -> Written:
    kind = _hint(named, "kind")
    if kind is not None and kind not in _KINDS:
        raise Bad(
            named["kind"].value.at, f"unknown kind {kind!r}", "kinds: " + ", ".join(sorted(_KINDS))
        )
    unit = _hint(named, "unit")
    entity_kind = _ENTITY_KINDS[entity.key.text.lower()]
    start, end = _bounds(named, zone)
    return Written(
        entity=_entity(entity, entity_kind),
        relation=relation,
        value=_value(value, kind, unit, zone),
        entity_kind=entity_kind.value,
        kind=kind or (NameKind.NAME.value if value.shape == "word" else None),
        unit=unit,
        polarity=not _truth(named.get("not")),
        valid_from=start,
        valid_to=end,
    )


def _term(pair: Pair, what: str) -> str:
    """Return a :word or a string; neither may be blank."""
    token = pair.value
    if token.shape == "bare":
        raise Bad(
            token.at, f"{what} cannot be the bare {token.text!r}", 'write :word or "two words"'
        )
    if not token.text.strip():
        raise Bad(token.at, f"{what} cannot be empty", "write its name")
    return token.text


def _entity(pair: Pair, kind: NameKind) -> str:
    token = pair.value
    if kind is NameKind.NAME:
        text = _term(pair, "an entity")
        if text.strip() == HEADING_SUBJECT:
            raise Bad(token.at, f"{HEADING_SUBJECT} is reserved", "name the entity")
        return text
    if token.shape == "word":
        raise Bad(
            token.at,
            f":{token.text} is a name, :{pair.key.text} wants a {kind}",
            f'write "{token.text}"',
        )
    if not token.text.strip():
        raise Bad(token.at, "an entity cannot be empty", "write its name")
    return token.text


def _value(token: Token, kind: str | None, unit: str | None, zone: str) -> str:
    if not token.text.strip():
        raise Bad(token.at, "a value cannot be empty", "write the value")
    word = token.shape == "word"
    if word and unit is not None:
        raise Bad(token.at, f":{token.text} is a name and has no unit", "write a number")
    if token.shape == "bare" and kind is None and unit is None:
        if token.text.startswith("?"):
            raise Bad(token.at, f"{token.text} is a variable", "variables belong to queries")
        if isinstance(guess(token.text, zone), Name):
            raise Bad(
                token.at,
                f"{token.text!r} is neither a number nor a date",
                f'write :{token.text} for a name or "{token.text}" for a string',
            )
    hint = kind or (NameKind.NAME.value if word else None)
    try:
        typed(token.text, kind=hint, unit=unit, zone=zone)
    except BadValue as error:
        raise Bad(token.at, str(error), "correct the value, :kind or :unit") from error
    return token.text


def _hint(named: Mapping[str, Pair], key: str) -> str | None:
    pair = named.get(key)
    if pair is None:
        return None
    if not pair.value.text.strip():
        raise Bad(pair.value.at, f":{key} is empty", "leave it out")
    return pair.value.text.strip()


def _truth(pair: Pair | None) -> bool:
    if pair is None:
        return False
    word = pair.value.text.lower()
    if pair.value.shape != "bare" or word not in ("t", "nil"):
        raise Bad(pair.value.at, f":not is t or nil, not {pair.value.text!r}", "write :not t")
    return word == "t"


def _bounds(named: Mapping[str, Pair], zone: str) -> tuple[str | None, str | None]:
    texts: list[str | None] = []
    for key in ("from", "to"):
        pair = named.get(key)
        if pair is None:
            texts.append(None)
            continue
        if pair.value.shape == "word" or not pair.value.text.strip():
            raise Bad(pair.value.at, f":{key} wants a date", "write 2024, 2024-02 or 2024-02-01")
        _bound(pair.value, zone)
        texts.append(pair.value.text)
    try:
        return interval(texts[0], texts[1], inclusive=True, zone=zone)
    except BadValue as error:
        raise Bad(named["to"].value.at, str(error), "correct :from or :to") from error


def _bound(token: Token, zone: str) -> str | None:
    try:
        return parse_bound(token.text, zone)
    except BadValue as error:
        raise Bad(token.at, str(error), "write 2024, 2024-02 or 2024-02-01") from error


# --- printing ---------------------------------------------------------------------------------


def print_fact(written: Written, *, zone: str = "UTC") -> str:
    """Return the plist that `parse_fact` reads as `written`.

    Raises BadValue for what the form cannot say: another domain than the memex, and an end inside
    the very unit of its start.
    """
    if written.domain != MEMEX:
        raise BadValue(f"a plist speaks of the memex only, not of {written.domain}")
    start, end = interval(written.valid_from, written.valid_to, zone=zone)
    parts = [
        f":{_KIND_KEYS[written.entity_kind]}",
        _spelt(written.entity, written.entity_kind == NameKind.NAME),
        ":relation",
        _spelt(written.relation, True),
        ":value",
    ]
    word = written.kind == NameKind.NAME and written.unit is None
    parts.append(_spelt(written.value, word))
    if written.kind is not None and not parts[-1].startswith(":"):
        parts += [":kind", written.kind]
    if written.unit is not None:
        parts += [":unit", quoted(written.unit)]
    if not written.polarity:
        parts += [":not", "t"]
    if start is not None:
        parts += [":from", start]
    if end is not None:
        inclusive = _before(end)
        interval(start, inclusive, inclusive=True, zone=zone)
        parts += [":to", inclusive]
    return f"({' '.join(parts)})"


def _spelt(text: str, as_word: bool) -> str:
    return f":{text}" if as_word and _WORD.fullmatch(text) else quoted(text)


def _before(bound: str) -> str:
    """Return the inclusive end that `after` turns into `bound`."""
    if bound == UNKNOWN or "T" in bound:
        return bound
    parts = [int(part) for part in bound.split("-")]
    try:
        if len(parts) == 3:
            return (date(*parts) - timedelta(days=1)).isoformat()
        year, month = (*parts, 1)[:2]
        if len(parts) == 2 and month > 1:
            return f"{year:04d}-{month - 1:02d}"
        date(year - 1, 1, 1)
        return f"{year - 1:04d}-12" if len(parts) == 2 else f"{year - 1:04d}"
    except (ValueError, OverflowError) as error:
        raise BadValue(f"nothing lies before {bound}") from error
