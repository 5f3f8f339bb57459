"""The order law: candidates of coexistent and temporal relations may be admitted in any order.

One memex takes them as they were drawn, queued together; another takes each by itself in an order
of its own. What is known afterwards is the same, to the byte of D.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic.records import Standing, Written
from symbolic.world import OPEN
from tests.laws import strategies as s
from tests.laws.history import History

FILES = {
    "a.org": (
        s.Section("Ada", stamp="[2024-02-10]", lines=(s.SENTENCES[0],)),
        s.Section("Bo", lines=(s.SENTENCES[1],), properties=(("home", "Rome"),)),
    ),
    "2024-03-05.org": (s.Section("Plan", properties=(("employer", "Acme"),)),),
}

orders = st.lists(
    st.tuples(s.free_statements(), st.integers(0, 4)), min_size=2, max_size=6
).flatmap(lambda drawn: st.tuples(st.just(drawn), st.permutations(range(len(drawn)))))


def _admit(history: History, drafts: Sequence[s.Draft]) -> None:
    history.propose(drafts)
    for _ in drafts:
        history.by_hand(0)
    assert all(p.state not in OPEN for p in history.view.proposals())


@pytest.mark.law
@given(orders)
def test_the_order_of_admission_does_not_show(
    drawn: tuple[list[tuple[Written, int]], list[int]],
) -> None:
    """Admit the same candidates in two orders and compare D."""
    said, order = drawn
    drafts = [s.Draft(written, heading, 0) for written, heading in said]
    with History(files=FILES) as one, History(files=FILES) as other:
        _admit(one, drafts)
        for at in order:
            _admit(other, [drafts[at]])
        one.compare()
        other.compare()
        assert one.digest() == other.digest()
        for written, _ in said:
            fid = one.statement(written)
            if fid is not None:
                fact = one.view.fact(fid)
                assert fact is not None and fact.standing is Standing.STANDING
