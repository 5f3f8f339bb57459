"""S23: what a heading grounds follows it, in whatever order the files are saved."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.cli import Memex, candidate, paths

IDENT = "11111111-2222-4333-8444-555555555555"
WITH_ID = f"* Ada\n:PROPERTIES:\n:ID: {IDENT}\n:END:\nAda was born in London.\n"
WITHOUT = "* Ada\nAda was born in London.\n"
FORMS = {"by ID": WITH_ID, "by quote": WITHOUT}
every_form = pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())


def start(memex: Memex, text: str) -> str:
    """Admit what the heading says in inbox.org and reject another reading of it."""
    memex.write("inbox.org", f"#+title: Inbox\n{text}* Rest\nNothing.\n")
    memex.write("people.org", "#+title: People\n* Bo\nBo was born in Bergen.\n").begin()
    memex.take(said("inbox.org", "London"))
    [line] = memex.propose(said("inbox.org", "London", "raised-in"))
    memex.decide("reject", line["proposal"])
    return str(memex.fact("Ada born-in ?")["id"])


def said(path: str, town: str, verb: str = "born-in", outline: tuple[str, ...] = ("Ada",)) -> str:
    return candidate("Ada", verb, town, "Ada was born in London", path=path, outline=list(outline))


def still(memex: Memex, fid: str, path: str, outline: tuple[str, ...] = ("Ada",)) -> None:
    """Assert that fact and rejection are where the heading is, and nothing is asked again."""
    fact = memex.fact("Ada born-in ?")
    assert fact["id"] == fid and paths(fact) == [path]
    assert memex.queue() == []
    [again] = memex.propose(said(path, "London", "raised-in", outline), code=4)
    assert again["outcome"] == "rejected"
    memex.take(said(path, "London", outline=outline))
    assert paths(memex.fact("Ada born-in ?")) == [path]
    assert memex.rebuild()["result"] == "equal"


@every_form
@pytest.mark.parametrize("first", ["destination", "source", "both at once"])
def test_s23_a_refiled_heading_keeps_what_it_grounds(
    memex: Memex, text: str, first: str
) -> None:
    fid = start(memex, text)
    steps = {
        "destination": lambda: memex.edit("people.org", "* Bo\n", f"{text}* Bo\n"),
        "source": lambda: memex.edit("inbox.org", text, ""),
    }
    order = ["source", "destination"] if first == "source" else ["destination", "source"]
    for step in order:
        steps[step]()
        if first != "both at once":
            memex.run("sync").expect(0, 1)
    memex.sync()
    still(memex, fid, "people.org")


@every_form
def test_s23_a_refile_deeper_and_under_another_title(memex: Memex, text: str) -> None:
    fid = start(memex, text)
    memex.edit("inbox.org", text, "")
    deeper = text.replace("* Ada", "** Aunt Ada")
    memex.edit("people.org", "* Bo\n", f"* Family\n{deeper}* Bo\n")
    memex.sync()
    still(memex, fid, "people.org", ("Family", "Aunt Ada"))


@every_form
def test_s23_a_renamed_file_makes_no_churn(memex: Memex, text: str) -> None:
    fid = start(memex, text)
    before = {fact["id"] for fact in memex.query("? ? ?", "--all").facts}
    memex.move("inbox.org", "archive/2024/inbox.org")
    memex.sync()
    after = {fact["id"] for fact in memex.query("? ? ?", "--all").facts}
    assert before == after
    written = [line["kind"] for line in memex.journal()]
    memex.sync("--full")
    assert [line["kind"] for line in memex.journal()] == written, "said once"
    if text == WITH_ID:
        assert "anchor" not in written, "an ID is the key: nothing moved"
    still(memex, fid, "archive/2024/inbox.org")


def test_s23_a_file_replaced_under_the_same_id(memex: Memex) -> None:
    """A new file with the old heading's ID: the key stays, what it no longer says is stale."""
    fid = start(memex, WITH_ID)
    memex.delete("inbox.org")
    memex.write("new.org", WITH_ID + "Ada is well.\n").sync()
    assert paths(memex.fact("Ada born-in ?")) == ["new.org"]
    memex.write("new.org", WITH_ID.replace("London", "Paris")).sync()
    assert memex.current("Ada born-in ?", "--all") == []
    memex.write("new.org", WITH_ID).sync()
    still(memex, fid, "new.org")


