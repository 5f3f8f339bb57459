"""Two axes of time, question by question: what held then, what was known then, and both.

One history is told in three orders of arrival. What held at a day does not depend on the order in
which it was told; what was known on a day does, so those answers are written for each order.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bridge.app import App, open_app
from bridge.settings import load
from symbolic.labels import moment
from symbolic.model.world import fold
from symbolic.pattern import Pattern, parse_pattern
from symbolic.query import answer
from symbolic.tree import term_text
from tests.cli import Memex, candidate, entity, relation

ONTOLOGY = (
    relation("lives-in", policy="temporal", functional="t")
    + relation("works-at", policy="temporal", functional="t")
    + relation("plays-in", policy="temporal")
    + relation("born-in", functional="t")
    + relation("moored-at", policy="temporal")
)
MERGED = ONTOLOGY + entity("Bo", "Bobby")
PROSE = "* Ada\n[2021-03-10 Wed]\nAda lives in Rome.\n"
EVE = "* Eve\nEve was born in Bergen.\n"
"""What the heading says until it is deleted."""


def _declare(plist: str) -> Callable[[Memex, str], None]:
    def step(notes: Memex, now: str) -> None:
        notes.declare(plist, now=now)

    return step


def _take(line: str) -> Callable[[Memex, str], None]:
    def step(notes: Memex, now: str) -> None:
        [outcome] = notes.take(line, now=now)
        assert outcome in ("admitted", "superseding", "superseded-on-arrival"), outcome

    return step


def _correct(notes: Memex, now: str) -> None:
    old = notes.fact("Dora born-in Rome")["id"]
    new = '(:entity "Dora" :relation :born-in :value "Oslo")'
    notes.run("supersede", old, new, now=now).expect(0)


def _merge(notes: Memex, now: str) -> None:
    notes.ontology(MERGED).sync(now=now)


def _delete(notes: Memex, now: str) -> None:
    notes.delete("eve.org").sync(now=now)


STEPS: dict[str, Callable[[Memex, str], None]] = {
    "oslo": _declare('(:entity "Ada" :relation :lives-in :value "Oslo" :from "2019-05")'),
    "rome": _take(candidate("Ada", "lives-in", "Rome", "Ada lives in Rome", path="ada.org",
                            outline=["Ada"])),
    "back": _declare('(:entity "Ada" :relation :lives-in :value "Oslo" :from "2023")'),
    "acme": _declare('(:entity "Bo" :relation :works-at :value "Acme" :from "2020" :to "2022-06")'),
    "hooli": _declare('(:entity "Bo" :relation :works-at :value "Hooli" :from "2022-07")'),
    "initech": _declare('(:entity "Bo" :relation :works-at :value "Initech" :from "2026-01")'),
    "choir": _declare('(:entity "Cy" :relation :plays-in :value "Choir" :from "2015" :to "?")'),
    "dora": _declare('(:entity "Dora" :relation :born-in :value "Rome")'),
    "fix": _correct,
    "boat": _declare('(:entity "Bobby" :relation :owns :value "Boat" :from "2018")'),
    "merge": _merge,
    "eve": _take(candidate("Eve", "born-in", "Bergen", "Eve was born in Bergen", path="eve.org",
                           outline=["Eve"])),
    "gone": _delete,
    "ferry": _declare('(:entity "Ferry" :relation :moored-at :value "Pier"'
                      ' :from "2024-03-10T11:30:00Z" :to "2024-03-10T12:30:00Z")'),
}  # fmt: skip
ORDERS = (
    ("oslo", "rome", "back", "acme", "hooli", "initech", "choir", "dora", "fix", "boat", "merge",
     "eve", "gone", "ferry"),
    ("ferry", "eve", "gone", "boat", "merge", "dora", "fix", "choir", "initech", "hooli", "acme",
     "back", "rome", "oslo"),
    ("boat", "dora", "hooli", "oslo", "eve", "ferry", "rome", "merge", "acme", "fix", "gone",
     "choir", "back", "initech"),
)  # fmt: skip
"""Step number n of an order is taken at noon UTC of the n-th of January 2025."""

NOW = "2025-06-01T12:00:00Z"
ZONES = {"UTC": "UTC", "Apia": "Pacific/Apia", "Pago": "Pacific/Pago_Pago"}
"""The reader's: the memex's is UTC, Apia is 13 hours before it, Pago Pago 11 behind."""

SHEET = """
Ada lives-in ? | 2018 | - | UTC | -
Ada lives-in ? | 2019-05-01 | - | UTC | Oslo
Ada lives-in ? | 2019-06 | - | UTC | Oslo
Ada lives-in ? | 2020 | - | UTC | Oslo
Ada lives-in ? | 2021-03-09 | - | UTC | Oslo
Ada lives-in ? | 2021-03-10 | - | UTC | Rome
Ada lives-in ? | 2021-03-11 | - | UTC | Rome
Ada lives-in ? | 2022 | - | UTC | Rome
Ada lives-in ? | 2022-12-31 | - | UTC | Rome
Ada lives-in ? | 2023-01-01 | - | UTC | Oslo
Ada lives-in ? | 2025-06-01 | - | UTC | Oslo
Ada lives-in ? | 2030 | - | UTC | Oslo
Bo works-at ? | 2019 | - | UTC | -
Bo works-at ? | 2020-01-01 | - | UTC | Acme
Bo works-at ? | 2022-06-30 | - | UTC | Acme
Bo works-at ? | 2022-07-01 | - | UTC | Hooli
Bo works-at ? | 2022 | - | UTC | Acme* Hooli*
Bo works-at ? | 2025-12-31 | - | UTC | Hooli
Bo works-at ? | 2026-01-01 | - | UTC | Initech
Bo works-at ? | 2040 | - | UTC | Initech
Cy plays-in ? | 2014 | - | UTC | -
Cy plays-in ? | 2015 | - | UTC | Choir
Cy plays-in ? | 2016 | - | UTC | Choir
Cy plays-in ? | 2025 | - | UTC | Choir
Dora born-in ? | 1990 | - | UTC | Oslo
Dora born-in ? | 2025 | - | UTC | Oslo
Bo owns ? | 2017 | - | UTC | -
Bo owns ? | 2018 | - | UTC | Boat
Bo owns ? | 2025 | - | UTC | Boat
Bobby owns ? | 2018 | - | UTC | Boat
Eve born-in ? | 2020 | - | UTC | -
Ferry moored-at ? | 2024-03-10 | - | UTC | Pier*
Ferry moored-at ? | 2024-03-10 | - | Pago | Pier*
Ferry moored-at ? | 2024-03-09 | - | Pago | -
Ferry moored-at ? | 2024-03-11 | - | Apia | Pier*
Ferry moored-at ? | 2024-03-10 | - | Apia | -
Ada lives-in ? | - | - | UTC | Oslo
Bo works-at ? | - | - | UTC | Hooli
Cy plays-in ? | - | - | UTC | Choir
Dora born-in ? | - | - | UTC | Oslo
Bo owns ? | - | - | UTC | Boat
Bobby owns ? | - | - | UTC | Boat
Eve born-in ? | - | - | UTC | -
Ferry moored-at ? | - | - | UTC | -
Ada lives-in ? | - | 2025-01-02 | UTC | Rome ; - ; -
Ada lives-in ? | - | 2025-01-06 | UTC | Oslo ; - ; Oslo
Ada lives-in ? | - | 2025-01-09 | UTC | Oslo ; - ; Rome
Ada lives-in ? | - | 2025-01-12 | UTC | Oslo ; Oslo ; Rome
Ada lives-in ? | - | 2025-01-13 | UTC | Oslo
Bo works-at ? | - | 2025-01-02 | UTC | -
Bo works-at ? | - | 2025-01-06 | UTC | Hooli ; - ; Hooli
Bo works-at ? | - | 2025-01-09 | UTC | Hooli ; - ; Hooli
Bo works-at ? | - | 2025-01-12 | UTC | Hooli
Bo works-at ? | - | 2025-01-13 | UTC | Hooli
Dora born-in ? | - | 2025-01-02 | UTC | - ; - ; Rome
Dora born-in ? | - | 2025-01-06 | UTC | - ; Rome ; Rome
Dora born-in ? | - | 2025-01-09 | UTC | Oslo ; Oslo ; Rome
Dora born-in ? | - | 2025-01-12 | UTC | Oslo
Dora born-in ? | - | 2025-01-13 | UTC | Oslo
Bo owns ? | - | 2025-01-02 | UTC | - ; - ; Boat
Bo owns ? | - | 2025-01-06 | UTC | - ; Boat ; Boat
Bo owns ? | - | 2025-01-09 | UTC | - ; Boat ; Boat
Bo owns ? | - | 2025-01-12 | UTC | Boat
Bo owns ? | - | 2025-01-13 | UTC | Boat
Eve born-in ? | - | 2025-01-02 | UTC | - ; Bergen ; -
Eve born-in ? | - | 2025-01-06 | UTC | - ; - ; Bergen
Eve born-in ? | - | 2025-01-09 | UTC | - ; - ; Bergen
Eve born-in ? | - | 2025-01-12 | UTC | Bergen ; - ; -
Eve born-in ? | - | 2025-01-13 | UTC | -
Ada lives-in ? | 2022 | 2025-01-03 | UTC | Rome ; - ; -
Ada lives-in ? | 2022 | 2025-01-08 | UTC | Rome ; - ; Rome
Ada lives-in ? | 2022 | 2025-01-14 | UTC | Rome
Ada lives-in ? | 2024 | 2025-01-03 | UTC | Oslo ; - ; -
Ada lives-in ? | 2024 | 2025-01-08 | UTC | Oslo ; - ; Rome
Ada lives-in ? | 2024 | 2025-01-14 | UTC | Oslo
Bo works-at ? | 2021 | 2025-01-03 | UTC | -
Bo works-at ? | 2021 | 2025-01-08 | UTC | Acme ; - ; -
Bo works-at ? | 2021 | 2025-01-14 | UTC | Acme
Bo works-at ? | 2027 | 2025-01-03 | UTC | - ; - ; Hooli
Bo works-at ? | 2027 | 2025-01-08 | UTC | Initech ; - ; Hooli
Bo works-at ? | 2027 | 2025-01-14 | UTC | Initech
Cy plays-in ? | 2015 | 2025-01-03 | UTC | -
Cy plays-in ? | 2015 | 2025-01-08 | UTC | Choir ; Choir ; -
Cy plays-in ? | 2015 | 2025-01-14 | UTC | Choir
Ferry moored-at ? | 2024-03-10 | 2025-01-14 | UTC | Pier*
Ferry moored-at ? | 2024-03-10 | 2025-01-14 | Apia | -
Ferry moored-at ? | 2024-03-10 | 2025-01-15 | Apia | -
Ferry moored-at ? | 2024-03-10 | 2025-01-13 | Pago | - ; Pier* ; Pier*
Ferry moored-at ? | 2024-03-10 | 2025-01-14 | Pago | Pier*
"""
"""Question | at | as of | zone | what answers: `*` in part of the time asked for, `-` nothing.

