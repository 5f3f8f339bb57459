"""The forms a sentence may have: X is a Y, X is the R of Y, and what ontology.org teaches.

A form is read from where the subject stands, left to right, and either fits whole or not at all.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from memex.dating import Dated
from neuro.prose.bounds import Found
from neuro.prose.japanese import copula, names
from neuro.prose.lexicon import ADVERBS, FORMER_ADVERBS
from neuro.prose.phrases import Saying
from neuro.prose.wording import (
    NO_SUBJECT,
    Phrase,
    class_phrase,
    ends_name,
    is_subject,
    name_phrase,
    relation_phrase,
    tokens,
)
from symbolic.names import fold

_MEMBER = "member-of-class"
_AMOUNT = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?:\s?(?:%|°C|[A-Za-z€$£¥²³/]{1,12}))?(?![\w.,]*\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A statement as read, and how; what it was read from ends at character `end`.

    `past`: the verb is in the past tense. `former`: the sentence says that it is over. `opens`: the
    verb begins something. `spent` are dates that stand as the value.
    """

    entity: str
    relation: str
    value: str
    how: str
    end: int
    confidence: str
    former: bool = False
    past: bool = False
    opens: bool = False
    spent: tuple[Found, ...] = field(default=())


class _Value(NamedTuple):
    """A value as written, the token after it, whether it is a name, and the dates it took."""

    text: str
    after: int
    name: bool
    spent: tuple[Found, ...] = ()


