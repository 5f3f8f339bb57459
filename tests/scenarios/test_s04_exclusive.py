"""S4: under exclusive the old fact stays and the new one is refused, naming the old one.

Whatever happens, the store never ends with neither, and never with both.
"""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, relation

TASTES = relation("likes", policy="exclusive", opposite="hates") + relation(
    "hates", policy="exclusive", opposite="likes"
)
LIKES = candidate(
    "Tomas", "likes", "Chinese food", "Tomas likes Chinese food", path="diary.org",
    outline=["Dinner"], confidence="0.9",
)  # fmt: skip
HATES = candidate(
    "Tomas", "hates", "Chinese food", "Tomas hates Chinese food", path="letters.org",
    outline=["Complaint"], confidence="0.8",
)  # fmt: skip
OPPOSED = {"likes": (LIKES, "diary.org"), "hates": (HATES, "letters.org")}


@pytest.fixture
def notes(memex: Memex) -> Memex:
    memex.write("diary.org", "* Dinner\nTomas likes Chinese food.\n")
    memex.write("letters.org", "* Complaint\nTomas hates Chinese food.\n")
    return memex.ontology(TASTES).begin()


def tastes(notes: Memex) -> list[str]:
    """Return what Tomas thinks of Chinese food, over the whole store."""
    return notes.current('Tomas ? "Chinese food"', "--all")


def accept(notes: Memex, line: str) -> None:
    [proposed] = notes.propose(line)
    assert notes.admit(proposed["proposal"])["outcome"] == "admitted"


@pytest.mark.parametrize(("first", "second"), [("likes", "hates"), ("hates", "likes")])
def test_s4_the_old_one_stays_and_the_new_one_is_refused(
    notes: Memex, first: str, second: str
) -> None:
    (old, path), (new, _) = OPPOSED[first], OPPOSED[second]
    accept(notes, old)
    standing = notes.fact(f'Tomas {first} "Chinese food"')
    notes.propose(new)

    [verdict] = notes.admit_auto(code=4)
    assert verdict["outcome"] == "blocked"
    assert standing["id"] in verdict["conflicts"]
    assert tastes(notes) == [f"Tomas {first} Chinese food"]

    [line] = notes.queue()
    assert line["state"] == "blocked" and line["blockers"] == [standing["id"]]
    told = notes.run("why", line["proposal"]).expect(0)
    told.names(f"Tomas {first} Chinese food", standing["id"][:6], path)


def test_s4_the_refusal_is_printed_with_the_old_fact_and_its_heading(notes: Memex) -> None:
    accept(notes, LIKES)
    notes.propose(HATES)
    notes.run("admit", "--auto").expect(4).names("likes", "Chinese food", "diary.org")


def test_s4_a_persons_yes_does_not_override_the_standing_fact(notes: Memex) -> None:
    accept(notes, LIKES)
    notes.propose(HATES)
    [line] = notes.queue()
    verdict = notes.admit(line["proposal"], code=4)
    assert verdict["outcome"] == "blocked"
    assert verdict["conflicts"] == [notes.fact("Tomas likes ?")["id"]]
    assert tastes(notes) == ["Tomas likes Chinese food"]


def test_s4_a_persons_declaration_is_refused_too(notes: Memex) -> None:
    accept(notes, LIKES)
    before = notes.digest()
    ran = notes.run("declare", '(:entity "Tomas" :relation :hates :value "Chinese food")').expect(4)
    ran.names(notes.fact("Tomas likes ?")["id"][:6], "diary.org")
    assert tastes(notes) == ["Tomas likes Chinese food"]
    assert notes.digest() == before, "nothing was done"


def test_s4_rivals_of_one_batch_wait_for_a_person_and_one_wins(notes: Memex) -> None:
    notes.propose(LIKES + HATES)
    assert [v["outcome"] for v in notes.admit_auto(code=6)] == ["needs-review", "needs-review"]
    assert tastes(notes) == []
    notes.admit(next(q["proposal"] for q in notes.queue() if q["candidate"]["relation"] == "hates"))
    [left] = notes.queue()
    assert notes.admit(left["proposal"], code=4)["outcome"] == "blocked"
    assert tastes(notes) == ["Tomas hates Chinese food"]


