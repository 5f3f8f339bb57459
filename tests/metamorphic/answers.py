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
from itertools import zip_longest

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
_LINK = re.compile(r"\[\[[^\]]+\]\[([^\]]+)\]\]")
_TURNED = re.compile(r", written as '.*'$")
_NEVER = re.compile(r"(?!)")
_RECORDED = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
_TIED = re.compile(r"(origin|contradicted|revised)\b")
"""Lines that say how long something took, which depends on leap years, and where it was first
said, of which there may be several."""

_FACTS = ("conflicts", "blockers", "superseded")
_PLAIN = ("entity_kind", "polarity", "standing", "labels", "provenance", "policy", "by")
_SAME = {"path": "place", "heading": "place"}
"""A link by ID names a heading and a link by file a path: the same place."""
_LISTS = ("contradicted_by", "supersedes", "referenced_by")


@dataclass(frozen=True, slots=True)
class Answers:
    """All that is compared."""

    proposed: Mapping[int, object]
    decided: Mapping[int, object]
    conflicts: Sequence[object]
    facts: Mapping[str, Json]
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
        with self.open() as app:
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

    def open(self) -> App:
        """Open the memex, to ask more."""
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
            return fold(self._plain(term.written))
        return self._plain(term.canon)

    def _plain(self, text: str) -> str:
        """Return text of notes in the words of the example; of links the description is left."""
        return quote_form(self.back(_LINK.sub(r"[[\1]]", text)))

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

    def _fact(self, app: App, fact: Fact) -> Json:
        """Return the fact object but for its ids, record times and the spelling of its names."""
        body: Json = dict(fact_json(app.view, fact, app.now))
        kept = {key: body[key] for key in _PLAIN} | {"kind": _SAME.get(body["kind"], body["kind"])}
        kept |= {key: self._all(body[key]) for key in _LISTS}
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
        path, quote = body["path"], self._plain(body["quote"]).casefold()
        # The line of a single word is the first that holds it, which other names move.
        line = self._line(path, body["line"]) if " " in quote else 0
        return self._keys[body["heading"]], self.back(path), line, quote

    def _line(self, path: str, line: int) -> int:
        return self.lines[path][line - 1] if path in self.lines else line

    def _audit(self, app: App, fact: Fact) -> object:
        """Return figures and tree of an audit: lines without ids, children in no order."""
        found = audit(app.view, fact.fid, app.now)
        assert not isinstance(found, NoTarget)
        body: Json = dict(audit_json(app.view, found, app.now))
        figures = body["figures"]
        later = [figures[key] and figures[key]["at"] for key in ("contradicted", "revised")]
        return {
            "date": self._when(figures["date"]),
            "references": figures["references"],
            "projects": sorted(map(self._project, figures["projects"])),
            "later": [] if _tied(fact) else [at and self._when(at) for at in later],
            "tree": self._tree(body["tree"]),
        }

    def _project(self, name: str) -> str:
        return self.back(f"projects/{name}.org")

    def _when(self, text: str | None) -> str | None:
        return None if text is None else _RECORDED.sub("now", self.back(text))

    def _tree(self, body: Json) -> list[object]:
        below = [child for child in body["children"] if not _TIED.match(child["text"])]
        if body["text"].startswith("projects referring"):
            return [body["text"], sorted(self._project(child["text"]) for child in below)]
        return [self._line_of_tree(body["text"]), sorted(map(self._tree, below), key=str)]

    def _line_of_tree(self, text: str) -> str:
        if text.startswith("“"):
            return self._plain(text).casefold()
        text = _TURNED.sub("", text)
        parts = map(self._around, self._statements.split(text))
        stood = [self._texts[found] for found in self._statements.findall(text)]
        return "".join(part + told for part, told in zip_longest(parts, stood, fillvalue=""))

    def _around(self, text: str) -> str:
        """Return what stands around statements: places without lines, no ids, no record times."""
        text = self._links.sub(lambda match: self._linked[match[0]], text)
        text = self.back(self._places.sub(r"\1", text))
        return _RECORDED.sub("now", _JOURNAL.sub("", _HASH.sub("", text)))


def _tied(fact: Fact) -> bool:
    """Return whether several headings are the earliest, so that any of them is the origin."""
    dated = [(a.evidence_date, a.heading) for a in fact.assertions if a.evidence_date]
    first = min((day for day, _ in dated), default=None)
    return len({heading for day, heading in dated if day == first}) > 1


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
