"""Decisions outlive everything that can happen to real notes, and the index that saw it.

On a copy of the corpora without IDs a person rejects, retracts and admits; then the notes are
tidied beyond recognition with no sync between, and the state folder is lost. Nothing that was
refused comes back or is asked again, and what was admitted is found or listed as lost.
"""

from __future__ import annotations

import os
import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bridge import human, review
from bridge.app import App, open_app
from bridge.settings import load
from bridge.sync import sync
from neuro.candidates import Item
from symbolic.admission import admit
from symbolic.assess import Assessed
from symbolic.canon import canonical
from symbolic.grounding import holds, match_form
from symbolic.names import digest
from symbolic.records import (
    Candidate,
    Grounding,
    Name,
    Outcome,
    ProseHeading,
    Provenance,
    Standing,
    Written,
)
from symbolic.world import OPEN, Assertion, Fact, Queued, Source, State, View
from tests.cli import Memex
from tests.corpora.shelf import Shelf, without_ids
from tests.corpora.test_sync import org_files

LAWS = os.environ.get("HYPOTHESIS_PROFILE") == "laws"
SEEDS = (2025, 7) if LAWS else (2025,)
REJECTED, RETRACTED, ADMITTED, EDITS = 100, 50, 50, 200

_SENTENCE = re.compile(r"(?m)^[^\W\d_][^\n*#|:=~\[\]{}<>\"\\]{24,160}$")
_WORD = re.compile(r"[^\W\d_]{2,}")
EMPTY = digest("")
RELATIONS = ("mentions", "needs", "follows")


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A reading that a person withdrew, as it can be found again whatever its heading is called."""

    relation: str
    value: object
    quote_hash: str
    body_hash: str
    by_quote: bool
    """Whether its quote stands in one heading only; else its heading's own text does."""


@pytest.fixture
def notes(memex: Memex, corpora: Path) -> Memex:
    """Return a copy of the corpora without IDs, started and synced."""
    for path in org_files(corpora):
        memex.write(path, without_ids((corpora / path).read_bytes()))
    memex.init()
    return memex


def opened(memex: Memex) -> App:
    """Open a memex in process: a decision each through `pp` would open it 150 times."""
    return open_app(load(
        memex=str(memex.root), state=str(memex.state), now=memex.now,
        environ={"HOME": str(memex.base), "USER": "tester"},
    ))


# --- what is decided --------------------------------------------------------------------------


def claims(headings: Iterable[ProseHeading], rng: random.Random, *counts: int) -> list[Item]:
    """Return candidates made of sentences of the notes: a word does something to a word.

    So many as each of `counts` says, in this order; one in five from a sentence that stands in
    several headings.
    """
    places = [
        (heading, sentence) for heading in headings
        for sentence in dict.fromkeys(_SENTENCE.findall(heading.text.partition("\n")[2]))
    ]
    rng.shuffle(places)
    often = Counter(sentence for _, sentence in places)
    made: dict[str, tuple[bool, Item]] = {}
    for heading, sentence in places:
        words = sorted(set(_WORD.findall(sentence)), key=lambda word: (-len(word), word))
        if len(words) > 1:
            said = Written(entity=words[0], relation=rng.choice(RELATIONS), value=words[1])
            one = item(said, heading, sentence, len(made) + 1)
            made.setdefault(canonical(said).fid, (often[sentence] > 1, one))
    kinds = [iter([one for several, one in made.values() if several is kind])
             for kind in (True, False)]
    return [next(kinds[number % 5 != 0]) for count in counts for number in range(count)]


def item(said: Written, heading: ProseHeading, quote: str, line: int) -> Item:
    """Return a candidate line of a model that read `heading`."""
    place = Grounding(heading=heading.key, quote=quote)
    return Item(line, Candidate(written=said, grounding=place, proposer=Provenance.PROPOSED))


