"""S34, by sentence patterns: "whenever X" and "no need to X" state no X, and no opposite of X."""

from __future__ import annotations

import pytest

from tests.cli import Memex

ONTOLOGY = """\
* APPROVED works-at
:PROPERTIES:
:KIND: relation
:PATTERN: "works at"
:END:
"""


@pytest.mark.parametrize("sentence", [
    "Whenever Ada works at Halden she is tired.",
    "Ada works at Halden whenever it rains.",
    "Ada works at Halden, no need to ask.",
    "There is no need to say that Ada works at Halden.",
    "Ada never works at Halden.",
    "It is not so that Ada works at Halden.",
    "Nobody says Ada works at Halden.",
    "Without Bo, Ada works at Halden.",
    "If Ada works at Halden, call her.",
    "Ada is no nurse.",
    "Ada is a nurse, unless I am wrong.",
    "Does Ada works at Halden?",
    '"Ada works at Halden," said Bo.',
])  # fmt: skip
def test_s34_no_polarity_is_turned(memex: Memex, sentence: str) -> None:
    memex.ontology(ONTOLOGY).write("note.org", f"* Note\n[2024-03-01]\n{sentence}\n").begin()
    lines = memex.run("propose", "--json").expect(0).lines
    assert [line for line in lines if "candidate" in line] == []
    assert memex.queue() == []


def test_s34_the_plain_sentence_beside_it_is_read(memex: Memex) -> None:
    memex.ontology(ONTOLOGY).write(
        "note.org", "* Note\n[2024-03-01]\nAda works at Halden. Bo never works at Halden.\n"
    ).begin()
    [line] = memex.run("propose", "--json").expect(0).lines
    said = line["candidate"]
    assert (said["entity"], said["value"], said["polarity"]) == ("Ada", "Halden", "positive")
