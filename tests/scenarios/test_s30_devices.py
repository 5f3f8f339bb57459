"""Devices: clones, crashes, old copies, lost lines, half-arrived chains."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from bridge import human
from bridge.devices import ChainState, chains
from bridge.rebuild import rebuild
from symbolic.errors import JournalBroken
from symbolic.records import Line
from tests.laws.devices import Fleet, Machine
from tests.laws.strategies import TABLES

NOTES = {"a.org": "* Ada\nAda lives in Oslo.\n", "b.org": "* Bob\nBob lives in Rome.\n"}


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    with Fleet(2, NOTES) as made:
        yield made


def declare(one: Machine, value: str) -> str:
    with one.deciding("declare") as app:
        return human.declare(app, f'(:entity "Ada" :relation :likes :value "{value}")').events[-1]


def dev(one: Machine) -> str:
    assert one.app.dev is not None
    return one.app.dev


def month(one: Machine, device: str) -> str:
    (name,) = [n for n in one.files() if device in n and "conflict" not in n]
    return name


def states(one: Machine, device: str) -> tuple[ChainState, ...]:
    return next(chain.states for chain in chains(one.app) if chain.dev == device)


def likes(one: Machine) -> set[str]:
    facts = one.app.view.facts(relation="likes")
    return {fact.statement.value.written for fact in facts if fact.standing == "standing"}


def rest(fleet: Fleet) -> list[list[Line]]:
    """Sync everywhere until nothing is written any more; return what each round wrote."""
    rounds: list[list[Line]] = []
    for _ in range(5):
        fleet.exchange()
        rounds.append([line for one in fleet.machines for line in one.sync().lines])
    assert not rounds[-1] and not rounds[-2]
    assert len({one.digest() for one in fleet.machines}) == 1
    return rounds


def test_a_crash_after_the_fsync_is_replayed_by_the_same_device(fleet: Fleet) -> None:
    one = fleet.machines[0]
    declare(one, "rain")
    one.stop()
    kept = one.home / "kept"
    shutil.copytree(one.state, kept)
    before = dev(one)
    declare(one, "snow")
    # The power went after the journal's fsync: the index is the one of before, device.json is not.
    one.stop()
    shutil.copy(one.state / "device.json", kept / "device.json")
    shutil.rmtree(one.state)
    kept.rename(one.state)
    declare(one, "wind")
    assert dev(one) == before
    assert likes(one) == {"rain", "snow", "wind"}
    assert states(one, before) == (ChainState.WHOLE,)


def test_a_killed_process_before_its_first_line_leaves_a_run_and_no_new_device(
    fleet: Fleet,
) -> None:
    one = fleet.machines[0]
    declare(one, "rain")
    before = dev(one)
    for value in ("snow", "wind"):
        one.stop()
        declare(one, value)
    assert dev(one) == before


def test_a_clone_is_noticed_by_the_run_it_does_not_know(fleet: Fleet) -> None:
    one = fleet.machines[0]
    declare(one, "rain")
    old = dev(one)
    twin = fleet.clone(0)
    declare(twin, "snow")
    assert dev(twin) == old
    fleet.exchange()
    declare(one, "wind")
    assert dev(one) != old
    opened = next(x for x in one.lines() if x.kind == "open" and x.dev == dev(one))
    head = next(x for x in one.lines() if x.dev == old and x.seq == max(
        y.seq for y in one.lines() if y.dev == old
    ))
    assert opened.body["was"] == {"dev": old, "hash": head.hash}
    rest(fleet)
    assert likes(one) == likes(twin) == {"rain", "snow", "wind"}


def test_two_clones_that_both_wrote_are_branches_and_both_count(fleet: Fleet) -> None:
    one = fleet.machines[0]
    old = dev(one)
    twin = fleet.clone(0)
    declare(one, "rain")
    declare(twin, "snow")
    fleet.exchange()
    for each in (one, twin):
        each.sync()
        declare(each, f"wind of {each.home.name}")
        assert dev(each) != old
    assert dev(one) != dev(twin)
    rest(fleet)
    assert likes(one) == {"rain", "snow", "wind of m0", f"wind of {twin.home.name}"}
    assert ChainState.FORKED in states(one, old)


def test_an_old_copy_of_the_own_chain_makes_a_new_device_and_is_written_again(
    fleet: Fleet,
) -> None:
    one, other = fleet.machines
    declare(one, "rain")
    old, name = dev(one), month(one, dev(one))
    kept = one.files()[name]
    declare(one, "snow")
    one.stop()
    one.put(name, kept)
    declare(one, "wind")
    assert dev(one) != old
    assert ChainState.BEHIND in states(one, old)
    fleet.exchange()
    rounds = rest(fleet)
    redone = [line for lines in rounds for line in lines if line.kind == "redo"]
    assert [line.body["line"]["body"]["statement"]["value"] for line in redone] == ["snow"]
    assert states(one, old) == states(other, old) == (ChainState.WHOLE,)
    assert likes(other) == {"rain", "snow", "wind"}


def test_whoever_keeps_a_foreign_line_writes_it_again_once_the_files_are_at_rest(
    fleet: Fleet,
) -> None:
    one, other = fleet.machines
    event = declare(one, "rain")
    name, old = month(one, dev(one)), dev(one)
    fleet.exchange()
    other.sync()
    cut = one.files()[name]
    cut = cut[: cut.rfind(b"\n", 0, -1) + 1]
    one.stop()
    shutil.rmtree(one.state)
    for each in fleet.machines:
        each.put(name, cut)
    other.stop()
    with pytest.raises(JournalBroken, match=name.rpartition("/")[2]) as told:
        rebuild(other.settings, tables=TABLES)
    assert told.value.exit_code == 3
    (redone,) = other.sync().lines
    assert redone.body["line"]["hash"] == event
    rest(fleet)
    assert likes(one) == {"rain"}
    line = one.app.view.line(event)
    assert line is not None and (line.dev, line.by) == (old, "person:m0")


def test_the_tail_of_a_dead_device_stays_torn_and_its_line_is_written_again(
    fleet: Fleet,
) -> None:
    """The power went while the line was written; the other machine had got it whole before."""
    one, other = fleet.machines
    declare(one, "rain")
    name, old = month(one, dev(one)), dev(one)
    rest(fleet)
    one.stop()
    shutil.rmtree(one.state)
    torn = one.files()[name][:-9]
    for each in fleet.machines:
        each.put(name, torn)
    rounds = rest(fleet)
    assert [line.kind for lines in rounds for line in lines if line.kind == "redo"] == ["redo"]
    assert one.files()[name] == torn and ChainState.WAITING in states(one, old)
    assert likes(one) == likes(other) == {"rain"}


def test_a_line_written_again_keeps_its_own_place_in_the_order(fleet: Fleet) -> None:
    """It was withdrawn after it was said, and before it was written again."""
    one, other = fleet.machines
    declare(one, "rain")
    name = month(one, dev(one))
    fleet.exchange()
    with other.deciding("retract") as app:
        (fact,) = app.view.facts(relation="likes")
        human.retract(app, fact.fid, heading=None, reason=None)
    rest(fleet)
    cut = one.files()[name]
    said = cut.rindex(b"\n", 0, cut.index(b"rain")) + 1
    one.stop()
    shutil.rmtree(one.state)
    for each in fleet.machines:
        each.put(name, cut[:said])
    rounds = rest(fleet)
    assert "redo" in {line.kind for lines in rounds for line in lines}
    assert likes(one) == likes(other) == set()


def test_a_foreign_chain_counts_up_to_its_last_whole_line(fleet: Fleet) -> None:
    one, other = fleet.machines
    declare(one, "rain")
    declare(one, "snow")
    name = month(one, dev(one))
    other.put(name, one.files()[name][:-7])
    other.sync()
    assert likes(other) == {"rain"}
    assert states(other, dev(one)) == (ChainState.WAITING,)
    rest(fleet)
    assert likes(other) == {"rain", "snow"}


def test_a_broken_foreign_chain_counts_up_to_there_and_stops_nobody(fleet: Fleet) -> None:
    one, other = fleet.machines
    declare(one, "rain")
    declare(one, "snow")
    name = month(one, dev(one))
    other.put(name, one.files()[name].replace(b"snow", b"slow"))
    other.sync()
    assert likes(other) == {"rain"}
    assert ChainState.BROKEN in states(other, dev(one))
    declare(other, "wind")


def test_an_anchor_is_not_answered_by_a_device_whose_prose_is_older() -> None:
    """The heading moved on one machine; the other has the journal and still the old file."""
    with Fleet(2, {"a.org": "* Ada\n- likes :: Tea\n", "b.org": "* Bob\nBob.\n"}) as fleet:
        one, other = fleet.machines
        with one.deciding("reject") as app:
            (fact,) = app.view.facts(relation="likes")
            human.reject(app, fact.fid, everywhere=False, reason=None)
        rest(fleet)
        name = month(one, dev(one))
        one.put("a.org", b"* Someone\n")
        one.put("b.org", b"* Bob\nBob.\n* Ada\n- likes :: Tea\n")
        assert [line.kind for line in one.sync().lines] == ["anchor"]
        fleet.send(0, 1, name)
        for each in (other, one, other):
            assert not each.sync().lines
            fleet.send(0, 1, name)
        rounds = rest(fleet)
        assert not any(rounds)
        assert likes(one) == likes(other) == set()


def test_an_ontology_line_is_not_answered_by_a_device_whose_file_is_older(fleet: Fleet) -> None:
    one, other = fleet.machines
    for each in fleet.machines:
        each.sync()
    one.put("system/ontology.org", b"* likes\n:PROPERTIES:\n:KIND: relation\n"
            b":POLICY: exclusive\n:END:\n")
    assert {line.kind for line in one.sync().lines} == {"ontology"}
    fleet.send(0, 1, month(one, dev(one)))
    assert not other.sync().lines
    assert not any(rest(fleet))


def test_a_device_without_an_index_compares_its_files_with_the_journal_once(
    fleet: Fleet,
) -> None:
    one = fleet.machines[0]
    rest(fleet)
    one.lose_index()
    assert not one.sync().lines
    one.lose_state()
    assert not one.sync().lines
