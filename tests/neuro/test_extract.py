"""The mechanical reader: Org in, statements with the text they stand on out."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex.headings import read_document
from memex.markup import scan as scan_markup
from memex.nodes import Document
from memex.scan import scan
from neuro.blocks import read_body, stretches, unread
from neuro.extract import Extraction, extract
from symbolic.records import HEADING_SUBJECT, Provenance
from tests.timing import assert_linear


def read(text: str | bytes, path: str = "notes/a.org") -> Extraction:
    data = text if isinstance(text, bytes) else text.encode()
    document = read_document(path, data)
    assert isinstance(document, Document)
    found = extract(document)
    for reading in found.readings:
        assert data[reading.start : reading.end].decode() == reading.quote
    return found


def rows(text: str, path: str = "notes/a.org") -> list[tuple[str, str, str | None, str]]:
    """Return (relation, value, kind, quote) of each reading."""
    return [
        (one.written.relation, one.written.value, one.written.kind, one.quote)
        for one in read(text, path).readings
    ]


CASES = {
    "properties": (
        """\
* Pale Fire :novel:@home:
SCHEDULED: <2024-02-01 Thu 09:30 +1w> DEADLINE: <2024-03-01 Fri>
:PROPERTIES:
:ID:       4c0b1f0e-0000-4000-8000-000000000001
:Author:   Vladimir Nabokov
:genres+:  novel
:GENRES+:  poem
:EMPTY:
:Effort:   1:00
:ARCHIVE_TIME: 2024-01-01
:header-args:python: :results none
:STATUS_ALL: a b
:AGENT-NOTE: x
:KIND: class
:PAGE_COUNT: 315
:END:
""",
        [
            ("tagged", "novel", "name", "novel"),
            ("tagged", "@home", "name", "@home"),
            ("scheduled", "2024-02-01", "date", "SCHEDULED: <2024-02-01 Thu 09:30 +1w>"),
            ("deadline", "2024-03-01", "date", "DEADLINE: <2024-03-01 Fri>"),
            ("author", "Vladimir Nabokov", None, ":Author:   Vladimir Nabokov"),
            ("genres", "novel", None, ":genres+:  novel"),
            ("genres", "poem", None, ":GENRES+:  poem"),
            ("agent-note", "x", None, ":AGENT-NOTE: x"),
            ("page_count", "315", None, ":PAGE_COUNT: 315"),
        ],
    ),
    "the file is heading 0": (
        """\
:PROPERTIES:
:author: Ada
:END:
#+title: T
#+filetags: :essay: draft:two:
See [[id:42][N]].
""",
        [
            ("author", "Ada", None, ":author: Ada"),
            ("tagged", "essay", "name", "essay"),
            ("tagged", "draft", "name", "draft"),
            ("tagged", "two", "name", "two"),
            ("links-to", "id:42", "heading", "[[id:42][N]]"),
        ],
    ),
    "closed, and diary and impossible dates": (
        """\
* DONE A
CLOSED: [2024-02-24 Sat 17:57]
* B
SCHEDULED: <%%(diary-float t 4 2)>
* C
DEADLINE: <2024-02-31 Sat>
""",
        [("closed", "2024-02-24", "date", "CLOSED: [2024-02-24 Sat 17:57]")],
    ),
    "description items": (
        """\
* T
- Author :: Vladimir
  Nabokov
- *Published* in :: 1962
- [X] done :: yes
+ a :: b :: c
1. no :: ordered
- no:: term
- :: nothing
- empty ::
- [[id:9][Place]] :: [[id:8]]
  - inner :: text
text - not :: an item
""",
        [
            ("Author", "Vladimir Nabokov", None, "- Author :: Vladimir"),
            ("Published in", "1962", None, "- *Published* in :: 1962"),
            ("done", "yes", None, "- [X] done :: yes"),
            ("a :: b", "c", None, "+ a :: b :: c"),
            ("Place", "[[id:8]]", None, "- [[id:9][Place]] :: [[id:8]]"),
            ("links-to", "id:9", "heading", "[[id:9][Place]]"),
            ("links-to", "id:8", "heading", "[[id:8]]"),
            ("inner", "text", None, "- inner :: text"),
        ],
    ),
    "what is not prose is not read": (
        """\
