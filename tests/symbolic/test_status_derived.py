"""R23 with rules: what is deduced counts as what it rests on, and once."""

from __future__ import annotations

import pytest

from symbolic.model.world import fold
from symbolic.records import RuleFile
from symbolic.status import Status, status
from symbolic.world import Inputs
from tests.symbolic.build import admit, declare, heading, says

PAGE = heading("Hosts", "example.org is a mirror")
PROPOSED = admit(
    says("example.org", "member-of-class", "mirror", entity_kind="host"), PAGE.key,
    "example.org is a mirror",
)  # fmt: skip
DECLARED = declare(says("Ada", "member-of-class", "person"), at=2)


def counted(rules: str) -> Status:
    return status(fold(Inputs(
        headings=(PAGE,), lines=(PROPOSED, DECLARED),
        rules=(RuleFile(name="r.dl", text=rules),),
    )))  # fmt: skip


@pytest.mark.parametrize(("rules", "facts", "shares"), [
    ("", 2, (50, 50, 0)),
    # From what a model proposed: one more in all, none more that no model said.
    ("is_a(X, 'trusted-domain') <= is_a(X, mirror).", 3, (33, 67, 0)),
    ("is_a(X, agent) <= is_a(X, person).", 3, (67, 33, 0)),
    # The weakest premise counts; what is said anyway is not counted again.
    ("seen_by(X, Y) <= is_a(X, mirror) & is_a(Y, person).", 3, (33, 67, 0)),
    ("is_a(X, person) <= is_a(X, person).", 2, (50, 50, 0)),
])  # fmt: skip
def test_r23_a_deduced_fact_counts_as_what_it_rests_on(
    rules: str, facts: int, shares: tuple[int, int, int]
) -> None:
    found = counted(rules)
    assert (found.facts, found.shares) == (facts, shares)
    assert found.provenance["deduced"] == facts - 2
