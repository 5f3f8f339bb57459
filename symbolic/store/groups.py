"""Conflicts: the groups that changed facts are in, judged again (docs/fold.md, section 9)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from symbolic.canon import MEMBER
from symbolic.constraints import Finding, Group, groups_of, judge
from symbolic.cycles import tangles
from symbolic.records import Name, NameKind, Policy, Term
from symbolic.store.codec import dumps
from symbolic.store.facts import CASE, case_of
from symbolic.store.reading import classes_of
from symbolic.store.work import Changed, Work, column, has, joined
from symbolic.timeline import Case
from symbolic.vocabulary import LITERALS

_WHERE = "and domain = ? and standing = 'standing'"


class Lookup:
    """The lookups of `constraints.Facts` over rows, each made once in a transaction."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._slots: dict[tuple[str, Term, str], list[Case]] = {}
        self._among: dict[tuple[str, str, Term], list[Case]] = {}
        self._known: dict[tuple[str, Term], frozenset[str]] = {}

    def slot(self, domain: str, entity: Name, relation: str) -> Sequence[Case]:
        """Return the standing facts of an entity and a relation."""
        found = self._slots.get((domain, entity, relation))
        if found is None:
            found = self._slots[domain, entity, relation] = self._cases(
                f"select {CASE} from fact f where e = ? and r = ? {_WHERE}",
                entity, Name(NameKind.NAME, relation, relation), domain,
            )  # fmt: skip
        return found

    def among(self, domain: str, relation: str, value: Term) -> Sequence[Case]:
        """Return the standing facts of a relation and a value."""
        found = self._among.get((domain, relation, value))
        if found is None:
            found = self._among[domain, relation, value] = self._cases(
                f"select {CASE} from fact f where r = ? and v = ? {_WHERE}",
                Name(NameKind.NAME, relation, relation), value, domain,
            )  # fmt: skip
        return found

    def known(self, domain: str, entity: Name) -> frozenset[str]:
        """Return the classes of an entity with all ancestors."""
        found = self._known.get((domain, entity))
        if found is None:
            number = self._work.terms.find(entity)
            names = (
                set()
                if number is None
                else classes_of(self._work, domain, number, trusted=False)
            )
            found = self._known[domain, entity] = self._work.words.closure(names)
        return found

    def _cases(self, sql: str, one: Term, other: Term, domain: str) -> list[Case]:
        terms = self._work.terms
        first, second = terms.find(one), terms.find(other)
        if first is None or second is None:
            return []
        rows = self._work.db.execute(sql, (first, second, domain)).fetchall()
        return [case_of(row, terms) for row in rows]


def update(work: Work, touched: Sequence[Changed]) -> None:
    """Judge again every group that a touched fact is in, or was in."""
    facts = Lookup(work)
    groups = {group: None for fact in _apt(work, touched) for group in _groups(work, *fact)}
    groups.update(dict.fromkeys(_of_classes(work, touched)))
    findings = [judge(group, facts, work.words, work.zone) for group in groups]
    _write(work, {group.id for group in groups}, [f for f in findings if f is not None])
    for (domain, relation), edges in _edges(work, touched).items():
        _acyclic(work, domain, relation, edges, facts)


# --- which groups -----------------------------------------------------------------------------


def _apt(work: Work, touched: Sequence[Changed]) -> Iterable[tuple[Changed, bool]]:
    """Return the facts that any constraint can concern, and whether a negation is about."""
    entities = {fact.e for fact in touched}
    if entities and not has(work.db, "select 1 from fact where polarity = 0 limit 1"):
        entities.clear()
    denied = {
        (row[0], row[1], row[2], row[3])
        for row in joined(
            work.db,
            entities,
            "select distinct domain, e, r, v from want cross join fact on e = k"
            " where polarity = 0",
        )
    }
    apt: dict[int, bool] = {}
    for fact in touched:
        polarity = not fact.polarity or (fact.domain, fact.e, fact.r, fact.v) in denied
        if fact.r not in apt:
            apt[fact.r] = work.words.constrained(work.terms.name(fact.r).canon)
        if polarity or apt[fact.r]:
            yield fact, polarity


def _groups(work: Work, fact: Changed, polarity: bool) -> list[Group]:
    return groups_of(_shadow(work, fact), work.words, polarity=polarity)


