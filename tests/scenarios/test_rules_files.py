"""Rule files of a memex: what runs and what does not is said with its place; approval by digest."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from symbolic.rules.words import MAX_CHARACTERS
from tests.cli import Json, Memex, relation

FAMILY = """\
% name: grandparents
grandparent(X, Z) <= parent(X, Y) & parent(Y, Z).
"""


def rules(memex: Memex, *, code: int = 0) -> Json:
    return memex.run("rules", "list", "--json").expect(code).one


def family(memex: Memex) -> Memex:
    memex.write("system/rules/family.dl", FAMILY)
    return memex.begin()


def test_rules_are_listed_with_those_that_declarations_stand_for(memex: Memex) -> None:
    memex.ontology(relation("part-of", transitive="t"))
    found = rules(family(memex))
    (file,) = found["files"]
    assert (file["file"], file["runs"], file["approval"]) == ("family.dl", True, "none")
    assert [(one["name"], one["line"]) for one in file["rules"]] == [("grandparents", 2)]
    assert file["rules"][0]["text"] == FAMILY.splitlines()[1]
    assert any(one["name"] == "TRANSITIVE/part of" for one in found["shipped"])
    memex.run("rules", "list").expect(0).names("family.dl", "grandparents", "not approved")


def test_a_memex_without_rules_is_fine(memex: Memex) -> None:
    assert rules(memex.begin())["files"] == []
    memex.run("rules", "check").expect(0).names("nothing wrong")


BAD = {
    "nonsense": ("p(X, Y) <= <<<\n", 1, "expected"),
    "python": ("__import__('os').system('touch HERE').\n", 1, "comparison"),
    "backquotes": ("p(X, `touch HERE`) <= q(X, Y).\n", 1, "'`'"),
    "semicolons": ("import os; os.system('touch HERE')\n", 1, "expected"),
    "unsafe": ("p(X, Y) <= q(X, Z).\n", 1, "Y in the head"),
    "circular": ("% itself\np(X, Y) <= q(X, Y) & ~p(X, Y).\n", 2, "circle"),
    "a built-in": ("p(X, Y) <= member(X, Y).\n", 1, "contradictions.dl"),
}


@pytest.mark.parametrize(("text", "line", "word"), BAD.values(), ids=BAD.keys())
def test_a_bad_file_is_told_by_sync_and_costs_its_own_rules_alone(
    memex: Memex, monkeypatch: pytest.MonkeyPatch, text: str, line: int, word: str
) -> None:
    memex.base.mkdir(exist_ok=True)
    monkeypatch.chdir(memex.base)
    memex.write("system/rules/bad.dl", text)
    memex.write("system/rules/family.dl", FAMILY).init()
    (problem,) = [p for p in memex.sync(code=1)["problems"] if p["key"] == "rule"]
    assert (problem["path"], problem["line"]) == ("system/rules/bad.dl", line)
    assert word in problem["message"] and problem["excerpt"] and problem["remedy"]
    assert not Path("HERE").exists(), "nothing in a rule file is run"
    memex.run("sync").expect(1).names(f"system/rules/bad.dl:{line}:", problem["remedy"])
    listed = {one["file"]: len(one["rules"]) for one in rules(memex, code=1)["files"]}
    assert listed == {"bad.dl": 0, "family.dl": 1}
    memex.run("rules", "check").expect(1).names("bad.dl")
    memex.run("rules", "check", "family.dl").expect(0)
    memex.delete("system/rules/bad.dl").sync()


def test_a_circle_over_two_files_names_both_lines(memex: Memex) -> None:
    memex.write("system/rules/a.dl", "p(X, Y) <= q(X, Y) &\n  ~r(X, Y).\n")
    memex.write("system/rules/b.dl", "% b\nr(X, Y) <= p(X, Y).\ns(X, Y) <= q(X, Y).\n")
    memex.init().run("sync").expect(1).names("a.dl:2", "b.dl:2")
    listed = {one["file"]: len(one["rules"]) for one in rules(memex, code=1)["files"]}
    assert listed == {"a.dl": 0, "b.dl": 1}, "what the circle does not touch runs"


def test_a_file_that_is_no_text_is_told(memex: Memex) -> None:
    memex.write("system/rules/latin.dl", b"% fine\np(X, '\xe9') <= q(X, Y).\n")
    memex.write("system/rules/nul.dl", b"p(X, Y\0) <= q(X, Y).\n")
    memex.write("system/rules/mac.dl", b"% one\rp(X, Y) <= q(X, Y).\rp(X Y) <= q(X, Y).\r")
    (memex.root / "system/rules/folder.dl").mkdir()
    problems = memex.init().sync(code=1)["problems"]
    places = {p["path"].rpartition("/")[2]: (p["line"], p["column"]) for p in problems}
    assert places == {
        "latin.dl": (2, 7), "nul.dl": (1, 7), "mac.dl": (3, 5), "folder.dl": (1, 1)
    }
    assert all(p["remedy"] and p["excerpt"].isprintable() for p in problems)
    memex.run("rules", "check", "latin.dl").expect(1).names("UTF-8")
    memex.run("rules", "approve", "latin.dl", "--shown", "0").expect(4).names("UTF-8")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read_is_told(memex: Memex) -> None:
    family(memex)
    (memex.root / "system/rules/family.dl").chmod(0)
    memex.run("sync").expect(1).names("cannot be read")


def test_a_file_of_ten_megabytes_is_refused_and_not_waited_for(memex: Memex) -> None:
    memex.write("system/rules/big.dl", b"p(X, Y) <= q(X, Y).\n" * (10 * MAX_CHARACTERS // 20))
    begun = time.process_time()
    memex.init().run("sync").expect(1).names("big.dl:1:1", "split it")
    assert time.process_time() - begun < 5


# --- check ----------------------------------------------------------------------------------------


def test_check_says_what_never_holds(memex: Memex) -> None:
    memex.ontology(relation("height", unit="m") + relation("born", range="date"))
    memex.write("system/rules/odd.dl", (
        "tall(X, Y) <= height(X, Y) & Y > 5000.\n"
        "old(X, Y) <= born(X, Y) & Y < date(1950).\n"
        "odd(X, Y) <= born(X, Y) & height(X, Y).\n"
        "one(X, X) <= height(X, Other) & born(X, 'soon').\n"
    )).begin()
    found = memex.run("rules", "check", "--json").expect(1).one
    told = {(one["line"], one["message"].partition(" ")[0]) for one in found["findings"]}
    assert told == {(1, "Y"), (3, "Y"), (4, "Other"), (4, "'soon'")}
    assert not found["faults"]


def test_check_estimates_what_may_follow_and_warns(memex: Memex) -> None:
    notes = "".join(f"* n{n}\n:PROPERTIES:\n:NEAR: m{n % 3}\n:END:\n" for n in range(60))
    memex.write("notes.org", notes)
    memex.write("system/rules/join.dl", "beside(X, Y) <= near(X, Z) & near(Y, Z).\n").begin()
    (one,) = [
        e for e in memex.run("rules", "check", "--json").expect(0).one["estimates"]
        if not e["rule"].startswith(("PARENT/", "TRANSITIVE/"))
    ]
    assert one["rows"] == 60 * 60 // 3 and not one["recursive"]
    memex.run("rules", "check").expect(0).names("join/", "1200")


def test_an_unknown_file_is_a_mistake_of_use(memex: Memex) -> None:
    family(memex)
    memex.run("rules", "check", "nothing.dl").expect(2).names("family.dl")
    memex.run("rules", "approve", "nothing.dl", "--shown", "0").expect(2).names("family.dl")


# --- approval -------------------------------------------------------------------------------------


def shown(memex: Memex) -> str:
    return str(rules(memex)["files"][0]["shown"])


def approval(memex: Memex) -> str:
    return str(rules(memex)["files"][0]["approval"])


def test_approval_is_of_the_text_that_was_shown(memex: Memex) -> None:
    digest = shown(family(memex))
    memex.run("rules", "approve", "family.dl").expect(2).names("--shown")
    memex.run("rules", "approve", "family.dl", "--shown", "0123456789abcdef").expect(5)
    memex.write("system/rules/family.dl", FAMILY + "% edited meanwhile\n")
    memex.run("rules", "approve", "family.dl", "--shown", digest).expect(5)
    memex.write("system/rules/family.dl", FAMILY)
    done = memex.run(
        "rules", "approve", "system/rules/family.dl", "--shown", digest, "--json"
    ).expect(0).one
    (line,) = memex.journal("ontology")
    assert line["hash"] == done["event"] and line["by"].startswith("person:")
    assert line["body"]["subject"] == "rules/family.dl"
    assert (line["body"]["before"], line["body"]["after"]) == (None, digest)
    assert line["body"]["shown"] == digest
    assert approval(memex) == "approved"
    memex.run("rules", "approve", "family.dl", "--shown", digest).expect(0).names("already")
    assert len(memex.journal("ontology")) == 1


def test_an_edit_takes_the_approval_and_its_undo_gives_it_back(memex: Memex) -> None:
    digest = shown(family(memex))
    memex.run("rules", "approve", "family.dl", "--shown", digest).expect(0)
    memex.write("system/rules/family.dl", FAMILY.replace("parent(Y", "child(Y"))
    memex.sync()
    assert approval(memex) == "changed"
    memex.write("system/rules/family.dl", FAMILY).sync()
    assert approval(memex) == "approved"
    assert len(memex.journal("ontology")) == 1, "sync takes an approval for no declaration"
    event = memex.journal("ontology")[0]["hash"]
    memex.run("undo", event).expect(0)
    assert approval(memex) == "none"
    memex.run("rebuild", "--verify").expect(0)


def test_a_file_that_does_not_run_cannot_be_approved(memex: Memex) -> None:
    memex.write("system/rules/a.dl", "p(X, Y) <= q(X, Z).\n").init().sync(code=1)
    digest = str(rules(memex, code=1)["files"][0]["shown"])
    memex.run("rules", "approve", "a.dl", "--shown", digest).expect(4).names("Y in the head")
    assert not memex.journal("ontology")
