"""A model's reply: the same candidates in every wrapping, or a reason; never a silent nothing."""

from __future__ import annotations

import json
import re

import pytest

from neuro.replies import Read, Unreadable
from tests.neuro.replying import (
    BOTH,
    KEY,
    LIST,
    LOOKS,
    MODEL,
    NOTHING,
    ONE,
    OSLO,
    TICKS,
    TWO,
    WRAPPED,
    Says,
    item,
    js,
    read,
    says,
)

REPLIES: dict[str, tuple[str, Says | str]] = {
    # --- S16: one list in every wrapping
    "s16-bare-array": (LIST, TWO),
    "s16-fence": (f"```json\n{LIST}\n```", TWO),
    "s16-fence-without-language": (f"```\n{LIST}\n```", TWO),
    "s16-fence-of-tildes": (f"~~~json\n{LIST}\n~~~\n", TWO),
    "s16-fence-long": (f"````\n{LIST}\n````", TWO),
    "s16-fence-on-one-line": (f"```json {LIST} ```", TWO),
    "s16-fence-never-closed": (f"```json\n{LIST}", TWO),
    "s16-fence-indented": (f"  ```json\n  {LIST}\n  ```", TWO),
    "s16-fence-crlf": (f"```json\r\n{LIST}\r\n```\r\n", TWO),
    "s16-fence-in-capitals": (f"```JSON\n{LIST}\n```", TWO),
    "s16-fence-and-talk": (f"Here are the facts:\n\n```json\n{LIST}\n```\n\nAsk for more!", TWO),
    "s16-talk-on-the-same-line": (f"Sure, {LIST} is all I found.", TWO),
    "s16-talk-with-brackets": (f"See [1], [the note] and [[id:x][Ada]] (p. {{3}}):\n{LIST}", TWO),
    "s16-talk-with-a-date": (f"Read [2024-03-05 Tue] and <2024-03-06>.\n{LIST}", TWO),
    "s16-talk-with-a-check-box": (f"- [ ] read\n- [X] listed\n{LIST}", TWO),
    "s16-backticks-inside": (TICKS, Says(("`pp sync`", "```org```"))),
    "s16-fence-backticks-inside": (f"```json\n{TICKS}\n```", Says(("`pp sync`", "```org```"))),
    "s16-brackets-and-tags-inside": (
        LOOKS, Says(('a ] and } and [{ and <think> and </think> and " and \\',))
    ),
    "s16-fence-line-inside-a-string": (
        '[{"entity": "Ada", "relation": "wrote", "value": "a\n```\nb", "quote": "q"}]',
        Says(("a\n```\nb",)),
    ),
    "s16-single-object": (ONE, OSLO),
    "s16-single-object-in-a-fence": (f"```json\n{ONE}\n```", OSLO),
    "s16-pretty-printed": (json.dumps(json.loads(LIST), indent=4), TWO),
    "s16-candidates": (WRAPPED, TWO),
    "s16-facts": (js({"facts": [item()]}), OSLO),
    "s16-triples": (js({"triples": [item()]}), OSLO),
    "s16-wrapper-with-one-object": (js({"facts": item()}), OSLO),
    "s16-wrapper-with-talk": (js({"summary": "Two.", "candidates": [item()]}), OSLO),
    "s16-lines": (f"{ONE}\n{js(item('Rome'))}\n", TWO),
    "s16-lines-as-bullets": (f"- {ONE}\n- {js(item('Rome'))}", TWO),
    "s16-one-fence-an-item": (f"```json\n{ONE}\n```\n```json\n{js(item('Rome'))}\n```", TWO),
    "s16-said-twice": (f"Draft:\n{LIST}\nFinal:\n```json\n{LIST}\n```", TWO),
    "s16-byte-order-mark": ("\ufeff" + LIST, TWO),
    "s16-comma-at-the-end": (f"[{ONE},\n]", OSLO),
    "s16-comma-in-the-object": (ONE[:-1] + ", }", OSLO),
    "s16-comma-inside-a-string-stays": (f"[{js(item('a,]b'))},]", Says(("a,]b",))),
    "s16-two-lists-that-differ": (f"{LIST}\nor rather\n[{ONE}]", "prose"),
    "s16-two-fences-that-differ": (f"```json\n[{ONE}]\n```\nFixed:\n```json\n[]\n```", "prose"),
    "s16-two-keys-of-lists": (js({"facts": [item()], "triples": [item("Rome")]}), "prose"),
    "s16-a-list-under-another-key-too": (
        js({"candidates": [], "relations": [item()]}), "prose"
    ),
    "s16-comma-between-without-brackets": (f"{ONE},\n{js(item('Rome'))}", "prose"),
    "s16-head-is-missing": (f'"x"}}, {ONE}]', "prose"),
    # --- S17: reasoning, nothing, cut
    "s17-think": (f"<think>Ada, Oslo: {js([item('Paris')])}</think>\n{LIST}", TWO),
    "s17-think-only": (f"<think>\nIt may be {LIST}\n</think>\n", "think-only"),
    "s17-think-unclosed": (f"<think>\nIt may be {LIST}", "think-only"),
    "s17-think-unclosed-after-a-list": (f"{LIST}\n<think>Wait, is it", "think-only"),
    "s17-thinking": (f"<thinking>{ONE}</thinking>{LIST}", TWO),
    "s17-think-in-capitals": (f"<THINK>{ONE}</THINK>{LIST}", TWO),
    "s17-think-with-attributes": (f'<think mode="long">{ONE}</think>{LIST}', TWO),
    "s17-think-empty": (f"<think>\n\n</think>\n\n{LIST}", TWO),
    "s17-think-nested": (f"<think>a <think>b</think> {ONE} </think>{LIST}", TWO),
    "s17-think-without-its-opening": (f"I see {js([item('Paris')])} \n</think>\n{LIST}", TWO),
    "s17-think-without-its-opening-broken": (f'Say {{"entity": ...}}. </think>{LIST}', TWO),
    "s17-think-without-its-opening-only": (f"I see {LIST}</think>", "think-only"),
    "s17-think-with-unpaired-quote": (f'<think>6\'2" tall [{{"</think>{LIST}', TWO),
    "s17-channels": (
        f"<|channel|>analysis<|message|>{ONE}<|end|><|start|>assistant"
        f"<|channel|>final<|message|>{LIST}<|return|>", TWO,
    ),
    "s17-channel-without-a-final-one": (f"<|channel|>analysis<|message|>{LIST}", "think-only"),
    "s17-brackets-think": (f"[THINK]{ONE}[/THINK]{LIST}", TWO),
    "s17-triangles-think": (f"◁think▷{ONE}◁/think▷{LIST}", TWO),
    "s17-think-then-prose": ("<think>hm</think>Ada lives in Oslo.", "prose"),
    "s17-empty": ("", "empty"),
    "s17-blank": (" \n\t\r\n ", "empty"),
    "s17-empty-fence": ("```json\n```", "empty"),
    "s17-mark-only": ("\ufeff", "empty"),
    "s17-cut-mid-object": (LIST[: LIST.index("Rome")], "truncated"),
    "s17-cut-between-items": (f"[{ONE},", "truncated"),
    "s17-cut-before-the-last-bracket": (f"[{ONE}", "truncated"),
    "s17-cut-in-a-fence": (f"```json\n[{ONE}, {{\"ent\n```", "truncated"),
    "s17-cut-in-an-escape": (f'[{ONE}, {{"entity": "\\u00', "truncated"),
    "s17-cut-in-a-word": (f'[{ONE}, {{"negated": tru', "truncated"),
    "s17-cut-in-a-wrapper": (WRAPPED[:-1], "truncated"),
    "s17-cut-in-the-second-line": (f"{ONE}\n{ONE[:30]}", "truncated"),
    "s17-cut-at-the-first-bracket": ("[", "truncated"),
    "s17-prose": ("Ada lives in Oslo.", "prose"),
    "s17-refusal": ("I'm sorry, I can't help with that.", "prose"),
    "s17-null": ("null", "prose"),
    "s17-check-box-is-no-empty-list": ("- [ ] Nothing was found yet", "prose"),
    "s17-footnote-is-no-list": ("Ada lives in Oslo [1].", "prose"),
    "s17-python": ("[{'entity': 'Ada', 'relation': 'lives-in', 'value': None}]", "prose"),
    "s17-python-object": ("{'entity': 'Ada'}", "prose"),
    "s17-smart-quotes": ("[{“entity”: “Ada”}]", "prose"),
    "s17-quotes-not-escaped": (f'[{ONE}, {{"entity": "the "old" one"}}]', "prose"),
    "s17-comment-in-json": (f"[{ONE} // the only one\n]", "prose"),
    "s17-html": ("<html><body><h1>502 Bad Gateway</h1></body></html>", "prose"),
    "s17-deep": ("[" * 100_000 + "]" * 100_000, "prose"),
    "s17-deep-objects": ('{"facts":' * 50_000 + "[]" + "}" * 50_000, "prose"),
    "s17-deep-and-cut": ('{"a":' * 50_000, "truncated"),
    # --- S18: bad items, and the empty list
    "s18-empty-list": ("[]", NOTHING),
    "s18-empty-list-with-blanks": ("[ \n ]", NOTHING),
    "s18-empty-list-in-a-fence": ("```json\n[]\n```", NOTHING),
    "s18-empty-list-after-talk": ("The note states no fact: []", NOTHING),
    "s18-empty-wrapper": ('{"candidates": []}', NOTHING),
    "s18-empty-list-after-reasoning": ("<think>Nothing here.</think>[]", NOTHING),
    "s18-bad-item-text": (js([item(), "oops", item("Rome")]), Says(BOTH, ("item-2",))),
    "s18-bad-item-first": (js(["oops", item()]), Says(("Oslo",), ("item-1",))),
    "s18-bad-item-null-first": (f"[null, {ONE}]", Says(("Oslo",), ("item-1",))),
    "s18-bad-item-array-first": (f"[[1], {ONE}]", Says(("Oslo",), ("item-1",))),
    "s18-bad-item-empty": (f"[{{}}, {ONE}]", Says(("Oslo",), ("item-1",))),
    "s18-bad-item-says-nothing": (f'[{ONE}, {{"answer": 1}}]', Says(("Oslo",), ("item-2",))),
    "s18-bad-item-key-twice": (
        f'[{ONE}, {{"entity": "A", "entity": "B", "relation": "r", "value": "v"}}]',
        Says(("Oslo",), ("item-2",)),
    ),
    "s18-bad-item-not-a-number": (
        f'[{ONE}, {{"entity": "A", "relation": "r", "value": NaN}}]', Says(("Oslo",), ("item-2",))
    ),
    "s18-bad-item-infinity": (
        f'[{{"entity": "A", "relation": "r", "value": -Infinity}}, {ONE}]',
        Says(("Oslo",), ("item-1",)),
    ),
    "s18-bad-item-half-a-pair": (
        f'[{ONE}, {{"entity": "A", "relation": "r", "value": "\\ud83d"}}]',
        Says(("Oslo",), ("item-2",)),
    ),
    "s18-bad-item-half-a-pair-in-a-key": (
        f'[{{"\\udc00": 1, "entity": "A", "relation": "r", "value": "v"}}, {ONE}]',
        Says(("Oslo",), ("item-1",)),
    ),
    "s18-bad-items-only": ("[1, 2]", Says((), ("item-1", "item-2"))),
    "s18-bad-triples-as-arrays": ('[["Ada", "lives-in", "Oslo"]]', Says((), ("item-1",))),
    "s18-no-item-at-all": ('{"error": "model overloaded"}', Says((), ("item-1",))),
    "s18-no-entity": (
        js([item(), {"relation": "r", "value": "v", "quote": "q"}]), Says(("Oslo", "v"), (), (2,))
    ),
    "s18-unknown-key": (js([item(), item("Rome", mood="glad")]), Says(BOTH, (), (2,))),
    "s18-bad-polarity": (js([item(polarity="sideways")]), Says(("Oslo",), (), (1,))),
    "s18-polarity-of-another-shape": (js([item(polarity=[1])]), Says(("Oslo",), (), (1,))),
    "s18-bad-confidence": (js([item(confidence=80)]), Says(("Oslo",), (), (1,))),
    "s18-value-is-an-object": (js([{**item(), "value": {"a": 1}}]), Says(("",), (), (1,))),
    "s18-two-spellings-that-differ": (js([item(object="Rome")]), Says(("Oslo",), (), (1,))),
    "s18-two-spellings-that-agree": (js([item(object="Oslo")]), OSLO),
    "s18-polarity-contradicts": (
        js([item(polarity="positive", negated=True)]), Says(("Oslo",), (), (1,))
    ),
    "s18-facts-beside-an-entity": (js({**item(), "facts": []}), Says(("Oslo",), (), (1,))),
    "s18-list-key-holds-text": ('{"facts": "Ada lives in Oslo"}', "prose"),
    # --- the heading an item names
    "heading-by-key": (js([item(heading=KEY)]), OSLO),
    "heading-by-id": (js([item(heading="ADA-1")]), OSLO),
    "heading-by-path": (js([item(heading="people/ada.org::People/Ada")]), OSLO),
    "heading-by-outline": (js([item(path="people/ada.org", outline=["People", "Ada"])]), OSLO),
    "heading-null": (js([item(heading=None)]), OSLO),
    "heading-of-another": (
        js([item(), item("Rome", heading="id:bob")]), Says(("Oslo",), ("wrong-id",))
    ),
    "heading-of-another-by-path": (
        js([item("Rome", path="people/bob.org", outline=["Bob"]), item()]),
        Says(("Oslo",), ("wrong-id",)),
    ),
    "heading-is-no-text": (js([item(heading=4)]), Says((), ("wrong-id",))),
    "heading-of-the-wrapper": (js({"heading": KEY, "facts": [item()]}), OSLO),
    "heading-of-another-wrapper": (js({"heading": "id:bob", "facts": [item()]}), "wrong-id"),
    # --- S20: a model proposes and does nothing else
    "s20-create": (js([item(op="create")]), OSLO),
    "s20-add-and-propose": (
        js([item(action="ADD"), item("Rome", operation=" propose ")]), TWO
    ),
    "s20-delete": (js([item(), {"op": "delete", "id": "f1"}]), "operation"),
    "s20-delete-four-create-one": (
        js([*({"op": "delete", "id": str(n)} for n in range(4)), {"op": "create"}]), "operation"
    ),
    "s20-in-another-wrapper": (
        js({"operations": [{"op": "delete", "id": "f1"}, item(op="create")]}), "operation"
    ),
    "s20-of-the-wrapper": (js({"action": "retract", "facts": [item()]}), "operation"),
    "s20-deep-inside": (js([item(), item("Rome", extra=[{"event": "supersede"}])]), "operation"),
    "s20-in-capitals": (js([item(OP="DELETE")]), "operation"),
    "s20-no-word": (js([item(action=None)]), "operation"),
    "s20-behind-a-key-said-twice": (f'[{ONE[:-1]}, "op": "add", "op": "delete"}}]', "operation"),
    "s20-in-lines": (f'{ONE}\n{{"op": "update", "entity": "Ada"}}', "operation"),
}


