"""Sentence by sentence, docs/fold.md as the store keeps it: lines, keys, assertions, closing."""

from __future__ import annotations

import pytest

from symbolic.canon import canonical
from symbolic.records import (
    Declarations,
    GateRow,
    Line,
    ProseHeading,
    Provenance,
    Reading,
    Standing,
)
from symbolic.store.store import Store
from symbolic.world import Change, Queued, State
from tests.symbolic import build
from tests.symbolic.build import says

BORN = says("Ada", "born in", "Rome")
ROME = "Ada was born in Rome."
HERE = build.heading("Ada", ROME, date="2020")
HUMAN = Provenance.HUMAN


def store(
    *lines: Line,
    headings: tuple[ProseHeading, ...] = (HERE,),
    readings: tuple[Reading, ...] = (),
    declarations: Declarations | None = None,
    rows: tuple[GateRow, ...] = (),
) -> Store:
    made = Store.memory(declarations=declarations, rows=rows)
    made.apply(Change(headings=headings, readings=readings, lines=lines))
    return made


def state(view: Store, written: object = BORN) -> list[State]:
    fact = view.fact(canonical(written, view.declarations).fid)  # type: ignore[arg-type]
    return [] if fact is None else [a.state for a in fact.assertions]


def standing(view: Store, written: object = BORN) -> Standing | None:
    fact = view.fact(canonical(written, view.declarations).fid)  # type: ignore[arg-type]
    return None if fact is None else fact.standing


# --- 1. which lines count ---------------------------------------------------------------------


def test_an_undo_takes_its_line_out_and_an_undo_of_the_undo_brings_it_back() -> None:
    said = build.declare(BORN, 1)
    first = build.undo(said.hash, 2)
    second = build.undo(first.hash, 3)
    view = store(said, first)
    assert standing(view) is None
    assert view.undone() == {said.hash: first.hash}
    view.apply(Change(lines=(second,)))
    assert standing(view) is Standing.STANDING
    assert view.undone() == {first.hash: second.hash}


def test_an_undo_that_arrives_before_its_line_waits_for_it() -> None:
    said = build.declare(BORN, 1)
    view = store(build.undo(said.hash, 2))
    assert view.undone() == {}
    view.apply(Change(lines=(said,)))
    assert standing(view) is None and set(view.undone()) == {said.hash}


def test_a_redacted_line_says_nothing_and_shows_no_body() -> None:
    said = build.declare(BORN, 1)
    view = store(said)
    view.apply(Change(lines=(build.line("redact", {"events": [said.hash], "reason": None}, 2),)))
    assert standing(view) is None
    found = view.line(said.hash)
    assert found is not None and found.body == {}


def test_lines_are_kept_whole_in_their_order() -> None:
    late, early = build.declare(BORN, 9), build.retract(BORN, ["*"], at=3)
    view = store(late, early)
    assert list(view.lines()) == [early, late]
    assert view.line(late.hash) == late and view.line("f" * 64) is None
    assert view.newest() == late.at


# --- 2. where a key is today ------------------------------------------------------------------


def resolved(view: Store) -> str | None:
    (track,) = view.tracks()
    return track.resolved


def test_a_path_key_stays_while_its_heading_holds_the_quote() -> None:
    view = store(build.admit(BORN, HERE.key, ROME))
    assert resolved(view) == HERE.key
    view.apply(Change(headings=(build.heading("Ada", "gone"),)))
    assert resolved(view) is None and standing(view) is Standing.STALE


def test_an_id_key_stays_whatever_its_heading_says_and_the_admission_goes_stale() -> None:
    there = build.heading("Ada", "nothing", ident="x")
    view = store(build.admit(BORN, there.key, ROME), headings=(there,))
    assert resolved(view) == "id:x" and state(view) == [State.STALE]


def test_a_quote_found_in_exactly_one_heading_leads_there() -> None:
    moved = build.heading("Elsewhere", ROME, path="b.org")
    view = store(build.admit(BORN, "a.org#Gone#1", ROME), headings=(moved,))
    assert resolved(view) == moved.key and standing(view) is Standing.STANDING
    twin = build.heading("Twin", ROME, path="c.org")
    view.apply(Change(headings=(twin,)))
    assert resolved(view) is None and standing(view) is Standing.STALE
    view.apply(Change(paths=("b.org",)))
    assert resolved(view) == twin.key and standing(view) is Standing.STANDING


def test_markup_is_transparent_to_a_moved_quote() -> None:
    marked = build.heading("M", "Ada was /born/ in [[id:r][Rome]].", path="b.org")
    view = store(build.admit(BORN, "a.org#Gone#1", ROME), headings=(marked,))
    assert resolved(view) == marked.key


