"""S6: on a timeline what holds is decided by when things happened, not by when they were read."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.cli import Memex, candidate, relation, say, spells

WORKS = relation("works-at", policy="temporal", functional="t")
JOBS = {
    "Reine": ("2020-04-01", "Printshop"),
    "Halden": ("2022-02-14", "Halden note"),
    "Nordlys": ("2024-04-02", "Nordlys note"),
}


def notes(memex: Memex) -> Memex:
    for firm, (day, title) in JOBS.items():
        memex.write(f"{firm.lower()}.org", f"* {title}\n[{day}]\nInes works at {firm}.\n")
    return memex.ontology(WORKS)


def job(firm: str, since: str = "", **bounds: str) -> str:
    return candidate(
        "Ines", "works-at", firm, f"Ines works at {firm}{since}", path=f"{firm.lower()}.org",
        outline=[JOBS[firm][1]], **bounds,
    )  # fmt: skip


def state(memex: Memex) -> list[str]:
    """Return the timeline with labels and links, without what record time leaves in it."""
    by_id = {fact["id"]: say(fact) for fact in memex.query("Ines ? ?", "--all").facts}
    return [
        f"{say(fact)} {spells(fact)} {fact['labels']} "
        f"by {by_id.get(fact['superseded_by'])} of {[by_id[fid] for fid in fact['supersedes']]}"
        for fact in memex.timeline("Ines", "works-at")
    ]


def test_s6_an_older_note_read_later_does_not_supersede(memex: Memex) -> None:
    notes(memex).begin()
    assert memex.take(job("Nordlys")) == ["admitted"]
    assert memex.take(job("Halden")) == ["superseded-on-arrival"]
    assert memex.current("Ines works-at ?") == ["Ines works-at Nordlys"]
    assert state(memex) == [
        "Ines works-at Halden [2022-02-14, 2024-04-02) ['past', 'superseded'] "
        "by Ines works-at Nordlys of []",
        "Ines works-at Nordlys [2024-04-02, …) ['current'] by None of ['Ines works-at Halden']",
    ]
    assert memex.conflicts() == []


@pytest.mark.parametrize("stated", [False, True], ids=["evidence dates", "stated starts"])
def test_s6_every_order_of_arrival_gives_the_same_state_to_the_byte(
    memex: Memex, stated: bool
) -> None:
    notes(memex)
    seen = set()
    for number, order in enumerate(permutations(JOBS)):
        one = memex.twin(f"order-{number}").begin()
        for firm in order:
            bounds = {"valid_from": JOBS[firm][0][:7]} if stated else {}
            assert one.take(job(firm, **bounds)) in (
                ["admitted"], ["superseding"], ["superseded-on-arrival"],
            )  # fmt: skip
        seen.add((one.digest(), "\n".join(state(one))))
    assert len(seen) == 1


def test_s6_one_batch_gives_the_same_state_as_one_at_a_time(memex: Memex) -> None:
    one, whole = notes(memex).twin("single").begin(), memex.twin("whole").begin()
    for firm in JOBS:
        one.take(job(firm))
    whole.take("".join(job(firm) for firm in JOBS))
    assert one.digest() == whole.digest()


def test_s6_a_value_that_comes_back_has_two_spells(memex: Memex) -> None:
    """Rome, Oslo, Rome, told by three headings in any order."""
    told = {"a": ("2020-01-01", "Rome"), "b": ("2021-01-01", "Oslo"), "c": ("2022-01-01", "Rome")}
    for name, (day, town) in told.items():
        memex.write(f"{name}.org", f"* Note {name}\n[{day}]\nIda lives in {town}.\n")
    memex.ontology(relation("lives-in", policy="temporal", functional="t"))
    digests = set()
    for number, order in enumerate(permutations(told)):
        one = memex.twin(f"order-{number}").begin()
        for name in order:
            town = told[name][1]
            one.take(
                candidate(
                    "Ida", "lives-in", town, f"Ida lives in {town}", path=f"{name}.org",
                    outline=[f"Note {name}"],
                )
            )
        assert one.fact("Ida lives-in Rome")["spells"] == [
            ["2020-01-01", "2021-01-01"], ["2022-01-01", None],
        ]  # fmt: skip
        assert one.current("Ida lives-in ?", "--at", "2021-06") == ["Ida lives-in Oslo"]
        assert one.current("Ida lives-in ?") == ["Ida lives-in Rome"]
        digests.add(one.digest())
    assert len(digests) == 1


def test_s6_two_values_of_one_day_are_a_conflict_not_a_coin_toss(memex: Memex) -> None:
    """Points that no date orders are flagged, whichever comes first."""
    memex.write(
        "day.org", "* One day\n[2024-04-02]\nInes works at Halden. Ines works at Nordlys.\n"
    ).ontology(WORKS)
    lines = [
        candidate(
            "Ines", "works-at", firm, f"Ines works at {firm}", path="day.org", outline=["One day"]
        )
        for firm in ("Halden", "Nordlys")
    ]
    digests = set()
    for number, order in enumerate(permutations(lines)):
        one = memex.twin(f"order-{number}").begin()
        assert [one.take(line) for line in order] == [["admitted"], ["flagged"]]
        assert one.conflicts() == [["Ines works-at Halden", "Ines works-at Nordlys"]]
        digests.add(one.digest())
    assert len(digests) == 1


def test_s6_a_coarser_date_that_may_be_the_same_day_is_unordered(memex: Memex) -> None:
    """A year and a day inside it: neither is before the other."""
    notes(memex).edit("halden.org", "at Halden", "at Halden from 2024 on").begin()
    assert memex.take(job("Halden", " from 2024 on", valid_from="2024")) == ["admitted"]
    assert memex.take(job("Nordlys", valid_from="2024-04-02")) == ["flagged"]
    assert len(memex.conflicts()) == 1


def test_s6_a_later_heading_moves_the_boundary_when_it_is_edited(memex: Memex) -> None:
    """Spells are computed at read: nothing written closes one."""
    notes(memex).begin().take("".join(job(firm) for firm in JOBS))
    memex.edit("nordlys.org", "2024-04-02", "2023-01-01").sync()
    assert spells(memex.fact("Ines works-at Halden")) == "[2022-02-14, 2023-01-01)"
    memex.delete("nordlys.org").sync()
    assert memex.current("Ines works-at ?") == ["Ines works-at Halden"]