* T
#+BEGIN_SRC org
[[id:1]]
- a :: b
#+END_SRC
  #+begin_example
  [[id:2]]
  #+end_example
#+begin_quote
[[id:3]]
#+begin_src x
#+end_quote
#+begin_verse
[[id:4]]
#+end_verse
#+begin_comment
[[id:5]]
#+end_comment
#+begin_export html
[[id:6]]
#+end_export
: [[id:7]]
# [[id:8]]
#+caption: [[id:9]]
#+begin_center
[[id:10]]
#+end_center
| [[id:11]] | x |
#+begin_src never closed
[[id:12]]
* COMMENT hidden
[[id:13]]
** child
[[id:14]]
* written by the program
:PROPERTIES:
:AGENT: t
:AUTHOR: x
:END:
[[id:15]]
** child :tag:
[[id:16]]
*** a person's again
:PROPERTIES:
:AGENT: nil
:END:
[[id:17]]
""",
        [
            ("links-to", "id:10", "heading", "[[id:10]]"),
            ("links-to", "id:11", "heading", "[[id:11]]"),
            ("links-to", "id:12", "heading", "[[id:12]]"),
            ("links-to", "id:17", "heading", "[[id:17]]"),
        ],
    ),
    "the same words twice are one reading": (
        "* T\n[[id:1]] and [[id:1]], [[id:1][one]]\n",
        [
            ("links-to", "id:1", "heading", "[[id:1]]"),
            ("links-to", "id:1", "heading", "[[id:1][one]]"),
        ],
    ),
}
@pytest.mark.parametrize("name", list(CASES))
def test_what_is_read(name: str) -> None:
    text, expected = CASES[name]
    assert rows(text) == expected


LINKS = [
    ("[[file:b.org]]", "notes/b.org", "path"),
    ("[[file:b.org][*desc*]]", "notes/b.org", "path"),
    ("[[./x/../b.org]]", "notes/b.org", "path"),
    ("[[file:../../out.org]]", "../out.org", "path"),
    ("[[file:../c/d.org::*Some/Title][d]]", "c/d.org#Some%2FTitle#1", "heading"),
    ("[[file:b.org::#custom]]", "notes/b.org::#custom", "heading"),
    ("[[file:b.org::some words]]", "notes/b.org", "path"),
    ("[[file:b.org::12]]", "notes/b.org", "path"),
    ("[[./a.org::#here]]", "notes/a.org#T/Second heading#1", "heading"),
    ("[[file:::*second  HEADING]]", "notes/a.org#T/Second heading#1", "heading"),
    ("[[*Second\nheading]]", "notes/a.org#T/Second heading#1", "heading"),
    ("[[#here]]", "notes/a.org#T/Second heading#1", "heading"),
    ("[[Second heading]]", "notes/a.org#T/Second heading#1", "heading"),
    ("[[*Has ID]]", "id:77", "heading"),
    ("[[*No such]]", "notes/a.org#No such#1", "heading"),
    ("[[#nowhere]]", "notes/a.org::#nowhere", "heading"),
    ("[[Wiki Page]]", "Wiki Page", "name"),
    ("[[id:7f::*B][x]]", "id:7f", "heading"),
    ("[[/etc/hosts]]", "/etc/hosts", "path"),
    ("[[file:///etc/hosts]]", "/etc/hosts", "path"),
    ("[[file:~/x.org]]", "~/x.org", "path"),
    ("https://example.org/x", "https://example.org/x", "url"),
    ("<mailto:a@b.c>", "mailto:a@b.c", "url"),
    ("[[doi:10.1/2]]", "doi:10.1/2", "url"),
    ("[[note:foo][custom]]", "note:foo", "url"),
    (r"[[https://x.y/\[1\]]]", "https://x.y/[1]", "url"),
    ("[[заметка.org]]", "заметка.org", "name"),
    ("[[file:заметка.org]]", "notes/заметка.org", "path"),
]


@pytest.mark.parametrize(("link", "value", "kind"), LINKS)
def test_what_a_link_names(link: str, value: str, kind: str) -> None:
    text = (
        f"* T\nжё {link}, and so on\n** Second heading\n:PROPERTIES:\n:CUSTOM_ID: here\n:END:\n"
        "** Has ID\n:PROPERTIES:\n:ID: 77\n:END:\n"
    )
    assert rows(text) == [("links-to", value, kind, link)]


@pytest.mark.parametrize("link", ["[[(ref)]]", "[[kbd:][TAB]]", "[[b.org", "=[[id:1]]=", "[[id:]]"])
def test_what_names_nothing(link: str) -> None:
    assert rows(f"* T\n{link}\n") == []


KNOWLEDGE = """\
* N
:PROPERTIES:
:FACT: (:entity :ada :born 1815)
:fact+: (:entity :ada :relation)
:END:
#+Begin_Src Knowledge :results none
  (:entity :nabokov :relation :lectures-on :value :kafka)