def withdrawable(app: App, rng: random.Random, count: int) -> list[tuple[str, Withdrawn]]:
    """Return extracted facts of one reading with a quote or an own text that is unique."""
    headings = {heading.key: heading for heading in app.view.headings()}
    bodies = Counter(heading.body_hash for heading in headings.values())
    texts = [match_form(heading.text) for heading in headings.values()]
    quotes = Counter(
        said.quote_hash for fact in app.view.facts() for said in fact.live
        if said.source is Source.HEADING
    )
    facts = [fact for fact in app.view.facts() if _is_one_reading(fact)]
    rng.shuffle(facts)
    found: dict[bool, list[tuple[str, Withdrawn]]] = {True: [], False: []}
    for fact in facts:
        said = fact.live[0]
        heading, form = headings[said.heading or ""], match_form(said.quote or "")
        alone = quotes[said.quote_hash] == 1 and len(found[True]) < count // 2 and (
            sum(form in text for text in texts) == 1
        )
        own = bodies[heading.body_hash] == 1 and heading.body_hash != EMPTY
        if (alone or own) and len(found[alone]) < count // 2:
            found[alone].append((fact.fid, Withdrawn(
                fact.statement.relation.canon, fact.statement.value, said.quote_hash,
                heading.body_hash, alone,
            )))
    assert [len(part) for part in found.values()] == [count // 2, count // 2]
    return [*found[True], *found[False]]


def _is_one_reading(fact: Fact) -> bool:
    return len(fact.assertions) == 1 and all(
        said.source is Source.HEADING and said.event is None
        and said.provenance is Provenance.EXTRACTED and said.state is State.LIVE
        for said in fact.assertions
    )


def decide(
    app: App, items: Sequence[Item], facts: Sequence[tuple[str, Withdrawn]]
) -> None:
    """Propose all, reject the first, admit the others, retract the facts."""
    with app.writing("propose", person=False):
        proposed = queued(app, items)
    assert {row.verdict.outcome for row in proposed} == {Outcome.ADMITTED}
    with app.writing("reject", person=True):
        for row in proposed[:REJECTED]:
            human.reject(app, row.proposal, everywhere=False, reason=None)
    with app.writing("admit", person=False):
        decided = review.auto(app)
    assert Counter(row.verdict.outcome for row in decided) == {Outcome.ADMITTED: ADMITTED}
    with app.writing("retract", person=True):
        for fid, _ in facts:
            assert human.retract(app, fid, heading=None, reason=None).outcome == "retracted"


def places_of(
    app: App, items: Sequence[Item], facts: Sequence[tuple[str, Withdrawn]]
) -> set[str]:
    """Return the files that decisions rest on."""
    keys = [one.candidate.grounding.heading for one in items]
    keys += [said.heading for fid, _ in facts for said in _known(app, fid).assertions]
    return {place.path for key in keys if key and (place := app.view.heading(key)) is not None}


def _known(app: App, fid: str) -> Fact:
    fact = app.view.fact(fid)
    assert fact is not None
    return fact


# --- what is seen afterwards ------------------------------------------------------------------


def queued(app: App, items: Sequence[Item]) -> list[review.Proposed]:
    """Queue claims judged by their quotes alone: this test is about decisions, not about words."""
    return review.enqueue(app, list(review.weigh(items, app.view, by_quote)))


def by_quote(candidate: Candidate, view: View) -> Assessed:
    return Assessed(candidate=candidate, verdict=admit(candidate, view))


def proposed_again(app: App, items: Sequence[Item]) -> list[tuple[Item, review.Proposed]]:
    """Propose each candidate where it was read, and wherever its quote stands today."""
    again, headings = list(items), list(app.view.headings())
    for old in items:
        quote = old.candidate.grounding.quote or ""
        again += [
            item(old.candidate.written, heading, quote, old.line)
            for heading in headings if quote in heading.text
        ]
    with app.writing("propose", person=False):
        return list(zip(again, queued(app, again), strict=True))


def check_rejected(app: App, seen: Sequence[tuple[Item, review.Proposed]]) -> None:
    """Nothing rejected stands, waits in the queue, or gets another answer than no."""
    fids = {canonical(old.candidate.written).fid for old, _ in seen}
    for fid in fids:
        fact = app.view.fact(fid)
        assert fact is None or fact.standing is not Standing.STANDING
    waiting = [p for p in app.view.proposals() if p.state in OPEN and p.statement is not None]
    assert not fids & {p.statement.fid for p in waiting if p.statement is not None}
    outcomes = Counter(row.verdict.outcome for _, row in seen)
    assert outcomes.keys() <= {Outcome.REJECTED, Outcome.UNGROUNDED}
    assert outcomes[Outcome.REJECTED] >= REJECTED, "every sentence still stands somewhere"
    states = {p.id: p.state for p in app.view.proposals()}
    assert {states[row.proposal] for _, row in seen} <= {Queued.REJECTED, Queued.REFUSED}


def check_retracted(app: App, facts: Sequence[tuple[str, Withdrawn]]) -> int:
    """No withdrawn reading is live, whatever its heading is called; return how many still stand."""
    by_class: dict[tuple[str, object], list[Assertion]] = {}
    for fact in app.view.facts():
        key = (fact.statement.relation.canon, _term(fact.statement.value))
        by_class.setdefault(key, []).extend(fact.assertions)
    present = 0
    for _, gone in facts:
        for said in by_class.get((gone.relation, _term(gone.value)), ()):
            heading = app.view.heading(said.heading) if said.heading else None
            same = said.quote_hash == gone.quote_hash and heading is not None and (
                gone.by_quote or heading.body_hash == gone.body_hash
            )
            if same:
                present += 1
                assert said.state is State.SUPPRESSED, (gone, said)
    return present


def _term(value: object) -> object:
    return value.canon if isinstance(value, Name) else value


def check_admitted(app: App, items: Sequence[Item], lost: Sequence[object]) -> None:
    """Every admitted fact has a heading that holds its quote, or is lost with its last place."""
    for one in items:
        said, quote = one.candidate.written, one.candidate.grounding.quote or ""
        fact = app.view.fact(canonical(said).fid)
        assert fact is not None
        if fact.standing is Standing.STANDING:
            places = [app.view.heading(a.heading or "") for a in fact.live]
            assert all(place is not None and holds(place.text, quote) for place in places)
        else:
            assert fact.standing is Standing.STALE
            place = one.candidate.grounding.heading
            named = f"{said.entity} {said.relation} {said.value}"
            assert {"statement": named, "key": place} in lost


@pytest.mark.law
@pytest.mark.parametrize("seed", SEEDS)
def test_decisions_outlive_everything(seed: int, notes: Memex) -> None:
    """200 edits, no sync between, then the state folder gone: every decision holds."""
    rng = random.Random(seed)
    with opened(notes) as app:
        sync(app)
        items = claims(app.view.headings(), rng, REJECTED + ADMITTED)
        facts = withdrawable(app, rng, RETRACTED)
        decide(app, items, facts)
        busy = places_of(app, items, facts)
    shelf = Shelf(notes.root, org_files(notes.root), busy, rng)
    shelf.tidy(EDITS)
    shelf.save()
    fresh = notes.twin("fresh", journal=True)
    digests = [after(memex, items, facts) for memex in (notes, fresh)]
    assert digests[0] == digests[1], "with and without the index that saw it all"


def after(
    memex: Memex, items: Sequence[Item], facts: Sequence[tuple[str, Withdrawn]]
) -> str:
    """Sync, extract and propose again, check every decision, and return the digest."""
    with opened(memex) as app:
        sync(app)
        seen = proposed_again(app, items[:REJECTED])
        status = memex.status()
        check_rejected(app, seen)
        assert check_retracted(app, facts) > RETRACTED // 2, "most of them are still written"
        check_admitted(app, items[REJECTED:], status["lost"])
        assert status["lost"], "a sentence that stands twice is lost when it moves"
    return str(status["digest"])
