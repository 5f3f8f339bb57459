"""S14: names in any script stay what they are; NFC and NFD are one, in names and in paths."""

from __future__ import annotations

import unicodedata
from itertools import combinations

import pytest

from tests.cli import Memex, candidate, paths

NAMES = [
    "林小雨", "林小雪", "성춘향", "성춘행", "Вера Лапина", "Вера Лапин", "Ѐлена", "Елена",
    "东京 Tower", "東京 Tower", "Άρης", "עדה", "عادل", "ada", "аda", "C", "C++", "C#", "+", "#",
    "🙂", "🙃", "Åse", "Ase", "ﬁ", "Ⅷ", "ı", "i",
]  # fmt: skip
"""Pairwise distinct: some look alike (Latin a, Cyrillic а), some differ by a sign."""

MARKED = ["Åse Nørgård", "Łukasz Śliwiński", "성춘향", "Ёлка", "Dvořák", "ποίηση", "ガラス"]


def test_s14_distinct_names_stay_distinct_and_none_is_empty(memex: Memex) -> None:
    memex.begin()
    for number, name in enumerate(NAMES):
        memex.declare(f'(:entity "{name}" :relation :number :value {1000 + number})')
    facts = memex.query("? number ?").facts
    assert {fact["entity"]: fact["value"] for fact in facts} == {
        name: str(1000 + number) for number, name in enumerate(NAMES)
    }
    for number, name in enumerate(NAMES):
        assert memex.query(f'"{name}" number ?x').only["value"] == str(1000 + number)


def test_s14_near_names_are_pairwise_different_values(memex: Memex) -> None:
    memex.begin()
    for one, other in combinations(NAMES[:10], 2):
        memex.declare(f'(:entity "{one}" :relation :is-not :value "{other}")')
    assert len(memex.query("? is-not ?").facts) == 45


@pytest.mark.parametrize("name", MARKED)
def test_s14_nfc_and_nfd_are_one_name(memex: Memex, name: str) -> None:
    composed, split = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    if composed == split:
        pytest.fail(f"{name} has one form only: a bad example")
    for number, form in enumerate((composed, split)):
        memex.write(f"n{number}.org", f"* Note {number}\n{form} wrote Poem.\n")
    memex.begin()
    both = "".join(
        candidate(form, "wrote", "Poem", f"{form} wrote Poem", path=f"n{number}.org",
                  outline=[f"Note {number}"])
        for number, form in enumerate((composed, split))
    )  # fmt: skip
    assert memex.take(both) == ["admitted", "duplicate"]
    fact = memex.fact(f'"{split}" wrote ?')
    assert paths(fact) == ["n0.org", "n1.org"]
    assert memex.fact(f'"{composed}" wrote ?')["id"] == fact["id"]


@pytest.mark.parametrize("name", MARKED)
def test_s14_a_quote_in_one_form_stands_in_a_text_of_the_other(memex: Memex, name: str) -> None:
    composed, split = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    memex.write("note.org", f"* Note\nHere {split} wrote Poem.\n").begin()
    line = candidate(
        composed, "wrote", "Poem", f"{composed} wrote Poem", path="note.org", outline=["Note"]
    )
    assert memex.take(line) == ["admitted"]


@pytest.mark.parametrize("name", MARKED)
def test_s14_a_file_is_one_record_whatever_form_its_name_has(memex: Memex, name: str) -> None:
    composed, split = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    memex.write(f"{split}.org", "* Note\n- colour :: green\nAda wrote Poem.\n").begin()
    line = candidate(
        "Ada", "wrote", "Poem", "Ada wrote Poem", path=f"{composed}.org", outline=["Note"]
    )
    assert memex.take(line) == ["admitted"]
    before, lines = memex.query("? ? ?", "--all").says, memex.journal_bytes()

    memex.move(f"{split}.org", f"{composed}.org")
    body = memex.sync()
    assert body["anchors"] == [] and memex.journal_bytes() == lines, "another machine, one file"
    assert memex.query("? ? ?", "--all").says == before
    assert paths(memex.fact("Ada wrote ?")) == [f"{composed}.org"]
    assert memex.rebuild()["result"] == "equal"


def test_s14_both_forms_in_one_folder_are_not_mixed_up_in_silence(memex: Memex) -> None:
    """Two files whose names are one: which one is read is said, the other is named."""
    composed, split = (unicodedata.normalize(form, "Åse") for form in ("NFC", "NFD"))
    memex.write(f"{composed}.org", "* One\n- colour :: green\n")
    memex.write(f"{split}.org", "* Two\n- colour :: red\n")
    if len(memex.snapshot()) < 2:
        pytest.skip("this file system takes both names for one")
    memex.init()
    ran = memex.run("sync", "--json")
    body = ran.expect(0, 1).one
    said = [*body["files"]["skipped"], *body["problems"]]
    assert len(memex.query("? colour ?").facts) == 1
    assert any("Åse.org" in unicodedata.normalize("NFC", str(one["path"])) for one in said)


def test_s14_titles_in_any_script_are_subjects_and_keys(memex: Memex) -> None:
    memex.write("世界.org", "* 林小雨\n- город :: 成都\n* 성춘향\n- город :: 남원\n").begin()
    assert memex.current("林小雨 город ?") == ["林小雨 город 成都"]
    assert memex.current("성춘향 город ?") == ["성춘향 город 남원"]
    [grounding] = memex.fact("林小雨 город ?")["groundings"]
    assert (grounding["heading"], grounding["path"], grounding["line"]) == (
        "世界.org#林小雨#1", "世界.org", 2,
    )  # fmt: skip
