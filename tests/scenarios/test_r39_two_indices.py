"""R25, R39: two indices over the same headings; either may go, the other does not notice."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from neuro.near.store import Near
from symbolic import faults
from tests.cli import Memex, org
from tests.conftest import REPO

NEAR = ("near.db", "near.db-wal", "near.db-shm", "near.f32")
FACTS = ("facts.db", "facts.db-wal", "facts.db-shm", "ontology.applied")


@pytest.fixture
def notes(memex: Memex) -> Memex:
    memex.write("people.org", org("""
        * Ada
        :PROPERTIES:
        :ID: ada
        :EMPLOYER: Initech
        :END:
        Writes programs with [[*Bo][Bo]].
        * Bo
        :PROPERTIES:
        :EMPLOYER: Globex
        :END:
        Reads them. See [[file:places.org]].
        """))
    memex.write("places.org", "#+title: Places\n* Ithaca\nA town on a lake. [[id:ada]]\n")
    return memex.begin()


def drop(memex: Memex, names: tuple[str, ...]) -> None:
    for name in names:
        (memex.state / name).unlink(missing_ok=True)


def found(memex: Memex) -> dict[str, object]:
    """Return what search works on, asked of near.db alone."""
    with Near.open(memex.state, mend=False) as near:
        ids = near.ids()
        keys = {number: row.key for number, row in near.rows(ids).items()}
        return {
            "programs": [keys[n] for n, _ in near.match("programs", (1, 1, 1, 1))],
            "links": {
                keys[n]: sorted(keys[o] for o in others)
                for n, others in near.links_from(ids).items()
            },
        }


def test_r39_without_near_the_facts_are_untouched(notes: Memex) -> None:
    digest, before = notes.digest(), found(notes)
    number = notes.status()["near"]["N"]
    drop(notes, NEAR)
    assert notes.digest() == digest
    assert notes.status()["near"] is None
    assert notes.query("ada employer ?").says == ["Ada employer Initech"]
    assert "not there yet" in notes.run("doctor").expect(0).out
    journal = notes.journal_bytes()
    notes.sync()
    assert (notes.digest(), found(notes)) == (digest, before)
    assert notes.status()["near"]["N"] == number
    assert notes.journal_bytes() == journal


def test_r39_without_facts_search_is_untouched(notes: Memex) -> None:
    digest, before = notes.digest(), found(notes)
    drop(notes, FACTS)
    assert found(notes) == before
    vectors = (notes.state / "near.f32").stat()
    notes.sync()
    assert (notes.digest(), found(notes)) == (digest, before)
    assert (notes.state / "near.f32").stat().st_mtime_ns == vectors.st_mtime_ns


def test_r39_near_follows_what_changed_while_it_was_away(notes: Memex) -> None:
    """Only a sync brings it up to date, and then to what the facts were read from."""
    drop(notes, NEAR)
    notes.write("places.org", "#+title: Places\n* Ithaca\nprograms\n")
    (notes.root / "people.org").unlink()
    notes.sync()
    assert found(notes)["programs"] == ["places.org#Ithaca#1"]
    twin = notes.twin("twin")
    twin.begin()
    assert found(twin) == found(notes)
    assert twin.status()["near"]["N"] == notes.status()["near"]["N"]


def test_r25_an_id_that_changes_hands_changes_hands_in_both(notes: Memex) -> None:
    notes.write("aaa.org", "* Other\n:PROPERTIES:\n:ID: ada\n:END:\nprograms too\n")
    notes.sync(code=1)
    assert sorted(found(notes)["programs"]) == ["id:ada", "people.org#Ada#1"]  # type: ignore[call-overload]
    (notes.root / "aaa.org").unlink()
    notes.sync()
    assert found(notes)["programs"] == ["id:ada"]
    assert "0 files behind" in notes.run("doctor").expect(0).out


def test_r39_a_damaged_near_index_is_said_and_built_again(notes: Memex) -> None:
    digest, before = notes.digest(), found(notes)
    drop(notes, NEAR)
    (notes.state / "near.db").write_bytes(b"nothing of ours" * 500)
    assert "builds it again" in notes.run("doctor").expect(1).out
    assert (notes.state / "near.db").read_bytes().startswith(b"nothing"), "doctor mends nothing"
    assert "damaged" in notes.run("sync").expect(0).err
    assert (notes.digest(), found(notes)) == (digest, before)
    notes.run("doctor").expect(0)


def test_r39_pages_that_broke_below_the_surface_cost_one_more_sync(notes: Memex) -> None:
    before = found(notes)
    with sqlite3.connect(notes.state / "near.db") as db:
        db.execute("pragma wal_checkpoint(truncate)")
    db.close()
    path = notes.state / "near.db"
    data = bytearray(path.read_bytes())
    data[4096 * 2 :] = os.urandom(1) * (len(data) - 4096 * 2)
    path.write_bytes(data)
    notes.write("new.org", "* New\nwords\n")
    for _ in range(2):
        notes.sync()
    (notes.root / "new.org").unlink()
    notes.sync()
    assert found(notes) == before


@pytest.mark.parametrize("point", ["near.words", "near.append"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_r39_a_disk_that_refuses_near_is_a_warning(
    notes: Memex, monkeypatch: pytest.MonkeyPatch, point: str, number: int
) -> None:
    """The facts are in; near is a cache, and the next sync tries again."""
    def refuse(name: str) -> None:
        if name == point:
            raise OSError(number, os.strerror(number))

    notes.write("new.org", "* Cy\n:PROPERTIES:\n:EMPLOYER: Hooli\n:END:\nprograms\n")
    with monkeypatch.context() as patch:
        patch.setattr(faults, "at", refuse)
        ran = notes.run("sync", "--json").expect(0)
    assert "was not brought up to date" in ran.one["near"]["warnings"][0]
    assert notes.query("cy employer ?").says == ["Cy employer Hooli"]
    notes.sync()
    assert "new.org#Cy#1" in found(notes)["programs"]  # type: ignore[operator]
    assert notes.status()["near"]["pending"] == 0


@pytest.mark.parametrize("point", ["near.words", "near.append", "near.appended"])
def test_r39_a_killed_sync_is_finished_by_the_next(notes: Memex, point: str) -> None:
    notes.write("new.org", "* New\nprograms\n")
    killed = notes.spawn("sync", faults=f"{point}:kill")
    assert killed.code == -signal.SIGKILL
    notes.run("query", "ada employer ?").expect(0)
    notes.sync()
    twin = notes.twin("twin")
    twin.begin()
    assert found(twin) == found(notes)
    assert twin.status()["near"]["N"] == notes.status()["near"]["N"]


def test_r25_a_sync_that_finds_nothing_loads_no_numpy(notes: Memex) -> None:
    code = (
        "import sys; from bridge.cli.main import run\n"
        "run(sys.argv[1:])\n"
        "print([name for name in ('numpy', 'httpx', 'tokenizers') if name in sys.modules])"
    )
    flags = ["--memex", str(notes.root), "--state", str(notes.state), "--now", str(notes.now)]
    ran = subprocess.run(
        [sys.executable, "-c", code, *flags, "sync"], env={**os.environ, "PYTHONPATH": str(REPO)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert ran.stdout.splitlines()[-1] == "[]"
