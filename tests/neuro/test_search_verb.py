"""`pp search` through the command line: output, exit codes, what it says when the index lags."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from bridge.app import open_app
from bridge.nearby import FactTies
from bridge.settings import load
from symbolic.records import Name
from tests.cli import Memex, Result
from tests.conftest import own_environment

NOTES = """\
    #+title: Voyages
    * Lantern
    The lantern was made by [[*Petra]].
    * Petra
    A person of few words. :work:
    ** Her shop                                                        :trade:
    Brass, wick and oil.
    * Weather
    Rain from the west, a *bright* lantern in each window.
    * Ada Lind
    #+begin_src knowledge
    (:entity "Ada Lind" :relation :works-at :value "Initech")
    #+end_src
"""
OTHER = """\
    * Offices
    Third floor, blue door.
    #+begin_src knowledge
    (:entity "Initech" :relation :located-in :value "Bergen")
    #+end_src
    * 日本語の設定
    設定方法を書く。
"""


@pytest.fixture
def notes(memex: Memex) -> Memex:
    """Return a memex of two files, read in."""
    return memex.write("voyages.org", NOTES).write("other.org", OTHER).begin()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memex]:
    """Return the same memex, one for all who only read."""
    base = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch:
        own_environment(base, patch)
        made = Memex(base / "memex").write("voyages.org", NOTES).write("other.org", OTHER)
        yield made.begin()


def ask(memex: Memex, *argv: str, code: int = 0) -> dict[str, Any]:
    """Return the JSON answer of a search."""
    return memex.run("search", *argv, "--json").expect(code).one


def titles(answer: dict[str, Any]) -> list[str]:
    """Return the titles of the hits."""
    return [hit["title"] for hit in answer["hits"]]


def test_the_answer(kept: Memex) -> None:
    """Schema, hits with their place, lists, what is pending."""
    answer = ask(kept, "lantern", "--why")
    assert answer["schema"] == "pp.search/1"
    assert answer["pending"] == answer["stale"] == 0
    first = answer["hits"][0]
    assert (first["path"], first["line"], first["outline"]) == ("voyages.org", 2, ["Lantern"])
    assert first["snippet"] == "The lantern was made by Petra."
    assert {part["list"] for part in first["why"]} >= {"words", "titles"}
    assert sum(part["share"] for part in first["why"]) == pytest.approx(first["score"], abs=1e-4)
    assert titles(answer)[0] == "Lantern" and {"Petra", "Weather"} <= set(titles(answer))
    assert answer["lists"]["links"] == 1
    assert "why" not in ask(kept, "lantern")["hits"][0]


def test_the_table(kept: Memex) -> None:
    """Rank, outline, place and snippet on stdout; nothing but talk on stderr."""
    shown = kept.run("search", "brass", "--why").expect(0)
    assert shown.out.splitlines()[0] == "  1  Petra / Her shop  voyages.org:6"
    assert "Brass, wick and oil." in shown.out
    assert "words #1" in shown.out and shown.err == ""
    assert "\x1b" not in shown.out


@pytest.mark.parametrize("argv", [("",), ("?!",), ("-lantern",), ("-tag:work",), ()])
def test_a_query_that_asks_for_nothing_is_a_usage_error(
    kept: Memex, argv: tuple[str, ...]
) -> None:
    """Exit 2, with what to do."""
    ran = kept.run("search", *argv).expect(2)
    assert ran.err and not ran.out


def test_words_that_look_like_options_are_words(kept: Memex) -> None:
    """-word excludes, also where its first letter is an option elsewhere."""
    assert titles(ask(kept, "lantern", "-petra"))[0] == "Weather"
    assert kept.run("search", "lantern", "-hello").expect(0).out
    assert ask(kept, "oil tag:trade")["hits"][0]["title"] == "Her shop"
    assert not ask(kept, "oil tag:other")["hits"]
    assert titles(ask(kept, '"bright lantern"')) == ["Weather"]
    assert titles(ask(kept, "path:other offices"))[0] == "Offices"
    assert "日本語の設定" in titles(ask(kept, "設定"))


def test_no_hit_is_said(kept: Memex) -> None:
    """Exit 0: an empty answer is an answer."""
    ran = kept.run("search", "xyzzy").expect(0)
    assert ran.out == "" and "nothing found" in ran.err


def test_limit(kept: Memex) -> None:
    """--limit 1 is the first of --limit 0."""
    every = ask(kept, "lantern oil", "--limit", "0")["hits"]
    assert ask(kept, "lantern oil", "--limit", "1")["hits"] == every[:1]
    assert len(every) > 1
    kept.run("search", "lantern", "--limit", "-1").expect(2)


def test_facts_bring_neighbours(kept: Memex) -> None:
    """Who works at Initech leads to where Initech is, though no link and no word does."""
    answer = ask(kept, "Ada Lind", "--why")
    assert "Offices" in titles(answer)
    hit = next(hit for hit in answer["hits"] if hit["title"] == "Offices")
    assert [part["list"] for part in hit["why"]] == ["facts"]


def test_headings_that_name_a_name(kept: Memex) -> None:
    """The bounded lookup finds what a walk over all facts finds, or nothing beyond its bound."""
    with open_app(load(str(kept.root), str(kept.state))) as app:
        walked: dict[Name, set[str]] = {}
        for fact in app.view.facts():
            said = {assertion.heading for assertion in fact.live} - {None}
            for term in (fact.statement.entity, fact.statement.value):
                if isinstance(term, Name):
                    name = Name(term.kind, term.canon, term.canon)
                    walked.setdefault(name, set()).update(key for key in said if key)
        assert any(len(keys) > 1 for keys in walked.values())
        for name, keys in walked.items():
            assert set(app.store.headings_naming(name, 1_000)) == keys
            if len(keys) > 1:
                assert app.store.headings_naming(name, len(keys) - 1) == ()
        ties = FactTies(app.store)
        for heading in app.view.headings():
            assert heading.key not in ties(heading.key)


def test_search_stands_without_the_facts(notes: Memex) -> None:
    """R39: with facts.db deleted, words, vectors and links find the same."""

    def others(answer: dict[str, Any]) -> list[tuple[str, list[Any]]]:
        return sorted(
            (hit["heading"], parts) for hit in answer["hits"]
            if (parts := [part for part in hit["why"] if part["list"] != "facts"])
        )

    queries = ("lantern", "Ada Lind", "設定", "brass wick oil", "rain")
    before = [ask(notes, query, "--why", "--limit", "0") for query in queries]
    for name in ("facts.db", "facts.db-wal", "facts.db-shm"):
        (notes.state / name).unlink(missing_ok=True)
    for query, was in zip(queries, before, strict=True):
        now = ask(notes, query, "--why", "--limit", "0")
        assert others(now) == others(was)
        assert now["lists"]["facts"] == 0


def test_the_facts_stand_without_search(notes: Memex) -> None:
    """R39: with near.db deleted, search says what to do and facts answer as before."""
    before = notes.current("? works-at ?")
    for file in notes.state.glob("near.*"):
        file.unlink()
    ran = notes.run("search", "lantern").expect(0)
    assert "pp sync" in ran.err and not ran.out
    assert notes.current("? works-at ?") == before != []
    assert not list(notes.state.glob("near.*"))
    notes.sync()
    assert titles(ask(notes, "lantern"))[0] == "Lantern"


def test_a_lagging_index_is_said(notes: Memex) -> None:
    """A file that changed, came or went since the last sync."""
    notes.edit("voyages.org", "Rain", "Snow").delete("other.org").write("new.org", "* New\n")
    ran = notes.run("search", "rain").expect(0)
    assert "3 files have changed" in ran.err
    assert ask(notes, "rain")["stale"] == 3
    notes.sync()
    assert not titles(ask(notes, "rain"))
    assert "Weather" in titles(ask(notes, "snow"))
    assert notes.run("search", "snow").expect(0).err == ""


def test_a_damaged_index_is_a_configuration_error(notes: Memex) -> None:
    """Exit 3 and the way out; reading mends nothing."""
    place = notes.state / "near.db"
    place.write_bytes(b"no database at all" * 100)
    for name in ("near.db-wal", "near.db-shm"):
        (notes.state / name).unlink(missing_ok=True)
    ran: Result = notes.run("search", "lantern").expect(3)
    assert "pp sync" in ran.err
    assert place.read_bytes().startswith(b"no database")


def test_search_before_the_first_sync(memex: Memex) -> None:
    """It says that nothing was read, and which verb reads."""
    memex.write("a.org", "* Lantern\n").init()
    assert "pp sync" in memex.run("search", "lantern").expect(0).err


def test_searching_writes_nothing(kept: Memex) -> None:
    """Neither to the kept nor to the journal."""
    files, journal = kept.snapshot(), kept.journal_bytes()
    ask(kept, "lantern", "--limit", "0")
    assert (kept.snapshot(), kept.journal_bytes()) == (files, journal)
