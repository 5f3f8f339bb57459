"""S44: a model's doubt goes to the rationale, never into the fact; the reviewer sees it."""

from __future__ import annotations

import json

import pytest

from tests.cli import Memex, Result

ITEM = {
    "entity": "Ada", "relation": "lives-in", "value": "Basel",
    "quote": "Ada probably lives in Basel.",
}  # fmt: skip
SURE = {**ITEM, "quote": "Ada lives in Basel, says her card."}


@pytest.fixture
def note(memex: Memex) -> Memex:
    return memex.write("ada.org", """
        * Ada
        :PROPERTIES:
        :ID: ada-1
        :END:
        Ada lives in Basel, says her card.
        """).begin()


def reply(memex: Memex, text: str) -> Result:
    file = memex.base / "reply.txt"
    file.write_text(text, encoding="utf-8")
    return memex.run("propose", "--reply", str(file), "--heading", "ada-1", "--json")


HEDGED = {
    "in-the-value": json.dumps([{**SURE, "value": "Basel (please verify)"}]),
    "in-the-entity": json.dumps([{**SURE, "entity": "Ada [please verify]"}]),
    **{
        f"as-{key}": json.dumps([{**SURE, key: "please verify"}])
        for key in ("rationale", "note", "comment", "hedge", "explanation", "reason")
    },
    "before-the-list": f"Please verify this, I guessed:\n```json\n{json.dumps([SURE])}\n```",
    "after-the-list": f"{json.dumps([SURE])}\n\nPlease verify.",
    "beside-the-list": json.dumps({"candidates": [SURE], "note": "please verify"}),
}


@pytest.mark.parametrize("case", HEDGED)
def test_s44_the_hedge_goes_to_the_rationale(note: Memex, case: str) -> None:
    reply(note, HEDGED[case]).expect(0)
    queued = note.queued("Basel")["candidate"]
    assert (queued["entity"], queued["relation"], queued["value"]) == ("Ada", "lives-in", "Basel")
    assert "please verify" in queued["rationale"].casefold()


def test_s44_the_reviewer_sees_the_hedge_and_the_fact_does_not_hold_it(note: Memex) -> None:
    reply(note, HEDGED["in-the-value"]).expect(0)
    note.run("admit", "--list").expect(0).names("please verify")
    note.admit(note.queued("Basel")["proposal"])
    assert note.current("Ada lives-in ?") == ["Ada lives-in Basel"]
    assert "verify" not in json.dumps(note.fact("Ada lives-in ?")["value"])


def test_s44_reasoning_is_no_hedge(note: Memex) -> None:
    reply(note, f"<think>Hm, probably Basel?</think>{json.dumps([SURE])}").expect(0)
    assert not note.queued("Basel")["candidate"].get("rationale")
