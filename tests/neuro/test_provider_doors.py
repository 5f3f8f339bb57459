"""The client's other doors, against a scripted server: the model list and embeddings."""

from __future__ import annotations

from typing import Any

import pytest

from neuro.provider.client import Client, Endpoint
from neuro.provider.messages import Failure
from neuro.provider.scripted import serve, vector

CLIENT = Client()
KEY = "sk-very-secret-0123456789abcdef"


@pytest.fixture(autouse=True)
def _no_long_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neuro.provider.send.PAUSE", 0.01)


def here(url: str, timeout: float = 5.0, **more: Any) -> Endpoint:
    """Return a local endpoint."""
    more = {"provider": "local", "model": "llama3", "local": True, **more}
    return Endpoint(base_url=url, timeout=timeout, **more)


def there(url: str, timeout: float = 5.0, **more: Any) -> Endpoint:
    """Return an endpoint that counts as somebody else's machine, though it stands on this one."""
    more = {"provider": "openai", "model": "gpt", "key": KEY, **more}
    return Endpoint(base_url=url, timeout=timeout, local=False, **more)


def failure(got: object, reason: str, *words: str) -> Failure:
    """Return a failure with this reason whose message has all the words."""
    assert isinstance(got, Failure), got
    assert got.reason == reason and all(word in got.message for word in words), got
    return got


def test_the_model_list_is_the_connection_test() -> None:
    with serve({"models": ["llama3", "mistral", "llama3"]}) as server:
        assert CLIENT.models(here(server.url)) == ("llama3", "mistral")
        assert CLIENT.models(there(server.url)) == ("llama3", "mistral")
        assert server.requests[1].headers["authorization"] == f"Bearer {KEY}"
    failure(CLIENT.models(here(server.url)), "unreachable", "refuses")


def test_an_old_ollama_is_asked_for_its_tags() -> None:
    script = {"models": ["llama3:8b"], "replies": [{"on": "models", "status": 404, "times": None}]}
    with serve(script) as server:
        assert CLIENT.models(here(server.url)) == ("llama3:8b",)
        failure(CLIENT.models(there(server.url)), "http-404")
    paths = [asked.path for asked in server.requests]
    assert paths == ["/v1/models", "/api/tags", "/v1/models"]


@pytest.mark.parametrize("body", ["<html>", "{}", '{"data": 5}', "[]"])
def test_a_model_list_that_is_none_is_a_failure(body: str) -> None:
    with serve([{"on": "models", "body": body}, {"on": "tags", "body": body}]) as server:
        failure(CLIENT.models(here(server.url)), "wrong-type")


def test_vectors_come_in_batches_of_ten_and_in_order() -> None:
    texts = [f"text {number}" for number in range(23)]
    with serve({"embeddings": {"dimension": 16}}) as server:
        got = CLIENT.embed(here(server.url), texts)
    assert got == [tuple(vector(text, 16)) for text in texts]
    assert [len(asked.parsed["input"]) for asked in server.requests] == [10, 10, 3]
    assert {asked.path for asked in server.requests} == {"/v1/embeddings"}
    assert CLIENT.embed(here(server.url), []) == []


def test_an_item_that_fails_fails_alone() -> None:
    texts = [f"text {number}" for number in range(12)]
    texts[3], texts[5], texts[7], texts[11] = "too long", "", "lost", "short one"
    vectors = {"dimension": 8, "refuse": ["too long"], "null": ["lost"], "short": ["short"]}
    with serve({"embeddings": vectors}) as server:
        got = CLIENT.embed(here(server.url), texts)
    failed = {place: one.reason for place, one in enumerate(got) if isinstance(one, Failure)}
    assert failed == {3: "http-400", 5: "empty", 7: "wrong-type", 11: "dimension"}
    failure(got[11], "dimension", "4", "8")
    for place in set(range(12)) - set(failed):
        assert got[place] == tuple(vector(texts[place], 8))
    assert all(text for asked in server.requests for text in asked.parsed["input"])


def test_a_server_that_is_away_is_not_asked_for_each_batch() -> None:
    script = [{"on": "embeddings", "status": 503, "times": None}]
    with serve(script) as server:
        got = CLIENT.embed(here(server.url), ["a"] * 45)
        assert {failure(one, "http-503").retryable for one in got} == {True}
        assert len(server.requests) == 2
    for one in CLIENT.embed(here(server.url), ["a"] * 30):
        failure(one, "unreachable", "refuses")


@pytest.mark.parametrize("rows", [
    '"x"', "[7]", '[{"embedding": []}]', '[{"embedding": [1, "x"]}]', '[{"embedding": [1, null]}]',
    '[{"embedding": [1e999]}]', '[{"embedding": [%s]}]' % ("9" * 400), '[{"index": 7}]', "[]",
    '[{"index": -1, "embedding": [1.0]}]', '[{"embedding": [true, 1], "index": "0"}]',
])  # fmt: skip
def test_numbers_that_are_none_are_a_failure(rows: str) -> None:
    with serve([{"on": "embeddings", "body": f'{{"data": {rows}}}'}]) as server:
        (got,) = CLIENT.embed(here(server.url), ["a"])
    failure(got, "wrong-type")
