"""Rules without a head, as conflicts: what they flag in the world as it is (docs/fold.md, 13.6)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from symbolic.canon import term_key
from symbolic.deduced import Premise, Triple
from symbolic.deduction.engine import Engine
from symbolic.deduction.reading import Reader
from symbolic.names import digest
from symbolic.records import Overlap, Policy
from symbolic.rules.syntax import Absent, Atom, Rule
from symbolic.store.codec import dumps
from symbolic.store.work import Work

_STORED = (
    "select id, constrained, domain, key, members, policy, overlap from conflict"
    " where constrained >= 'rule:' and constrained < 'rule;'"
)

Group = tuple[str, str, tuple[str, ...]]
"""The constraint, the domain, and the triples that meet it."""


def flag(work: Work, engine: Engine | None, reader: Reader) -> None:
    """Put what constraints find today in place of what they found before."""
    db = work.db
    was = {row[0]: row for row in db.execute(_STORED)}
    now = {} if engine is None else {row[0]: row for row in _rows(engine, reader)}
    stale = [name for name in {*was, *now} if was.get(name) != now.get(name)]
    db.executemany("delete from conflict where id = ?", [(name,) for name in stale])
    db.executemany("delete from member where conflict = ?", [(name,) for name in stale])
    fresh = [now[name] for name in stale if name in now]
    db.executemany("insert into conflict values (?, ?, ?, ?, ?, ?, ?)", fresh)
    db.executemany(
        "insert into member(fid, conflict) values (?, ?)",
        [(fid, row[0]) for row in fresh for fid in row[4].split()],
    )
    work.conflicts.update(stale)


def _rows(engine: Engine, reader: Reader) -> Iterator[tuple[str, ...]]:
    members: dict[Group, set[str]] = defaultdict(set)
    sure: dict[Group, bool] = defaultdict(bool)
    for rule, domain, ids, span in engine.breaches():
        for premises, _, _, _, imprecise in reader.steps(rule, domain, ids, span):
            there = [premise for premise in premises if not premise.absent]
            key = tuple(sorted({_spelt(premise.triple) for premise in there}))
            group = (f"rule:{rule.name}", domain, key)
            sure[group] |= not imprecise
            for atom, premise in _found(rule, premises):
                members[group] |= _facts(atom, premise, reader)
    for (constraint, domain, key), fids in members.items():
        overlap = Overlap.YES if sure[constraint, domain, key] else Overlap.MAYBE
        yield (
            digest("conflict", constraint, domain, *key)[:16], constraint, domain,
            dumps(list(key)), " ".join(sorted(fids)), Policy.COEXISTENT.value, overlap.value,
        )  # fmt: skip


def _found(rule: Rule, premises: tuple[Premise, ...]) -> Iterator[tuple[Atom, Premise]]:
    literals = [one for one in rule.body if isinstance(one, (Atom, Absent))]
    for one, premise in zip(literals, premises, strict=True):
        if isinstance(one, Atom):
            yield one, premise


def _facts(atom: Atom, premise: Premise, reader: Reader) -> set[str]:
    """Return the facts a premise consists of: a maximal spell may be of several."""
    if premise.fid is not None:
        return {premise.fid}
    if atom.spell is None:
        return {premise.triple.statement().fid}
    return reader.facts_in(premise.triple, premise.lo, premise.hi)


def _spelt(triple: Triple) -> str:
    """Return a triple as one part of a conflict's key."""
    mark = "" if triple.polarity else "not "
    return f"{mark}{term_key(triple.entity)} {triple.relation.canon} {term_key(triple.value)}"
