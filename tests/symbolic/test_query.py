"""Answers over base facts: verified, unverified, verified absent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from symbolic.factjson import answer_json
from symbolic.labels import moment
from symbolic.pattern import Pattern, parse_pattern
from symbolic.query import Answer, Status, answer
from symbolic.records import NameKind, Policy, Provenance
from symbolic.world import View
from tests.symbolic.make import NOW, Make, says


def ask(view: View, text: str, at: str | None = None, **more: object) -> Answer:
    pattern = parse_pattern(text)
    assert isinstance(pattern, Pattern), pattern
    window = moment(at, view.zone) if at else None
    return answer(view, pattern, now=NOW, at=window, **more)  # type: ignore[arg-type]


def values(found: Answer) -> list[str]:
    return [row.fact.statement.value.written for row in found.rows]


def test_words_and_plists_ask_the_same() -> None:
    make = Make()
    make.declare(says("Nabokov", "lectures-on", "Kafka"))
    view = make.view()
    for text in (
        "nabokov ? ?", "NABOKOV lectures_on ?", "? ? kafka", "(:entity :nabokov :relation ?r)",
        "(fact-query :entity :nabokov :source :memex)", '(:entity "Nabokov" :lectures-on :kafka)',
    ):  # fmt: skip
        found = ask(view, text)
        assert found.status is Status.VERIFIED, text
        assert values(found) == ["Kafka"], text


def test_bindings_and_a_variable_twice() -> None:
    make = Make()
    make.declare(says("Ana", "knows", "Ana"))
    make.declare(says("Ana", "knows", "Bo"))
    view = make.view()
    found = ask(view, "?x knows ?x")
    assert [{k: t.written for k, t in row.bindings.items()} for row in found.rows] == [
        {"?x": "Ana"}
    ]
    assert len(ask(view, "?x knows ?y").rows) == 2
    assert len(ask(view, "? ? ?").rows) == 2


def test_an_untyped_word_matches_names_of_every_kind_exactly() -> None:
    make = Make()
    make.declare(says("notes_a.org", "is", "old", entity_kind=NameKind.PATH))
    make.declare(says("notes-a.org", "is", "new", entity_kind=NameKind.PATH))
    view = make.view()
    assert values(ask(view, "notes_a.org ? ?")) == ["old"]
    assert values(ask(view, '(:file "notes-a.org" :relation ?)')) == ["new"]
    assert ask(view, '(:host "notes-a.org")').status is Status.UNVERIFIED


def test_a_word_finds_literals_as_values() -> None:
    make = Make()
    make.relation("height", unit="m")
    make.declare(says("Everest", "height", "8,848 m"))
    make.declare(says("Ana", "born", "12 May 1990"))
    view = make.view()
    assert len(ask(view, '? height "8.848 km"').rows) == 1
    assert len(ask(view, "? height 8848").rows) == 1
    assert len(ask(view, "? born 1990-05-12").rows) == 1
    assert not ask(view, "(:value :8848)").rows


def test_n02_n03_class_queries_follow_the_closure() -> None:
    make = Make()
    make.klass("secret-files")
    make.klass("secret-config-file", "secret-files")
    make.row("gate-vector-2", says(".env", "member-of-class", "secret-config-file",
                                   entity_kind=NameKind.PATH))  # fmt: skip
    view = make.view()
    found = ask(view, "?f member-of-class secret-files")
    assert found.status is Status.VERIFIED
    assert found.rows[0].bindings["?f"].written == ".env"
    body: Any = answer_json(view, found)
    assert body["answers"][0]["fact"]["sources"] == [{"type": "gate", "id": "gate-vector-2"}]
    # Said of nothing with an open relation, derived of what is in a class below.
    assert all(row.fact.deduced for row in ask(view, "? ? secret-files").rows)


def test_a_denied_class_denies_those_below_it() -> None:
    make = Make()
    make.klass("animal")
    make.klass("dog", "animal")
    make.declare(says("toaster", "member-of-class", "animal", polarity=False))
    make.declare(says("rex", "member-of-class", "dog", polarity=False))
    view = make.view()
    assert ask(view, "toaster member-of-class dog").status is Status.ABSENT
    assert ask(view, "rex member-of-class animal").status is Status.UNVERIFIED


def test_aliases_find_the_canonical() -> None:
    make = Make()
    make.declarations = replace(
        make.declarations, relation_alias={"employed by": "works at"},
        entity_alias={"annie": "ana"},
    )  # fmt: skip
    make.declare(says("Ana", "works-at", "Globex"))
    view = make.view()
    assert values(ask(view, "Annie employed-by ?")) == ["Globex"]


def test_inverse_and_symmetric_directions() -> None:
    make = Make()
    make.relation("employs", inverse="works at")
    make.relation("works-at", inverse="employs")
    make.relation("married-to", symmetric=True)
    make.declare(says("Ana", "works-at", "Globex"))
    make.declare(says("Bo", "married-to", "Ana"))
    view = make.view()
    assert ask(view, "ana works-at ?w").rows[0].bindings["?w"].written == "Globex"
    assert ask(view, "?w employs ana").rows[0].bindings["?w"].written == "Globex"
    assert ask(view, "bo married-to ?w").rows[0].bindings["?w"].written == "Ana"
    assert ask(view, "ana married-to ?w").rows[0].bindings["?w"].written == "Bo"
    read = {(r.bindings["?r"].written, r.bindings["?v"].written)
            for r in ask(view, "ana ?r ?v").rows}  # fmt: skip
    assert read == {("works-at", "Globex"), ("married-to", "Bo")}
    assert len(ask(view, "? married-to ?").rows) == 1
    assert len(ask(view, "? ? ?").rows) == 2


def test_verified_absent_needs_a_denial_or_a_complete_domain() -> None:
    make = Make()
    make.declare(says("deployment", "allowed-in", "prod", polarity=False))
    make.declarations = replace(
        make.declarations, complete={"memex": frozenset({"member of board"})}
    )
    view = make.view()
    denied = ask(view, "deployment allowed-in prod")
    assert denied.status is Status.ABSENT and not denied.rows and len(denied.denials) == 1
    assert ask(view, "deployment allowed-in test").status is Status.UNVERIFIED
    assert ask(view, "deployment allowed-in ?").status is Status.UNVERIFIED
    assert ask(view, "ana member-of-board ?").status is Status.ABSENT
    assert ask(view, "(:relation :member-of-board :source :memex)").status is Status.ABSENT
    assert ask(view, "(:relation :member-of-board :source :wikidata)").status is Status.UNVERIFIED
    assert ask(view, "deployment ? prod", all_=True).rows[0].fact.statement.polarity is False
    assert ask(view, "(:entity :deployment :not t)").status is Status.VERIFIED


def test_an_undated_fact_keeps_an_absence_from_being_verified() -> None:
    make = Make()
    make.relation("sits-on", policy=Policy.TEMPORAL)
    make.declarations = replace(make.declarations, complete={"memex": frozenset({"sits on"})})
    make.declare(says("Ana", "sits-on", "board"))
    view = make.view()
    assert ask(view, "ana sits-on ?").status is Status.VERIFIED
    assert ask(view, "ana sits-on ?", at="2024").status is Status.UNVERIFIED
    assert ask(view, "bo sits-on ?", at="2024").status is Status.ABSENT


def test_now_at_and_all() -> None:
    make = Make()
    make.relation("works-at", functional=True, policy=Policy.TEMPORAL)
    make.declare(says("Ana", "works-at", "Initech", valid_from="2024"))
    make.declare(says("Ana", "works-at", "Globex", valid_from="2025-06-15"))
    view = make.view()
    assert values(ask(view, "ana works-at ?")) == ["Globex"]
    assert values(ask(view, "ana works-at ?", at="2024-05-01")) == ["Initech"]
    assert values(ask(view, "ana works-at ?", all_=True)) == ["Globex", "Initech"]
    assert ask(view, "ana works-at ?", at="2023").status is Status.UNVERIFIED
    month = ask(view, "ana works-at ?", at="2025-06")
    assert [row.labels for row in month.rows] == [("current", "part")] * 2
    assert all("part" in row.labels for row in month.rows)


def test_r12_everest_by_domain() -> None:
    make = Make()
    make.relation("height", functional=True)
    for domain, height in (("memex", "8848 m"), ("wikidata", "8849 m"), ("dbpedia", "8850 m")):
        make.declare(says("Everest", "height", height, domain=domain))
    view = make.view()
    assert values(ask(view, "everest height ?", domain="wikidata")) == ["8849 m"]
    assert values(ask(view, "(fact-query :entity :everest :source :Memex)")) == ["8848 m"]
    assert len(ask(view, "everest height ?").rows) == 3


def test_stale_and_retracted_facts_answer_nothing() -> None:
    make = Make()
    key = make.heading("a.org", "Note", "born in Paris")
    make.admit(key, says("Ada", "born-in", "London"), "born in London")
    assert ask(make.view(), "ada born-in ?", all_=True).status is Status.UNVERIFIED


KEYS = {
    "id", "entity", "entity_kind", "relation", "value", "kind", "polarity", "valid_from",
    "valid_to", "spells", "standing", "labels", "provenance", "policy", "domain", "admitted_at",
    "by", "sources", "groundings", "contradicted_by", "superseded_by", "supersedes",
    "referenced_by", "derived_by",
}  # fmt: skip


def test_the_answer_object() -> None:
    make = Make()
    key = make.heading(
        "notes/n.org", "Nabokov", "First line.\nHe *lectures* on Kafka.\n", "1958", line=7
    )
    written = says("Nabokov", "lectures-on", "Kafka")
    event = make.admit(key, written, "lectures on Kafka", at="2025-06-01")
    view = make.view()
    body: Any = answer_json(view, ask(view, "(:entity :nabokov :relation ?r)"))
    assert json.loads(json.dumps(body)) == body
    assert (body["schema"], body["status"]) == ("pp.query/1", "verified")
    [row] = body["answers"]
    assert row["bindings"] == {"?r": "lectures-on"}
    fact = row["fact"]
    assert fact.keys() == KEYS
    assert fact["id"] == make.fid(written)
    assert fact["by"] == "person:Ada" and fact["admitted_at"] == make.lines[0].at
    assert fact["provenance"] == Provenance.PROPOSED.value
    assert fact["polarity"] == "positive" and fact["labels"] == ["current"]
    assert fact["spells"] == [[None, None]]
    assert fact["sources"] == [{"type": "heading", "id": key}]
    assert fact["groundings"] == [
        {"heading": key, "path": "notes/n.org", "line": 9, "outline": ["Nabokov"],
         "quote": "lectures on Kafka"}
    ]  # fmt: skip
    assert view.line(event) is not None


def test_a_quantity_has_its_unit() -> None:
    make = Make()
    make.declare(says("Everest", "height", "8848 m"))
    view = make.view()
    body: Any = answer_json(view, ask(view, "everest ? ?"))
    fact = body["answers"][0]["fact"]
    assert (fact["value"], fact["kind"], fact["unit"]) == ("8848 m", "quantity", "m")
    assert fact.keys() == KEYS | {"unit"}
    assert fact["sources"] == [{"type": "journal", "id": make.lines[0].hash}]


@pytest.mark.parametrize("word", ["C", "C++", "C#"])
def test_no_symbol_is_dropped(word: str) -> None:
    make = Make()
    for name in ("C", "C++", "C#"):
        make.declare(says(name, "is", f"the language {name}"))
    assert len(ask(make.view(), f"{word} is ?").rows) == 1
