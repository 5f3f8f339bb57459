"""The one law while persons and the program decide: store = fold, one verdict for a candidate."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.laws import strategies as s
from tests.laws.machine import Decisions, Losses


class DecisionsMachine(Decisions, Losses):
    """Decisions of every kind; now and then a note goes and comes back."""

    @rule(pick=s.picks, section=s.sections, cut=st.booleans())
    def edit(self, pick: int, section: s.Section, cut: bool) -> None:
        """Take a heading away or put one there."""
        if cut:
            self.h.notes.drop(pick)
        else:
            self.h.notes.add("a.org", section)
        self.h.sync()


TestDecisions = pytest.mark.law(DecisionsMachine.TestCase)
