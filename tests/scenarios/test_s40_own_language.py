"""S40: what a model says in the note's own language is kept as written."""

from __future__ import annotations

import json

import pytest

from tests.cli import Memex, Result

NOTES = {
    "german": ("Käthe", "wohnt-in", "Köln", "Käthe wohnt in Köln."),
    "russian": ("Анна Каренина", "живёт-в", "Москве", "Анна Каренина живёт в Москве."),
    "greek": ("Ελένη", "μένει-στην", "Αθήνα", "Η Ελένη μένει στην Αθήνα."),
    "japanese": ("紫式部", "書いた", "源氏物語", "紫式部は源氏物語を書いた。"),
    "arabic": ("ليلى", "تسكن-في", "بيروت", "ليلى تسكن في بيروت."),
    "hindi": ("मीरा", "रहती-है", "दिल्ली", "मीरा दिल्ली में रहती है।"),
    "thai": ("สมชาย", "อยู่ที่", "เชียงใหม่", "สมชาย อยู่ที่ เชียงใหม่"),
}


def reply(memex: Memex, text: str) -> Result:
    file = memex.base / "reply.txt"
    file.write_text(text, encoding="utf-8")
    return memex.run("propose", "--reply", str(file), "--heading", "note-1", "--json")


@pytest.fixture(params=NOTES)
def said(request: pytest.FixtureRequest, memex: Memex) -> tuple[Memex, dict[str, str]]:
    """A note in one language and the item that a model makes of it."""
    entity, relation, value, quote = NOTES[request.param]
    memex.write("note.org", f"* {entity}\n:PROPERTIES:\n:ID: note-1\n:END:\n{quote}\n").begin()
    item = {"entity": entity, "relation": relation, "value": value, "quote": quote}
    return memex, item


@pytest.mark.parametrize("escaped", [False, True], ids=["plain", "escaped"])
def test_s40_the_value_is_kept_as_written(
    said: tuple[Memex, dict[str, str]], escaped: bool
) -> None:
    memex, item = said
    reply(memex, json.dumps([item], ensure_ascii=escaped)).expect(0)
    queued = memex.queued(item["value"])["candidate"]
    assert {key: queued[key] for key in ("entity", "relation", "value")} == {
        key: item[key] for key in ("entity", "relation", "value")
    }
    (line,) = (line["body"] for line in memex.journal("propose") if line["body"]["candidate"])
    assert line["candidate"]["value"] == item["value"] and line["quote"] == item["quote"]


def test_s40_a_translated_value_is_not_in_the_quote(said: tuple[Memex, dict[str, str]]) -> None:
    memex, item = said
    reply(memex, json.dumps([{**item, "value": "Copenhagen"}])).expect(4)
    assert memex.queue() == []


def test_s40_reasoning_and_talk_in_another_language_change_nothing(
    said: tuple[Memex, dict[str, str]],
) -> None:
    memex, item = said
    body = json.dumps({"candidates": [item]}, ensure_ascii=False)
    thought = f"<think>Das ist «{item['value']}»。</think>"
    text = f"{thought}\nVoilà, 以下の通りです：\n```json\n{body}\n```"
    reply(memex, text).expect(0)
    assert memex.queued(item["value"])["candidate"]["entity"] == item["entity"]
