"""Three to five machines with one memex: whatever happens to them, they come to one world.

They decide in ignorance of one another (`persons`), files travel in any order and cut anywhere,
machines crash, die, are cloned, get old copies and snapshots back and lose their clock or their
index (`mishaps`). At the end, once all files are equal, at most three rounds of sync write
anything, D is the same everywhere and equals the one of the reference, each divergence is listed
everywhere under one id, and one answer closes it for good (`diverging`).
"""

from __future__ import annotations

import atexit
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from bridge.app import App
from bridge.reconcile import reconcile, shown
from bridge.settings import ONTOLOGY
from symbolic.journal.lines import FaultKind
from symbolic.records import Line, Standing
from tests.laws import diverging
from tests.laws.carrying import dev_of, is_chain
from tests.laws.devices import Fleet, Machine
from tests.laws.mishaps import FEWEST, Mishaps
from tests.laws.persons import POLICIES, SECRET, TEXTS, WORDS, machines, picks
from tests.laws.reference import world
from tests.laws.sides import difference, rows

HAPPENS = frozenset((
    "declare", "retract", "reject", "supersede", "settle", "ontology", "undo", "reconcile",
    "redact", "admit", "machine's admit", "machine's propose", "a divergence", "redo",
    "one file came", "a chain came torn", "a copy was put aside", "sent all", "sent chains",
    "sent prose", "lost index", "lost state", "lost torn", "died with a torn tail", "left",
    "crashed", "cloned", "put back memex and state", "put back memex", "put back state",
    "an old copy came back here", "an old copy came back everywhere", "lost its clock",
    "another month", "lost for good", "no byte is left",
))
"""What the histories of one run are made of: each of it happens."""


@cache
def begun(count: int, policy: str | None) -> Fleet:
    """Return machines that have read their files, made once for all histories."""
    words = {} if policy is None else {ONTOLOGY: WORDS.format(policy)}
    fleet = Fleet(count, {"a.org": TEXTS[0], "b.org": TEXTS[3], **words})
    atexit.register(fleet.close)
    for one in fleet.machines:
        one.sync()
    return fleet


