"""A journal line: its bytes, its hashes, and everything that makes it not count."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic.journal.kinds import KINDS, BadBody, problems
from symbolic.journal.lines import (
    FIRST_PREV,
    Fault,
    FaultKind,
    canonical,
    decode,
    encode,
    redone,
)
from symbolic.records import Line
from tests.symbolic.journals import PERSON, STATEMENT, dump, sealed

ENVELOPE = {
    "dev": "0123456789ab", "run": "0123456789abcdef", "seq": 1,
    "at": "2024-01-15T12:00:00.000000Z", "seen": {"ba9876543210": ((7, "e" * 64),)},
    "by": PERSON, "prev": FIRST_PREV,
}  # fmt: skip
SALT = "00112233445566778899aabbccddeeff"
BODY = {"statement": {**STATEMENT, "value": "Blaßes Feuer \u2028 ☃"}}


def raw(kind: str = "declare", body: dict[str, object] | None = None, **change: object) -> bytes:
    return encode(kind=kind, body=body or BODY, salt=SALT, **{**ENVELOPE, **change})


def parts(line: bytes | None = None) -> dict[str, object]:
    return json.loads(line or raw())


def read(line: bytes) -> Line:
    found = decode(line, "2024-01.jsonl", 1)
    assert isinstance(found, Line), found
    return found


def refused(line: bytes) -> Fault:
    found = decode(line, "system/journal/0123456789ab/2024-01.jsonl", 7)
    assert isinstance(found, Fault)
    assert (found.file, found.line) == ("system/journal/0123456789ab/2024-01.jsonl", 7)
    assert found.message
    return found


def test_a_line_is_these_bytes() -> None:
    line = raw()
    body = (
        '{"salt":"00112233445566778899aabbccddeeff","statement":{"entity":"Nabokov",'
        '"relation":"author of","value":"Blaßes Feuer \u2028 ☃"}}'
    )
    body_hash = hashlib.sha256(body.encode()).hexdigest()
    rest = (
        '{"at":"2024-01-15T12:00:00.000000Z",%s"body_hash":"' + body_hash + '","by":"person:Ada",'
        '"dev":"0123456789ab",%s"kind":"declare","prev":"' + "0" * 64 + '",'
        '"run":"0123456789abcdef","seen":{"ba9876543210":[[7,"' + "e" * 64 + '"]]},"seq":1,"v":1}'
    )
    line_hash = hashlib.sha256((rest % ("", "")).encode()).hexdigest()
    assert line.decode() == rest % (f'"body":{body},', f'"hash":"{line_hash}",') + "\n"


def test_a_line_reads_back_as_written_without_its_salt() -> None:
    line = read(raw())
    assert line.body == BODY
    assert line.seen == ENVELOPE["seen"]
    assert (line.seq, line.kind, line.by, line.prev) == (1, "declare", PERSON, FIRST_PREV)
    assert line.person
    assert line.order == (line.at, line.dev, 1, line.hash)


def test_equal_bodies_have_different_hashes() -> None:
    one, two = (encode(kind="declare", body=BODY, **ENVELOPE) for _ in range(2))
    assert parts(one)["body_hash"] != parts(two)["body_hash"]
    assert len(parts(one)["body"]["salt"]) == 32


@pytest.mark.parametrize("bad", [0.5, [0.0], {"a": {"b": float("nan")}}, b"x", {1: "x"}, {"x"}])
def test_what_json_does_not_hold_exactly_is_a_bug(bad: object) -> None:
    body = {
        "subject": "x", "field": "y", "before": bad, "after": None, "via": "verb", "conflicts": [],
    }  # fmt: skip
    with pytest.raises(TypeError):
        raw("ontology", body)


def test_text_that_is_no_unicode_is_never_written() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        raw("declare", {"statement": {**STATEMENT, "value": "\ud800"}})


@pytest.mark.parametrize("by", ["", "Ada", "person:", "robot:x", "person:a\nb", "person: Ada"])
def test_by_is_a_person_or_a_program(by: str) -> None:
    with pytest.raises(ValueError, match="person:NAME"):
        raw(by=by)


def test_a_redacted_line_is_valid_by_its_hash_alone() -> None:
    line = read(dump({**parts(), "body": None}) + b"\n")
    assert line.body == {}
    assert line.hash == read(raw()).hash
    refused(dump({**parts(), "body": None, "body_hash": "f" * 64}) + b"\n")


def test_a_newer_format_or_kind_is_read_only_and_named() -> None:
    assert refused(sealed({**parts(), "v": 2, "more": 1})).kind is FaultKind.NEWER
    newer = refused(sealed({**parts(), "kind": "dream"}))
    assert newer.kind is FaultKind.NEWER
    assert "dream" in newer.message
    assert "read-only" in newer.remedy


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"[]\n",
        b"{}\n",
        b"\xff\n",
        b"[" * 200_000 + b"\n",
        raw().replace(b'"seq":1', b'"seq":1,"seq":1'),
        raw().replace(b'"seq":1', b'"seq":1.0'),
        raw().replace(b'"seq":1', b'"seq":NaN'),
        raw().replace(b'"seq":1', b'"seq": 1'),
        raw().replace("☃".encode(), b"\\u2603"),
        raw().replace("☃".encode(), b"\\ud800"),
        raw()[:-1] + b"\r\n",
        raw() + raw(),
        raw()[:-1] + b" " * (17 << 20) + b"\n",
        sealed({**parts(), "more": 1}),
        sealed({key: value for key, value in parts().items() if key != "run"}),
        sealed({**parts(), "seq": 0}),
        sealed({**parts(), "seq": True}),
        sealed({**parts(), "v": True}),
        sealed({**parts(), "v": 0}),
        sealed({**parts(), "dev": "0123456789AB"}),
        sealed({**parts(), "by": "somebody"}),
        sealed({**parts(), "at": "2024-02-30T12:00:00.000000Z"}),
        sealed({**parts(), "at": "2024-02-20T12:00:00Z"}),
        sealed({**parts(), "seen": {"ba9876543210": 7}}),
        sealed({**parts(), "seen": {"ba9876543210": [[7, "abc"]]}}),
        sealed({**parts(), "body": "text"}),
        sealed({**parts(), "body": {"statement": STATEMENT}}),
        sealed({**parts(), "body": {"salt": SALT}}),
        sealed({**parts(), "body": {"salt": SALT, "statement": {"entity": "x"}}}),
    ],
)
def test_a_line_that_is_not_exactly_right_is_broken(line: bytes) -> None:
    found = refused(line)
    assert found.kind is FaultKind.BROKEN
    assert len(found.excerpt) < 400


def test_a_line_without_its_end_is_torn() -> None:
    assert refused(raw()[:-1]).kind is FaultKind.TORN


def test_a_redo_carries_an_old_line_whole() -> None:
    old = parts(raw(seq=9))
    line = read(raw("redo", {"line": old}))
    assert redone(line) == decode(raw(seq=9), line.path, line.lineno)
    refused(sealed({**parts(), "kind": "redo", "body": {"salt": SALT, "line": {**old, "seq": 8}}}))
    again = parts(raw("redo", {"line": old}))
    refused(sealed({**parts(), "kind": "redo", "body": {"salt": SALT, "line": again}}))


RETRACT = {
    "statement": STATEMENT, "keys": ["a.org#X#1"], "quote_hash": [None], "text_hash": ["t"],
    "reason": None,
}  # fmt: skip
ADMIT = {
    "statement": STATEMENT, "provenance": "llm-proposed", "min_sources": 1, "shown": "d",
    "outcome": "admitted", "conflicts": [],
}  # fmt: skip
SPAN = {"offset": 0, "old": "", "new": "eA=="}
BODIES: dict[str, dict[str, object]] = {
    "open": {
        "memex": "0123456789abcdef", "device": "laptop", "was": None, "zone": "UTC",
        "versions": {"schema": "1"},
    },
    "propose": {
        "candidate": STATEMENT, "key": "a.org#X#1", "quote": "q", "evidence_date": None,
        "grounding": {"verdict": "grounded"}, "proposer": "llm-proposed", "model": "local/x",
        "reply_digest": "d", "rationale": None, "confidence": "0.9", "proposal": "p",
    },
    "failed": {"key": "a.org#X#1", "reason": "timeout", "reply_digest": None, "attempt": 1},
    "admit": ADMIT,
    "refuse": {"proposal": "p", "outcome": "blocked", "reasons": ["r"], "blockers": ["f"]},
    "reject": {
        "statement": STATEMENT, "key": "a.org#X#1", "quote_hash": "h", "text_hash": "t",
        "scope": "source", "reason": None, "shown": "d",
    },
    "declare": {"statement": STATEMENT},
    "retract": RETRACT,
    "supersede": {
        "old": STATEMENT, "new": ADMIT, "from": "2024", "keys": [], "quote_hash": [],
        "text_hash": [],
    },
    "settle": {"conflict": "c", "members": [RETRACT], "choice": "keep", "kept": "f"},
    "incumbent": {"conflict": "c", "kept": STATEMENT, "refused": [STATEMENT]},
    "anchor": {"statement": STATEMENT, "key": "a.org#X#1", "new_key": None},
    "ontology": {
        "subject": "author of", "field": "POLICY", "before": None, "after": "temporal",
        "via": "set-policy", "conflicts": [],
    },
    "gates": {"hash": "h"},
    "import": {"domain": "wikidata", "file_hash": "h", "count": 3},
    "reconcile": {"divergence": "d", "keys": ["k"], "kept": "e"},
    "undo": {"event": "e"},
    "redact": {"events": ["e"], "reason": "private"},
    "redo": {"line": parts()},
    "edit": {
        "batch": "b", "by": PERSON,
        "files": [{"path": "a.org", "old": "h", "new": "h", "spans": [SPAN]}],
    },
    "edited": {"edit": "e", "state": "done"},
}  # fmt: skip


def test_every_kind_has_a_body_here() -> None:
    assert BODIES.keys() == KINDS.keys()


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_is_written_and_read(kind: str) -> None:
    assert read(raw(kind, BODIES[kind])).body == BODIES[kind]


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind in sorted(KINDS) for name in BODIES[kind] if name in KINDS[kind]],
)
def test_a_missing_field_is_a_bug_when_written_and_a_fault_when_read(kind: str, name: str) -> None:
    body = {key: value for key, value in BODIES[kind].items() if key != name}
    with pytest.raises(BadBody, match=name):
        raw(kind, body or {"other": 1})
    salted = {**body, "salt": SALT}
    found = refused(sealed({**parts(), "kind": kind, "body": salted}))
    assert found.kind is FaultKind.BROKEN
    assert name in found.message


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("declare", {"statement": "Nabokov"}),
        ("declare", {"statement": {**STATEMENT, "polarity": 1}}),
        ("admit", {"min_sources": True}),
        ("admit", {"conflicts": "c"}),
        ("reject", {"scope": "here"}),
        ("retract", {"text_hash": []}),
        ("supersede", {"new": {"provenance": "x", "statement": STATEMENT}}),
        ("supersede", {"keys": ["k"]}),
        ("settle", {"members": [{**RETRACT, "quote_hash": []}]}),
        ("open", {"memex": "x"}),
        ("open", {"versions": {"schema": 1}}),
        ("open", {"was": {"dev": None}}),
        ("edited", {"state": "perhaps"}),
        ("declare", {"note": "no such field"}),
    ],
)
def test_a_field_of_another_type_is_a_bug(kind: str, change: dict[str, object]) -> None:
    with pytest.raises(BadBody):
        raw(kind, {**BODIES[kind], **change})


def test_an_import_has_its_file_and_count_or_was_dropped() -> None:
    assert not problems("import", {"domain": "wikidata", "dropped": True})
    assert problems("import", {"domain": "wikidata", "file_hash": "h"})
    assert problems("import", {"domain": "wikidata", "count": 0, "dropped": False})


def test_a_kind_that_does_not_exist_is_a_bug() -> None:
    with pytest.raises(BadBody, match="dream"):
        raw("dream", {})


def test_a_field_of_a_later_version_is_let_pass() -> None:
    later = {"salt": SALT, "statement": STATEMENT, "mood": "blue"}
    assert read(sealed({**parts(), "body": later})).body["mood"] == "blue"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.law
@given(json_values, json_values)
def test_any_json_goes_through_a_line_unchanged(before: object, after: object) -> None:
    body = {**BODIES["ontology"], "before": before, "after": after}
    line = raw("ontology", body)
    assert read(line).body == body
    assert line.count(b"\n") == 1
    assert canonical(json.loads(line)) + b"\n" == line


@pytest.mark.law
@given(st.data())
def test_any_other_byte_anywhere_is_seen(data: st.DataObject) -> None:
    line = bytearray(raw())
    index = data.draw(st.integers(0, len(line) - 1))
    line[index] = data.draw(st.integers(0, 255).filter(lambda byte: byte != line[index]))
    refused(bytes(line))


@pytest.mark.law
@given(st.binary(max_size=200))
def test_no_bytes_make_the_reader_raise(noise: bytes) -> None:
    refused(noise)
    refused(noise + b"\n")


