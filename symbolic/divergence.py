"""Human decisions that clash and knew nothing of one another: docs/fold.md, section 12.

Pure: what each decision says on each of its keys goes in, with `seen`; who is live, what diverges
and what is held until a person decides comes out. Both forms of the fold gather the first and
apply the last in their own way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from symbolic.names import digest

STAR = "*"

CONFLICT = "conflict "
"""What the key of a divergence of human admissions begins with; the conflict id follows."""


class Side(StrEnum):
    """What a decision wants on a key."""

    ADMIT = "admit"
    DECLARE = "declare"
    NEW = "new"
    REJECT = "reject"
    RETRACT = "retract"
    OLD = "old"
    SETTLE = "settle"
    ONTOLOGY = "ontology"


_IN = (Side.ADMIT, Side.DECLARE, Side.NEW)
_OUT = (Side.REJECT, Side.RETRACT)


@dataclass(frozen=True, slots=True)
class Stance:
    """What a decision wants on one key: `group` is the class, conflict or field, `place` where.

    `what` is the fid it speaks of, or the value it gives; `how` tells two supersedes of one OLD
    apart.
    """

    group: str
    place: str
    side: Side
    what: str
    how: str = ""

    @property
    def key(self) -> str:
        """The key as text."""
        return f"{self.group} {self.place}".rstrip()


@dataclass(frozen=True, slots=True)
class Decision:
    """One line: its stances in the order of its body, or what an undo or reconcile refers to.

    `of` is the event that an undo takes back or a reconcile keeps. `refs` are a reconcile's keys:
    `EVENT:N` names the N-th stance of an event, so that it moves with the prose.
    """

    event: str
    order: tuple[str, str, int, str]
    kind: str
    stances: tuple[Stance, ...] = ()
    of: str | None = None
    refs: tuple[str, ...] = ()
    counts: bool = True
    person: bool = True


@dataclass(frozen=True, slots=True)
class Divergence:
    """Live decisions that clash. `stands` are those that count until a person decides.

    `keys` are today's; `refs` name them durably for the `reconcile` line. `pairs` are the events of
    admissions that overlap: keeping one decides against those it is paired with alone.
    """

    id: str
    keys: tuple[str, ...]
    events: tuple[str, ...]
    stands: tuple[str, ...]
    refs: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()

    def answered(self, kept: str) -> list[str]:
        """Return the keys of the `reconcile` line that keeps the event `kept`."""
        rivals = [b if a == kept else a for a, b in self.pairs if kept in (a, b)]
        return [*self.refs, *(f"{event}:0" for event in rivals)]


def clash(one: Stance, other: Stance) -> bool:
    """Return whether folding two stances on one key in the other order gives another world."""
    if one.group != other.group:
        return False
    if one.side in (Side.SETTLE, Side.ONTOLOGY):
        return one.what != other.what
    if one.what != other.what:
        return False
    sides = {one.side, other.side}
    if Side.OLD in sides:
        return not (one.side is other.side and one.how == other.how)
    if Side.DECLARE in sides:
        return Side.RETRACT in sides
    return bool(sides & set(_IN)) and bool(sides & set(_OUT))


def rank(stance: Stance) -> int:
    """Return how safe a stance is; 0 where only what stood before is safe."""
    if stance.side is Side.REJECT:
        return 3
    if stance.side is Side.RETRACT:
        return 2
    return int(stance.side is Side.SETTLE and stance.what == "both")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One decision on one key."""

    decision: Decision
    stance: Stance


Seen = Callable[[str, str], bool]
"""Whether the first event has the second in its `seen`."""


