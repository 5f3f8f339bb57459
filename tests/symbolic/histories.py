"""Random histories for laws about the fold: files that change, and journal lines of every kind.

The pools are small on purpose, so that lines meet: the same statement is admitted, rejected,
superseded and undone, quotes move between headings, titles stop being unique.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from symbolic.canon import canonical
from symbolic.constraints import groups_of
from symbolic.records import (
    ClassDecl,
    Declarations,
    GateRow,
    Line,
    Policy,
    ProseHeading,
    Provenance,
    Reading,
    Written,
)
from symbolic.timeline import Case
from symbolic.vocabulary import Vocabulary
from symbolic.world import Change
from tests.symbolic import build

SENTENCES = (
    "Ada was born in Rome.",
    "Ada lives in Rome now.",
    "Bob is /not/ part of Ada.",
    "Rome has [[id:x][three]] gates.",
    "hello",
)
BOUNDS = (
    (None, None), (None, None), (None, None), ("2020", None), ("2020", "2022"), ("?", "2021"),
    (None, "?"), ("2021", None), ("2020-06", None), (None, "2022"), ("2021", "?"), ("?", None),
)  # fmt: skip
DATES = (None, "2019", "2020", "2020-03", "2021-05-01", "2023")
DECLARATIONS = Declarations(
    relations={
        decl.name: decl
        for decl in (
            build.relation("born in", functional=True, policy=Policy.EXCLUSIVE),
            build.relation("lives in", functional=True, policy=Policy.TEMPORAL),
            build.relation("opposes", opposite=("likes",), irreflexive=True),
            build.relation("part of", acyclic=True, asymmetric=True, policy=Policy.TEMPORAL),
            build.relation("age", functional=True, range=("integer",), tolerance="0"),
            build.relation("married to", symmetric=True, cardinality=1),
            build.relation("has", cardinality=2, domain=("city",), range=("person",)),
            build.relation("called", inverse_functional=True),
            build.relation("owned by", functional=True, inverse="owns"),
        )
    },
    classes={
        decl.name: decl
        for decl in (
            ClassDecl(name="person", written="person", disjoint=("city",)),
            ClassDecl(name="author", written="author", parents=("person",), policy=Policy.TEMPORAL),
            ClassDecl(name="city", written="city", policy=Policy.EXCLUSIVE),
        )
    },
    relation_alias={"dwells in": "lives in"},
    entity_alias={"augusta": "ada"},
)
OTHER = Declarations(
    relations={
        "lives in": build.relation("lives in", functional=True),
        "likes": build.relation("likes", functional=True, policy=Policy.TEMPORAL),
    },
    entity_alias={"bob": "ada"},
)
ROWS = (
    GateRow(source="table:1", written=build.says("Ada", "member of class", "author")),
    GateRow(source="table:2", written=build.says("Rome", "has", "gates")),
)


TOPICS = (
    (("born in", "lives in"), ("Rome", "Oslo")),
    (("lives in", "dwells in"), ("Rome", "Oslo", "Ada")),
    (("lives in",), ("Rome", "Oslo")),
    (("member of class", "has", "likes"), ("person", "city", "author")),
    (("Likes", "opposes"), ("Ada", "Bob")),
    (("member of class", "has"), ("person", "city", "author", "Bob")),
    (("part of",), ("Ada", "Bob", "Rome")),
    (("age", "called"), ("7", "8", "Rome")),
    (("married to", "has", "owned by"), ("Ada", "Bob", "Rome")),
)  # fmt: skip
"""Relations and values that get in one another's way."""


