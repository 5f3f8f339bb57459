"""S12: an entity is its normalised name, not what it resembles; only approved aliases join."""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, entity, paths

SPELLINGS = {
    "09": "HTN planner", "12": "htn-planner", "15": "HTN_planner", "19": "Htn  Planner",
}  # fmt: skip


@pytest.fixture
def log(memex: Memex) -> Memex:
    """Four mentions over ten hours, and one of the expansion."""
    for hour, spelling in SPELLINGS.items():
        memex.write(
            f"{hour}.org",
            f"* At {hour}\n[2024-03-05 Tue {hour}:00]\nThe {spelling} solves Blocks World.\n",
        )
    return memex.write(
        "long.org",
        "* Long\n[2024-03-05 Tue 20:00]\nHierarchical task network planner solves Blocks World.\n",
    )


def mention(hour: str) -> str:
    return candidate(
        SPELLINGS[hour], "solves", "Blocks World", f"{SPELLINGS[hour]} solves Blocks World",
        path=f"{hour}.org", outline=[f"At {hour}"],
    )  # fmt: skip


LONG = candidate(
    "hierarchical task network planner", "solves", "Blocks World",
    "Hierarchical task network planner solves Blocks World", path="long.org", outline=["Long"],
)  # fmt: skip


def test_s12_four_mentions_of_one_acronym_are_one_entity(log: Memex) -> None:
    log.begin()
    assert log.take("".join(mention(hour) for hour in SPELLINGS)) == [
        "admitted", "duplicate", "duplicate", "duplicate",
    ]  # fmt: skip
    fact = log.fact('? solves "Blocks World"')
    assert paths(fact) == [f"{hour}.org" for hour in SPELLINGS]
    for spelling in SPELLINGS.values():
        assert log.query(f'"{spelling}" ? ?').only["id"] == fact["id"]


def test_s12_the_order_of_mentions_does_not_choose_the_entity(log: Memex) -> None:
    one, other = log.twin("one").begin(), log.twin("other").begin()
    for hour in SPELLINGS:
        one.take(mention(hour))
    for hour in reversed(SPELLINGS):
        other.take(mention(hour))
    assert one.digest() == other.digest()


def test_s12_another_expansion_stays_apart_until_an_alias_is_approved(log: Memex) -> None:
    log.begin()
    log.take(mention("09") + LONG)
    assert len(log.query('? solves "Blocks World"').facts) == 2

    alias = entity("PROPOSED HTN planner", '"hierarchical task network planner"')
    log.ontology("#+TODO: PROPOSED | APPROVED DENIED\n" + alias).sync()
    assert len(log.query('? solves "Blocks World"').facts) == 2, "nobody has approved it"

    log.edit("system/ontology.org", "* PROPOSED", "* APPROVED").sync()
    assert paths(log.fact('? solves "Blocks World"')) == ["09.org", "long.org"]

    log.edit("system/ontology.org", "* APPROVED", "* DENIED").sync()
    assert len(log.query('? solves "Blocks World"').facts) == 2, "and it can be taken back"


@pytest.mark.parametrize("other", ["HTNs planner", "HT N planner", "HTN-planer", "HTN planner 2"])
def test_s12_a_name_that_is_only_near_is_another_entity(log: Memex, other: str) -> None:
    log.write("near.org", f"* Near\nThe {other} solves Blocks World.\n").begin()
    near = candidate(
        other, "solves", "Blocks World", f"{other} solves Blocks World", path="near.org",
        outline=["Near"],
    )  # fmt: skip
    assert log.take(mention("09") + near) == ["admitted", "admitted"]


def test_s12_an_alias_that_names_two_things_is_refused_with_both_lines(log: Memex) -> None:
    log.ontology(entity("HTN planner", "htn") + entity("Hotel Tirana", "HTN")).init()
    ran = log.run("sync").expect(1)
    ran.names("system/ontology.org:4", "line 9", "HTN")
