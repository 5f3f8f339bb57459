"""S35: a superseded fact says so, by what and when; nothing presents it as current."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli import Memex, candidate, relation, say

WORKS = relation("works-at", policy="temporal", functional="t")


def by_timeline(memex: Memex) -> tuple[str, str, str]:
    """Two dated notes."""
    memex.ontology(WORKS).begin()
    for number, (day, firm) in enumerate((("2022-02-14", "Halden"), ("2024-04-02", "Nordlys"))):
        memex.write(f"n{number}.org", f"* N{number}\n[{day}]\nInes works at {firm}.\n").sync()
        memex.take(
            candidate("Ines", "works-at", firm, f"Ines works at {firm}", path=f"n{number}.org",
                      outline=[f"N{number}"])
        )  # fmt: skip
    return _both(memex, "2024-04-02")


def by_a_person_from_a_date(memex: Memex) -> tuple[str, str, str]:
    """`supersede OLD NEW --from DATE` on a timeline."""
    memex.ontology(WORKS).begin()
    memex.declare('(:entity "Ines" :relation :works-at :value "Halden" :from 2022-02)')
    plist = '(:entity "Ines" :relation :works-at :value "Nordlys")'
    memex.decide("supersede", memex.fact("Ines works-at Halden")["id"], plist, "--from", "2024-04")
    return _both(memex, "2024-04")


def by_a_person_altogether(memex: Memex) -> tuple[str, str, str]:
    """`supersede OLD NEW` where no timeline keeps the old one: it is withdrawn."""
    memex.ontology(relation("works-at", policy="exclusive", functional="t")).begin()
    done = memex.declare('(:entity "Ines" :relation :works-at :value "Halden")')
    old = done["fact"]["id"]
    new = memex.decide("supersede", old, '(:entity "Ines" :relation :works-at :value "Nordlys")')
    return old, new["fact"]["id"], ""


def _both(memex: Memex, when: str) -> tuple[str, str, str]:
    old, new = (memex.fact(f"Ines works-at {firm}")["id"] for firm in ("Halden", "Nordlys"))
    return old, new, when


Way = Callable[[Memex], tuple[str, str, str]]
WAYS: list[Way] = [by_timeline, by_a_person_from_a_date, by_a_person_altogether]
every_way = pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])


@every_way
def test_s35_asked_by_id_it_says_superseded_by_what_and_when(memex: Memex, way: Way) -> None:
    old, new, when = way(memex)
    for verb in ("audit", "why"):
        for name in (old, old[:8]):
            told = memex.run(verb, name).expect(0)
            assert "superseded" in told.said, told.said
            told.names("Nordlys", when)
    body = memex.run("audit", old, "--json").expect(0).one["fact"]
    assert body["superseded_by"] == new
    assert "superseded" in body["labels"] and "current" not in body["labels"]
    assert memex.run("audit", new, "--json").expect(0).one["fact"]["supersedes"] == [old]


@every_way
def test_s35_nothing_presents_it_as_current(memex: Memex, way: Way) -> None:
    old, _, _ = way(memex)
    assert memex.current("Ines works-at ?") == ["Ines works-at Nordlys"]
    assert memex.query("Ines works-at Halden").status != "verified"
    for fact in memex.query("? ? ?").facts:
        assert fact["id"] != old
    for fact in [*memex.query("Ines ? ?", "--all").facts, *memex.timeline("Ines")]:
        if fact["id"] == old:
            assert "current" not in fact["labels"]
    lines = memex.run("query", "Ines works-at ?", "--all").said.splitlines()
    assert not any("Halden" in line and "current" in line for line in lines)
    lines = memex.run("timeline", "Ines").said.splitlines()
    assert not any("Halden" in line and "current" in line for line in lines)


def test_s35_the_history_still_has_it(memex: Memex) -> None:
    by_timeline(memex)
    assert memex.current("Ines works-at ?", "--at", "2023") == ["Ines works-at Halden"]
    assert memex.history("Ines", "works-at") == [
        "Ines works-at Halden [2022-02-14, 2024-04-02)",
        "Ines works-at Nordlys [2024-04-02, …)",
    ]


def test_s35_it_is_current_again_when_its_successor_falls(memex: Memex) -> None:
    old, new, _ = by_timeline(memex)
    memex.decide("retract", new)
    assert memex.query("Ines works-at ?").only["id"] == old
    body = memex.run("audit", old, "--json").expect(0).one["fact"]
    assert body["superseded_by"] is None and body["labels"] == ["current"]


def test_s35_superseding_on_a_timeline_without_a_date_is_asked_for(memex: Memex) -> None:
    memex.ontology(WORKS).begin()
    old = memex.declare('(:entity "Ines" :relation :works-at :value "Halden" :from 2022-02)')
    ran = memex.run(
        "supersede", old["fact"]["id"], '(:entity "Ines" :relation :works-at :value "Nordlys")'
    )
    ran.expect(2).names("--from")
    assert [say(fact) for fact in memex.query("Ines ? ?").facts] == ["Ines works-at Halden"]


@pytest.mark.parametrize("name", ["0123456789abcdef", "12345", "nothing at all"])
def test_s35_an_id_that_names_nothing_is_said(memex: Memex, name: str) -> None:
    memex.begin()
    memex.run("audit", name).expect(2).names(name)
