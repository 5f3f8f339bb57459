"""A shelf of generated prose as the store takes it: headings, what they say, candidates to come.

Entities are drawn evenly from all, which is the worst locality an index can meet. The same number
always gives the same shelf, and a shelf is a prefix of every larger one but for the entities drawn.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from symbolic.names import digest
from symbolic.records import (
    Candidate,
    Grounding,
    Line,
    ProseHeading,
    Provenance,
    Reading,
    Written,
)
from symbolic.store.store import Store
from symbolic.world import Change

RELATIONS = tuple(f"relation-{number}" for number in range(200))
A_HEADING = 10
"""Facts read from one heading."""
A_FILE = 500
"""Headings of one file."""
A_CHANGE = 50_000
"""Facts of one change when a store is filled."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """As many facts as `size` says, and where a candidate is grounded."""

    size: int
    seed: int = 1

    @property
    def headings(self) -> int:
        """How many headings hold them."""
        return max(1, self.size // A_HEADING)

    def path(self, number: int) -> str:
        """Return the file of heading `number`."""
        return f"shelf/{number // A_FILE:05}.org"

    def heading(self, number: int) -> ProseHeading:
        """Return heading `number`."""
        title = f"Card {number}"
        body = f"What card {number} holds was written down by hand in the reading room.\n"
        text = f"* {title}\n{body}"
        path = self.path(number)
        return ProseHeading(
            key=f"{path}#{title}#1", ident=None, path=path, outline=(title,), nth=1, title=title,
            line=1 + 2 * (number % A_FILE), offset=120 * (number % A_FILE), text=text,
            text_hash=digest(text), body_hash=digest(body), evidence_date="2024-05-06",
        )  # fmt: skip

    def quote(self, number: int) -> str:
        """Return a sentence that heading `number` holds."""
        return f"What card {number} holds was written down by hand"

    def written(self, chance: random.Random, fresh: str) -> Written:
        """Return a statement whose entity is one of all, and whose value is new half the time."""
        value = fresh if chance.random() < 0.5 else f"thing {chance.randrange(self.size)}"
        return Written(
            entity=f"entity {chance.randrange(max(1, self.size // 4))}",
            relation=chance.choice(RELATIONS), value=value,
        )  # fmt: skip

    def changes(self) -> Iterator[Change]:
        """Yield the shelf as changes of some fifty thousand facts, files whole."""
        chance = random.Random(self.seed)
        a_change = A_CHANGE // A_HEADING // A_FILE * A_FILE
        for first in range(0, self.headings, a_change):
            numbers = range(first, min(first + a_change, self.headings))
            headings = tuple(self.heading(number) for number in numbers)
            readings = tuple(
                Reading(
                    heading=heading.key,
                    written=self.written(chance, f"new {number}.{n}"),
                    quote=f"card {number} line {n}", start=heading.offset + n,
                    end=heading.offset + n + 9, provenance=Provenance.EXTRACTED,
                )
                for number, heading in zip(numbers, headings, strict=True)
                for n in range(A_HEADING)
            )  # fmt: skip
            yield Change(
                paths=tuple(sorted({self.path(number) for number in numbers})),
                headings=headings, readings=readings, seen_at="2026-01-01T00:00:00.000000Z",
            )  # fmt: skip

    def fill(self, store: Store) -> Store:
        """Put the whole shelf into `store`."""
        for change in self.changes():
            store.apply(change)
        return store

    def candidates(self, count: int) -> list[Candidate]:
        """Return candidates that no shelf of this size knows, each grounded in a heading."""
        chance = random.Random(self.size + 7)
        found = []
        for number in range(count):
            at = chance.randrange(self.headings)
            written = self.written(chance, f"come {number}")
            found.append(
                Candidate(
                    written=Written(
                        entity=written.entity, relation=f"told-{number % 50}", value=written.value
                    ),
                    grounding=Grounding(
                        heading=self.heading(at).key, quote=self.quote(at),
                        evidence_date="2024-05-06",
                    ),
                    proposer=Provenance.PROPOSED,
                )
            )  # fmt: skip
        return found


def open_store(path: Path) -> Store:
    """Open a store without declarations at `path`."""
    from symbolic.records import Declarations

    return Store.open(path, declarations=Declarations(), rows=())


def admit_line(candidate: Candidate, number: int) -> Line:
    """Return the journal line that admits `candidate`, as the writer would make it."""
    written, grounding = candidate.written, candidate.grounding
    body: dict[str, object] = {
        "proposal": digest("proposal", str(number))[:16],
        "statement": {
            "entity": written.entity, "relation": written.relation, "value": written.value,
        },
        "key": grounding.heading, "quote": grounding.quote,
        "evidence_date": grounding.evidence_date, "provenance": candidate.proposer.value,
        "rule": "auto", "min_sources": 1, "shown": None, "outcome": "admitted", "conflicts": [],
    }  # fmt: skip
    return Line(
        dev="bench", run="r1", seq=number, at=f"2026-02-01T00:{number // 6000 % 60:02}:"
        f"{number // 100 % 60:02}.{number % 100:06}Z", seen={}, by="program:admit", kind="admit",
        body=body, hash=digest("line", str(number)), prev=digest("line", str(number - 1)),
        path="system/journal/bench/2026-02.jsonl", lineno=number,
    )  # fmt: skip
