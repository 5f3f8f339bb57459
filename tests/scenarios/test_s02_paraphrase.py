"""S2: a paraphrase is the same fact once its relation is canonical and its value typed."""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, entity, paths, relation, say

SAME = {
    "passive voice, by a declared inverse": (
        relation("wrote", inverse="written-by"),
        ("Kafka", "wrote", "The Castle", {}),
        ("The Castle", "written-by", "Kafka", {}),
    ),
    "an approved alias of the relation": (
        relation("works-at", alias="employed-by"),
        ("Ines", "works-at", "Halden", {}),
        ("Ines", "employed-by", "Halden", {}),
    ),
    "an approved alias of the entity": (
        entity("Everest", '"Mount Everest" Sagarmatha'),
        ("Everest", "lies-in", "Nepal", {}),
        ("Sagarmatha", "lies-in", "Nepal", {}),
    ),
    "an approved alias of the value": (
        entity("Chengdu", "成都"),
        ("Lin", "lives-in", "Chengdu", {}),
        ("Lin", "lives-in", "成都", {}),
    ),
    "a thousands mark": (
        "",
        ("Registan", "visitors", "5000", {}),
        ("Registan", "visitors", "5,000", {}),
    ),
    "another unit": (
        relation("length", range="quantity", unit="m"),
        ("Fjord", "length", "5 km", {}),
        ("Fjord", "length", "5,000 m", {}),
    ),
    "a unit beside the value or in it": (
        "",
        ("Fjord", "length", "5000", {"unit": "m"}),
        ("Fjord", "length", "5 km", {}),
    ),
    "the other side of a symmetric relation": (
        relation("married-to", symmetric="t"),
        ("Tomas", "married-to", "Petra", {}),
        ("Petra", "married-to", "Tomas", {}),
    ),
    "layout and case of names": (
        "",
        ("Halden  Instruments", "based_in", "New York", {}),
        ("halden-instruments", "BASED-IN", "new york", {}),
    ),
    "two ways to write a day": (
        relation("opened-on", range="date"),
        ("Bridge", "opened-on", "2024-05-12", {}),
        ("Bridge", "opened-on", "12 May 2024", {}),
    ),
}
OTHER = {
    "a comma is no decimal mark": ("Jar", "holds", "1,5", "1.5", ""),
    "symbols are part of a name": ("Tidemark", "written-in", "C", "C#", ""),
    "four digits are no date without a month": ("Room", "number", "2024", "May 2024", ""),
    "an alias that waits for approval": (
        "Lin", "lives-in", "Chengdu", "成都",
        "#+TODO: PROPOSED | APPROVED DENIED\n" + entity("PROPOSED Chengdu", "成都"),
    ),
}  # fmt: skip


def told(memex: Memex, *said: tuple[str, str, str, dict[str, str]]) -> list[str]:
    """Write a dated heading for each statement and return the candidates read from them."""
    lines = []
    for number, (subject, verb, value, more) in enumerate(said):
        sentence = f"{subject} {verb} {value} {more.get('unit', '')}".strip()
        memex.write(f"note-{number}.org", f"* Note {number}\n[2024-0{number + 1}-01]\n{sentence}\n")
        lines.append(
            candidate(
                subject, verb, value, sentence, path=f"note-{number}.org",
                outline=[f"Note {number}"], confidence=f"0.{9 - number}", **more,
            )
        )
    return lines


@pytest.mark.parametrize(("declared", "one", "other"), SAME.values(), ids=SAME.keys())
@pytest.mark.parametrize("turned", [False, True], ids=["as listed", "the other way round"])
def test_s2_a_paraphrase_is_the_same_fact(
    memex: Memex,
    declared: str,
    one: tuple[str, str, str, dict[str, str]],
    other: tuple[str, str, str, dict[str, str]],
    turned: bool,
) -> None:
    first, second = told(memex, *((other, one) if turned else (one, other)))
    memex.ontology(declared).begin()
    assert memex.take(first) == ["admitted"]
    assert memex.take(second) == ["duplicate"]
    [fact] = [f for f in memex.query("? ? ?", "--all").facts if f["provenance"] == "llm-proposed"]
    assert paths(fact) == ["note-0.org", "note-1.org"]
    assert memex.conflicts() == []


@pytest.mark.parametrize(
    ("subject", "verb", "one", "other", "declared"), OTHER.values(), ids=OTHER.keys()
)
def test_s2_what_only_looks_alike_stays_apart(
    memex: Memex, subject: str, verb: str, one: str, other: str, declared: str
) -> None:
    candidates = told(memex, (subject, verb, one, {}), (subject, verb, other, {}))
    memex.ontology(declared).begin()
    assert memex.take("".join(candidates)) == ["admitted", "admitted"]
    assert len(memex.current(f'"{subject}" {verb} ?')) == 2


def test_s2_a_passive_without_a_declared_inverse_is_another_relation(memex: Memex) -> None:
    """Passive voice is read through a declaration only: nothing guesses by morphology."""
    candidates = told(
        memex, ("Kafka", "wrote", "The Castle", {}), ("The Castle", "written-by", "Kafka", {})
    )
    memex.begin()
    assert memex.take("".join(candidates)) == ["admitted", "admitted"]


def test_s2_a_paraphrase_replaces_nothing_on_a_timeline(memex: Memex) -> None:
    """Said again later in other words, a temporal fact goes on; it is not superseded by itself."""
    memex.ontology(
        relation("works-at", policy="temporal", functional="t", alias="employed-by")
        + entity("Halden Instruments", "Halden")
    )
    first, second = told(
        memex, ("Ines", "works-at", "Halden", {}), ("Ines", "employed-by", "Halden Instruments", {})
    )
    memex.begin()
    assert memex.take(first) == ["admitted"]
    assert memex.take(second) == ["duplicate"]
    fact = memex.fact("Ines works-at ?")
    assert fact["spells"] == [["2024-01-01", None]]
    assert fact["superseded_by"] is None and fact["supersedes"] == []
    assert memex.current("Ines employed-by ?") == [say(fact)]


def test_s2_an_alias_approved_later_makes_two_facts_one(memex: Memex) -> None:
    """The declaration holds for the whole history, and an id once printed still resolves."""
    first, second = told(
        memex, ("Ines", "works-at", "Halden", {}), ("Ines", "employed-by", "Halden", {})
    )
    memex.begin()
    assert memex.take(first + second) == ["admitted", "admitted"]
    ids = [fact["id"] for fact in memex.query("Ines ? Halden").facts]
    assert len(set(ids)) == 2

    memex.ontology(relation("works-at", alias="employed-by")).sync()
    fact = memex.fact("Ines ? Halden")
    assert paths(fact) == ["note-0.org", "note-1.org"]
    for old in (*ids, *(one[:8] for one in ids)):
        assert memex.run("audit", old, "--json").expect(0).one["fact"]["id"] == fact["id"]
        memex.run("why", old).expect(0).names("Ines", "Halden")
    memex.rebuild()
    gone = next(old for old in ids if old != fact["id"])
    assert memex.decide("retract", gone)["fact"]["id"] == fact["id"]
    assert memex.current("Ines ? Halden", "--all") == []
