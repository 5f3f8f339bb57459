"""S24: rejected stays rejected from that source, under every spelling; others are asked."""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, relation

DIARY, LETTER = ("diary.org", "Dinner"), ("letter.org", "To Bo")


def said(
    place: tuple[str, str], verb: str = "likes", quote: str = "Tomas likes herring", **more: str
) -> str:
    return candidate(
        "Tomas", verb, "herring", quote, path=place[0], outline=[place[1]], **more
    )


@pytest.fixture
def notes(memex: Memex) -> Memex:
    memex.write("diary.org", "* Dinner\nTomas likes herring. Tomas adores herring, in 2024 too.\n")
    memex.write("letter.org", "* To Bo\nYou know that Tomas likes eating herring.\n")
    return memex.begin()


def refuse(notes: Memex, *flags: str) -> str:
    [line] = notes.propose(said(DIARY))
    return str(notes.decide("reject", line["proposal"], *flags)["event"])


def barred(notes: Memex, line: str) -> None:
    """Assert that a candidate is refused as rejected and waits for nobody."""
    waiting = len(notes.queue())
    [verdict] = notes.propose(line, code=4)
    assert verdict["outcome"] == "rejected"
    assert len(notes.queue()) == waiting
    assert notes.current("Tomas ? herring", "--all") == []


INDEPENDENT = said(LETTER, quote="Tomas likes eating herring")


def asked(notes: Memex, line: str) -> dict[str, object]:
    """Assert that a candidate waits for a person, who is shown the rejection; never the machine."""
    [verdict] = notes.propose(line)
    assert verdict["outcome"] == "needs-review"
    assert "reject" in " ".join(verdict["reasons"])
    assert [v["outcome"] for v in notes.admit_auto(code=6)] == ["needs-review"]
    assert notes.current("Tomas ? herring", "--all") == []
    [queued] = notes.queue()
    assert queued["state"] == "needs-review" and "reject" in " ".join(queued["reasons"])
    return queued


def test_s24_the_heading_read_again(notes: Memex) -> None:
    refuse(notes)
    barred(notes, said(DIARY))
    notes.sync("--full")
    barred(notes, said(DIARY))
    notes.edit("diary.org", "Tomas likes herring.", "By the way, Tomas likes herring.").sync()
    barred(notes, said(DIARY))


def test_s24_another_quote_of_the_same_heading(notes: Memex) -> None:
    refuse(notes)
    barred(notes, said(DIARY, quote="Tomas adores herring"))


def test_s24_a_synonym_once_its_alias_is_approved(notes: Memex) -> None:
    refuse(notes)
    adores = said(DIARY, "adores", "Tomas adores herring")
    [verdict] = notes.propose(adores)
    assert verdict["outcome"] == "admitted", "without an alias it is another statement"
    notes.ontology(relation("likes", alias="adores")).sync()
    assert notes.admit_auto() == [] and notes.queue() == []
    barred(notes, adores)
    barred(notes, said(DIARY, "adores", "Tomas likes herring"))


def test_s24_a_rejection_of_the_synonym_holds_for_the_canonical_name(notes: Memex) -> None:
    notes.ontology(relation("likes", alias="adores")).sync()
    [line] = notes.propose(said(DIARY, "adores", "Tomas adores herring"))
    notes.decide("reject", line["proposal"])
    barred(notes, said(DIARY))


def test_s24_an_independent_heading_only_shows_the_rejection(notes: Memex) -> None:
    refuse(notes, "--reason", "he hates it")
    queued = asked(notes, INDEPENDENT)
    assert "he hates it" in notes.run("why", str(queued["proposal"])).expect(0).said
    notes.admit(str(queued["proposal"]))
    assert notes.current("Tomas likes ?") == ["Tomas likes herring"], "a person may"
    [verdict] = notes.propose(said(DIARY))
    assert verdict["outcome"] in ("rejected", "duplicate")


