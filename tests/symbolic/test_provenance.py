"""Audit, why, timeline, contradictions and the status line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from symbolic.factjson import contradictions_json, fact_json
from symbolic.figures import length, project_of
from symbolic.history import (
    contradictions,
    contradictions_branch,
    timeline,
    timeline_branch,
    timeline_json,
)
from symbolic.provenance import Audit, audit, audit_json, org_tree
from symbolic.records import NameKind, Policy, Provenance
from symbolic.status import shares, status, sufficient
from symbolic.target import NoTarget, find
from symbolic.tree import Branch, dot
from symbolic.why import why
from symbolic.world import View
from tests.symbolic.make import NOW, RULE, Make, says

# --- audit ------------------------------------------------------------------------------------


def audited(view: View, text: str) -> Audit:
    found = audit(view, text, NOW)
    assert isinstance(found, Audit), found
    return found


def reviewed() -> tuple[Make, str]:
    """Build N20's heading: 7 references from 4 projects, contradicted, then revised."""
    make = Make()
    make.relation("opinion", functional=True)
    claim = make.heading("notes/mono.org", "Monorepos", date="2023-01-10", ident="m1")
    make.read(claim, says("monorepo", "opinion", "good"), "monorepos are good")
    for number, path in enumerate(
        ("projects/a/one.org", "projects/a/two.org", "projects/a/three.org", "projects/b.org",
         "projects/b.org", "projects/c/x/deep.org", "projects/d.org")
    ):  # fmt: skip
        key = make.heading(path, f"Plan {number}")
        make.read(key, says(f"Plan {number}", "links-to", "id:m1", kind=NameKind.HEADING))
    against = make.heading("notes/later.org", "Second thoughts", date="2023-07-10")
    make.read(against, says("monorepo", "opinion", "bad"), "monorepos are bad")
    make.supersede(claim, says("monorepo", "opinion", "good"), says("monorepo", "opinion", "mixed"),
                   "monorepos are good", at="2023-07-31")  # fmt: skip
    return make, claim


def test_n20_the_four_figures_of_a_heading() -> None:
    make, claim = reviewed()
    view = make.view()
    found = audited(view, claim)
    lines = org_tree(found.tree).splitlines()
    assert lines[0] == "* Monorepos"
    assert "** origin: [[id:m1][Monorepos]], 2023-01-10" in lines
    assert "** references: 7" in lines
    assert "** projects referring: 4" in lines
    assert "** contradicted 6 months later, 2023-07-10" in lines
    assert any(line.startswith("** revised 3 weeks after, 2023-07-31") for line in lines)
    assert sum(line.startswith("*** [[file:projects/") for line in lines) == 7
    body = audit_json(view, found, NOW)
    assert json.loads(json.dumps(body)) == body
    figures = body["figures"]
    assert isinstance(figures, dict)
    assert figures["references"] == 7 and figures["projects"] == ["a", "b", "c", "d"]
    assert figures["contradicted"]["days"] == 181 and figures["revised"]["days"] == 21


def test_the_chain_of_a_fact_ends_at_heading_journal_and_gate_row() -> None:
    make = Make()
    key = make.heading("n.org", "Note", "Ana likes tea.", "2024-02-01", line=3)
    written = says("Ana", "likes", "tea")
    event = make.admit(key, written, "likes tea", by=RULE, min_sources=2)
    make.declare(written)
    fid = make.row("gate-vector-2", written)
    view = make.view()
    found = audited(view, fid[:6])
    text = org_tree(found.tree)
    assert found.kind == "fact" and found.id == fid
    assert "heading [[file:n.org::*Note][Note]] n.org:4, 2024-02-01" in text
    assert "“likes tea”" in text
    admitted = f"admit of {make.lines[0].at} by {RULE} ({event})"
    assert f"{admitted}, system/journal/d/2025-06.jsonl:1" in text
    assert f"declare of {make.lines[1].at} by person:Ada" in text
    assert "gate row of gate-vector-2" in text
    assert "sources: 3 of 3" in text


