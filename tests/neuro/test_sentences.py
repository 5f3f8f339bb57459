"""The sentences of a heading: exact slices of its running text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex.headings import read_document
from memex.nodes import Document, prose
from neuro.prose.sentences import quotations, sentences
from symbolic.grounding import locate
from symbolic.records import ProseHeading
from tests.timing import assert_linear


def heading(text: str) -> ProseHeading:
    """Return the last heading of an Org text."""
    document = read_document("notes/a.org", text.encode("utf-8", "surrogatepass"))
    assert isinstance(document, Document)
    return prose(document.nodes[-1])


def cut(body: str) -> list[str]:
    return [one.text for one in sentences(heading(f"* Note\n{body}\n"))]


CASES: dict[str, tuple[str, list[str]]] = {
    "plain": ("One is. Two is! Is three? Four", ["One is.", "Two is!", "Is three?", "Four"]),
    "over lines": ("One\n  goes on. Two.", ["One\n  goes on.", "Two."]),
    "titles": ("Dr. Ada met Mr. Bo. They left.", ["Dr. Ada met Mr. Bo.", "They left."]),
    "initials": ("J. K. Rowling wrote it. Yes.", ["J. K. Rowling wrote it.", "Yes."]),
    "latin": ("It is old, e.g. ten, i.e. old. Yes.", ["It is old, e.g. ten, i.e. old.", "Yes."]),
    "no before a number": ("See No. 5 there. No. Ada.", ["See No. 5 there.", "No.", "Ada."]),
    "decimals": ("It is 1.5 m. Yes.", ["It is 1.5 m. Yes."]),
    "lower case goes on": ("Yahoo! is a firm. Yes.", ["Yahoo! is a firm.", "Yes."]),
    "closing marks": ('He said "no." Then (so.) Yes.', ['He said "no."', "Then (so.)", "Yes."]),
    "japanese": ("猫です。犬だ！え？はい", ["猫です。", "犬だ！", "え？", "はい"]),
    "items": ("- Ada is\n  here\n- [ ] Bo.\n1. Cy\n", ["Ada is\n  here", "Bo.", "Cy"]),
    "description": ("- Ada :: She is. So.", ["She is.", "So."]),
    "paragraphs": ("Ada is\n\nBo is", ["Ada is", "Bo is"]),
    "unread": (
        "#+begin_src text\nAda.\n#+end_src\n#+begin_quote\nBo.\n#+end_quote\n#+caption: Cy.\n"
        ": Dee.\n# Eve.\n| Fay. |\n> Gus.\n\nHal.",
        ["Hal."],
    ),
    "drawers": (
        "SCHEDULED: <2024-02-01 Thu>\n:PROPERTIES:\n:X: Ada.\n:END:\n:LOGBOOK:\n- Bo.\n:END:\nCy.",
        ["Cy."],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_where_sentences_end(name: str) -> None:
    body, expected = CASES[name]
    assert cut(body) == expected


def test_the_heading_line_is_no_sentence_and_comment_silences() -> None:
    assert sentences(heading("* Ada is a poet.\n")) == ()
    assert sentences(heading("* COMMENT Note\nAda is a poet.\n")) == ()
    assert sentences(heading("* TODO COMMENT Note\nAda is a poet.\n")) == ()


def test_a_quotation_goes_on_over_sentences() -> None:
    found = sentences(heading("* N\nHe said “Ada is. Bo is. Cy is.” Dee is.\n"))
    assert [one.inside is not None for one in found] == [False, True, True, False]


def test_the_spans_of_quotations() -> None:
    text = 'a "b" c “d” e「f」g "h'
    assert [text[slice(*span)] for span in quotations(text, None)] == [
        '"b"', "“d”", "「f」", '"h',
    ]  # fmt: skip
    assert quotations("a” b", "“") == ((0, 2),)


TEXTS = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from([
            "Ada is. ", "\n", "\n\n", "- ", "#+begin_src\n", "#+end_src\n", "* ", "| ", "“", "。",
            "Dr. ", ":END:\n", ":PROPERTIES:\n", "é\r\n", "[[a][b]] ", "=c= ", "- d :: ",
        ]),
    ),
    max_size=20,
).map("".join)  # fmt: skip


@given(TEXTS)
def test_every_sentence_stands_in_the_text(text: str) -> None:
    document = read_document("a.org", text.encode())
    if not isinstance(document, Document):
        return
    for node in document.nodes:
        whole, at = prose(node), 0
        for one in sentences(whole):
            assert at <= one.start < one.end
            assert whole.text[one.start : one.end] == one.text == one.text.strip()
            assert locate(whole.text, one.text) is not None
            at = one.end


@pytest.mark.parametrize("piece", ["Ada is. ", "a", " ", "\n ", ". ", '"', "- a :: ", "。", "(."])
def test_the_time_is_linear(piece: str) -> None:
    assert_linear(lambda size: heading("* N\n" + piece * (size // len(piece)) + "\n"), sentences)
