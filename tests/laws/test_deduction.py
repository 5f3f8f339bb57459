"""The store's deduction after any change is what the reference derives from the whole.

Facts, spells, declarations, rule texts, refusals and the zone change in any order, with a cap of 1,
2 and 8 supports a head; now and then a change is killed on its way.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from random import Random

import pytest

from symbolic.canon import MEMBER
from symbolic.deduced import Triple
from symbolic.deduction import engine
from symbolic.model.world import World, fold
from symbolic.records import (
    Declarations,
    Line,
    ProseHeading,
    Reading,
    RelationDecl,
    RuleFile,
    Value,
    Written,
)
from symbolic.store.store import Store
from symbolic.world import Change, Inputs
from tests.laws.rules_programs import PLAIN, SPELLED, TIMED, UNTIMED, Shape, draw
from tests.symbolic.build import reject, retract, undo

pytestmark = pytest.mark.law

MANY = {"laws": 20, "chew": 8}.get(os.environ.get("HYPOTHESIS_PROFILE", ""), 1)
"""How many times as many histories a long run takes, and a fault that a short one let pass."""
STEPS = 7


class Killed(Exception):
    """The end of a process, as far as a transaction can tell."""


@dataclass(slots=True)
class Now:
    """What has been given to the store so far."""

    headings: tuple[ProseHeading, ...]
    readings: tuple[Reading, ...]
    lines: tuple[Line, ...]
    rules: tuple[RuleFile, ...]
    declarations: Declarations
    zone: str

    def world(self, rows: Inputs) -> World:
        """Return one fold of it all."""
        return fold(Inputs(
            headings=self.headings, readings=self.readings, lines=self.lines, rows=rows.rows,
            declarations=self.declarations, zone=self.zone, rules=self.rules,
        ))  # fmt: skip


class History:
    """A store that changes step by step, and what it was told."""

    def __init__(self, seed: int, shape: Shape) -> None:
        self.random = Random(seed)
        self.inputs = draw(seed, shape).inputs
        self.other = draw(seed + 10_000, shape).inputs
        every = self.inputs
        self.now = Now(
            every.headings, every.readings, every.lines, every.rules, every.declarations,
            every.zone,
        )  # fmt: skip
        self.store = Store.memory(
            declarations=every.declarations, rows=every.rows, zone=every.zone
        )
        self.apply(Change(
            headings=every.headings, readings=every.readings, lines=every.lines, rules=every.rules,
        ))  # fmt: skip

    def apply(self, change: Change) -> None:
        """Apply a change; one in five is killed first and begun again."""
        if self.random.random() < 0.2:
            self.kill(change)
        self.store.apply(change)

    def kill(self, change: Change) -> None:
        """Let a change fail when all but its commit is done."""

        def die(*_: object) -> None:
            raise Killed

        save, self.store._save = self.store._save, die  # type: ignore[method-assign, assignment]
        with pytest.raises(Killed):
            self.store.apply(change)
        self.store._save = save  # type: ignore[method-assign]

    def step(self) -> None:
        """Change something."""
        steps = (self.prose, self.prose, self.prose, self.rules, self.words, self.refuse,
                 self.withdraw, self.take_back, self.move)  # fmt: skip
        self.random.choice(steps)()

    def prose(self) -> None:
        """Leave out some headings, or bring them back."""
        gone = set(self.random.sample(range(len(self.inputs.headings)), k=self.random.choice((
            0, 1, 1, 2, 4
        )) % (len(self.inputs.headings) + 1)))  # fmt: skip
        kept = [h for n, h in enumerate(self.inputs.headings) if n not in gone]
        keys = {h.key for h in kept}
        self.now.headings = tuple(kept)
        self.now.readings = tuple(r for r in self.inputs.readings if r.heading in keys)
        self.apply(Change(
            paths=("a.org",), headings=self.now.headings, readings=self.now.readings,
        ))  # fmt: skip

    def rules(self) -> None:
        """Take rules out, bring them back, or take those of another program."""
        lines = [
            line for source in (self.inputs, self.other) for file in source.rules
            for line in file.text.splitlines() if line
        ]  # fmt: skip
        mine = lines[: len(self.inputs.rules[0].text.splitlines())]
        chosen = self.random.choice((mine, mine, lines))
        picked = [line for line in chosen if self.random.random() < 0.8]
        text = "\n".join(["% a comment", *picked, ""])
        self.now.rules = (RuleFile(name="drawn.dl", text=text),)
        self.apply(Change(rules=self.now.rules))

    def words(self) -> None:
        """Declare a property, or no longer."""
        relations = dict(self.inputs.declarations.relations)
        name = self.random.choice((*PLAIN, *relations))
        old = relations.get(name, RelationDecl(name=name, written=name))
        properties = (
            {"transitive": not old.transitive}, {"symmetric": not old.symmetric}, {"policy": None},
            {"functional": not old.functional},
        )  # fmt: skip
        if name != MEMBER:
            relations[name] = replace(old, **self.random.choice(properties))
        self.now.declarations = replace(self.inputs.declarations, relations=relations)
        self.apply(Change(declarations=self.now.declarations))

    def move(self) -> None:
        """Compare dates in another zone."""
        self.now.zone = self.random.choice(("UTC", "Europe/Berlin", "Asia/Tokyo"))
        self.apply(Change(zone=self.now.zone))

    def refuse(self) -> None:
        """Refuse something deduced, wherever it comes from."""
        found = list(self.store.deduced())
        if found:
            said = written(self.random.choice(found).triple)
            self.say(reject(said, "*", at=self.clock(), scope="everywhere"))

    def withdraw(self) -> None:
        """Withdraw a fact."""
        found = [f for f in self.store.facts() if f.live]
        if found:
            said = self.random.choice(found).live[0]
            self.say(retract(said.written, [said.heading or "*"], at=self.clock()))

    def take_back(self) -> None:
        """Undo a decision."""
        if self.now.lines:
            self.say(undo(self.random.choice(self.now.lines).hash, at=self.clock()))

    def clock(self) -> int:
        """Return a time after all lines."""
        return len(self.now.lines) + 100

    def say(self, line: Line) -> None:
        """Add a line to the journal."""
        self.now.lines = (*self.now.lines, line)
        self.apply(Change(lines=(line,)))

    def compare(self) -> None:
        """The store says what the reference says, and keeps only supports that it lists."""
        world = self.now.world(self.inputs)
        mine = {one.triple: one for one in self.store.deduced()}
        assert mine == {one.triple: one for one in world.deduced()}
        assert set(self.store.conflicts()) == set(world.conflicts())
        for triple in mine:
            fid = triple.statement().fid
            kept = self.store.supports(fid)
            assert kept and set(kept) <= set(world.supports(fid)), triple


def written(triple: Triple) -> Written:
    """Return a deduced triple as a person would write it."""
    value = triple.value
    return Written(
        entity=triple.entity.canon, relation=triple.relation.canon, value=value.canon,
        entity_kind=triple.entity.kind.value, polarity=triple.polarity,
        kind=value.kind.value if isinstance(value, Value) else None,
    )  # fmt: skip


@pytest.mark.parametrize("shape", [UNTIMED, TIMED, SPELLED], ids=["untimed", "timed", "spelled"])
def test_deduction_after_any_change_is_that_of_the_whole(
    shape: Shape, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Incremental equals recomputation, whatever changed and however few supports are kept."""
    for seed in range(12 * MANY):
        monkeypatch.setattr(engine, "CAP", (8, 1, 2)[seed % 3])
        history = History(seed, shape)
        history.compare()
        for _ in range(STEPS):
            history.step()
            history.compare()