class Devices(Mishaps):
    """Persons, mishaps and the laws."""

    def __init__(self) -> None:
        super().__init__()
        self.answered: set[str] = set()

    @initialize(
        count=st.sampled_from((FEWEST, FEWEST, 4)), policy=st.sampled_from((None, *POLICIES)),
    )
    def begin(self, count: int, policy: str | None) -> None:
        """Begin with files that are equal everywhere, and words declared or not."""
        self.fleet = begun(count, policy).copy()

    @rule(
        one=machines, other=machines, pick=picks, deeds=st.lists(st.integers(0, 5), min_size=2,
        max_size=2), rest=st.booleans(),
    )
    def contest(self, one: int, other: int, pick: int, deeds: list[int], rest: bool) -> None:
        """Let two machines that know the same decide about one fact, each in its own way."""
        if rest:
            self.declare(one, pick)
            self.come_to_rest()
        for number, deed in zip((one, other), deeds, strict=True):
            if deed < 3:
                self.withdraw(number, pick, ("retract", "reject", "everywhere")[deed])
            elif deed == 3:
                self.declare(number, pick)
            elif deed == 4:
                self.supersede(number, pick, pick + number + 1, None)
            else:
                self.admit(number, True, pick)

    @rule(number=machines, pick=picks, keep=picks, rest=st.booleans())
    def answer(self, number: int, pick: int, keep: int, rest: bool) -> None:
        """Answer a divergence that this machine lists, knowing all that there is or not."""
        if rest:
            self.come_to_rest()

        def deed(app: App) -> object:
            found = app.view.divergences()
            if not found:
                return None
            one = found[pick % len(found)]
            return reconcile(app, one.id, one.events[keep % len(one.events)], shown(one))

        self._decide(number, deed)

    @rule()
    def rest(self) -> None:
        """Come to rest in between."""
        self.come_to_rest()

    # --- the laws -------------------------------------------------------------------------------

    def come_to_rest(self) -> None:
        """Make all files equal and sync: the law of rest, one D, the reference's."""
        if not self.stirred:
            return
        rounds: list[list[Line]] = []
        # After two quiet rounds a third one would start from what the second one started from.
        while len(rounds) < 2 or rounds[-1] or rounds[-2]:
            self.f.exchange()
            rounds.append([
                line for one in self.f.machines for line in one.sync(anew=not rounds).lines
            ])
            told = [[(x.kind, dict(x.body)) for x in lines] for lines in rounds]
            assert not any(rounds[3:]), told
        first = self.f.machines[0]
        said, digest = rows(first.app.view), first.digest()
        for other in self.f.machines[1:]:
            names = (first.home.name, other.home.name)
            told_ = difference(said, rows(other.app.view), names)
            assert not told_, told_
            assert digest == other.digest()
        told_ = difference(rows(world(first)), said, ("reference", "store"))
        assert not told_, told_
        if any(line.kind == "redo" for lines in rounds for line in lines):
            self.did("redo")
        self._nothing_lost(first)
        self._no_byte_left(first)
        wrong = diverging.complaints(first.app.view)
        assert not wrong, wrong
        if first.app.view.divergences():
            self.did("a divergence")
        self.stirred = False

    def _nothing_lost(self, first: Machine) -> None:
        """Every decision is here, but what is redacted or waits for a month that nobody has."""
        here = {line.hash for line in first.lines()}
        waiting = {
            fault.file.split("/")[-2] for fault in first.app.journal.faults
            if fault.kind is FaultKind.WAITING
        }
        void = {
            event for line in first.lines() if line.kind == "redact"
            for event in line.body["events"]  # type: ignore[attr-defined]
        }
        lost = [
            line for event, line in self.decided.items()
            if event not in here | void and line.dev not in waiting
        ]
        assert not lost, [(line.kind, line.dev, line.seq) for line in lost]

    def _no_byte_left(self, first: Machine) -> None:
        """Where every line that says it is redacted, the secret is nowhere of the machine's own."""
        lines = first.lines()
        if not any(line.kind == "redact" for line in lines) or SECRET in repr(
            [dict(line.body) for line in lines if line.kind != "redo"]
        ):
            return
        self.did("no byte is left")
        was = {
            line.dev: str(line.body["was"]["dev"]) for line in lines  # type: ignore[index]
            if line.kind == "open" and line.body.get("was")
        }
        for one in self.f.machines:
            own, dev = set[str](), one.dev
            while dev is not None and dev not in own:
                own.add(dev)
                dev = was.get(dev)
            found = [
                name for name, data in one.files().items()
                if SECRET.encode() in data and not (is_chain(name) and dev_of(name) not in own)
            ]
            found += [
                path.name for path in one.state.rglob("*")
                if path.is_file() and SECRET.lower().encode() in path.read_bytes().lower()
            ]
            assert not found, (one.home.name, found)

    def answer_all(self) -> None:
        """Answer until nothing is asked; each answer closes what it answers, everywhere."""
        for turn in range(12):
            one = self.at(turn)
            found = one.app.view.divergences()
            if not found:
                return
            keep = found[0].events[turn % len(found[0].events)]
            with one.deciding("reconcile") as app:
                reconcile(app, found[0].id, keep, shown(found[0]))
            assert found[0].id not in {d.id for d in one.app.view.divergences()}
            self.answered.add(found[0].id)
            self.come_to_rest()
            for each in self.f.machines:
                assert not self.answered & {d.id for d in each.app.view.divergences()}
        assert not self.f.machines[0].app.view.divergences()

    def teardown(self) -> None:
        """End at rest, with every question answered, and with an index built anew."""
        if self.fleet is None:
            return
        try:
            if sys.exc_info()[0] is None:
                self.come_to_rest()
                self.answered.clear()
                self.answer_all()
                self.at(0).lose_index()
                self.come_to_rest()
        finally:
            self.fleet.close()


def test_a_fleet_is_cheap_enough(tmp_path: Path) -> None:
    """The machine below is of use only while a fleet is made in a moment."""
    with Fleet(2, {"a.org": TEXTS[0]}) as fleet:
        assert {f.standing for f in fleet.machines[0].app.view.facts(relation="likes")} == {
            Standing.STANDING
        }


_many = settings.default.max_examples


@pytest.mark.law
class TestDevices(Devices.TestCase):
    """The machine, and that all it knows of happens."""

    # A fleet costs eight times what a memex does; `make laws` takes the time.
    settings = settings(
        max_examples=_many if _many > 1000 else max(12, _many // 8), stateful_step_count=14
    )

    @classmethod
    def tearDownClass(cls) -> None:
        """Tell what never happened: a law that is not tried holds for nothing."""
        if cls.settings.max_examples > 1000:
            assert not HAPPENS - Devices.done.keys()

