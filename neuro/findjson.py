"""The JSON in a model's words: past reasoning, fences and talk, in one pass over the text.

Nothing is repaired but a comma before a closing bracket, nothing is read out of the middle of a
value that is broken or cut, and what stands inside reasoning is never read: where it ends is
decided before anything is taken. A fence is talk like any other, since a JSON reader knows where
a value ends and backticks inside a string are text.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

_NAMES = r"(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|seed:think)"
# Patterns that are searched over the whole text begin with a plain set of characters and not with
# alternatives: the search then skips to one of them at many times the speed.
_OPEN_TAG = (
    rf"(?:(?<=<){_NAMES}(?:\s[^<>]{{0,80}})?(?<!/)>|(?<=\[)THINK\]|(?<=◁)think▷)"
)
_SHUT_TAG = rf"(?:(?<=<)/{_NAMES}\s{{0,8}}>|(?<=\[)/THINK\]|(?<=◁)/think▷)"
_OPEN_CHANNEL = r"(?<=<)\|channel\|>(?!\s{0,8}final\b)"
_SHUT_CHANNEL = r"(?<=<)\|channel\|>\s{0,8}final\b"

# An array is looked at if its first element is an array or object, or a scalar with a comma or
# bracket after it: "[see below]", "[[link][text]]" and "[2024-03-05 Tue]" are talk at a glance.
_SCALAR = r'(?:"(?:[^"\\]|\\.)*+"|-?\d[\d.eE+-]*+|true|false|null|NaN|-?Infinity)'
_JSON = (
    rf'(?:(?<=\[)(?=\s*+(?:\[\s*+){{0,4}}+(?:\]|\{{\s*+["}}\']|{_SCALAR}\s*+[,\]]))'
    r'|(?<=\{)(?=\s*+"))'
)
_MARK = re.compile(
    rf"[<\[{{◁](?:(?P<tag>(?i:{_OPEN_TAG}))|(?P<channel>(?i:{_OPEN_CHANNEL}))"
    rf"|(?P<shut>(?i:{_SHUT_TAG}|{_SHUT_CHANNEL}))|(?P<json>{_JSON}))",
    re.DOTALL,
)
_END_OF_TAG = re.compile(rf"[<\[◁](?i:{_SHUT_TAG})")
_END_OF_CHANNEL = re.compile(rf"<(?i:\|end\|>|{_SHUT_CHANNEL})")
_EITHER_END = re.compile(
    rf"[<\[◁](?i:(?P<open>{_OPEN_TAG}|{_OPEN_CHANNEL})|{_SHUT_TAG}|{_SHUT_CHANNEL})"
)
_SPECIAL = re.compile(r"<\|[a-z_]{1,20}\|>", re.IGNORECASE)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]++|[\]}]++', re.DOTALL)
_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+"?)|,(?=\s*+[\]}])', re.DOTALL)
_AFTER = re.compile(r"\s*+(?:[\]}]|,\s*+[\[{])")
FENCE = re.compile(r"^[ \t>]*+(?:`{3,}|~{3,})[ \t]*+[\w+-]*+[ \t]*+$", re.MULTILINE)
"""A line that opens or closes a fence."""

_TRIES = 1000
"""Brackets that may look like JSON and be none: each costs a look back over the text.

A broken value costs a look at all that follows and counts as a quarter of them.
"""

OPERATION = frozenset(("op", "operation", "action", "event"))
PROPOSING = frozenset(("add", "create", "propose"))


@dataclass(frozen=True, slots=True)
class Twice:
    """A JSON object in which the key `key` stands twice: which is meant nobody knows."""

    key: str


@dataclass(frozen=True, slots=True)
class NoJson:
    """A word that Python's reader takes and JSON does not have: NaN, Infinity."""

    word: str


@dataclass(frozen=True, slots=True)
class Value:
    """A JSON array or object at characters [start, end) of the reply.

    Numbers are their text. `operation` is what it asks for besides proposing, if anything.
    """

    start: int
    end: int
    json: object
    operation: str | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """A value that cannot be read; `cut` if the text ends before it does."""

    start: int
    cut: bool
    message: str


@dataclass(slots=True)
class Found:
    """What stands in a reply outside its reasoning.

    `talk` is the text around the values. `unclosed` says that the reply ends inside reasoning.
    """

    values: list[Value] = field(default_factory=list)
    talk: list[str] = field(default_factory=list)
    broken: Broken | None = None
    reasoned: bool = False
    unclosed: bool = False

    def forget(self) -> None:
        """Take all found so far for reasoning."""
        self.values.clear()
        self.talk.clear()
        self.broken = None
        self.reasoned = True


class _Reader:
    """Python's JSON reader with everything that JSON does not have made visible."""

    def __init__(self) -> None:
        self.operation: str | None = None
        self._decoder = json.JSONDecoder(
            parse_float=str, parse_int=str, parse_constant=NoJson,
            object_pairs_hook=self._object, strict=False,
        )  # fmt: skip

    def _object(self, pairs: list[tuple[str, object]]) -> object:
        found = dict(pairs)
        for key, value in pairs:
            if key.strip().casefold() in OPERATION:
                word = value.strip() if isinstance(value, str) else "no word"
                if word.casefold() not in PROPOSING:
                    self.operation = f"{key.strip()}: {word}"[:80]
        if len(found) == len(pairs):
            return found
        keys = Counter(key for key, _ in pairs)
        return Twice(keys.most_common(1)[0][0])

    def read(self, text: str, start: int) -> Value:
        """Read the value that starts at `start`. Raises JSONDecodeError, RecursionError."""
        self.operation = None
        found, end = self._decoder.raw_decode(text, start)
        return Value(start, end, found, self.operation)


