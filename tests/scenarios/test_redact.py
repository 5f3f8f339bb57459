"""Redaction: void on every device, wiped from each index and from the chain of its device."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge import human
from bridge.near import sync_all, wipe
from bridge.redact import proposed, redact, rewrite
from symbolic.errors import Refused, Stale
from symbolic.journal.chain import read_journal
from tests.cli import Memex, candidate
from tests.laws.carrying import JOURNAL
from tests.laws.devices import Fleet, Machine
from tests.laws.reference import world
from tests.laws.sides import difference, rows

SECRET = "Xylophonist"
SAID = f'(:entity "Ada" :relation :was :value "{SECRET}")'


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    with Fleet(3, {"a.org": "* Ada\n- likes :: Tea\n"}) as made:
        calm(made)
        yield made


def calm(fleet: Fleet) -> None:
    for _ in range(4):
        fleet.exchange()
        for one in fleet.machines:
            one.sync()
    assert len({one.digest() for one in fleet.machines}) == 1


def state_it(fleet: Fleet) -> str:
    """Let one machine state the secret, another withdraw and a third state it again."""
    one, other, third = fleet.machines
    with one.deciding("declare") as app:
        event = human.declare(app, SAID).events[0]
    calm(fleet)
    with other.deciding("retract") as app:
        (fact,) = app.view.facts(relation="was")
        human.retract(app, fact.fid, heading=None, reason=None)
    calm(fleet)
    with third.deciding("declare") as app:
        human.declare(app, SAID)
    calm(fleet)
    return event


def take_out(one: Machine, event: str) -> None:
    with one.deciding("redact") as app:
        redact(app, event[:12], proposed(app.view, event).shown, "a slip")


def holding(place: Path) -> list[str]:
    """Return the files below `place` with a byte of the secret, however it is cased."""
    return [
        str(path.relative_to(place)) for path in sorted(place.rglob("*"))
        if path.is_file() and SECRET.lower().encode() in path.read_bytes().lower()
    ]


def test_no_byte_is_left_on_any_device(fleet: Fleet) -> None:
    event = state_it(fleet)
    assert all(holding(one.home) for one in fleet.machines)
    old = {name: data for name, data in fleet.machines[0].files().items() if "journal" in name}
    take_out(fleet.machines[1], event)
    for one in fleet.machines:
        fleet.exchange_chains()
        one.sync()
    for one in fleet.machines:
        fleet.exchange_chains()
        one.sync()
        one.stop()
        assert not holding(one.state)
    assert not [f for one in fleet.machines for f in holding(one.root)]
    for one in fleet.machines:
        assert not one.app.view.facts(relation="was")
        assert not read_journal(one.root / JOURNAL).faults
        assert not difference(rows(world(one)), rows(one.app.view), ("reference", "store"))
    # An old copy of all chains comes back to a machine that owns none of those lines any more.
    last = fleet.machines[0]
    for name, data in old.items():
        last.put(name, data)
    for _ in range(3):
        last.sync()
    last.stop()
    assert not holding(last.state)
    assert not last.app.view.facts(relation="was")
    dev = last.app.dev
    assert not [name for name in holding(last.root) if dev is not None and dev in name]


@pytest.mark.parametrize("first", ["notes", "journal"])
def test_no_byte_is_left_of_what_stood_in_notes_as_well(
    first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both indices, their logs and temporary files; the notes forget it before or after."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    note = f"* Ada\n- likes :: Tea\n* Bob\nHe was a {SECRET}.\n"
    with Fleet(3, {"a.org": note, "b.org": "* Eve\nEve sleeps.\n" * 40}) as fleet:
        for one in fleet.machines:
            sync_all(one.app)
            assert {"facts.db", "near.db"} <= {
                name.removesuffix("-wal") for name in holding(one.state)
            }
        event = state_it(fleet)
        one, _, third = fleet.machines
        if first == "notes":
            forget(one)
        take_out(one, event)
        assert not wipe(one.app)
        if first == "journal":
            # It comes to the others by chains alone; the notes follow one sync later.
            for each in fleet.machines * 2:
                fleet.exchange_chains()
                sync_all(each.app)
            forget(third)
        for each in fleet.machines * 3:
            fleet.exchange()
            sync_all(each.app)
        for each in fleet.machines:
            assert not holding(each.state) and not holding(each.root)
            each.stop()
            assert not holding(each.state)
        assert not holding(tmp_path)


def forget(one: Machine) -> None:
    """Take the secret out of the notes of a machine."""
    one.put("a.org", b"* Ada\n- likes :: Tea\n* Bob\nHe rests.\n", one.age("a.org") + 10**9)
    sync_all(one.app)


def test_the_backups_that_hold_a_line_are_named(memex: Memex) -> None:
    memex.write("a.org", "* Ada\n- likes :: Tea\n").begin()
    places = [memex.base / f"{name}.tar.gz" for name in ("before", "after")]
    memex.run("backup", str(places[0])).expect(0)
    memex.declare(SAID)
    memex.run("backup", str(places[1])).expect(0)
    event = str(memex.journal("declare")[0]["hash"])
    told = memex.run("redact", event, "--json").expect(0).one
    assert [(copy["file"], copy["lines"]) for copy in told["backups"]] == [
        (str(places[0]), 0), (str(places[1]), 1),
    ]
    shown = memex.run("redact", event).expect(0)
    assert all(f"backup {place}" in shown.out for place in places)
    memex.run("redact", event, "--yes", "--shown", told["shown"]).expect(0)
    assert all(place.exists() for place in places), "no backup is touched"


def test_the_chain_of_a_device_that_is_gone_is_rewritten_on_demand(fleet: Fleet) -> None:
    event = state_it(fleet)
    one, other, _ = fleet.machines
    gone = one.app.dev
    assert gone is not None
    take_out(other, event)
    other.sync()
    assert [name for name in holding(other.root) if gone in name]
    with other.deciding("redact") as app:
        assert rewrite(app, gone)
    assert not [name for name in holding(other.root) if gone in name]
    assert not read_journal(other.root / JOURNAL).faults


def test_what_was_not_shown_or_holds_no_text_is_not_redacted(fleet: Fleet) -> None:
    event = state_it(fleet)
    one = fleet.machines[0]
    with pytest.raises(Stale), one.deciding("redact") as app:
        redact(app, event, "0" * 16, None)
    opened = next(line for line in one.lines() if line.kind == "open")
    with pytest.raises(Refused):
        proposed(one.app.view, opened.hash)
    take_out(one, event)
    with pytest.raises(Stale):
        proposed(one.app.view, event)


def test_every_answer_is_still_given_where_lines_are_redacted(memex: Memex) -> None:
    """A moved, rejected and superseded statement leaves lines of many kinds without a body."""
    memex.write("a.org", "* Ada\nAda was born in London.\n* Bob\nNothing.\n").begin()
    memex.take(candidate("Ada", "born-in", "London", "Ada was born in London", path="a.org",
                         outline=["Ada"]))
    fid = str(memex.fact("Ada born-in ?")["id"])
    memex.edit("a.org", "* Ada\nAda was born in London.\n", "")
    memex.write("b.org", "* Ada again\nAda was born in London.\n").run("sync")
    memex.decide("supersede", fid, '(:entity "Ada" :relation :born-in :value "Paris")')
    event = str(memex.journal("admit")[0]["hash"])
    told = memex.run("redact", event, "--json").expect(0).one
    kinds = {e["kind"] for e in told["events"]}
    assert {"propose", "admit", "anchor", "supersede"} <= kinds
    memex.run("redact", event, "--yes", "--shown", told["shown"]).expect(0)
    assert b"London" not in b"".join(memex.journal_bytes().values())
    for argv in (
        ("sync",), ("status",), ("doctor",), ("contradictions",), ("why", event),
        ("audit", event), ("timeline", "Ada"), ("query", "? ? ?", "--as-of", "2025-06-01"),
        ("admit", "--list"), ("ontology", "list"), ("why", fid),
    ):
        ran = memex.run(*argv)
        assert ran.code in (0, 1, 2), ran
    memex.run("sync").expect(0)
    assert memex.rebuild()["result"] == "equal"
