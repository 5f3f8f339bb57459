"""Mentions: which spellings of a name, number or date count as said, and which do not."""

from __future__ import annotations

import unicodedata
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symbolic.names import fold
from symbolic.quotes.commonwords import COMMON
from symbolic.quotes.lowering import said, said_end
from symbolic.quotes.mentions import Passage, form, parts
from symbolic.quotes.numerals import amounts

SAID = [
    ("Halden", "Ines joined Halden."),
    ("HALDEN", "halden's people"),
    ("htn-planner", "The HTN_planner solves it"),
    ("Jean Luc", "Jean-Luc is here"),
    ("O'Brien", "O’Brien is here"),
    ("Ines Varga", "Ines has moved"),
    ("Ines Varga", "Ines' boat"),
    ("Nordlys Survey", "Nordlys lives in Bergen"),
    ("C", "written in C, mostly"),
    ("C++", "written in C++."),
    ("C#", "C# came later"),
    ("Node", "Node. Then more"),
    ("Alien : Covenant", "Alien: Covenant is a film"),
    ("Eh , Eh ( Again )", '"Eh, Eh (Again)" is a song'),
    ("nuts", "allergic to any nut"),
    ("tennis player", "both are tennis players"),
    ("成都", "林小雨住在成都。"),
    ("ファイル", "設定ファイルを読む"),
    ("サーバー", "Goサーバーを立てる"),
    ("Go", "Goは速い"),
    ("서울", "서울에서 산다"),
    ("Москва", "МОСКВА слезам не верит"),
    ("กรุงเทพ", "เขาอยู่ที่กรุงเทพมานาน"),
    ("Straße", "die STRASSE"),
    ("Tromsø", "to Tromsø"),
    ("Café", "the Cafe\u0301 is open"),
]
UNSAID = [
    ("C", "written in C++ and C#"),
    ("Node", "node.js is fast"),
    ("Hal", "Halden"),
    ("den", "Halden"),
    ("AT", "AT&T called"),
    ("don", "they don't"),
    ("Tromsø", "to Tromso"),
    ("Ines Varga", "ines lies in Latin"),
    ("Rose Miller", "the rose bush"),
    ("Bo Teig", "Bo steps down"),
    ("Halden University", "University of Oslo"),
    ("Mary May", "in May it rained"),
    ("Jone", "Jones was there"),
    ("Jones", "Jone was there"),
    ("tennis player", "a tennis coach"),
    ("서울", "서울대학교"),
    ("성도 서울", "서울에서 산다"),
    ("Ada", "Adah"),
    ("", "anything"),
    ("route 5", "route 5,000 and route 55"),
]


@pytest.mark.parametrize(("name", "text"), SAID)
def test_a_name_is_said(name: str, text: str) -> None:
    assert Passage(text).mention(name) is not None


@pytest.mark.parametrize(("name", "text"), UNSAID)
def test_a_name_is_not_said(name: str, text: str) -> None:
    assert Passage(text).mention(name) is None


@pytest.mark.parametrize(
    ("name", "text", "there"),
    [
        ("notes_a.org", "see notes_a.org.", True),
        ("notes-a.org", "see notes_a.org", False),
        ("a.org", "see data.org", False),
        ("/etc/hosts", "in /etc/hosts there", True),
        ("etc/hosts", "in /etc/hosts there", False),
        ("/etc", "in /etc/hosts there", False),
        ("rm -rf", "`rm -rf` it", True),
        ("https://a.org/x", "at https://a.org/x, yes", True),
        ("https://a.org/x", "at https://a.org/xy", False),
    ],
)
def test_what_is_no_name_is_said_exactly(name: str, text: str, there: bool) -> None:
    assert (Passage(text).exact(name) is not None) is there


