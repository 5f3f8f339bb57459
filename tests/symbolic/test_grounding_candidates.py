"""R9: a candidate is sound only if its own quote, in its own heading, says what it says."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic.grounding import Missing, Ungrounded
from symbolic.quotes.sound import Sound, ground
from symbolic.records import (
    Candidate,
    Declarations,
    Grounding,
    ProseHeading,
    Provenance,
    RelationDecl,
    Written,
)

TEXT = """* People
Ines Varga joined Halden in February 2022. She left it on [2023-06-30 Fri].
Oddny is not allergic to nuts. Bo is no longer keeper of the light.
She met [[id:7f][the captain]] and [[file:boats/Brisling.org][her boat]].
Whenever Ada visits Skarvik it rains. There is no need to call Tomas.
Runa lent Bo 5,000 EUR for 3 weeks. The hill is 8849 m high.
#+begin_example
Ines Varga plays chess.
#+end_example
#+begin_quote
Ines Varga plays go.
#+end_quote
#+begin_src knowledge
:entity Ines :relation plays :value whist
#+end_src
# Ines Varga plays poker.
: Ines Varga plays bridge.
"""
DECLARED = Declarations(
    relations={
        "height": RelationDecl(name="height", written="height", range=("quantity",), unit="m"),
        "opened": RelationDecl(name="opened", written="opened", range=("date",)),
    },
    entity_alias={"skipper": "aksel moldrup", "brisling": "brisling boatyard"},
    spelling={"aksel moldrup": "Aksel Moldrup", "brisling boatyard": "Brisling Boatyard"},
)


def heading(text: str = TEXT, **more: object) -> ProseHeading:
    made = ProseHeading(
        key="people.org#People#1", ident=None, path="people.org", outline=("Village", "People"),
        nth=1, title="People", line=1, offset=0, text=text, text_hash="", body_hash="",
        evidence_date="2024-05-02",
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def judge(
    entity: str, relation: str, value: str, quote: str, place: ProseHeading | None = None,
    *, title: str | None = None, **more: object,
) -> Sound | Ungrounded:  # fmt: skip
    written = Written(entity=entity, relation=relation, value=value, **more)  # type: ignore[arg-type]
    candidate = Candidate(
        written=written, proposer=Provenance.PROPOSED,
        grounding=Grounding(heading="people.org#People#1", quote=quote),
    )  # fmt: skip
    return ground(candidate, place or heading(), DECLARED, file_title=title)


JOINED = "Ines Varga joined Halden in February 2022"
NUTS = "Oddny is not allergic to nuts"

SOUND: list[tuple[str, str, str, str, dict[str, object]]] = [
    ("Ines Varga", "works-at", "Halden", JOINED, {}),
    ("ines_varga", "works-at", "HALDEN", JOINED, {"valid_from": "2022-02"}),
    ("Ines Varga", "works-at", "Halden", JOINED, {"valid_from": "2022"}),
    ("Ines Varga", "works-at", "Halden", JOINED, {"valid_from": "?", "valid_to": "?"}),
    ("Ines Varga", "joined-in", "February 2022", JOINED, {}),
    ("Oddny", "allergic-to", "nuts", NUTS, {"polarity": False}),
    ("Oddny", "not-allergic-to", "nuts", NUTS, {}),
    ("Bo", "role", "keeper", "Bo is no longer keeper", {"polarity": False}),
    ("Bo", "role", "keeper", "Bo is no longer keeper", {"valid_to": "?"}),
    ("Runa", "lent", "5000 EUR", "Runa lent Bo 5,000 EUR", {}),
    ("Runa", "lent", "5000", "Runa lent Bo 5,000 EUR", {}),
    ("Runa", "for", "21 days", "Runa lent Bo 5,000 EUR for 3 weeks", {}),
    ("hill", "height", "8849", "The hill is 8849 m high", {}),
    ("hill", "height", "8.849 km", "The hill is 8849 m high", {}),
    ("People", "met", "Brisling Boatyard", "and her boat", {}),
    ("Village", "met", "id:7f", "met the captain", {"kind": "heading"}),
    ("Ines", "plays", "whist", ":entity Ines :relation plays :value whist", {}),
]


@pytest.mark.parametrize(("entity", "relation", "value", "quote", "more"), SOUND)
def test_sound(
    entity: str, relation: str, value: str, quote: str, more: dict[str, object]
) -> None:
    assert judge(entity, relation, value, quote, **more) == Sound(
        candidate=Candidate(
            written=Written(entity=entity, relation=relation, value=value, **more),  # type: ignore[arg-type]
            grounding=Grounding(heading="people.org#People#1", quote=quote),
            proposer=Provenance.PROPOSED,
        )
    )


@pytest.mark.parametrize(
    ("reason", "entity", "value", "quote", "more"),
    [
        (Missing.EMPTY, "Ines Varga", "Halden", " ", {}),
        (Missing.ABSENT, "Ines Varga", "Halden", "Ines Varga left Halden", {}),
        (Missing.CASE, "Ines Varga", "Halden", JOINED.upper(), {}),
        (Missing.UNREAD, "Ines Varga", "chess", "Ines Varga plays chess", {}),
        (Missing.UNREAD, "Ines Varga", "go", "Ines Varga plays go", {}),
        (Missing.UNREAD, "Ines Varga", "poker", "Ines Varga plays poker", {}),
        (Missing.UNREAD, "Ines Varga", "bridge", "Ines Varga plays bridge", {}),
        (Missing.ENTITY, "Tomas Reve", "Halden", JOINED, {}),
        (Missing.ENTITY, "Aksel Moldrup", "Halden", JOINED, {}),
        (Missing.VALUE, "Ines Varga", "Oslo", JOINED, {}),
        (Missing.VALUE, "Runa", "5", "Runa lent Bo 5,000 EUR", {}),
        (Missing.VALUE, "Runa", "500 EUR", "Runa lent Bo 5,000 EUR", {}),
        (Missing.VALUE, "Runa", "5000 USD", "Runa lent Bo 5,000 EUR", {}),
        (Missing.VALUE, "Ines Varga", "March 2022", JOINED, {}),
        (Missing.DATE, "Ines Varga", "Halden", JOINED, {"valid_from": "2021"}),
        (Missing.DATE, "Ines Varga", "Halden", JOINED, {"valid_to": "2026"}),
        (Missing.POLARITY, "Ines Varga", "Halden", JOINED, {"polarity": False}),
        (Missing.POLARITY, "Oddny", "nuts", NUTS, {}),
        (Missing.POLARITY, "Oddny", "nuts", "allergic to nuts", {}),
        (Missing.POLARITY, "Oddny", "nuts", "allergic to nuts", {"polarity": False}),
        (Missing.POLARITY, "Bo", "keeper", "Bo is no longer keeper", {}),
        (Missing.POLARITY, "Ada", "Skarvik", "Whenever Ada visits Skarvik it rains", {}),
        (Missing.POLARITY, "Ada", "Skarvik", "Ada visits Skarvik", {}),
        (Missing.POLARITY, "People", "Tomas", "There is no need to call Tomas", {}),
    ],
)
def test_unsound(
    reason: Missing, entity: str, value: str, quote: str, more: dict[str, object]
) -> None:
    place = heading(outline=("People",)) if entity == "Oddny" else heading()
    place = replace(place, title="People, Oddny") if entity == "Oddny" else place
    found = judge(entity, "goes-with", value, quote, place, **more)
    assert isinstance(found, Ungrounded) and found.reason is reason and found.message


def test_a_heading_of_the_program_grounds_nothing() -> None:
    found = judge("Ines Varga", "works-at", "Halden", JOINED, heading(agent=True))
    assert isinstance(found, Ungrounded) and found.reason is Missing.AGENT


def test_titles_above_speak_of_the_entity_and_not_of_the_value() -> None:
    quote = "left it on [2023-06-30 Fri]"
    for place, title in (
        (heading(title="Ines"), None),
        (heading(outline=("Ines Varga", "Jobs")), None),
        (heading(), "Notes on Ines Varga"),
    ):
        found = judge("Ines Varga", "left-on", "2023-06-30", quote, place, title=title)
        assert isinstance(found, Sound)
    found = judge("Ines", "left", "Halden", quote, heading(title="Ines, Halden"))
    assert isinstance(found, Ungrounded) and found.reason is Missing.VALUE


@pytest.mark.parametrize(
    ("bounds", "kept", "notes"),
    [
        ({"valid_from": "2022-02-14"}, ("2022-02", None), 1),
        ({"valid_from": "2024-05-02"}, (None, None), 1),
        ({"valid_from": "2024-05"}, (None, None), 1),
        ({"valid_from": "2022-02", "valid_to": "2024-05-03"}, ("2022-02", None), 1),
        ({"valid_from": "2022-02"}, ("2022-02", None), 0),
        ({"valid_from": "2022-02-14", "valid_to": "2022-03"}, ("2022-02", "2022-03"), 1),
    ],
)
def test_dates_are_lowered_or_dropped_with_a_note(
    bounds: dict[str, object], kept: tuple[str | None, str | None], notes: int
) -> None:
    found = judge("Ines Varga", "works-at", "Halden", JOINED, **bounds)
    assert isinstance(found, Sound) and len(found.notes) == notes
    written = found.candidate.written
    assert (written.valid_from, written.valid_to) == kept
    again = ground(found.candidate, heading(), DECLARED)
    assert again == Sound(candidate=found.candidate)


def test_a_date_that_is_the_value_is_lowered_too() -> None:
    found = judge("Ines Varga", "opened", "2022-02-14", JOINED)
    assert isinstance(found, Sound) and len(found.notes) == 1
    assert (found.candidate.written.value, found.candidate.written.kind) == ("2022-02", "date")


def test_an_inclusive_end_and_its_exclusive_successor_are_both_said() -> None:
    text = "* Work\nTomas worked at Reine until 2023.\n"
    quote = "Tomas worked at Reine until 2023"
    for end, kept in (("2023", "2023"), ("2024", "2024"), ("2024-01-01", "2024")):
        found = judge("Tomas", "works-at", "Reine", quote, heading(text), valid_to=end)
        assert isinstance(found, Sound) and found.candidate.written.valid_to == kept


def test_a_relative_date_is_that_of_the_heading_alone() -> None:
    text, quote = "* Work\nYesterday Tomas joined Reine.\n", "Yesterday Tomas joined Reine"
    found = judge("Tomas", "works-at", "Reine", quote, heading(text), valid_from="2024-05-01")
    assert isinstance(found, Sound) and found.candidate.written.valid_from == "2024-05-01"
    undated = heading(text, evidence_date=None)
    lost = judge("Tomas", "works-at", "Reine", quote, undated, valid_from="2024-05-01")
    assert isinstance(lost, Ungrounded) and lost.reason is Missing.DATE


def test_aliases_count_in_both_directions() -> None:
    text = "* Sea\nThe skipper owns a ketch. Aksel Moldrup owns a yawl.\n"
    for entity, value, quote in (
        ("Aksel Moldrup", "ketch", "The skipper owns a ketch"),
        ("skipper", "yawl", "Aksel Moldrup owns a yawl"),
    ):
        assert isinstance(judge(entity, "owns", value, quote, heading(text)), Sound)


def test_a_value_in_the_notes_own_language_is_sound_as_written() -> None:
    text = "* Briefe\nInes wohnt in München. 林小雨住在成都。\n"
    place = heading(text)
    assert isinstance(judge("Ines", "lives-in", "München", "Ines wohnt in München", place), Sound)
    assert isinstance(judge("林小雨", "lives-in", "成都", "林小雨住在成都", place), Sound)
    for value in ("Munich", "Chengdu"):
        found = judge("Ines", "lives-in", value, "Ines wohnt in München", place)
        assert isinstance(found, Ungrounded) and found.reason is Missing.VALUE


def test_the_first_place_of_a_quote_does_not_decide_alone() -> None:
    text = "* T\nIt is not true that Ada works at Halden.\n\nAda works at Halden.\n"
    said = ("Ada", "works-at", "Halden", "Ada works at Halden")
    assert isinstance(judge(*said, heading(text)), Sound)
    assert isinstance(judge(*said, heading(text[:45])), Ungrounded)


@pytest.mark.parametrize(
    "filler",
    [
        "word not, 5,000 km. ", "\n", " -", "[[", "not ", "a ", "1,", ": x\n", "ない", "aaaa",
        "a\u0301",
    ],
)
def test_a_long_note_and_a_long_name_cost_their_length(filler: str) -> None:
    body = filler * (230_000 // len(filler))
    name = "Nameless" + " Word" * 598
    text = f"* T\n{body}\n\n{name} works at Halden.\n"
    start = time.perf_counter()
    quote = f"{name} works at Halden"
    assert isinstance(judge(name, "works-at", "Halden", quote, heading(text)), Sound)
    judge(name, "works-at", "Oslo", text, heading(text))
    assert time.perf_counter() - start < 20


PIECES = st.lists(
    st.sampled_from(
        ("Ada", "Halden", "not", "no longer", "if", ",", ".", "?", "2022", "5,000", "[[id:x][Bo]]",
         "*", "\n", "\n\n", "#+begin_quote\n", "\n#+end_quote\n", "ない", "и", "\u0301", "'", "and")
    ),
    max_size=25,
).map(" ".join)  # fmt: skip


@given(PIECES, st.data())
def test_judging_never_fails_and_is_deterministic(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : start + data.draw(st.integers(0, len(text)))]
    entity = data.draw(st.sampled_from(("Ada", "Bo", " ", "x y", "Ada Quill")))
    value = data.draw(st.sampled_from(("Halden", "5000", "2022-01-01", "", "x y")))
    start_date = data.draw(st.sampled_from((None, "2022-03")))
    more = {"polarity": data.draw(st.booleans()), "valid_from": start_date}
    place = heading("* T\n" + text)
    first = judge(entity, "works-at", value, quote, place, **more)
    assert judge(entity, "works-at", value, quote, place, **more) == first
    if isinstance(first, Sound):
        again = ground(first.candidate, place, DECLARED)
        assert again == Sound(candidate=first.candidate)