def test_withdrawn_and_suppressed_sources_name_the_event() -> None:
    make = Make()
    key = make.heading("n.org", "Note", date="2024")
    written = says("Ana", "likes", "tea")
    fid = make.read(key, written, "likes tea")
    event = make.retract(key, written, "likes tea")
    view = make.view()
    text = org_tree(audited(view, fid).tree)
    assert "suppressed: extracted by program:sync" in text
    assert f"retract of {make.lines[0].at} by person:Ada ({event})" in text
    assert "reason: wrong" in text
    make.undo(event)
    assert "undone by" in org_tree(audited(make.view(), event).tree)


def test_contradictions_show_both_headings() -> None:
    make = Make()
    make.relation("opinion", functional=True)
    fids = [
        make.read(make.heading(f"{word}.org", word), says("mono", "opinion", word))
        for word in ("good", "bad")
    ]
    view = make.view()
    text = org_tree(audited(view, fids[0]).tree)
    assert "[[file:bad.org::*bad][bad]] bad.org:2" in text
    [conflict] = contradictions(view)
    tree = org_tree(contradictions_branch(view, (conflict,)))
    assert "good.org:2" in tree and "bad.org:2" in tree
    body: Any = contradictions_json(view, (conflict,), NOW)
    assert body["schema"] == "pp.contradictions/1"
    [row] = body["conflicts"]
    assert (row["kind"], row["rule"], row["state"]) == ("functional", "functional:opinion", "open")
    assert {fact["id"] for fact in row["facts"]} == set(fids)
    assert row["facts"][0]["contradicted_by"] == [row["facts"][1]["id"]]
    assert audited(view, conflict.id).kind == "conflict"


def test_r12_contradictions_between_domains_are_reported() -> None:
    make = Make()
    make.relation("height", functional=True)
    for domain, height in (("memex", "8848 m"), ("wikidata", "8849 m"), ("dbpedia", "8850 m")):
        make.declare(says("Everest", "height", height, domain=domain))
    view = make.view()
    assert view.conflicts() == ()
    [found] = contradictions(view)
    assert (found.constraint, found.domain) == ("between-domains", "dbpedia, memex, wikidata")
    assert len(found.members) == 3
    assert org_tree(contradictions_branch(view, (found,))).count("declare of") == 3


def test_referenced_by_values_and_links() -> None:
    make = Make()
    first = make.heading("a.org", "Kafka", ident="k")
    second = make.heading("b.org", "Lecture")
    kafka = make.read(first, says("Kafka", "wrote", "The Trial"))
    link = make.read(second, says("Lecture", "links-to", "id:k", kind=NameKind.HEADING))
    said = make.read(second, says("Nabokov", "lectures-on", "Kafka"))
    also = make.read(second, says("Lecture", "room", "12"))
    view = make.view()
    fact = view.fact(kafka)
    assert fact is not None
    assert fact_json(view, fact, NOW)["referenced_by"] == sorted([link, said, also])


def test_targets() -> None:
    make = Make()
    make.heading("a.org", "Same")
    make.heading("b.org", "Same")
    make.heading("c.org", "Only One", ident="1234-abcd")
    view = make.view()
    for text in ("1234-abcd", "id:1234-abcd", "only one", "c.org::Only One"):
        found = find(view, text)
        assert not isinstance(found, NoTarget), text
    twice = find(view, "Same")
    assert isinstance(twice, NoTarget)
    assert twice.candidates == ("a.org#Same#1", "b.org#Same#1")
    for text in ("", "abcde", "ffffff", "nothing", "::"):
        missing = find(view, text)
        assert isinstance(missing, NoTarget) and missing.remedy and not missing.candidates


def test_no_event_is_the_target_of_no_prefix_below_six() -> None:
    make = Make()
    event = make.declare(says("Ana", "likes", "tea"))
    view = make.view()
    assert isinstance(find(view, event[:5]), NoTarget)
    assert audited(view, event[:8]).kind == "event"


def test_trees_print_and_draw() -> None:
    tree = Branch("a", (Branch('b "q"', (Branch("c"),)), Branch("d")))
    assert org_tree(tree) == '* a\n** b "q"\n*** c\n** d'
    assert dot(tree).splitlines()[2:] == [
        '  n0 [label="a"];', '  n1 [label="b \\"q\\""];', "  n0 -> n1;",
        '  n2 [label="c"];', "  n1 -> n2;", '  n3 [label="d"];', "  n0 -> n3;", "}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "project"),
    [
        ("projects/a/b/c.org", "a"), ("projects/x.org", "x"), ("notes/a.org", None),
        ("projects", None), ("old/projects/x.org", None),
    ],
)  # fmt: skip
def test_a_project_is_what_lies_under_projects(path: str, project: str | None) -> None:
    assert project_of(path) == project


