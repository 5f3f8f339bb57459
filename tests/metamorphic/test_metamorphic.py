"""It works on other people's notes: nothing depends on what things are called, or on the year.

The example memex is renamed, moved eleven years back, given CRLF and robbed of its IDs; after
mapping back every verdict, conflict and audit is the same. Then candidates come in another order.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bridge.candidates import item_of
from ontology.bootstrap import seed
from ontology.merge import load
from symbolic.canon import canonical
from symbolic.names import fold
from symbolic.records import Declarations, Name, NameKind, Policy
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


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[Answers, frozenset[str]]:
    """Return the answers about the example as it is, and every name that stands in a fact."""
    read = reader(written(Memex(tmp_path_factory.mktemp("plain"), NOW), FILES))
    return read.run(as_lines(CANDIDATES)), read.spellings | _proposed()


def _proposed() -> frozenset[str]:
    """Return the names in candidates, those that are refused included."""
    found: set[str] = set()
    for number, line in enumerate(CANDIDATES):
        said = item_of(line, number).candidate.written
        found.add(said.entity)
        try:
            value = canonical(said, DECLARED).value
        except BadValue:
            continue
        if isinstance(value, Name) and value.kind is NameKind.NAME:
            found.add(said.value)
    return frozenset(found)


@pytest.mark.parametrize("number", SEEDS)
def test_other_names_other_years(
    number: int, plain: tuple[Answers, frozenset[str]], make: Make
) -> None:
    """Under a random bijection, eleven years back, all answers are the same ones."""
    expected, spellings = plain
    plan = plans.make(FILES, CANDIDATES, spellings, YEARS, random.Random(number))
    notes = apply(plan, FILES)
    memex = written(make("renamed"), notes.files)
    memex.now = plan.text(NOW)
    found = reader(memex, plan, notes).run(as_lines(candidates(plan, CANDIDATES)))
    for part in Answers.__slots__:
        assert getattr(found, part) == getattr(expected, part), part