\t:entity :nabokov :born 1899

  ; a comment
  (:entity "é" :value :x)
  (:file ".env" :member-of-class :secret-files)
#+end_src
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_knowledge_blocks_and_fact_properties(ending: str) -> None:
    text = KNOWLEDGE.replace("\n", ending)
    found = read("\ufeff" + text)
    assert [(one.written.entity, one.written.relation) for one in found.readings] == [
        ("ada", "born"),
        ("nabokov", "lectures-on"),
        ("nabokov", "born"),
        (".env", "member-of-class"),
    ]
    assert {one.provenance for one in found.readings} == {Provenance.HUMAN}
    assert found.readings[0].quote == "(:entity :ada :born 1815)"
    assert found.readings[2].quote == ":entity :nabokov :born 1899"
    first, second = found.problems
    assert (first.key, first.path, first.line, first.column) == ("bad-fact", "notes/a.org", 4, 23)
    assert (second.line, second.column) == (11, 3)
    assert "no relation" in second.message and second.remedy


def test_the_subject_of_what_is_extracted_is_its_heading() -> None:
    found = read("* T :a:\n** U\n:PROPERTIES:\n:ID: 7\n:Author: x\n:END:\n")
    assert {one.written.entity for one in found.readings} == {HEADING_SUBJECT}
    assert [one.heading for one in found.readings] == ["notes/a.org#T#1", "id:7"]
    assert {one.provenance for one in found.readings} == {Provenance.EXTRACTED}


@pytest.mark.parametrize("path", ["system/ontology.org", "system/rules/x.org", "system/a.org"])
def test_the_programs_folder_is_not_read(path: str) -> None:
    assert read(KNOWLEDGE, path) == Extraction()
    assert read(KNOWLEDGE, "systems/a.org").readings


def test_a_drawer_that_org_does_not_see_states_nothing() -> None:
    assert rows("* T\n\n:PROPERTIES:\n:AUTHOR: x\n:END:\n") == []
    assert rows("* T\n:PROPERTIES:\n:AUTHOR: x\n") == []


def test_a_name_of_3000_characters_is_not_cut() -> None:
    name = "n" * 3000
    text = f'* T\n:PROPERTIES:\n:FACT: (:entity "{name}" :is :long)\n:AUTHOR: {name}\n:END:\n'
    found = read(text)
    assert [one.written.entity for one in found.readings] == [name, HEADING_SUBJECT]
    assert found.readings[1].written.value == name and not found.problems


def test_a_line_over_the_limit_is_reported() -> None:
    fact = f'(:entity "{"n" * 70000}" :is :long)'
    found = read(f"* T\n#+begin_src knowledge\n{fact}\n#+end_src\n")
    assert found.readings == () and found.problems[0].line == 3


