"""Quotes: where they stand, however the text is laid out and marked up."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memex.markup import plain, scan
from symbolic.grounding import (
    Grounded,
    Holder,
    Missing,
    Ungrounded,
    check,
    holds,
    locate,
    match_form,
    quote_hash,
)
from symbolic.names import quote_form

TEXT = """* Nabokov
Nabokov lectures on *Franz
  Kafka* at [[id:7f][Cornell University]], see =the notes=.
Москва и Cafe\u0301.
"""

FOUND = [
    ("Nabokov lectures on *Franz\n  Kafka* at", True, "Nabokov lectures on *Franz\n  Kafka* at"),
    ("Nabokov lectures on *Franz Kafka*", True, "Nabokov lectures on *Franz\n  Kafka*"),
    ("lectures on Franz Kafka", False, "lectures on *Franz\n  Kafka"),
    ("/lectures/ on Franz Kafka at", False, "lectures on *Franz\n  Kafka* at"),
    ("at Cornell University, see the notes.", False, None),
    ("Cornell University", True, "Cornell University"),
    ("Café", True, "Cafe\u0301"),
    ("Москва", True, "Москва"),
]


@pytest.mark.parametrize(("quote", "exact", "span"), FOUND)
def test_a_quote_is_found_in_bytes(quote: str, exact: bool, span: str | None) -> None:
    data = TEXT.encode()
    found = check(quote, data, base=100)
    assert isinstance(found, Grounded) and found.exact is exact
    assert locate(TEXT, quote, base=100) == (found.start, found.end)
    assert holds(TEXT, quote)
    if span is not None:
        assert data[found.start - 100 : found.end - 100].decode() == span


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        (None, Missing.EMPTY),
        ("", Missing.EMPTY),
        (" \n", Missing.EMPTY),
        ("nabokov lectures", Missing.CASE),
        ("Nabokov  lectured", Missing.ABSENT),
        ("Cafe", Missing.ABSENT),
        ("not Nabokov lectures on", Missing.ABSENT),
    ],
)
def test_a_quote_that_does_not_stand_says_why(quote: str | None, reason: Missing) -> None:
    found = check(quote, TEXT)
    assert isinstance(found, Ungrounded) and found.reason is reason and found.message
    assert locate(TEXT, quote or "") is None
    assert not holds(TEXT, quote or "")


def test_the_hash_is_of_the_characters_not_of_the_layout() -> None:
    assert quote_hash("Caf\u00e9  x\n") == quote_hash("Cafe\u0301 x")
    assert quote_hash("a") != quote_hash("A")
    assert len(quote_hash("")) == 32


def test_a_long_text_is_searched_whole() -> None:
    text = "* T\n" + "слово " * 40000 + "последнее *слово*"
    start, end = locate(text, "последнее слово") or (0, 0)
    assert text.encode()[start:end].decode() == "последнее *слово"


LETTERS = ("a", "b", "é", "e\u0301", "\u1112\u1161\u11ab", "가", "ক\u09be", "ﬁ", "Å", "𝔘", "\u0301")
BLANKS = (" ", "\n", "\n\n", "\u00a0", "\t", "\u2000", "\ufeff")
MARKS = ("*", "/", "=", "_", "[[", "][", "]]", "-", ".")
PIECES = st.sampled_from(LETTERS + BLANKS + MARKS)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


@given(TEXTS, st.data())
def test_the_span_of_a_piece_reads_as_the_piece(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = text[start:end]
    assume(quote_form(quote) in quote_form(text) and quote_form(quote))
    span = Holder(text, base=7).locate(quote)
    assert span is not None
    assert quote_form(text.encode()[span[0] - 7 : span[1] - 7].decode()) == quote_form(quote)


@given(TEXTS, st.integers(0, 30), st.integers(1, 30))
def test_the_span_of_what_is_seen_reads_as_it_without_the_markup(
    text: str, start: int, length: int
) -> None:
    quote = match_form(text)[start : start + length]
    assume(quote.strip() and match_form(quote) == quote_form(quote))
    found = check(quote, text)
    assert isinstance(found, Grounded)
    data = text.encode()
    low, high = len(data[: found.start].decode()), len(data[: found.end].decode())
    seen = text[low:high]
    if not found.exact:
        hidden = {at for a, b in scan(text).hidden for at in range(a, b)}
        seen = "".join(text[at] for at in range(low, high) if at not in hidden)
    assert quote_form(seen) == quote_form(quote)


@given(TEXTS | st.text(max_size=60), TEXTS | st.text(max_size=10))
def test_holding_and_locating_agree(text: str, quote: str) -> None:
    assert holds(text, quote) == (locate(text, quote) is not None) == Holder(text).holds(quote)


@given(st.text(max_size=80))
def test_layout_never_decides(text: str) -> None:
    assume(quote_form(text))
    other = unicodedata.normalize("NFD", text).replace(" ", "\n ")
    assert holds(text, other) and holds(other, text)
    assert quote_hash(text) == quote_hash(other)
    assert match_form(text) == quote_form(plain(text))