def test_s24_a_heading_that_repeats_the_quote_is_the_same_source(notes: Memex) -> None:
    refuse(notes)
    notes.write("copy.org", "* Copy\nTomas likes   herring\n").sync()
    barred(notes, said(("copy.org", "Copy")))


def test_s24_everywhere_bars_an_independent_source_too(notes: Memex) -> None:
    refuse(notes, "--everywhere")
    barred(notes, INDEPENDENT)


def test_s24_another_interval_of_the_same_statement_is_asked(notes: Memex) -> None:
    refuse(notes)
    asked(notes, said(DIARY, quote="Tomas adores herring, in 2024 too", valid_from="2024"))


def test_s24_its_denial_is_not_barred(notes: Memex) -> None:
    notes.write("no.org", "* No\nTomas never likes herring. Tomas does not like herring.\n").sync()
    refuse(notes)
    denial = candidate(
        "Tomas", "likes", "herring", "Tomas does not like herring", path="no.org",
        outline=["No"], polarity="negative",
    )  # fmt: skip
    assert notes.take(denial) == ["admitted"]


def test_s24_undo_lifts_the_rejection(notes: Memex) -> None:
    event = refuse(notes)
    notes.decide("undo", event)
    assert [line["state"] for line in notes.queue()] == ["pending"]
    assert [v["outcome"] for v in notes.admit_auto()] == ["admitted"]


@pytest.mark.parametrize("how", ["file", "heading", "heading and state"])
def test_s24_a_rejection_follows_the_heading(notes: Memex, how: str) -> None:
    refuse(notes)
    path, title = DIARY
    if how == "file":
        path = "old/diary.org"
        notes.move("diary.org", path)
    else:
        title = "A long dinner"
        notes.edit("diary.org", "* Dinner", "* A long dinner")
    if "state" in how:
        notes.forget()
    notes.sync()
    barred(notes, said((path, title)))
    barred(notes, said((path, title), quote="Tomas adores herring"))


def test_s24_a_rejected_extraction_is_gone_and_stays_gone(notes: Memex) -> None:
    """Extracted facts are barred alike, though nobody proposed them."""
    notes.write("about.org", "* Profile\n- food :: herring\n").sync()
    fid = notes.fact("Profile food ?")["id"]
    notes.decide("reject", fid)
    assert notes.current("Profile food ?", "--all") == []
    notes.edit("about.org", "- food", "Some text.\n- food").sync()
    notes.sync("--full")
    assert notes.current("Profile food ?", "--all") == []
    notes.forget().sync()
    assert notes.current("Profile food ?", "--all") == []


def test_s24_a_person_is_not_barred_by_their_own_no(notes: Memex) -> None:
    refuse(notes, "--everywhere")
    notes.declare('(:entity "Tomas" :relation :likes :value "herring")')
    assert notes.current("Tomas likes ?") == ["Tomas likes herring"]


def test_s24_a_persons_block_is_not_barred(notes: Memex) -> None:
    refuse(notes)
    stated = '(:entity "Tomas" :relation :likes :value "herring")'
    block = f"#+begin_src knowledge\n{stated}\n#+end_src\n"
    notes.edit("diary.org", "* Dinner\n", f"* Dinner\n{block}").sync()
    assert notes.fact("Tomas likes ?")["provenance"] == "human-authored"


def test_s24_a_machines_refusal_is_no_rejection(notes: Memex) -> None:
    """What was ungrounded once may be proposed with a better quote."""
    [bad] = notes.propose(said(DIARY, quote="Tomas likes nothing more"), code=4)
    assert bad["outcome"] == "ungrounded"
    assert notes.take(said(DIARY)) == ["admitted"]


def test_s24_deciding_twice_is_said(notes: Memex) -> None:
    [line] = notes.propose(said(DIARY))
    shown = notes.queue()[0]["shown"]
    notes.decide("reject", line["proposal"])
    ran = notes.run("admit", line["proposal"], "--yes", "--shown", shown).expect(4, 5)
    ran.names("reject")