def test_s23_one_id_in_two_files_is_reported_with_both_and_stops_nothing(memex: Memex) -> None:
    fid = start(memex, WITH_ID)
    memex.write("copy.org", WITH_ID + "- colour :: green\n")
    memex.write("more.org", "* Other\n- colour :: red\n")
    told = memex.run("sync").expect(1)
    told.names("inbox.org", "copy.org", IDENT)
    assert memex.fact("Ada born-in ?")["id"] == fid
    assert memex.current("Other colour ?") == ["Other colour red"], "the rest was read"
    assert len(memex.query("? colour green").facts) == 1, "the copy was read too"

    memex.delete("copy.org").sync()
    still(memex, fid, "inbox.org")


def test_s23_every_order_of_saves_ends_in_the_same_world(memex: Memex) -> None:
    """Three files change places; a sync after each save, in each order."""
    texts = {
        name: f"* {name}\n{name} was born in London.\n" for name in ("Ada", "Bo", "Cy")
    }
    for name, text in texts.items():
        memex.write(f"{name.lower()}.org", text)
    moved = {"ada.org": texts["Bo"], "bo.org": texts["Cy"], "cy.org": texts["Ada"]}
    digests, facts = set(), set()
    for number, order in enumerate(permutations(moved)):
        one = memex.twin(f"order-{number}").begin()
        one.take(
            "".join(
                candidate(name, "born-in", "London", f"{name} was born in London",
                          path=f"{name.lower()}.org", outline=[name])
                for name in texts
            )
        )  # fmt: skip
        for path in order:
            one.write(path, moved[path]).sync()
        where = [(f["entity"], *paths(f)) for f in one.query("? born-in ?").facts]
        facts.add(tuple(sorted(where)))
        digests.add(one.digest())
    assert facts == {(("Ada", "cy.org"), ("Bo", "ada.org"), ("Cy", "bo.org"))}
    assert len(digests) == 1


def test_s23_what_is_nowhere_is_listed_as_lost_with_its_last_place(memex: Memex) -> None:
    start(memex, WITHOUT)
    memex.edit("inbox.org", WITHOUT, "").sync()
    lost = memex.status()["lost"]
    assert lost and all("inbox.org#Ada#1" in str(entry) for entry in lost)
    memex.edit("people.org", "* Bo\n", WITHOUT + "* Bo\n").sync()
    assert memex.status()["lost"] == []


def test_s23_with_the_state_deleted_in_between(memex: Memex) -> None:
    """Where a heading went is found in the prose and the journal, not remembered by an index."""
    fid = start(memex, WITHOUT)
    kept = memex.twin("kept", journal=True)
    kept.sync()
    for one in (memex, kept):
        one.move("inbox.org", "a/b.org")
        one.edit("a/b.org", "* Ada", "* Ada Lovelace")
    memex.forget().sync()
    kept.sync()
    assert memex.digest() == kept.digest()
    still(memex, fid, "a/b.org", ("Ada Lovelace",))


def test_s23_a_quote_that_stands_in_two_places_is_in_neither(memex: Memex) -> None:
    start(memex, WITHOUT)
    for name in ("people.org", "towns.org"):
        old = memex.root / name
        before = old.read_text(encoding="utf-8") if old.exists() else "#+title: Towns\n"
        memex.write(name, f"{before}* A life\nAda was born in London.\n")
    memex.edit("inbox.org", WITHOUT, "").sync()
    assert memex.query("Ada born-in ?").facts == ()
    memex.edit("towns.org", "Ada was born in London.\n", "Nothing.\n").sync()
    assert paths(memex.fact("Ada born-in ?")) == ["people.org"]