@pytest.mark.parametrize(
    ("start", "end", "said"),
    [
        ("2023-01-10", "2023-07-10", "6 months"), ("2023-07-10", "2023-07-31", "3 weeks"),
        ("2020-02-01", "2022-02-01", "2 years"), ("2023-01-10", "2023-01-11", "1 day"),
        ("2023-01-10", "2023-01-10", "0 days"), ("2023", "2024", "1 year"),
    ],
)  # fmt: skip
def test_lengths_take_the_largest_unit_that_fits(start: str, end: str, said: str) -> None:
    assert length(start, end, "UTC") == said


# --- why --------------------------------------------------------------------------------------


def reasons(view: View, text: str, *, plain: bool = False) -> str:
    found = why(view, text, NOW, plain=plain)
    assert isinstance(found, Branch), found
    return org_tree(found)


def test_why_speaks_of_process_or_plainly() -> None:
    make = Make()
    fid = make.read(make.heading("a.org", "Note"), says("Ana", "likes", "tea"))
    view = make.view()
    text = reasons(view, fid)
    assert text.startswith("* satisfaction: Ana likes tea is standing, current")
    assert "concrescence: 1 sources" in text and "positive prehension: live" in text
    plain = reasons(view, fid, plain=True)
    assert "prehension" not in plain and "concrescence" not in plain and "for: live" in plain


def test_why_superseded_disputed_stale() -> None:
    make = Make()
    make.relation("works-at", functional=True, policy=Policy.TEMPORAL)
    for date, firm in (("2024", "Initech"), ("2026", "Globex")):
        make.read(make.heading(f"{date}.org", date, date=date), says("Ana", "works-at", firm))
    gone = make.heading("gone.org", "Gone", "now Paris")
    make.admit(gone, says("Ada", "born-in", "London"), "born in London")
    view = make.view()
    old = make.fid(says("Ana", "works-at", "Initech"))
    assert "superseded by Ana works-at Globex" in reasons(view, old)
    stale = reasons(view, make.fid(says("Ada", "born-in", "London")))
    assert "is stale" in stale and "negative prehension: stale" in stale


def test_why_of_a_rejected_proposal_shows_the_bar() -> None:
    make = Make()
    key = make.heading("a.org", "Note", "Ana likes tea")
    written = says("Ana", "likes", "tea")
    make.propose(key, written, "Ana likes tea", "ab" * 16)
    event = make.line("reject", {
        "statement": {"entity": "Ana", "relation": "likes", "value": "tea"}, "key": key,
        "quote_hash": None, "text_hash": None, "scope": "source", "reason": "a joke",
        "shown": None,
    })  # fmt: skip
    view = make.view()
    text = reasons(view, "ab" * 16)
    assert "Ana likes tea is rejected" in text
    assert event in text and "reason: a joke" in text
    assert audited(view, "ab" * 16).kind == "proposal"


def test_why_of_a_blocked_proposal_names_blockers_and_their_headings() -> None:
    make = Make()
    make.relation("likes", functional=True, policy=Policy.EXCLUSIVE)
    standing = says("Ana", "likes", "tea")
    fid = make.read(make.heading("a.org", "Tea"), standing)
    key = make.heading("b.org", "Coffee", "Ana likes coffee")
    make.propose(key, says("Ana", "likes", "coffee"), "Ana likes coffee", "cd" * 16)
    make.line("refuse", {
        "proposal": "cd" * 16, "outcome": "blocked", "reasons": ["functional"],
        "blockers": [{"statement": {"entity": "Ana", "relation": "likes", "value": "tea"}}],
    }, "program:admit")  # fmt: skip
    text = reasons(make.view(), "cd" * 16)
    assert "Ana likes coffee is blocked (blocked)" in text
    assert fid in text and "a.org:2" in text


