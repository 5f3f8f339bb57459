"""Headings as records: keys, outlines, what is inherited, hashes that line ends do not change."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex.headings import claims, read_document, rekey
from memex.keys import IdClaim, outline_key, parse_path_key, resolve_ids
from memex.nodes import Document, Node, prose
from memex.problems import Skipped
from memex.timestamps import Stamp
from symbolic.names import digest, nfc
from tests.memex.orgtext import lines, org_bytes


def document(text: str | bytes, path: str = "n.org", **setup: bytes) -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    files = {name.replace("_", "."): value for name, value in setup.items()}
    read = read_document(path, data, setup=lambda name: files.get(name, "there is no such file"))
    assert isinstance(read, Document)
    return read


def nodes(text: str, path: str = "n.org") -> tuple[Node, ...]:
    return document(text, path).nodes


def keys(text: str, path: str = "n.org") -> list[str]:
    return [node.key for node in nodes(text, path)]


def test_keys_count_headings_of_one_outline() -> None:
    assert keys("* A\n** B\n** B\n* A\n** B\n* C\n") == [
        "n.org#", "n.org#A#1", "n.org#A/B#1", "n.org#A/B#2", "n.org#A#2", "n.org#A/B#3",
        "n.org#C#1",
    ]


def test_keys_leave_out_keyword_priority_tags_and_cookies() -> None:
    text = "* TODO [#A] COMMENT Pack [1/3] bags [33%] :x:\n** DONE Socks [/]\n"
    assert keys(text)[1:] == ["n.org#Pack bags#1", "n.org#Pack bags/Socks#1"]
    assert nodes(text)[1].raw.title == "Pack [1/3] bags [33%]"


def test_keys_encode_what_separates() -> None:
    assert keys("* 50% of a/b #1\n", "d#x/100%.org") == [
        "d%23x/100%25.org#", "d%23x/100%25.org#50%25 of a%2Fb %231#1",
    ]


def test_an_id_is_the_key_in_any_case_of_the_drawer_and_counts_in_nth() -> None:
    text = ":properties:\n:id: f\n:end:\n* A\n:PROPERTIES:\n:Id: 1\n:END:\n* A\n"
    assert keys(text) == ["id:f", "id:1", "n.org#A#2"]
    assert keys("* A\n:PROPERTIES:\n:ID:\n:END:\n")[1] == "n.org#A#1"


@given(st.lists(st.text("ab/%#é ", max_size=4), min_size=1, max_size=4), st.integers(1, 99))
def test_a_path_key_can_be_taken_apart(outline: list[str], nth: int) -> None:
    path = "a%/b#/c.org"
    parts = parse_path_key(outline_key(path, outline, nth))
    assert parts == (path, tuple(outline), nth)


@given(org_bytes())
def test_keys_are_unique_in_a_file(data: bytes) -> None:
    read = read_document("n.org", data)
    if isinstance(read, Skipped):
        return
    found = [node.path_key for node in read.nodes]
    assert len(found) == len(set(found))
    assert len({node.key for node in read.nodes}) == len(read.nodes)
    for node in read.nodes:
        assert parse_path_key(node.path_key) == (node.path, node.outline, node.nth)


@given(lines)
def test_line_ends_and_unicode_form_change_no_hash(parts: list[str]) -> None:
    def hashes(text: str) -> list[object]:
        read = read_document("n.org", text.encode("utf-8", "surrogatepass"))
        if isinstance(read, Skipped):
            return [read.reason.split(" at ")[0]]
        return [
            (node.key, node.text, node.text_hash, node.body_hash, node.tags, node.evidence_date)
            for node in read.nodes
        ]

    unix = hashes("".join(f"{part}\n" for part in parts))
    assert hashes("".join(f"{part}\r\n" for part in parts)) == unix
    assert hashes("".join(f"{part}\r" for part in parts)) == unix
    assert hashes("\ufeff" + "".join(f"{part}\n" for part in parts)) == unix


def test_text_is_the_own_text_nfc_with_lf() -> None:
    text = "intro\r\n* Cafe\u0301\r\nSCHEDULED: <2024-01-01>\r\nx\r\n** Child\r\ny"
    _, top, child = nodes(text)
    assert top.text == "* Café\nSCHEDULED: <2024-01-01>\nx\n"
    assert (child.text, child.body) == ("** Child\ny", "y")
    assert top.text_hash == digest(top.text)
    assert top.body_hash == digest("SCHEDULED: <2024-01-01>\nx\n")
    assert top.title == nfc("Cafe\u0301")


def test_a_move_or_rename_keeps_the_body_hash() -> None:
    before = nodes("* Old name\nwords\n")[1]
    after = nodes("* A\n** TODO New name\nwords\n")[2]
    assert before.body_hash == after.body_hash
    assert before.text_hash != after.text_hash


def test_a_file_is_heading_0() -> None:
    file = nodes("#+title: Notes\n#+filetags: :f:\nintro\n* A\n", "d/x.org")[0]
    assert (file.title, file.key, file.outline, file.nth, file.level) == (
        "Notes", "d/x.org#", (), 0, 0)
    assert (file.tags, file.text) == (("f",), "#+title: Notes\n#+filetags: :f:\nintro\n")
    assert file.text_hash == file.body_hash
    assert nodes("x\n", "d/my notes.org")[0].title == "my notes"


def test_tags_are_inherited_in_order_and_once() -> None:
    tags = [node.tags for node in nodes("#+FILETAGS: :f:\n* A :a:\n** B :b:a:\n*** C\n* D\n")]
    assert tags == [("f",), ("f", "a"), ("f", "a", "b"), ("f", "a", "b"), ("f",)]
    assert nodes("* A :a:\n** B :b:\n")[2].own_tags == ("b",)


def test_properties_and_their_lines() -> None:
    text = "* é\n:PROPERTIES:\n:Author:  Ann \n:AUTHOR+: Bob\n:author: Cy\n:Empty:\n:END:\n"
    node = nodes(text)[1]
    assert [(row.name, row.value) for row in node.properties] == [
        ("Author", "Ann"), ("AUTHOR+", "Bob"), ("author", "Cy"), ("Empty", ""),
    ]
    assert [text.encode()[row.start : row.end].decode() for row in node.properties] == [
        ":Author:  Ann \n", ":AUTHOR+: Bob\n", ":author: Cy\n", ":Empty:\n",
    ]
    assert node.value("author") == "Ann Bob"
    assert node.value("EMPTY") == ""
    assert node.value("none") is None


def test_properties_are_inherited_from_headings_the_file_and_keywords() -> None:
    text = (
        "#+PROPERTY: Lang en\n#+PROPERTY: Var a=1\n#+PROPERTY: Var+ b=2\n"
        "* A\n:PROPERTIES:\n:Lang: de\n:Var+: c=3\n:END:\n** B\n* C\n"
    )
    _, a, b, c = nodes(text)
    assert [node.inherited("lang") for node in (a, b, c)] == ["de", "de", "en"]
    assert [node.inherited("var") for node in (a, b, c)] == [
        "a=1 b=2 c=3", "a=1 b=2 c=3", "a=1 b=2"]
    drawer = ":PROPERTIES:\n:Lang: fr\n:END:\n#+PROPERTY: Lang en\n* A\n"
    assert nodes(drawer)[1].inherited("LANG") == "fr"
    assert a.inherited("nothing") is None


def test_agent_is_inherited_and_can_be_taken_back() -> None:
    text = (
        "* A\n:PROPERTIES:\n:agent: t\n:END:\n** B\n"
        "** C\n:PROPERTIES:\n:AGENT: nil\n:END:\n*** D\n* E\n"
    )
    assert [node.agent for node in nodes(text)] == [False, True, True, False, False, False]
    assert all(node.agent for node in nodes("#+PROPERTY: AGENT t\n* A\n"))


def test_archived_and_commented_cover_the_subtree() -> None:
    text = "* A :ARCHIVE:\n** B\n* C\n* COMMENT D\n** E\n"
    assert [node.archived for node in nodes(text)] == [False, True, True, False, False, False]
    assert [node.commented for node in nodes(text)] == [False, False, False, False, True, True]
    assert all(node.archived for node in nodes("* A\n", "x.org_archive"))


def test_odd_levels_keep_the_written_one() -> None:
    found = nodes("#+STARTUP: odd\n* A\n*** B\n***** C\n")[1:]
    assert [(node.level, node.raw.stars) for node in found] == [(1, 1), (2, 3), (3, 5)]
    assert nodes("#+STARTUP: odd oddeven\n* A\n*** B\n")[2].level == 3


def test_planning_entries_and_where_they_stand() -> None:
    text = "* é\n  CLOSED: [2024-01-02 Tue 10:00] DEADLINE: <2024-01-03 Wed +1w/2w -2d>\n"
    planning = nodes(text)[1].planning
    assert planning.scheduled is None
    assert planning.closed is not None and planning.deadline is not None
    assert planning.closed.stamp == Stamp(
        raw="[2024-01-02 Tue 10:00]", active=False, date="2024-01-02", time="10:00")
    stamp = planning.deadline.stamp
    assert stamp is not None and stamp.repeater is not None and stamp.warning is not None
    assert (stamp.repeater.mark, stamp.repeater.deadline) == ("+", (2, "w"))
    for entry in (planning.closed, planning.deadline):
        assert text.encode()[entry.start : entry.end].decode() == entry.raw


def test_planning_stands_right_below_the_heading_or_is_text() -> None:
    assert nodes("* A\n\nSCHEDULED: <2024-01-01>\n")[1].planning.scheduled is None
    assert nodes("* A\nscheduled: <2024-01-01>\n")[1].planning.scheduled is None


def test_an_impossible_date_is_a_problem_and_the_rest_is_read() -> None:
    read = document(
        "* A\nSCHEDULED: <2024-02-31 Sat>\n:PROPERTIES:\n:Effort: lots\n:END:\nx <2023-13-01>\n"
    )
    node = read.nodes[1]
    assert node.planning.scheduled is not None and node.planning.scheduled.stamp is None
    assert node.value("effort") == "lots"
    assert [(problem.key, problem.line) for problem in read.problems] == [
        ("impossible-date", 2), ("impossible-date", 6)]
    assert read.problems[0].excerpt == "SCHEDULED: <2024-02-31 Sat>"
    assert read.problems[0].remedy


def test_unseen_drawers_are_problems_with_their_line() -> None:
    read = document("* A\n:PROPERTIES:\n:ID: 1\n* B\n\n:PROPERTIES:\n:END:\n")
    assert [(problem.key, problem.line) for problem in read.problems] == [
        ("unseen-drawer", 2), ("unseen-drawer", 6)]
    assert read.nodes[1].ident is None


def test_bytes_that_are_no_utf8_are_skipped_with_the_place() -> None:
    skipped = read_document("l.org", b"* A\nna\xefve\n")
    assert isinstance(skipped, Skipped)
    assert "line 2, byte 6" in skipped.reason


def test_nul_is_text() -> None:
    assert nodes("* A\x00B\n")[1].title == "A\x00B"


def test_of_a_duplicate_id_the_first_keeps_it() -> None:
    read = document("* A\n:PROPERTIES:\n:ID: x\n:END:\n* B\n:PROPERTIES:\n:ID: x\n:END:\n")
    assert [node.key for node in read.nodes] == ["n.org#", "id:x", "n.org#B#1"]
    assert [(problem.key, problem.line) for problem in read.problems] == [("duplicate-id", 5)]
    assert "n.org:1" in read.problems[0].message and "n.org:5" in read.problems[0].message


def test_duplicates_over_files_go_by_path_and_move_when_the_first_goes() -> None:
    text = "* A\n:PROPERTIES:\n:ID: x\n:END:\n"
    first, second = nodes(text, "a.org"), nodes(text, "b.org")
    both = resolve_ids([*claims(second), *claims(first)])
    assert [node.key for node in rekey(first, both)] == ["a.org#", "id:x"]
    assert [node.key for node in rekey(second, both)] == ["b.org#", "b.org#A#1"]
    assert "a.org:1" in both.problems[0].message and "b.org:1" in both.problems[0].message
    alone = resolve_ids(claims(second))
    assert rekey(rekey(second, both), alone) == second


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abc"), st.integers(0, 3)),
                unique_by=lambda row: row[1:]), st.randoms())
def test_who_keeps_an_id_does_not_depend_on_the_order(
    rows: list[tuple[str, str, int]], random: object
) -> None:
    claimed = [IdClaim(*row) for row in rows]
    once = resolve_ids(claimed)
    random.shuffle(claimed)  # type: ignore[attr-defined]
    assert resolve_ids(claimed) == once
    for ident in {row[0] for row in rows}:
        keeping = [claim for claim in claimed if claim.ident == ident and once.keeps(*claim[:3])]
        assert len(keeping) == 1
    assert len(once.problems) == len(rows) - len(once.owners)


def test_setup_files_add_to_the_file() -> None:
    read = document(
        "#+SETUPFILE: s.org\n#+TODO: A | B\n#+FILETAGS: :own:\n* D x\n* A y\n",
        s_org=b"#+TODO: C | D\n#+FILETAGS: :more:\n#+PROPERTY: Lang en\n#+STARTUP: odd\n"
        b"#+TITLE: not mine\n#+SETUPFILE: t.org\n",
        t_org=b"#+SETUPFILE: s.org\n#+FILETAGS: :deep:\n",
    )
    assert [node.todo for node in read.nodes[1:]] == ["D", "A"]
    assert read.nodes[0].tags == ("own", "more", "deep")
    assert read.nodes[1].inherited("lang") == "en"
    assert read.settings.odd and read.nodes[0].title == "n"
    assert [path for path, sha in read.depends if sha] == ["s.org", "t.org"]
    assert read.problems == ()


@pytest.mark.parametrize(("value", "word"), [
    ("https://example.org/s.org", "URL"), ("../s.org", "outside"), ("/etc/s.org", "outside"),
    ("~/s.org", "outside"), ("gone.org", "no such file"), ("", "names no"),
])
def test_a_setup_file_that_is_not_read_is_told(value: str, word: str) -> None:
    read = document(f"x\n#+SETUPFILE: {value}\n* TODO A\n")
    assert [(problem.key, problem.line) for problem in read.problems] == [("setupfile", 2)]
    assert word in read.problems[0].message
    assert read.nodes[1].todo == "TODO"


def test_the_record_of_the_fold() -> None:
    node = nodes("* TODO A :x:\nbody <2024-05-06 Mon>\n")[1]
    record = prose(node)
    assert (record.key, record.title, record.tags) == ("n.org#A#1", "A", ("x",))
    assert (record.line, record.offset, record.outline, record.nth) == (1, 0, ("A",), 1)
    assert record.evidence_date == "2024-05-06"
    assert unquote(record.key.split("#")[1]) == "A"
