"""The one law while notes change: store = fold through edits, moves, renames and duplicates."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis.stateful import rule

from tests.laws import strategies as s
from tests.laws.machine import Losses, Prose


class ProseMachine(Prose, Losses):
    """Notes change; a few decisions leave keys in the journal that have to be found again."""

    @rule(batch=s.batches)
    def admit(self, batch: Sequence[s.Draft]) -> None:
        """Queue candidates and admit one."""
        self.h.propose(batch)
        self.h.by_hand(0)

    @rule(pick=s.picks, queued=s.picks)
    def refuse(self, pick: int, queued: int) -> None:
        """Reject what waits, or withdraw what stands."""
        if queued % 3 == 0:
            self.h.reject_proposal(pick, everywhere=False)
        elif queued % 3 == 1:
            self.h.reject_fact(pick, everywhere=False)
        else:
            self.h.retract(pick, one=bool(queued % 2))


TestProse = pytest.mark.law(ProseMachine.TestCase)
