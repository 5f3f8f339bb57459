"""S5: polarity is part of what a statement is; the relation's policy decides what follows."""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, relation

ALLOWED = candidate(
    "deployment", "allowed-on", "Friday", "Deployment is allowed on Friday", path="rules.org",
    outline=["Old rule"],
)  # fmt: skip
FORBIDDEN = candidate(
    "deployment", "allowed-on", "Friday", "Deployment is not allowed on Friday", path="rules.org",
    outline=["New rule"], polarity="negative",
)  # fmt: skip
BOTH = ["deployment allowed-on Friday", "deployment not allowed-on Friday"]


@pytest.fixture
def rules(memex: Memex) -> Memex:
    return memex.write(
        "rules.org",
        """
        * Old rule
        [2023-02-01 Wed]
        Deployment is allowed on Friday.
        * New rule
        [2024-02-01 Thu]
        Deployment is not allowed on Friday.
        """,
    )


def test_s5_a_denial_is_another_fact_and_both_are_in_contradictions(rules: Memex) -> None:
    """Coexistent, the default: both stand, each names the other."""
    rules.begin()
    assert rules.take(ALLOWED) == ["admitted"]
    assert rules.take(FORBIDDEN) == ["flagged"], "no duplicate"
    no, yes = sorted(rules.query("deployment ? ?", "--all").facts, key=lambda f: f["polarity"])
    assert yes["contradicted_by"] == [no["id"]] and no["contradicted_by"] == [yes["id"]]
    assert "disputed" in yes["labels"] and "disputed" in no["labels"]
    assert rules.conflicts() == [BOTH]


def test_s5_exclusive_refuses_the_denial(rules: Memex) -> None:
    rules.ontology(relation("allowed-on", policy="exclusive")).begin()
    [line] = rules.propose(ALLOWED)
    rules.admit(line["proposal"])
    assert rules.take(FORBIDDEN, code=4) == ["blocked"]
    assert rules.current("deployment ? ?", "--all") == [BOTH[0]]


def test_s5_exclusive_refuses_the_assertion_after_the_denial(rules: Memex) -> None:
    rules.ontology(relation("allowed-on", policy="exclusive")).begin()
    [line] = rules.propose(FORBIDDEN)
    rules.admit(line["proposal"])
    assert rules.take(ALLOWED, code=4) == ["blocked"]
    assert rules.current("deployment ? ?", "--all") == [BOTH[1]]


@pytest.mark.parametrize("turned", [False, True], ids=["old rule first", "new rule first"])
def test_s5_temporal_ends_the_spell_of_the_value_denied(rules: Memex, turned: bool) -> None:
    rules.ontology(relation("allowed-on", policy="temporal")).begin()
    order = (FORBIDDEN, ALLOWED) if turned else (ALLOWED, FORBIDDEN)
    outcomes = [rules.take(line) for line in order]
    last = "superseded-on-arrival" if turned else "superseding"
    assert outcomes == [["admitted"], [last]]
    assert rules.history("deployment") == [
        "deployment allowed-on Friday [2023-02-01, 2024-02-01)",
        "deployment not allowed-on Friday [2024-02-01, …)",
    ]
    assert rules.conflicts() == []
    assert rules.query("deployment allowed-on Friday").status == "absent"
    assert rules.query("deployment allowed-on Friday", "--at", "2023-06").status == "verified"


def test_s5_the_answer_to_a_denied_question_is_absent_and_to_an_unknown_one_unverified(
    rules: Memex,
) -> None:
    rules.begin().take(FORBIDDEN)
    assert rules.query("deployment allowed-on Friday").status == "absent"
    assert rules.query("deployment allowed-on Monday").status == "unverified"
    denied = rules.query("(:entity :deployment :relation :allowed-on :value :friday :not t)")
    assert denied.status == "verified"


def test_s5_two_denials_never_conflict(rules: Memex) -> None:
    """A functional relation has one value; it may be denied of many."""
    rules.ontology(relation("capital", functional="t", policy="exclusive")).begin()
    for value in ("Oslo", "Bergen"):
        rules.declare(f'(:entity "Sweden" :relation :capital :value "{value}" :not t)')
    rules.declare('(:entity "Sweden" :relation :capital :value "Stockholm")')
    assert len(rules.current("Sweden capital ?", "--all")) == 3
    assert rules.conflicts() == []


def test_s5_a_rejected_assertion_says_nothing_about_its_denial(rules: Memex) -> None:
    rules.begin()
    [line] = rules.propose(ALLOWED)
    rules.decide("reject", line["proposal"])
    assert rules.take(FORBIDDEN) == ["admitted"]