def _shadow(work: Work, fact: Changed) -> Case:
    """Return a case with the terms of a fact, whether it still stands or not."""
    terms = work.terms
    return Case(
        fid=fact.fid, domain=fact.domain, entity=terms.name(fact.e),
        relation=terms.name(fact.r).canon, value=terms.term(fact.v), polarity=fact.polarity,
        start=None, end=None, policy=Policy.COEXISTENT,
    )  # fmt: skip


def _of_classes(work: Work, touched: Sequence[Changed]) -> Iterable[Group]:
    """Return the domain and range groups of entities whose classes may have changed."""
    relations = {fact.r for fact in touched}
    members = {r for r in relations if work.terms.name(r).canon == MEMBER}
    for domain, e in {(f.domain, f.e) for f in touched if f.r in members}:
        entity = work.terms.name(e)
        for (r,) in work.db.execute("select distinct r from fact where e = ?", (e,)).fetchall():
            relation = work.terms.name(r).canon
            decl = work.words.relation(relation)
            if decl is not None and decl.domain:
                yield Group("domain", domain, (relation,), entity)
        for (r,) in work.db.execute("select distinct r from fact where v = ?", (e,)).fetchall():
            relation = work.terms.name(r).canon
            decl = work.words.relation(relation)
            if decl is not None and any(word not in LITERALS for word in decl.range):
                yield Group("range", domain, (relation,), None, entity)


# --- acyclic ----------------------------------------------------------------------------------


def _edges(work: Work, touched: Sequence[Changed]) -> dict[tuple[str, str], list[Changed]]:
    found: dict[tuple[str, str], list[Changed]] = defaultdict(list)
    for fact in touched:
        relation = work.terms.name(fact.r).canon
        if fact.polarity and work.words.acyclic(relation):
            found[fact.domain, relation].append(fact)
    return found


def _acyclic(
    work: Work, domain: str, relation: str, edges: Sequence[Changed], facts: Lookup
) -> None:
    """Find the cycles again that the ends of `edges`, or of the cycles they were in, lie on."""
    db = work.db
    ends: set[int] = {end for fact in edges for end in (fact.e, fact.v)}
    old = _cycles_with(work, domain, [fact.fid for fact in edges])
    for e, v in joined(
        db,
        old,
        "select e, v from want cross join member m on m.conflict = k join fact using (fid)",
    ):
        assert isinstance(e, int) and isinstance(v, int)
        ends |= {e, v}
    seeds = [term for end in ends if isinstance(term := work.terms.term(end), Name)]
    findings = tangles(domain, relation, seeds, facts, work.zone)
    fids = [case.fid for finding in findings for case in finding.members]
    old |= _cycles_with(work, domain, fids)
    _write(work, old | {finding.group.id for finding in findings}, findings)


def _cycles_with(work: Work, domain: str, fids: Iterable[str]) -> set[str]:
    """Return the ids of the cycles that facts are stored as members of."""
    return {
        str(found)
        for found in column(
            work.db,
            fids,
            "select distinct c.id from want cross join member m on m.fid = k"
            " join conflict c on c.id = m.conflict and c.constrained = 'acyclic'",
        )
    }


# --- rows -------------------------------------------------------------------------------------


def _write(work: Work, ids: set[str], findings: Sequence[Finding]) -> None:
    """Put `findings` in place of the conflicts `ids`; note those that are not as before."""
    if not ids:
        return
    db = work.db
    was = {row[0]: row for row in joined(db, ids, _STORED)}
    now = {finding.group.id: _row(finding) for finding in findings}
    stale = [name for name in ids if was.get(name) != now.get(name)]
    db.executemany("delete from conflict where id = ?", [(name,) for name in stale])
    db.executemany("delete from member where conflict = ? and fid = ?", [
        (name, case)
        for name in stale if name in was for case in _members(was[name])
    ])  # fmt: skip
    fresh = [now[name] for name in stale if name in now]
    db.executemany("insert into conflict values (?, ?, ?, ?, ?, ?, ?)", fresh)
    db.executemany(
        "insert into member(fid, conflict) values (?, ?)",
        [(case, str(row[0])) for row in fresh for case in _members(row)],
    )
    work.conflicts.update(stale)


_STORED = (
    "select id, constrained, domain, key, members, policy, overlap"
    " from want cross join conflict on id = k"
)


def _row(finding: Finding) -> tuple[object, ...]:
    group = finding.group
    members = " ".join(case.fid for case in finding.members)
    return (
        group.id, group.constraint, group.domain, dumps(list(group.key)), members,
        finding.policy.value, finding.overlap.value,
    )  # fmt: skip


def _members(row: Sequence[object]) -> list[str]:
    return str(row[4]).split()
