"""It works on other people's notes: nothing depends on what things are called, or on the year.

The example memex is renamed, moved eleven years back, given CRLF and robbed of its IDs; after
mapping back every verdict, conflict and audit is the same. Then candidates come in another order.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import pytest

from neuro.candidates import item_of
from ontology.bootstrap import seed
from ontology.merge import load
from symbolic.canon import canonical
from symbolic.records import Declarations, NameKind, Policy, Statement
from symbolic.values import BadValue
from tests.cli import Json, Memex
from tests.metamorphic import plan as plans
from tests.metamorphic.answers import Answers, Reader
from tests.metamorphic.transform import ONTOLOGY, Notes, Plan, apply, candidates

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NOW = "2025-12-31T12:00:00Z"
YEARS = -11
"""Far enough that weekdays and leap years fall elsewhere; no note speaks of a 29 February."""

LAWS = os.environ.get("HYPOTHESIS_PROFILE") == "laws"
SEEDS = range(1, 25) if LAWS else (1, 2)

Make = Callable[[str], Memex]


@pytest.fixture
def make(memex: Memex) -> Make:
    """Return what makes an empty memex beside the others."""
    return lambda name: Memex(memex.base.parent / name, NOW)


def example() -> tuple[dict[str, bytes], list[Json]]:
    """Return the files of the example memex and its candidates."""
    root = EXAMPLES / "memex"
    files = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*")) if path.is_file()
    }
    lines = (EXAMPLES / "candidates.jsonl").read_text(encoding="utf-8").splitlines()
    return files, [json.loads(line) for line in lines]


FILES, CANDIDATES = example()
DECLARED: Declarations = load(FILES[ONTOLOGY], seed().declarations).declarations


def as_lines(found: list[Json]) -> str:
    """Return candidates as JSON lines."""
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in found)


def written(memex: Memex, files: Mapping[str, bytes]) -> Memex:
    """Return `memex` with these files in it."""
    for path, data in files.items():
        memex.write(path, data)
    return memex


def reader(memex: Memex, plan: Plan | None = None, notes: Notes | None = None) -> Reader:
    """Return what reads the answers of `memex`, back through `plan` if there is one."""
    pairs = {name: decl.inverse for name, decl in DECLARED.relations.items() if decl.inverse}
    return Reader(
        memex,
        back=plan.back() if plan else str,
        lines=notes.lines if notes else {},
        turned={name: other for name, other in pairs.items() if other < name},
        mutual=frozenset(n for n, decl in DECLARED.relations.items() if decl.symmetric),
    )


@dataclass(frozen=True, slots=True)
class Plain:
    """The example as it is: its answers, its digest, and every name that stands in it."""

    answers: Answers
    digest: str
    spellings: frozenset[str]
    exclusive: frozenset[int]
    """The positions of candidates of exclusive relations, from 0."""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Plain:
    """Return what the example says under its own names."""
    read = reader(written(Memex(tmp_path_factory.mktemp("plain"), NOW), FILES))
    answers = read.run(as_lines(CANDIDATES))
    with read.open() as app:
        exclusive = {
            number for number, said in enumerate(map(_statement, CANDIDATES))
            if said is not None and app.view.policy(said) is Policy.EXCLUSIVE
        }
    return Plain(
        answers, read.memex.digest(), read.spellings | _proposed(), frozenset(exclusive)
    )


def _statement(line: Json) -> Statement | None:
    try:
        return canonical(item_of(line, 1).candidate.written, DECLARED)
    except BadValue:
        return None


def _proposed() -> frozenset[str]:
    """Return the names in candidates, those that are refused included."""
    found = {line["entity"] for line in CANDIDATES}
    for line in CANDIDATES:
        said = _statement(line)
        if said is not None and said.value.kind is NameKind.NAME:
            found.add(line["value"])
    return frozenset(found)


@pytest.mark.law
@pytest.mark.parametrize("number", SEEDS)
def test_other_names_other_years(number: int, plain: Plain, make: Make) -> None:
    """Under a random bijection, eleven years back, all answers are the same ones."""
    plan = plans.make(FILES, CANDIDATES, plain.spellings, YEARS, random.Random(number))
    notes = apply(plan, FILES)
    memex = written(make("renamed"), notes.files)
    memex.now = plan.text(NOW)
    found = reader(memex, plan, notes).run(as_lines(candidates(plan, CANDIDATES)))
    for part in fields(Answers):
        assert getattr(found, part.name) == getattr(plain.answers, part.name), part.name


@pytest.mark.law
@pytest.mark.parametrize("number", SEEDS)
def test_another_order(number: int, plain: Plain, make: Make) -> None:
    """Coexistent and temporal candidates in any order: D, labels and conflicts are the same."""
    rng = random.Random(number)
    free = [at for at in range(len(CANDIDATES)) if at not in plain.exclusive]
    order = dict(zip(free, rng.sample(free, len(free)), strict=True))
    # The queue goes by confidence, so it has to go along.
    shuffled = [
        {**CANDIDATES[order.get(at, at)], "confidence": f"0.{999 - at}"}
        for at in range(len(CANDIDATES))
    ]
    memex = written(make("shuffled"), FILES)
    found = reader(memex).run(as_lines(shuffled))
    assert _labels(found) == _labels(plain.answers)
    assert found.conflicts == plain.answers.conflicts
    assert memex.digest() == plain.digest


def _labels(answers: Answers) -> dict[str, object]:
    return {name: fact["labels"] for name, fact in answers.facts.items()}
