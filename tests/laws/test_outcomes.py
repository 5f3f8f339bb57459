"""The laws look where it matters: each outcome of admission is met in many histories."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from symbolic.records import Outcome
from tests.laws.test_mixed_machine import MixedMachine

HISTORIES = 40
LEAST = 0.05


class Counted(MixedMachine):
    """Histories whose outcomes are counted."""


def test_each_outcome_is_met_in_a_twentieth_of_the_histories() -> None:
    """Run histories of a fixed seed and count what both judges said in them."""
    Counted.histories = []
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Counted,
        settings=settings(
            max_examples=HISTORIES, derandomize=True, database=None, phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    met = Counter(outcome for outcomes in Counted.histories for outcome in outcomes)
    shares = {outcome.value: met[outcome.value] / len(Counted.histories) for outcome in Outcome}
    rare = {name: f"{share:.0%}" for name, share in shares.items() if share < LEAST}
    assert not rare, f"of {len(Counted.histories)} histories: {shares}"
