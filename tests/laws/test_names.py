"""The law of names: a run of blanks, hyphens or underscores is one blank; nothing is dropped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic.names import fold

WORDS = st.text(st.characters(categories=("L", "N", "S")), min_size=1, max_size=6)
RUNS = st.text("-_ \t\u00a0\u2010", min_size=1, max_size=3)


@pytest.mark.law
@given(WORDS, RUNS, WORDS)
def test_a_run_is_replaced_and_never_deleted(one: str, run: str, other: str) -> None:
    """Two words stay two, however they are set apart."""
    apart = fold(f"{one}{run}{other}")
    assert apart == fold(f"{one} {other}")
    assert apart != fold(f"{one}{other}")


@pytest.mark.law
@given(WORDS, st.sampled_from("+#*&$@"))
def test_no_symbol_is_dropped(word: str, sign: str) -> None:
    """C, C++ and C# stay three."""
    assert len({fold(word), fold(word + sign), fold(word + sign + sign)}) == 3


@pytest.mark.law
@given(st.text(min_size=1))
def test_no_name_becomes_empty(text: str) -> None:
    """Only blanks are no name."""
    assert bool(fold(text)) == bool(text.strip())