@dataclass(slots=True)
class Board:
    """All decisions on some groups, with what follows from them."""

    decisions: Mapping[str, Decision]
    seen: Seen
    _stances: dict[str, tuple[Stance, ...]] = field(default_factory=dict)
    _back: dict[str, set[str]] = field(default_factory=dict)
    _keys: dict[str, list[_Entry]] = field(default_factory=dict)
    divergences: list[Divergence] = field(default_factory=list)
    held: set[str] = field(default_factory=set)
    beaten: dict[str, set[str]] = field(default_factory=dict)
    """Admissions that an answer did not keep, each with the fids of what it kept."""

    def play(self) -> Board:
        """Work out divergences and what they hold."""
        found: dict[tuple[str, ...], list[str]] = {}
        stands: set[str] = set()
        self._keys = self._table()
        for key, entries in sorted(self._keys.items()):
            human = [entry for entry in entries if entry.decision.person]
            members = self._members(human)
            if members:
                found.setdefault(tuple(entry.decision.event for entry in members), []).append(key)
                stands.update(entry.decision.event for entry in _safest(members))
            for event in self._held(human) | self._beaten(entries, human):
                self.held.add(event)
                self.held |= self._back.get(event, set())
        # A line is held whole: one that stands as the safest on a key is held on none.
        self.held -= stands
        self._given_up()
        self.held -= stands
        for events, keys in found.items():
            self.divergences.append(self._divergence(events, keys))
        self.divergences.sort(key=lambda one: one.id)
        return self

    # --- what each decision says ------------------------------------------------------------------

    def stances(self, event: str) -> tuple[Stance, ...]:
        """Return the stances of a decision: a reconcile's are those it keeps, on its own keys."""
        if event not in self._stances:
            self._stances[event] = ()  # A line that names itself in a circle says nothing.
            decision = self.decisions.get(event)
            if decision is not None:
                self._stances[event] = self._said(decision)
        return self._stances[event]

    def _said(self, decision: Decision) -> tuple[Stance, ...]:
        if decision.of is None:
            return decision.stances
        if decision.kind == "undo":
            return tuple(self._brought_back(decision))
        kept = self.stances(decision.of)
        found = []
        for ref in decision.refs:
            event, _, number = ref.rpartition(":")
            named = self._listed(event)
            if number.isdigit() and int(number) < len(named):
                key = named[int(number)]
                mine = [s for s in kept if s.group == key.group]
                same = [s for s in mine if s.place == key.place] or mine
                found += [replace(s, place=key.place) for s in same[:1]]
        return tuple(found)

    def _listed(self, event: str) -> tuple[Stance, ...]:
        """Return the stances that a reference counts: those of what is undone for an undo."""
        decision = self.decisions.get(event)
        if decision is not None and decision.kind == "undo" and decision.of is not None:
            return self._listed(decision.of)
        return self.stances(event)

    def _brought_back(self, undo: Decision) -> Iterable[Stance]:
        """Yield, for each key of the event taken back, the stance it had overridden there."""
        gone = self.decisions.get(undo.of or "")
        if gone is None:
            return
        if gone.kind == "undo":
            if gone.of is not None and gone.of in self.decisions:
                self._back[undo.event] = {gone.of}
            yield from self.stances(gone.of or "")
            return
        for stance in self.stances(gone.event):
            before = [
                (x.order, x.event, s)
                for x in self.decisions.values()
                if x.counts and x.person and x.kind != "undo" and self.seen(gone.event, x.event)
                for s in self.stances(x.event)
                if clash(s, stance) and _meet(s, stance)
            ]
            if before:
                _, event, last = max(before, key=lambda one: one[0])
                self._back.setdefault(undo.event, set()).add(event)
                yield replace(last, place=stance.place)

    def _table(self) -> dict[str, list[_Entry]]:
        """Return the entries of each key; a `*` stance stands on every place of its class."""
        said = [
            _Entry(decision, stance)
            for decision in sorted(self.decisions.values(), key=lambda d: d.order)
            if decision.counts
            for stance in self.stances(decision.event)
        ]
        places: dict[str, set[str]] = {}
        for entry in said:
            places.setdefault(entry.stance.group, set()).add(entry.stance.place)
        table: dict[str, list[_Entry]] = {}
        for entry in said:
            stance = entry.stance
            wide = places[stance.group] if stance.place == STAR else (stance.place,)
            for place in wide:
                table.setdefault(f"{stance.group} {place}".rstrip(), []).append(entry)
        return table

    def acts(self, event: str) -> str | None:
        """Return the decision that an event says again: what a reconcile keeps, an undo revives."""
        decision = self.decisions.get(event)
        if decision is None or decision.of is None:
            return event if decision is not None else None
        if decision.kind == "undo":
            back = self._back.get(event, set())
            last = max(back, key=lambda one: self.decisions[one].order, default=None)
            return None if last is None else self.acts(last)
        of = self.decisions.get(decision.of)
        earlier = of is not None and of.order < decision.order
        return self.acts(decision.of) if earlier else None

    # --- what follows -----------------------------------------------------------------------------

    def _members(self, entries: Sequence[_Entry]) -> list[_Entry]:
        """Return the live entries of one key that clash with another live one, in the order."""
        live = [entry for entry in entries if self._live(entry, entries)]
        found = {
            id(one): one
            for one in live for other in live
            if clash(one.stance, other.stance) and self._unaware(one, other)
        }
        once: dict[str, _Entry] = {}
        for entry in found.values():
            once.setdefault(entry.decision.event, entry)
        return sorted(once.values(), key=lambda entry: entry.decision.order)

    def _live(self, entry: _Entry, entries: Sequence[_Entry]) -> bool:
        """Return whether nothing has buried an entry: no clashing line, no reconcile saw it."""
        return not any(
            other.decision.kind != "undo"
            and (other.decision.kind == "reconcile" or clash(entry.stance, other.stance))
            and self.seen(other.decision.event, entry.decision.event)
            for other in entries if other.decision is not entry.decision
        )

    def _unaware(self, one: _Entry, other: _Entry) -> bool:
        a, b = one.decision.event, other.decision.event
        return a != b and not self.seen(a, b) and not self.seen(b, a)

    def _held(self, entries: Sequence[_Entry]) -> set[str]:
        """Return the events of one key that do not count while it diverges."""
        members = self._members(entries)
        if not members:
            return set()
        safest = _safest(members)
        if safest:
            return {
                one.decision.event for one in members
                if any(clash(one.stance, other.stance) for other in safest)
            }
        before = [
            entry for entry in entries
            if all(self.seen(m.decision.event, entry.decision.event) for m in members)
        ]
        kept = {entry.decision.event for entry in before}
        gone = {
            entry.decision.event for entry in entries
            if entry.decision.event not in kept and entry.decision.kind != "undo"
        } | {member.decision.event for member in members}
        return gone | self._held(before)

    def _given_up(self) -> None:
        """Hold what a reconcile decided against: what clashes with what it keeps, unaware of it.

        From the last to the first, as with undo: one that is held itself decides nothing.
        """
        answers = [x for x in self.decisions.values() if x.kind == "reconcile" and x.counts]
        for answer in sorted(answers, key=lambda one: one.order, reverse=True):
            if answer.event in self.held or answer.of is None:
                continue
            self._not_kept(answer)
            for stance in self.stances(answer.event):
                for place in self._places(stance):
                    self.held |= {
                        entry.decision.event for entry in self._keys.get(place, ())
                        if entry.decision.kind != "undo"
                        and clash(entry.stance, stance)
                        and self.seen(answer.event, entry.decision.event)
                        and not self.seen(answer.of, entry.decision.event)
                        and not self.seen(entry.decision.event, answer.of)
                    }

    def _not_kept(self, answer: Decision) -> None:
        """Hold the admissions under an exclusive constraint that an answer names and did not keep.

        It names them, as their facts need not clash any more once the one kept has fallen.
        """
        if not any(ref.startswith(CONFLICT) for ref in answer.refs):
            return
        kept = {s.what for s in self.stances(answer.of or "") if s.side in _IN}
        for event in {ref.rpartition(":")[0] for ref in answer.refs} - {answer.of}:
            if event in self.decisions:
                lines = {event, *self._back.get(event, ())}
                self.held |= lines
                for line in lines:
                    self.beaten.setdefault(line, set()).update(kept)

    def _places(self, stance: Stance) -> list[str]:
        """Return the keys on which a stance stands."""
        if stance.place != STAR:
            return [stance.key]
        return [key for key in self._keys if key.startswith(f"{stance.group} ")]

    def _beaten(self, entries: Sequence[_Entry], human: Sequence[_Entry]) -> set[str]:
        """Return the machine's lines that a person's decision, unknown to them, goes before."""
        return {
            entry.decision.event for entry in entries
            if not entry.decision.person and any(
                clash(entry.stance, other.stance) and self._unaware(entry, other)
                for other in human
            )
        }

    def _divergence(self, events: tuple[str, ...], keys: Sequence[str]) -> Divergence:
        refs: dict[str, str] = {}
        stands: dict[str, None] = {}
        for event in sorted(events):
            for number, stance in enumerate(self._listed(event)):
                if any(_names(stance, key) for key in keys):
                    refs.setdefault(stance.key, f"{event}:{number}")
        for key in keys:
            human = [entry for entry in self._keys[key] if entry.decision.person]
            stands.update(dict.fromkeys(
                entry.decision.event for entry in _safest(self._members(human))
            ))
        return Divergence(
            id=divergence_id(events), keys=tuple(keys), events=events, stands=tuple(stands),
            refs=tuple(refs[key] for key in sorted(refs)),
        )


def divergence_id(events: Iterable[str]) -> str:
    """Return the id of a divergence: the hash of its events."""
    return digest("divergence", *sorted(events))[:16]


def _safest(members: Sequence[_Entry]) -> list[_Entry]:
    top = max((rank(member.stance) for member in members), default=0)
    return [member for member in members if top and rank(member.stance) == top]


def _meet(one: Stance, other: Stance) -> bool:
    same = one.place == other.place or STAR in (one.place, other.place)
    return one.group == other.group and same


def _names(stance: Stance, key: str) -> bool:
    return key == stance.key or (stance.place == STAR and key.startswith(f"{stance.group} "))
