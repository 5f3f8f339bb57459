"""Devices that decided differently: listed, held at the safest, answered once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from bridge import human, review
from bridge.app import App
from bridge.decisions import shown as shown_of
from bridge.reconcile import divergence_json, reconcile, shown
from neuro.candidates import Item
from symbolic.divergence import Divergence
from symbolic.errors import Refused, Stale, Usage
from symbolic.records import Candidate, Grounding, Provenance, Standing, Written
from symbolic.world import OPEN
from tests.laws.devices import Fleet, Machine
from tests.laws.reference import world
from tests.laws.sides import difference, rows

NOTES = {"a.org": "* Ada\n- likes :: Tea\n", "b.org": "* Bob\nBob likes rain.\n"}
SNOW = '(:entity "Ada" :relation :likes :value "Snow")'
WIND = '(:entity "Ada" :relation :likes :value "Wind")'
HAIL = '(:entity "Ada" :relation :likes :value "Hail")'

Deed = Callable[[App], object]


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    with Fleet(3, NOTES) as made:
        calm(made)
        yield made


def calm(fleet: Fleet) -> None:
    """Make files equal and sync until nothing is written; D is the same everywhere then."""
    for _ in range(4):
        fleet.exchange()
        wrote = [line for one in fleet.machines for line in one.sync().lines]
    assert not wrote
    assert len({one.digest() for one in fleet.machines}) == 1
    assert len({one.app.view.divergences() for one in fleet.machines}) == 1


def do(one: Machine, deed: Deed) -> None:
    with one.deciding("test") as app:
        deed(app)


def fid(one: Machine, value: str) -> str:
    return next(
        f.fid for f in one.app.view.facts(relation="likes") if f.statement.value.written == value
    )


def declare(plist: str) -> Deed:
    return lambda app: human.declare(app, plist)


def retract(value: str) -> Deed:
    def deed(app: App) -> object:
        (name,) = [
            f.fid for f in app.view.facts(relation="likes")
            if f.statement.value.written == value
        ]
        return human.retract(app, name, heading=None, reason=None)

    return deed


def supersede(old: str, new: str) -> Deed:
    def deed(app: App) -> object:
        (name,) = [
            f.fid for f in app.view.facts(relation="likes") if f.statement.value.written == old
        ]
        return human.supersede(app, name, new, None)

    return deed


def stands(one: Machine) -> set[str]:
    return {
        f.statement.value.written for f in one.app.view.facts(relation="likes")
        if f.standing is Standing.STANDING
    }


def only(fleet: Fleet) -> Divergence:
    (found,) = fleet.machines[0].app.view.divergences()
    return found


def diverged(fleet: Fleet) -> Divergence:
    """Let one machine retract what another states again, having seen that it fell before."""
    one, other, _ = fleet.machines
    do(one, declare(SNOW))
    calm(fleet)
    do(one, retract("Snow"))
    calm(fleet)
    do(one, declare(SNOW))
    calm(fleet)
    do(one, retract("Snow"))
    do(other, supersede("Snow", WIND))
    calm(fleet)
    return only(fleet)


def test_the_safest_stands_until_a_person_decides(fleet: Fleet) -> None:
    found = diverged(fleet)
    kinds = {
        fleet.machines[2].app.view.line(event).kind: event  # type: ignore[union-attr]
        for event in found.events
    }
    assert kinds.keys() == {"retract", "supersede"}
    assert found.stands == (kinds["retract"],)
    assert stands(fleet.machines[2]) == {"Tea"}


@pytest.mark.parametrize("keep", [0, 1])
def test_one_answer_closes_it_everywhere_and_for_good(fleet: Fleet, keep: int) -> None:
    found = diverged(fleet)
    third = fleet.machines[2]
    kept = found.events[keep]
    line = third.app.view.line(kept)
    assert line is not None
    do(third, lambda app: reconcile(app, found.id, kept[:12], shown(found)))
    calm(fleet)
    wind = {"Wind"} if line.kind == "supersede" else set()
    for one in fleet.machines:
        assert one.app.view.divergences() == ()
        assert stands(one) == {"Tea"} | wind
        one.lose_index()
    calm(fleet)
    assert stands(fleet.machines[0]) == {"Tea"} | wind


def test_two_answers_that_clash_are_a_new_one(fleet: Fleet) -> None:
    found = diverged(fleet)
    for number in (0, 1):
        kept = found.events[number]
        do(fleet.machines[number], lambda app, kept=kept: reconcile(  # type: ignore[misc]
            app, found.id, kept, shown(found)
        ))
    calm(fleet)
    again = only(fleet)
    assert again.id != found.id
    assert stands(fleet.machines[0]) == {"Tea"}
    do(fleet.machines[0], lambda app: reconcile(app, again.id, again.events[0], shown(again)))
    calm(fleet)
    assert fleet.machines[1].app.view.divergences() == ()


def test_two_successors_of_one_fact_leave_what_stood_before(fleet: Fleet) -> None:
    one, other, third = fleet.machines
    do(one, declare(SNOW))
    calm(fleet)
    do(one, supersede("Snow", WIND))
    do(other, supersede("Snow", HAIL))
    calm(fleet)
    found = only(fleet)
    assert found.stands == ()
    assert stands(third) == {"Tea", "Snow"}
    do(third, lambda app: reconcile(app, found.id, found.events[1], shown(found)))
    calm(fleet)
    assert stands(one) in ({"Tea", "Wind"}, {"Tea", "Hail"})


def test_agreeing_and_later_decisions_are_none(fleet: Fleet) -> None:
    one, other, _ = fleet.machines
    do(one, declare(SNOW))
    do(other, declare(SNOW))
    calm(fleet)
    assert one.app.view.divergences() == ()
    do(one, retract("Snow"))
    do(other, retract("Snow"))
    calm(fleet)
    do(one, declare(SNOW))
    calm(fleet)
    assert one.app.view.divergences() == ()
    assert stands(other) == {"Tea", "Snow"}


def test_an_undo_makes_it_open_again_or_takes_a_side_away(fleet: Fleet) -> None:
    found = diverged(fleet)
    one, _, third = fleet.machines
    do(third, lambda app: reconcile(app, found.id, found.events[0], shown(found)))
    calm(fleet)
    answer = next(line for line in third.lines() if line.kind == "reconcile")
    do(one, lambda app: human.undo(app, answer.hash))
    calm(fleet)
    assert only(fleet) == found
    do(one, lambda app: human.undo(app, found.events[1]))
    calm(fleet)
    assert third.app.view.divergences() == ()


def test_two_undos_of_one_event_and_either_taken_back(fleet: Fleet) -> None:
    """Found by the machine of devices: the two forms of the fold named different undos."""
    one, other, _ = fleet.machines
    do(one, declare(SNOW))
    calm(fleet)
    said = next(line.hash for line in one.lines() if line.kind == "declare")
    for each in (one, other):
        do(each, lambda app: human.undo(app, said))
    calm(fleet)
    undos = [line.hash for line in one.lines() if line.kind == "undo"]
    assert one.app.view.undone() == world(one).undone() == {said: undos[1]}
    do(one, lambda app: human.undo(app, undos[1]))
    assert stands(one) == {"Tea"}
    do(one, lambda app: human.undo(app, undos[0]))
    assert stands(one) == {"Tea", "Snow"}


def test_two_devices_that_queue_the_same_have_one_queue(fleet: Fleet) -> None:
    """Found by the machine of devices: the reference took the second line for another proposal."""
    one, other, _ = fleet.machines
    for each in (one, other):
        for what in ("Tea", "Oolong"):
            propose(each, what)
    calm(fleet)
    assert len(list(one.app.view.proposals())) == 2
    assert not difference(rows(world(one)), rows(one.app.view), ("reference", "store"))


def test_what_was_not_shown_is_stale_and_a_wrong_name_is_told(fleet: Fleet) -> None:
    found = diverged(fleet)
    one = fleet.machines[0]
    for keep, digest, error in (
        (found.events[0], "0" * 16, Stale), ("f" * 64, shown(found), Usage),
    ):
        with pytest.raises(error), one.deciding("reconcile") as app:
            reconcile(app, found.id, keep, digest)
    do(one, lambda app: reconcile(app, found.id, found.events[0], shown(found)))
    with pytest.raises(Stale), one.deciding("reconcile") as app:
        reconcile(app, found.id, found.events[0], shown(found))


def test_the_list_as_json(fleet: Fleet) -> None:
    found = diverged(fleet)
    told = divergence_json(fleet.machines[0].app.view, found)
    assert list(told) == ["schema", "divergence", "keys", "decisions", "stands", "shown"]
    assert told["schema"] == "pp.reconcile/1"
    (first, second) = told["decisions"]  # type: ignore[misc]
    assert list(first) == ["event", "dev", "at", "by", "kind", "body"]
    assert first["at"] < second["at"]


def test_a_number_alone_does_not_say_which_branch_was_seen(fleet: Fleet) -> None:
    """A clone and its original each wrote line N; who saw one of them has not seen the other."""
    one, other, _ = fleet.machines
    do(one, declare(SNOW))
    calm(fleet)
    twin = fleet.clone(0)
    do(one, retract("Snow"))
    for plist in (WIND, HAIL):
        do(twin, declare(plist))
    for name in twin.files():
        fleet.send(fleet.machines.index(twin), 1, name)
    do(other, supersede("Snow", '(:entity "Ada" :relation :likes :value "Fog")'))
    calm(fleet)
    kinds = [line.kind for event in only(fleet).events if (line := one.app.view.line(event))]
    assert kinds == ["retract", "supersede"]


def test_a_machine_that_had_not_seen_a_decision_is_overruled_without_a_question(
    fleet: Fleet,
) -> None:
    one, other, _ = fleet.machines
    for each in (one, other):
        propose(each)
    calm(fleet)
    with one.deciding("reject") as app:
        (waiting,) = (p for p in app.view.proposals() if p.state in OPEN)
        human.reject(app, waiting.id, everywhere=False, reason=None)
    with other.deciding("admit", person=False) as app:
        review.auto(app)
    calm(fleet)
    for each in fleet.machines:
        assert each.app.view.divergences() == ()
        assert not [
            f for f in each.app.view.facts(relation="drinks") if f.standing is Standing.STANDING
        ]


def propose(one: Machine, what: str = "Tea") -> None:
    """Queue what a heading is said to say."""
    with one.deciding("propose", person=False) as app:
        review.propose(app, [Item(0, Candidate(
            written=Written(entity="Ada", relation="drinks", value=what),
            grounding=Grounding(heading="a.org#Ada#1", quote=f"likes :: {what}"),
            proposer=Provenance.EXTRACTED,
        ))])  # fmt: skip


ONE_HOME = """* home
:PROPERTIES:
:KIND: relation
:FUNCTIONAL: t
:POLICY: exclusive
:END:
"""


def home(town: str) -> Deed:
    return declare(f'(:entity "Ada" :relation :home :value "{town}")')


def towns(one: Machine, found: Divergence) -> list[str]:
    """Return what the decisions state, in the order."""
    lines = [one.app.view.line(event) for event in found.events]
    return [line.body["statement"]["value"] for line in lines if line]  # type: ignore[index]


def homes(one: Machine) -> set[str]:
    return {
        f.statement.value.written for f in one.app.view.facts(relation="home")
        if f.standing is Standing.STANDING
    }


@pytest.fixture
def rivals(fleet: Fleet) -> Fleet:
    """Let two machines state what cannot both be so."""
    one, other, _ = fleet.machines
    one.put("system/ontology.org", ONE_HOME.encode())
    calm(fleet)
    do(one, home("Rome"))
    do(other, home("Oslo"))
    calm(fleet)
    return fleet


def test_of_two_exclusive_facts_the_first_in_the_order_stands(rivals: Fleet) -> None:
    found = only(rivals)
    assert [key.partition(" ")[0] for key in found.keys] == ["conflict"]
    assert found.stands == found.events[:1]
    first = towns(rivals.machines[0], found)[0]
    assert [homes(one) for one in rivals.machines] == [{first}] * 3


@pytest.mark.parametrize("keep", [0, 1])
def test_keeping_one_of_two_exclusive_facts_closes_it(rivals: Fleet, keep: int) -> None:
    third = rivals.machines[2]
    found = only(rivals)
    kept = towns(third, found)[keep]
    do(third, lambda app: reconcile(app, found.id, found.events[keep], shown(found)))
    calm(rivals)
    for one in rivals.machines:
        assert one.app.view.divergences() == ()
        assert homes(one) == {kept}
        one.lose_index()
    calm(rivals)
    assert homes(third) == {kept}


def test_a_proposal_that_was_not_kept_is_blocked_by_the_one_that_was(fleet: Fleet) -> None:
    one, other, third = fleet.machines
    one.put("system/ontology.org", ONE_HOME.replace("home", "drinks").encode())
    one.put("a.org", b"* Ada\n- likes :: Tea\n- likes :: Oolong\n")
    calm(fleet)
    for each, what in ((one, "Tea"), (other, "Oolong")):
        propose(each, what)
        do(each, admit)
    calm(fleet)
    found = only(fleet)
    first, second = towns(one, found)
    assert found.stands == found.events[:1]
    assert queued(third) == {first: ("admitted", ()), second: ("blocked", (first,))}
    do(third, lambda app: reconcile(app, found.id, found.events[1], shown(found)))
    calm(fleet)
    for each in fleet.machines:
        assert queued(each) == {first: ("blocked", (second,)), second: ("admitted", ())}
        assert not difference(rows(world(each)), rows(each.app.view), ("reference", "store"))
    (kept,) = (f.fid for f in one.app.view.facts(relation="drinks") if f.standing == "standing")
    do(one, lambda app: human.retract(app, kept, heading=None, reason=None))
    calm(fleet)
    assert queued(other)[first] == ("pending", ())
    assert not difference(rows(world(one)), rows(one.app.view), ("reference", "store"))


def admit(app: App) -> None:
    """Admit what waits, as a person."""
    (waiting,) = (p for p in app.view.proposals() if p.state in OPEN)
    review.by_hand(app, waiting.id, shown_of(waiting, review.judged(waiting, app.view), app.view))


def queued(one: Machine) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return each proposal's state, and the values of what blocks it."""
    values = {f.fid: f.statement.value.written for f in one.app.view.facts(relation="drinks")}
    return {
        p.candidate.written.value: (p.state.value, tuple(values[fid] for fid in p.blockers))
        for p in one.app.view.proposals()
    }


def test_what_did_not_stand_stands_once_the_other_falls(rivals: Fleet) -> None:
    one, other, third = rivals.machines
    _, second = towns(one, only(rivals))
    (first,) = (f.fid for f in one.app.view.facts(relation="home"))
    do(third, lambda app: human.retract(app, first, heading=None, reason=None))
    calm(rivals)
    assert one.app.view.divergences() == ()
    assert homes(other) == {second}


def test_who_knew_of_the_other_is_refused_and_nothing_diverges(fleet: Fleet) -> None:
    one, other, _ = fleet.machines
    one.put("system/ontology.org", ONE_HOME.encode())
    do(one, home("Rome"))
    calm(fleet)
    with pytest.raises(Refused):
        do(other, home("Oslo"))
    calm(fleet)
    assert one.app.view.divergences() == () and homes(other) == {"Rome"}