@pytest.mark.parametrize("case", REPLIES)
def test_a_reply_reads_as(case: str) -> None:
    text, meant = REPLIES[case]
    assert says(read(text)) == meant


def test_there_are_enough_replies() -> None:
    assert sum(bool(re.match("s1[678]-", case)) for case in REPLIES) >= 70


@pytest.mark.parametrize("case", [name for name, (text, _) in REPLIES.items() if text.strip()])
def test_of_a_reply_that_the_server_cut_nothing_is_taken(case: str) -> None:
    assert isinstance(read(REPLIES[case][0], cut=True), Unreadable)


def test_an_item_is_a_candidate_of_the_heading_asked() -> None:
    reply = read(js([item(polarity="negative", valid_from="2019", valid_to=None, confidence=0.5)]))
    assert isinstance(reply, Read)
    (found,) = reply.items
    said = found.candidate
    assert (said.model, said.grounding.heading, said.confidence) == (MODEL, KEY, "0.5")
    assert said.grounding.quote == "Ada lives in Oslo."
    assert (said.written.polarity, said.written.valid_from, said.written.valid_to) == (
        False, "2019", None,
    )  # fmt: skip


@pytest.mark.parametrize(
    "keys",
    [("subject", "predicate", "object"), ("sub", "rel", "obj"), ("head", "relation", "tail")],
)
def test_triples_in_other_spellings(keys: tuple[str, str, str]) -> None:
    triple = dict(zip(keys, ("Ada", "lives-in", "Oslo"), strict=True))
    assert says(read(js([{**triple, "quote": "q"}]))) == OSLO


