"""Secret shapes: each row's own examples, however they are hidden, and in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gates.content_tables import CONTENT_CATEGORIES
from gates.secrets import secret_shapes

FOUND = [(row.name, text) for row in CONTENT_CATEGORIES for text in row.found]
CLEAN = [(row.name, text) for row in CONTENT_CATEGORIES for text in row.clean]
UNSEEN = [
    "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\ufe0f", "\x00", "\U000e0041",
]  # fmt: skip


def widened(text: str) -> str:
    """Return the full-width letters that look like an ASCII text."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


@pytest.mark.parametrize(("name", "text"), FOUND)
def test_a_shape_is_found_anywhere(name: str, text: str) -> None:
    for whole in (text, f"* Title\nsome words {text} and more\n", f"={text}=", f"\n{text}\n"):
        assert name in secret_shapes(whole), whole


@pytest.mark.parametrize(("name", "text"), CLEAN)
def test_what_only_resembles_it_is_clean(name: str, text: str) -> None:
    assert name not in secret_shapes(text)


@pytest.mark.parametrize("text", [
    "", "Ada Lovelace works at Initech.", "日本語の文章です。" * 400, "a" * 5000, "é" * 3000,
    "The password is in the safe.", "See [[https://example.org/a/long/path/to/some/page]].",
])  # fmt: skip
def test_prose_is_clean(text: str) -> None:
    assert secret_shapes(text) == ()


@given(
    st.sampled_from(FOUND), st.sampled_from(UNSEEN),
    st.sets(st.integers(min_value=1, max_value=200), min_size=1),
)  # fmt: skip
def test_characters_that_are_not_seen_hide_nothing(
    row: tuple[str, str], unseen: str, places: set[int]
) -> None:
    name, text = row
    hidden = "".join(c + (unseen if at in places else "") for at, c in enumerate(text))
    assert name in secret_shapes(hidden)


@pytest.mark.parametrize(("name", "text"), FOUND)
def test_width_and_dashes_hide_nothing(name: str, text: str) -> None:
    assert name in secret_shapes(widened(text))
    assert name in secret_shapes(text.replace("-", "\u2011").replace("-", "\u2013"))


@given(st.text(max_size=300), st.sampled_from(FOUND), st.text(max_size=300))
def test_nothing_beside_it_hides_it(before: str, row: tuple[str, str], after: str) -> None:
    assert row[0] in secret_shapes(f"{before}\n{row[1]}\n{after}")


@given(st.integers(min_value=0, max_value=9000), st.sampled_from(FOUND))
def test_a_very_long_run_hides_nothing(length: int, row: tuple[str, str]) -> None:
    assert row[0] in secret_shapes(f"{'/' * length}{row[1]}{'/' * length}")


@pytest.mark.parametrize("unit", [
    "token", "api", "password ", "_", "=", "a=", "sk-", "-----BEGIN ", "-----BEGIN PRIVATE  ",
    "ghp_", "x" * 1000 + " ", "\u200b", "全",
])  # fmt: skip
def test_the_work_is_linear(unit: str) -> None:
    """Plain `re` takes minutes for the first two."""
    text = unit * (300_000 // len(unit))
    start = time.process_time()
    secret_shapes(text)
    assert time.process_time() - start < 5.0
