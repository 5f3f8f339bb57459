"""What persons do to a fleet of machines: decide, each knowing what their machine knows.

The rules of a Hypothesis machine, to be mixed with what befalls the machines (`mishaps`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar

from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from bridge import human, review
from bridge.app import App
from bridge.decisions import shown as shown_of
from bridge.redact import proposed, redact
from neuro.candidates import Item
from symbolic.errors import PpError
from symbolic.records import Candidate, Grounding, Line, Provenance, Written
from symbolic.world import OPEN
from tests.laws.devices import Fleet, Machine

SECRET = "Xylophone"
"""Stands in no note: once every line that says it is redacted, no byte of it is left."""

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
    for who, what in (
        ("Ada", "Tea"), ("Ada", "Rain"), ("Bob", "Tea"), ("Bob", "Rain"), ("Ada", SECRET),
    )
)
WORDS = "* likes\n:PROPERTIES:\n:KIND: relation\n:POLICY: {}\n:FUNCTIONAL: t\n:END:\n"
POLICIES = ("coexistent", "temporal", "exclusive")

picks = st.integers(0, 1 << 16)
machines = st.integers(0, 4)


class Persons(RuleBasedStateMachine):
    """A fleet under way, and who decides on it. `done` counts what happened in all histories."""

    done: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.fleet: Fleet | None = None
        self.decided: dict[str, Line] = {}
        self.stirred = True
        """Whether anything may have happened since the fleet was at rest."""

    @property
    def f(self) -> Fleet:
        """The fleet, begun."""
        assert self.fleet is not None
        return self.fleet

    def at(self, number: int) -> Machine:
        """Return a machine picked by number, for something to happen to it."""
        self.stirred = True
        return self.f.machines[number % len(self.f.machines)]

    def did(self, what: str) -> None:
        """Note that something happened, and had an effect."""
        self.done[what] += 1
        event(what)

    def _decide(self, number: int, deed: Callable[[App], object], *, person: bool = True) -> None:
        one = self.at(number)
        with suppress(PpError), one.deciding("test", person=person) as app:
            deed(app)
            assert app._inside is not None
            for line in app._inside.written:
                if line.kind != "open":
                    self.decided[line.hash] = line
                    self.did(line.kind if line.person else f"machine's {line.kind}")

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

    @rule(number=machines, pick=picks, keep=st.none() | picks)
    def settle(self, number: int, pick: int, keep: int | None) -> None:
        """Settle a conflict: keep one member, or let all stand."""
        def deed(app: App) -> object:
            found = app.view.conflicts()
            if not found:
                return None
            one = found[pick % len(found)]
            kept = None if keep is None else one.members[keep % len(one.members)]
            return human.settle(app, one.id, keep=kept)

        self._decide(number, deed)

    @rule(number=machines, after=st.sampled_from(POLICIES))
    def say_policy(self, number: int, after: str) -> None:
        """Write the line that a verb on the ontology is to write: it is a decision like any."""
        self._decide(number, lambda app: app.append([("ontology", {
            "subject": "relation/likes", "field": "POLICY", "before": None, "after": after,
            "via": "verb", "conflicts": [],
        })]))

    @rule(number=machines, pick=picks)
    def undo(self, number: int, pick: int) -> None:
        """Take an event back, an undo or an answer as well."""
        def deed(app: App) -> object:
            events = [line.hash for line in app.view.lines() if line.person][::-1]
            return human.undo(app, events[pick % len(events)]) if events else None

        self._decide(number, deed)

    @rule(number=machines, pick=picks)
    def redact(self, number: int, pick: int) -> None:
        """Take out what a line says, of the secret if there is any."""
        def deed(app: App) -> object:
            told = [line for line in app.view.lines() if line.person and line.body]
            found = [line for line in told if SECRET in repr(line.body)] or told
            if not found:
                return None
            event = found[pick % len(found)].hash
            return redact(app, event, proposed(app.view, event).shown, None)

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

    @rule(number=machines, path=st.sampled_from(PATHS), text=st.sampled_from(TEXTS))
    def write(self, number: int, path: str, text: str) -> None:
        """Edit a note."""
        self.at(number).put(path, text.encode())

    @rule(number=machines, policy=st.sampled_from(POLICIES))
    def declare_word(self, number: int, policy: str) -> None:
        """Edit the ontology."""
        self.at(number).put("system/ontology.org", WORDS.format(policy).encode())
