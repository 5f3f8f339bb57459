"""What refers to what: links between headings, facts about one another, quotes and their lines.

A heading is referred to by a link to it and by a fact whose value it is; a fact by the facts whose
value is its entity and by those grounded in headings that link to its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from memex.markup import plain
from symbolic.grounding import locate
from symbolic.names import fold, quote_form
from symbolic.records import Name, NameKind, ProseHeading, Standing, Statement, Written
from symbolic.values import name
from symbolic.world import Assertion, Fact, View

LINKS = "links to"
"""The folded relation of the extractor's links."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A fact that refers to something, and the heading it stands in."""

    fact: Fact
    heading: ProseHeading


class References:
    """Answers for one view. What takes a walk over all facts is made once, when first asked."""

    def __init__(self, view: View) -> None:
        self._view = view

    def grounded(self, key: str) -> tuple[Fact, ...]:
        """Return the facts with an assertion at the heading with today's key `key`, by fid."""
        return self._by_heading.get(key, ())

    def linking(self, heading: ProseHeading) -> tuple[Reference, ...]:
        """Return the links to `heading` that stand, those of its own text left out."""
        decls = self._view.declarations
        relation = decls.relation_alias.get(LINKS, LINKS)
        found: dict[tuple[str, str], Reference] = {}
        for target in self._names(heading):
            for fact in self._view.facts(relation=relation, value=target):
                found.update(self._places(fact, heading))
        return _in_order(found)

    def to_heading(self, heading: ProseHeading) -> tuple[Reference, ...]:
        """Return what refers to `heading`: links, and facts with it as their value."""
        found = {(r.fact.fid, r.heading.key): r for r in self.linking(heading)}
        for target in self._names(heading):
            for fact in self._about(target):
                if fact.statement.polarity:
                    found.update(self._places(fact, heading))
        return _in_order(found)

    def to_fact(self, fact: Fact) -> tuple[str, ...]:
        """Return the ids of the standing facts that refer to `fact`."""
        found = {
            other.fid for term in self._subjects(fact.statement) for other in self._about(term)
            if other.standing is Standing.STANDING
        }
        for key in {a.heading for a in fact.live if a.heading is not None}:
            heading = self._view.heading(key)
            for link in self.linking(heading) if heading else ():
                found.update(other.fid for other in self._view.facts_at(link.heading.key))
        return tuple(sorted(found - {fact.fid}))

    def _about(self, term: Name) -> Iterator[Fact]:
        """Yield the facts with `term` as their value, either way round."""
        yield from self._view.facts(value=term)
        for relation in self._turning:
            for fact in self._view.facts(entity=term, relation=relation):
                if isinstance(fact.statement.value, Name):
                    yield fact

    def _subjects(self, said: Statement) -> Iterator[Name]:
        """Yield what a statement is about: both ends where it can be turned round."""
        yield said.entity
        if said.relation.canon in self._turning and isinstance(said.value, Name):
            yield said.value

    @cached_property
    def _turning(self) -> frozenset[str]:
        """Symmetric and inverse relations: names alone say which way round they are kept."""
        decls = self._view.declarations.relations
        return frozenset(name for name, d in decls.items() if d.symmetric or d.inverse)

    def subject(self, heading: ProseHeading) -> Name:
        """Return the name that facts read from `heading` have as their subject."""
        if heading.title.strip() and len(tuple(self._view.titled(heading.title))) == 1:
            return name(heading.title)
        return Name(NameKind.HEADING, heading.key, heading.key)

    def _names(self, heading: ProseHeading) -> Iterator[Name]:
        """Yield every name by which a link or a fact can mean `heading`."""
        yield Name(NameKind.HEADING, heading.key, heading.key)
        subject = self.subject(heading)
        if subject.kind is NameKind.NAME:
            alias = self._view.declarations.entity_alias
            yield Name(NameKind.NAME, alias.get(subject.canon, subject.canon), subject.written)
        if not heading.outline:
            yield Name(NameKind.PATH, heading.path, heading.path)
            by_title = f"{_encoded(heading.path, keep='/')}#"
        else:
            # A link from another file knows the title only, see the extractor's link targets.
            by_title = f"{_encoded(heading.path, keep='/')}#{_encoded(heading.title)}#1"
        if by_title != heading.key:
            yield Name(NameKind.HEADING, by_title, by_title)

    def _places(
        self, fact: Fact, target: ProseHeading
    ) -> Iterator[tuple[tuple[str, str], Reference]]:
        for key in sorted({a.heading for a in fact.live if a.heading is not None}):
            heading = self._view.heading(key)
            if heading is not None and key != target.key:
                yield (fact.fid, key), Reference(fact, heading)

    @cached_property
    def _by_heading(self) -> Mapping[str, tuple[Fact, ...]]:
        found: dict[str, list[Fact]] = {}
        for fact in self._view.facts():
            for key in {a.heading for a in fact.assertions if a.heading is not None}:
                found.setdefault(key, []).append(fact)
        return {key: tuple(facts) for key, facts in found.items()}