LINES = st.sampled_from(
    [
        "* T", "** COMMENT U :a:b:", "*** Ü [[id:1][é]] :ж:", "SCHEDULED: <2024-02-01 Thu>",
        "CLOSED: [2024-13-01] DEADLINE: <2024-02-01", ":PROPERTIES:", ":END:", ":AUTHOR: Ж x ",
        ":FACT: (:entity :a :b :c)", ":FACT+: (((", ":AGENT: t", ":LOGBOOK:",
        "#+begin_src knowledge",
        "#+BEGIN_SRC", "#+end_src", "#+begin_quote", "#+end_quote", "#+filetags: :a::é:",
        "(:entity :é :b :c)", "(:entity", "- Ж :: é [[b]]", "  more", "- ::", "- [ ] a ::",
        "| [[a]] |", ": x", "# x", "*bold [[id:é]", "[[a][b]] <https://x.y> =v", "",
        "\u2028", "\x00",
    ]
)
ENDINGS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
ORG = st.lists(st.tuples(LINES | st.text(max_size=12), ENDINGS), max_size=30).map(
    lambda parts: "".join(line + ending for line, ending in parts)
)


@given(ORG)
def test_any_text_is_read_and_every_quote_selects_itself(text: str) -> None:
    data = text.encode("utf-8", "ignore")
    found = read(data)
    places = [(one.start, one.end) for one in found.readings]
    assert all(0 <= start < end <= len(data) for start, end in places)
    assert read(data) == found


UNITS = (
    ["[", "[[a][b", "[[a]\n", "| [[a]] ", "* [[a\n", "=a\n", "*a ", "* T :a:\n"],
    ["#+begin_src\n", "#+begin_src knowledge\n", "#+begin_quote\n#+end_quote\n", "#+begin_a\n"],
    ["- a :: ", "- a :: b\n", "- ::::", ": \n", ":a:\n", " :: \n"],
    ["(:entity :a :b :c)\n", "(:entity :a\n", "(:entity :a\r", "(((((((((\n"],
)


@pytest.mark.parametrize("opening", ["#+begin_center\n", "#+begin_src knowledge\n"])
@pytest.mark.parametrize("unit", [unit for row in UNITS for unit in row])
def test_hostile_text_takes_linear_time(unit: str, opening: str) -> None:
    assert_linear(
        lambda size: parsed("* T\n" + opening + unit * (size // len(unit)) + "\n#+end_src\n"),
        extract,
    )


@pytest.mark.parametrize("unit", ["[", "#+begin_src\n", "- a :: "])
def test_a_megabyte_takes_linear_time(unit: str) -> None:
    document = parsed("* T\n" + unit * ((1 << 20) // len(unit)))
    start = time.process_time()
    extract(document)
    # Quadratic would be half an hour: the bound can be wide.
    assert time.process_time() - start < 60


def parsed(text: str) -> Document:
    document = read_document("a.org", text.encode())
    assert isinstance(document, Document)
    return document


def test_real_files_are_read_and_every_quote_selects_itself(corpora: Path) -> None:
    count = 0
    for path in sorted([*corpora.rglob("*.org"), *corpora.rglob("*.org_archive")]):
        data = path.read_bytes()
        document = read_document(path.relative_to(corpora).as_posix(), data)
        if not isinstance(document, Document):
            continue
        for reading in extract(document).readings:
            assert data[reading.start : reading.end].decode() == reading.quote, path
            count += 1
    assert count > 5000


PIECES = st.lists(
    st.sampled_from([
        b"[[x]]", b"[[a][b]]", b"http://x.y", b" :: ", b"- a :: b", b"\n- ", b"  more", b"text",
        b" ", b"\n", b"\n\n", b"\n \n", b"\r\n", b"#+begin_src x\n", b"\n#+end_src\n",
        b"\n#+begin_quote\n", b"\n#+end_quote\n", b"\n#+begin_center\n", b"\n#+end_center\n",
        b"\n: fixed", b"\n# aside", b"| cell |", b"=",
    ]),
    max_size=30,
).map(b"".join)  # fmt: skip


@given(PIECES)
def test_what_is_left_out_holds_no_link_and_no_description(data: bytes) -> None:
    blocks = scan(data).outline.marks.blocks
    whole = read_body(data, 0, len(data), blocks)
    worth = stretches(data, 0, len(data), unread(blocks))
    parts = [read_body(data, *part, blocks) for part in worth]
    linked = [span for span in whole.paragraphs if scan_markup(data[slice(*span)].decode()).links]
    read_too = [span for part in parts for span in part.paragraphs]
    assert [span for span in read_too if span in linked] == linked
    assert [one for part in parts for one in part.descriptions] == list(whole.descriptions)