def find(text: str) -> Found:
    """Return the arrays and objects of a reply. Never raises; linear in the text."""
    found, reader = Found(), _Reader()
    at = tries = 0
    while mark := _MARK.search(text, at):
        if mark.lastgroup == "json":
            seen = _value(text, mark.start(), reader)
            if isinstance(seen, Value):
                found.talk.append(text[at : seen.start])
                found.values.append(seen)
                at = seen.end
                continue
            tries += _TRIES // 4 if isinstance(seen, Broken) else 1
            if isinstance(seen, Broken) or tries > _TRIES:
                found.broken = seen if isinstance(seen, Broken) else Broken(
                    mark.start(), False, "too many brackets that are no JSON"
                )
                # Reasoning whose opening tag the server kept back may end further on.
                end = _EITHER_END.search(text, mark.end())
                if end is None or end["open"] or tries > _TRIES:
                    return found
                found.forget()
                at = end.end()
                continue
            found.talk.append(text[at:seen])
            at = seen
        elif mark.lastgroup == "shut":
            found.forget()
            at = mark.end()
        else:
            found.talk.append(text[at : mark.start()])
            found.reasoned = True
            ends = _END_OF_TAG if mark.lastgroup == "tag" else _END_OF_CHANNEL
            end = ends.search(text, mark.end())
            if end is None:
                found.forget()
                found.unclosed = True
                return found
            at = end.end()
    found.talk.append(text[at:])
    return found


def _value(text: str, start: int, reader: _Reader) -> Value | Broken | int:
    """Return what starts at `start`: a value, a broken one, or where talk goes on."""
    try:
        value = reader.read(text, start)
    except RecursionError:
        return Broken(start, extent(text, start) is None, "nested too deeply")
    except json.JSONDecodeError as error:
        # An array of scalars that fails before its first object is talk in brackets.
        if text[start] == "[" and "{" not in text[start : error.pos + 1]:
            return max(error.pos, start + 1)
        return _mended(text, start, reader) or Broken(
            start, extent(text, start) is None,
            f"no JSON at line {error.lineno}, column {error.colno}: {error.msg}",
        )  # fmt: skip
    if isinstance(value.json, list) and not _is_list(text, value):
        return value.end
    if _AFTER.match(text, value.end):
        return Broken(start, False, "a bracket is missing before it, or one is too many behind it")
    return value


def _is_list(text: str, value: Value) -> bool:
    """Return whether an array is one of items: a footnote [1] or a check box [ ] is not.

    One without any object or array in it has to stand alone on its lines; `[]` without a blank
    may also follow a blank or a colon and end its line.
    """
    assert isinstance(value.json, list)
    if any(isinstance(item, (dict, list, Twice)) for item in value.json):
        return True
    begin = text.rfind("\n", 0, value.start) + 1
    # A bounded look: lines can be long and footnotes many.
    before = text[max(begin, value.start - 80) : value.start]
    after = text[value.end : value.end + 80].partition("\n")[0]
    ends = not after.strip(" \t\r`.")
    if value.end - value.start == 2:
        return ends and before[-1:] in ("", " ", "\t", ":", "`")
    return ends and not before.strip(" \t`")


def extent(text: str, start: int) -> int | None:
    """Return the end of the brackets that open at `start`, None if they never close."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        at, end = token.span()
        if text[at] in "[{":
            depth += end - at
        elif text[at] in "]}":
            if depth <= end - at:
                return at + depth
            depth -= end - at
    return None


def _mended(text: str, start: int, reader: _Reader) -> Value | None:
    """Return the value without its commas before closing brackets, None if that mends nothing."""
    end = extent(text, start)
    if end is None:
        return None
    mended = _COMMA.sub(lambda match: match[1] or "", text[start:end])
    try:
        value = reader.read(mended, 0)
    except (json.JSONDecodeError, RecursionError):
        return None
    return Value(start, end, value.json, value.operation) if value.end == len(mended) else None


def whole(text: str) -> Value | Broken | None:
    """Return what `text` is if it is JSON from end to end; None if it does not look like it."""
    if text[:1] not in ("[", "{"):
        return None
    try:
        value = _Reader().read(text, 0)
    except RecursionError:
        return Broken(0, extent(text, 0) is None, "nested too deeply")
    except json.JSONDecodeError:
        return Broken(0, True, "it ends too early") if extent(text, 0) is None else None
    return value if value.end == len(text) else None


def spoken(talk: list[str]) -> Iterator[str]:
    """Yield the pieces of talk without fences and special tokens."""
    for piece in talk:
        yield _SPECIAL.sub(" ", FENCE.sub("", piece)).strip("\ufeff \t\r\n`")
