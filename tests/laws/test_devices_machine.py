"""Three to five machines with one memex: whatever happens to them, they come to one world.

They decide in ignorance of one another, files travel in any order and cut anywhere, machines crash,
are cloned, get old copies back and lose their clock or their index. At the end, once all files are
equal, at most three rounds of sync write anything, D is the same everywhere and equals the one of
the reference, each divergence is listed everywhere under one id, and one answer closes it for good.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from bridge import human, review
from bridge.app import App
from bridge.decisions import shown as shown_of
from bridge.reconcile import reconcile, shown
from neuro.candidates import Item
from symbolic.errors import PpError
from symbolic.records import Candidate, Grounding, Line, Provenance, Standing, Written
from symbolic.world import OPEN
from tests.laws.devices import Fleet, Machine, is_chain
from tests.laws.reference import world
from tests.laws.sides import difference, rows

TEXTS = (
    "* Ada\n- likes :: Tea\n",
    "* Eve\n- likes :: Tea\n* Ada\n- likes :: Tea\n",
    "* Ada\n:PROPERTIES:\n:ID: 11111111-2222-4333-8444-555555555555\n:END:\n- likes :: Tea\n",
    "* Bob\n- likes :: Rain\n- home :: Rome\n",
    "* Nobody\n",
)
PATHS = ("a.org", "b.org")
STATEMENTS = tuple(
    f'(:entity "{who}" :relation :likes :value "{what}")'
    for who in ("Ada", "Bob") for what in ("Tea", "Rain")
)
WORDS = "* likes\n:PROPERTIES:\n:KIND: relation\n:POLICY: {}\n:FUNCTIONAL: t\n:END:\n"

picks = st.integers(0, 1 << 16)
machines = st.integers(0, 4)


class Devices(RuleBasedStateMachine):
    """A fleet under way."""

    def __init__(self) -> None:
        super().__init__()
        self.fleet: Fleet | None = None
        self.answered: set[str] = set()
        self.decided: dict[str, Line] = {}

    @property
    def f(self) -> Fleet:
        """The fleet, begun."""
        assert self.fleet is not None
        return self.fleet

    @initialize(count=st.integers(2, 3))
    def begin(self, count: int) -> None:
        """Begin with files that are equal everywhere."""
        self.fleet = Fleet(count, {"a.org": TEXTS[0], "b.org": TEXTS[3]})
        for one in self.f.machines:
            one.sync()

    def at(self, number: int) -> Machine:
        """Return a machine picked by number."""
        return self.f.machines[number % len(self.f.machines)]

    # --- what persons do ------------------------------------------------------------------------

    def _decide(self, number: int, deed: Callable[[App], object], *, person: bool = True) -> None:
        one = self.at(number)
        with suppress(PpError), one.deciding("test", person=person) as app:
            deed(app)
            assert app._inside is not None
            for line in app._inside.written:
                if line.kind != "open":
                    self.decided[line.hash] = line

    def _fact(self, app: App, pick: int) -> str | None:
        found = [f.fid for name in ("likes", "drinks") for f in app.view.facts(relation=name)]
        return found[pick % len(found)] if found else None

    @rule(number=machines, pick=picks)
    def declare(self, number: int, pick: int) -> None:
        """State a fact."""
        plist = STATEMENTS[pick % len(STATEMENTS)]
        self._decide(number, lambda app: human.declare(app, plist))

    @rule(number=machines, pick=picks, how=st.sampled_from(("retract", "reject", "everywhere")))
    def withdraw(self, number: int, pick: int, how: str) -> None:
        """Withdraw or refuse a fact."""
        def deed(app: App) -> object:
            fid = self._fact(app, pick)
            if fid is None:
                return None
            if how == "retract":
                return human.retract(app, fid, heading=None, reason=None)
            return human.reject(app, fid, everywhere=how == "everywhere", reason=None)

        self._decide(number, deed)

    @rule(number=machines, pick=picks, new=picks, since=st.sampled_from((None, None, "2024-02")))
    def supersede(self, number: int, pick: int, new: int, since: str | None) -> None:
        """Replace a fact."""
        def deed(app: App) -> object:
            fid = self._fact(app, pick)
            plist = STATEMENTS[new % len(STATEMENTS)]
            return None if fid is None else human.supersede(app, fid, plist, since)

        self._decide(number, deed)

    @rule(number=machines, pick=picks)
    def undo(self, number: int, pick: int) -> None:
        """Take an event back, an undo or an answer as well."""
        def deed(app: App) -> object:
            events = [line.hash for line in app.view.lines() if line.person][::-1]
            return human.undo(app, events[pick % len(events)]) if events else None

        self._decide(number, deed)

    @rule(number=machines, pick=picks, keep=picks)
    def answer(self, number: int, pick: int, keep: int) -> None:
        """Answer a divergence that this machine lists."""
        def deed(app: App) -> object:
            found = app.view.divergences()
            if not found:
                return None
            one = found[pick % len(found)]
            return reconcile(app, one.id, one.events[keep % len(one.events)], shown(one))

        self._decide(number, deed)

    @rule(number=machines, person=st.booleans(), pick=picks)
    def admit(self, number: int, person: bool, pick: int) -> None:
        """Propose what a heading says, and admit what waits, as a person or as the machine."""
        def propose(app: App) -> None:
            headings = [h for h in app.view.headings() if "Tea" in h.text]
            if headings:
                heading = headings[pick % len(headings)]
                review.propose(app, [Item(0, Candidate(
                    written=Written(entity="Ada", relation="drinks", value="Tea"),
                    grounding=Grounding(heading=heading.key, quote="likes :: Tea"),
                    proposer=Provenance.PROPOSED,
                ))])

        def decide(app: App) -> None:
            if not person:
                review.auto(app)
            for proposal in app.view.proposals():
                if person and proposal.state in OPEN:
                    verdict = review.judged(proposal, app.view)
                    review.by_hand(app, proposal.id, shown_of(proposal, verdict, app.view))
                    return

        self._decide(number, propose, person=False)
        self._decide(number, decide, person=person)

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

    @rule(number=machines, path=st.sampled_from(PATHS), text=st.sampled_from(TEXTS))
    def write(self, number: int, path: str, text: str) -> None:
        """Edit a note."""
        self.at(number).put(path, text.encode())

    @rule(number=machines, policy=st.sampled_from(("coexistent", "temporal", "exclusive")))
    def declare_word(self, number: int, policy: str) -> None:
        """Edit the ontology."""
        self.at(number).put("system/ontology.org", WORDS.format(policy).encode())

    # --- what machines do -----------------------------------------------------------------------

    @rule(number=machines)
    def sync(self, number: int) -> None:
        """Sync."""
        self.at(number).sync()

    @rule(source=machines, other=machines, pick=picks, cut=st.none() | st.integers(0, 4000))
    def send(self, source: int, other: int, pick: int, cut: int | None) -> None:
        """Carry one file from a machine to another, whole or its beginning."""
        one, two = self.at(source), self.at(other)
        names = sorted(one.files())
        if one is not two and names:
            number = self.f.machines.index(one), self.f.machines.index(two)
            self.f.send(*number, names[pick % len(names)], cut)

    @rule(source=machines, other=machines)
    def send_all(self, source: int, other: int) -> None:
        """Carry all files from a machine to another."""
        one, two = self.at(source), self.at(other)
        if one is not two:
            number = self.f.machines.index(one), self.f.machines.index(two)
            for name in sorted(one.files()):
                self.f.send(*number, name)

    @rule(number=machines, what=st.sampled_from(("process", "index", "state", "torn")))
    def lose(self, number: int, what: str) -> None:
        """End the process, lose the index or the state folder, tear the last line."""
        one = self.at(number)
        one.stop()
        if what == "index" and self._safe(one):
            one.lose_index()
        elif what == "state" and self._safe(one):
            one.lose_state()
        elif what == "torn" and one.app.dev is not None:
            dev = one.app.dev
            one.stop()
            for name in one.files():
                if dev in name and "conflict" not in name:
                    path = one.root / name
                    path.write_bytes(path.read_bytes() + b'{"at":"2025')

    def _safe(self, one: Machine) -> bool:
        """Return whether a machine's index holds nothing that no file holds."""
        safe = not one.app.store.behind()
        one.stop()
        return safe

    @rule(number=machines)
    def crash(self, number: int) -> None:
        """Lose the index commit of the last decision: the journal has it, the index has not."""
        one = self.at(number)
        one.app  # noqa: B018  # There is an index to lose.
        one.stop()
        kept = one.home / "kept"
        shutil.copytree(one.state, kept)
        self.declare(self.f.machines.index(one), number)
        one.stop()
        if (one.state / "device.json").exists():
            shutil.copy(one.state / "device.json", kept / "device.json")
        before = one.app.dev
        one.stop()
        shutil.rmtree(one.state)
        kept.rename(one.state)
        assert one.app.dev == before

    @rule(number=machines)
    def clone(self, number: int) -> None:
        """Copy a machine with all it has."""
        if len(self.f.machines) < 5:
            self.f.clone(self.f.machines.index(self.at(number)))

    @rule(number=machines, pick=picks, drop=st.integers(1, 3))
    def restore_copy(self, number: int, pick: int, drop: int) -> None:
        """Let an old copy of one chain come back, where every line it lacks is kept elsewhere."""
        one = self.at(number)
        names = [n for n in sorted(one.files()) if is_chain(n) and "conflict" not in n]
        if not names:
            return
        name = names[pick % len(names)]
        one.app  # noqa: B018  # What the file holds is folded before it goes.
        one.stop()
        rows = (one.root / name).read_bytes().splitlines(keepends=True)
        if len(rows) > drop:
            one.put(name, b"".join(rows[:-drop]))

    @rule(number=machines, hours=st.integers(-48, 2))
    def lose_clock(self, number: int, hours: int) -> None:
        """Set a clock back or forth."""
        one = self.at(number)
        one.clock.moment += timedelta(hours=hours)

    @rule()
    def rest(self) -> None:
        """Come to rest in between."""
        self.come_to_rest()

    # --- the laws -------------------------------------------------------------------------------

    def come_to_rest(self) -> None:
        """Make all files equal and sync: the law of rest, one D, the reference's."""
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
        for other in self.f.machines[1:]:
            names = (first.home.name, other.home.name)
            told_ = difference(rows(first.app.view), rows(other.app.view), names)
            assert not told_, told_
            assert first.digest() == other.digest()
        reference = world(first)
        told_ = difference(rows(reference), rows(first.app.view), ("reference", "store"))
        assert not told_, told_
        here = {line.hash for line in first.lines()}
        lost = [line.kind for event, line in self.decided.items() if event not in here]
        assert not lost, f"lost: {lost}"
        self._divergences(first)

    def _divergences(self, one: Machine) -> None:
        """Each is of unaware, clashing decisions of persons; what was answered is not asked."""
        for found in one.app.view.divergences():
            lines = [one.app.view.line(event) for event in found.events]
            assert len({line.dev for line in lines if line}) > 1 or self._forked(one)
            assert all(line is not None and line.person for line in lines)

    def _forked(self, one: Machine) -> bool:
        return any(len(ends) > 1 for ends in one.app.store.tips().values())

    def answer_all(self) -> None:
        """Answer until nothing is asked; each answer closes what it answers, everywhere."""
        for turn in range(12):
            one = self.f.machines[turn % len(self.f.machines)]
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
                self.f.machines[0].lose_index()
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
TestDevices = pytest.mark.law(Devices.TestCase)
# A fleet costs eight times what a memex does; `make laws` takes the time.
TestDevices.settings = settings(
    max_examples=_many if _many > 1000 else max(12, _many // 8), stateful_step_count=14
)
