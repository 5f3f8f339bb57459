"""Questions written as rules: joins, comparison, absence, what is verified absent, counting."""

from __future__ import annotations

import pytest

from tests.cli import Json, Memex, relation

ONTOLOGY = (
    relation("works-at", policy="temporal", functional="t")
    + relation("height", range="quantity", unit="m")
    + "* memex\n:PROPERTIES:\n:KIND: domain\n:COMPLETE: owns\n:END:\n"
)
PROSE = """\
* Ada
- height :: 1.7 m
- city :: Oslo
- owns :: boat
* Bo
- height :: 180 cm
- city :: Oslo
* Cy
- height :: 2 m
- city :: Rome
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Memex:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PP_NO_MODEL", "1")
        notes = Memex(tmp_path_factory.mktemp("questions"))
        notes.write("people.org", PROSE).ontology(ONTOLOGY).begin()
        notes.declare('(:entity "Ada" :relation :works-at :value "Acme" :from "2020")')
        notes.declare('(:entity "Bo" :relation :works-at :value "Acme" :from "2022" :to "2023")')
        notes.declare('(:entity "Cy" :relation :city :value "Oslo" :not t)')
    return notes


def asked(notes: Memex, text: str, *flags: str) -> Json:
    return notes.run("query", text, *flags, "--json").expect(0).one


def rows(notes: Memex, text: str, *flags: str) -> list[str]:
    body = asked(notes, text, *flags)
    return [" ".join(answer["bindings"].values()) for answer in body["answers"]]


@pytest.mark.parametrize(("text", "found"), [
    ("city(X, 'Oslo')", ["Ada", "Bo"]),
    ("city(X, Y) & city(Z, Y) & X != Z", ["Ada Oslo Bo", "Bo Oslo Ada"]),
    ("tall(X) <= height(X, H) & H > q(175, 'cm')", ["Bo", "Cy"]),
    ("height(X, H) & H <= q(1.7, 'm')", ["Ada 1.7 m"]),
    ("works_at(X, 'Acme')", ["Ada"]),
    ("city(X, _) & ~works_at(X, _)", ["Bo", "Cy"]),
    ("p(X) <= city(X, _) & ~owns(X, _)", ["Bo", "Cy"]),
    ("denied(city, X, 'Oslo')", ["Cy"]),
    ("n(Y, count(X)) <= city(X, Y)", ["Oslo 2", "Rome 1"]),
    ("total(sum(H), min(H), max(H)) <= height(X, H)", ["5.5 m 1.7 m 2 m"]),
    ("count(Y) <= city(X, Y)", ["2"]),
])  # fmt: skip
def test_a_question_is_answered(shared: Memex, text: str, found: list[str]) -> None:
    assert rows(shared, text) == found


def test_what_holds_when(shared: Memex) -> None:
    together = "works_at(X, Z) & works_at(Y, Z) & X != Y"
    assert rows(shared, together) == []
    assert rows(shared, together, "--at", "2023-05") == ["Ada Acme Bo", "Bo Acme Ada"]
    [first, _] = asked(shared, together, "--all")["answers"]
    assert first["spells"] == [["2022-01-01", "2024-01-01"]]
    assert {fact["value"] for fact in first["facts"]} == {"Acme"}
    # A count is a timeline: one, then two, then one again.
    counts = asked(shared, "n(count(X)) <= works_at(X, 'Acme')", "--all")["answers"]
    assert [(c["bindings"]["count(X)"], c["spells"]) for c in counts] == [
        ("1", [["2020-01-01", "2022-01-01"], ["2024-01-01", None]]),
        ("2", [["2022-01-01", "2024-01-01"]]),
    ]
    assert asked(shared, together, "--at", "2024")["answers"] == []


def test_how_much_an_answer_is_worth(shared: Memex) -> None:
    assert asked(shared, "city(X, 'Oslo')")["status"] == "verified"
    assert asked(shared, "city(X, 'Paris')")["status"] == "unverified"
    assert asked(shared, "owns(X, 'plane')")["status"] == "absent"
    # That nobody says where they work is not known, only not found; what they own is complete.
    assert asked(shared, "city(X, _) & ~works_at(X, _)")["status"] == "unverified"
    assert asked(shared, "city(X, _) & ~owns(X, _)")["status"] == "verified"
    assert asked(shared, "height(X, _) & ~city(X, 'Oslo')")["status"] == "verified"
    told = shared.run("query", "city(X, _) & ~works_at(X, _)").expect(0)
    assert "not known, only not found" in told.err and told.out.endswith("unverified\n")


def test_an_org_table(shared: Memex) -> None:
    told = shared.run("query", "--org", "n(Y, count(X)) <= city(X, Y)").expect(0)
    assert told.out == (
        "| Y    | count(X) | when   |\n"
        "|------+----------+--------|\n"
        "| Oslo | 2        | always |\n"
        "| Rome | 1        | always |\n"
    )


@pytest.mark.parametrize(("text", "said"), [
    ("city(X", "',' is expected"),
    ("city(X, Y) & Z < 5", "Z in a comparison is bound by no atom"),
    ("p(Z) <= city(X, Y)", "Z is in the head"),
    ("p(mean(X)) <= city(X, Y)", "is no column"),
    ("city(X, Y). city(Y, X)", "a rule needs a body"),
    ("__import__('os')(X, Y)", "pp: "),
    ("~city(X, Y)", "bound by no atom"),
])  # fmt: skip
def test_what_cannot_be_read_is_shown(shared: Memex, text: str, said: str) -> None:
    shared.run("query", text).expect(2).names(said)


def test_patterns_are_still_patterns(shared: Memex) -> None:
    assert shared.query("Ada city ?").says == ["Ada city Oslo"]
    assert shared.query('(:entity "Ada" :relation :city)').says == ["Ada city Oslo"]
    shared.run("query", "--org", "Ada city ?").expect(2).names("--org")
