"""Date expressions: which words are one, and which date follows surely from them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex.dating import Dated, Undated, dates
from symbolic.values import reach
from tests.timing import assert_linear

DAY = "2024-02-20"
"""A Tuesday."""


def read(text: str, evidence: str | None = DAY) -> list[tuple[str, str | None]]:
    """Return (words, date) of each expression, the date None where it is Undated."""
    return [
        (text[one.start : one.end], one.date if isinstance(one, Dated) else None)
        for one in dates(text, evidence)
    ]


ABSOLUTE = {
    "2024-02-01": [("2024-02-01", "2024-02-01")],
    "in 2024-02.": [("2024-02", "2024-02")],
    "<2024-02-01 Thu> and [2024-02-02]": [
        ("<2024-02-01 Thu>", "2024-02-01"), ("[2024-02-02]", "2024-02-02"),
    ],
    "<2024-02-01 Thu>--<2024-02-05 Mon>": [
        ("<2024-02-01 Thu>", "2024-02-01"), ("<2024-02-05 Mon>", "2024-02-05"),
    ],
    "on 14 February 2022,": [("14 February 2022", "2022-02-14")],
    "February 14, 2022": [("February 14, 2022", "2022-02-14")],
    "Feb. 14th 2022": [("Feb. 14th 2022", "2022-02-14")],
    "14 Feb 2022": [("14 Feb 2022", "2022-02-14")],
    "the 14th of February 2022": [("14th of February 2022", "2022-02-14")],
    "the first of May 2023": [("first of May 2023", "2023-05-01")],
    "twenty-first of June 2020": [("twenty-first of June 2020", "2020-06-21")],
    "February 2022": [("February 2022", "2022-02")],
    "may 14 and May 2022": [("May 2022", "2022-05")],
    "in 2022, (1999)": [("2022", "2022"), ("1999", "1999")],
    "from 2019 to 2022": [("2019", "2019"), ("2022", "2022")],
    "2019-2022": [("2019", "2019"), ("2022", "2022")],
    "2019–2022": [("2019", "2019"), ("2022", "2022")],
    "2022年2月14日に": [("2022年2月14日", "2022-02-14")],
    "2022年の": [("2022年", "2022")],
    "14. Februar 2022": [("14. Februar 2022", "2022-02-14")],
    "14 février 2022": [("14 février 2022", "2022-02-14")],
    "1er mai 2020": [("1er mai 2020", "2020-05-01")],
    "14 de febrero de 2022": [("14 de febrero de 2022", "2022-02-14")],
    "14 febbraio 2022": [("14 febbraio 2022", "2022-02-14")],
    "14.02.2022": [("14.02.2022", "2022-02-14")],
    "14/02/2022 or 02/14/2022": [("14/02/2022", "2022-02-14"), ("02/14/2022", "2022-02-14")],
    "2022/02/14": [("2022/02/14", "2022-02-14")],
}  # fmt: skip

NO_DATE = [
    "the 1990s", "12022", "2022.5", "1,2022", "$2022", "2022 km", "2022 people", "2022 bytes",
    "RFC 2045", "port 1080", "page 1203", "v2022", "#1234", "x-2022", "/2022/", "=2022=", "1200 BC",
    "2022-23", "0999", "2101", "03.04.2022", "03/04/2022", "2024-13-01", "30 February 2020",
    "February 30, 2020", "31/02/2022", "Mars rover", "a march of 20", "notaday",
    "in may", "the Sunday paper", "every Monday", "on Sunday mornings", "on the 14th floor",
    "over the last year", "this is it", "one week", "12:2022", "",
]  # fmt: skip

RELATIVE = {
    "today": "2024-02-20",
    "yesterday": "2024-02-19",
    "tomorrow": "2024-02-21",
    "the day before yesterday": "2024-02-18",
    "the day after tomorrow": "2024-02-22",
    "this morning": "2024-02-20",
    "3 days ago": "2024-02-17",
    "twelve days ago": "2024-02-08",
    "two weeks ago": "2024-02",
    "three weeks ago": None,
    "a month ago": "2024-01",
    "13 months ago": "2023-01",
    "5 years ago": "2019",
    "last week": "2024-02",
    "next week": None,
    "this week": "2024-02",
    "last month": "2024-01",
    "next month": "2024-03",
    "last year": "2023",
    "this year": "2024",
    "next year": "2025",
    "last Monday": "2024-02-19",
    "last Tuesday": "2024-02-13",
    "next Monday": None,
    "last March": "2023-03",
    "last February": "2023-02",
    "next February": "2025-02",
    "this March": "2024-03",
    "last summer": None,
    "few days ago": None,
    "1st May": "2023-05-01",
    "May 1": "2023-05-01",
    "20 February": "2024-02-20",
    "29 February": "2020-02-29",
}

INSIDE = {
    "since March we": ("March", "2023-03"),
    "in February,": ("February", "2024-02"),
    "in May": ("May", "2023-05"),
    "on Tuesday": ("Tuesday", "2024-02-13"),
    "on the 14th.": ("the 14th", "2024-02-14"),
    "on the 14th we met": ("the 14th", "2024-02-14"),
    "on the 28th": ("the 28th", None),
    "on the 31st": ("the 31st", None),
}

LOWERED = [
    ("yesterday", "2024-02", "2024"),
    ("yesterday", "2024", None),
    ("tomorrow", "2024-02", "2024"),
    ("last month", "2024-02", "2024-01"),
    ("last month", "2024", None),
    ("last year", "2024", "2023"),
    ("a year ago", "2024-02", "2023"),
    ("last March", "2024-03", "2023-03"),
    ("last March", "2024", None),
    ("2nd May", "2024-05", None),
    ("1st May", "2024-05", "2024-05-01"),
    ("1st May", "2024-06", "2024-05-01"),
    ("yesterday", "2024-03-01T09:30:00Z", "2024-02-29"),
    ("yesterday", "0001-01-01", None),
    ("next year", "9999", None),
    ("yesterday", "2024-02-31", None),
    ("yesterday", "someday", None),
    ("yesterday", "", None),
    ("yesterday", None, None),
]


@pytest.mark.parametrize("text", ABSOLUTE)
@pytest.mark.parametrize("evidence", [DAY, None])
def test_a_whole_date_needs_no_evidence(text: str, evidence: str | None) -> None:
    assert read(text, evidence) == ABSOLUTE[text]
    assert not any(isinstance(one, Dated) and one.relative for one in dates(text, evidence))


@pytest.mark.parametrize("text", NO_DATE)
def test_no_date(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize("text", RELATIVE)
def test_relative_to_the_day_of_the_heading(text: str) -> None:
    assert read(f"it was {text}, she said") == [(text, RELATIVE[text])]
    assert read(text, None) == [(text, None)]


@pytest.mark.parametrize("text", INSIDE)
def test_the_preposition_is_no_part_of_the_date(text: str) -> None:
    assert read(text) == [INSIDE[text]]


@pytest.mark.parametrize(("text", "evidence", "expected"), LOWERED)
def test_coarse_evidence_lowers_what_follows(
    text: str, evidence: str | None, expected: str | None
) -> None:
    assert read(text, evidence) == [(text, expected)]


def test_without_evidence_nothing_relative_has_a_date() -> None:
    """S10: never today's date, never an invented one."""
    for text in [*RELATIVE, *INSIDE]:
        assert all(isinstance(one, Undated) for one in dates(text, None)), text


