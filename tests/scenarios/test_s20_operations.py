"""S20: a model can propose and nothing else; a reply that asks for more is refused whole."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli import Json, Memex, Result, candidate

GOOD = {
    "entity": "Ada", "relation": "plays", "value": "cello", "quote": "Ada plays the cello.",
}  # fmt: skip
INVALID = {"op": "create", "entity": "Ada", "quote": "Ada plays"}


@pytest.fixture
def known(memex: Memex) -> Memex:
    """Four facts are known about Ada, and a fifth stands in the note."""
    memex.write("ada.org", """
        * Ada
        :PROPERTIES:
        :ID: ada-1
        :END:
        Ada lives in Oslo. Ada works at Initech. Ada knows Bob. Ada speaks Dutch.
        Ada plays the cello.
        """).begin()
    said = {
        "lives-in": ("Oslo", "Ada lives in Oslo."),
        "works-at": ("Initech", "Ada works at Initech."),
        "knows": ("Bob", "Ada knows Bob."),
        "speaks": ("Dutch", "Ada speaks Dutch."),
    }
    taken = memex.take("".join(
        candidate("Ada", relation, value, quote, heading="ada-1")
        for relation, (value, quote) in said.items()
    ))
    assert taken == ["admitted"] * 4
    return memex


def reply(memex: Memex, body: object) -> Result:
    """Give a raw reply about Ada."""
    file = memex.base / "reply.txt"
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    file.write_text(text, encoding="utf-8")
    return memex.run("propose", "--reply", str(file), "--heading", "ada-1", "--json")


def failures(memex: Memex) -> list[Json]:
    return [line["body"] for line in memex.journal("failed")]


def deletions(memex: Memex) -> list[dict[str, Any]]:
    ids = [fact["id"] for fact in memex.query("Ada ? ?").facts]
    return [{"op": "delete", "id": fid} for fid in ids]


def test_s20_delete_four_create_one_does_nothing_at_all(known: Memex) -> None:
    before, digest = known.current("Ada ? ?"), known.digest()
    all_of_it = [*deletions(known), INVALID]
    assert len(all_of_it) > 4
    shapes: list[object] = [
        all_of_it,
        {"candidates": all_of_it},
        {"operations": all_of_it},
        "\n".join(map(json.dumps, all_of_it)),
        {"action": "delete", "facts": [GOOD]},
    ]
    for number, shape in enumerate(shapes, start=1):
        ran = reply(known, shape).expect(7)
        assert [line["reason"] for line in ran.lines] == ["operation"], shape
        assert [body["reason"] for body in failures(known)] == ["operation"] * number
        assert known.digest() == digest, shape
    assert known.current("Ada ? ?") == before
    assert known.queue() == []


def test_s20_a_good_item_beside_another_operation_is_not_taken(known: Memex) -> None:
    for key in ("op", "operation", "action", "event"):
        for word in ("delete", "update", "DELETE", "", "x"):
            reply(known, [GOOD, {key: word, "entity": "Ada"}]).expect(7).names("operation")
    assert known.queue() == []


def test_s20_adding_is_proposing(known: Memex) -> None:
    ran = reply(known, [{"op": "create", **GOOD}]).expect(0)
    assert [line["outcome"] for line in ran.lines] == ["admitted"]
    assert len(known.queue()) == 1


def test_s20_an_invalid_create_alone_is_told_and_loses_nothing(known: Memex) -> None:
    ran = reply(known, [INVALID, {"op": "create", **GOOD}]).expect(4)
    assert sorted(line["outcome"] for line in ran.lines) == ["admitted", "malformed"]
    assert len(known.current("Ada ? ?")) >= 4
