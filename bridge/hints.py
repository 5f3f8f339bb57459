"""What a prompt may tell of what is known: relations near a heading, what was rejected there.

A prompt that may leave the machine tells the names of declared relations and of those that prose
which is not private uses, and only what was rejected at this very heading. A local one tells all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bridge.egress import Egress
from gates.secrets import secret_shapes
from symbolic.names import fold
from symbolic.records import HEADING_SUBJECT, Name, NameKind, ProseHeading, Written
from symbolic.world import Assertion, Bar, Fact, Source, View

RELATIONS = 60
"""Names of relations in one prompt; near ones come first."""

REJECTED = 20
"""Rejected statements in one prompt."""

_KINDS = ("reject", "retract")
_EVERYWHERE = "everywhere"


@dataclass(frozen=True, slots=True)
class Known:
    """Values for a prompt: relation names, nearest first; refused statements as sentences."""

    relations: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()


class Hints:
    """What is known near headings, read from a view as it stands; what it read it remembers.

    Cost: lookups by heading and by title, one pass over the decisions. Give `Known` to a prompt,
    never this: it holds the view.
    """

    def __init__(self, view: View, egress: Egress) -> None:
        self._view = view
        self._egress = egress
        self._named: dict[str, tuple[Fact, ...]] = {}
        self._open: dict[str, bool] = {}
        self._bars: dict[str, list[Bar]] = defaultdict(list)
        self._everywhere: list[Bar] = []
        for bar in view.bars():
            if bar.kind in _KINDS:
                self._bars[bar.resolved or ""].append(bar)
                if bar.scope == _EVERYWHERE:
                    self._everywhere.append(bar)

    def near(self, heading: ProseHeading, *, remote: bool) -> Known:
        """Return what a prompt about `heading` may tell; `remote` if it may leave the machine."""
        relations: dict[str, str] = {}
        for name in (*self._used(heading, remote=remote), *self._declared()):
            if not remote or not secret_shapes(name):
                relations.setdefault(fold(name), name)
        bars = list(self._bars.get(heading.key, ()))
        if not remote:
            bars += self._mentioned(heading)
        said = dict.fromkeys(_sentence(bar.written, heading.title) for bar in bars)
        rejected = (one for one in said if not remote or not secret_shapes(one))
        return Known(tuple(relations.values())[:RELATIONS], tuple(rejected)[:REJECTED])

    def _declared(self) -> list[str]:
        """Return the declared relations that prose may use: those of the gates are not for it."""
        known = self._view.declarations
        names = sorted(set(known.relations) - known.gate_relations)
        return [known.relations[name].written for name in names]

    def _used(self, heading: ProseHeading, *, remote: bool) -> Iterator[str]:
        """Yield the relations that are said at the heading, then of it, then of those above it."""
        gates = self._view.declarations.gate_relations
        for facts in (
            self._view.facts_at(heading.key), *map(self._of, dict.fromkeys(_titles(heading))),
        ):  # fmt: skip
            found = {
                one.statement.relation.written
                for fact in facts if fact.statement.relation.canon not in gates
                for one in fact.live if not remote or self._open_to_all(one)
            }
            yield from sorted(found)

    def _of(self, title: str) -> tuple[Fact, ...]:
        canon = self._view.declarations.entity_alias.get(fold(title), fold(title))
        if canon not in self._named:
            name = Name(NameKind.NAME, canon, title)
            self._named[canon] = tuple(self._view.facts(entity=name))
        return self._named[canon]

    def _open_to_all(self, said: Assertion) -> bool:
        """Return whether prose that may leave the machine says it."""
        if said.source is not Source.HEADING or said.heading is None:
            return False
        if said.heading not in self._open:
            found = self._view.heading(said.heading)
            self._open[said.heading] = (
                found is not None and self._egress.holds_back(found) is None
            )
        return self._open[said.heading]

    def _mentioned(self, heading: ProseHeading) -> Iterable[Bar]:
        """Return what is rejected everywhere and speaks of something the heading names."""
        if not self._everywhere:
            return ()
        text = fold(" ".join((*heading.outline, heading.text)))
        return [bar for bar in self._everywhere if fold(bar.written.entity) in text]


def _sentence(said: Written, title: str) -> str:
    entity = title if said.entity == HEADING_SUBJECT else said.entity
    unit = f" {said.unit}" if said.unit and not said.value.endswith(said.unit) else ""
    return f"{entity} {'' if said.polarity else 'not '}{said.relation} {said.value}{unit}"


def _titles(heading: ProseHeading) -> tuple[str, ...]:
    return (heading.title, *reversed(heading.outline))
