"""Replies as a model gives them, and what each reads as, in short."""

from __future__ import annotations

import json
from dataclasses import dataclass

from neuro.replies import Read, Unreadable, named_by, read_reply

KEY = "id:ada-1"
NAMED = named_by(KEY, "people/ada.org", ("People", "Ada"))
MODEL = "local/small"


def read(text: str, *, cut: bool = False) -> Read | Unreadable:
    return read_reply(text, key=KEY, named=NAMED, cut=cut, model=MODEL)


def item(value: str = "Oslo", **more: object) -> dict[str, object]:
    return {
        "entity": "Ada", "relation": "lives-in", "value": value,
        "quote": f"Ada lives in {value}.", **more,
    }  # fmt: skip


def js(body: object) -> str:
    return json.dumps(body, ensure_ascii=False)


ONE = js(item())
LIST = js([item(), item("Rome")])
BOTH = ("Oslo", "Rome")
WRAPPED = js({"candidates": [item(), item("Rome")]})
TICKS = js([item("`pp sync`"), item("```org```")])
LOOKS = js([item("a ] and } and [{ and <think> and </think> and \" and \\")])


@dataclass(frozen=True)
class Says:
    """What a reply has to read as: the values, and the reasons of bad and malformed items."""

    values: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    malformed: tuple[int, ...] = ()


def says(reply: Read | Unreadable) -> Says | str:
    if isinstance(reply, Unreadable):
        assert reply.message and len(reply.excerpt) <= 80
        return reply.reason
    return Says(
        tuple(found.candidate.written.value for found in reply.items),
        tuple(bad.reason for bad in reply.bad),
        tuple(found.line for found in reply.items if found.wrong),
    )


TWO = Says(BOTH)
OSLO = Says(("Oslo",))
NOTHING = Says()
