"""A candidate among the facts that stand: what it clashes with, and what its point would end.

The candidate is one more standing fact with one assertion. Its rivals come from a view by the
parts that each constraint compares, so a store of a million facts answers a few lookups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symbolic.canon import MEMBER
from symbolic.constraints import ORDER, SINGLE, Finding, groups_of, judge
from symbolic.crowds import crowds
from symbolic.cycles import tangles
from symbolic.records import Name, Overlap, Policy, Standing, Statement, Term
from symbolic.timeline import Case, clean_date, points, spells_alone, spells_on_timeline
from symbolic.vocabulary import vocabulary
from symbolic.world import Fact, Spell, View


@dataclass(frozen=True, slots=True)
class Clash:
    """One constraint that the candidate breaks. `rival` is None where it breaks it alone."""

    constraint: str
    overlap: Overlap
    policy: Policy
    rival: str | None = None


class Around:
    """The standing facts that a candidate meets, with the candidate among them."""

    def __init__(
        self, view: View, statement: Statement, date: str | None, fact: Fact | None
    ) -> None:
        """`fact` is the fact of the statement as it stands now, None if there is none."""
        self.view = view
        self.statement = statement
        self.words = vocabulary(view.declarations)
        self.zone = view.zone
        self._policies: dict[tuple[str, Name, str], Policy] = {}
        self._slots: dict[tuple[str, Name, str], list[Case]] = {}
        self._ends: dict[str, tuple[Spell, ...]] = {}
        day = clean_date(date, self.zone)
        self.case = self._bare(statement, (day,) if day else (), fact)
        if self.case.policy is Policy.TEMPORAL:
            self._ends = self._timeline()
        else:
            self._ends = {self.case.fid: spells_alone(self.case, self.zone)}
        self.case = self.case.holding(self._ends[self.case.fid])
        self._slots.clear()

    # --- lookups of constraints.Facts ---------------------------------------------------------

    def slot(self, domain: str, entity: Name, relation: str) -> Sequence[Case]:
        """Return the standing facts of an entity and a relation."""
        found = self._slots.get((domain, entity, relation))
        if found is None:
            facts = self.view.facts(domain=domain, entity=entity, relation=relation)
            found = self._slots[domain, entity, relation] = self._cases(facts)
            if (domain, entity, relation) == self._part():
                found.append(self.case)
        return found

    def among(self, domain: str, relation: str, value: Term) -> Sequence[Case]:
        """Return the standing facts of a relation and a value."""
        found = self._cases(self.view.facts(domain=domain, relation=relation, value=value))
        mine = self.case
        if (mine.domain, mine.relation, mine.value) == (domain, relation, value):
            found.append(mine)
        return found

    def known(self, domain: str, entity: Name) -> frozenset[str]:
        """Return the classes of an entity with all ancestors."""
        cases = self.slot(domain, entity, MEMBER)
        names = [c.value.canon for c in cases if c.polarity and isinstance(c.value, Name)]
        return self.words.closure(names)

    def _part(self) -> tuple[str, Name, str]:
        return (self.case.domain, self.case.entity, self.case.relation)

    def _cases(self, facts: Iterable[Fact]) -> list[Case]:
        return [
            self._case(fact)
            for fact in facts
            if fact.standing is Standing.STANDING and fact.fid != self.statement.fid
        ]

    def _case(self, fact: Fact) -> Case:
        days = {clean_date(a.evidence_date, self.zone) for a in fact.live}
        case = self._bare(fact.statement, tuple(sorted(d for d in days if d)), fact)
        spells = self._ends.get(fact.fid)
        return case.holding(self.view.spells(fact.fid) if spells is None else spells)

    def _bare(self, said: Statement, dates: tuple[str, ...], fact: Fact | None) -> Case:
        return Case(
            fid=said.fid, domain=said.domain, entity=said.entity, relation=said.relation.canon,
            value=said.value, polarity=said.polarity, start=said.valid_from, end=said.valid_to,
            policy=self._policy(said), closed=fact.closed if fact else None, dates=dates,
        )  # fmt: skip

    def _policy(self, said: Statement) -> Policy:
        part = (said.domain, said.entity, said.relation.canon)
        found = self._policies.get(part)
        if found is None:
            found = self._policies[part] = self.view.policy(said)
        return found

    # --- time ---------------------------------------------------------------------------------

    def _timeline(self) -> dict[str, tuple[Spell, ...]]:
        """Return the spells of the candidate's timeline with the candidate on it."""
        relation = self.case.relation
        functional = self.words.functional(relation)
        cases = [
            case
            for case in self.slot(*self._part())
            if functional or case.value == self.case.value
        ]
        return spells_on_timeline(
            cases, self.zone, functional=functional, tolerance=self.words.tolerance(relation)
        )

    @property
    def ended(self) -> tuple[str, ...]:
        """The facts whose spell the candidate's point would end, sorted."""
        fid = self.case.fid
        return tuple(
            sorted(
                other
                for other, spells in self._ends.items()
                if other != fid and any(spell.ended_by == fid for spell in spells)
            )
        )

    @property
    def ended_by(self) -> str | None:
        """The fact whose point ends the spell that the candidate's point starts."""
        if self.case.policy is not Policy.TEMPORAL or not points(self.case, self.zone):
            return None
        return next((s.ended_by for s in self._ends[self.case.fid] if s.ended_by), None)

    # --- clashes ------------------------------------------------------------------------------

    def clashes(self) -> list[Clash]:
        """Return what the candidate clashes with, in the order of the constraints."""
        found: list[Clash] = []
        for group in groups_of(self.case, self.words):
            finding = judge(group, self, self.words, self.zone)
            if finding is None:
                continue
            if group.constraint in SINGLE:
                found.append(Clash(group.constraint, Overlap.YES, self.case.policy))
            elif group.constraint == "cardinality":
                found.extend(self._crowding(finding))
            else:
                found.extend(self._pairs(finding))
        found.extend(self._tangled())
        return sorted(found, key=lambda c: (ORDER.index(c.constraint), c.rival or ""))

    def _against(self, constraint: str, seen: Overlap, rival: Case) -> Clash:
        strict = max((self.case.policy, rival.policy), key=_STRICT.index)
        return Clash(constraint, seen, strict, rival.fid)

    def _pairs(self, finding: Finding) -> list[Clash]:
        members = {case.fid: case for case in finding.members}
        mine = self.case.fid
        return [
            self._against(finding.group.constraint, seen, members[other if one == mine else one])
            for one, other, seen in finding.pairs
            if mine in (one, other)
        ]

    def _crowding(self, finding: Finding) -> list[Clash]:
        """Return the facts at whose instants the candidate is one value too many."""
        group = finding.group
        decl = self.words.relation(group.words[0])
        assert decl is not None and decl.cardinality is not None and group.entity is not None
        slot = [c for c in self.slot(group.domain, group.entity, group.words[0]) if c.polarity]
        found: dict[str, Clash] = {}
        sure, maybe = crowds(slot, decl.cardinality, self.zone)
        for seen, sets in ((Overlap.MAYBE, maybe), (Overlap.YES, sure)):
            for crowd in sets:
                if any(case.fid == self.case.fid for case in crowd):
                    for case in crowd:
                        if case.fid != self.case.fid:
                            found[case.fid] = self._against("cardinality", seen, case)
        return list(found.values())

    def _tangled(self) -> list[Clash]:
        """Return the edges of the cycle that the candidate closes."""
        case = self.case
        if not (self.words.acyclic(case.relation) and case.polarity):
            return []
        if not isinstance(case.value, Name):
            return []
        for finding in tangles(case.domain, case.relation, [case.value], self, self.zone):
            if any(member.fid == case.fid for member in finding.members):
                rivals = [member for member in finding.members if member.fid != case.fid]
                if not rivals:
                    return [Clash("acyclic", finding.overlap, case.policy)]
                return [self._against("acyclic", finding.overlap, rival) for rival in rivals]
        return []


_STRICT = (Policy.COEXISTENT, Policy.TEMPORAL, Policy.EXCLUSIVE)
