"""`pp propose` with a model: what is asked, what the journal keeps, what is tried again."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from neuro.provider.scripted import Server
from tests.cli import Json, Memex

Scripted = Callable[..., Server]
EXAMPLE = Path(__file__).resolve().parent.parent.parent / "examples"

NOTES = """
    * Ada
    Ada plays the cello. Ada lives in Rome.
    * Bo
    Bo plays the drums.
"""
CELLO = {"entity": "Ada", "relation": "plays", "value": "cello", "quote": "Ada plays the cello."}
DRUMS = {"entity": "Bo", "relation": "plays", "value": "drums", "quote": "Bo plays the drums."}


def chats(server: Server) -> list[str]:
    """Return the words of every question that a server was asked."""
    return [one.text for one in server.requests if one.path.endswith("/chat/completions")]


def failed(memex: Memex) -> list[Json]:
    """Return the open failures."""
    return memex.run("propose", "--failed", "--dry-run", "--json").expect(0).lines


def test_a_note_is_asked_about_once_until_it_changes(memex: Memex, scripted: Scripted) -> None:
    memex.write("a.org", NOTES).begin()
    server = scripted([
        {"title": "Ada", "reply": [CELLO]}, {"title": "Bo", "reply": []},
    ])  # fmt: skip
    assert [line["outcome"] for line in memex.run("propose", "--json").expect(0).lines] == [
        "admitted"
    ]
    assert len(chats(server)) == 2
    memex.run("propose").expect(0).names("2 were asked before")
    assert len(chats(server)) == 2
    memex.edit("a.org", "the drums", "the drums and the flute").sync()
    memex.run("propose").expect(0)
    assert len(chats(server)) == 3 and "flute" in chats(server)[-1]
    memex.run("propose", "a.org").expect(0)
    assert len(chats(server)) == 5, "who names a file asks again"


def test_an_empty_list_and_a_lost_reply_are_two_states(memex: Memex, scripted: Scripted) -> None:
    memex.write("a.org", NOTES).begin()
    scripted([{"title": "Ada", "reply": []}, {"title": "Bo", "reply": "I see no facts, sorry!"}])
    memex.run("propose").expect(7).names("prose", "a.org:3", "pp propose --failed")
    assert [(line["heading"], line["reason"]) for line in failed(memex)] == [
        ("a.org#Bo#1", "prose")
    ]
    assert memex.run("status", "--json").expect(0, 1).one["failed"] == 1
    memex.run("status").expect(0, 1).names("1 reply could not be read")
    assert [line["body"]["candidate"] for line in memex.journal("propose")] == [None]


def test_one_bad_item_is_named_and_the_good_ones_are_judged(
    memex: Memex, scripted: Scripted
) -> None:
    memex.write("a.org", NOTES).begin()
    scripted([{"title": "Ada", "reply": [CELLO, "Ada lives in Rome"]}])
    ran = memex.run("propose", "a.org::Ada", "--json").expect(7)
    assert [line["outcome"] for line in ran.lines] == ["admitted", "failed"]
    assert ran.lines[1]["reason"] == "item-2"
    assert memex.admit_auto()[0]["outcome"] == "admitted"
    assert [line["reason"] for line in failed(memex)] == ["item-2"]


def test_what_failed_is_tried_again_and_then_forgotten(memex: Memex, scripted: Scripted) -> None:
    memex.write("a.org", NOTES).begin()
    scripted([
        {"title": "Ada", "reply": '[{"entity": "Ada", "rel', "times": 2},
        {"title": "Ada", "reply": [CELLO]}, {"title": "Bo", "reply": [DRUMS]},
    ])  # fmt: skip
    memex.run("propose").expect(7)
    assert [(f["reason"], f["attempt"]) for f in failed(memex)] == [("truncated", 1)]
    memex.run("propose", "--failed").expect(7)
    assert [(f["reason"], f["attempt"]) for f in failed(memex)] == [("truncated", 2)]
    assert [
        line["outcome"] for line in memex.run("propose", "--failed", "--json").expect(0).lines
    ] == ["admitted"]
    assert failed(memex) == []
    memex.run("propose", "--failed").expect(0).names("nothing failed")


def test_a_failure_moves_with_its_text_and_lapses_with_it(
    memex: Memex, scripted: Scripted
) -> None:
    memex.write("a.org", NOTES).begin()
    scripted([{"title": "Ada", "reply": ""}, {"title": "Bo", "reply": []}])
    memex.run("propose").expect(7)
    memex.move("a.org", "b.org").sync()
    assert [line["heading"] for line in failed(memex)] == ["b.org#Ada#1"]
    memex.edit("b.org", "Ada lives in Rome.", "").sync()
    assert failed(memex) == []


def test_nothing_is_sent_and_nothing_written_in_a_dry_run(
    memex: Memex, scripted: Scripted
) -> None:
    memex.write("a.org", NOTES).begin()
    server = scripted([])
    before = memex.journal_bytes()
    ran = memex.run("propose", "--dry-run", "--json").expect(0)
    assert [line["outcome"] for line in ran.lines] == ["would-ask"] * 2
    assert server.connections == 0 and memex.journal_bytes() == before


def test_with_the_network_cut_the_patterns_read_and_say_so(
    memex: Memex, monkeypatch: pytest.MonkeyPatch
) -> None:
    memex.write("a.org", "* Ada\nAda is a cellist.\n* Bo\nBo is a drummer.\n* Cy\nCy is a poet.\n")
    memex.begin()
    monkeypatch.setenv("LOCAL_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.delenv("PP_NO_MODEL")
    ran = memex.run("propose").expect(0).names("does not answer", "sentence patterns read")
    assert "1 heading not asked" in ran.err
    assert sorted(line["candidate"]["value"] for line in memex.queue()) == [
        "cellist", "drummer", "poet",
    ]  # fmt: skip
    assert {line["candidate"]["proposer"] for line in memex.queue()} == {"extracted"}
    assert [line["reason"] for line in failed(memex)] == ["unreachable"] * 2
    memex.run("propose", "--model", "local/other").expect(7).names("does not answer")


def test_without_any_model_the_patterns_read(memex: Memex) -> None:
    memex.write("a.org", "* Ada\nAda is a cellist.\n").begin()
    memex.run("propose").expect(0).names("no local model", "Ada member-of-class cellist")
    memex.run("propose").expect(0).names("0 new candidates", "1 proposed before")
    assert memex.admit_auto()[0]["outcome"] == "admitted"


def test_pp_no_model_forbids_the_call_and_says_so(
    memex: Memex, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    memex.write("a.org", NOTES).begin()
    server = scripted([{"title": "Ada", "reply": [CELLO]}])
    monkeypatch.setenv("PP_NO_MODEL", "1")
    memex.run("propose", "--model", "local/scripted").expect(7).names("forbidden")
    assert server.connections == 0


def test_a_reply_by_hand_is_read_like_a_model_s(memex: Memex) -> None:
    memex.write("a.org", NOTES).begin()
    reply = memex.base / "reply.txt"
    reply.write_text(f"Sure!\n```json\n{json.dumps([CELLO])}\n```", encoding="utf-8")
    ran = memex.run("propose", "--reply", str(reply), "--heading", "a.org::Ada", "--json")
    assert [line["outcome"] for line in ran.expect(0).lines] == ["admitted"]
    reply.write_text("<think>Ada plays", encoding="utf-8")
    memex.run("propose", "--reply", str(reply), "--heading", "a.org#Bo#1").expect(7)
    assert [line["reason"] for line in failed(memex)] == ["think-only"]
    memex.run("propose", "--reply", str(reply)).expect(2)
    memex.run("propose", "--reply", str(reply), "--heading", "nowhere").expect(2)


def test_a_target_that_names_nothing_is_a_usage_error(memex: Memex) -> None:
    memex.write("a.org", NOTES).write("sub/b.org", "* Cy\nCy is a poet.\n").begin()
    memex.run("propose", "c.org").expect(2).names("c.org", "pp sync")
    memex.run("propose", "sub", "--json").expect(0)
    assert [line["candidate"]["value"] for line in memex.queue()] == ["poet"]


def test_what_a_person_rejected_there_is_told_and_not_asked_twice(
    memex: Memex, scripted: Scripted
) -> None:
    memex.write("a.org", NOTES).begin()
    server = scripted([{"title": "Ada", "reply": [CELLO], "times": 2}])
    memex.run("propose", "a.org::Ada").expect(0)
    memex.decide("reject", memex.queue()[0]["proposal"])
    memex.run("propose", "a.org::Ada").expect(0)
    assert memex.queue() == []
    assert "Ada plays cello" in chats(server)[-1] and "Ada plays cello" not in chats(server)[0]


def test_the_example_memex_from_words_to_a_chain(memex: Memex, scripted: Scripted) -> None:
    shutil.copytree(EXAMPLE / "memex", memex.root, dirs_exist_ok=True)
    memex.begin()
    script = [
        json.loads(line)
        for line in (EXAMPLE / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    server = scripted(script)
    memex.run("propose", "reading", "--model", "local/scripted").expect(7, 4)
    assert chats(server)
    outcomes = {verdict["outcome"] for verdict in memex.run("admit", "--auto", "--json").lines}
    assert "admitted" in outcomes
    fact = memex.fact("Nabokov lectures-on Kafka")
    memex.run("audit", fact["id"]).expect(0).names("reading/the-castle.org", "llm-proposed")
