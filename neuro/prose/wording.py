"""What the sentence patterns know of words: names, class nouns, and what makes a sentence unsure.

A sentence is read as a row of tokens with their places. Nothing here guesses parts of speech: what
could be read in two ways is not read at all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from neuro.prose.lexicon import (
    AFTER_NAME,
    CLAUSE_WORDS,
    COMMON_NOUNS,
    DETERMINERS,
    EVALUATIVE,
    FORMER,
    GOES_ON,
    ING_NOUNS,
    LINKS,
    NO_RELATION,
    PARTICIPLES,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    STARTERS,
    TITLES,
    VAGUE,
)


class Token(NamedTuple):
    """A word or a mark at [start, end) of a sentence; `low` is the word in lower case."""

    text: str
    low: str
    start: int
    end: int

    @property
    def word(self) -> bool:
        """Whether it is a word or a number, and no mark."""
        return self.text[0].isalnum()


class Phrase(NamedTuple):
    """Words taken from a sentence, and the number of the token after them."""

    text: str
    after: int


_TOKEN = re.compile(
    r"(?:[^\W\d_]\.){2,}|[^\W\d_]\.(?=\s+[^\W\d_a-z])|\w[\w'’+#&/*]*(?:[.-]\w[\w'’+#&/]*)*|\S"
)
_LONGEST_CLASS = 6
_LONGEST = 8
"""Tokens of a name; a longer run of capitals is a headline."""


def tokens(text: str) -> tuple[Token, ...]:
    """Return the words and marks of `text` in order."""
    return tuple(
        Token(match[0], match[0].casefold(), match.start(), match.end())
        for match in _TOKEN.finditer(text)
    )


UNSURE = re.compile(
    r"""\b(?:
      not|cannot|\w+n['’]t|no|never|none|nobody|nothing|nowhere|neither|nor|without|hardly|scarcely
    | barely|rarely|seldom|fail(?:s|ed)?|den(?:y|ies|ied)|refus(?:e|es|ed)|false(?:ly)?|untrue|wrong
    | myth|lacks?|lacked
    | if|unless|when|whenever|wherever|whether|provided|providing|assum(?:e|ing)|suppos(?:e|ing)
    | imagine|otherwise|lest|except|would|could|should|might|must|shall|will|ought|wish(?:es)?
    | hopes?|hoped|pretends?|depend(?:s|ing)
    | \w+['’](?:d|ll)
    | nicht|kein\w*|nie|niemals|wenn|falls|jamais|nunca|jamás|quand|cuando|si
    )\b
    | \b(?-i:may)\b | \bin\s+case\b | \bas\s+(?:long\s+as|if|though)\b
    | ない|ません|なかった|ぬ。|もし|なら|れば|たら|かも|でしょう|だろう|らしい|と思|ですか|場合
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Negation, condition, possibility and future: a sentence with any of these is not read."""

HEDGE = re.compile(
    r"\b(?:perhaps|maybe|possibly|probably|presumably|likely|apparently|supposedly|reportedly|"
    r"allegedly|arguably|seemingly|i\s+(?:think|believe|guess|suppose|assume)|i['’]m\s+(?:unsure|"
    r"guessing)|as\s+far\s+as\s+i\s+know|afaik|iirc|imo|imho|unsure|uncertain|unconfirmed|"
    r"unverified|please\s+(?:verify|check|confirm)|to\s+be\s+(?:verified|checked|confirmed)|"
    r"needs?\s+(?:verification|checking|a\s+check)|citation\s+needed|tbc)\b",
    re.IGNORECASE,
)
"""Words by which a writer takes back some certainty; `suppose` counts as condition before."""

_BOUNDARY = PREPOSITIONS | PRONOUNS | CLAUSE_WORDS
NO_SUBJECT = PRONOUNS | DETERMINERS | PREPOSITIONS | LINKS | STARTERS
"""Words that may begin a sentence with a capital and are no name."""

_ABSTRACT = re.compile(
    r"(?:tion|sion|ness|ment|ity|ing|ance|ence|ism|ship|hood|ure|logy|graphy|ics|ery|ency|ancy|als?|"
    r"ables?|ers|ors|ings|ions|ies)\Z"
)


def is_name(token: Token) -> bool:
    """Return whether a token is written as a part of a name: a capital in it, or no case at all."""
    text = token.text
    if not token.word:
        return False
    return any(ch.isupper() for ch in text) or (
        text[0].isalpha() and text.casefold() == text and text.upper() == text
    )


def name_phrase(row: Sequence[Token], at: int) -> Phrase | None:
    """Return the name that begins at token `at`: capitalised words, particles between them."""
    start, end = at, at
    while at < len(row) and at - start < _LONGEST:
        token = row[at]
        if is_name(token) or (at > start and token.word and token.text[0].isdigit()):
            at += 1
            end = at
            if token.low in TITLES and at < len(row) and row[at].text == ".":
                at += 1
            continue
        if at == start or token.low not in PARTICLES:
            break
        at += 1
    if end == start or (at - start >= _LONGEST and end < len(row) and is_name(row[end])):
        return None
    return Phrase(text_of(row, start, end), end)


def text_of(row: Sequence[Token], start: int, stop: int) -> str:
    """Return the text of tokens [start, stop) with the blanks that stand between them."""
    parts = [row[start].text]
    for before, token in zip(row[start:stop], row[start + 1 : stop], strict=False):
        parts += [" " * (token.start > before.end), token.text]
    return "".join(parts)


def is_subject(phrase: Phrase, row: Sequence[Token], at: int, lower: frozenset[str]) -> bool:
    """Return whether a name at the start of a sentence is one, and no word with a capital.

    `lower` are the words that the heading writes in lower case: those are no names.
    """
    first, single = row[at], phrase.after == at + 1
    if first.low in NO_SUBJECT or first.text[0].isdigit():
        return False
    if any(ch.isupper() for ch in first.text[1:]):
        return True
    if first.low == "the":
        return not single
    if not single:
        return not first.low.endswith(("ing", "ly")) and first.low not in lower
    plain = first.low not in COMMON_NOUNS and _ABSTRACT.search(first.low) is None
    return plain and first.low not in lower and len(first.low) > 1


# --- class nouns ------------------------------------------------------------------------------

_PLURAL_OK = re.compile(
    r"(?:ss|us|is|os|ics|as|'s|’s|news|series|species|means|sports|systems|operations|arts|sales|"
    r"games|women|lens|chess|canvas|bus|gas|lines|linux)\Z"
)


_LY_OK = re.compile(r"(?:family|early|monthly|weekly|daily|quarterly|yearly|italy|fly|july)\Z")


class ClassPhrase(NamedTuple):
    """A class noun with what stands before it, and the number of the token after it."""

    text: str
    after: int
    former: bool


def class_phrase(row: Sequence[Token], at: int) -> ClassPhrase | None:
    """Return the noun phrase after an article at `at`, None if its extent or sense is unsure.

    It is whole ("Russian novelist") up to a mark, a preposition, a relative clause or a participle
    that opens one; "former" before it is taken off and told.
    """
    former = at < len(row) and row[at].low in FORMER
    start = at = at + former
    while at < len(row) and row[at].word and row[at].low not in _BOUNDARY:
        if at > start and _opens_clause(row, at):
            break
        at += 1
    words = row[start:at]
    if not 1 <= len(words) <= _LONGEST_CLASS or not _is_class(words) or not _ends_well(row, at):
        return None
    return ClassPhrase(text_of(row, start, at), at, former)


def _opens_clause(row: Sequence[Token], at: int) -> bool:
    """Return whether a participle at `at` begins a clause: "library *written* in C"."""
    low = row[at].low
    if not _is_participle(low):
        return False
    after = row[at + 1] if at + 1 < len(row) else None
    return after is not None and (after.low in PREPOSITIONS or not after.word)


def _is_class(words: Sequence[Token]) -> bool:
    head = words[-1]
    if head.low in VAGUE or head.low.endswith("ed") or head.text[0].isdigit():
        return False
    for token in words:
        low = token.low
        if low in EVALUATIVE or low in DETERMINERS or low.endswith(("'s", "’s")):
            return False
        if low.endswith("ly") and not _LY_OK.search(low):
            return False
        if low.isdigit() and not (len(low) == 4 and token is words[0]):
            return False
        if low.endswith("s") and token.text.islower() and not _PLURAL_OK.search(low):
            return False
    inner = words[1:]
    return all("-" in t.low or t.low in ING_NOUNS or not _is_participle(t.low) for t in inner)


def _is_participle(low: str) -> bool:
    return low.endswith(("ed", "ing")) or low in PARTICIPLES


def _ends_well(row: Sequence[Token], at: int) -> bool:
    """Return whether what follows a class noun leaves its sense alone."""
    if at == len(row):
        return True
    low = row[at].low
    if low in ("of", "than", "as", "like", "unlike", "per", "vs", "versus", "/", "*", "="):
        return False
    if low in ("and", "or", ","):
        # After a comma the phrase may go on: "a fast, simple tool".
        return at + 1 < len(row) and row[at + 1].low in GOES_ON
    if low in ("–", "—", "-"):
        apart = row[at].start > row[at - 1].end
        return apart and at + 1 < len(row) and not row[at + 1].text[0].isdigit()
    if low == "(":
        close = next((n for n in range(at, len(row)) if row[n].text == ")"), len(row))
        after = row[close + 1] if close + 1 < len(row) else None
        return after is None or not after.word or after.low in _BOUNDARY - {"of"}
    return low not in ("“", '"', "[", "{", "<", "|", "\\", "$", ":", "~", "`")


# --- relations --------------------------------------------------------------------------------



def relation_phrase(row: Sequence[Token], at: int) -> ClassPhrase | None:
    """Return the words between "the" and "of" at `at`: one to three, in lower case."""
    former = at < len(row) and row[at].low in FORMER
    start = at = at + former
    while at < len(row) and at - start < 4 and row[at].low != "of":
        token = row[at]
        if not token.word or not token.text.islower() or token.low in _BOUNDARY:
            return None
        if token.low in EVALUATIVE - {"key"} or token.low in DETERMINERS:
            return None
        at += 1
    if at == start or at - start > 3 or at == len(row) or row[at].low != "of":
        return None
    if row[at - 1].low in NO_RELATION or row[at - 1].low.endswith(("est", "s")):
        return None
    return ClassPhrase(text_of(row, start, at), at + 1, former)




def ends_name(row: Sequence[Token], at: int) -> bool:
    """Return whether a name that ends before token `at` is whole there, and the only one."""
    if at >= len(row):
        return True
    token, following = row[at], row[at + 1] if at + 1 < len(row) else None
    if token.low in ("and", "or", "&", "/", ","):
        return following is None or not is_name(following)
    if token.low == ".":
        return following is None or not any(after.word for after in row[at:])
    if token.low in ("-", "=", "*", "[", "{", "<", "|", "\\", "~", "`", ":"):
        return False
    return not token.word or token.low in AFTER_NAME or token.text[0].isdigit()
