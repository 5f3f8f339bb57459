"""The fold: the world as one pure function of prose, journal, gate rows, declarations and rules.

`docs/fold.md` says the same in words. This is the specification, kept slow and plain; the store is
its incremental cache and the laws compare the two after any history.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from symbolic.contested import Answers, Held, admissions, contest
from symbolic.deduced import Deduced, Support, Triple
from symbolic.divergence import Board, Divergence
from symbolic.model.asserted import Speech, facts_of
from symbolic.model.conflicts import (
    Clash,
    Frame,
    clashes,
    classes_of,
    conflict_id,
    conflicts,
    policy_of,
)
from symbolic.model.decided import board, carried, legible, speaking
from symbolic.model.following import Following
from symbolic.model.places import Places, body_of, text_of
from symbolic.model.queue import proposals
from symbolic.model.timelines import Times, all_spells
from symbolic.names import fold as folded
from symbolic.records import (
    Declarations,
    Line,
    Name,
    Overlap,
    Policy,
    ProseHeading,
    RuleFile,
    Standing,
    Statement,
    Term,
)
from symbolic.rules.program import Program
from symbolic.values import reach
from symbolic.world import OPEN, Bar, Conflict, Fact, Inputs, Proposal, Spell, Track


@dataclass(frozen=True, slots=True)
class Derived:
    """What follows from the standing facts alone."""

    frame: Frame
    clashes: list[Clash]
    trusted: Mapping[tuple[str, Term], set[str]]


def derive(facts: Mapping[str, Fact], declarations: Declarations, zone: str) -> Derived:
    """Compute policies, spells and clashes of a set of standing facts."""
    trusted = classes_of(facts.values(), trusted=True)
    policies = {
        fid: policy_of(fact.statement, trusted, declarations) for fid, fact in facts.items()
    }
    times = Times(zone, declarations, policies)
    frame = Frame(
        facts, all_spells(facts, times), times, classes_of(facts.values(), trusted=False)
    )
    return Derived(frame, clashes(frame), trusted)


def counting_lines(lines: Iterable[Line]) -> tuple[list[Line], dict[str, str]]:
    """Return the lines that count, in the order, and {event: the undo that took it out}."""
    ordered = sorted(lines, key=lambda line: line.order)
    undone: dict[str, str] = {}
    for line in reversed(ordered):
        if line.kind == "undo" and line.body and line.hash not in undone:
            undone.setdefault(str(line.body["event"]), line.hash)
    return [line for line in ordered if line.body and line.hash not in undone], undone


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class World:
    """All that is known, in plain dicts. Implements `symbolic.world.View`.

    One that is not changed by anybody, so that what follows from it can be kept beside it.
    """

    inputs: Inputs
    all_lines: tuple[Line, ...]
    out: Mapping[str, str]
    by_fid: Mapping[str, Fact]
    derived: Derived
    by_conflict: Mapping[str, Conflict]
    all_bars: tuple[Bar, ...]
    queue: tuple[Proposal, ...]
    tracked: tuple[Track, ...]
    places: Places
    diverging: tuple[Divergence, ...]
    following: Following

    @property
    def declarations(self) -> Declarations:
        """Today's declarations."""
        return self.inputs.declarations

    @property
    def zone(self) -> str:
        """The memex's zone."""
        return self.inputs.zone

    def heading(self, key: str) -> ProseHeading | None:
        """Return a heading by key."""
        return self.places.headings.get(key)

    def headings(self, *, path: str | None = None) -> Iterable[ProseHeading]:
        """Return all headings, or those of one file, in (path, offset) order."""
        found = (h for h in self.inputs.headings if path is None or h.path == path)
        return sorted(found, key=lambda h: (h.path, h.offset, h.key))

    def titled(self, title: str) -> Iterable[ProseHeading]:
        """Return the headings with a title."""
        return [h for h in self.headings() if folded(h.title) == folded(title)]

    def starting(self, prefix: str) -> Iterable[Fact | Line | Proposal | Conflict]:
        """Return what has an id that starts with `prefix`."""
        return [
            *(fact for fact in self.facts() if fact.fid.startswith(prefix)),
            *(line for line in self.all_lines if line.hash.startswith(prefix)),
            *(proposal for proposal in self.queue if proposal.id.startswith(prefix)),
            *(conflict for conflict in self.conflicts() if conflict.id.startswith(prefix)),
        ]

    def fact(self, fid: str) -> Fact | None:
        """Return a fact by id."""
        return self.by_fid.get(fid)

    def facts(
        self,
        *,
        domain: str | None = None,
        entity: Name | None = None,
        relation: str | None = None,
        value: Term | None = None,
    ) -> Iterable[Fact]:
        """Return the facts with these parts, in fid order."""
        return [
            fact for _, fact in sorted(self.by_fid.items())
            if (domain is None or fact.statement.domain == domain)
            and (entity is None or fact.statement.entity == entity)
            and (relation is None or fact.statement.relation.canon == relation)
            and (value is None or fact.statement.value == value)
        ]

    def facts_at(self, key: str) -> Iterable[Fact]:
        """Return the facts with a live assertion at a heading, in fid order."""
        return [
            fact for _, fact in sorted(self.by_fid.items())
            if any(assertion.heading == key for assertion in fact.live)
        ]

    def spells(self, fid: str) -> tuple[Spell, ...]:
        """Return the spells of a standing fact."""
        return self.derived.frame.spells.get(fid, ())

    def policy(self, statement: Statement) -> Policy:
        """Return the policy a statement falls under."""
        return policy_of(statement, self.derived.trusted, self.declarations)

    def conflicts(self) -> tuple[Conflict, ...]:
        """Return all conflicts in id order, those that rules without a head flag included."""
        found = {**self.by_conflict, **self.following.conflicts}
        return tuple(conflict for _, conflict in sorted(found.items()))

    def conflicts_of(self, fid: str) -> tuple[Conflict, ...]:
        """Return the conflicts of one fact."""
        return tuple(c for c in self.conflicts() if fid in c.members)

    def bars(self, cls: str | None = None) -> tuple[Bar, ...]:
        """Return rejections and suppressions."""
        return tuple(b for b in self.all_bars if cls is None or b.statement.cls == cls)

    def proposals(
        self, *, id: str | None = None, fid: str | None = None, closed: bool = True
    ) -> tuple[Proposal, ...]:
        """Return the queue with its closed part, or a part of it."""
        return tuple(
            p for p in self.queue
            if id in (None, p.id) and (closed or p.state in OPEN)
            and (fid is None or (p.statement is not None and p.statement.fid == fid))
        )

    def tracks(self) -> tuple[Track, ...]:
        """Return the journal's keys and where they are."""
        return self.tracked

    def line(self, event: str) -> Line | None:
        """Return a line by hash."""
        return next((line for line in self.all_lines if line.hash == event), None)

    def lines(self) -> Iterable[Line]:
        """Return all lines in the order."""
        return self.all_lines

    def undone(self) -> Mapping[str, str]:
        """Return what undo took out."""
        return self.out

    def divergences(self) -> tuple[Divergence, ...]:
        """Return what a person has to reconcile, in id order."""
        return self.diverging

    def rules(self) -> tuple[RuleFile, ...]:
        """Return the rule files, in the order of their names."""
        return tuple(sorted(self.inputs.rules, key=lambda file: file.name))

    def program(self) -> Program:
        """Return the rules that run."""
        return self.following.program

    def deduced(
        self,
        *,
        domain: str | None = None,
        entity: Name | None = None,
        relation: str | None = None,
        value: Term | None = None,
    ) -> Iterable[Deduced]:
        """Return what rules derive with these parts, in the order of its fids."""
        return [
            one for one in self.following.by_fid.values()
            if (domain is None or one.triple.domain == domain)
            and (entity is None or one.triple.entity == entity)
            and (relation is None or one.triple.relation.canon == relation)
            and (value is None or one.triple.value == value)
        ]

    def supports(self, fid: str) -> tuple[Support, ...]:
        """Return all supports of a deduced fact, those with few premises first."""
        found = self.following.by_fid.get(fid)
        return () if found is None else self.following.supports(found.triple)

    def supports_of(self, triple: Triple) -> tuple[Support, ...]:
        """Return all supports of a deduced triple, those with few premises first."""
        return self.following.supports(triple)