def test_s4_a_persons_block_evicts_nothing(notes: Memex) -> None:
    """It is blocked, sync prints both lines and exits 1; supersede or retract resolves it."""
    accept(notes, LIKES)
    notes.write(
        "truth.org",
        """
        * Truth
        #+begin_src knowledge
        (:entity "Tomas" :relation :hates :value "Chinese food")
        #+end_src
        """,
    )
    told = notes.run("sync").expect(1)
    told.names("truth.org", "diary.org", "Tomas", "hates", "likes")
    assert tastes(notes) == ["Tomas likes Chinese food"]

    notes.decide("retract", notes.fact("Tomas likes ?")["id"])
    assert tastes(notes) == ["Tomas hates Chinese food"], "the choice lapses with the kept fact"


def test_s4_two_blocks_that_were_always_there_leave_exactly_one(notes: Memex) -> None:
    """The first by trust, evidence date, path and offset is kept."""
    for name, verb in (("b.org", "likes"), ("a.org", "hates")):
        notes.write(
            name,
            f"""
            * Block
            #+begin_src knowledge
            (:entity "Signe" :relation :{verb} :value "herring")
            #+end_src
            """,
        )
    body = notes.sync(code=1)
    assert len(body["incumbents"]) == 1
    assert notes.current("Signe ? herring", "--all") == ["Signe hates herring"]
    again = notes.run("sync", "--json").expect(0, 1).one
    assert again["incumbents"] == [] and len(notes.journal("incumbent")) == 1


def test_s4_a_blocker_that_falls_brings_the_refused_one_back(notes: Memex) -> None:
    accept(notes, LIKES)
    notes.propose(HATES)
    notes.admit_auto(code=4)
    notes.decide("retract", notes.fact("Tomas likes ?")["id"])

    assert tastes(notes) == [], "pending again, never admitted by that"
    [line] = notes.queue()
    assert line["state"] in ("pending", "needs-review") and line["blockers"] == []
    notes.admit(line["proposal"])
    assert tastes(notes) == ["Tomas hates Chinese food"]


def test_s4_supersede_does_both_in_one_step_and_undo_takes_both_back(notes: Memex) -> None:
    accept(notes, LIKES)
    notes.propose(HATES)
    [line] = notes.queue()
    done = notes.decide("supersede", notes.fact("Tomas likes ?")["id"], line["proposal"])
    assert tastes(notes) == ["Tomas hates Chinese food"]
    notes.decide("undo", done["event"])
    assert tastes(notes) == ["Tomas likes Chinese food"]


@pytest.mark.parametrize("value", ["Vardø", "Bergen"])
def test_s4_functional_exclusive_refuses_a_second_value_alone(notes: Memex, value: str) -> None:
    notes.write(
        "people.org",
        f"""
        * Bo
        Bo was born in Bergen. Bo was born in {value}, says his aunt.
        """,
    ).ontology(relation("born-in", policy="exclusive", functional="t")).sync()
    notes.declare('(:entity "Bo" :relation :born-in :value "Bergen")')
    told = candidate(
        "Bo", "born-in", value, f"Bo was born in {value}, says his aunt", path="people.org",
        outline=["Bo"],
    )  # fmt: skip
    [outcome] = notes.take(told, code=0 if value == "Bergen" else 4)
    assert outcome == ("duplicate" if value == "Bergen" else "blocked")
    assert notes.current("Bo born-in ?", "--all") == ["Bo born-in Bergen"]


def test_s4_perhaps_at_the_same_time_is_asked_not_refused(notes: Memex) -> None:
    """`maybe` never refuses: the person sees the rival and decides."""
    notes.write("rent.org", "* Rent\nThe rent was 900 EUR for long, from May 2024 on 950 EUR.\n")
    notes.ontology(relation("rent", policy="exclusive", functional="t")).sync()
    notes.declare('(:entity "Rent" :relation :rent :value "900 EUR" :from 2023 :to "?")')
    line = candidate(
        "Rent", "rent", "950 EUR", "from May 2024 on 950 EUR", path="rent.org", outline=["Rent"],
        valid_from="2024-05",
    )  # fmt: skip
    assert notes.take(line, code=6) == ["needs-review"]
    assert notes.queued("950 EUR")["state"] == "needs-review"