DATES = st.dates(date(1, 1, 1), date(9999, 12, 31))
WORDS = st.sampled_from([
    *ABSOLUTE, *RELATIVE, *INSIDE, *NO_DATE, "the", "on", "of", "14th", "2022", "last", "in", "-",
    ",", "<", "[", "May", "ago", "99", "\n",
])
TEXTS = st.one_of(st.text(), st.lists(WORDS, max_size=12).map(" ".join))
EVIDENCE = st.one_of(
    st.none(), DATES.map(lambda day: day.isoformat()[:4]),
    DATES.map(lambda day: day.isoformat()[:7]), DATES.map(date.isoformat), st.text(max_size=12),
)


@given(TEXTS, EVIDENCE)
def test_every_date_parses_and_stands_where_it_says(text: str, evidence: str | None) -> None:
    at = 0
    for one in dates(text, evidence):
        assert at <= one.start < one.end <= len(text)
        at = one.end
        if isinstance(one, Dated):
            assert reach(one.date).lo < reach(one.date).hi
        else:
            assert one.words == text[one.start : one.end]


@given(DATES, st.integers(-400, 400))
def test_yesterday_moves_with_the_evidence(day: date, shift: int) -> None:
    try:
        moved = day + timedelta(days=shift)
        expected = [moved - timedelta(days=1), day - timedelta(days=1)]
    except OverflowError:
        return
    found = [read("yesterday", one.isoformat())[0][1] for one in (moved, day)]
    assert found == [one.isoformat() for one in expected]


@given(st.sampled_from([*RELATIVE, *INSIDE]), DATES)
def test_coarser_evidence_says_the_same_or_less(text: str, day: date) -> None:
    """What is sure for a whole month or year is true for each day of it."""
    fine = read(text, day.isoformat())[0][1]
    for length in (7, 4):
        coarse = read(text, day.isoformat()[:length])[0][1]
        assert coarse is None or fine is None or fine.startswith(coarse)


@pytest.mark.parametrize("piece", [
    "word and more of it ", "in 2022 on the 14th of ", "1 ", "first of ", "9", "last ", "on the ",
    "[2024-02-01 ", "14 ", "a few ", "2022-", "(", "May ",
])  # fmt: skip
def test_the_time_is_linear(piece: str) -> None:
    assert_linear(
        lambda size: piece * (size // len(piece)) + " " * (size // 8),
        lambda text: dates(text, DAY),
    )