def fold(inputs: Inputs) -> World:
    """Return the world of `inputs`."""
    lines = legible(carried(inputs.lines))
    counting, undone = counting_lines(lines)
    told = [line for line in lines if line.body]
    places = Places(inputs.headings, inputs.readings, told, counting)
    played = board(Speech(inputs, counting, places), lines, undone)
    if any(line.kind == "reconcile" for line in counting):
        # A reconcile is found where what it keeps is: its keys are followed like any other's.
        acts = speaking(counting, lines, played, held=True)
        places = Places(inputs.headings, inputs.readings, told, acts)
    spoken = speaking(counting, lines, played)
    first = _Said.of(Speech(inputs, spoken, places))
    diverging, held = _contest(first, spoken, counting, played)
    before = [*held.items(), *played.beaten.items()]
    by_hash = {line.hash: line for line in speaking(counting, lines, played, held=True)}
    beaten = [(by_hash[event], fids) for event, fids in before if event in by_hash]
    said = first
    if held:
        rest = [line for line in spoken if line.hash not in held]
        said = _Said.of(Speech(inputs, rest, places))
    following = Following(
        inputs, said.derived.frame, said.derived.trusted, said.bars,
        lambda conflict: _settled(conflict, said.speech),
    )  # fmt: skip
    return World(
        inputs=inputs,
        all_lines=lines,
        out=undone,
        by_fid=said.facts,
        derived=said.derived,
        by_conflict={
            cid: replace(conflict, settled_by=_settled(conflict, said.speech))
            for cid, conflict in said.conflicts.items()
        },
        all_bars=said.bars,
        queue=proposals(said.speech, said.standing, said.bars, beaten),
        tracked=places.tracks(),
        places=places,
        diverging=tuple(sorted([*played.divergences, *diverging], key=lambda one: one.id)),
        following=following,
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """What follows from some lines that speak."""

    speech: Speech
    facts: Mapping[str, Fact]
    standing: Mapping[str, Fact]
    derived: Derived
    conflicts: Mapping[str, Conflict]
    bars: tuple[Bar, ...]

    @classmethod
    def of(cls, speech: Speech) -> _Said:
        """Fold what `speech` says."""
        declarations, zone = speech.inputs.declarations, speech.inputs.zone
        said = speech.decided()
        facts = facts_of(said, _closings(speech, facts_of(said, {}), zone))
        standing = {fid: f for fid, f in facts.items() if f.standing is Standing.STANDING}
        derived = derive(standing, declarations, zone)
        found = conflicts(derived.clashes, derived.frame)
        bars = tuple(bar for _, bar in speech.bars())
        return cls(speech, facts, standing, derived, found, bars)


def _contest(
    said: _Said, spoken: Iterable[Line], counting: Iterable[Line], played: Board
) -> tuple[list[Divergence], Held]:
    """Return the human admissions that diverge under exclusive constraints, and what is held."""
    by_hash = {line.hash: line for line in spoken}
    live = [
        (a.event, fid) for fid, fact in said.standing.items() for a in fact.live
        if a.event is not None and a.event in by_hash
    ]
    policies = said.derived.frame.times.policies
    overlaps = []
    for cid, conflict in sorted(said.conflicts.items()):
        pairs = {
            frozenset((c.one, c.other)) for c in said.derived.clashes
            if c.other is not None and conflict_id(c.group) == cid and c.overlap is Overlap.YES
            and Policy.EXCLUSIVE in (policies[c.one], policies[c.other])
        }
        if pairs:
            overlaps.append((conflict, pairs))
    found = admissions(live, played, by_hash)
    return contest(overlaps, found, Answers.of(counting), played.seen)


def _closings(
    speech: Speech, facts: Mapping[str, Fact], zone: str
) -> dict[str, tuple[str, str]]:
    """Return {OLD: (bound, NEW)} of every `supersede` with a date whose NEW stands."""
    closed: dict[str, tuple[str, str]] = {}
    for line in speech.lines:
        bound = text_of(line.body, "from")
        if line.kind != "supersede" or bound is None:
            continue
        old, new = speech.fid(line.body["old"]), speech.fid(body_of(line.body["new"])["statement"])
        if old is None or new is None or new not in facts:
            continue
        if facts[new].standing is not Standing.STANDING:
            continue
        if old not in closed or reach(bound, zone).lo < reach(closed[old][0], zone).lo:
            closed[old] = (bound, new)
    return closed


def _settled(conflict: Conflict, speech: Speech) -> str | None:
    """Return the last settlement of a conflict that names all of today's members."""
    for line in reversed(speech.lines):
        if line.kind == "settle" and line.body["conflict"] == conflict.id:
            members = line.body.get("members")
            named = {
                speech.fid(body_of(member)["statement"])
                for member in (members if isinstance(members, (list, tuple)) else ())
            }
            if set(conflict.members) <= named:
                return line.hash
    return None