def test_an_anchor_leads_to_its_new_key_and_a_null_one_bars_no_find() -> None:
    new = build.heading("New", ROME, path="b.org")
    twin = build.heading("Twin", ROME, path="c.org")
    said = build.admit(BORN, HERE.key, ROME)
    view = store(said, build.anchor(BORN, HERE.key, new.key, 2), headings=(new, twin))
    (track,) = view.tracks()
    assert (track.anchored, track.resolved) == (new.key, new.key)
    view.apply(Change(lines=(build.anchor(BORN, HERE.key, None, 3),), paths=("c.org",)))
    (track,) = view.tracks()
    assert (track.anchored, track.resolved) == (None, new.key)


def test_the_text_hash_finds_the_one_heading_whose_body_is_the_same() -> None:
    moved = build.heading("Moved", ROME, path="b.org")
    lost = build.reject(BORN, "a.org#Gone#1", "unknown words", text_hash=moved.body_hash)
    view = store(lost, headings=(moved,))
    assert view.bars()[0].resolved == moved.key


def test_a_heading_of_the_agent_holds_no_quote() -> None:
    agent = build.heading("Agent", ROME, path="b.org", agent=True)
    view = store(build.admit(BORN, "a.org#Gone#1", ROME), headings=(agent,))
    assert resolved(view) is None


def test_a_quote_known_from_an_undone_line_still_leads_a_rejection() -> None:
    said = build.admit(BORN, HERE.key, ROME, 1)
    moved = build.heading("Moved", ROME, path="b.org")
    view = store(
        said, build.undo(said.hash, 2), build.reject(BORN, "a.org#Gone#1", ROME, 3),
        headings=(moved,),
    )  # fmt: skip
    assert view.bars()[0].resolved == moved.key


def test_a_key_without_quote_and_text_needs_only_its_heading() -> None:
    view = store(build.retract(BORN, [HERE.key]))
    assert view.bars()[0].resolved == HERE.key


# --- 3. statements ----------------------------------------------------------------------------


def test_a_reading_of_its_heading_is_about_the_title_while_it_is_unique() -> None:
    here = build.heading("Ada", path="a.org")
    said = build.reading(here, says("@heading", "likes", "tea"))
    view = store(headings=(here,), readings=(said,))
    assert standing(view, says("Ada", "likes", "tea")) is Standing.STANDING
    twin = build.heading("ADA", path="b.org")
    view.apply(Change(headings=(twin,)))
    assert standing(view, says("Ada", "likes", "tea")) is None
    other = says(here.key, "likes", "tea", entity_kind="heading")
    assert standing(view, other) is Standing.STANDING
    view.apply(Change(paths=("b.org",)))
    assert standing(view, says("Ada", "likes", "tea")) is Standing.STANDING


def test_what_does_not_read_asserts_nothing() -> None:
    view = store(build.declare(says("Ada", "lives in", "Rome", valid_from="2021", valid_to="2020")))
    assert list(view.facts()) == []


# --- 4. assertions ----------------------------------------------------------------------------


def test_a_gate_row_always_lives() -> None:
    row = GateRow(source="table:1", written=BORN)
    view = store(build.retract(BORN, ["*"]), rows=(row,))
    assert state(view) == [State.LIVE] and standing(view) is Standing.STANDING


def test_an_agents_heading_asserts_nothing() -> None:
    agent = build.heading("Ada", ROME, agent=True)
    assert standing(store(headings=(agent,), readings=(build.reading(agent, BORN, ROME),))) is None


def test_a_retraction_suppresses_the_reading_at_its_heading_alone() -> None:
    there = build.heading("There", ROME, path="b.org")
    readings = (build.reading(HERE, BORN, ROME), build.reading(there, BORN, ROME))
    line = build.retract(BORN, [HERE.key], [ROME])
    view = store(line, headings=(HERE, there), readings=readings)
    assert sorted(state(view)) == [State.LIVE, State.SUPPRESSED]
    (ended,) = [a for a in view.facts().__iter__().__next__().assertions if a.ended_by]
    assert ended.ended_by == line.hash and ended.heading == HERE.key


def test_a_retraction_of_the_headings_own_subject_follows_a_renamed_title() -> None:
    first = build.heading("Ada", ROME, ident="x")
    said = build.reading(first, says("@heading", "born in", "Rome"), ROME)
    line = build.retract(BORN, ["id:x"], [ROME], subject="@heading")
    view = store(line, headings=(first,), readings=(said,))
    assert state(view) == [State.SUPPRESSED]
    renamed = build.heading("Countess", ROME, ident="x")
    view.apply(Change(headings=(renamed,), readings=(said,)))
    assert state(view, says("Countess", "born in", "Rome")) == [State.SUPPRESSED]