def test_why_of_events_in_plain_words() -> None:
    make = Make()
    key = make.heading("a.org", "Note", "tea")
    old, new = says("Ana", "likes", "tea"), says("Ana", "likes", "coffee")
    make.read(key, old, "tea")
    said = make.declare(old)
    put = make.supersede(key, old, new, "tea", since="2025")
    back = make.undo(put)
    view = make.view()
    assert "positive prehension: person:Ada declared Ana likes tea" in reasons(view, said)
    assert "put Ana likes coffee in the place of Ana likes tea from 2025 on" in reasons(view, put)
    assert "it does not count: undone by" in reasons(view, put)
    assert f"took back event {put}" in reasons(view, back)
    assert isinstance(why(view, key, NOW), NoTarget)


# --- timeline ---------------------------------------------------------------------------------


def test_n08_x_on_tuesday_y_on_friday_z_on_sunday() -> None:
    make = Make()
    make.relation("focus", functional=True, policy=Policy.TEMPORAL)
    for date, what in (("2024-03-08", "Y"), ("2024-03-10", "Z"), ("2024-03-05", "X")):
        make.read(make.heading(f"{date}.org", date, date=date), says("Ana", "focus", what))
    make.declare(says("Ana", "focus", "someday"))
    make.declare(says("Ana", "focus", "formerly", valid_to="?"))
    view = make.view()
    found = timeline(view, "ana", "focus", now=NOW)
    assert [entry.fact.statement.value.written for entry in found.entries] == ["X", "Y", "Z"]
    assert {fact.statement.value.written for fact in found.apart} == {"someday", "formerly"}
    lines = org_tree(timeline_branch(view, found, NOW)).splitlines()
    assert lines[1].startswith("** [2024-03-05, 2024-03-08) Ana focus X")
    assert "past, superseded" in lines[1] and "ended by Ana focus Y" in lines[2]
    assert "** at no known time" in lines
    body = timeline_json(view, found, NOW)
    assert json.loads(json.dumps(body)) == body
    entries = body["entries"]
    assert isinstance(entries, list)
    assert [entry["to"] for entry in entries] == ["2024-03-08", "2024-03-10", None]


# --- status -----------------------------------------------------------------------------------


class Counted(Make):
    """Counts of provenances as facts."""

    def add(self, provenance: Provenance, count: int) -> None:
        key = self.heading(f"{provenance}.org", provenance)
        for number in range(count):
            self.read(key, says(f"{provenance} {number}", "is", "x"), provenance, provenance)


def test_n13_the_status_line() -> None:
    make = Counted()
    make.add(Provenance.EXTRACTED, 618)
    make.add(Provenance.PROPOSED, 102)
    make.add(Provenance.IMPORTED, 127)
    found = status(make.view())
    assert found.line == (
        "Symbolic index: 847 facts (73% non-lossy, 12% LLM-proposed, 15% Wikidata). "
        "Sufficient foundation: YES."
    )


def test_n13_exactly_the_threshold_is_no() -> None:
    make = Counted()
    make.add(Provenance.HUMAN, 7)
    make.add(Provenance.PROPOSED, 3)
    view = make.view()
    assert not status(view).sufficient
    assert not status(view, 0.7).sufficient
    assert status(view, "0.69").sufficient


def test_no_facts_is_no_and_the_trace_does_not_count() -> None:
    make = Make()
    make.declare(says("a", "blocked-by", "gate", domain="trace"))
    assert status(make.view()).line == (
        "Symbolic index: 0 facts (0% non-lossy, 0% LLM-proposed, 0% Wikidata). "
        "Sufficient foundation: NO."
    )


@given(st.lists(st.integers(0, 10**9), min_size=3, max_size=3))
def test_law_shares_sum_to_a_hundred_and_are_near(counts: Sequence[int]) -> None:
    assume(sum(counts))
    found = shares(counts)
    assert sum(found) == 100
    for share, count in zip(found, counts, strict=True):
        assert abs(share * sum(counts) - count * 100) < sum(counts)


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(0, 100))
def test_law_the_foundation_suffices_strictly_above(part: int, more: int, percent: int) -> None:
    total = part + more
    exact = part * 100 > percent * total
    assert sufficient(part, total, f"{percent / 100:.2f}") is exact
