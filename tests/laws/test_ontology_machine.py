"""The one law while declarations change: what was said is read anew, and store = fold."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis.stateful import rule

from symbolic.records import Written
from tests.laws import strategies as s
from tests.laws.machine import Losses, Ontology


class OntologyMachine(Ontology, Losses):
    """Declarations change under notes and decisions of every kind."""

    @rule(path=s.st.sampled_from(s.PATHS), section=s.sections)
    def write_heading(self, path: str, section: s.Section) -> None:
        """Write a new heading."""
        self.h.notes.add(path, section)
        self.h.sync()

    @rule(batch=s.batches)
    def propose_and_auto(self, batch: Sequence[s.Draft]) -> None:
        """Queue candidates and decide at once."""
        self.h.propose(batch)
        self.h.auto()

    @rule(written=s.statements())
    def declare(self, written: Written) -> None:
        """State a fact."""
        self.h.declare(written)

    @rule(pick=s.picks, keep=s.picks, what=s.picks)
    def decide(self, pick: int, keep: int, what: int) -> None:
        """Decide one thing or another."""
        (
            lambda: self.h.settle(pick, keep if keep % 3 else None),
            lambda: self.h.retract(pick, one=False),
            lambda: self.h.reject_fact(pick, everywhere=bool(keep % 2)),
            lambda: self.h.by_hand(pick),
            lambda: self.h.undo(pick),
        )[what % 5]()


TestOntology = pytest.mark.law(OntologyMachine.TestCase)