@pytest.mark.parametrize(
    ("negated", "positive"), [(True, False), (False, True), ("true", False), ("False", True)]
)
def test_negated(negated: object, positive: bool) -> None:
    reply = read(js([item(negated=negated)]))
    assert isinstance(reply, Read) and not reply.items[0].wrong
    assert reply.items[0].candidate.written.polarity is positive


@pytest.mark.parametrize("word", ["null", "None", "N/A", "", " "])
def test_a_bound_that_says_none_is_none(word: str) -> None:
    reply = read(js([item(valid_from=word, valid_to=word)]))
    assert isinstance(reply, Read)
    written = reply.items[0].candidate.written
    assert (written.valid_from, written.valid_to, reply.items[0].wrong) == (None, None, ())


def test_numbers_stay_as_written() -> None:
    digits = "9" * 5000
    body = f'[{{"entity": 7, "relation": "r", "value": {digits}}}, ' + (
        '{"entity": "A", "relation": "r", "value": 1.50}, '
        '{"entity": "A", "relation": "r", "value": 1e999}]'
    )
    assert says(read(body)) == Says((digits, "1.50", "1e999"))


# --- doubts -------------------------------------------------------------------------------------


def rationale(text: str) -> str | None:
    reply = read(text)
    assert isinstance(reply, Read)
    return reply.items[0].candidate.rationale


