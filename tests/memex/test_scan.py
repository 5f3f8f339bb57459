"""The scanner: every byte in one span, headings as Org sees them, whatever ends the lines."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memex.scan import RawNode, Scan, SpanKind, find_unseen_drawers, property_spans, scan, spans
from tests.memex.orgtext import lines, org_bytes


def holds(data: bytes) -> None:
    """The law of the scanner, and what its nodes promise about each other."""
    parts = spans(data)
    assert b"".join(data[part.start : part.end] for part in parts) == data
    assert all(part.start < part.end for part in parts)
    scanned = scan(data)
    nodes = scanned.nodes
    for number, node in enumerate(nodes):
        assert node.own == (nodes[number + 1].start if number + 1 < len(nodes) else len(data))
        assert node.head <= node.plan <= node.drawer_start <= node.drawer_end <= node.own
        assert node.body <= node.log_start <= node.own or node.log_end == node.body
        assert len(property_spans(data, node)) == len(node.properties)
        if number:
            parent = nodes[node.parent]
            assert parent.stars < node.stars
            assert parent.start <= node.start
            assert node.end <= parent.end
            assert data[node.start : node.start + node.stars + 1] == b"*" * node.stars + b" "


@given(st.binary(max_size=400))
@example(b"\xef\xbb\xbf* a\r* b\r\n** c\n\n*** d")
@example(b"")
@example(b"\xef\xbb\xbf")
@example(b"* a\n:LOGBOOK:\n:END:\n:PROPERTIES:\n:A: b\n:END:")
def test_spans_of_any_bytes_give_them_back(data: bytes) -> None:
    holds(data)


@given(org_bytes())
def test_spans_of_org_text_give_it_back(data: bytes) -> None:
    holds(data)


def test_spans_of_the_corpora_give_them_back(corpora: Path) -> None:
    files = sorted(path for path in corpora.rglob("*.org*") if path.is_file())
    assert files
    for path in files:
        holds(path.read_bytes())


def split_lines(text: str) -> list[str]:
    return re.split("\r\n|\n|\r", text)


@given(org_bytes())
def test_headings_are_the_lines_that_open_with_stars_and_a_space(data: bytes) -> None:
    text = data.decode("utf-8", "surrogatepass").removeprefix("\ufeff")
    expected = [
        (number, len(line) - len(line.lstrip("*")))
        for number, line in enumerate(split_lines(text), start=1)
        if re.match(r"\*+ ", line)
    ]
    assert [(node.line, node.stars) for node in scan(data).nodes[1:]] == expected


def read(node: RawNode) -> tuple[object, ...]:
    return node[10:]


@given(lines)
def test_line_ends_change_no_reading(parts: list[str]) -> None:
    readings = []
    for ending in ("\n", "\r\n", "\r"):
        data = "".join(part + ending for part in parts).encode("utf-8", "surrogatepass")
        readings.append([read(node) for node in scan(data).nodes])
    assert readings[0] == readings[1] == readings[2]


def drawer_by_lines(text: list[str]) -> list[tuple[str, str]]:
    """The reference: a property drawer read line by line, as the manual tells it."""
    if text and re.match(r"[ \t]*(CLOSED|DEADLINE|SCHEDULED):", text[0], re.IGNORECASE):
        text = text[1:]
    if not text or text[0].strip(" \t").upper() != ":PROPERTIES:":
        return []
    rows = []
    for line in text[1:]:
        if line.strip(" \t").upper() == ":END:":
            return rows
        match = re.fullmatch(r"[ \t]*:([^ \t\n\x0b\x0c]+):(?:[ \t]+(.*))?", line, re.DOTALL)
        if match is None:
            return []
        rows.append((match[1], (match[2] or "").rstrip(" \t")))
    return []


@given(st.lists(st.sampled_from((
    ":PROPERTIES:", " :properties: ", ":A: b", "\t:C:  d ", ":E:", ":F+: g", ":a:b: c", ":X:y",
    ":END:", "  :end:", ":END: x", "", " ", "text", "SCHEDULED: <2024-01-01>", "closed: x", ":: z",
)), max_size=8))
def test_drawers_read_as_line_by_line(body: list[str]) -> None:
    data = "\n".join(["* H", *body]).encode()
    # A final line without an end is a property line only if the drawer goes on: never.
    assert list(scan(data).nodes[1].properties) == drawer_by_lines(body)


def first(text: str) -> RawNode:
    return scan(text.encode()).nodes[1]


@pytest.mark.parametrize(("line", "todo", "priority", "title", "tags"), [
    ("* TODO Buy milk :shop:", "TODO", None, "Buy milk", ("shop",)),
    ("* TODO", None, None, "TODO", ()),
    ("* TODO\tx", None, None, "TODO\tx", ()),
    ("* todo x", None, None, "todo x", ()),
    ("* TODOx", None, None, "TODOx", ()),
    ("* DONE [#A] x :a:b:", "DONE", "A", "x", ("a", "b")),
    ("* [#12] x", None, "12", "x", ()),
    ("* x [#A]", None, None, "x [#A]", ()),
    ("* :only:", None, None, "", ("only",)),
    ("* TODO :only:", "TODO", None, "", ("only",)),
    ("* glued:tag:", None, None, "glued:tag:", ()),
    ("* x :a::b:", None, None, "x", ("a", "b")),
    ("* x :no tag:", None, None, "x :no tag:", ()),
    ("* x\t:a@b:c#%_d:\t ", None, None, "x", ("a@b", "c#%_d")),
    ("* मीटिंग :कार्यसूची:", None, None, "मीटिंग", ("कार्यसूची",)),
    ("* x ::", None, None, "x ::", ()),
])
def test_heading_lines(
    line: str, todo: str | None, priority: str | None, title: str, tags: tuple[str, ...]
) -> None:
    node = first(line)
    assert (node.todo, node.priority, node.title, node.tags) == (todo, priority, title, tags)


def test_comment_is_a_keyword_of_its_own() -> None:
    node = first("* TODO [#B] COMMENT Later :x:")
    assert (node.todo, node.commented, node.title) == ("TODO", True, "Later")
    assert not first("* COMMENTARY").commented


def test_stars_of_any_depth_are_headings() -> None:
    nodes = scan(f"* a\n{'*' * 15} Inline\n{'*' * 15} END\n{'*' * 900} deep\n".encode()).nodes
    assert [node.stars for node in nodes[1:]] == [1, 15, 15, 900]
    assert [node.parent for node in nodes[1:]] == [0, 1, 1, 3]


def test_a_star_at_column_0_of_a_block_is_a_heading_and_ends_the_block() -> None:
    scanned = scan(b"* a\n#+begin_src org\n* x\n#+TODO: ODD\n#+end_src\n")
    assert [node.title for node in scanned.nodes[1:]] == ["a", "x"]
    assert scanned.outline.marks.blocks == []
    assert scanned.outline.settings.active == ()
    assert scanned.outline.settings.done == ("ODD",)


def test_todo_sets_are_the_files_own() -> None:
    text = "#+SEQ_TODO: WAIT(w@/!) NEXT(n) | STOP(s) DROP\n#+typ_todo: Ann Bob\n"
    scanned = scan((text + "* NEXT a\n* TODO b\n* Bob c\n").encode())
    assert [node.todo for node in scanned.nodes[1:]] == ["NEXT", None, "Bob"]
    assert scanned.outline.settings.active == ("WAIT", "NEXT", "Ann")
    assert scanned.outline.settings.done == ("STOP", "DROP", "Bob")
    flags = scanned.outline.settings.todo[0].flags
    assert flags == (("WAIT", "w@/!"), ("NEXT", "n"), ("STOP", "s"))


def test_keywords_in_an_opaque_block_are_text_and_in_a_quote_they_count() -> None:
    text = "#+begin_example\n#+FILETAGS: :no:\n#+end_example\n#+begin_quote\n#+FILETAGS: :yes:\n"
    assert scan((text + "#+end_quote\n").encode()).outline.settings.filetags == ("yes",)
    assert scan(b"#+begin_src\n#+FILETAGS: :open:\n").outline.settings.filetags == ("open",)


def test_settings() -> None:
    settings = scan(
        b"#+TITLE: One\n#+title: two\n#+FILETAGS: :a:b: c\n#+STARTUP: overview odd\n"
        b"#+PROPERTY: Lang  en \n  #+archive: ::* Old\n#+SETUPFILE: \"s.org\"\nx #+TITLE: no\n"
    ).outline.settings
    assert settings.own_title == "One two"
    assert settings.filetags == ("a", "b", "c")
    assert settings.odd
    assert settings.properties == (("Lang", "en"),)
    assert settings.archive == "::* Old"
    assert [name for name, _ in settings.setupfiles] == ["s.org"]


@pytest.mark.parametrize("text", [
    "* H\n:PROPERTIES:\n\n:A: b\n:END:\n",
    "* H\n:PROPERTIES:\n:A: b\njunk\n:END:\n",
    "* H\n:PROPERTIES:\n:A:b\n:END:\n",
    "* H\n:PROPERTIES:\n:A: b\n",
    "* H\n:PROPERTIES:\n:A: b\n* :END:\n",
    "* H\nbody\n:PROPERTIES:\n:A: b\n:END:\n",
    "* H\n\n:PROPERTIES:\n:A: b\n:END:\n",
    "* H\n:LOGBOOK:\n:END:\n:PROPERTIES:\n:A: b\n:END:\n",
    "* H\n:PROPERTIES:\n:A: b\n:END: x\n",
])
def test_a_drawer_that_org_does_not_see_holds_nothing_and_is_told(text: str) -> None:
    scanned = scan(text.encode())
    assert scanned.nodes[1].properties == ()
    assert find_unseen_drawers(scanned) == (text.index(":PROPERTIES:"),)


def test_a_drawer_in_an_example_is_no_mistake() -> None:
    scanned = scan(b"* H\n#+begin_example\n:PROPERTIES:\n:A: b\n#+end_example\n")
    assert find_unseen_drawers(scanned) == ()


@pytest.mark.parametrize(("text", "seen"), [
    (":PROPERTIES:\n:ID: f\n:END:\n#+title: T\n", True),
    ("# a comment\n#\n:properties:\n:id: f\n:end:\n", True),
    ("\ufeff:PROPERTIES:\n:ID: f\n:END:\n", True),
    ("\n:PROPERTIES:\n:ID: f\n:END:\n", False),
    ("#+title: T\n:PROPERTIES:\n:ID: f\n:END:\n", False),
])
def test_the_drawer_of_the_file(text: str, seen: bool) -> None:
    assert bool(scan(text.encode()).nodes[0].properties) is seen


def kinds(text: str) -> list[tuple[SpanKind, str]]:
    data = text.encode()
    return [(part.kind, data[part.start : part.end].decode()) for part in spans(data)]


def test_spans_name_the_parts_in_order() -> None:
    text = (
        "# c\n:PROPERTIES:\n:ID: f\n:END:\nintro\n* H\n  SCHEDULED: <2024-01-01>\n  :properties:\n"
        "  :A: b\n  :end:\n  :Logbook:\n  x\n  :END:\nbody\n** S\nb1\n:LOGBOOK:\n:END:\nb2"
    )
    assert kinds(text) == [
        (SpanKind.BODY, "# c\n"),
        (SpanKind.PROPERTIES, ":PROPERTIES:\n:ID: f\n:END:\n"),
        (SpanKind.BODY, "intro\n"),
        (SpanKind.HEADING, "* H\n"),
        (SpanKind.PLANNING, "  SCHEDULED: <2024-01-01>\n"),
        (SpanKind.PROPERTIES, "  :properties:\n  :A: b\n  :end:\n"),
        (SpanKind.LOGBOOK, "  :Logbook:\n  x\n  :END:\n"),
        (SpanKind.BODY, "body\n"),
        (SpanKind.HEADING, "** S\n"),
        (SpanKind.BODY, "b1\n"),
        (SpanKind.LOGBOOK, ":LOGBOOK:\n:END:\n"),
        (SpanKind.BODY, "b2"),
    ]


def test_a_logbook_must_be_closed_before_the_next_heading_and_stand_in_no_block() -> None:
    for text in (
        "* H\n:LOGBOOK:\n* I\n:END:\n",
        "* H\n#+begin_src\n:LOGBOOK:\n:END:\n#+end_src\n",
        "* H\nx :LOGBOOK:\n:END:\n",
    ):
        assert SpanKind.LOGBOOK not in {kind for kind, _ in kinds(text)}


UNITS = (
    b"* a\n", b"*", b"*\n", b"** ", b"\r", b"\r\n", b"#", b"#+", b"#+begin_src\n", b"#+end_src\n",
    b"#+begin_a\n#+begin_b\n#+end_a\n", b"* a\n:PROPERTIES:\n:A: b\n", b":PROPERTIES:\n",
    b":LOGBOOK:\n", b":LOGBOOK:\n:END:\n", b":END:\n", b"* a\n:LOGBOOK:\n", b" ", b" #+TODO: A\n",
    b"#+begin_src\n#+TODO: A\n#+end_src\n", b"* TODO x [1/2] :a:\n:PROPERTIES:\n:ID: 1\n:END:\nx\n",
    b"* a\n:PROPERTIES:\n:a:b:c:d\n", b":a:", b"* :a:b:c:", b"\n", b"SCHEDULED: <2024-01-01>\n",
)


def work(job: Callable[[], object]) -> int:
    """Return how many calls `job` makes, of Python and of C functions alike."""
    count = 0

    def tick(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(tick)
    try:
        job()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", UNITS)
def test_work_grows_with_the_file(unit: bytes) -> None:
    def job(data: bytes) -> Callable[[], Scan]:
        def run() -> Scan:
            scanned = scan(data)
            find_unseen_drawers(scanned)
            return scanned

        return run

    small, large = (work(job(unit * count)) for count in (400, 1600))
    assert large <= 4.5 * small + 200


@pytest.mark.parametrize("unit", UNITS)
def test_half_a_megabyte_of_anything_is_read(unit: bytes) -> None:
    data = unit * (500_000 // len(unit))
    assert scan(data).nodes[0].end == len(data)