def _in_order(found: Mapping[tuple[str, str], Reference]) -> tuple[Reference, ...]:
    return tuple(
        sorted(found.values(), key=lambda r: (r.heading.path, r.heading.offset, r.fact.fid))
    )


def _encoded(text: str, keep: str = "") -> str:
    for char in "%/#":
        if char not in keep:
            text = text.replace(char, f"%{ord(char):02X}")
    return text


# --- spellings --------------------------------------------------------------------------------


def respelt(written: Written, said: Statement) -> str | None:
    """Return a statement as its source spelt it, where other names than today's stand in it."""
    value = said.value.canon if isinstance(said.value, Name) else fold(written.value)
    today = (said.entity.canon, said.relation.canon, value)
    if tuple(map(fold, (written.entity, written.relation, written.value))) == tuple(
        map(fold, today)
    ):
        return None
    deny = "" if written.polarity else "not "
    return f"{written.entity} {deny}{written.relation} {written.value}"


# --- places -----------------------------------------------------------------------------------


def place(view: View, assertion: Assertion) -> tuple[str | None, int | None]:
    """Return (path, line) of where an assertion's quote stands today.

    The line is the quote's where it is found in the heading's text, else the heading's; None for
    a heading that is gone, whose path is read from its key.
    """
    heading = view.heading(assertion.heading) if assertion.heading else None
    if heading is None:
        return path_of(assertion.key or ""), None
    exact = _line_at(heading, assertion)
    return heading.path, exact or line_of(heading, assertion.quote)


def _line_at(heading: ProseHeading, assertion: Assertion) -> int | None:
    """Return the line of a reading by its offset: one word may stand in several lines.

    Offsets count the file's bytes and `text` is normalised, so this holds only where the quote is
    found there; else the text is searched.
    """
    if assertion.start is None or not assertion.quote or assertion.start < heading.offset:
        return None
    text = heading.text.encode("utf-8", "surrogatepass")
    at, quote = assertion.start - heading.offset, assertion.quote.encode("utf-8", "surrogatepass")
    if text[at : at + len(quote)] != quote:
        return None
    return heading.line + text.count(b"\n", 0, at)


def line_of(heading: ProseHeading, quote: str | None) -> int:
    """Return the 1-based line of the file at which `quote` begins, else the heading's."""
    if not quote or quote_form(quote) == "" or heading.line < 1:
        return heading.line
    span = locate(heading.text, quote)
    if span is None:
        return heading.line
    before = heading.text.encode("utf-8", "surrogatepass")[: span[0]]
    return heading.line + len(before.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")) - 1


def path_of(key: str) -> str | None:
    """Return the file that a heading key names; None for an ID, which names no file."""
    if key.startswith("id:") or "#" not in key:
        return None
    path = key.split("#", 1)[0]
    for char in "/#%":
        path = path.replace(f"%{ord(char):02X}", char)
    return path


def link_to(heading: ProseHeading) -> str:
    """Return an Org link that leads to `heading`."""
    title = plain(heading.title).replace("[", "(").replace("]", ")").strip() or heading.path
    if heading.ident is not None:
        return f"[[id:{heading.ident}][{title}]]"
    search = f"::*{title}" if heading.outline else ""
    return f"[[file:{heading.path}{search}][{title}]]"

