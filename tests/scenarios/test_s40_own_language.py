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


Items = dict[str, dict[str, str]]


@pytest.fixture
def said(memex: Memex) -> tuple[Memex, Items]:
    """A note in each language and the item that a model makes of it."""
    items = {}
    for language, (entity, relation, value, quote) in NOTES.items():
        head = f"* {entity}\n:PROPERTIES:\n:ID: {language}\n:END:\n"
        memex.write(f"{language}.org", f"{head}{quote}\n")
        items[language] = {
            "entity": entity, "relation": relation, "value": value, "quote": quote,
        }  # fmt: skip
    return memex.begin(), items


def reply(memex: Memex, language: str, text: str) -> Result:
    """Give a raw reply about the note in `language`."""
    file = memex.base / "reply.txt"
    file.write_text(text, encoding="utf-8")
    return memex.run("propose", "--reply", str(file), "--heading", language, "--json")


@pytest.mark.parametrize("escaped", [False, True], ids=["plain", "escaped"])
def test_s40_the_value_is_kept_as_written(said: tuple[Memex, Items], escaped: bool) -> None:
    memex, items = said
    for language, item in items.items():
        reply(memex, language, json.dumps([item], ensure_ascii=escaped)).expect(0)
    queue = [line["candidate"] for line in memex.queue()]
    lines = [line["body"] for line in memex.journal("propose") if line["body"]["candidate"]]
    for language, item in items.items():
        wanted = {key: item[key] for key in ("entity", "relation", "value")}
        queued = [{key: one[key] for key in wanted} for one in queue]
        assert queued.count(wanted) == 1, language
        (line,) = (line for line in lines if line["candidate"]["value"] == item["value"])
        assert line["quote"] == item["quote"], language
    assert len(queue) == len(lines) == len(items)


def test_s40_a_translated_value_is_not_in_the_quote(said: tuple[Memex, Items]) -> None:
    memex, items = said
    for language, item in items.items():
        reply(memex, language, json.dumps([{**item, "value": "Copenhagen"}])).expect(4)
    assert memex.queue() == []


def test_s40_reasoning_and_talk_in_another_language_change_nothing(
    said: tuple[Memex, Items],
) -> None:
    memex, items = said
    for language, item in items.items():
        body = json.dumps({"candidates": [item]}, ensure_ascii=False)
        thought = f"<think>Das ist «{item['value']}»。</think>"
        text = f"{thought}\nVoilà, 以下の通りです：\n```json\n{body}\n```"
        reply(memex, language, text).expect(0)
    queued = [(line["candidate"]["entity"], line["candidate"]["value"]) for line in memex.queue()]
    assert sorted(queued) == sorted((item["entity"], item["value"]) for item in items.values())
