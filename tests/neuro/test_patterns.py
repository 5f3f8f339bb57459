"""Sentence patterns: Org in, candidates out. What is not read is tested as much as what is."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex.headings import read_document
from memex.nodes import Document, prose
from neuro.prose.patterns import MODEL, patterns
from neuro.prose.phrases import unreadable
from ontology.declarations import parse
from symbolic.grounding import locate
from symbolic.records import Candidate, Declarations, ProseHeading, Provenance
from symbolic.values import parse_bound
from tests.timing import assert_linear

ONTOLOGY = """\
* works-at
:PROPERTIES:
:KIND: relation
:PATTERN: "works at" "?y employs ?x" "?xは?yで働いている" "arbeitet bei"
:ALIAS: employed-by
:END:
* joined
:PROPERTIES:
:KIND: relation
:PATTERN: joined
:END:
* born-on
:PROPERTIES:
:KIND: relation
:RANGE: date
:PATTERN: "was born on"
:END:
* height
:PROPERTIES:
:KIND: relation
:RANGE: quantity
:PATTERN: "?x is ?y tall"
:END:
* wrote
:PROPERTIES:
:KIND: relation
:INVERSE: written-by
:END:
* located
:PROPERTIES:
:KIND: relation
:ALIAS: in
:END:
"""
TAUGHT = parse(ONTOLOGY.encode()).declarations
BARE = Declarations()
DAY = "2024-03-10"


def heading(text: str, evidence: str | None = DAY) -> ProseHeading:
    document = read_document("notes/a.org", text.encode())
    assert isinstance(document, Document)
    return replace(prose(document.nodes[-1]), evidence_date=evidence)


def read(
    body: str, *, title: str = "Note", evidence: str | None = DAY, taught: Declarations = TAUGHT
) -> tuple[Candidate, ...]:
    whole = heading(f"* {title}\n{body}\n", evidence)
    found = patterns(whole, taught)
    for one in found:
        assert one.proposer is Provenance.EXTRACTED
        assert one.model == MODEL
        assert one.grounding.heading == whole.key
        assert one.grounding.evidence_date == evidence
        assert one.grounding.quote is not None
        assert locate(whole.text, one.grounding.quote) is not None
    return found


def say(one: Candidate) -> str:
    """Return `entity | relation | value`, with ` | from..to` where it has a bound."""
    said = one.written
    text = f"{said.entity} | {said.relation} | {said.value}"
    if said.valid_from or said.valid_to:
        text += f" | {said.valid_from or ''}..{said.valid_to or ''}"
    return text


READ = {
    # a class
    "Ada is a physicist.": "Ada | member-of-class | physicist",
    "Nabokov is a Russian novelist.": "Nabokov | member-of-class | Russian novelist",
    "Vladimir Nabokov (1899–1977) was a novelist who drew.":
        "Vladimir Nabokov | member-of-class | novelist",
    "Maxima is a computer algebra system written in Lisp.":
        "Maxima | member-of-class | computer algebra system",
    "C++ is a programming language, and so on.": "C++ | member-of-class | programming language",
    "J. K. Rowling is a British author.": "J. K. Rowling | member-of-class | British author",
    "Dr. Ada Lovelace is a mathematician.": "Dr. Ada Lovelace | member-of-class | mathematician",
    "The University of Oslo is a public university.":
        "The University of Oslo | member-of-class | public university",
    "*Ada* is a /poet/.": "Ada | member-of-class | poet",
    "[[id:x][org-ql]] is a query language.": "org-ql | member-of-class | query language",
    "=jq= is a command-line tool.": "jq | member-of-class | command-line tool",
    "Pale Fire is a 1962 novel by Nabokov.": "Pale Fire | member-of-class | 1962 novel",
    "Ada is a physicist, and Bo works at Halden.": "Ada | member-of-class | physicist",
    "- [ ] Ada is a poet": "Ada | member-of-class | poet",
    # what is over
    "Ada is a former teacher.": "Ada | member-of-class | teacher | ..?",
    "Ada was once a teacher.": "Ada | member-of-class | teacher | ..?",
    "Ada used to be a nurse.": "Ada | member-of-class | nurse | ..?",
    "Ada is the former mayor of Oslo.": "Oslo | mayor | Ada | ..?",
    "Ada was a nurse.": "Ada | member-of-class | nurse",
    # X is the R of Y
    "Ada is the mother of Bo.": "Bo | mother | Ada",
    "Oslo is the capital of Norway.": "Norway | capital | Oslo",
    "Ada is the managing director of the Halden Institute.":
        "Halden Institute | managing director | Ada",
    # declared
    "Ada works at Halden.": "Ada | works-at | Halden",
    "Ada currently works at Halden Instruments.": "Ada | works-at | Halden Instruments",
    "Halden employs Ada.": "Ada | works-at | Halden",
    "Ada is employed by Halden.": "Ada | works-at | Halden",
    "The Castle was written by Franz Kafka.": "The Castle | written-by | Franz Kafka",
    "Oslo is in Norway.": "Oslo | located | Norway",
    "Ada was born on 14 February 1990.": "Ada | born-on | 1990-02-14",
    "Ada was born on 14.2.1990 in Oslo.": "Ada | born-on | 1990-02-14",
    "Ada is 180 cm tall.": "Ada | height | 180 cm",
    "アダはハルデンで働いている。": "アダ | works-at | ハルデン",
    "Ada arbeitet bei Halden seit 2021.": "Ada | works-at | Halden | 2021..",
    # Japanese
    "アダは研究者です。": "アダ | member-of-class | 研究者",
    "Gitはバージョン管理システムである。": "Git | member-of-class | バージョン管理システム",
    # dates
    "Ada works at Halden since March 2024.": "Ada | works-at | Halden | 2024-03..",
    "Since March 2024, Ada works at Halden.": "Ada | works-at | Halden | 2024-03..",
    "Ada was a nurse from 2019 to 2022.": "Ada | member-of-class | nurse | 2019..2023",
    "Ada was a nurse between 2019 and 2022.": "Ada | member-of-class | nurse | 2019..2023",
    "Ada was the mayor of Oslo, 2019–2022.": "Oslo | mayor | Ada | 2019..2023",
    "Ada was a nurse until 2023.": "Ada | member-of-class | nurse | ..2024",
    "Ada was a nurse before 2023.": "Ada | member-of-class | nurse | ..2023",
    "Ada was a nurse in 2021.": "Ada | member-of-class | nurse | 2021..2022",
    "In 2021 Ada joined Halden.": "Ada | joined | Halden | 2021..",
    "Ada joined Halden last month.": "Ada | joined | Halden | 2024-02..",
    "Today Ada is a guest.": "Ada | member-of-class | guest | 2024-03-10..2024-03-11",
    "Ada is a novelist born in 1899.": "Ada | member-of-class | novelist",
    "Ernst was the son of Charles (1549–1613).": "Charles | son | Ernst",
    # hedges
    "Perhaps Ada is a physicist.": "Ada | member-of-class | physicist",
    "I think Ada is a physicist.": "Ada | member-of-class | physicist",
    "Ada is probably a physicist.": "Ada | member-of-class | physicist",
    "Ada is a physicist (please verify).": "Ada | member-of-class | physicist",
    "Ada is a physicist. Please verify.": "Ada | member-of-class | physicist",
}

NOT_READ = {
    "question": "Is Ada a physicist?",
    "question mark": "Ada is a physicist?",
    "negation": "Ada is not a physicist.",
    "contraction": "Ada isn't a physicist, Bo is a poet.",
    "negated elsewhere": "Ada is a physicist, not a poet.",
    "never": "Ada was never a nurse.",
    "no longer": "Ada is no longer a nurse.",
    "denial": "Ada is a nurse, Bo denies.",
    "no need": "Ada is a nurse, no need to ask.",
    "if": "If Ada is a physicist, call her.",
    "trailing if": "Ada is a physicist if Bo is right.",
    "unless": "Ada is a nurse unless it rains.",
    "whenever": "Whenever it rains Ada is a nurse.",
    "when": "Ada is a nurse when it rains.",
    "will": "Ada will be a nurse.",
    "modal": "Ada might be a nurse.",
    "would": "Ada would be a nurse, and Bo is a poet.",
    "quotation": '"Ada is a physicist," said Bo.',
    "curly quotation": "“Ada is a physicist. Bo is a poet.”",
    "japanese quotation": "「アダは研究者です。」と書いた。",
    "value in a quotation": 'Ada is a "physicist".',
    "reported": "Bo says that Ada is a physicist.",
    "reported twice": "Bo thinks Ada is a physicist.",
    "pronoun": "She is a physicist.",
    "it": "It is a tool.",
    "this": "This is a test.",
    "there": "There is a tool.",
    "we": "We are the champions of Oslo.",
    "I": "I am a physicist.",
    "generic": "A physicist is a scientist.",
    "common noun": "Water is a liquid.",
    "abstract noun": "Emphasis is a feature, emphasis matters.",
    "lower case subject": "the dog is a mammal.",
    "possessive": "My mother is a nurse.",
    "plural": "Cats are mammals.",
    "adjective": "Ada is tall.",
    "opinion": "Ada is a good nurse.",
    "vague": "Ada is a problem.",
    "relational": "Ada is a daughter of Bo.",
    "kind of": "Ada is a kind of nurse.",
    "comparison": "Ada is a nurse like Bo.",
    "list of adjectives": "Ada is a fast, simple tool.",
    "coordination": "Ada is a research and development engineer.",
    "participle": "Ada is a tool making things.",
    "two owners": "Oslo is the capital of Norway and Sweden.",
    "owner goes on": "Emacs is the choice of Emacs users.",
    "no owner name": "Ada is the head of the department.",
    "first of a month": "Ada is the first of May.",
    "vague relation": "Ada is the end of Bo.",
    "undeclared verb": "Ada admires Halden.",
    "undeclared passive": "Ada is admired by Halden.",
    "inflected": "Ada worked at Halden.",
    "reduced passive": "Ada employed by Halden.",
    "bare preposition": "Ada in Norway.",
    "lower case value": "Ada works at home.",
    "name cut short": "Ada works at Hon. Marks.",
    "end before start": "Ada was a nurse from 2022 to 2019.",
    "no such day": "Ada was born on 30 February 1990.",
    "japanese negation": "アダは研究者ではない。",
    "japanese adjective": "Emacsはシンプルである。",
    "japanese pronoun": "彼は研究者です。",
    "german negation": "Ada arbeitet nicht bei Halden.",
    "src block": "#+begin_src text\nAda is a physicist.\n#+end_src",
    "quote block": "#+begin_quote\nAda is a physicist.\n#+end_quote",
    "example": ": Ada is a physicist.",
    "comment": "# Ada is a physicist.",
    "table": "| Ada is a physicist. |",
    "mail quote": "> Ada is a physicist.",
}


@pytest.mark.parametrize("text", READ)
def test_what_is_read(text: str) -> None:
    assert [say(one) for one in read(text)] == [READ[text]]


@pytest.mark.parametrize("name", NOT_READ)
def test_what_is_not_read(name: str) -> None:
    assert [say(one) for one in read(NOT_READ[name])] == []


@pytest.mark.parametrize("text", [
    "Ada works at Halden.", "Halden employs Ada.", "Ada is employed by Halden.",
    "The Castle was written by Franz Kafka.", "Oslo is in Norway.", "Ada is 180 cm tall.",
    "Ada was born on 14 February 1990.", "アダはハルデンで働いている。",
])  # fmt: skip
def test_other_verbs_need_a_declaration(text: str) -> None:
    assert read(text, taught=BARE) == ()


def test_the_title_is_a_subject_in_any_case() -> None:
    assert [say(one) for one in read("org-ql is a query language.", title="org-ql")] == [
        "org-ql | member-of-class | query language"
    ]
    assert read("org-ql is a query language.") == ()


def test_a_word_that_the_heading_writes_small_is_no_name() -> None:
    assert read("Sync is a command. You sync twice.") == ()


def test_what_agents_and_comments_say_is_not_read() -> None:
    whole = heading("* Note\nAda is a physicist.\n")
    assert patterns(whole, TAUGHT) != ()
    assert patterns(replace(whole, agent=True), TAUGHT) == ()
    assert patterns(heading("* COMMENT Note\nAda is a physicist.\n"), TAUGHT) == ()


def test_the_quote_is_the_sentence_as_it_stands() -> None:
    [one] = read("So.  *Ada*\n  is a [[id:x][poet]]. Yes.")
    assert one.grounding.quote == "*Ada*\n  is a [[id:x][poet]]."


@pytest.mark.parametrize(("text", "hedge"), [
    ("Perhaps Ada is a physicist.", "Perhaps"),
    ("Ada is a physicist (please verify).", "please verify"),
    ("Ada is a physicist. Please verify.", "Please verify"),
    ("I think Ada works at Halden.", "I think"),
])  # fmt: skip
def test_a_hedge_goes_to_the_rationale(text: str, hedge: str) -> None:
    [one], [sure] = read(text), read("Ada is a physicist.")
    assert f"hedge: '{hedge}'" in (one.rationale or "")
    assert float(one.confidence or 1) < float(sure.confidence or 0)
    assert hedge.casefold() not in one.written.value.casefold()


def test_dates_that_are_not_used_are_told() -> None:
    [one] = read("Ada is a novelist born in 1899.")
    assert "date not used: '1899'" in (one.rationale or "")
    [past] = read("Ada was a nurse.")
    assert "past tense" in (past.rationale or "")


def test_a_pattern_that_cannot_be_read_is_named() -> None:
    taught = parse(
        b'* r\n:PROPERTIES:\n:KIND: relation\n'
        b':PATTERN: "?x likes" "?x ?y" "?x likes ?x" "?x likes ?y"\n:END:\n'
    ).declarations
    assert unreadable(taught) == (("r", "?x likes"), ("r", "?x ?y"), ("r", "?x likes ?x"))
    assert [say(one) for one in read("Ada likes Bo.", taught=taught)] == ["Ada | r | Bo"]


PIECES = st.sampled_from([
    *READ, *NOT_READ.values(), "Ada", "Bo", "is", "was", "a", "an", "the", "of", "nurse", "works",
    "at", "Halden", "since", "2024", "yesterday", ",", ".", "(", ")", '"', "“", "”", "\n", "- ",
    "[[id:x][", "]]", "~", "=", "は", "です。", "not", "if", "?",
])  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=14).map(" ".join))
EVIDENCE = st.sampled_from([None, "2024", "2024-03", "2024-03-10", "?", "0001-01-01", "9999-12-31"])


@given(TEXTS, st.text(max_size=12), EVIDENCE)
def test_any_text_gives_candidates_that_stand_in_it(
    text: str, title: str, evidence: str | None
) -> None:
    whole = replace(heading("* N\n"), text=f"* N\n{text}", title=title, evidence_date=evidence)
    for one in patterns(whole, TAUGHT):
        quote = one.grounding.quote or ""
        assert quote in whole.text and locate(whole.text, quote) is not None
        assert one.written.value.strip() and one.written.entity.strip()
        assert parse_bound(one.written.valid_from) == one.written.valid_from
        assert parse_bound(one.written.valid_to) == one.written.valid_to
        assert one.confidence in ("0.4", "0.5", "0.6", "0.7", "0.8", "0.9")


@given(st.lists(PIECES, max_size=8).map(" ".join))
def test_a_negation_or_condition_in_front_gives_nothing(text: str) -> None:
    line = " ".join(re.sub(r"[.!?。！？]", " ", text).split())
    for word in ("If", "It is not true that", "Whenever", "Nobody says"):
        assert read(f"{word} {line.lstrip('-*#|:>+ ')}") == ()


@pytest.mark.parametrize("piece", [
    "Ada is a physicist. ", "Ada ", "Ada is a ", "a", "Ada (", '"', "in 2022 ", "Ada, ", "[[", "は",
    "is the mother of ", "n't ", "x'", "=", "[fn:",
])  # fmt: skip
def test_the_time_is_linear(piece: str) -> None:
    assert_linear(
        lambda size: heading("* N\n" + piece * (size // len(piece)) + "\n"),
        lambda whole: patterns(whole, TAUGHT),
    )
