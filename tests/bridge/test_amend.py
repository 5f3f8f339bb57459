"""A person's edit in review: grounded again, admitted by them; else their own statement."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from bridge import decisions
from bridge.amend import amended, decide, editable
from bridge.app import App, open_app
from bridge.review import find, judged
from bridge.settings import load
from symbolic.errors import Refused, Stale, Usage
from tests.cli import Memex

NOTES = """
    * Ada
    Ada has worked at Initech since March 2024, please check.
"""
PROPOSED = """
    {"entity": "Ada", "relation": "works-at", "value": "Initech", "valid_from": "2024",
     "heading": "a.org::Ada", "quote": "Ada has worked at Initech since March 2024",
     "rationale": "please verify the year", "confidence": "0.6"}
"""


@pytest.fixture
def app(memex: Memex) -> Iterator[App]:
    memex.write("a.org", NOTES).begin()
    memex.propose(PROPOSED.replace("\n     ", ""))
    with open_app(load(str(memex.root), str(memex.state), memex.now)) as opened:
        yield opened


def edited(app: App, **fields: object) -> tuple[str, str, str]:
    """Return a proposal's id, its text with some fields changed, and the digest of what stood."""
    (proposal,) = app.view.proposals()
    shown = decisions.shown(proposal, judged(proposal, app.view), app.view)
    body = json.loads(editable(proposal))
    return proposal.id, json.dumps({**body, **fields}), shown


def test_the_hedge_stands_in_the_rationale_that_the_reviewer_sees(app: App) -> None:
    (proposal,) = app.view.proposals()
    assert json.loads(editable(proposal))["rationale"] == "please verify the year"


def test_an_edit_that_the_quote_carries_is_admitted_by_the_person(app: App) -> None:
    pid, text, shown = edited(app, valid_from="2024-03")
    with app.writing("admit", person=True):
        done = decide(app, pid, text, shown)
    fact = app.view.fact(done.fact or "")
    assert fact is not None and fact.statement.valid_from == "2024-03"
    (said,) = fact.live
    assert said.provenance == "llm-proposed" and said.by.startswith("person:")
    assert find(app.view, pid).state == "admitted", "the proposal is answered, not left waiting"
    assert [line.kind for line in app.view.lines()][-1] == "admit"


def test_an_edit_that_no_quote_carries_is_a_declaration(app: App) -> None:
    pid, text, shown = edited(app, value="Globex")
    made = amended(text, find(app.view, pid), app.view)
    assert made.declared is not None and "Globex" in made.declared
    with app.writing("admit", person=True):
        done = decide(app, pid, text, shown)
    fact = app.view.fact(done.fact or "")
    assert fact is not None
    assert [said.provenance for said in fact.live] == ["human-authored"]
    assert find(app.view, pid).state == "admitted"


def test_undoing_an_edit_brings_the_proposal_back(app: App, memex: Memex) -> None:
    pid, text, shown = edited(app, valid_from="2024-03")
    with app.writing("admit", person=True):
        event = decide(app, pid, text, shown).event
    memex.decide("undo", event or "")
    assert [line["proposal"] for line in memex.queue()] == [pid]


def test_what_was_shown_binds_an_edit_too(app: App, memex: Memex) -> None:
    pid, text, shown = edited(app, valid_from="2024-03")
    memex.edit("a.org", "please check", "I checked").sync()
    with app.writing("admit", person=True), pytest.raises(Stale):
        decide(app, pid, text, shown)


@pytest.mark.parametrize("text", ["", "no JSON", "[]", '{"entity": "Ada"}', '{"nonsense": 1}'])
def test_an_edit_that_does_not_read_changes_nothing(app: App, text: str) -> None:
    pid, _, shown = edited(app)
    before = len(list(app.view.lines()))
    with app.writing("admit", person=True), pytest.raises(Usage):
        decide(app, pid, text, shown)
    assert len(list(app.view.lines())) == before


def test_an_edit_into_what_is_excluded_is_refused(memex: Memex) -> None:
    memex.ontology("""
        #+TODO: PROPOSED | APPROVED DENIED
        * APPROVED works-at
        :PROPERTIES:
        :KIND: relation
        :FUNCTIONAL: t
        :POLICY: exclusive
        :END:
    """).write("a.org", NOTES).begin()
    memex.declare('(:entity "Ada" :relation :works-at :value "Globex")')
    memex.propose(PROPOSED.replace("\n     ", ""))
    with open_app(load(str(memex.root), str(memex.state), memex.now)) as app:
        pid, text, shown = edited(app, valid_from="2024-03")
        with app.writing("admit", person=True), pytest.raises(Refused, match="Globex"):
            decide(app, pid, text, shown)


def test_the_review_loop_takes_e(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys as a person types them; the editor is a function that changes the date."""
    from bridge.cli import loop

    monkeypatch.setattr(click, "edit", lambda text, **_: text.replace('"2024"', '"2024-03"'))

    @click.command()
    def admit() -> None:
        loop.review(app, ())

    ran = CliRunner().invoke(admit, input="e\ny\n")
    assert ran.exit_code == 0, ran.output
    assert "because: please verify the year" in ran.output
    assert "[2024-03" in ran.output and "undo with: pp undo" in ran.output
    (fact,) = (f for f in app.view.facts() if f.statement.relation.canon == "works at")
    assert fact.statement.valid_from == "2024-03"
