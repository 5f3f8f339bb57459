"""The transformation itself: dates keep their form, names come back, files stay what they were."""

from __future__ import annotations

import random

import pytest

from memex.headings import read_document
from memex.nodes import Document
from symbolic.names import fold
from tests.metamorphic import plan as plans
from tests.metamorphic.test_metamorphic import CANDIDATES, FILES, YEARS
from tests.metamorphic.transform import Json, Plan, Rewrite, apply, candidates


@pytest.fixture(scope="module", params=range(3))
def plan(request: pytest.FixtureRequest) -> Plan:
    """Return a random plan for the example; without a run it knows declared names and tags."""
    found = {str(line["entity"]) for line in CANDIDATES}
    return plans.make(FILES, CANDIDATES, found, YEARS, random.Random(request.param))


@pytest.mark.parametrize(("old", "new"), [
    ("[2024-03-05 Tue 09:30]", "[2013-03-05 Tue 09:30]"),
    ("<2023-01-15 Sun>", "<2012-01-15 Sun>"),
    ("2023-05-29 Monday", "2012-05-29 Tuesday"),
    ("2022-03 March", "2011-03 March"),
    ("Diary 2022", "Diary 2011"),
    ("the first of May 2023.", "the first of May 2012."),
    ("since\nMarch 2025 and", "since\nMarch 2014 and"),
    ("2025-12-31T12:00:00Z", "2014-12-31T12:00:00Z"),
    ("8848 m, 8,848 m, 5000 EUR, HX-2207, N 12", "8848 m, 8,848 m, 5000 EUR, HX-2207, N 12"),
])  # fmt: skip
def test_dates_move_and_numbers_stay(old: str, new: str) -> None:
    """Eleven years back, with the right weekday; what is no date is left alone."""
    assert Rewrite({}, YEARS)(old) == new
    assert Rewrite({}, -YEARS)(new) == old


def test_names_are_whole_and_the_longest_wins() -> None:
    """A name inside a word is none; one that wraps keeps its line break."""
    rewrite = Rewrite({"C": "Ж", "C#": "Ж++", "salt bridge": "мо ста"}, 0)
    text = "C, C#, Carl, salt\nbridge, salt bridges"
    assert rewrite(text) == "Ж, Ж++, Carl, мо\nста, salt bridges"


def test_the_bijections_stay_bijections_when_folded(plan: Plan) -> None:
    """Two names or relations fold alike if and only if the old ones do; two paths never are one."""
    for pairs in (plan.names, plan.relations):
        old, new = list(map(fold, pairs)), list(map(fold, pairs.values()))
        assert len(set(zip(old, new, strict=True))) == len(set(old)) == len(set(new))
        assert not {*old} & {*new}
    paths = set(plan.paths.values())
    assert len(paths) == len(FILES)
    assert len(set(map(fold, paths))) < len(paths), "`a_b` stands beside `a-b`"


def test_candidates_come_back(plan: Plan) -> None:
    """What a candidate says can be read back word for word."""
    back = plan.back()

    def returned(value: object) -> object:
        if isinstance(value, list):
            return [returned(part) for part in value]
        return back(value) if isinstance(value, str) else value

    for old, new in zip(CANDIDATES, candidates(plan, CANDIDATES), strict=True):
        assert {key: returned(value) for key, value in new.items()} == old


def test_files_keep_their_shape(plan: Plan) -> None:
    """Headings, levels, tags and planning stay in place; IDs go, and CRLF is all there is."""
    notes = apply(plan, FILES)
    for path, data in FILES.items():
        new = notes.files[plan.paths[path]]
        assert b":ID:" not in new and new.count(b"\n") == new.count(b"\r\n")
        assert _shape(read_document(path, data)) == _shape(read_document(path, new))
        kept = [line for line in data.decode().split("\n") if not line.startswith(":ID:")]
        assert len(notes.lines[plan.paths[path]]) == len(kept)


def _shape(document: object) -> list[Json]:
    assert isinstance(document, Document)
    return [
        {
            "level": node.level, "todo": node.todo, "tags": len(node.own_tags),
            "planned": [entry is not None for entry in (node.planning.closed,
                                                        node.planning.deadline,
                                                        node.planning.scheduled)],
            "properties": len([row for row in node.properties if row.name != "ID"]),
        }
        for node in document.nodes
    ]  # fmt: skip
