"""What a quote says of a candidate: where it mentions the entity, the value and the dates.

    quote + links it touches + titles above it ──► places of the entity, of the value; dates spoken

A value is looked for by its kind: names by their form, numbers and quantities by value, dates by
what they cover.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from urllib.parse import unquote

from memex.dating import Dated, dates
from memex.markup import Link
from symbolic.canon import MEMBER
from symbolic.names import fold, nfc
from symbolic.quotes.lowering import said
from symbolic.quotes.mentions import Passage, form, parts
from symbolic.quotes.numerals import amounts, unit_of
from symbolic.quotes.page import passage
from symbolic.records import (
    UNKNOWN,
    Declarations,
    Name,
    NameKind,
    RelationDecl,
    Value,
    ValueKind,
    Written,
)
from symbolic.values import BadValue, convert, name, number, parse_bound, typed

_SEPARATORS = re.compile(r"[/:#*?.&=%+]+")
_LEADING = re.compile(r"\s*([+-]?\d[\d,.]*)\s+(\S.*)")
_NO_DAY = re.compile(r"(?:0?0[\s./-]+){1,2}(\S.*)|(\d{4}(?:-\d{2})??)(?:-00){1,2}")
_TRUTH = {"true": ("true", "yes", "t"), "false": ("false", "no", "nil")}


@dataclass(frozen=True, slots=True)
class Mention:
    """A mention: its folded `surface` as the quote has it, "" where only a link makes it.

    `lowered` is the value no finer than the quote has it, where that is less than was proposed.
    """

    surface: str
    lowered: str | None = None


class Utterance:
    """One quote, asked what it mentions. `links` are those the quote touches."""

    def __init__(
        self, quote: str, links: Sequence[Link], evidence: str | None, declarations: Declarations
    ) -> None:
        self.seen = passage(quote)
        self._links = links
        self._evidence = evidence
        self._declarations = declarations

    @cached_property
    def spoken(self) -> tuple[str, ...]:
        """The dates that the quote says, relative ones against the heading's own date."""
        return tuple(d.date for d in self._dated)

    @cached_property
    def _dated(self) -> tuple[Dated, ...]:
        found = dates(self.seen.text, self._evidence)
        return tuple(one for one in found if isinstance(one, Dated))

    # --- names ----------------------------------------------------------------------------------

    def entity(self, written: Written, titles: Sequence[str]) -> Mention | None:
        """Return the mention of the entity in the quote, else in a link or a title above it."""
        kind = _kind(written.entity_kind)
        names = self._spellings(written.entity, self._declarations.entity_alias, kind)
        found = self._named(names, kind)
        if found is not None:
            return found
        for title in titles:
            above = passage(title)
            if kind is NameKind.NAME:
                if any(above.mention(one) for one in names):
                    return Mention("")
            elif above.exact(written.entity) is not None:
                return Mention("")
        return None

    def surfaces(self, written: Written, found: Mention | None) -> tuple[str, ...]:
        """Return every folded form under which the quote's sentence may speak of the entity."""
        kind = _kind(written.entity_kind)
        names = self._spellings(written.entity, self._declarations.entity_alias, kind)
        known = (found.surface if found else "", *map(form, names), *parts(written.entity))
        return tuple(dict.fromkeys(filter(None, known)))

    def _spellings(
        self, written: str, aliases: Mapping[str, str], kind: NameKind
    ) -> tuple[str, ...]:
        """Return the name and every name that ontology.org calls the same."""
        if kind is not NameKind.NAME:
            return (written,)
        decls = self._declarations
        folded = fold(written)
        canon = aliases.get(folded, folded)
        others = [alias for alias, of in aliases.items() if of == canon]
        spelt = decls.spelling.get(canon, canon)
        return tuple(dict.fromkeys((written, spelt, canon, *others)))

    def _named(self, names: Sequence[str], kind: NameKind) -> Mention | None:
        if kind is not NameKind.NAME:
            return self._exactly(names[0])
        for one in names:
            if (span := self.seen.mention(one)) is not None:
                return self._at(span)
        for one in names:
            if any(target.name(one) is not None for target in self._targets):
                return Mention("")
        return None

    def _exactly(self, written: str) -> Mention | None:
        span = self.seen.exact(written)
        if span is not None:
            return Mention(form(written))
        wanted = nfc(written.strip())
        for link in self._links:
            target = nfc(unquote(link.target))
            if wanted in (nfc(link.target), target, target.partition(":")[2]):
                return Mention("")
        return None

    @cached_property
    def _targets(self) -> tuple[Passage, ...]:
        """The links' targets and descriptions as words."""
        texts = [_SEPARATORS.sub(" ", unquote(link.target)) for link in self._links]
        texts += [link.label for link in self._links if link.label]
        return tuple(map(passage, texts))

    def _at(self, span: tuple[int, int]) -> Mention:
        return Mention(self.seen.folded[span[0] : span[1]])

    def _surface(self, start: int, end: int) -> Mention:
        return Mention(form(self.seen.text[start:end]))

    # --- values ---------------------------------------------------------------------------------

    def value(self, written: Written, relation: RelationDecl | None) -> Mention | None:
        """Return the mention of the value, as its relation types it."""
        try:
            term, _ = typed(
                written.value, kind=written.kind, unit=written.unit,
                range_=relation.range if relation else (),
                range_unit=relation.unit if relation else None,
            )
        except BadValue:
            if not written.value.strip():
                return None
            term = name(written.value)
        if isinstance(term, Name):
            return self._name_value(written, term)
        return self._literal(written, term, relation)

    def _name_value(self, written: Written, term: Name) -> Mention | None:
        decls = self._declarations
        relation = decls.relation_alias.get(fold(written.relation), fold(written.relation))
        aliases = decls.class_alias if relation == MEMBER else decls.entity_alias
        found = self._named(self._spellings(written.value, aliases, term.kind), term.kind)
        return found or self._counted(written.value) or self._without_day(written.value)

    def _counted(self, text: str) -> Mention | None:
        """Return the place of a number and what it counts: `5,000 people` for `5000 people`."""
        match = _LEADING.fullmatch(text)
        amount = number(match[1]) if match else None
        if match is None or amount is None:
            return None
        for found in amounts(self.seen.text):
            if found.value != amount:
                continue
            reach = found.end + 2 * len(match[2]) + 40
            span = Passage(self.seen.text[found.end : reach].lstrip("- \u00a0")).name(match[2])
            if span is not None and span[0] == 0:
                return self._surface(found.start, found.end)
        return None

    def _without_day(self, text: str) -> Mention | None:
        """Return the place of a date whose day or month is written as zero: it has none."""
        match = _NO_DAY.fullmatch(text.strip())
        try:
            bound = parse_bound(match[1] or match[2]) if match is not None else None
        except BadValue:
            return None
        return None if bound is None or bound == UNKNOWN else self._date(bound, True)

    def _literal(
        self, written: Written, value: Value, relation: RelationDecl | None
    ) -> Mention | None:
        if value.kind is ValueKind.DATE:
            return self._date(value.canon, False)
        if value.kind is ValueKind.TEXT:
            span = self.seen.name(written.value)
            return None if span is None else self._at(span)
        if value.kind is ValueKind.BOOLEAN:
            for word in _TRUTH[value.canon]:
                if (span := self.seen.name(word)) is not None:
                    return self._at(span)
            return None
        return self._amount(written, value, relation)

    def _amount(
        self, written: Written, value: Value, relation: RelationDecl | None
    ) -> Mention | None:
        wanted = Decimal(value.canon.split()[0])
        # A unit that the relation declares need not be said; one that only a proposer names must.
        declared = relation.unit if relation is not None else None
        bare = number(written.value) is not None and written.unit in (None, declared)
        for found in amounts(self.seen.text):
            unit = unit_of(found.unit)
            if value.unit is None:
                if found.value == wanted:
                    return self._surface(found.start, found.end)
                continue
            if unit is None and bare:
                unit = declared
            based = convert(found.value, unit) if unit is not None else None
            if based == (wanted, value.unit):
                return self._surface(found.start, found.end)
        return None

    def _date(self, bound: str, always: bool) -> Mention | None:
        lowered = said(bound, self.spoken)
        if lowered is None:
            return None
        place = next(d for d in self._dated if said(lowered, (d.date,)) == lowered)
        surface = self._surface(place.start, place.end).surface
        return Mention(surface, lowered if always or lowered != bound else None)


def _kind(word: str) -> NameKind:
    try:
        return NameKind(word)
    except ValueError:
        # Malformed, which is admission's to say.
        return NameKind.NAME
