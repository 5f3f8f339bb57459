"""S16, S17, S18 through `pp`: what a reply gives, what it loses, and that the two are told apart.

Every wrapping of a reply stands in tests/neuro/test_replies.py.
"""

from __future__ import annotations

import json

import pytest

from tests.cli import Memex, Result, say

CELLO = {"entity": "Ada", "relation": "plays", "value": "cello", "quote": "Ada plays the cello."}
OSLO = {"entity": "Ada", "relation": "lives-in", "value": "Oslo", "quote": "Ada lives in Oslo."}
LIST = json.dumps([CELLO, OSLO])


@pytest.fixture
def note(memex: Memex) -> Memex:
    return memex.write("ada.org", """
        * Ada
        :PROPERTIES:
        :ID: ada-1
        :END:
        Ada plays the cello. Ada lives in Oslo. Use =pp `sync`= often.
        """).begin()


def reply(memex: Memex, text: str) -> Result:
    file = memex.base / "reply.txt"
    file.write_text(text, encoding="utf-8")
    return memex.run("propose", "--reply", str(file), "--heading", "ada-1", "--json")


def queued(memex: Memex) -> list[str]:
    return sorted(say(line["candidate"]) for line in memex.queue())


def failed(memex: Memex) -> list[tuple[str, str]]:
    bodies = (line["body"] for line in memex.journal("failed"))
    return [(body["key"], body["reason"]) for body in bodies]


WRAPPED = {
    "fence": f"```json\n{LIST}\n```",
    "fence-and-talk": f"Here:\n```json\n{LIST}\n```\nMore?",
    "bare-array": LIST,
    "single-objects": f"{json.dumps(CELLO)}\n{json.dumps(OSLO)}",
    "wrapper": json.dumps({"facts": [CELLO, OSLO]}),
    "think-first": f"<think>{json.dumps([{**OSLO, 'value': 'Rome'}])}</think>{LIST}",
}


@pytest.mark.parametrize("case", WRAPPED)
def test_s16_the_same_candidates_in_every_wrapping(note: Memex, case: str) -> None:
    reply(note, WRAPPED[case]).expect(0)
    assert queued(note) == ["Ada lives-in Oslo", "Ada plays cello"]
    assert failed(note) == []


LOST = {
    "think-only": f"<think>{LIST}</think>",
    "empty": " \n",
    "truncated": LIST[:-20],
    "prose": "Ada plays the cello.",
}


@pytest.mark.parametrize("reason", LOST)
def test_s17_a_lost_reply_is_a_failure_and_can_be_tried_again(note: Memex, reason: str) -> None:
    ran = reply(note, LOST[reason]).expect(7)
    assert [(line["outcome"], line["reason"]) for line in ran.lines] == [("failed", reason)]
    assert queued(note) == []
    assert failed(note) == [("id:ada-1", reason)]
    note.run("status").names("could not be read")
    note.run("propose", "--failed", "--dry-run").expect(0).names("ada.org", reason)

    reply(note, LIST).expect(0)
    assert queued(note) == ["Ada lives-in Oslo", "Ada plays cello"]
    assert "could not be read" not in note.run("status").said


def test_s18_a_bad_item_is_named_and_the_good_ones_stand_on_their_own(note: Memex) -> None:
    malformed = {key: value for key, value in OSLO.items() if key != "value"}
    ran = reply(note, json.dumps([CELLO, "oops", malformed, OSLO])).expect(7)
    assert queued(note) == ["Ada lives-in Oslo", "Ada plays cello"]
    assert failed(note) == [("id:ada-1", "item-2")]
    assert sorted(line["outcome"] for line in ran.lines) == [
        "admitted", "admitted", "failed", "malformed",
    ]  # fmt: skip


def test_s18_an_empty_list_is_another_state_than_a_bad_item(note: Memex) -> None:
    reply(note, "[]").expect(0)
    assert (queued(note), failed(note)) == ([], [])
    assert "could not be read" not in note.run("status").said
    reply(note, '["oops"]').expect(7)
    note.run("status").names("could not be read")
