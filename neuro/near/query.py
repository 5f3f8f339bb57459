"""What a person types into search, and the FTS5 expressions that are made of it.

::

    some words           any of them; the more of them and the rarer, the higher
    日本語 привет        a run of a script other than Latin is found inside longer ones too
    org-ql  don't        what one piece joins is looked for joined, too
    "two words"          must stand there, in this order
    -word  -"two words"  must not stand there
    tag:work  path:trip  only headings with that tag, in files with that in their path (-tag: ...)

Everything else is words: no piece of FTS5's own syntax reaches it, since every token is made of
letters and digits and stands in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from neuro.near.tokens import Term, pairs, terms

_PIECE = re.compile(
    r'(?P<not>(?<!\S)-)?(?P<field>(?:tag|path):)?(?:"(?P<quoted>[^"]*)"|(?P<bare>\S+))'
)
_SURROGATE = re.compile("[\ud800-\udfff]")

LONG = 4
"""A run of more characters than this is a sentence: its pairs are looked for as well."""
JOINED = (2, 6)
"""A piece of so many words (org-ql, use-package, v1.2.3) is looked for as a phrase, too."""
PHRASE = 64
"""Words that a phrase may have, or characters a run: longer ones are no phrase."""
PHRASES = 100
"""Phrases and exclusions that a query may have."""
TERMS = 2_000
"""Terms of a query that are looked at; a longer one is cut, and says so."""


@dataclass(frozen=True, slots=True)
class BadQuery:
    """A query that asks for nothing: a sentence, and what to do."""

    message: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query that was read. `must` and `without` are FTS5 expressions, one a piece.

    `text` is what is left for vectors and titles: words and phrases as written. `tags` and `paths`
    must all hold, `not_tags` and `not_paths` none. `joined` are expressions that need not hold.
    `cut` tells that it was too long.
    """

    text: str
    terms: tuple[Term, ...]
    joined: tuple[str, ...] = ()
    must: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    cut: bool = False


def parse(text: str) -> Query | BadQuery:
    """Return what `text` asks for."""
    plain: list[str] = []
    said: list[Term] = []
    joined: list[str] = []
    must: list[str] = []
    without: list[str] = []
    fields: dict[str, list[str]] = {"tag:": [], "path:": [], "-tag:": [], "-path:": []}
    for piece in _PIECE.finditer(_SURROGATE.sub("\ufffd", text)):
        deny, field, quoted = piece["not"] or "", piece["field"], piece["quoted"]
        inner = piece["bare"] if quoted is None else quoted
        if field:
            fields[deny + field].append(inner.strip('"'))
            continue
        found = list(terms(inner))
        if not found:
            continue
        if quoted is not None and len(found) > PHRASE:
            return BadQuery(
                f"a phrase in quotes has {len(found)} words, {PHRASE} is the most",
                "leave the quotes out, or quote less",
            )
        if deny and (quoted is not None or inner[0] != "-"):
            without.append(phrase(found))
            continue
        plain.append(inner)
        said += found
        if quoted is not None:
            must.append(phrase(found))
        elif JOINED[0] <= len(found) <= JOINED[1]:
            joined.append(phrase(found))
    joined, must, without = (list(dict.fromkeys(one)) for one in (joined, must, without))
    if len(must) + len(without) > PHRASES:
        return BadQuery(
            f"the query has {len(must) + len(without)} phrases and exclusions, {PHRASES} is the"
            " most", "ask for less at once",
        )
    unlike = tuple(dict.fromkeys(said))
    asked = Query(
        text=" ".join(plain), terms=unlike[:TERMS], joined=tuple(joined[:PHRASES]),
        must=tuple(must), without=tuple(without),
        tags=tuple(fields["tag:"]), paths=tuple(fields["path:"]),
        not_tags=tuple(fields["-tag:"]), not_paths=tuple(fields["-path:"]),
        cut=len(unlike) > TERMS or len(joined) > PHRASES,
    )  # fmt: skip
    return asked if said or asked.tags or asked.paths else _nothing(text, asked)


def _nothing(text: str, asked: Query) -> BadQuery:
    if not text.strip():
        return BadQuery("the query is empty", "name a word: pp search lantern")
    if asked.without or asked.not_tags or asked.not_paths:
        return BadQuery(
            "the query only says what not to find", "name a word, a tag:NAME or a path:PART too"
        )
    return BadQuery("the query holds no letter and no digit", "name a word: pp search lantern")


def widened(asked: Iterable[Term]) -> tuple[Term, ...]:
    """Return the terms, with the pairs of long runs as terms of their own."""
    found: dict[Term, None] = {}
    for term in asked:
        if term.word is not None or len(term.text) <= PHRASE:
            found[term] = None
        if term.word is None and len(term.text) > LONG:
            found.update(dict.fromkeys(Term(pair, None, (pair,)) for pair in pairs(term.text)))
    return tuple(found)[:TERMS]


def expression(term: Term) -> str:
    """Return the FTS5 expression of a term."""
    if term.word is None:
        return _row(term.pairs, prefix=len(term.text) == 1)
    if not term.pairs or len(term.pairs) > PHRASE:
        return _row((term.word,))
    inside = _row(term.pairs, prefix=len(term.text) == 1)
    return f"({{title ancestors body}} : {_row((term.word,))} OR grams : {inside})"


def phrase(found: Sequence[Term]) -> str:
    """Return the FTS5 expression of pieces in a row. A run at the end may go on in the text."""
    row: list[str] = []
    for term in found:
        if term.word is not None:
            row.append(term.word)
        else:
            row += pairs(term.text)
            row.append(term.text[-1])
    last = found[-1]
    prefix = last.word is None and len(last.text) == 1
    if last.word is None and len(last.text) > 1:
        row.pop()
    if len(found) == 1 and last.pairs and last.word is not None:
        return expression(last)
    return f"{{title ancestors body}} : {_row(row, prefix=prefix)}"


def either(expressions: Iterable[str]) -> str:
    """Return the expression that one of these holds; empty if there are none."""
    return " OR ".join(expressions)


def _row(tokens: Sequence[str], *, prefix: bool = False) -> str:
    return f'"{" ".join(tokens)}"{" *" if prefix else ""}'
