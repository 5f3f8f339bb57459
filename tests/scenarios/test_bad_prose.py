"""Bad input: Org files no editor should have made. Each is read or named; none stops the rest."""

from __future__ import annotations

import os

import pytest

from tests.cli import Memex, candidate

GOOD = b"* Good\n- colour :: green\n"


def with_bad(memex: Memex, data: bytes, path: str = "bad.org") -> Memex:
    return memex.write("fine.org", GOOD).write(path, data)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"], ids=["plain", "BOM"])
@pytest.mark.parametrize("last", [True, False], ids=["ended", "no final newline"])
def test_bad_line_ends_say_the_same(memex: Memex, end: str, bom: bytes, last: bool) -> None:
    text = "* Ada\n:PROPERTIES:\n:TOWN: London\n:END:\nAda wrote\na Poem.\n- hat :: red"
    data = bom + text.replace("\n", end).encode() + (end.encode() if last else b"")
    memex.write("note.org", data).begin()
    assert memex.current("Ada ? ?") == ["Ada hat red", "Ada town London"]
    line = candidate("Ada", "wrote", "Poem", "Ada wrote a Poem", path="note.org", outline=["Ada"])
    assert memex.take(line) == ["admitted"]
    [grounding] = memex.fact("Ada wrote ?")["groundings"]
    assert grounding["line"] == 5


def test_bad_mixed_line_ends_are_one_file(memex: Memex) -> None:
    data = b"* Ada\r\n- hat :: red\n* Bo\r- hat :: blue\r\n* Cy\n- hat :: grey"
    memex.write("note.org", data).begin()
    assert memex.current("? hat ?") == ["Ada hat red", "Bo hat blue", "Cy hat grey"]


@pytest.mark.parametrize(
    "data",
    [b"* F\xfcr\n- hat :: red\n", b"\xff\xfe*\x00 \x00A\x00", b"* A\n\xed\xa0\x80\n"],
    ids=["latin-1", "utf-16", "surrogate"],
)
def test_bad_encoding_is_skipped_with_its_reason(memex: Memex, data: bytes) -> None:
    body = with_bad(memex, data).init().run("sync", "--json").expect(0, 1).one
    [skipped] = body["files"]["skipped"]
    assert skipped["path"] == "bad.org" and "UTF-8" in skipped["reason"]
    assert memex.current("Good ? ?") == ["Good colour green"]


def test_bad_skipped_files_are_named_to_a_person(memex: Memex) -> None:
    with_bad(memex, b"* F\xfcr\n").init().run("sync").expect(0, 1).names("bad.org", "UTF-8")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("* A \x00 B\n- hat :: red\n", ["A \x00 B hat red"]),
        ("* A\n:PROPERTIES:\n:TOWN: London\n* B\n- hat :: red\n", ["B hat red"]),
        ("* A\n:properties:\n:town: London\n:end:\n", ["A town London"]),
        ("* A\nText first.\n:PROPERTIES:\n:TOWN: London\n:END:\n", []),
        ("* A\n:PROPERTIES:\n\n:TOWN: London\n:END:\n", []),
        ("* A\n:PROPERTIES:\njunk\n:TOWN: London\n:END:\n", []),
        ("* A\n:PROPERTIES:\n:Effort: not a time\n:TOWN: Bath\n:END:\n", ["A town Bath"]),
        ("* A\nSCHEDULED: <2024-13-45 Mon>\n- hat :: red\n", ["A hat red"]),
        ("* A\nDEADLINE: <2023-02-29>\n- hat :: red\n", ["A hat red"]),
        ("*" * 300 + " Deep\n- hat :: red\n", ["Deep hat red"]),
        ("* \n- hat :: red\n* TODO\n- hat :: blue\n", None),
        ("* A\n#+begin_src\n* B\n- hat :: red\n", ["B hat red"]),
        ("#+SETUPFILE: https://example.org/x.org\n* A\n- hat :: red\n", ["A hat red"]),
        ("#+SETUPFILE: missing.org\n* A\n- hat :: red\n", ["A hat red"]),
        ("#+SETUPFILE: ../../../../etc/passwd\n* A\n- hat :: red\n", ["A hat red"]),
        ("#+TODO: | | X | (\n* A\n- hat :: red\n", ["A hat red"]),
        ("", []),
        ("\n\n\n", []),
        ("* A" * 5000, []),
    ],
    ids=[
        "NUL", "unclosed drawer", "lower-case drawer", "drawer after text", "blank in drawer",
        "junk in drawer", "bad effort", "no such month", "no such day", "300 stars",
        "empty titles", "unclosed block", "setup URL", "setup missing", "setup outside",
        "odd keywords", "empty", "blank", "one long line",
    ],
)  # fmt: skip
def test_bad_nodes_never_stop_the_rest(memex: Memex, text: str, said: list[str] | None) -> None:
    """What Org does not see holds nothing; what it sees is read; anything odd is reported."""
    body = with_bad(memex, text.encode()).init().run("sync", "--json").expect(0, 1).one
    assert memex.current("Good ? ?") == ["Good colour green"]
    told = [
        f"{f['entity']} {f['relation']} {f['value']}"
        for f in memex.query("? ? ?", "--all").facts
        if f["provenance"] == "extracted" and f["entity"] != "Good"
    ]
    assert said is None or sorted(told) == said
    for problem in body["problems"]:
        assert problem["path"] == "bad.org" and problem["line"] >= 0
        assert problem["message"] and problem["remedy"]
    assert memex.rebuild()["result"] == "equal"


