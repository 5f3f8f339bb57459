"""N4 and N5 of the seed: what a model proposes is admitted where its quote carries it, else not."""

from __future__ import annotations

from collections.abc import Callable

from bridge.app import open_app
from bridge.settings import load
from neuro.provider.scripted import Server
from symbolic.digest import digest_f
from tests.cli import Memex, say

Scripted = Callable[..., Server]

LECTURES = """
    * Nabokov
    [2023-03-04 Sat]
    The author Nabokov gave lectures on the subject Kafka.
"""
QUOTE = "The author Nabokov gave lectures on the subject Kafka."


def said(entity: str, relation: str, value: str, quote: str = QUOTE, **more: object) -> dict:
    return {"entity": entity, "relation": relation, "value": value, "quote": quote, **more}


def digest(memex: Memex) -> str:
    """Return F: facts, spells, conflicts and declarations; the queue may grow."""
    with open_app(load(str(memex.root), str(memex.state), memex.now)) as app:
        return digest_f(app.view, app.header())


def test_n4_what_the_reply_says_is_admitted_and_its_words_exist_afterwards(
    memex: Memex, scripted: Scripted
) -> None:
    memex.write("notes.org", LECTURES).begin()
    server = scripted([{"title": "Nabokov", "reply": [
        said("nabokov", "lectures-on", "kafka"),
        said("nabokov", "member-of-class", "author"),
        said("kafka", "member-of-class", "subject"),
    ]}])  # fmt: skip
    memex.run("propose", "notes.org", "--model", "local/scripted").expect(0)
    assert [verdict["outcome"] for verdict in memex.admit_auto()] == ["admitted"] * 3
    facts = memex.query("? ? ?", "--all").facts
    mine = [fact for fact in facts if fact["provenance"] == "llm-proposed"]
    assert sorted(map(say, mine)) == [
        "kafka member-of-class subject", "nabokov lectures-on kafka",
        "nabokov member-of-class author",
    ]  # fmt: skip
    assert {g["heading"] for fact in mine for g in fact["groundings"]} == {"notes.org#Nabokov#1"}
    memex.run("ontology", "list").expect(0).names("author", "lectures-on", "subject")
    memex.run("audit", mine[0]["id"]).expect(0).names("notes.org:3", QUOTE)
    # The note was asked about once, in one request, and never again in the same words.
    memex.run("propose", "--model", "local/scripted").expect(0)
    assert len([r for r in server.requests if r.path.endswith("chat/completions")]) == 1


def test_n5_absent_contradicting_and_malformed_are_refused_for_three_reasons(
    memex: Memex, scripted: Scripted
) -> None:
    memex.ontology("""
        #+TODO: PROPOSED | APPROVED DENIED
        * APPROVED born-in
        :PROPERTIES:
        :KIND: relation
        :FUNCTIONAL: t
        :POLICY: exclusive
        :END:
    """).write("ada.org", """
        * Ada
        Ada was born in Rome, they say. Others say Ada was born in Oslo.
        #+begin_src knowledge
        (:entity "Ada" :relation :born-in :value "Rome")
        #+end_src
    """).begin()
    before = digest(memex)
    facts = memex.query("? ? ?", "--all").facts
    oslo = "Others say Ada was born in Oslo."
    scripted([{"title": "Ada", "reply": [
        said("Ada", "plays", "cello", oslo),
        said("Ada", "born-in", "Oslo", oslo),
        said("Ada", "", "Oslo", oslo),
    ]}])  # fmt: skip
    ran = memex.run("propose", "ada.org", "--model", "local/scripted", "--json").expect(4)
    outcomes = [line["outcome"] for line in ran.lines]
    assert outcomes == ["ungrounded", "blocked", "malformed"]
    reasons = [" ".join(line["reasons"]) for line in ran.lines]
    assert "cello" in reasons[0] and "Rome" in reasons[1] and "relation" in reasons[2]
    memex.admit_auto(code=4)
    assert memex.query("? ? ?", "--all").facts == facts
    assert digest(memex) == before
