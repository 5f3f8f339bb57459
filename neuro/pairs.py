"""Key-value pairs from one line of plist text: the lexer under facts and queries.

One pass over a flat list of tokens, so no input can make it recurse or look back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

MAX_LINE = 64 * 1024
"""Bytes of UTF-8 in one line."""

_T = TypeVar("_T")
_SHOWN = 60
_TOKEN = re.compile(
    r"\s++"
    r"|(?P<open>\()"
    r"|(?P<close>\))"
    r'|"(?P<string>(?:[^"\\]|\\.)*+)"'
    r'|:(?P<word>[^\s()"]*+)'
    r'|(?P<bare>[^\s()":][^\s()"]*+)'
)
_ESCAPE = re.compile(r"\\(.)")
_FORBIDDEN = re.compile(r"[\0\r\n\ud800-\udfff]")
_UNESCAPED: Mapping[str, str] = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}
_ESCAPED: Mapping[str, str] = {made: f"\\{letter}" for letter, made in _UNESCAPED.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class BadPlist:
    """Why a line is no plist of ours. `column` is 1-based and counts characters."""

    column: int
    excerpt: str
    message: str
    remedy: str


class Bad(Exception):
    """Carries a mistake from where it is seen to the public function that returns it."""

    def __init__(self, at: int, message: str, remedy: str) -> None:
        super().__init__(message)
        self.at, self.message, self.remedy = at, message, remedy


@dataclass(frozen=True, slots=True)
class Token:
    """`shape` is word (after a colon), string, bare, open or close; `at` a 0-based character."""

    shape: str
    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Pair:
    """A key and what follows it."""

    key: Token
    value: Token


def reported(line: str, read: Callable[[], _T]) -> _T | BadPlist:
    """Return what `read` returns, or the mistake it raised with its place in `line`."""
    try:
        return read()
    except Bad as bad:
        return BadPlist(
            column=bad.at + 1,
            excerpt=line[bad.at : bad.at + _SHOWN] or line[-_SHOWN:],
            message=bad.message,
            remedy=bad.remedy,
        )


def _tokens(line: str) -> list[Token]:
    _check_line(line)
    found: list[Token] = []
    at = 0
    while at < len(line):
        match = _TOKEN.match(line, at)
        if match is None:
            raise Bad(at, "a string without its closing quote", 'close it with "')
        if match.lastgroup is not None:
            text = match[match.lastgroup]
            if match.lastgroup == "string":
                text = _unescaped(text, at + 1)
            elif match.lastgroup == "word" and not text:
                raise Bad(at, "a colon with no word after it", "write :word or a string")
            found.append(Token(match.lastgroup, text, at))
        at = match.end()
    return found


def _check_line(line: str) -> None:
    size = len(line.encode("utf-8", "surrogatepass"))
    if size > MAX_LINE:
        raise Bad(
            0, f"the line has {size} bytes, more than {MAX_LINE}", "split it into several facts"
        )
    match = _FORBIDDEN.search(line)
    if match is None:
        return
    if match[0] == "\0":
        raise Bad(match.start(), "a NUL character", "remove it")
    if match[0] in "\r\n":
        raise Bad(match.start(), "a line break inside a plist", "write one plist a line")
    raise Bad(match.start(), "half a surrogate pair, which is no character", "remove it")


def _unescaped(text: str, start: int) -> str:
    if "\\" not in text:
        return text
    for match in _ESCAPE.finditer(text):
        if match[1] not in _UNESCAPED:
            raise Bad(
                start + match.start(), f"unknown escape \\{match[1]}", r"write \\ for a backslash"
            )
    return _ESCAPE.sub(lambda match: _UNESCAPED[match[1]], text)


def pairs(line: str, head: str | None = None) -> list[Pair]:
    """Return the key-value pairs of `line`, parentheses and an allowed `head` taken off."""
    inner = _inside(_tokens(line), line)
    headed = False
    if head and inner and inner[0].shape == "bare" and inner[0].text.lower() == head:
        inner, headed = inner[1:], True
    found: list[Pair] = []
    seen: set[str] = set()
    for at in range(0, len(inner), 2):
        key = inner[at]
        if key.shape != "word":
            raise Bad(
                key.at,
                f"expected a :key, found {key.text!r}",
                'write :key value, or quote "two words"',
            )
        if key.text.lower() in seen:
            raise Bad(key.at, f":{key.text} stands twice", "keep one of them")
        if at + 1 == len(inner):
            raise Bad(key.at, f":{key.text} has no value", "write a value after it")
        seen.add(key.text.lower())
        found.append(Pair(key, inner[at + 1]))
    if not found and not headed:
        raise Bad(0, "an empty plist", "write :entity :relation :value")
    return found


def _inside(tokens: Sequence[Token], line: str) -> Sequence[Token]:
    wrapped = bool(tokens) and tokens[0].shape == "open"
    inner = tokens[1:] if wrapped else tokens
    for at, token in enumerate(inner):
        if token.shape == "open":
            raise Bad(token.at, "a list inside the plist", "a value is one word or string")
        if token.shape == "close":
            if not wrapped:
                raise Bad(token.at, "a closing parenthesis that nothing opened", "remove it")
            if at + 1 < len(inner):
                raise Bad(inner[at + 1].at, "text after the plist", "write one plist a line")
            return inner[:at]
    if wrapped:
        raise Bad(max(len(line) - 1, 0), "the opening parenthesis is never closed", "add )")
    return inner


def quoted(text: str) -> str:
    """Return `text` as a string token."""
    return '"' + "".join(_ESCAPED.get(char, char) for char in text) + '"'
