"""Tokens: what stands in a text is found by it, in every script."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuro.near.store import Near
from neuro.near.tokens import column, grams, normal, pairs, terms, words
from tests.neuro.nearby import row

RUNS = {
    "Han": "東京都中央区日本橋", "Kana": "コーヒーがのみたい", "Thai": "ภาษาไทยง่ายมาก",
    "Lao": "ພາສາລາວ", "Khmer": "ភាសាខ្មែរ", "Myanmar": "မြန်မာဘာသာ",
}  # fmt: skip
WORDS = {
    "Hangul": "한국어를배웁니다", "Cyrillic": "Достоевский", "Greek": "Φιλοσοφία",
    "Arabic": "مكتبة", "Hebrew": "ספרייה", "Devanagari": "हिन्दी",
}  # fmt: skip


def phrase(tokens: tuple[str, ...], where: str) -> str:
    return f'{where}: "{" ".join(tokens)}"'


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("run", [*RUNS.values(), *WORDS.values()], ids=[*RUNS, *WORDS])
def test_every_part_of_a_run_is_a_phrase_of_pairs(tmp_path: Path, run: str, size: int) -> None:
    """Every part of two or more characters is found, and found only where it stands."""
    texts = [f"x {run} y", f"x {run[::-1]} y", " ".join(run), "nothing"]
    where = "body" if run in RUNS.values() else "grams"
    with Near.open(tmp_path) as near:
        near.apply({"a.org": ("1", [row(f"T{n}", text) for n, text in enumerate(texts)])})
        texts = [normal(one.text) for one in near.rows(near.ids()).values()]
        for start in range(len(run) - size + 1):
            part = normal(run[start : start + size])
            found = near.matching(phrase(pairs(part), where))
            assert found == [n for n, text in enumerate(texts, start=1) if part in text], part


@given(st.text())
def test_tokens_hold_no_blank_and_no_quote(text: str) -> None:
    """So they stay whole in FTS5, and a phrase of them cannot end early."""
    for token in (*words(text).split(" "), *grams(text).split(" ")):
        assert token == "" or not any(c.isspace() or c in "\"'\0" for c in token)
        assert token == "" or all(ord(c) > 127 or c.isalnum() for c in token)


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_a_text_has_every_term_that_it_names(text: str) -> None:
    """Index and query cut alike: the terms of a text are among its own tokens."""
    held, inside = words(text).split(), grams(text).split()
    for term in terms(text):
        if term.word is not None:
            assert term.word in held
        for pair in term.pairs:
            assert pair in (held if term.word is None else inside)


@pytest.mark.parametrize(("text", "tokens"), [
    ("Café CAFE\u0301 straße", "café café strasse"),
    ("foo_bar-baz's 3.14", "foo bar baz s 3 14"),
    ("a東京b", "a 東京 京 b"),
    ("ไทย฿50", "ไท ทย ย 50"),
    ("人", "人"),
    ("", ""),
    ("—…!", ""),
])  # fmt: skip
def test_words(text: str, tokens: str) -> None:
    assert words(text) == tokens


def test_grams_are_of_other_scripts_alone() -> None:
    assert grams("naïve 東京 ½ “quoted” Ⅷ") == ""
    assert grams("кот и dog") == "ко от т и"


def cut(text: str) -> list[str]:
    """Return the tokens that the index makes of what stands in a word column."""
    db = sqlite3.connect(":memory:")
    db.execute("create virtual table words using fts5(body, content='', tokenize='ascii')")
    db.execute("create virtual table seen using fts5vocab(words, instance)")
    db.execute("insert into words(rowid, body) values (1, ?)", (text,))
    return [row[0] for row in db.execute("select term from seen order by offset")]


LETTERS = st.sampled_from(
    ["A", "b", "7", "_", "-", ".", " ", "\n", "\0", "é", "É", "ß", "e\u0301", "“", "—", "\u00a0",
     "Ж", "東", "京", "हि", "한", "ª", "²", "İ"]
)  # fmt: skip


@given(st.lists(LETTERS | st.characters(codec="utf-8"), max_size=12).map("".join))
def test_the_index_cuts_a_column_into_the_words_of_the_text(text: str) -> None:
    assert cut(column(text)) == words(text).split()
