"""S15: size changes nothing: ids are stable, nothing is cut in silence."""

from __future__ import annotations

import pytest

from tests.cli import Memex, candidate, say

TITLE = "A title of ten thousand characters " + "x" * (10_000 - 36) + "!"
ENTITY = "Ministry of " + "very " * 597 + "long"
FILLER = "Nothing of interest was said about the harbour on this day either.\n"


def test_s15_a_heading_of_ten_thousand_characters(memex: Memex) -> None:
    memex.write("long.org", f"* {TITLE}\n- colour :: green\nAda wrote Poem.\n").begin()
    line = candidate("Ada", "wrote", "Poem", "Ada wrote Poem", path="long.org", outline=[TITLE])
    assert memex.take(line) == ["admitted"]
    fact = memex.fact("? colour ?")
    assert fact["entity"] == TITLE, "no character is cut"
    [grounding] = memex.fact("Ada wrote ?")["groundings"]
    assert grounding["outline"] == [TITLE] and grounding["heading"] == f"long.org#{TITLE}#1"

    memex.sync("--full")
    assert memex.fact("? colour ?")["id"] == fact["id"]
    assert memex.rebuild()["result"] == "equal"
    assert memex.fact("? colour ?")["id"] == fact["id"]


@pytest.mark.parametrize("where", ["start", "middle", "end"])
def test_s15_a_note_of_230000_characters_is_read_to_its_end(memex: Memex, where: str) -> None:
    half = FILLER * (115_000 // len(FILLER))
    said = "Ada wrote Poem.\n- colour :: green\n"
    text = {"start": said + half + half, "middle": half + said + half, "end": half + half + said}
    memex.write("page.org", f"* Note\n{text[where]}").begin()
    line = candidate("Ada", "wrote", "Poem", "Ada wrote Poem", path="page.org", outline=["Note"])
    assert memex.take(line) == ["admitted"]
    assert memex.current("Note colour ?") == ["Note colour green"]
    [grounding] = memex.fact("Ada wrote ?")["groundings"]
    before = text[where].split("Ada wrote")[0].count("\n")
    assert grounding["line"] == 2 + before


def test_s15_an_entity_name_of_three_thousand_characters(memex: Memex) -> None:
    other = ENTITY[:-1] + "k"
    assert len(ENTITY) > 3_000
    memex.write("page.org", f"* Note\n{ENTITY} banned Poem. {other} banned Poem.\n").begin()
    both = "".join(
        candidate(name, "banned", "Poem", f"{name} banned Poem", path="page.org", outline=["Note"])
        for name in (ENTITY, other)
    )
    assert memex.take(both) == ["admitted", "admitted"], "names that differ at the end are two"
    assert memex.current(f'"{ENTITY}" banned ?') == [f"{ENTITY} banned Poem"]
    assert {say(fact) for fact in memex.query("? banned ?").facts} == {
        f"{ENTITY} banned Poem", f"{other} banned Poem",
    }  # fmt: skip


def test_s15_a_candidate_line_over_the_limit_is_reported_with_its_line(memex: Memex) -> None:
    """A limit there is; it is said, with the line, and the other lines are judged."""
    memex.write("page.org", "* Note\nAda wrote Poem.\n").begin()
    place = {"path": "page.org", "outline": ["Note"]}
    huge = candidate("Ada", "wrote", "P" * 2_000_000, "Ada wrote Poem", **place)
    good = candidate("Ada", "wrote", "Poem", "Ada wrote Poem", **place)
    file = memex.base / "candidates.jsonl"
    file.write_text(huge + good, encoding="utf-8")
    ran = memex.run("propose", "--from", str(file)).expect(7)
    ran.names("candidates.jsonl:1", "longer than")
    assert [say(line["candidate"]) for line in memex.queue()] == ["Ada wrote Poem"]


def test_s15_a_quote_longer_than_a_page_grounds_as_a_whole(memex: Memex) -> None:
    body = FILLER * 100 + "Ada wrote Poem.\n"
    memex.write("page.org", f"* Note\n{body}").begin()
    place = {"path": "page.org", "outline": ["Note"]}
    whole = candidate("Ada", "wrote", "Poem", body.strip(), **place)
    wrong = candidate("Ada", "wrote", "Poem", body.strip() + " Twice.", **place)
    [good] = memex.propose(whole)
    [bad] = memex.propose(wrong, code=4)
    assert (good["outcome"], bad["outcome"]) == ("admitted", "ungrounded")
