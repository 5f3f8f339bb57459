"""The example memex through `pp`: what becomes of each candidate is what expected.md says."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.cli import Json, Memex, say

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NOW = "2025-12-31T12:00:00Z"
"""The present of examples/README.md."""

_ROW = re.compile(r"\| (\d+) \| (.+?) \| ([a-z-]+) \| (.+) \|")
_COUNT = re.compile(r"\| ([a-z-]+) \| (\d+) \|")
AT_ONCE = ("malformed", "ungrounded")
"""Outcomes for which nothing reaches the queue."""


@pytest.fixture(scope="module")
def expected() -> dict[int, tuple[str, str]]:
    """Return what expected.md says of each line: the statement and the outcome."""
    text = (EXAMPLES / "expected.md").read_text(encoding="utf-8")
    return {int(n): (says, outcome) for n, says, outcome, _ in map(_groups, _ROW.finditer(text))}


def _groups(match: re.Match[str]) -> tuple[str, str, str, str]:
    number, says, outcome, why = match.groups()
    return number, says, outcome, why


@pytest.fixture(scope="module")
def candidates() -> list[Json]:
    """Return the candidate lines."""
    text = (EXAMPLES / "candidates.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def notes(memex: Memex) -> Memex:
    """Return a copy of the example memex at the end of 2025."""
    memex.now = NOW
    shutil.copytree(EXAMPLES / "memex", memex.root, dirs_exist_ok=True)
    return memex


def test_the_table_speaks_of_the_candidates(
    expected: dict[int, tuple[str, str]], candidates: list[Json]
) -> None:
    """Every line has its row, which says what the line says, and the sums are right."""
    assert list(expected) == list(range(1, len(candidates) + 1))
    assert {n: says for n, (says, _) in expected.items()} == {
        n: sentence(line) for n, line in enumerate(candidates, start=1)
    }
    text = (EXAMPLES / "expected.md").read_text(encoding="utf-8")
    short = {name: int(count) for name, count in _COUNT.findall(text)}
    assert short.pop("all") == len(expected)
    assert short == Counter(outcome for _, outcome in expected.values())


def sentence(line: Json) -> str:
    """Return a candidate as the table has it; an open end is `…`."""
    text = say({"value": "(none)", **line})
    if "valid_from" not in line and "valid_to" not in line:
        return text
    return f"{text} [{line.get('valid_from', '…')}, {line.get('valid_to', '…')})"


def test_every_candidate_comes_out_as_expected(
    notes: Memex, expected: dict[int, tuple[str, str]]
) -> None:
    """Init, sync, propose, admit --auto: the outcome of each line is the table's."""
    notes.init()
    synced = notes.sync()
    files = [
        path for path in (EXAMPLES / "memex").rglob("*") if path.is_file() and path.suffix != ".dl"
    ]
    assert synced["files"] == {
        "read": len(files), "removed": 0, "unchanged": 0, "skipped": [],
    }
    assert synced["problems"] == []

    proposed = notes.run("propose", "--from", str(EXAMPLES / "candidates.jsonl"), "--json")
    lines = proposed.expect(4).lines
    at_once = {row["line"]: row["outcome"] for row in lines if row["outcome"] in AT_ONCE}
    numbers = {row["proposal"]: row["line"] for row in lines}
    assert len(numbers) == len(expected)

    verdicts = notes.admit_auto(code=4)
    decided = {numbers[verdict["proposal"]]: verdict["outcome"] for verdict in verdicts}
    assert {**at_once, **decided} == {n: outcome for n, (_, outcome) in expected.items()}
    assert len(at_once) + len(verdicts) == len(expected)


def test_proposing_again_changes_nothing(notes: Memex) -> None:
    """What was decided is not asked again, and the digest stays."""
    notes.begin()
    again = [str(EXAMPLES / "candidates.jsonl"), "--json"]
    notes.run("propose", "--from", *again).expect(4)
    notes.admit_auto(code=4)
    before, journal = notes.digest(), notes.journal_bytes()
    assert not any(row["new"] for row in notes.run("propose", "--from", *again).expect(4).lines)
    assert notes.admit_auto(code=6), "the three that wait for a person still wait"
    assert notes.journal_bytes() == journal
    assert notes.digest() == before == notes.rebuild()["after"]