@pytest.mark.parametrize(
    "text", ["* A\n:PROPERTIES:\n:TOWN: London\n* B\n",
             "* A\nText.\n:PROPERTIES:\n:TOWN: x\n:END:\n",
             "* A\nSCHEDULED: <2024-13-45 Mon>\n", "#+SETUPFILE: missing.org\n* A\n"],
    ids=["unclosed drawer", "drawer after text", "impossible date", "missing setup file"],
)  # fmt: skip
def test_bad_nodes_are_reported_with_place_excerpt_and_remedy(memex: Memex, text: str) -> None:
    [problem] = with_bad(memex, text.encode()).init().sync(code=1)["problems"]
    assert problem["path"] == "bad.org" and problem["line"] >= 1
    assert problem["excerpt"] and problem["message"] and problem["remedy"] and problem["key"]
    memex.run("doctor").expect(1).names(f"bad.org:{problem['line']}")


def test_bad_files_that_are_no_files(memex: Memex) -> None:
    """A lock that dangles, a link out, a loop, a folder and a FIFO named like notes."""
    memex.write("fine.org", GOOD)
    (memex.root / ".#fine.org").symlink_to("user@host.123:456")
    (memex.root / "dangling.org").symlink_to("nowhere.org")
    (memex.root / "loop").symlink_to(".")
    (memex.root / "folder.org").mkdir()
    outside = memex.base / "outside.org"
    outside.write_text("* Secret\n- colour :: black\n")
    (memex.root / "out.org").symlink_to(outside)
    os.mkfifo(memex.root / "pipe.org")
    for name in ("fine.org~", "#fine.org#", "x.sync-conflict-1.org"):
        memex.write(name, "* Copy\n- colour :: red\n")
    (memex.root / ".hidden").mkdir()
    memex.write(".hidden/x.org", "* Hidden\n- colour :: red\n")
    (memex.root / os.fsdecode(b"bad\xff.org")).write_bytes(GOOD)

    body = memex.init().run("sync", "--json").expect(0, 1).one
    assert memex.current("? colour ?") == ["Good colour green"]
    named = " ".join(str(skip["path"]) for skip in body["files"]["skipped"])
    for name in ("dangling.org", "out.org", "pipe.org", "sync-conflict"):
        assert name in named
    assert ".#fine.org" not in named and "fine.org~" not in named


def test_bad_duplicate_titles_and_headings_keep_their_own_facts(memex: Memex) -> None:
    memex.write("a.org", "* Same\n- hat :: red\n* Same\n- hat :: blue\n").begin()
    facts = {f["groundings"][0]["heading"]: f["value"] for f in memex.query("? hat ?").facts}
    assert facts == {"a.org#Same#1": "red", "a.org#Same#2": "blue"}
    assert {f["entity_kind"] for f in memex.query("? hat ?").facts} == {"heading"}


