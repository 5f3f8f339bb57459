"""Laws of a model's reply: whole or not at all, in any wrapping, in time by its length."""

from __future__ import annotations

import json
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuro.replies import Read, Unreadable
from tests.neuro.replying import LIST, ONE, TWO, WRAPPED, Says, item, js, read, says

words = st.text(
    st.characters(exclude_categories=("Cs",)) | st.sampled_from("`[]{}\"\\<>,:~/"), max_size=20
)
bodies = st.fixed_dictionaries(
    {"entity": words, "relation": words, "value": words, "quote": words},
    optional={"valid_from": words, "confidence": st.floats(0, 1), "note": words},
)
lists = st.lists(bodies, max_size=4)
# Talk as people write it: no bracket that is JSON, no tag of reasoning.
talks = st.text(string.ascii_letters + " .,!?:;-'\"\n()", max_size=60)
FENCES = ("{}", "```json\n{}\n```", "```\n{}\n```", "~~~\n{}\n~~~", "````JSON\n{}\n````\n")
SHAPES = ("array", "candidates", "facts", "triples")


@st.composite
def replies(draw: st.DrawFn) -> tuple[str, str]:
    """Return a list of items as bare JSON and in some wrapping."""
    items = draw(lists)
    shape = draw(st.sampled_from(SHAPES))
    body = json.dumps(
        items if shape == "array" else {shape: items},
        ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from((None, 1, 4))),
    )  # fmt: skip
    fence = draw(st.sampled_from(FENCES)).format(body)
    thought = draw(st.sampled_from(("", "<think>{}</think>")))
    thought = thought.format(draw(st.sampled_from(("hm", '[{"entity": "x"}]', '[{"', '"'))))
    return json.dumps(items), f"{thought}{draw(talks)}\n\n{fence}\n\n{draw(talks)}"


def plain(reply: Read | Unreadable) -> object:
    """Return a reply without what talk may add to it."""
    if isinstance(reply, Unreadable):
        return reply.reason
    return [(f.line, f.candidate.written, f.candidate.grounding, f.wrong) for f in reply.items], [
        (bad.number, bad.reason) for bad in reply.bad
    ]


@given(replies())
def test_every_wrapping_gives_the_same_items(reply: tuple[str, str]) -> None:
    bare, wrapped = reply
    assert plain(read(wrapped)) == plain(read(bare))


@given(replies(), st.data())
def test_a_cut_reply_gives_all_its_items_or_none(
    reply: tuple[str, str], data: st.DataObject
) -> None:
    _, wrapped = reply
    whole = read(wrapped)
    part = read(wrapped[: data.draw(st.integers(0, len(wrapped)))])
    assert isinstance(part, Unreadable) or plain(part) == plain(whole)


PIECES = (
    ONE, LIST, WRAPPED, "[]", "[", "]", "{", "}", '"', "\\", ",", "```json\n", "\n```\n", "<think>",
    "</think>", "<|channel|>analysis", "<|channel|>final", "<|end|>", "\n", "null", "NaN", "talk ",
    '{"op": "delete"}', "\ud800", "\x00", "[1]", "[ ]", '["x", ', "'", ": ",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join))
def test_any_text_is_read_or_has_a_reason(text: str) -> None:
    reply = read(text)
    if isinstance(reply, Unreadable):
        assert reply.reason in {
            "empty", "truncated", "prose", "think-only", "wrong-id", "operation",
        }  # fmt: skip
        printed = [reply.message, reply.excerpt]
    else:
        printed = [part for bad in reply.bad for part in (bad.message, bad.excerpt)]
        printed += [found.candidate.rationale or "" for found in reply.items]
        printed += [found.candidate.written.value for found in reply.items]
        printed += [reason for found in reply.items for reason in found.wrong]
    "".join(printed).encode()


@given(st.text())
def test_reasoning_is_never_read(text: str) -> None:
    """Whatever stands in the block, and whatever of it looks like its end."""
    inside = text.replace("</think>", "")
    assert says(read(f"<think>{inside}{LIST}")) == "think-only"
    assert says(read(f"<think>{inside}{LIST}</think>")) == "think-only"
    assert says(read(f"<think>{inside}{js([item('Paris')])}</think>{LIST}")) == TWO


# --- long replies -------------------------------------------------------------------------------

SIZE = 250_000
LONG = {
    "talk": "lorem ipsum " * (SIZE // 12),
    "talk-then-list": "lorem ipsum " * (SIZE // 12) + LIST,
    "brackets": "[" * SIZE,
    "braces": '{"a":' * (SIZE // 5),
    "quotes": '["' * (SIZE // 2),
    "footnotes": "[1] " * (SIZE // 4),
    "no-lists": "[1, x] " * (SIZE // 7),
    "lines": "[\n" * (SIZE // 2),
    "shut": '[{"a" </think>' * (SIZE // 14),
    "thoughts": "<think>a</think>" * (SIZE // 16),
    "open-thoughts": "<think>" * (SIZE // 7),
    "fences": "```json\n" * (SIZE // 8),
    "ticks": "`" * SIZE,
    "nothings": "[" + "{}," * (SIZE // 3) + "{}]",
    "items": "[" + f"{ONE}," * (SIZE // len(ONE)) + f"{ONE}]",
    "cut-items": "[" + f"{ONE}," * (SIZE // len(ONE)),
    "one-value": js([item("x" * SIZE)]),
    "digits": '[{"entity": ' + "1" * SIZE + "}]",
    "blanks": "[" + " " * SIZE,
    "escapes": '["\\"' * (SIZE // 4),
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_reply_takes_time_in_proportion(name: str) -> None:
    """Quadratic would be minutes; every length has its reason or its items."""
    text = LONG[name]
    started = time.process_time()
    says(read(text))
    assert time.process_time() - started < 2


def test_ten_megabytes_of_talk_around_a_list() -> None:
    text = "The note says so. " * (5_000_000 // 19)
    started = time.process_time()
    reply = read(f"{text}\n```json\n{LIST}\n```\n{text}")
    assert time.process_time() - started < 2
    assert says(reply) == TWO


def test_an_item_of_ten_megabytes_is_bad_and_the_others_are_read() -> None:
    assert says(read(js([item("x" * 10_000_000), item()]))) == Says(("Oslo",), ("item-1",))


def test_a_model_that_runs_in_circles_is_told() -> None:
    assert says(read("[" + f"{ONE}," * 20_000 + f"{ONE}]")) == "prose"