@st.composite
def pools(draw: st.DrawFn) -> list[Written]:
    """Return statements about one topic or two, so that they meet."""
    topics = draw(st.lists(st.sampled_from(TOPICS), min_size=1, max_size=2, unique=True))
    entities = st.sampled_from(("Ada", "Ada", "augusta", "Bob", "Rome", "@heading"))
    pool = []
    for _ in range(draw(st.integers(2, 7))):
        relations, values = draw(st.sampled_from(topics))
        start, end = draw(st.sampled_from(BOUNDS))
        pool.append(
            Written(
                entity=draw(entities), relation=draw(st.sampled_from(relations)),
                value=draw(st.sampled_from(values)), valid_from=start, valid_to=end,
                polarity=draw(st.sampled_from((True, True, True, False))),
            )
        )  # fmt: skip
    return pool


@dataclass(frozen=True)
class File:
    """One file's headings and what is read from them."""

    headings: tuple[ProseHeading, ...]
    readings: tuple[Reading, ...]


PATHS = ("a.org", "b.org", "c.org")


@st.composite
def files(draw: st.DrawFn, path: str, pool: Sequence[Written]) -> File:
    """Return the contents of a file: at most three headings with their readings."""
    headings: list[ProseHeading] = []
    readings: list[Reading] = []
    for offset in range(draw(st.integers(0, 3))):
        title = draw(st.sampled_from(("One", "Two", "Ada")))
        said = draw(st.lists(st.sampled_from(SENTENCES), max_size=3, unique=True))
        nth = 1 + sum(h.title == title for h in headings)
        ident = f"{path[0]}{offset}" if draw(st.integers(0, 3)) == 0 else None
        made = build.heading(
            title, " ".join(said), path=path, offset=100 * offset, ident=ident,
            date=draw(st.sampled_from(DATES)), agent=draw(st.integers(0, 9)) == 9,
            key=None if ident else f"{path}#{title}#{nth}",
        )  # fmt: skip
        headings.append(made)
        for written in draw(st.lists(st.sampled_from(pool), max_size=3)):
            readings.append(
                build.reading(
                    made, written, draw(st.sampled_from(said)) if said else None,
                    provenance=draw(st.sampled_from((Provenance.EXTRACTED, Provenance.HUMAN))),
                    start=100 * offset,
                )
            )  # fmt: skip
    return File(tuple(headings), tuple(readings))


KEYS = (*(f"{p}#{t}#1" for p in PATHS for t in ("One", "Two", "Ada")), "id:a0", "id:b0")

_quotes = st.sampled_from((*SENTENCES, "born in Rome", "is not part", "three gates", None))


@st.composite
def lines(
    draw: st.DrawFn,
    at: int,
    past: Sequence[Line],
    pool: Sequence[Written],
    here: Sequence[str] = (),
) -> Line:
    """Return a line at `at`, of any kind, about what the pool says and what came before."""
    kind = draw(st.sampled_from(_KINDS))
    said, other = (draw(_named(draw(st.sampled_from(pool)))) for _ in range(2))
    keys_ = st.sampled_from((*here, *here, *here, *KEYS) if here else KEYS)
    key, quote = draw(keys_), draw(_quotes)
    more: dict[str, Any] = {"dev": draw(st.sampled_from(("0" * 12, "1" * 12)))}
    if kind == "undo" and past:
        return build.undo(draw(st.sampled_from(past)).hash, at, **more)
    if kind == "admit":
        return build.admit(
            said, key, quote, at, date=draw(st.sampled_from(DATES)),
            provenance=draw(st.sampled_from(("llm-proposed", "human-authored"))), **more,
        )  # fmt: skip
    if kind == "propose":
        return build.propose(said, key, quote, at, **more)
    proposals = [p.body["proposal"] for p in past if p.kind == "propose"]
    if kind == "refuse" and proposals:
        blocker = draw(st.sampled_from((_fid(said), _fid(other), "rule:range:age")))
        outcome = draw(st.sampled_from(("blocked", "blocked", "malformed", "needs-review")))
        name = draw(st.sampled_from(proposals))
        return build.refuse(str(name), outcome, [blocker], at, **more)
    texts = draw(st.sampled_from((*SENTENCES, "")))
    text_hash = build.digest("body", texts) if draw(st.booleans()) else ""
    if kind == "reject":
        scope = draw(st.sampled_from(("source", "source", "everywhere")))
        return build.reject(said, key, quote, at, scope=scope, text_hash=text_hash, **more)
    if kind == "retract":
        keys = draw(st.lists(st.one_of(keys_, st.just("*")), min_size=1, max_size=2))
        subject = draw(st.sampled_from((None, "@heading")))
        return build.retract(
            said, keys, [quote], at, subject=subject, text_hashes=[text_hash], **more
        )
    if kind == "supersede":
        return build.supersede(
            said, other, at, keys=[key, "*"], quotes=[quote],
            from_=draw(st.sampled_from((None, "2021", "2020-06", "2025"))),
            key=draw(st.sampled_from((None, key))), quote=draw(_quotes), **more,
        )  # fmt: skip
    if kind == "settle":
        members = [(w, [key]) for w in (said, other)]
        kept = draw(st.sampled_from((None, _fid(said))))
        return build.settle(draw(st.sampled_from(_conflicts(said))), members, at, kept=kept, **more)
    if kind == "incumbent":
        return build.incumbent("c", said, [other], at, **more)
    if kind == "anchor":
        return build.anchor(said, key, draw(st.sampled_from((None, *KEYS))), at, **more)
    return build.declare(said, at, **more)


