"""What a run of the example says, in words that do not depend on names, ids or order.

    pp propose, admit --auto ──► verdicts ─┐
    pp contradictions --all ──► conflicts ─┼──► Answers, equal under any renaming
    pp query, pp audit      ──► facts ─────┘

Ids are hashes of names, and ties are broken by id: so facts stand for themselves as sentences, and
what is listed in the order of ids is compared as a collection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bridge.app import App, open_app
from bridge.settings import load
from memex.markup import plain
from symbolic.factjson import fact_json
from symbolic.names import fold, quote_form
from symbolic.provenance import audit, audit_json
from symbolic.records import HEADING_SUBJECT, MEMEX, NameKind, ProseHeading, Term
from symbolic.refer import link_to
from symbolic.target import NoTarget
from symbolic.tree import statement_text
from symbolic.world import Assertion, Fact, Source
from tests.cli import Json, Memex

_HASH = re.compile(r"\b[0-9a-f]{12,64}\b")
_JOURNAL = re.compile(r", system/journal/\S+")
_NEVER = re.compile(r"(?!)")
_RECORDED = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
_TIED = re.compile(r"(origin|contradicted|revised)\b")
"""Lines that name one of several when dates tie, and lengths of time, which leap years change."""

_FACTS = ("conflicts", "blockers", "superseded")
_PLAIN = ("entity_kind", "kind", "polarity", "standing", "labels", "provenance", "policy", "by")
_LISTS = ("contradicted_by", "supersedes", "referenced_by")


@dataclass(frozen=True, slots=True)
class Answers:
    """All that is compared."""

    proposed: Mapping[int, object]
    decided: Mapping[int, object]
    conflicts: Sequence[object]
    facts: Mapping[str, object]
    audits: Mapping[str, object]
    problems: Sequence[object]


@dataclass(slots=True)
class Reader:
    """Reads the answers of one run back into the words of the example.

    `back` turns text, `lines` a line number of a file into the one of the example. `turned` maps
    the relations that a statement is never kept in to their inverse, `mutual` are the symmetric
    ones: which way round a statement is kept follows from the names, so it does not count.
    """

    memex: Memex
    back: Callable[[str], str] = str
    lines: Mapping[str, Sequence[int]] = field(default_factory=dict)
    turned: Mapping[str, str] = field(default_factory=dict)
    mutual: frozenset[str] = frozenset()
    _said: dict[str, str] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)
    _keys: dict[str, str] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)
    _linked: dict[str, str] = field(default_factory=dict)
    _statements: re.Pattern[str] = _NEVER
    _links: re.Pattern[str] = _NEVER
    _places: re.Pattern[str] = _NEVER

    def run(self, candidates: str) -> Answers:
        """Init, sync, propose and decide; return all that can be asked about it."""
        synced = self.memex.init().run("sync", "--json").expect(0, 1).one
        proposed = self.memex.propose(candidates, code=4)
        decided = self.memex.admit_auto(code=4)
        listed = self.memex.run("contradictions", "--all", "--json").expect(1).one["conflicts"]
        with self._open() as app:
            self._learn(app)
            facts = {self._said[fact.fid]: self._fact(app, fact) for fact in _own(app)}
            audits = {self._said[fact.fid]: self._audit(app, fact) for fact in _own(app)}
        number = {row["proposal"]: row["line"] for row in proposed}
        return Answers(
            proposed={row["line"]: self._verdict(row) for row in proposed},
            decided={number[row["proposal"]]: self._verdict(row) for row in decided},
            conflicts=sorted((self._conflict(row) for row in listed), key=str),
            facts=facts, audits=audits,
            problems=sorted(self.back(str(row["key"])) for row in synced["problems"]),
        )

    @property
    def spellings(self) -> frozenset[str]:
        """The names in the facts of the run, as written."""
        return frozenset(self._names)

    def _open(self) -> App:
        return open_app(load(
            memex=str(self.memex.root), state=str(self.memex.state), now=self.memex.now,
            environ={"HOME": str(self.memex.base)},
        ))

    # --- facts as sentences ---------------------------------------------------------------------

    def _learn(self, app: App) -> None:
        """Note every fact's sentence, the texts that stand for it, and the keys of headings."""
        for heading in app.view.headings():
            self._keys[heading.key] = self._key(heading)
            search = f"::*{plain(heading.title)}" if heading.outline else ""
            self._linked[link_to(heading)] = f"[[{heading.path}{search}]]"
        for fact in app.view.facts():
            sentence = self._sentence(fact)
            self._said[fact.fid] = sentence
            for assertion in fact.assertions:
                self._texts[statement_text(assertion.statement)] = f"«{sentence}»"
                if _is_own(fact):
                    self._names |= _names(assertion)
        told = [text for text in self._said.values() if not text.startswith("gate ")]
        assert len(set(told)) == len(told), "two facts became one when mapped back"
        self._statements = _any_of(self._texts)
        self._links = _any_of(self._linked)
        paths = {heading.path for heading in app.view.headings()}
        self._places = re.compile(rf"({_any_of(paths).pattern}):(\d+)")

    def _sentence(self, fact: Fact) -> str:
        said = fact.statement
        if not _is_own(fact):
            return f"gate {fact.fid}"
        relation = fold(self.back(said.relation.written))
        ends = [self._term(said.entity), self._term(said.value)]
        if relation in self.turned:
            relation, ends = self.turned[relation], ends[::-1]
        if relation in self.mutual:
            ends.sort()
        start, end = (self.back(at) if at else "…" for at in (said.valid_from, said.valid_to))
        deny = "" if said.polarity else "not "
        return f"{ends[0]} {deny}{relation} {ends[1]} [{start}, {end})"

    def _term(self, term: Term) -> str:
        if term.kind is NameKind.HEADING:
            return self._keys.get(term.canon) or self.back(term.canon)
        if term.kind is NameKind.NAME:
            return fold(self.back(term.written))
        return quote_form(self.back(term.canon))

    def _key(self, heading: ProseHeading) -> str:
        """Return a heading's key as if it had no ID; of a file, its path."""
        if not heading.outline:
            return self.back(heading.path)
        titles = "/".join(self.back(title) for title in heading.outline)
        return f"{self.back(heading.path)}#{titles}#{heading.nth}"

    # --- what is compared -----------------------------------------------------------------------

    def _verdict(self, row: Json) -> object:
        said = {name: self._all(row.get(name, ())) for name in _FACTS}
        return {"outcome": row["outcome"], "rule": row.get("rule"), **said}

    def _all(self, fids: Iterable[str]) -> list[str]:
        return sorted(self._said.get(fid, fid) for fid in fids)

    def _conflict(self, row: Json) -> object:
        members = self._all(fact["id"] for fact in row["facts"])
        return [row["kind"], row["state"], members]

    def _fact(self, app: App, fact: Fact) -> object:
        """Return the fact object but for its ids, record times and the spelling of its names."""
        body: Json = dict(fact_json(app.view, fact, app.now))
        kept = {key: body[key] for key in _PLAIN}
        kept |= {key: self._all(body[key]) for key in _LISTS}  # type: ignore[arg-type]
        by = body["superseded_by"]
        return {
            **kept,
            "superseded_by": self._said[by] if isinstance(by, str) else None,
            "spells": [[at and self.back(at) for at in spell] for spell in body["spells"]],
            "sources": sorted(
                (source["type"], self._keys.get(source["id"], "")) for source in body["sources"]
            ),
            "groundings": sorted(map(self._grounding, body["groundings"])),
        }

    def _grounding(self, body: Json) -> tuple[str, str, int, str]:
        path, line = body["path"], body["line"]
        return (
            self._keys[body["heading"]], self.back(path), self._line(path, line),
            quote_form(self.back(body["quote"])),
        )

    def _line(self, path: str, line: int) -> int:
        return self.lines[path][line - 1] if path in self.lines else line

    def _audit(self, app: App, fact: Fact) -> object:
        """Return figures and tree of an audit: lines without ids, children in no order."""
        found = audit(app.view, fact.fid, app.now)
        assert not isinstance(found, NoTarget)
        body: Json = dict(audit_json(app.view, found, app.now))
        figures = body["figures"]
        dates = [figures[key] and figures[key]["at"] for key in ("contradicted", "revised")]
        return {
            "date": self._when(figures["date"]),
            "references": figures["references"],
            "projects": sorted(self.back(f"projects/{name}.org") for name in figures["projects"]),
            "later": [self._when(at) for at in dates],
            "tree": self._tree(body["tree"]),
        }

    def _when(self, text: str | None) -> str | None:
        return None if text is None else _RECORDED.sub("now", self.back(text))

    def _tree(self, body: Json) -> list[object]:
        below = (child for child in body["children"] if not _TIED.match(child["text"]))
        return [self._text(body["text"]), sorted(map(self._tree, below), key=str)]

    def _text(self, text: str) -> str:
        text = self._links.sub(lambda match: self._linked[match[0]], text)
        text = self._places.sub(
            lambda match: f"{match[1]}:{self._line(match[1], int(match[2]))}", text
        )
        parts = self._statements.split(text)
        stood = [self._texts[found] for found in self._statements.findall(text)]
        plain = [quote_form(" " + self.back(part)) for part in parts]
        text = plain[0] + "".join(map("".join, zip(stood, plain[1:], strict=True)))
        return _RECORDED.sub("now", _JOURNAL.sub("", _HASH.sub("", text)))


def _is_own(fact: Fact) -> bool:
    gate = any(assertion.source is Source.GATE for assertion in fact.assertions)
    return fact.statement.domain == MEMEX and not gate


def _own(app: App) -> list[Fact]:
    return [fact for fact in app.view.facts() if _is_own(fact)]


def _any_of(texts: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(texts, key=len, reverse=True))))


def _names(assertion: Assertion) -> set[str]:
    """Return the names in an assertion, as its source wrote them."""
    said, wrote = assertion.statement, assertion.written
    pairs = ((said.entity, wrote.entity), (said.value, wrote.value))
    found = {term.written for term, _ in pairs if term.kind is NameKind.NAME}
    if wrote.entity_kind == NameKind.NAME and wrote.entity != HEADING_SUBJECT:
        found.add(wrote.entity)
    if said.value.kind is NameKind.NAME:
        found.add(wrote.value)
    return {name for name in found if name}