Where the orders of arrival answer differently, one answer for each, between semicolons.
"""


def told(base: Path, order: tuple[str, ...]) -> Memex:
    """Return a memex to which the history was told in `order`."""
    notes = Memex(base, "2025-01-01T00:00:00Z")
    notes.write("ada.org", PROSE).write("eve.org", EVE).ontology(ONTOLOGY).begin()
    for day, name in enumerate(order, 1):
        STEPS[name](notes, f"2025-01-{day:02d}T12:00:00Z")
    notes.now = NOW
    return notes


@pytest.fixture(scope="module")
def histories(tmp_path_factory: pytest.TempPathFactory) -> list[Memex]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PP_NO_MODEL", "1")
        base = tmp_path_factory.mktemp("axes")
        return [told(base / str(n), order) for n, order in enumerate(ORDERS)]


def questions() -> list[tuple[str, str, str, str, list[str]]]:
    """Return (pattern, at, as of, zone, answers) of every line of the sheet."""
    found = []
    for line in SHEET.strip().splitlines():
        pattern, at, as_of, zone, answers = line.split(" | ")
        found.append((
            pattern, at.strip("-"), as_of.strip("-"), ZONES[zone], answers.split(" ; "),
        ))
    return found


def asked(notes: Memex) -> list[str]:
    """Return what answers each question, as `value value`, `-` if nothing."""
    with open_app(load(str(notes.root), str(notes.state), NOW)) as app, app.reading():
        return [said(app, *question[:4]) for question in questions()]


def said(app: App, text: str, at: str, as_of: str, zone: str) -> str:
    pattern = parse_pattern(text)
    assert isinstance(pattern, Pattern)
    found = answer(
        app.view, pattern, now=app.now, at=moment(at, zone) if at else None,
        as_of=moment(as_of, zone) if as_of else None, tz=zone, fold=fold,
    )
    return " ".join(
        term_text(row.fact.statement.value) + ("*" if "part" in row.labels else "")
        for row in found.rows
    ) or "-"


def wrong(given: list[str], order: int) -> list[str]:
    """Return the questions that are answered otherwise than the sheet says, with both answers."""
    return [
        f"{question[:4]}: {answered}, not {expected}"
        for question, answered in zip(questions(), given, strict=True)
        for expected in [question[4][order if len(question[4]) > 1 else 0]]
        if answered != expected
    ]


def test_the_sheet_has_every_kind_of_question() -> None:
    asked_for = [(at != "", as_of != "") for _, at, as_of, _, _ in questions()]
    assert len(asked_for) >= 60
    assert {kind: asked_for.count(kind) for kind in set(asked_for)}.keys() == {
        (False, False), (True, False), (False, True), (True, True),
    }  # fmt: skip
    at_alone = [answers for _, at, as_of, _, answers in questions() if not as_of]
    assert all(len(answers) == 1 for answers in at_alone), "what held does not depend on the order"


@pytest.mark.parametrize("order", range(len(ORDERS)))
def test_every_question_is_answered_as_the_sheet_says(
    histories: list[Memex], order: int
) -> None:
    assert wrong(asked(histories[order]), order) == []


def test_decided_facts_answer_alike_after_the_index_is_thrown_away(
    histories: list[Memex],
) -> None:
    last = len(ORDERS) - 1
    histories[last].forget().sync()
    assert wrong(asked(histories[last]), last) == []
