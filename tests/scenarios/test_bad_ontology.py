"""Bad input: an ontology file edited into nonsense is reported line by line; nothing is lost."""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, relation

GOOD = relation("born-in", policy="exclusive", functional="t")
"""Five lines, so that what is appended begins at line 7."""

MISTAKES = {
    "no such policy": (relation("likes", policy="sometimes"), "sometimes"),
    "no such kind": ("* likes\n:PROPERTIES:\n:KIND: verb\n:END:\n", "verb"),
    "no kind": ("* likes\n:PROPERTIES:\n:POLICY: temporal\n:END:\n", "KIND"),
    "an unknown property": (relation("likes", functonal="t"), "FUNCTONAL"),
    "a flag that is no flag": (relation("likes", functional="maybe"), "maybe"),
    "a bad number": (relation("likes", cardinality="many"), "many"),
    "a bad unit": (relation("likes", unit="furlongs per fortnight"), "furlongs"),
    "an open quote": (relation("likes", alias='"adores'), '"adores'),
    "commas": (relation("likes", alias="adores, loves"), "adores,"),
    "an alias of two things": (
        relation("likes", alias="adores") + relation("loves", alias="adores"), "adores",
    ),
    "the same name twice": (
        relation("likes", policy="temporal") + relation("likes", policy="exclusive"), "likes",
    ),
    "a class below itself": (
        "* a\n:PROPERTIES:\n:KIND: class\n:PARENT: b\n:END:\n"
        "* b\n:PROPERTIES:\n:KIND: class\n:PARENT: a\n:END:\n", "PARENT",
    ),
    "an odd keyword": ("#+TODO: PERHAPS | DONE\n* PERHAPS likes\n:PROPERTIES:\n"
                       ":KIND: relation\n:END:\n", "PERHAPS"),
}  # fmt: skip


def people(memex: Memex) -> Memex:
    memex.write("people.org", "* Bo\nBo was born in Bergen. Bo was born in Vardø.\n")
    memex.ontology(GOOD).begin()
    memex.declare('(:entity "Bo" :relation :born-in :value "Bergen")')
    return memex


RIVAL = candidate(
    "Bo", "born-in", "Vardø", "Bo was born in Vardø", path="people.org", outline=["Bo"]
)


@pytest.mark.parametrize(("bad", "excerpt"), MISTAKES.values(), ids=MISTAKES.keys())
def test_bad_declarations_are_named_and_their_neighbours_count(
    memex: Memex, bad: str, excerpt: str
) -> None:
    people(memex).ontology(GOOD + bad)
    ran = memex.run("sync", "--json").expect(1)
    mistakes = [p for p in ran.one["problems"] if not p.get("notice")]
    assert mistakes
    for problem in mistakes:
        assert problem["path"] == "system/ontology.org" and problem["line"] >= 7
        assert problem["excerpt"] and problem["message"] and problem["remedy"]
    assert any(excerpt in problem["excerpt"] + problem["message"] for problem in mistakes)
    assert memex.current("Bo born-in ?") == ["Bo born-in Bergen"]
    assert memex.take(RIVAL, code=4) == ["blocked"], "what reads still counts"


def test_bad_declarations_are_printed_for_a_person(memex: Memex) -> None:
    people(memex).ontology(GOOD + relation("likes", policy="sometimes"))
    memex.run("sync").expect(1).names(
        "system/ontology.org:10", "sometimes", "exclusive, temporal or coexistent"
    )


@pytest.mark.parametrize(
    "data",
    [b"\x00\x01\x02 not org at all \xff\xfe", b"", b"* " * 10_000, b"\xff" * 100,
     b"lorem ipsum dolor sit amet\n" * 50],
    ids=["binary", "emptied", "stars", "no UTF-8", "prose"],
)  # fmt: skip
def test_bad_ontology_files_lose_nothing_that_was_decided(memex: Memex, data: bytes) -> None:
    """Facts, decisions and queue outlive it; mended, the file counts as before."""
    people(memex)
    memex.propose(RIVAL)
    memex.admit_auto(code=4)
    before = memex.digest()
    memex.write("system/ontology.org", data)
    memex.run("sync").expect(0, 1)
    assert memex.current("Bo born-in ?") == ["Bo born-in Bergen"]
    memex.ontology(GOOD).sync()
    assert memex.digest() == before
    assert memex.rebuild()["result"] == "equal"


def test_bad_ontology_that_is_no_utf8_is_no_empty_ontology(memex: Memex) -> None:
    """It is named with its place; what was declared is not silently dropped."""
    people(memex)
    memex.write("system/ontology.org", GOOD.encode() + b"* F\xfcr\n")
    memex.run("sync").expect(1).names("system/ontology.org", "UTF-8")


def test_bad_ontology_removed_is_said_and_journalled(memex: Memex) -> None:
    people(memex)
    memex.delete("system/ontology.org")
    changed = memex.sync()["ontology"]
    assert {change["field"] for change in changed} >= {"POLICY", "FUNCTIONAL"}
    assert all(change["after"] in (None, [], False) for change in changed)
    assert memex.take(RIVAL) == ["admitted"], "born-in declares nothing now"
    memex.ontology(GOOD)
    assert len(memex.sync()["conflicts_opened"]) == 1, "nothing is evicted when it returns"
    assert len(memex.query("Bo born-in ?").facts) == 2


def test_bad_undo_of_a_line_read_from_the_file_is_refused(memex: Memex) -> None:
    people(memex)
    line = next(line for line in memex.journal("ontology") if line["body"]["field"] == "POLICY")
    memex.run("undo", line["hash"]).expect(4).names("system/ontology.org")
