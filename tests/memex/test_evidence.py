"""The evidence date: own timestamp, CREATED, date tree, file name; never planning and logs."""

from __future__ import annotations

import pytest

from memex.evidence import created_date, name_date, tree_date
from memex.headings import read_document
from memex.nodes import Document


def date_of(text: str, path: str = "n.org", index: int = -1) -> str | None:
    read = read_document(path, text.encode())
    assert isinstance(read, Document)
    return read.nodes[index].evidence_date


DRAWER = ":PROPERTIES:\n:CREATED: [2001-01-01 Mon]\n:END:\n"


@pytest.mark.parametrize("text", [
    "* A <2024-05-06 Mon>\n[2024-05-07]\n",
    "* A\nbody [2024-05-06 Mon 10:00] and <2024-05-01>\n",
    "* A\n<2024-05-06 Mon>--<2024-05-09 Thu>\n",
    "* A\n<2024-05-06 Mon 10:00-11:00 +1w>\n",
    f"* A\n{DRAWER}[2024-05-06]\n",
    "* A\n<2024-02-31>\n<2024-05-06>\n",
    "* A\n- item [2024-05-06]\n",
    "* A\n:LOGBOOK:\nnever closed\n[2024-05-06]\n",
])
def test_the_own_timestamp_counts(text: str) -> None:
    assert date_of(text) == "2024-05-06"


@pytest.mark.parametrize("body", [
    "SCHEDULED: <2024-05-06 Mon>\n",
    "CLOSED: [2024-05-06 Mon 10:00] DEADLINE: <2024-05-06>\n",
    "\nSCHEDULED: <2024-05-06 Mon>\n",
    "CLOCK: [2024-05-06 Mon 10:00]--[2024-05-06 Mon 11:00] =>  1:00\n",
    ":LOGBOOK:\n- note [2024-05-06]\n:END:\n",
    "text\n:LOGBOOK:\n- note [2024-05-06]\n:END:\n",
    "text\n:MYDRAWER:\n[2024-05-06]\n:END:\n",
    ":PROPERTIES:\n:SEEN: [2024-05-06]\n:END:\n",
    '- State "DONE"       from "TODO"       [2024-05-06 Mon 10:00]\n',
    '- Rescheduled from "[2024-05-06 Mon]" on [2024-05-06 Mon]\n',
    "- Note taken on [2024-05-06 Mon 10:00] \\\\\n  words\n",
    "#+begin_src org\n<2024-05-06>\n#+end_src\n",
    "#+begin_quote\n<2024-05-06>\n#+end_quote\n",
    "#+BEGIN: clocktable\n[2024-05-06]\n#+END:\n",
    "# <2024-05-06>\n", ": <2024-05-06>\n", "#+LAST_MODIFIED: [2024-05-06]\n",
    "[[2024-05-06]] [[x][2024-05-06]] =<2024-05-06>= ~[2024-05-06]~\n",
    "2024-05-06\n", "** Child [2024-05-06]\n",
])
def test_what_is_no_own_timestamp(body: str) -> None:
    assert date_of("* A\n" + body, index=1) is None


def test_then_created_then_the_tree_then_the_file_name() -> None:
    tree = "* 2024\n** 2024-03 March\n*** 2024-03-05 Tuesday\n**** A\n"
    assert date_of(tree + DRAWER, "2020-01-01.org") == "2001-01-01"
    assert date_of(tree, "2020-01-01.org") == "2024-03-05"
    assert date_of("* 2024\n** 2024-03 March\n*** A\n", "2020-01-01.org") == "2024-03"
    assert date_of("* 2024\n** A\n") == "2024"
    assert date_of("* B\n** A\n", "2020-01-01.org") == "2020-01-01"
    assert date_of("* B\n** A\n") is None
    assert date_of("* 2024-03-05 Tuesday\n") == "2024-03-05"


def test_created_is_the_headings_own() -> None:
    assert date_of(f"* A\n{DRAWER}** B\n") is None


def test_the_file_itself() -> None:
    assert date_of("#+date: [2024-05-06 Mon]\n") == "2024-05-06"
    assert date_of("#+title: 2024-05-06\n* A\n") == "2024-05-06"
    assert date_of("x\n", "1984.org") is None


@pytest.mark.parametrize(("path", "date"), [
    ("2024-03-05.org", "2024-03-05"),
    ("daily/20240305.org", "2024-03-05"),
    ("20240305T120000--title__tag.org", "2024-03-05"),
    ("20240305T1200-x.org", "2024-03-05"),
    ("20240305120000-title.org", "2024-03-05"),
    ("meeting-2024-03-05.org_archive", "2024-03-05"),
    ("2024-13-05.org", None), ("20241305.org", None), ("2024-03-055.org", None),
    ("phone12345678.org", None), ("120240305.org", None), ("2024-03-05/x.org", None),
])
def test_file_names(path: str, date: str | None) -> None:
    assert name_date(path) == date


@pytest.mark.parametrize(("title", "date"), [
    ("2024", "2024"), ("2024-03", "2024-03"), ("2024-03 mars", "2024-03"),
    ("2024-03-05 火曜日", "2024-03-05"), ("2024-03-05", "2024-03-05"),
    ("2024 budget", None), ("2024-13 X", None), ("2024-02-31 Sat", None), ("2024-W10", None),
    ("20240", None), ("2024-03-05 a whole story", None), ("", None),
])
def test_date_tree_titles(title: str, date: str | None) -> None:
    assert tree_date(title) == date


@pytest.mark.parametrize(("value", "date"), [
    ("[2024-03-05 Tue 10:00]", "2024-03-05"), ("2024-03-05", "2024-03-05"), ("2024-03", "2024-03"),
    ("2024-03-05T10:00:00Z", "2024-03-05"), ("20240305", "2024-03-05"), ("<2024-02-31>", None),
    ("yesterday", None), ("", None),
])
def test_created(value: str, date: str | None) -> None:
    assert created_date(value) == date


def test_a_created_that_is_no_date_is_told_with_its_line() -> None:
    read = read_document("n.org", b"* A\n:PROPERTIES:\n:CREATED: soon\n:END:\n")
    assert isinstance(read, Document)
    assert [(problem.line, problem.excerpt) for problem in read.problems] == [
        (3, ":CREATED: soon")]
