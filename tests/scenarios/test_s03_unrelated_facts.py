"""S3: two facts conflict only through a declared constraint; sharing a subject is none."""

from __future__ import annotations

from itertools import product

import pytest

from tests.cli import Memex, candidate, relation

POLICIES = ("coexistent", "temporal", "exclusive")
NOTE = """
    * Audit
    [2024-03-01 Fri]
    Ines is responsible for the Audit. Ines works at Halden.
"""
PLACE = {"path": "work.org", "outline": ["Audit"]}
DUTY = candidate(
    "Ines", "responsible-for", "Audit", "Ines is responsible for the Audit", **PLACE
)
JOB = candidate("Ines", "works-at", "Halden", "Ines works at Halden", **PLACE)


@pytest.mark.parametrize(("duty", "job"), list(product(POLICIES, POLICIES)))
@pytest.mark.parametrize("turned", [False, True], ids=["duty first", "job first"])
def test_s3_facts_of_two_relations_are_both_current(
    memex: Memex, duty: str, job: str, turned: bool
) -> None:
    """Even where each relation by itself allows one value only."""
    memex.write("work.org", NOTE).ontology(
        relation("responsible-for", policy=duty, functional="t")
        + relation("works-at", policy=job, functional="t")
    ).begin()
    for line in (JOB, DUTY) if turned else (DUTY, JOB):
        [proposed] = memex.propose(line)
        verdict = memex.admit(proposed["proposal"])
        assert (verdict["outcome"], verdict["conflicts"]) == ("admitted", [])
    facts = memex.query("Ines ? ?").facts
    assert memex.current("Ines ? ?") == ["Ines responsible-for Audit", "Ines works-at Halden"]
    assert all(fact["labels"] == ["current"] for fact in facts)
    assert all(fact["contradicted_by"] == [] and not fact["superseded_by"] for fact in facts)
    assert memex.conflicts() == []


@pytest.mark.parametrize("policy", POLICIES)
def test_s3_two_values_conflict_only_if_the_relation_says_one(memex: Memex, policy: str) -> None:
    """A relation that declares no constraint is many-valued under every policy."""
    memex.write(
        "work.org",
        """
        * Hats
        [2024-03-01 Fri]
        Ines works at Halden. Ines works at Nordlys.
        """,
    ).ontology(relation("works-at", policy=policy)).begin()
    hats = {"path": "work.org", "outline": ["Hats"]}
    for value in ("Halden", "Nordlys"):
        [line] = memex.propose(
            candidate("Ines", "works-at", value, f"Ines works at {value}", **hats)
        )
        assert memex.admit(line["proposal"])["conflicts"] == []
    assert memex.current("Ines works-at ?") == ["Ines works-at Halden", "Ines works-at Nordlys"]
    assert memex.conflicts() == []


def test_s3_one_value_of_two_subjects_is_no_conflict_unless_inverse_functional(
    memex: Memex,
) -> None:
    note = """
        * Shelf
        The Castle stands at N12. Pale Fire stands at N12.
    """
    shelf = {"path": "shelf.org", "outline": ["Shelf"]}
    both = "".join(
        candidate(book, "stands-at", "N12", f"{book} stands at N12", **shelf)
        for book in ("The Castle", "Pale Fire")
    )
    memex.write("shelf.org", note).ontology(relation("stands-at", functional="t")).begin()
    assert memex.take(both) == ["admitted", "admitted"]
    assert memex.conflicts() == []

    memex.ontology(relation("stands-at", functional="t", inverse_functional="t"))
    opened = memex.sync()["conflicts_opened"]
    assert len(opened) == 1
    assert memex.conflicts() == [["Pale Fire stands-at N12", "The Castle stands-at N12"]]
