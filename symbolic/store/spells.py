"""When facts hold: the policy of each, and its spells (docs/fold.md, sections 6 and 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symbolic.records import Policy
from symbolic.store.codec import ALWAYS
from symbolic.store.facts import (
    CASE,
    STANDING,
    case_of,
    pack_spells,
)
from symbolic.store.reading import MEMBERSHIP, classes_of
from symbolic.store.work import Changed, Work, joined
from symbolic.timeline import Case, spells_alone, spells_on_timeline


class Policies:
    """Policies by (domain, entity, relation), looked up once in a transaction."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._classes: dict[tuple[str, int], set[str]] = {}
        self._found: dict[tuple[str, int, int], Policy] = {}

    def of(self, domain: str, e: int, r: int) -> Policy:
        """Return the policy of the facts of an entity and a relation."""
        found = self._found.get((domain, e, r))
        if found is None:
            words, relation = self._work.words, self._work.terms.name(r).canon
            decl = words.relation(relation)
            lean = words.classes_have_policies and (decl is None or decl.policy is None)
            classes = self._trusted(domain, e) if lean else set()
            found = self._found[domain, e, r] = words.policy(relation, classes)
        return found

    def _trusted(self, domain: str, e: int) -> set[str]:
        found = self._classes.get((domain, e))
        if found is None:
            found = self._classes[domain, e] = classes_of(self._work, domain, e, trusted=True)
        return found


def set_policies(work: Work, changed: Sequence[Changed], policies: Policies) -> set[int]:
    """Write the policies of changed facts and of entities whose classes changed.

    Return the ids of the facts whose policy is another one.
    """
    db = work.db
    ids = {fact.number for fact in changed}
    if work.words.classes_have_policies:
        member = work.terms.find(MEMBERSHIP)
        for entity in {(f.e, f.domain) for f in changed if f.r == member}:
            rows = db.execute("select id from fact where e = ? and domain = ?", entity)
            ids.update(row[0] for row in rows)
    if not ids:
        return set()
    updates = []
    for number, domain, e, r, was in joined(
        db, ids, "select id, domain, e, r, policy from want cross join fact on id = k"
    ):
        assert isinstance(number, int) and isinstance(e, int) and isinstance(r, int)
        policy = policies.of(str(domain), e, r).value
        if policy != was:
            updates.append((policy, number))
    db.executemany("update fact set policy = ? where id = ?", updates)
    return {number for _, number in updates}


# --- spells -----------------------------------------------------------------------------------


def set_spells(
    work: Work, changed: Sequence[Changed], others: Iterable[int], policies: Policies
) -> set[int]:
    """Write the spells of changed facts and of all that shares a timeline with one.

    `others` are ids of facts whose policy or closing changed. Return the ids whose spells changed.
    """
    ids = {fact.number for fact in changed} | set(others)
    if not ids:
        return set()
    lines = {
        _timeline(work, fact.domain, fact.e, fact.r, fact.v)
        for fact in changed
        if policies.of(fact.domain, fact.e, fact.r) is Policy.TEMPORAL
    }
    updates: list[tuple[str | None, int]] = []
    for row in joined(work.db, ids, f"{_CASES} cross join fact f on f.id = k"):
        number, e, r, v, spells, standing = row[0], row[3], row[4], row[5], row[13], row[14]
        assert isinstance(number, int) and isinstance(e, int)
        assert isinstance(r, int) and isinstance(v, int)
        now: str | None
        if standing != STANDING:
            now = None
        elif row[9] == Policy.TEMPORAL.value:
            lines.add(_timeline(work, str(row[2]), e, r, v))
            continue
        elif row[7] is None and row[8] is None and row[10] is None:
            now = ALWAYS
        else:
            now = pack_spells(spells_alone(case_of(row[:-1], work.terms), work.zone))
        if now != spells:
            updates.append((now, number))
    for line in lines:
        updates.extend(_on(work, line))
    work.db.executemany("update fact set spells = ? where id = ?", updates)
    return {number for _, number in updates}


_CASES = f"select {CASE}, f.standing from want"

Line = tuple[str, int, int, int | None]
"""A timeline: domain, entity, relation, and the value where the relation is many-valued."""


def _timeline(work: Work, domain: str, e: int, r: int, v: int) -> Line:
    functional = work.words.functional(work.terms.name(r).canon)
    return (domain, e, r, None if functional else v)


def _on(work: Work, line: Line) -> list[tuple[str | None, int]]:
    """Return (spells, id) of the facts of a timeline whose spells are not as stored."""
    domain, e, r, v = line
    relation = work.terms.name(r).canon
    rows = work.db.execute(
        f"select {CASE} from fact f where e = ? and r = ? and domain = ?"
        " and standing = 'standing' and (? is null or v = ?)",
        (e, r, domain, v, v),
    ).fetchall()
    cases: list[Case] = [case_of(row, work.terms) for row in rows]
    found = spells_on_timeline(
        cases, work.zone, functional=work.words.functional(relation),
        tolerance=work.words.tolerance(relation),
    )  # fmt: skip
    now = [pack_spells(found[case.fid]) for case in cases]
    return [(spells, row[0]) for spells, row in zip(now, rows, strict=True) if spells != row[13]]