def test_bad_names_with_signs_of_the_key_are_encoded(memex: Memex) -> None:
    memex.write("100% #1.org", "* A/B #2 50%\n- hat :: red\n").begin()
    [grounding] = memex.fact("? hat ?")["groundings"]
    assert grounding["heading"] == "100%25 %231.org#A%2FB %232 50%25#1"
    assert grounding["path"] == "100% #1.org"


def test_bad_candidates_each_get_their_reason(memex: Memex) -> None:
    memex.write("note.org", "* Ada\nAda wrote Poem.\n").begin()
    place = {"path": "note.org", "outline": ["Ada"]}
    good = candidate("Ada", "wrote", "Poem", "Ada wrote Poem", **place)
    bad = {
        "no entity": '{"relation": "r", "value": "v", "quote": "q", "path": "note.org"}\n',
        "unknown key": good.replace('"Ada",', '"Ada", "delete": 4,', 1),
        "bad kind": good.replace('"Poem"', '"Poem", "kind": "integer"', 1),
        "bad entity kind": good.replace('"Ada",', '"Ada", "entity_kind": "planet",', 1),
        "bad polarity": good.replace('"Ada",', '"Ada", "polarity": "perhaps",', 1),
        "bad confidence": good.replace('"Ada",', '"Ada", "confidence": 7,', 1),
        "no quote": good.replace('"quote": "Ada wrote Poem"', '"quote": ""'),
        "another heading": good.replace('["Ada"]', '["Bo"]'),
        "another file": good.replace("note.org", "none.org"),
        "another case": good.replace('"quote": "Ada wrote', '"quote": "ada wrote'),
        "empty name": good.replace('"value": "Poem"', '"value": "  "'),
    }
    lines = memex.propose("".join(bad.values()) + good, code=4)
    outcomes = [line["outcome"] for line in lines]
    assert outcomes[-1] == "admitted", "the good line is judged on its own"
    for what, line in zip(bad, lines, strict=False):
        assert line["outcome"] in ("malformed", "ungrounded"), what
        assert line["reasons"], what
    assert len(memex.queue()) == 1
    assert len(memex.journal("refuse")) == len(bad), "recorded, each with its reason"
    before = memex.journal_bytes()
    memex.propose("".join(bad.values()), code=4)
    assert memex.journal_bytes() == before, "and only once"


@pytest.mark.parametrize(
    "line",
    ["nonsense", "[1, 2]", '{"entity": "Ada"', '{"entity": "a", "entity": "b"}', '{"x": NaN}',
     '"text"', "null", "[" * 5000],
)  # fmt: skip
def test_bad_candidate_lines_are_named_and_the_others_judged(memex: Memex, line: str) -> None:
    memex.write("note.org", "* Ada\nAda wrote Poem.\n").begin()
    good = candidate("Ada", "wrote", "Poem", "Ada wrote Poem", path="note.org", outline=["Ada"])
    file = memex.base / "mixed.jsonl"
    file.write_text(f"{good}{line}\n\n", encoding="utf-8")
    memex.run("propose", "--from", str(file)).expect(7).names("mixed.jsonl:2", line[:20])
    assert len(memex.queue()) == 1


def test_bad_candidate_files(memex: Memex) -> None:
    memex.begin()
    memex.run("propose", "--from", str(memex.base / "none.jsonl")).expect(2).names("none.jsonl")
    file = memex.base / "latin.jsonl"
    file.write_bytes(b'{"entity": "x"}\n{"entity": "F\xfcr"}\n')
    memex.run("propose", "--from", str(file)).expect(2, 7).names("latin.jsonl:2", "UTF-8")
    memex.run("propose", "--from").expect(2).names("--from")
    memex.run("propose", "--from", str(memex.base)).expect(2).names("cannot be read")
    memex.run("propose", "--from", str(file), "note.org").expect(2).names("--from")


def test_bad_dry_run_writes_nothing(memex: Memex) -> None:
    memex.write("note.org", "* Ada\nAda wrote Poem.\n").begin()
    file = memex.base / "c.jsonl"
    good = candidate("Ada", "wrote", "Poem", "Ada wrote Poem", path="note.org", outline=["Ada"])
    file.write_text(good, encoding="utf-8")
    before = memex.journal_bytes()
    [line] = memex.run("propose", "--from", str(file), "--dry-run", "--json").expect(0).lines
    assert line["outcome"] == "admitted"
    assert memex.journal_bytes() == before and memex.queue() == []
