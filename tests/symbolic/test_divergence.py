"""The rules of divergence alone: histories of three devices that know bits of each other."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic.divergence import STAR, Board, Decision, Side, Stance, clash, divergence_id

PLACES = ("a.org#A#1", "b.org#B#1", STAR)
SIDES = (Side.ADMIT, Side.DECLARE, Side.REJECT, Side.RETRACT)
KINDS = {Side.ADMIT: "admit", Side.DECLARE: "declare", Side.REJECT: "reject",
         Side.RETRACT: "retract"}


class Net:
    """Devices, what each knows, and what each line has seen."""

    def __init__(self) -> None:
        self.lines: dict[str, Decision] = {}
        self.saw: dict[str, frozenset[str]] = {}
        self.knows: list[set[str]] = [set(), set(), set()]

    def seen(self, event: str, other: str) -> bool:
        return other in self.saw[event]

    def write(self, dev: int, kind: str, skew: int = 0, **what: object) -> str:
        """Let a device write a line above all it has seen."""
        event = f"{len(self.lines):04d}{dev}"
        newest = max((int(self.lines[e].order[0]) for e in self.knows[dev]), default=0)
        order = (f"{newest + 1 + skew:08d}", str(dev), len(self.lines), event)
        self.lines[event] = Decision(event, order, kind, **what)  # type: ignore[arg-type]
        self.saw[event] = frozenset(self.knows[dev])
        self.knows[dev].add(event)
        return event

    def board(self, events: Iterable[str]) -> Board:
        """Return the board of some lines, as any device that knows just these has it."""
        known = [self.lines[event] for event in events]
        out: set[str] = set()
        for one in sorted(known, key=lambda d: d.order, reverse=True):
            if one.kind == "undo" and one.event not in out and one.of is not None:
                out.add(one.of)
        made = {
            d.event: Decision(
                d.event, d.order, d.kind, d.stances, d.of, d.refs, d.event not in out, d.person
            )
            for d in known
        }
        return Board(made, self.seen).play()

    def answer(self, dev: int, keep: int) -> str | None:
        """Let a device answer the first divergence it lists; return its id."""
        board = self.board(self.knows[dev])
        if not board.divergences:
            return None
        one = board.divergences[0]
        kept = one.events[keep % len(one.events)]
        self.write(dev, "reconcile", of=kept, refs=one.refs)
        return one.id


@st.composite
def nets(draw: st.DrawFn, *, together: bool = False) -> Net:
    """Draw a history; `together` lets everybody know everything at once."""
    net = Net()
    devices = st.integers(0, 2)
    for _ in range(draw(st.integers(1, 10))):
        dev = draw(devices)
        step = draw(st.integers(0, 9))
        if together:
            for knows in net.knows:
                knows.update(net.lines)
        if step < 4:
            side = draw(st.sampled_from(SIDES))
            place = STAR if side is Side.DECLARE else draw(st.sampled_from(PLACES))
            stance = Stance("cls", place, side, draw(st.sampled_from(("f1", "f1", "f2"))))
            net.write(dev, KINDS[side], draw(st.integers(0, 20)), stances=(stance,))
        elif step == 4:
            old = Stance("cls", draw(st.sampled_from(PLACES)), Side.OLD, "f1",
                         draw(st.sampled_from(("f2 None", "f3 None"))))
            new = Stance("cls2", STAR, Side.NEW, old.how[:2])
            net.write(dev, "supersede", draw(st.integers(0, 20)), stances=(old, new))
        elif step == 5:
            value = draw(st.sampled_from(("both", "keep f1", "keep f2")))
            net.write(dev, "settle", stances=(Stance("conflict c", "", Side.SETTLE, value),))
        elif step == 6 and net.knows[dev]:
            net.write(dev, "undo", of=draw(st.sampled_from(sorted(net.knows[dev]))))
        elif step == 7:
            net.answer(dev, draw(st.integers(0, 3)))
        else:
            net.knows[dev] |= net.knows[draw(devices)]
    return net


@pytest.mark.law
@given(nets())
def test_what_diverges_is_unaware_clashing_and_a_persons(net: Net) -> None:
    board = net.board(net.lines)
    for one in board.divergences:
        assert one.id == divergence_id(one.events) and len(one.events) > 1
        assert set(one.stands) <= set(one.events) - board.held
        for event in one.events:
            others = [other for other in one.events if other != event]
            assert any(
                not net.seen(event, other) and not net.seen(other, event) and clash(s, o)
                for other in others
                for s in board.stances(event) for o in board.stances(other)
            )


@pytest.mark.law
@given(nets(together=True))
def test_devices_that_know_everything_are_never_asked(net: Net) -> None:
    board = net.board(net.lines)
    assert not board.divergences
    assert not board.held


@pytest.mark.law
@given(nets(), st.randoms(use_true_random=False))
def test_it_does_not_depend_on_how_the_lines_came(net: Net, dice: object) -> None:
    events = list(net.lines)
    one = net.board(events)
    dice.shuffle(events)  # type: ignore[attr-defined]
    other = net.board(events)
    assert (one.divergences, one.held) == (other.divergences, other.held)


@pytest.mark.law
@given(nets(), st.integers(0, 3))
def test_an_answer_closes_for_good_and_answering_ends(net: Net, keep: int) -> None:
    """One who knows everything answers; what was answered is never listed again."""
    net.knows[0].update(net.lines)
    answered: set[str] = set()
    for _ in range(40):
        name = net.answer(0, keep)
        if name is None:
            break
        answered.add(name)
        now = net.board(net.lines)
        assert not answered & {one.id for one in now.divergences}
        answer = max(net.lines)
        assert answer not in now.held
    else:
        raise AssertionError("the questions do not end")
    assert not net.board(net.lines).divergences


@pytest.mark.law
@given(nets(), st.integers(0, 3))
def test_undoing_an_answer_asks_again_under_the_same_id(net: Net, keep: int) -> None:
    net.knows[0].update(net.lines)
    before = net.board(net.lines)
    name = net.answer(0, keep)
    if name is None:
        return
    net.write(0, "undo", of=max(net.lines))
    after = net.board(net.lines)
    assert [one.id for one in after.divergences] == [one.id for one in before.divergences]
    assert after.held - net.saw.keys() == before.held - net.saw.keys()
    assert after.held & before.held == before.held