@pytest.mark.parametrize("keys", [["*"], [HERE.key]])
def test_a_retraction_withdraws_the_journal_assertions_before_it(keys: list[str]) -> None:
    first, last = build.admit(BORN, HERE.key, ROME, 1), build.admit(BORN, HERE.key, ROME, 3)
    view = store(first, build.retract(BORN, keys, [ROME], 2))
    assert state(view) == [State.WITHDRAWN] and standing(view) is Standing.RETRACTED
    view.apply(Change(lines=(last,)))
    assert state(view) == [State.WITHDRAWN, State.LIVE]


def test_a_reject_bars_an_extracted_reading_from_its_source_and_no_persons_own() -> None:
    extracted = build.reading(HERE, BORN, ROME)
    own = build.reading(HERE, BORN, ROME, provenance=HUMAN)
    view = store(build.reject(BORN, HERE.key, ROME), readings=(extracted, own))
    assert sorted(state(view)) == [State.LIVE, State.WITHDRAWN]


def test_a_reject_follows_the_quote_and_reaches_everywhere_only_if_it_says_so() -> None:
    there = build.heading("There", "Rome it was.", path="b.org")
    reading = build.reading(there, BORN, "Rome it was.")
    source = build.reject(BORN, HERE.key, ROME, 1)
    view = store(source, headings=(HERE, there), readings=(reading,))
    assert state(view) == [State.LIVE]
    view.apply(Change(lines=(build.reject(BORN, HERE.key, ROME, 2, scope="everywhere"),)))
    assert state(view) == [State.WITHDRAWN]


def test_a_reject_withdraws_no_declare() -> None:
    view = store(build.declare(BORN, 1), build.reject(BORN, "*", None, 2, scope="everywhere"))
    assert state(view) == [State.LIVE]


def test_a_supersede_withdraws_old_and_asserts_new_in_one_line() -> None:
    oslo = says("Ada", "born in", "Oslo")
    view = store(build.declare(BORN, 1), build.supersede(BORN, oslo, 2))
    assert standing(view) is Standing.RETRACTED and standing(view, oslo) is Standing.STANDING


def test_a_settlement_that_keeps_one_withdraws_the_others() -> None:
    oslo = says("Ada", "born in", "Oslo")
    kept = canonical(BORN).fid
    view = store(
        build.declare(BORN, 1), build.declare(oslo, 2),
        build.settle("c", [(BORN, ["*"]), (oslo, ["*"])], 3, kept=kept),
    )  # fmt: skip
    assert standing(view) is Standing.STANDING and standing(view, oslo) is Standing.RETRACTED


def test_an_incumbent_refuses_readings_while_the_kept_fact_lives() -> None:
    oslo = says("Ada", "born in", "Oslo")
    said = build.declare(BORN, 1)
    reading = build.reading(HERE, oslo, ROME)
    view = store(said, build.incumbent("c", BORN, [oslo], 2), readings=(reading,))
    assert state(view, oslo) == [State.REFUSED] and standing(view, oslo) is Standing.STALE
    view.apply(Change(lines=(build.retract(BORN, ["*"], at=3),)))
    assert state(view, oslo) == [State.LIVE]


def test_an_incumbent_that_was_refused_itself_refuses_nothing() -> None:
    rome, oslo, bonn = (says("Ada", "born in", city) for city in ("Rome", "Oslo", "Bonn"))
    readings = tuple(build.reading(HERE, w, ROME) for w in (rome, oslo, bonn))
    first = build.incumbent("c", rome, [oslo], 1)
    view = store(first, build.incumbent("c", oslo, [bonn], 2), readings=readings)
    assert state(view, oslo) == [State.REFUSED] and state(view, bonn) == [State.LIVE]
    view.apply(Change(lines=(build.undo(first.hash, 3),)))
    assert state(view, oslo) == [State.LIVE] and state(view, bonn) == [State.REFUSED]


def test_what_an_incumbent_refused_lives_as_another_fact() -> None:
    rome, oslo = (says("@heading", "born in", city) for city in ("Rome", "Oslo"))
    readings = tuple(build.reading(HERE, w, ROME) for w in (rome, oslo))
    named = says("Ada", "born in", "Oslo")
    view = store(build.incumbent("c", BORN, [named]), readings=readings)
    assert state(view, named) == [State.REFUSED]
    view.apply(Change(headings=(build.heading("Ada", path="twin.org"),)))
    keyed = says(HERE.key, "born in", "Oslo", entity_kind="heading")
    assert state(view, keyed) == [State.LIVE]
    view.apply(Change(paths=("twin.org",)))
    assert state(view, named) == [State.REFUSED]


