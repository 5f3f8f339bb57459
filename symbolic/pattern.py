"""Query patterns: what a person may write, read strictly into one record.

    (:entity :nabokov :relation ?r)
    (:file ".env" :member-of-class ?class)
    (fact-query :entity :monorepo :relation :opinion :source :memex :as-of 2024)
    nabokov ? ?
    ? member-of-class "secret files"

Reading is one pass over a flat list of tokens and never raises: what cannot be read comes back as
a `BadPattern` that shows where, and what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from symbolic.records import UNKNOWN, NameKind
from symbolic.values import BadValue, parse_bound


@dataclass(frozen=True, slots=True)
class Variable:
    """An open place. A `?name` binds; a bare `?` has the empty name and binds nothing.

    `kind` is the one name kind that fits, None where any term does.
    """

    name: str = ""
    kind: NameKind | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """A term as written. `kind` is the one name kind it may have, None for every kind.

    `named` is set where only Names are meant (`:word`), not literals.
    """

    text: str
    kind: NameKind | None = None
    named: bool = False


Slot = Variable | Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A query. `as_of` is a canonical bound, `domain` None for every domain."""

    entity: Slot = Variable()
    relation: Slot = Variable()
    value: Slot = Variable()
    domain: str | None = None
    as_of: str | None = None
    polarity: bool = True

    @property
    def ground(self) -> bool:
        """Whether nothing is left open."""
        return not any(isinstance(slot, Variable) for slot in self.slots)

    @property
    def slots(self) -> tuple[Slot, Slot, Slot]:
        """The three places in their order."""
        return (self.entity, self.relation, self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class BadPattern:
    """Why a text is no query. `excerpt` is the part meant, at character `column` (from 1)."""

    message: str
    excerpt: str
    column: int
    remedy: str


@dataclass(frozen=True, slots=True)
class _Token:
    """`shape` is `(`, `)`, word (`:word`), string or bare."""

    shape: str
    text: str
    at: int
    raw: str


class _Bad(Exception):
    """Leaves the reader from any depth; `parse_pattern` turns it into a BadPattern."""

    def __init__(self, token: _Token, message: str, remedy: str) -> None:
        super().__init__(message)
        self.token = token
        self.message = message
        self.remedy = remedy


_TOKEN = re.compile(
    r"""\s*(?:(?P<paren>[()])|"(?P<string>(?:[^"\\]|\\.)*)"|(?P<plain>[^\s()"]+))""", re.DOTALL
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)

_SUBJECTS: Mapping[str, NameKind | None] = {
    "entity": None,
    "file": NameKind.PATH,
    "path": NameKind.PATH,
    "command": NameKind.COMMAND,
    "url": NameKind.URL,
    "host": NameKind.HOST,
    "domain": NameKind.HOST,
    "symbol": NameKind.SYMBOL,
    "heading": NameKind.HEADING,
}
_SUBJECT_OF: Mapping[NameKind | None, str] = {
    None: "entity",
    NameKind.PATH: "file",
    NameKind.URL: "url",
    NameKind.HOST: "host",
    NameKind.COMMAND: "command",
    NameKind.SYMBOL: "symbol",
    NameKind.HEADING: "heading",
}
_KEYS = ("relation", "value", "source", "as-of", "not")
_ELSEWHERE: Mapping[str, str] = {
    "from": "ask for a time with --at",
    "to": "ask for a time with --at",
    "at": "ask for a time with --at",
    "unit": 'write the unit into the value: :value "8848 m"',
    "kind": "leave it out: a value matches by what it says",
}
_FORMS = "keys: :entity :relation :value :source :as-of"
_THREE = "write ENTITY RELATION VALUE with ? for what is open; quote a name that has blanks"


def parse_pattern(text: str) -> Pattern | BadPattern:
    """Return the query that `text` spells, or what is wrong with it. Never raises."""
    try:
        tokens = list(_tokens(text))
        if not tokens:
            raise _Bad(_Token("bare", "", 0, text), "the query is empty", _THREE)
        return _plist(tokens) if tokens[0].shape == "(" else _words(tokens)
    except _Bad as bad:
        return BadPattern(
            message=bad.message, excerpt=bad.token.raw, column=bad.token.at + 1, remedy=bad.remedy
        )


def _tokens(text: str) -> Iterator[_Token]:
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            rest = _Token("string", "", text.index('"', at), text[at:].strip())
            raise _Bad(rest, "a quote is not closed", 'write the second "')
        at = match.end()
        start, raw = match.start(match.lastgroup or 0), match.group().strip()
        if match["paren"]:
            yield _Token(match["paren"], match["paren"], start, raw)
        elif match["string"] is not None:
            yield _Token("string", _ESCAPE.sub(r"\1", match["string"]), start - 1, raw)
        elif raw.startswith(":"):
            yield _Token("word", raw[1:], start, raw)
        else:
            yield _Token("bare", raw, start, raw)


# --- three words ------------------------------------------------------------------------------


def _words(tokens: list[_Token]) -> Pattern:
    for token in tokens:
        if token.shape in "()":
            raise _Bad(token, "a parenthesis inside a query of words", _THREE)
    if len(tokens) != 3:
        said = "one word" if len(tokens) == 1 else f"{len(tokens)} words"
        raise _Bad(tokens[min(3, len(tokens) - 1)], f"a query of {said}, not of three", _THREE)
    entity, relation, value = tokens
    return Pattern(entity=_slot(entity), relation=_relation(relation), value=_slot(value))


def _slot(token: _Token, kind: NameKind | None = None) -> Slot:
    if token.shape == "bare" and token.text.startswith("?"):
        return Variable(token.text[1:], kind)
    if not token.text.strip():
        raise _Bad(token, "an empty name", "write the name, or ? for any")
    return Word(token.text, kind, named=token.shape == "word" and kind is None)


# --- plists -----------------------------------------------------------------------------------


def _plist(tokens: list[_Token]) -> Pattern:
    body, headed = _body(tokens)
    pattern = Pattern()
    seen: dict[str, _Token] = {}
    odd: list[tuple[_Token, _Token]] = []
    for key, value in _pairs(body):
        name = key.text.lower()
        role = "entity" if name in _SUBJECTS else name
        if role != "entity" and role not in _KEYS:
            odd.append((key, value))
            continue
        if role in seen:
            remedy = "write :source for the provenance domain" if name == "domain" else "keep one"
            raise _Bad(key, f"{key.raw} after {seen[role].raw}", remedy)
        seen[role] = key
        pattern = _with(pattern, name, value)
    return _short(pattern, odd, seen, headed) if odd else pattern


def _body(tokens: list[_Token]) -> tuple[list[_Token], bool]:
    if tokens[-1].shape != ")":
        raise _Bad(tokens[-1], "the parenthesis is not closed", "write ) at the end")
    body = tokens[1:-1]
    for token in body:
        if token.shape in "()":
            raise _Bad(token, "a parenthesis inside a query", 'quote it: "("')
    headed = bool(body) and body[0].shape == "bare"
    if headed and body[0].text.lower() != "fact-query":
        raise _Bad(body[0], f"a query does not begin with {body[0].raw}", "write fact-query")
    body = body[1:] if headed else body
    if not body and not headed:
        raise _Bad(tokens[0], "the query is empty", _FORMS)
    return body, headed


def _pairs(body: list[_Token]) -> Iterator[tuple[_Token, _Token]]:
    for at in range(0, len(body), 2):
        key = body[at]
        if key.shape != "word" or not key.text:
            raise _Bad(key, f"{key.raw} stands where a key is wanted", _FORMS)
        if at + 1 == len(body):
            raise _Bad(key, f"{key.raw} has no value", "write one, or ? for any")
        yield key, body[at + 1]


def _with(pattern: Pattern, name: str, value: _Token) -> Pattern:
    """Set the place that the key `name` means."""
    if name in _SUBJECTS:
        return replace(pattern, entity=_slot(value, _SUBJECTS[name]))
    if name == "relation":
        return replace(pattern, relation=_relation(value))
    if name == "value":
        return replace(pattern, value=_slot(value))
    if name == "source":
        if not value.text.strip() or value.raw.startswith("?"):
            raise _Bad(value, ":source wants the name of a domain", "write :source :memex")
        return replace(pattern, domain=value.text.strip())
    if name == "as-of":
        return replace(pattern, as_of=_as_of(value))
    if value.shape != "bare" or value.text.lower() not in ("t", "nil"):
        raise _Bad(value, f":not is t or nil, not {value.raw}", "write :not t")
    return replace(pattern, polarity=value.text.lower() != "t")


def _relation(token: _Token) -> Slot:
    slot = _slot(token)
    return Word(slot.text, named=True) if isinstance(slot, Word) else slot


def _as_of(value: _Token) -> str:
    remedy = "write 2024, 2024-02, 2024-02-01 or an instant"
    try:
        bound = None if value.shape == "word" else parse_bound(value.text)
    except BadValue as error:
        raise _Bad(value, str(error), remedy) from error
    if bound is None or bound == UNKNOWN:
        raise _Bad(value, ":as-of wants a date", remedy)
    return bound


def _short(
    pattern: Pattern, odd: list[tuple[_Token, _Token]], seen: Mapping[str, _Token], headed: bool
) -> Pattern:
    """Read the short pair `:relation-name value`, or say which key is unknown."""
    from difflib import get_close_matches  # only where a key is not known

    key, value = odd[0]
    name = key.text.lower()
    near = get_close_matches(name, (*_SUBJECTS, *_KEYS), n=1, cutoff=0.8)
    taken = headed or len(odd) > 1 or "relation" in seen or "value" in seen
    if name in _ELSEWHERE:
        remedy = _ELSEWHERE[name]
    elif near:
        remedy = f"did you mean :{near[0]}? A relation of that name: :relation :{key.text}"
    elif taken:
        remedy = _FORMS
    else:
        return replace(pattern, relation=Word(key.text, named=True), value=_slot(value))
    raise _Bad(key, f"unknown key {key.raw} in a query", remedy)


# --- printing ---------------------------------------------------------------------------------


def print_pattern(pattern: Pattern) -> str:
    """Return the plist that `parse_pattern` reads as `pattern`."""
    parts = [
        f":{_SUBJECT_OF[pattern.entity.kind]}", _spelt(pattern.entity),
        ":relation", _spelt(pattern.relation),
        ":value", _spelt(pattern.value),
    ]  # fmt: skip
    if pattern.domain is not None:
        parts += [":source", _quoted(pattern.domain)]
    if pattern.as_of is not None:
        parts += [":as-of", pattern.as_of]
    if not pattern.polarity:
        parts += [":not", "t"]
    return f"({' '.join(parts)})"


_WORD = re.compile(r'[^\s()"]+')


def _spelt(slot: Slot) -> str:
    if isinstance(slot, Variable):
        return f"?{slot.name}"
    as_word = slot.named and _WORD.fullmatch(slot.text)
    return f":{slot.text}" if as_word else _quoted(slot.text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
