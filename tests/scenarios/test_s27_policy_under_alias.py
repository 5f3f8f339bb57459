"""S27: the policy stands on the canonical relation, the facts under an alias: still a conflict.

The message shows both spellings, so that a person recognises their own words.
"""

from __future__ import annotations

from itertools import product

import pytest

from tests.cli import Memex, candidate, entity, relation

SPELLINGS = ("works-at", "employed-by", "Has_Job_At")
FIRST = {"path": "a.org", "outline": ["A"]}
SECOND = {"path": "b.org", "outline": ["B"]}


def notes(memex: Memex, policy: str, more: str = "") -> Memex:
    memex.write("a.org", "* A\nInes has a job at Halden.\n")
    memex.write("b.org", "* B\nInes has a job at Nordlys.\n")
    return memex.ontology(
        relation("works-at", policy=policy, functional="t", alias="employed-by has-job-at") + more
    ).begin()


def job(verb: str, firm: str, place: dict[str, object], who: str = "Ines") -> str:
    return candidate(who, verb, firm, f"Ines has a job at {firm}", **place)


def dial(value: str, place: dict[str, object]) -> str:
    return candidate("Barometer", "says", value, f"Barometer says {value}", **place)


@pytest.mark.parametrize(("one", "other"), list(product(SPELLINGS, SPELLINGS)))
def test_s27_exclusive_refuses_whatever_the_spelling(memex: Memex, one: str, other: str) -> None:
    notes(memex, "exclusive")
    [line] = memex.propose(job(one, "Halden", FIRST))
    memex.admit(line["proposal"])
    memex.propose(job(other, "Nordlys", SECOND))
    told = memex.run("admit", "--auto").expect(4)
    told.names("blocked", one, other, "Halden", "Nordlys")
    assert memex.current("Ines works-at ?", "--all") != []
    assert len(memex.query("Ines ? ?", "--all").facts) == 1


def test_s27_coexistent_lists_both_spellings_in_contradictions(memex: Memex) -> None:
    notes(memex, "coexistent")
    assert memex.take(job("works-at", "Halden", FIRST)) == ["admitted"]
    assert memex.take(job("employed-by", "Nordlys", SECOND)) == ["flagged"]
    memex.run("contradictions").expect(1).names("works-at", "employed-by", "Halden", "Nordlys")


def test_s27_an_alias_approved_later_finds_the_conflict_and_evicts_nothing(memex: Memex) -> None:
    notes(memex, "exclusive")
    memex.ontology(relation("works-at", policy="exclusive", functional="t")).sync()
    [line] = memex.propose(job("works-at", "Halden", FIRST))
    memex.admit(line["proposal"])
    assert memex.take(job("employed-by", "Nordlys", SECOND)) == ["admitted"]

    memex.ontology(
        relation("works-at", policy="exclusive", functional="t", alias="employed-by")
    )
    assert len(memex.sync()["conflicts_opened"]) == 1
    assert len(memex.query("Ines ? ?", "--all").facts) == 2, "nothing standing is evicted"
    memex.run("contradictions").expect(1).names("works-at", "employed-by")


def test_s27_opposites_under_aliases(memex: Memex) -> None:
    memex.write("a.org", "* A\nTomas adores herring.\n")
    memex.write("b.org", "* B\nTomas loathes herring.\n")
    memex.ontology(
        relation("likes", policy="exclusive", opposite="hates", alias="adores")
        + relation("hates", policy="exclusive", opposite="likes", alias="loathes")
    ).begin()
    [line] = memex.propose(candidate("Tomas", "adores", "herring", "Tomas adores herring", **FIRST))
    memex.admit(line["proposal"])
    memex.propose(candidate("Tomas", "loathes", "herring", "Tomas loathes herring", **SECOND))
    memex.run("admit", "--auto").expect(4).names("adores", "loathes")


def test_s27_an_entity_under_its_alias(memex: Memex) -> None:
    memex.write("c.org", "* C\nIrma has a job at Nordlys.\n")
    notes(memex, "exclusive", entity("Ines Varga", "Ines Irma"))
    [line] = memex.propose(job("works-at", "Halden", FIRST))
    memex.admit(line["proposal"])
    memex.propose(
        candidate("Irma", "works-at", "Nordlys", "Irma has a job at Nordlys", path="c.org",
                  outline=["C"])
    )  # fmt: skip
    memex.run("admit", "--auto").expect(4).names("Irma", "Ines")


def test_s27_a_policy_of_the_class_under_a_class_alias(memex: Memex) -> None:
    """The entity's class has the policy; the fact that says so names the class by its alias."""
    memex.write("a.org", "* A\nThe dial of Barometer says Halden.\n")
    memex.write("b.org", "* B\nThe dial of Barometer says Nordlys.\n")
    memex.ontology(
        relation("says", functional="t")
        + "* instrument\n:PROPERTIES:\n:KIND: class\n:POLICY: exclusive\n:ALIAS: gauge\n:END:\n"
    ).begin()
    memex.declare('(:entity "Barometer" :relation :member-of-class :value :gauge)')
    [line] = memex.propose(dial("Halden", FIRST))
    memex.admit(line["proposal"])
    assert memex.take(dial("Nordlys", SECOND), code=4) == ["blocked"]


def test_s27_what_a_model_says_of_a_class_changes_no_policy(memex: Memex) -> None:
    memex.write("a.org", "* A\nBarometer is an instrument. Barometer says Halden.\n")
    memex.write("b.org", "* B\nBarometer says Nordlys.\n")
    memex.ontology(
        relation("says", functional="t")
        + "* instrument\n:PROPERTIES:\n:KIND: class\n:POLICY: exclusive\n:END:\n"
    ).begin()
    memex.take(
        candidate("Barometer", "member-of-class", "instrument", "Barometer is an instrument",
                  **FIRST)
    )  # fmt: skip
    assert memex.take(dial("Halden", FIRST)) == ["admitted"]
    assert memex.take(dial("Nordlys", SECOND)) == ["flagged"]
