"""Two devices through `pp`: what is listed, what exits how, what an answer leaves."""

from __future__ import annotations

import shutil

import pytest

from tests.cli import Memex

SNOW = '(:entity "Ada" :relation :likes :value "Snow")'
WIND = '(:entity "Ada" :relation :likes :value "Wind")'


@pytest.fixture
def two(memex: Memex) -> tuple[Memex, Memex]:
    """Let one device retract what the other replaces, and bring each the other's chain."""
    memex.write("a.org", "* Ada\nShe paints.\n").begin()
    memex.declare(SNOW)
    other = memex.twin("other", journal=True)
    other.sync()
    memex.decide("retract", str(memex.fact("Ada likes ?")["id"]))
    other.decide("supersede", str(other.fact("Ada likes ?")["id"]), WIND)
    carry(memex, other)
    carry(other, memex)
    return memex, other


def carry(source: Memex, target: Memex) -> None:
    """Bring what `source` has more of the journal."""
    for name, data in source.journal_bytes().items():
        place = target.root / name
        if not place.exists() or len(place.read_bytes()) < len(data):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)


def test_both_list_it_and_exit_1_until_one_answers(two: tuple[Memex, Memex]) -> None:
    told = []
    for each in two:
        each.run("sync").expect(1).names("pp reconcile")
        each.run("status").expect(1).names("decided differently")
        (line,) = each.run("reconcile", "--json").expect(1).lines
        told.append(line)
        each.run("reconcile").expect(1).names(line["divergence"], line["shown"], "counts until")
    assert told[0] == told[1]
    kept = next(d["event"] for d in told[0]["decisions"] if d["kind"] == "supersede")
    one, other = two
    ran = one.run(
        "reconcile", told[0]["divergence"], "--keep", kept[:12], "--yes", "--shown",
        told[0]["shown"], "--json",
    )  # fmt: skip
    assert ran.expect(0).one["schema"] == "pp.reconcile/1"
    carry(one, other)
    for each in two:
        each.run("sync").expect(0)
        each.run("status").expect(0)
        assert each.run("reconcile").expect(0).names("no device decided").out == ""
        assert each.current("Ada likes ?") == ["Ada likes Wind"]
    assert one.digest() == other.digest()
    one.run(
        "reconcile", told[0]["divergence"], "--keep", kept, "--yes", "--shown", told[0]["shown"]
    ).expect(5)


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("--keep", "abc"), 2), (("ffff",), 2), (("--yes",), 2),
        (("--yes", "--keep", "abc", "--shown", "abc"), 2),
    ],
)  # fmt: skip
def test_half_a_question_is_told(
    two: tuple[Memex, Memex], argv: tuple[str, ...], code: int
) -> None:
    two[0].run("sync")
    two[0].run("reconcile", *argv).expect(code)


def test_doctor_and_status_name_the_state_of_each_chain(two: tuple[Memex, Memex]) -> None:
    one, other = two
    one.run("sync")
    own = {line["dev"] for line in one.journal()} - {line["dev"] for line in other.journal()}
    assert not own
    states = {c["dev"]: c["states"] for c in one.run("status", "--json").lines[0]["chains"]}
    assert set(map(tuple, states.values())) == {("whole",)}
    (mine,) = (c["dev"] for c in one.run("status", "--json").lines[0]["chains"] if c["own"])
    (theirs,) = states.keys() - {mine}
    place = next(p for p in one.journal_files if theirs in str(p))
    whole = place.read_bytes()
    place.write_bytes(whole[: whole.rindex(b"\n", 0, -1) + 1])
    one.run("rebuild").expect(3).names(place.name, theirs)
    place.write_bytes(whole[:-9])
    one.run("doctor").names("waiting")
    place.write_bytes(whole.replace(b"Wind", b"Mind"))
    one.run("doctor").expect(1).names("broken", place.name)
    one.run("status").expect(1)
    place.write_bytes(whole)
    one.run("doctor").expect(0)


def test_a_cloned_state_folder_is_named_in_the_next_open(memex: Memex) -> None:
    memex.write("a.org", "* Ada\nShe paints.\n").begin()
    memex.declare(SNOW)
    other = memex.twin("other", journal=True)
    shutil.copytree(memex.state, other.state)
    other.declare(WIND)
    carry(other, memex)
    before = {line["dev"] for line in memex.journal()}
    memex.declare('(:entity "Ada" :relation :likes :value "Rain")')
    (opened,) = (x for x in memex.journal("open") if x["dev"] not in before)
    assert {opened["body"]["was"]["dev"]} == before


def test_redact_shows_first_and_needs_the_digest(memex: Memex) -> None:
    memex.write("a.org", "* Ada\nShe paints.\n").begin()
    event = str(memex.declare(SNOW)["event"])
    told = memex.run("redact", event, "--json").expect(0).one
    assert [e["event"] for e in told["events"]] == [event]
    memex.run("redact", event, "--yes").expect(2)
    memex.run("redact", event, "--yes", "--shown", "0" * 16).expect(5)
    memex.run("redact", event, "--yes", "--shown", told["shown"]).expect(0)
    assert b"Snow" not in b"".join(memex.journal_bytes().values())
    assert memex.current("Ada likes ?") == []
    memex.run("redact", event).expect(5)
    memex.run("redact", "--gone", "0" * 12).expect(2)
    memex.run("redact").expect(2)
    assert memex.rebuild()["result"] == "equal"
    memex.run("doctor").expect(0)
