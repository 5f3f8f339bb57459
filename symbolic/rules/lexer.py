"""A rule file's text as tokens. Nothing here raises: what is no token is a token of kind BAD."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a token is."""

    WORD = "a word"
    VARIABLE = "a variable"
    QUOTED = "a quoted name"
    STRING = "a string"
    NUMBER = "a number"
    DATE = "a date"
    ARROW = "<="
    OPERATOR = "a comparison"
    MARK = "a mark"
    COMMENT = "a comment"
    BAD = "no part of a rule"
    END = "the end of the file"


@dataclass(frozen=True, slots=True)
class Token:
    """A token as it stands at `offset`; `alone` says that nothing but blanks is left of it."""

    kind: Kind
    text: str
    offset: int
    alone: bool = False


# One match a token, no nested repetition: time is linear in the text. A quote ends in its line, so
# that one left open is told where it stands and not at the end of the file.
_TOKEN = re.compile(
    r"""
      (?P<blank>\s+|\ufeff)
    | (?P<comment>%[^\r\n]*)
    | (?P<word>[a-z]\w*)
    | (?P<variable>[A-Z_]\w*)
    | '(?P<quoted>(?:[^'\\\r\n]|\\[^\r\n])*)'
    | "(?P<string>(?:[^"\\\r\n]|\\[^\r\n])*)"
    | (?P<date>[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:T[0-9:.]+(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?)?(?!\w))
    | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?!\w))
    | (?P<arrow><=)
    | (?P<operator>!=|=<|>=|=|<(?!-(?![0-9]))|>)
    | (?P<mark>[&~(),.@])
    """,
    re.VERBOSE,
)  # fmt: skip
_KINDS = {
    "comment": Kind.COMMENT, "word": Kind.WORD, "variable": Kind.VARIABLE, "quoted": Kind.QUOTED,
    "string": Kind.STRING, "date": Kind.DATE, "number": Kind.NUMBER, "arrow": Kind.ARROW,
    "operator": Kind.OPERATOR, "mark": Kind.MARK,
}  # fmt: skip
_GUESSED = re.compile(r":-|<-|->|[^\W\d]\w*|[0-9][\w.]*|.", re.DOTALL)
"""How much of what is no token is told as one."""


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of `text`, comments among them, and one of kind END."""
    at, alone = 0, True
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            guess = _GUESSED.match(text, at)
            assert guess is not None
            yield Token(Kind.BAD, guess[0], at)
            at, alone = guess.end(), False
            continue
        if match.lastgroup == "blank":
            alone = alone or "\n" in match[0] or "\r" in match[0]
        else:
            assert match.lastgroup is not None
            inner = match[match.lastgroup]
            yield Token(_KINDS[match.lastgroup], inner, at, alone)
            alone = False
        at = match.end()
    yield Token(Kind.END, "", len(text))


_ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.))")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


def unescape(text: str) -> str | None:
    r"""Return what stands between quotes with `\n`, `\'`, `\u{1F600}` read; None if it is bad."""
    bad = any("\ud800" <= char <= "\udfff" for char in text)

    def one(match: re.Match[str]) -> str:
        nonlocal bad
        if match[1] is not None:
            code = int(match[1], 16)
            bad = bad or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF
            return "" if bad else chr(code)
        bad = bad or match[2] not in _ESCAPED
        return _ESCAPED.get(match[2], "")

    found = _ESCAPE.sub(one, text)
    return None if bad else found


def escape(text: str, quote: str) -> str:
    """Return `text` so that `unescape` gives it back from between two of `quote`."""
    out = []
    for char in text:
        if char in ("\\", quote):
            out.append("\\" + char)
        elif char.isprintable():
            out.append(char)
        else:
            out.append({"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char, f"\\u{{{ord(char):X}}}"))
    return "".join(out)