class Forms:
    """One sentence in its plain form, read from character `base` on."""

    def __init__(
        self,
        form: str,
        base: int,
        dates: Sequence[Found],
        index: Mapping[str, Sequence[Saying]],
        *,
        title: str,
        marked: str,
        lower: frozenset[str],
    ) -> None:
        """Take the sentence and what is known of it.

        `marked` is what a link or code mark at its start sets off as a name; `lower` the words
        that the heading writes in lower case.
        """
        self.form, self.base, self.dates, self.index = form, base, dates, index
        self.title, self.marked, self.lower = title, marked, lower
        self.row = tokens(form[base:])

    def statement(self) -> Read | None:
        """Return the first statement that a form finds."""
        for saying in self.index.get("", ()):
            found = self._caseless(saying)
            if found is not None:
                return found
        subject = self._subject()
        if subject is not None:
            found = self._said(subject) or self._copular(subject)
            if found is not None:
                return found
        return self._japanese()

    def _subject(self) -> Phrase | None:
        """Return the subject: the heading's title or a name, a parenthesis after it left out."""
        row, title = self.row, self.title
        if not row:
            return None
        found = self._begins(self.marked)
        if found is None and fold(title) not in NO_SUBJECT and len(title) > 1:
            found = self._begins(title)
        if found is None:
            found = name_phrase(row, 0)
            if found is None or not is_subject(found, row, 0, self.lower):
                return None
        return Phrase(found.text, self._past_aside(found.after))

    def _begins(self, name: str) -> Phrase | None:
        """Return `name` as the sentence has it if the sentence begins with it."""
        size = len(name)
        begins = self.form[self.base : self.base + size]
        if not size or fold(begins) != fold(name):
            return None
        for at, token in enumerate(self.row):
            if token.end == size:
                return Phrase(begins, at + 1)
            if token.end > size:
                return None
        return None

    def _past_aside(self, at: int) -> int:
        if at < len(self.row) and self.row[at].text == "(":
            for close in range(at + 1, min(at + 16, len(self.row))):
                if self.row[close].text == ")":
                    return close + 1
        return at

    def _verb(self, at: int) -> tuple[int, bool, bool] | None:
        """Return (token after, past, former) of a copula at `at`, adverbs included."""
        row = self.row
        words = [token.low for token in row[at : at + 4]]
        past = words[:1] == ["was"] or words[:3] == ["used", "to", "be"]
        former = words[:3] == ["used", "to", "be"]
        size = 3 if former else 2 if words[:2] == ["has", "been"] else 1
        if not past and words[:1] != ["is"] and size != 2:
            return None
        at += size
        while at < len(row) and row[at].low in ADVERBS:
            former = former or row[at].low in FORMER_ADVERBS
            at += 1
        return at, past, former

    def _copular(self, subject: Phrase) -> Read | None:
        verb = self._verb(subject.after)
        if verb is None or verb[0] >= len(self.row):
            return None
        at, past, former = verb
        article = self.row[at].low
        if article in ("a", "an"):
            return self._class(subject, at + 1, past, former)
        return self._relation(subject, at + 1, past, former) if article == "the" else None

    def _class(self, subject: Phrase, at: int, past: bool, former: bool) -> Read | None:
        found = class_phrase(self.row, at)
        if found is None:
            return None
        return Read(
            entity=subject.text, relation=_MEMBER, value=found.text, how="X is a Y",
            end=self._end(found.after), confidence="0.8", former=former or found.former, past=past,
        )  # fmt: skip

    def _relation(self, subject: Phrase, at: int, past: bool, former: bool) -> Read | None:
        relation = relation_phrase(self.row, at)
        if relation is None:
            return None
        owner = self._object(relation.after)
        if owner is None or fold(owner.text) == fold(subject.text):
            return None
        return Read(
            entity=owner.text, relation=relation.text, value=subject.text, how="X is the R of Y",
            end=self._end(owner.after), confidence="0.8", former=former or relation.former,
            past=past,
        )  # fmt: skip

    def _object(self, at: int) -> Phrase | None:
        """Return the name at `at` if it is whole, alone and no date."""
        row = self.row
        if at < len(row) and row[at].low == "the":
            at += 1
        found = name_phrase(row, at)
        if found is None or row[at].low in NO_SUBJECT or found.text.endswith(("'s", "’s")):
            return None
        start, end = self.base + row[at].start, self._end(found.after)
        dated = any(one.start < end and start < one.end for one in self.dates)
        return None if dated or not ends_name(row, found.after) else found

    def _end(self, after: int) -> int:
        return self.base + self.row[after - 1].end

    # --- declared sayings -----------------------------------------------------------------------

    def _said(self, subject: Phrase) -> Read | None:
        row, at = self.row, subject.after
        verb = self._verb(at)
        plain_at, former = at, False
        while plain_at < len(row) and row[plain_at].low in ADVERBS:
            former = former or row[plain_at].low in FORMER_ADVERBS
            plain_at += 1
        starts = [(plain_at, False, former)] + ([verb] if verb is not None else [])
        for place, past, over in starts:
            if place >= len(row):
                continue
            for saying in self.index.get(row[place].low, ()):
                if saying.copula and place == plain_at:
                    continue
                found = self._match(saying, subject, place)
                if found is not None:
                    return replace(found, former=over, past=past and not saying.copula)
        return None

    def _match(self, saying: Saying, subject: Phrase, at: int) -> Read | None:
        row, size = self.row, len(saying.words)
        if tuple(token.low for token in row[at : at + size]) != saying.words:
            return None
        value = self._value(saying, at + size)
        if value is None:
            return None
        size = value.after + len(saying.tail)
        tail = tuple(token.low for token in row[value.after : size])
        if tail != saying.tail or (value.name and not ends_name(row, size)):
            return None
        text = value.text
        one, other = (text, subject.text) if saying.turned else (subject.text, text)
        return Read(
            entity=one, relation=saying.relation, value=other, how=f"pattern '{saying.shown}'",
            end=self._end(size), confidence="0.9", opens=saying.opens, spent=value.spent,
        )  # fmt: skip

    def _value(self, saying: Saying, at: int) -> _Value | None:
        """Return what stands at token `at` for the second variable."""
        row = self.row
        if at >= len(row):
            return None
        if saying.turned or not saying.literals:
            found = self._whole(saying, at)
            return None if found is None else _Value(found.text, found.after, True)
        start = self.base + row[at].start
        if "date" in saying.literals:
            dated = next((d for d in self.dates if start <= d.start <= start + 4), None)
            if isinstance(dated, Dated):
                return _Value(dated.date, self._token_at(dated.end), False, (dated,))
        amount = _AMOUNT.match(self.form, start)
        if amount is None or saying.literals <= {"date", "text"}:
            return None
        return _Value(amount[0], self._token_at(amount.end()), False)

    def _token_at(self, end: int) -> int:
        """Return the number of the first token at or after character `end`."""
        return bisect_left(self.row, end - self.base, key=lambda token: token.start)

    def _whole(self, saying: Saying, at: int) -> Phrase | None:
        if not saying.tail:
            return self._object(at)
        at += at < len(self.row) and self.row[at].low == "the"
        return name_phrase(self.row, at)

    # --- scripts without blanks -----------------------------------------------------------------

    def _caseless(self, saying: Saying) -> Read | None:
        assert saying.regex is not None
        match = saying.regex.match(self.form, self.base)
        if match is None or not names(match["x"]) or not names(match["y"]):
            return None
        return Read(
            entity=match["x"], relation=saying.relation, value=match["y"],
            how=f"pattern '{saying.shown}'", end=match.end(), confidence="0.9",
        )  # fmt: skip

    def _japanese(self) -> Read | None:
        found = copula(self.form, self.base)
        if found is None:
            return None
        return Read(
            entity=found.entity, relation=_MEMBER, value=found.value, how="XはYです",
            end=found.end, confidence="0.7",
        )  # fmt: skip
