"""kill -9 anywhere: the journal verifies, no decision is lost or doubled, the next command works.

Each command is killed on a copy of one memex, at a named fail point or at any moment, and then
given once more. What it leaves has to be what the command leaves that nobody killed: the same lines
in the journal but for their salt, the same digest, and the same again from a rebuild.
"""

from __future__ import annotations

import json
import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

from symbolic.journal.chain import read_journal
from tests.cli import Json, Memex, candidate, org, relation
from tests.conftest import own_environment
from tests.processes import Processes

pytestmark = pytest.mark.law

POINTS = (
    "journal.write", "journal.fsync", "journal.synced", "index.commit", "index.committed",
    "device.write",
)  # fmt: skip
"""Before and after every step of a decision that has to be durable; every command passes them."""

SYNCED = ("index.between", "near.words", "near.append", "near.appended", "sync.applied")
"""What sync passes as well: between facts.db and near.db, and in near.db and its vectors."""

COMMANDS = (
    "sync", "propose --from", "propose --reply", "admit --auto", "admit --yes", "declare",
    "supersede", "undo",
)  # fmt: skip

QUICK, THOROUGH = 32, 1000


@dataclass(frozen=True, slots=True)
class Given:
    """A memex before a command, and what the command leaves when nobody kills it."""

    memex: Memex
    argv: tuple[str, ...]
    seconds: float
    lines: Counter[str]
    digest: str


@pytest.fixture(scope="module")
def base(processes: Processes, tmp_path_factory: pytest.TempPathFactory) -> Memex:
    """Return a memex with decisions, a queue, and prose that was edited since the last sync."""
    memex = Memex(tmp_path_factory.mktemp("kill") / "base")
    memex.write("people.org", org("""
        * Ines
        :PROPERTIES:
        :CITY: Bergen
        :END:
        Ines works at Halden. Ines likes rain. Ines plays cornet.
        * Tomas
        Tomas works at Nordlys. Tomas likes herring. Tomas sings alto.
        * Signe
        Signe plays trumpet.
        """))
    memex.ontology(relation("works-at", policy="exclusive", functional="t"))

    def pp(*argv: str) -> list[Json]:
        return processes.run(memex, *argv, "--json").expect(0, 4, 6).lines

    processes.run(memex, "init").expect(0)
    pp("sync")
    said(memex, "first.jsonl", ("Ines", "works-at", "Halden"), ("Tomas", "likes", "herring"))
    pp("propose", "--from", str(memex.base / "first.jsonl"))
    pp("admit", "--auto")
    gone = pp("declare", '(:entity "Ines" :relation :sings :value "bass")')[-1]
    told = pp("declare", '(:entity "Tomas" :relation :works-at :value "Nordlys")')[-1]
    (memex.base / "ids.json").write_text(json.dumps([gone["event"], told["fact"]["id"]]))
    said(memex, "second.jsonl", ("Ines", "likes", "rain"), ("Ines", "plays", "cornet"))
    pp("propose", "--from", str(memex.base / "second.jsonl"))
    said(memex, "third.jsonl", ("Tomas", "sings", "alto"), ("Signe", "plays", "trumpet"))
    reply = [{"entity": "Signe", "relation": "plays", "value": "trumpet",
              "quote": "Signe plays trumpet"}]
    (memex.base / "reply.json").write_text(json.dumps(reply))
    memex.edit("people.org", "* Ines", "* Ines Varga")
    memex.write("late.org", "* Late\n:PROPERTIES:\n:CITY: Oslo\n:END:\nLate comes late.\n")
    memex.ontology(relation("works-at", policy="exclusive", functional="t")
                   + relation("likes", policy="exclusive"))
    return memex


def said(memex: Memex, name: str, *facts: tuple[str, str, str]) -> None:
    """Write candidates that the prose grounds."""
    (memex.base / name).write_text("".join(
        candidate(who, verb, what, f"{who} {verb.replace('-', ' ')} {what}", path="people.org",
                  outline=[who])
        for who, verb, what in facts
    ))


