"""The wire format as pure functions: a reply means the same however its bytes are cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuro.provider.messages import Prompt, Usage
from neuro.provider.wire import (
    Collector,
    Shape,
    Trouble,
    address,
    chat_body,
    complaint,
    vectors_of,
)

BREAKS = st.sampled_from(["\n", "\r\n", "\r"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def collected(chunks: list[bytes]) -> tuple[str, list[str], Usage, bool]:
    """Return what a collector makes of a reply in chunks."""
    pieces: list[str] = []
    collector = Collector(pieces.append)
    for chunk in chunks:
        collector.feed(chunk)
    collector.close()
    return collector.text, pieces, collector.usage, collector.cut


@st.composite
def cut(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """Draw a way to cut bytes into chunks, empty ones included."""
    places = sorted(draw(st.lists(st.integers(0, len(data)), max_size=12)))
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


@st.composite
def streams(draw: st.DrawFn) -> tuple[bytes, str]:
    """Draw a stream in any of the layouts that servers use, and the text in it."""
    line = draw(BREAKS)
    ascii_only = draw(st.booleans())
    space = draw(st.sampled_from(["", " "]))
    between = draw(st.sampled_from([line * 2, line * 3, line]))
    texts = draw(st.lists(TEXTS, min_size=1, max_size=6))
    parts = [draw(st.sampled_from(["", "\ufeff", f": hello{line}", f"event: x{line}id: 7{line}"]))]
    for text in texts:
        value = {"choices": [{"delta": {"content": text}, "finish_reason": None}]}
        parts.append(f"data:{space}{json.dumps(value, ensure_ascii=ascii_only)}{between}")
    usage = {"prompt_tokens": 3, "completion_tokens": 4}
    for value in ({"choices": [{"delta": {}, "finish_reason": "stop"}]},
                  {"choices": [], "usage": usage}):
        parts.append(f"data:{space}{json.dumps(value)}{between}")
    end = draw(st.sampled_from([f"data:{space}[DONE]{between}", f"data:{space}[DONE]", ""]))
    return "".join([*parts, end]).encode(), "".join(texts)


@pytest.mark.law
@given(st.data())
def test_a_stream_means_the_same_however_it_is_cut(data: st.DataObject) -> None:
    stream, text = data.draw(streams())
    said, pieces, usage, was_cut = collected(data.draw(cut(stream)))
    assert said == "".join(pieces) == text
    assert usage == Usage(prompt=3, completion=4)
    assert not was_cut


@pytest.mark.law
@given(st.data())
def test_a_stream_that_ends_early_gives_a_beginning_and_says_that_it_is_cut(
    data: st.DataObject,
) -> None:
    """Wherever it ends: at most a beginning of the text, never taken for the whole."""
    text = data.draw(st.text("ab ", min_size=1, max_size=30))
    events = [{"choices": [{"delta": {"content": letter}}]} for letter in text]
    whole = b"".join(b"data: %s\n\n" % json.dumps(event).encode() for event in events)
    early = whole[: data.draw(st.integers(0, len(whole)))]
    try:
        said, _, _, was_cut = collected([early])
    except Trouble as trouble:
        assert trouble.reason == "wrong-type"
        return
    assert text.startswith(said)
    assert was_cut


@pytest.mark.law
@given(st.data())
def test_a_document_means_the_same_however_it_is_cut(data: st.DataObject) -> None:
    text = data.draw(TEXTS)
    value = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}], "usage": None}
    body = data.draw(st.sampled_from(["", "\ufeff", " \r\n"])) + json.dumps(value)
    said, pieces, usage, was_cut = collected(data.draw(cut(body.encode())))
    assert (said, "".join(pieces), usage, was_cut) == (text, text, Usage(), False)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["choices", "delta", "message", "content", "finish_reason", "usage",
                         "prompt_tokens", "error", "code", "data", "embedding", "index", "text"]),
        inner, max_size=4,
    ),
    max_leaves=12,
)


@pytest.mark.law
@given(JSON | st.fixed_dictionaries({"choices": st.lists(JSON, max_size=2)}), st.booleans())
def test_no_reply_is_worse_than_a_trouble(value: Any, streamed: bool) -> None:
    body = json.dumps(value).encode()
    try:
        collected([b"data: " + body + b"\n\n" if streamed else body])
        vectors_of(value, 2)
    except Trouble as trouble:
        assert trouble.reason == "wrong-type" or trouble.reason.startswith("http-")
    assert complaint(body).isprintable()


@pytest.mark.law
@given(st.binary(max_size=200))
def test_no_bytes_are_worse_than_a_trouble(body: bytes) -> None:
    for data in (body, b"data: " + body):
        try:
            collected([data])
        except Trouble as trouble:
            assert trouble.reason == "wrong-type" or trouble.reason.startswith("http-")
    assert complaint(body).isprintable()


@pytest.mark.law
@given(st.text(max_size=50), st.booleans(), st.booleans())
def test_a_shape_is_made_plainer_until_it_is_bare(said: str, schema: bool, stream: bool) -> None:
    """However a server words it, leaving out ends: at most once for each part."""
    shape: Shape | None = Shape(form="json_schema" if schema else None, stream=stream)
    named = said + "response_format temperature stream_options stream"
    steps = 0
    while shape is not None:
        body = json.loads(chat_body("m", Prompt(system="", user="u", schema={}), shape))
        shape = shape.without(named)
        steps += 1
    assert body.keys() == {"model", "messages"}
    assert steps <= 6


@pytest.mark.parametrize(("local", "given_", "origin", "path"), [
    (True, "localhost:8080", "http://localhost:8080", "/v1"),
    (False, "models.example", "https://models.example", "/v1"),
    (True, "http://localhost:11434/", "http://localhost:11434", "/v1"),
    (False, "https://api.deepseek.com", "https://api.deepseek.com", "/v1"),
    (False, "https://openrouter.ai/api/v1", "https://openrouter.ai", "/api/v1"),
    (False, "https://x.example/v1beta/openai/", "https://x.example", "/v1beta/openai"),
    (False, "https://x.example/v1/chat/completions", "https://x.example", "/v1"),
    (True, "http://[::1]:8080", "http://[::1]:8080", "/v1"),
    (True, "http://0.0.0.0:1", "http://127.0.0.1:1", "/v1"),
    (True, "[::]:1", "http://[::1]:1", "/v1"),
])  # fmt: skip
def test_a_base_url_in_full(local: bool, given_: str, origin: str, path: str) -> None:
    there = address(given_, local=local)
    assert (there.origin, there.path, there.socket) == (origin, path, None)


def test_what_an_error_says_is_found_where_servers_put_it() -> None:
    said = [{"error": {"message": "no"}}, {"error": "no"}, {"message": "no"}, {"detail": "no"},
            "no"]
    assert {complaint(json.dumps(value).encode()) for value in said} == {"no"}
    assert complaint(b"plain \xff\x00 text\n") == "plain \ufffd text"
    assert complaint(b"") == ""