@pytest.mark.parametrize(
    "key", ["rationale", "note", "notes", "comment", "hedge", "explanation", "reason"]
)
def test_s44_what_an_item_says_beside_its_statement_is_its_rationale(key: str) -> None:
    assert rationale(js([item(**{key: "please verify"})])) == "please verify"


def test_s44_several_doubts_are_all_kept_once() -> None:
    assert rationale(js([item(note="not sure", hedge="please verify", comment="not sure")])) == (
        "not sure; please verify"
    )


@pytest.mark.parametrize(
    ("value", "kept", "doubt"),
    [
        ("Oslo (please verify)", "Oslo", "please verify"),
        ("Oslo [unverified]", "Oslo", "unverified"),
        ("Oslo (?)", "Oslo", "?"),
        ("Oslo, probably", "Oslo", "probably"),
        ("Oslo - not sure", "Oslo", "not sure"),
        ("Oslo (PLEASE VERIFY)", "Oslo", "PLEASE VERIFY"),
        ("Oslo (I think so)", "Oslo", "I think so"),
        ("Oslo (Norway)", "Oslo (Norway)", None),
        ("Choir (Assumption Parish)", "Choir (Assumption Parish)", None),
        ("Yes, maybe later", "Yes, maybe later", None),
        ("likely", "likely", None),
        ("(please verify)", "(please verify)", None),
        ("The Likely Lads", "The Likely Lads", None),
    ],
)
def test_s44_a_doubt_at_the_end_of_a_value(value: str, kept: str, doubt: str | None) -> None:
    reply = read(js([item(value)]))
    assert isinstance(reply, Read)
    assert reply.items[0].candidate.written.value == kept
    told = reply.items[0].candidate.rationale
    assert told == (None if doubt is None else f"value: {doubt}")


@pytest.mark.parametrize(
    "text",
    [
        f"Here you are.\n{LIST}\nI am not sure about Rome. Bye!",
        f"I am not sure about Rome.\n```json\n{LIST}\n```",
        js({"note": "I am not sure about Rome.", "candidates": [item(), item("Rome")]}),
    ],
)
def test_s44_a_doubt_around_the_list_goes_to_every_item(text: str) -> None:
    reply = read(text)
    assert isinstance(reply, Read)
    assert reply.hedges == ("I am not sure about Rome.",)
    assert [found.candidate.rationale for found in reply.items] == ["I am not sure about Rome."] * 2


def test_talk_without_doubts_and_reasoning_are_in_no_rationale() -> None:
    assert rationale(f"<think>Probably Paris?</think>Here are the facts:\n{LIST}\nDone.") is None


def test_a_rationale_that_is_no_text_is_told() -> None:
    assert says(read(js([item(note=["a", "b"])]))) == Says(("Oslo",), (), (1,))
