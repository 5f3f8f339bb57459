"""S31, N15: rebuilt, resumed after a crash, or run twice: the same facts, the same digest."""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, relation, say

KILLS = [
    "journal.write:kill", "journal.write:kill:2", "journal.write:kill:3", "journal.fsync:kill",
    "journal.fsync:kill:2", "journal.synced:kill", "journal.synced:kill:2", "journal.synced:kill:3",
]  # fmt: skip


def prose(memex: Memex) -> Memex:
    memex.write(
        "diary.org",
        """
        #+title: Diary
        * 2022-03-14 Monday
        Ines works at Halden. Tomas likes herring. Signe plays cornet.
        - weather :: rain
        * 2024-04-02 Tuesday
        :PROPERTIES:
        :MOOD: good
        :END:
        Ines works at Nordlys. Tomas hates herring. See [[file:people.org][people]].
        """,
    )
    memex.write(
        "people.org",
        """
        * Ines                                                          :friend:
        SCHEDULED: <2024-05-01 Wed>
        #+begin_src knowledge
        (:entity "Ines" :relation :born-in :value "Bergen")
        (:entity "Ines" :relation :likes :value "rain" :not t)
        #+end_src
        """,
    )
    return memex.ontology(
        relation("works-at", policy="temporal", functional="t")
        + relation("likes", policy="exclusive", opposite="hates")
        + relation("hates", policy="exclusive", opposite="likes")
        + relation("born-in", functional="t")
    )


FIRST, SECOND = "2022-03-14 Monday", "2024-04-02 Tuesday"


def said(who: str, verb: str, what: str, outline: str, quote: str = "") -> str:
    quote = quote or f"{who} {verb.replace('-', ' ')} {what}"
    return candidate(who, verb, what, quote, path="diary.org", outline=[outline])


BATCH = (
    said("Ines", "works-at", "Halden", FIRST)
    + said("Ines", "works-at", "Nordlys", SECOND)
    + said("Signe", "plays", "cornet", FIRST)
    + said("Signe", "plays", "trumpet", FIRST)
    + said("Tomas", "likes", "herring", FIRST)
    + said("Tomas", "hates", "herring", SECOND)
)


def history(memex: Memex) -> Memex:
    """A life of every kind of line: admitted, refused, rejected, retracted, settled, undone."""
    prose(memex).begin()
    memex.propose(BATCH, code=4)
    memex.admit_auto(code=6)
    memex.admit(next(q["proposal"] for q in memex.queue() if q["candidate"]["relation"] == "likes"))
    memex.admit_auto(code=4)
    memex.decide("reject", memex.fact("Signe plays ?")["id"])
    memex.decide("retract", memex.fact("? mood ?")["id"])
    memex.declare('(:entity "Ines" :relation :born-in :value "Oslo")')
    gone = memex.declare('(:entity "Ines" :relation :sings :value "alto")')
    memex.decide("undo", gone["event"])
    [conflict] = memex.run("contradictions", "--json").one["conflicts"]
    memex.decide("settle", conflict["id"], "--both")
    memex.edit("diary.org", "#+title: Diary", "#+title: My diary").sync()
    return memex.move("people.org", "old/people.org")


def world(memex: Memex) -> dict[str, object]:
    """Return all that can be asked, but the record times that an index alone remembers."""
    return {
        "facts": [
            {key: value for key, value in fact.items() if key != "admitted_at"}
            for fact in memex.query("? ? ?", "--all").facts
        ],
        "now": memex.current("? ? ?"),
        "queue": memex.queue(),
        "conflicts": memex.conflicts("--all"),
        "timeline": memex.history("Ines"),
        "ontology": memex.run("ontology", "list", "--json").one,
        "digest": memex.digest(),
    }


def test_s31_n15_a_deleted_index_is_rebuilt_to_the_same_world(memex: Memex) -> None:
    history(memex).sync()
    before = world(memex)
    for file in memex.state.glob("facts.db*"):
        file.unlink()
    memex.sync()
    assert world(memex) == before


def test_s31_n15_rebuild_verify_finds_the_same_digest(memex: Memex) -> None:
    history(memex).sync()
    before, lines = world(memex), memex.journal_bytes()
    body = memex.rebuild()
    assert body["result"] == "equal" and body["before"] == body["after"] == before["digest"]
    assert world(memex) == before and memex.journal_bytes() == lines


def test_s31_n15_a_deleted_state_folder_is_another_device_with_the_same_knowledge(
    memex: Memex,
) -> None:
    history(memex).sync()
    before = world(memex)
    memex.forget().sync()
    assert world(memex) == before
    assert memex.rebuild()["result"] == "equal"


def test_s31_n15_a_damaged_index_is_thrown_away_and_said(memex: Memex) -> None:
    history(memex).sync()
    before = world(memex)
    index = memex.state / "facts.db"
    for file in memex.state.glob("facts.db-*"):
        file.unlink()
    index.write_bytes(b"SQLite format 3\0" + b"\xff" * 4000)
    memex.run("sync").expect(0).names("facts.db")
    assert world(memex) == before


def test_s31_every_verb_twice_is_once(memex: Memex) -> None:
    history(memex).sync()
    before, lines = world(memex), memex.journal_bytes()
    for _ in range(2):
        memex.sync()
        memex.sync("--full")
        memex.propose(BATCH)
        memex.admit_auto()
        memex.run("init").expect(0).names("already")
        memex.rebuild()
    assert world(memex) == before and memex.journal_bytes() == lines


def test_s31_sync_twice_writes_nothing(memex: Memex) -> None:
    history(memex).sync()
    lines = memex.journal_bytes()
    memex.sync()
    memex.sync("--full")
    assert memex.journal_bytes() == lines


@pytest.mark.parametrize("fault", KILLS)
def test_s31_killed_anywhere_the_next_start_goes_on(memex: Memex, fault: str) -> None:
    """A process is killed in the middle of admitting; the next one ends where the first would."""
    whole, killed = prose(memex).twin("whole").begin(), memex.twin("killed").begin()
    whole.propose(BATCH, code=4)
    whole.admit_auto(code=6)
    killed.propose(BATCH, code=4)
    assert killed.digest() != whole.digest()

    died = killed.spawn("admit", "--auto", faults=fault)
    assert died.code == -9, died.said
    killed.run("admit", "--auto").expect(0, 6)
    killed.sync()
    assert killed.digest() == whole.digest()
    assert killed.rebuild()["result"] == "equal"


@pytest.mark.parametrize("fault", KILLS[:2] + KILLS[3:4] + KILLS[5:6])
def test_s31_killed_while_reading_the_prose(memex: Memex, fault: str) -> None:
    whole, killed = prose(memex).twin("whole").begin(), memex.twin("killed").init()
    died = killed.spawn("sync", faults=fault)
    assert died.code in (-9, 0), died.said
    killed.sync()
    assert killed.digest() == whole.digest()


@pytest.mark.parametrize("fault", ["journal.write:enospc", "journal.fsync:eio"])
def test_s31_a_full_disk_refuses_and_loses_nothing(memex: Memex, fault: str) -> None:
    prose(memex).begin()
    memex.propose(said("Signe", "plays", "cornet", FIRST))
    before, lines = world(memex), memex.journal_bytes()
    ran = memex.spawn("admit", "--auto", faults=fault)
    assert ran.code == 8, ran.said
    assert memex.journal_bytes() == lines and world(memex) == before
    assert [say(line["candidate"]) for line in memex.queue()] == ["Signe plays cornet"]
    memex.admit_auto()
    assert memex.current("Signe plays ?") == ["Signe plays cornet"]