_KINDS = (
    "admit", "admit", "declare", "propose", "refuse", "reject", "retract", "supersede", "settle",
    "incumbent", "anchor", "undo",
)  # fmt: skip


def _named(written: Written) -> st.SearchStrategy[Written]:
    """Return `written`, or what a reading of its heading says once the title took its place."""
    if written.entity != "@heading":
        return st.just(written)
    return st.sampled_from([replace(written, entity=name) for name in ("Ada", "One", "@heading")])


def _fid(written: Written) -> str:
    try:
        return canonical(written, DECLARATIONS).fid
    except ValueError:
        return "0" * 32


def _conflicts(written: Written) -> list[str]:
    """Return the ids of the conflicts that a statement may be in."""
    try:
        said = canonical(written, DECLARATIONS)
    except ValueError:
        return ["0" * 16]
    case = Case(
        fid=said.fid, domain=said.domain, entity=said.entity, relation=said.relation.canon,
        value=said.value, polarity=said.polarity, start=None, end=None, policy=Policy.TEMPORAL,
    )  # fmt: skip
    return [group.id for group in groups_of(case, Vocabulary(DECLARATIONS))]


@dataclass(frozen=True)
class History:
    """Changes one after the other, and the one change that says all they end in."""

    steps: tuple[Change, ...]
    whole: Change


@st.composite
def histories(draw: st.DrawFn, max_steps: int = 8) -> History:
    """Return a history in which files change and lines arrive, not always in their order."""
    pool = draw(pools())
    prose: dict[str, File] = {}
    past: list[Line] = []
    steps: list[Change] = []
    late: list[Line] = []
    for _ in range(draw(st.integers(1, max_steps))):
        change = Change()
        if not prose or draw(st.booleans()):
            path = draw(st.sampled_from(PATHS))
            prose[path] = made = draw(files(path, pool))
            change = replace(
                change, paths=(path,), headings=made.headings, readings=made.readings
            )
        keys = [h.key for f in prose.values() for h in f.headings]
        fresh: list[Line] = []
        for _ in range(draw(st.integers(0, 3))):
            fresh.append(draw(lines(len(past) + 1, past, pool, keys)))
            past.append(fresh[-1])
        if fresh and draw(st.integers(0, 4)) == 0:
            late.append(fresh.pop(0))
        steps.append(replace(change, lines=tuple(fresh)))
    steps.append(Change(lines=tuple(late)))
    whole = Change(
        paths=tuple(prose),
        headings=tuple(h for f in prose.values() for h in f.headings),
        readings=tuple(r for f in prose.values() for r in f.readings),
        lines=tuple(reversed(past)),
    )
    return History(tuple(steps), whole)