def command(name: str, memex: Memex, processes: Processes) -> tuple[str, ...]:
    """Return the arguments of a command over the memex `base`."""
    event, fact = json.loads((memex.base / "ids.json").read_text())
    if name == "admit --yes":
        line = processes.run(memex, "admit", "--list", "--json").expect(0).lines[0]
        return ("admit", line["proposal"], "--yes", "--shown", line["shown"])
    new = '(:entity "Tomas" :relation :works-at :value "Halden")'
    given: dict[str, tuple[str, ...]] = {
        "sync": ("sync",),
        "propose --from": ("propose", "--from", str(memex.base / "third.jsonl")),
        "propose --reply": ("propose", "--reply", str(memex.base / "reply.json"), "--heading",
                            "people.org::Signe"),
        "admit --auto": ("admit", "--auto"),
        "declare": ("declare", '(:entity "Signe" :relation :sings :value "alto")'),
        "supersede": ("supersede", fact, new),
        "undo": ("undo", event),
    }
    return given[name]


def copied(memex: Memex, to: Path) -> Memex:
    """Return a copy of a memex, journal, device and indices included."""
    made = Memex(to / "copy", memex.now or "")
    for here, there in ((memex.root, made.root), (memex.state, made.state)):
        shutil.copytree(here, there, dirs_exist_ok=True)
    return made


def lines(memex: Memex) -> Counter[str]:
    """Return what the journal says, without who wrote it when.

    A note that a reply was read and held nothing new is made each time it is given.
    """
    found: Counter[str] = Counter()
    for line in memex.journal():
        if line["kind"] == "propose" and line["body"]["candidate"] is None:
            continue
        body = {key: value for key, value in line["body"].items() if key != "salt"}
        found[json.dumps([line["kind"], line["by"], body], sort_keys=True)] += 1
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_anywhere_the_next_command_ends_where_it_would_have(
    name: str, base: Memex, processes: Processes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_environment(tmp_path, monkeypatch)
    thorough = settings().max_examples > 1000
    argv = command(name, base, processes)
    whole = copied(base, tmp_path / "whole")
    begun = time.monotonic()
    processes.run(whole, *argv).expect(0, 1, 6)
    seconds = time.monotonic() - begun
    digest = ended(whole)
    given = Given(base, argv, seconds, lines(whole), digest)
    count = (THOROUGH if thorough else QUICK) // len(COMMANDS)
    seed = random.SystemRandom().getrandbits(32) if thorough else sum(name.encode())
    points = POINTS + SYNCED if name == "sync" else POINTS
    for number, spec in enumerate(kills(count, points, random.Random(seed))):
        where = tmp_path / str(number)
        try:
            killed(given, spec, processes, where)
        except BaseException:
            print(f"killed at {spec} (seed {seed}, {number})")
            raise
        shutil.rmtree(where)


def kills(
    count: int, points: Sequence[str], chance: random.Random
) -> Iterator[str | float]:
    """Yield where to kill: half of them at fail points, half at a share of the time it takes."""
    for number in range(count):
        if number % 2:
            yield chance.random()
        else:
            times = chance.choice(("", "", ":2", ":3")) if count > QUICK else ""
            yield f"{chance.choice(points)}:kill{times}"


def killed(given: Given, spec: str | float, processes: Processes, where: Path) -> None:
    memex = copied(given.memex, where)
    before = read_journal(memex.root / "system" / "journal").lines
    if isinstance(spec, str):
        died = processes.run(memex, *given.argv, spec=spec)
    else:
        running = processes.start(memex, *given.argv)
        time.sleep(spec * given.seconds)
        running.kill()
        died = processes.wait(running)
    # Who is killed at a moment may have ended before it, and not every point is passed twice.
    late = isinstance(spec, float) or spec.endswith((":2", ":3"))
    assert died.code in ((-9, 0, 1, 6) if late else (-9,)), died.said
    left = read_journal(memex.root / "system" / "journal")
    assert not left.faults
    assert left.lines[: len(before)] == before
    # Whoever reads now reads: nobody holds a lock, nothing is half there.
    memex.run("status").expect(0, 1)
    # Given again: done, or already done.
    processes.run(memex, *given.argv).expect(0, 1, 5, 6)
    assert ended(memex) == given.digest
    assert lines(memex) == given.lines
    assert not read_journal(memex.root / "system" / "journal").torn
    assert memex.rebuild()["result"] == "equal"


def ended(memex: Memex) -> str:
    """Sync, so that what the prose owes the journal is paid in both; return the digest."""
    return str(memex.run("sync", "--json").expect(0, 1).one["digest"])
