"""Human admissions that overlap under an exclusive constraint: docs/fold.md, section 12.

Pure. The fold is made with all of them first, so that it is known what overlaps what; then those
that do not stand are held, and what depends on them is made again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from symbolic.divergence import CONFLICT, Board, Divergence, Seen, divergence_id
from symbolic.records import Line
from symbolic.world import Conflict

Pair = frozenset[str]
"""The fids of two facts that surely overlap under an exclusive constraint."""

Order = tuple[str, str, int, str]

Held = Mapping[str, Collection[str]]
"""The lines that do not stand, each with the fids of what stands in its way."""


@dataclass(frozen=True, slots=True)
class Admission:
    """A person's line by which a fact stands; `line` is what is held where that is another."""

    event: str
    order: Order
    fid: str
    line: str


@dataclass(frozen=True, slots=True)
class Answers:
    """The counting lines that speak of conflicts, as (conflict, line)."""

    settled: Sequence[tuple[str, Line]] = ()
    declared: Sequence[tuple[str, Line]] = ()

    @classmethod
    def of(cls, lines: Iterable[Line]) -> Answers:
        """Read the `settle`, `reconcile` and `ontology` lines among `lines`."""
        settled: list[tuple[str, Line]] = []
        declared: list[tuple[str, Line]] = []
        for line in lines:
            if line.kind == "settle" and line.person:
                settled.append((str(line.body["conflict"]), line))
            elif line.kind == "reconcile" and line.person:
                settled += [(name, line) for name in _named(line)]
            elif line.kind == "ontology":
                declared += [(name, line) for name in _opened(line)]
        return cls(settled, declared)


def _named(line: Line) -> Iterator[str]:
    keys = line.body.get("keys")
    for key in keys if isinstance(keys, (list, tuple)) else ():
        if str(key).startswith(CONFLICT):
            yield str(key).removeprefix(CONFLICT)


def _opened(line: Line) -> Iterator[str]:
    found = line.body.get("conflicts")
    for item in found if isinstance(found, (list, tuple)) else ():
        if isinstance(item, Mapping) and "id" in item:
            yield str(item["id"])


def admissions(
    said: Iterable[tuple[str, str]], board: Board, lines: Mapping[str, Line]
) -> list[Admission]:
    """Return the admissions among `said`, (line, fid) of live assertions, with those of undos.

    An undo that brought a line back admits its fact as well, as of the undo.
    """
    fids = dict(said)
    found = [
        Admission(event, lines[event].order, fid, event)
        for event, fid in fids.items() if lines[event].person
    ]
    for decision in board.decisions.values():
        back = board.acts(decision.event) if decision.kind == "undo" else None
        if decision.counts and back is not None and back in fids and lines[back].person:
            found.append(Admission(decision.event, decision.order, fids[back], back))
    return sorted(found, key=lambda one: one.order)


def contest(
    overlaps: Iterable[tuple[Conflict, Collection[Pair]]], found: Sequence[Admission],
    answers: Answers, seen: Seen,
) -> tuple[list[Divergence], Held]:
    """Return what admissions diverge, and the lines that do not stand, to be held."""
    held: dict[str, set[str]] = {}
    open_pairs: dict[str, list[tuple[Admission, Admission]]] = {}
    for conflict, pairs in overlaps:
        for one, other in _unaware(pairs, found, seen):
            both = (one.event, other.event)
            if any(_saw(line, both, seen) for line in _about(answers.declared, conflict.id)):
                continue
            if not any(_saw(line, both, seen) for line in _about(answers.settled, conflict.id)):
                open_pairs.setdefault(conflict.id, []).append((one, other))
    stands = _first(found, [pair for pairs in open_pairs.values() for pair in pairs])
    diverging = []
    for name, between in open_pairs.items():
        orders = {x.event: x.order for pair in between for x in pair}
        events = sorted(orders.items(), key=lambda item: item[1])
        names = tuple(event for event, _ in events)
        diverging.append(Divergence(
            id=divergence_id(names), keys=(CONFLICT + name,), events=names,
            stands=tuple(event for event in names if event in stands),
            refs=(CONFLICT + name,),
            pairs=tuple((one.event, other.event) for one, other in between),
        ))
        for pair in between:
            for x, rival in (pair, pair[::-1]):
                if x.event not in stands:
                    before = held.setdefault(x.line, set())
                    before.update({rival.fid} if rival.event in stands else ())
    return sorted(diverging, key=lambda one: one.id), held


def _unaware(
    pairs: Collection[Pair], found: Sequence[Admission], seen: Seen
) -> Iterator[tuple[Admission, Admission]]:
    """Yield the admissions of overlapping facts that knew nothing of one another, in the order."""
    for at, one in enumerate(found):
        for other in found[at + 1 :]:
            known = seen(one.event, other.event) or seen(other.event, one.event)
            if frozenset((one.fid, other.fid)) in pairs and not known:
                yield one, other


def _about(lines: Iterable[tuple[str, Line]], conflict: str) -> list[Line]:
    return [line for name, line in lines if name == conflict]


def _saw(line: Line, events: tuple[str, str], seen: Seen) -> bool:
    return all(seen(line.hash, event) for event in events)


def _first(
    found: Sequence[Admission], pairs: Sequence[tuple[Admission, Admission]]
) -> set[str]:
    """Return which of `pairs` stand: in the order, each unless one that stands overlaps it."""
    stands: set[str] = set()
    for one in found:
        rivals = {
            (b if a is one else a).event for a, b in pairs if one is a or one is b
        }
        if rivals and not rivals & stands:
            stands.add(one.event)
    return stands
