"""What follows by rules from what the fold says, worked out when somebody asks for it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from symbolic.canon import term_key
from symbolic.deduced import Breach, Deduced, Premise, Support, Triple
from symbolic.model.conflicts import Frame, Group, conflict_id
from symbolic.model_rules.derive import Derivation, derive
from symbolic.model_rules.matching import common, plain
from symbolic.model_rules.rows import rows_of
from symbolic.records import Overlap, Policy, Term
from symbolic.rules.program import Program, compile
from symbolic.rules.syntax import Atom, Rule
from symbolic.world import Bar, Conflict, Inputs

EVERYWHERE = "everywhere"


class Following:
    """The program of a world, what it derives, and what its constraints flag."""

    def __init__(
        self,
        inputs: Inputs,
        frame: Frame,
        trusted: Mapping[tuple[str, Term], set[str]],
        bars: Sequence[Bar],
        settled: Callable[[Conflict], str | None],
    ) -> None:
        self._inputs, self._frame, self._trusted = inputs, frame, trusted
        self._barred = frozenset(
            bar.statement.fid for bar in bars
            if bar.kind == "reject" and bar.scope == EVERYWHERE
        )
        self._settled = settled

    @cached_property
    def program(self) -> Program:
        """What runs under today's declarations."""
        return compile(self._inputs.rules, self._inputs.declarations, self._inputs.zone)

    @cached_property
    def derivation(self) -> Derivation:
        """All that is deduced, with all supports."""
        return derive(self._frame, self.program, self._trusted, barred=self._barred)

    @cached_property
    def by_fid(self) -> Mapping[str, Deduced]:
        """What is deduced, by the fid of its statement without bounds, in the order of fids."""
        found = {t.statement().fid: one for t, one in self.derivation.deduced.items()}
        return dict(sorted(found.items()))

    def supports(self, triple: Triple) -> tuple[Support, ...]:
        """Return every step that gives a triple, those with few premises first."""
        found = self.derivation.supports.get(triple, frozenset())
        return tuple(sorted(found, key=support_order))

    @cached_property
    def conflicts(self) -> Mapping[str, Conflict]:
        """The groups that rules without a head flag: one for each set of triples they find."""
        rules = {rule.id: rule for rule in self.program.constraints}
        if not rules:
            return {}
        groups: dict[Group, list[Breach]] = defaultdict(list)
        for breach in self.derivation.breaches:
            triples = {_spelt(p.triple) for p in breach.premises if not p.absent}
            name = rules[breach.rule].name
            groups[f"rule:{name}", breach.domain, tuple(sorted(triples))].append(breach)
        return {conflict_id(group): self._conflict(group, found, rules)
                for group, found in groups.items()}  # fmt: skip

    def _conflict(
        self, group: Group, found: Sequence[Breach], rules: Mapping[str, Rule]
    ) -> Conflict:
        members = {
            fid
            for breach in found
            for atom, premise in zip(plain(rules[breach.rule]), breach.premises, strict=True)
            if isinstance(atom, Atom)
            for fid in self._facts(atom, premise)
        }
        constraint, domain, key = group
        sure = any(not breach.imprecise for breach in found)
        conflict = Conflict(
            id=conflict_id(group), constraint=constraint, domain=domain, key=key,
            members=tuple(sorted(members)), policy=Policy.COEXISTENT,
            overlap=Overlap.YES if sure else Overlap.MAYBE,
        )  # fmt: skip
        return replace(conflict, settled_by=self._settled(conflict))

    def _facts(self, atom: Atom, premise: Premise) -> set[str]:
        """Return the facts a premise consists of: a maximal spell may be of several."""
        if premise.fid is not None:
            return {premise.fid}
        span = premise.lo, premise.hi
        found: set[str] = set()
        if atom.spell is not None:
            found = {
                row.fid for row in rows_of(self._frame)
                if row.triple == premise.triple and common((row.lo, row.hi), span) is not None
            }
        deduced = self.derivation.deduced.get(premise.triple)
        if deduced is not None and any(common((s.lo, s.hi), span) for s in deduced.spells):
            found.add(premise.triple.statement().fid)
        return found


def _spelt(triple: Triple) -> str:
    """Return a triple as one part of a conflict's key."""
    mark = "" if triple.polarity else "not "
    return f"{mark}{term_key(triple.entity)} {triple.relation.canon} {term_key(triple.value)}"


def support_order(support: Support) -> tuple[int, str]:
    """Return where a support stands among those of one head: few premises first, then by text."""
    return len(support.premises), repr(support)