def test_the_evidence_date_is_the_headings_today() -> None:
    view = store(build.admit(BORN, HERE.key, ROME, date="1999"))
    fid = canonical(BORN).fid
    fact = view.fact(fid)
    assert fact is not None and fact.assertions[0].evidence_date == "2020"
    view.apply(Change(paths=("a.org",)))
    fact = view.fact(fid)
    assert fact is not None and fact.assertions[0].evidence_date == "1999"
    assert fact.assertions[0].digest_source == f"lost:{HERE.key}"


# --- 5. closing -------------------------------------------------------------------------------


def test_a_supersede_from_closes_old_while_new_stands() -> None:
    lives, moved = says("Ada", "lives in", "Rome"), says("Ada", "lives in", "Oslo")
    close = build.supersede(lives, moved, 2, from_="2021")
    view = store(build.declare(lives, 1), close)
    fact = view.fact(canonical(lives).fid)
    assert fact is not None and fact.standing is Standing.STANDING
    assert fact.closed == ("2021", canonical(moved).fid)
    earlier = build.supersede(lives, moved, 3, from_="2020-05")
    view.apply(Change(lines=(earlier,)))
    fact = view.fact(canonical(lives).fid)
    assert fact is not None and fact.closed == ("2020-05", canonical(moved).fid)
    view.apply(Change(lines=(build.retract(moved, ["*"], at=4),)))
    fact = view.fact(canonical(lives).fid)
    assert fact is not None and fact.closed is None


# --- 10. the queue ----------------------------------------------------------------------------


def queued(view: Store) -> Queued:
    (proposal,) = view.proposals()
    return proposal.state


def test_a_proposal_is_pending_lapsed_admitted_or_rejected() -> None:
    proposal = build.propose(BORN, HERE.key, ROME, 1)
    view = store(proposal)
    assert queued(view) is Queued.PENDING
    view.apply(Change(paths=("a.org",)))
    assert queued(view) is Queued.LAPSED
    view.apply(Change(headings=(HERE,)))
    assert queued(view) is Queued.PENDING
    reject = build.reject(BORN, HERE.key, ROME, 2)
    view.apply(Change(lines=(reject,)))
    assert queued(view) is Queued.REJECTED
    view.apply(Change(lines=(build.undo(reject.hash, 3), build.admit(BORN, HERE.key, ROME, 4))))
    assert queued(view) is Queued.ADMITTED


def test_a_blocked_proposal_is_pending_again_when_a_blocker_falls() -> None:
    oslo = says("Ada", "born in", "Oslo")
    proposal = build.propose(BORN, HERE.key, ROME, 1)
    name = str(proposal.body["proposal"])
    blocker = canonical(oslo).fid
    view = store(build.declare(oslo, 2), proposal, build.refuse(name, "blocked", [blocker], 3))
    assert queued(view) is Queued.BLOCKED and view.proposals()[0].blockers == (blocker,)
    view.apply(Change(lines=(build.retract(oslo, ["*"], at=4),)))
    assert queued(view) is Queued.PENDING


def test_a_rule_blocks_while_it_is_declared() -> None:
    proposal = build.propose(BORN, HERE.key, ROME, 1)
    refuse = build.refuse(str(proposal.body["proposal"]), "blocked", ["rule:range:born in"], 2)
    ranged = build.relations(build.relation("born in", range=("integer",)))
    view = store(proposal, refuse, declarations=ranged)
    assert queued(view) is Queued.BLOCKED
    view.apply(Change(declarations=Declarations()))
    assert queued(view) is Queued.PENDING


def test_a_malformed_or_ungrounded_one_is_refused_for_good() -> None:
    proposal = build.propose(BORN, HERE.key, ROME, 1)
    name = str(proposal.body["proposal"])
    view = store(proposal, build.refuse(name, "ungrounded", (), 2))
    assert queued(view) is Queued.REFUSED
    assert view.proposals(id=name) == view.proposals() == view.proposals(key=HERE.key)
    assert view.proposals(fid=canonical(BORN).fid) == view.proposals()


def test_a_reply_with_nothing_in_it_is_no_proposal_and_an_unreadable_one_has_no_statement() -> None:
    bad = says("Ada", "age", " ")
    view = store(build.propose(None, HERE.key, ROME, 1), build.propose(bad, HERE.key, ROME, 2))
    (proposal,) = view.proposals()
    assert proposal.statement is None and proposal.candidate.written.entity == "Ada"
    view.apply(Change(lines=(build.propose(BORN, None, None, 3),)))
    assert view.proposals()[-1].key == "*" and view.proposals()[-1].state is Queued.PENDING