def test_parts_are_capitalised_rare_and_long() -> None:
    assert parts("Ines Varga") == ("ines", "varga")
    assert parts("University of Halden") == ("halden",)
    assert parts("van den Berg") == ("berg",)
    assert parts("Bo Li") == () == parts("Halden")
    assert all(len(word) >= 4 and word == form(word) for word in COMMON)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("5,000 people and 15", {"5000": "people", "15": None}),
        ("1.2 million EUR", {"1200000": "EUR"}),
        ("five thousand two hundred and five years", {"5205": "years"}),
        ("twenty-three boats, a dozen eggs", {"23": "boats", "12": "eggs"}),
        ("from 2010-2015", {"2010": None, "2015": None}),
        ("-5 °C outside", {"-5": "°C"}),
        ("lent €5,000 to", {"5000": "€"}),
        ("3万円、高さ3776m", {"30000": "JPY", "3776": "m"}),
        ("１５人", {"15": "人"}),
        ("5 000 km", {"5000": "km"}),
        ("on 2024-03-15", {"2024": None}),
        ("v5 1.5.2 15:30 A5 A-5 1,5 5x the 1990s", {}),
    ],
)
def test_numbers_are_read_by_value(text: str, numbers: dict[str, str | None]) -> None:
    read = {one.value: one.unit for one in amounts(text)}
    assert read == {Decimal(value): unit for value, unit in numbers.items()}


NAMES = st.lists(
    st.text(st.characters(categories=("Lu", "Ll", "Lo")), min_size=1, max_size=8),
    min_size=1, max_size=3,
).map(" ".join)  # fmt: skip


@given(NAMES, st.sampled_from(("", "x ", "(", "成")), st.sampled_from(("", " x", ".", "'s", ",")))
def test_a_name_that_stands_there_is_said(name: str, before: str, after: str) -> None:
    assert Passage(before + name + after).name(name) is not None


@given(NAMES, NAMES, st.sampled_from((" ", "-", "_", "  ", " - ", "\n")))
def test_what_folds_alike_is_said_alike(name: str, text: str, run: str) -> None:
    other = unicodedata.normalize("NFD", name.replace(" ", run)).swapcase()
    assume(fold(other) == fold(name))
    for passage in (Passage(text), Passage(text + " " + name)):
        assert passage.name(name) == passage.name(other)


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.sampled_from(("", ",", ".", ":", "/")))
def test_no_number_is_said_inside_another(one: int, other: int, mark: str) -> None:
    written = f"{one}{mark}{other}"
    whole = written.replace(",", "")
    for found in amounts(f"it has {written} of them"):
        assert found.value == Decimal(whole)


DATES = st.dates().map(str).flatmap(lambda d: st.sampled_from((d[:4], d[:7], d)))


@given(DATES, st.lists(DATES, max_size=4), st.integers(0, 3))
def test_lowering_is_idempotent_and_never_refines(
    bound: str, spoken: list[str], copies: int
) -> None:
    spoken += [bound[:4], bound[:7]][:copies]
    for lower in (said, said_end):
        once = lower(bound, spoken)
        if once is not None:
            assert len(once) <= len(bound)
            assert lower(once, spoken) == once


@pytest.mark.parametrize(
    ("bound", "spoken", "start", "end"),
    [
        ("2022-02-14", ["2022-02"], "2022-02", "2022-02"),
        ("2022-02", ["2022-02-14"], "2022-02", "2022-02"),
        ("2024", ["2023"], None, "2024"),
        ("2024-01-01", ["2023"], None, "2024"),
        ("2023", ["2023"], "2023", "2023"),
        ("2024-07", ["2024-06"], None, "2024-07"),
        ("2023-07", ["2023-06-30"], None, "2023-07"),
        ("2025", ["2023"], None, None),
        ("2022-02-14T09:00:00Z", ["2022-02-14"], "2022-02-14", "2022-02-14"),
    ],
)
def test_dates_are_said(bound: str, spoken: list[str], start: str | None, end: str | None) -> None:
    assert said(bound, spoken) == start
    assert said_end(bound, spoken) == end
