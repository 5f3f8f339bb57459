"""Candidate lines: what cannot be written down is told with its line."""

from __future__ import annotations

import pytest

from neuro.candidates import Item, Unread, item_of, read_lines

GOOD = '{"entity": "Ada", "relation": "plays", "value": "cello", "quote": "Ada plays the cello."}'


@pytest.mark.parametrize(
    "line",
    [
        GOOD.replace("cello", "\\ud800", 1),
        GOOD.replace('"quote"', '"\\udc00"'),
        GOOD[:-1],
        GOOD.replace('"cello"', "NaN", 1),
        GOOD.replace('"quote"', '"entity"'),
        GOOD.replace('"cello"', "9" * 5000, 1),
        "[" * 100_000,
        "[]",
        "x" * (1 << 21),
    ],
    ids=["half-a-pair", "in-a-key", "cut", "nan", "twice", "digits", "deep", "list", "long"],
)
def test_a_line_that_is_none_is_told_and_the_next_one_is_read(line: str) -> None:
    bad, good = read_lines(f"{line}\n{GOOD}\n")
    assert isinstance(bad, Unread) and bad.line == 1 and len(bad.excerpt) <= 80
    assert isinstance(good, Item) and good.line == 2 and not good.wrong


def test_a_candidate_names_the_model_that_said_it() -> None:
    assert item_of({"entity": "Ada"}, 1, model="local/small").candidate.model == "local/small"
    assert item_of({"entity": "Ada"}, 1).candidate.model is None


@pytest.mark.parametrize("polarity", [[1], {"a": 1}, "x" * 10_000])
def test_a_polarity_of_another_shape_is_told_shortly(polarity: object) -> None:
    (reason,) = [r for r in item_of({"polarity": polarity}, 1).wrong if "polarity" in r]
    assert len(reason) < 120
