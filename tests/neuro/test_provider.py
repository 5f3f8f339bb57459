"""The client against a scripted server: what is sent, what comes back, what falls through."""

from __future__ import annotations

import dataclasses
import io
import json
import logging
import traceback
from typing import Any

import pytest

from neuro.provider.client import Client, Endpoint
from neuro.provider.messages import Answer, Failure, Prompt, Usage
from neuro.provider.scripted import Server, serve

PROMPT = Prompt(
    system="You read notes.", user="Ada works at Initech.", schema={"type": "object"}
)
KEY = "sk-very-secret-0123456789abcdef"
CLIENT = Client()


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


def answer(got: object) -> Answer:
    """Return an answer, or fail showing what came instead."""
    assert isinstance(got, Answer), got
    return got


def failure(got: object, reason: str, *words: str) -> Failure:
    """Return a failure with this reason whose message has all the words."""
    assert isinstance(got, Failure), got
    assert got.reason == reason, got
    missing = [word for word in words if word not in got.message]
    assert not missing, got
    return got


# --- what is sent -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "provider",
    ["local", "openrouter", "openai", "anthropic", "groq", "gemini", "deepseek", "nvidia"],
)
def test_the_request_of_every_provider_is_the_one_openai_defined(provider: str) -> None:
    with serve(["fine"]) as server:
        endpoint = dataclasses.replace(
            there(server.url), provider=provider, model="m/1", local=provider == "local",
            key=None if provider == "local" else KEY,
        )
        got = answer(CLIENT.ask(endpoint, PROMPT))
    assert (got.text, got.model, got.cut) == ("fine", f"{provider}/m/1", False)
    (asked,) = server.requests
    assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
    assert asked.parsed == {
        "model": "m/1", "temperature": 0,
        "messages": [
            {"role": "system", "content": PROMPT.system}, {"role": "user", "content": PROMPT.user}
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": {"type": "object"}},
        },
    }
    bearer = None if provider == "local" else f"Bearer {KEY}"
    assert asked.headers.get("authorization") == bearer
    assert asked.headers["accept-encoding"] == "identity"


def test_text_of_any_script_arrives_as_it_is() -> None:
    said = "名前 Ада \U0001f600 \x00 \u2028 \"quoted\" \\ end"
    with serve([{"reply": said}] * 2) as server:
        seen: list[str] = []
        for on_text in (None, seen.append):
            got = answer(CLIENT.ask(here(server.url), Prompt(system="", user=said), on_text))
            assert got.text == said
    assert "".join(seen) == said
    assert [asked.text for asked in server.requests] == [said, said]
    assert [len(asked.parsed["messages"]) for asked in server.requests] == [1, 1]


def test_what_cannot_be_written_in_utf_8_is_sent_as_a_question_mark() -> None:
    with serve(["fine"]) as server:
        answer(CLIENT.ask(here(server.url), Prompt(system="", user="a\udcffb")))
    assert server.requests[0].text == "a?b"


def test_a_stream_gives_the_text_as_it_comes_and_the_tokens_that_the_server_counted() -> None:
    text = "one two three " * 9
    with serve([{"reply": text, "usage": [70, 30]}, {"reply": text, "usage": None}]) as server:
        pieces: list[str] = []
        got = answer(CLIENT.ask(here(server.url), PROMPT, pieces.append))
        assert got == Answer(text=text, model="local/llama3", usage=Usage(prompt=70, completion=30))
        assert len(pieces) > 3 and "".join(pieces) == text
        assert answer(CLIENT.ask(here(server.url), PROMPT)).usage == Usage()
    assert server.requests[0].parsed["stream"] is True
    assert server.requests[0].parsed["stream_options"] == {"include_usage": True}


def test_plain_json_to_a_stream_request_and_a_stream_to_a_plain_one_are_read() -> None:
    events = 'data: {"choices": [{"delta": {"content": "as"}}]}\n\ndata: {"choices": [{"delta": ' \
             '{"content": " events"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
    script = [{"plain": True, "reply": "as a document"},
              {"body": events, "type": "text/event-stream"}]
    with serve(script) as server:
        pieces: list[str] = []
        got = answer(CLIENT.ask(here(server.url), PROMPT, pieces.append))
        assert got.text == "".join(pieces) == "as a document"
        assert answer(CLIENT.ask(here(server.url), PROMPT)).text == "as events"


@pytest.mark.parametrize(
    ("refuses", "form", "left_out"),
    [
        ([], "json_schema", ""),
        (["json_schema"], "json_object", ""),
        (["response_format"], None, ""),
        (["temperature"], "json_schema", "temperature"),
        (["stream_options"], "json_schema", "stream_options"),
        (["stream"], "json_schema", "stream"),
        (["json_schema", "json_object", "temperature", "stream"], None, "stream"),
    ],
)
def test_what_a_server_refuses_by_name_is_left_out(
    refuses: list[str], form: str | None, left_out: str
) -> None:
    with serve({"refuses": refuses, "replies": [{"reply": "fine", "times": None}]}) as server:
        for _ in range(2):
            assert answer(CLIENT.ask(here(server.url), PROMPT, lambda text: None)).text == "fine"
    last = server.requests[-1].parsed
    assert last.get("response_format", {}).get("type") == form
    assert left_out not in last or not left_out
    # Nothing is remembered: the second question tries everything again.
    assert server.requests[0].parsed == server.requests[len(server.requests) // 2].parsed


def test_a_refusal_that_names_nothing_is_not_asked_again() -> None:
    with serve([{"status": 400, "body": '{"error": {"message": "prompt too long"}}'}]) as server:
        failure(CLIENT.ask(here(server.url), PROMPT), "http-400", "prompt too long")
    assert len(server.requests) == 1


def test_a_scheme_and_a_v1_may_be_left_out() -> None:
    with serve([{"reply": "fine", "times": None}]) as server:
        for url in (f"127.0.0.1:{server.port}", f"http://localhost:{server.port}/",
                    f"0.0.0.0:{server.port}", f"127.0.0.1:{server.port}/v1/", server.url,
                    f"{server.url}/chat/completions"):
            assert answer(CLIENT.ask(here(url), PROMPT)).text == "fine"
    assert {asked.path for asked in server.requests} == {"/v1/chat/completions"}


# --- replies ------------------------------------------------------------------------------------


@pytest.mark.parametrize("on_text", [None, [].append])
def test_the_length_limit_makes_a_cut_answer_and_no_text_a_failure(on_text: Any) -> None:
    script = [{"reply": "[1, 2", "finish": "length"}, {"reply": ""}, {"reply": " \n"},
              {"reply": "", "finish": "length"}]
    with serve(script) as server:
        got = answer(CLIENT.ask(here(server.url), PROMPT, on_text))
        assert (got.text, got.cut) == ("[1, 2", True)
        for words in ("no text", "no text", "length limit"):
            empty = failure(CLIENT.ask(here(server.url), PROMPT, on_text), "empty", words)
            assert empty.retryable


def test_a_stream_that_breaks_off_keeps_its_text() -> None:
    with serve([{"reply": "word " * 60, "cut": 1500}]) as server:
        got = answer(CLIENT.ask(here(server.url), PROMPT, lambda text: None))
    assert got.cut
    assert got.text and ("word " * 60).startswith(got.text)
    assert len(server.requests) == 1, "what was shown is not asked for again"


def test_a_document_that_breaks_off_is_asked_for_once_more() -> None:
    with serve([{"reply": "word " * 60, "cut": 90}, "whole", *[{"reply": "x", "cut": 9}] * 2]) as s:
        assert answer(CLIENT.ask(here(s.url), PROMPT)).text == "whole"
        broken = failure(CLIENT.ask(here(s.url), PROMPT), "unreachable", "broke")
    assert broken.retryable
    assert len(s.requests) == 4


BAD_BODIES = [
    ("<html><body>Sign in</body></html>", "text/html", "sign-in"),
    ("hello there", "text/plain", "no JSON"),
    ("{\"choices\": [", "application/json", "no JSON"),
    ("[1, 2]", "application/json", "shape"),
    ("{}", "application/json", "shape"),
    ('{"choices": []}', "application/json", "shape"),
    ('{"choices": "x"}', "application/json", "shape"),
    ('{"choices": [NaN]}', "application/json", "no JSON"),
    ("[" * 100_000, "application/json", "no JSON"),
    ('data: {"choices": [\n\n', "text/event-stream", "no JSON"),
    ("data: 7\n\n", "text/event-stream", "shape"),
    ("data: hello\n\n", "text/event-stream", "no JSON"),
]


@pytest.mark.parametrize(("body", "type_", "word"), BAD_BODIES)
def test_a_reply_that_is_no_chat_reply_is_a_failure(body: str, type_: str, word: str) -> None:
    with serve([{"body": body, "type": type_}]) as server:
        failure(CLIENT.ask(here(server.url), PROMPT), "wrong-type", word, "local/llama3")


@pytest.mark.parametrize("body", [
    '{"choices": [7]}', '{"choices": [{}]}', '{"choices": [{"message": null}]}',
    '{"choices": [{"message": {"content": null, "tool_calls": [{"id": 1}]}}]}',
    '{"choices": [{"message": {"content": 5}}]}', "data: [DONE]\n\n", "", " ",
])
def test_a_reply_without_words_is_empty(body: str) -> None:
    with serve([{"body": body or "\n"}]) as server:
        failure(CLIENT.ask(here(server.url), PROMPT), "empty")


def test_bytes_that_are_no_utf_8_are_a_failure() -> None:
    # {"choices": [{"message": {"content": "\xff"}}]}
    raw = "eyJjaG9pY2VzIjogW3sibWVzc2FnZSI6IHsiY29udGVudCI6ICL/In19XX0="
    with serve([{"base64": raw}]) as server:
        failure(CLIENT.ask(here(server.url), PROMPT), "wrong-type", "UTF-8")


def test_an_encoding_that_was_not_asked_for_is_not_unpacked() -> None:
    with serve([{"body": "{}", "headers": {"Content-Encoding": "gzip"}}]) as server:
        failure(CLIENT.ask(here(server.url), PROMPT), "wrong-type", "gzip")


def test_a_reply_of_10_mb_is_not_read_to_its_end() -> None:
    event = 'data: {"choices": [{"delta": {"content": "' + "y" * 10_000 + '"}}]}\n\n'
    with serve([{"body": "x" * 1000, "repeat": 10_000}, {"body": event, "repeat": 1000}]) as server:
        for on_text in (None, lambda text: None):
            failure(CLIENT.ask(here(server.url), PROMPT, on_text), "too-large", "4 MB")


def test_an_error_of_10_mb_is_one_line() -> None:
    with serve([{"status": 418, "body": "tea\n\x07pot ", "repeat": 1_000_000}]) as server:
        got = failure(CLIENT.ask(here(server.url), PROMPT), "http-418", "tea pot tea pot")
    assert len(got.message) < 500 and got.message.isprintable()


def test_an_error_inside_a_good_reply_is_a_failure() -> None:
    error = {"error": {"message": "overloaded", "code": 502}}
    with serve([{"body": json.dumps(error), "times": 2}, {"body": '{"error": "no"}'}]) as server:
        assert failure(CLIENT.ask(here(server.url), PROMPT), "http-502", "overloaded").retryable
        assert not failure(CLIENT.ask(here(server.url), PROMPT), "http-200", "no").retryable
    assert len(server.requests) == 3


# --- statuses, retries, redirects ---------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_busy_server_is_asked_once_more(status: int) -> None:
    with serve([{"status": status}, "fine"]) as server:
        assert answer(CLIENT.ask(here(server.url), PROMPT)).text == "fine"
    assert len(server.requests) == 2


def test_twice_500_is_a_failure_that_can_be_tried_again() -> None:
    with serve([{"status": 500, "body": '{"error": "out of memory"}', "times": 9}]) as server:
        got = failure(CLIENT.ask(here(server.url), PROMPT), "http-500", "out of memory")
    assert got.retryable
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501])
def test_other_statuses_are_not_tried_again(status: int) -> None:
    with serve([{"status": status, "times": 9}]) as server:
        got = failure(CLIENT.ask(here(server.url), PROMPT), f"http-{status}", str(status))
    assert not got.retryable
    assert len(server.requests) == 1


def test_retry_after_is_kept_within_the_whole_time() -> None:
    soon = {"status": 429, "headers": {"Retry-After": "0.3"}}
    late = {"status": 429, "headers": {"Retry-After": "60"}}
    date = {"status": 503, "headers": {"Retry-After": "Wed, 01 Jan 2098 00:00:00 GMT"}}
    odd = {"status": 503, "headers": {"Retry-After": "soon"}}
    with serve([soon, "fine", late, date, odd, "fine again"]) as server:
        assert answer(CLIENT.ask(here(server.url), PROMPT)).text == "fine"
        failure(CLIENT.ask(here(server.url), PROMPT), "http-429", "60 s")
        failure(CLIENT.ask(here(server.url), PROMPT), "http-503")
        assert answer(CLIENT.ask(here(server.url), PROMPT)).text == "fine again"
    assert len(server.requests) == 6


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(status: int) -> None:
    with serve(["never"]) as other, serve([{"status": status, "redirect": other.url}]) as server:
        failure(CLIENT.ask(here(server.url), PROMPT), f"http-{status}", other.url)
        assert other.connections == 0


# --- keys ---------------------------------------------------------------------------------------


def test_a_missing_key_is_named_by_its_variable_and_nothing_is_sent() -> None:
    with serve([]) as server:
        for key in (None, "", "  "):
            endpoint = there(server.url, key=key)
            for got in (CLIENT.ask(endpoint, PROMPT), CLIENT.models(endpoint),
                        *CLIENT.embed(endpoint, ["a"])):
                failure(got, "missing-key", "OPENAI_API_KEY")
        failure(CLIENT.ask(there(server.url, key="", key_variable="MY_KEY"), PROMPT),
                "missing-key", "MY_KEY")
        for key in ("k\ney", "ключ", "k y", "k\x00"):
            got = failure(CLIENT.ask(there(server.url, key=key), PROMPT), "missing-key")
            assert key not in got.message
        assert server.connections == 0


def test_a_key_is_in_nothing_that_is_printed(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = f"the key {KEY} is wrong, {KEY}{'x' * 1000}"
    script = [
        "fine", {"status": 401, "body": json.dumps({"error": {"message": echo}})},
        {"status": 500, "body": echo, "times": 2}, {"redirect": f"http://x.invalid/{KEY}"},
        {"body": json.dumps({"error": echo})}, {"hang": True},
    ]
    with serve(script) as server:
        endpoint = there(server.url, timeout=1.0)
        seen: list[object] = [endpoint, CLIENT, CLIENT._sender(endpoint, None)]  # type: ignore[arg-type]
        seen += [CLIENT.ask(endpoint, PROMPT) for _ in range(6)]
        seen += [CLIENT.ask(dataclasses.replace(endpoint, base_url=url), PROMPT) for url in (
            f"http://{KEY}@127.0.0.1", "http://127.0.0.1:1", f"http://127.0.0.1?key={KEY}",
            f"{server.url}\x00", "http://[", "ftp://x",
        )]
        with pytest.raises(AttributeError) as bug:
            CLIENT.ask(endpoint, "no prompt")  # type: ignore[arg-type]
    assert [type(one) for one in seen[3:]].count(Answer) == 1
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    where = io.StringIO()
    traceback.print_exception(bug.value, file=where)
    printed = capfd.readouterr()
    everything = " ".join(
        [*map(repr, seen), *map(str, seen), *(f"{one}" for one in seen), printed.out, printed.err,
         caplog.text, *(repr(vars(record)) for record in caplog.records), where.getvalue()]
    )
    assert KEY not in everything
    assert KEY[:16] not in everything, "nor a part of it"
    assert "[MASKED]" in everything


# --- forbidden, cascade, proxies ----------------------------------------------------------------


def test_forbidden_makes_no_connection() -> None:
    client = Client(forbidden=True)
    with serve(["never"]) as server:
        endpoint = here(server.url)
        failure(client.ask(endpoint, PROMPT), "forbidden", "PP_NO_MODEL")
        failure(client.models(endpoint), "forbidden")
        assert [failure(one, "forbidden").model for one in client.embed(endpoint, ["a", "b"])]
        failure(client.cascade([endpoint, endpoint], PROMPT)[0], "forbidden")
        assert (server.connections, server.bytes_received, server.requests) == (0, 0, [])


def test_a_cascade_falls_through_in_order() -> None:
    with serve([{"status": 500, "times": None}]) as broken, serve(["fine"]) as good, \
            serve(["never"]) as third:
        order = [here("127.0.0.1:1", model="away"), here(broken.url), here(good.url, model="b"),
                 here(third.url)]
        got, before = CLIENT.cascade(order, PROMPT)
        assert third.connections == 0
    assert (answer(got).text, answer(got).model) == ("fine", "local/b")
    assert [one.reason for one in before] == ["unreachable", "http-500"]
    assert [one.model for one in before] == ["local/away", "local/llama3"]


def test_when_all_fail_the_last_failure_says_so_and_lists_each() -> None:
    with serve([{"status": 404, "times": None}]) as server:
        order = [here("127.0.0.1:1"), there(server.url, key=None), here(server.url, model="b")]
        got, before = CLIENT.cascade(order, PROMPT)
        failure(got, "http-404", "cascade is exhausted", "local/llama3: refuses the connection",
                "OPENAI_API_KEY", "local/b: answered 404")
        assert [one.reason for one in before] == ["unreachable", "missing-key"]
    nobody, none = CLIENT.cascade([], PROMPT)
    failure(nobody, "unreachable", "cascade is exhausted")
    assert none == ()


def test_a_proxy_variable_carries_no_local_call_away(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(["never"]) as proxy, serve([{"reply": "fine", "times": None}]) as server:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://user:pass@127.0.0.1:{proxy.port}")
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        for url in (server.url, server.url.replace("127.0.0.1", "localhost")):
            assert answer(CLIENT.ask(here(url), PROMPT)).text == "fine"
        assert proxy.connections == 0
        # Somebody else's machine is asked through it, with the proxy's own credentials.
        elsewhere = there("http://models.invalid/v1")
        assert answer(CLIENT.ask(elsewhere, PROMPT)).text == "never"
        assert proxy.requests[0].path == "http://models.invalid/v1/chat/completions"
        assert proxy.requests[0].headers["proxy-authorization"].startswith("Basic ")
        monkeypatch.setenv("no_proxy", "models.invalid")
        failure(CLIENT.ask(elsewhere, PROMPT), "unreachable")
        assert proxy.connections == 1


@pytest.mark.parametrize("host", ["192.0.2.7", "[2001:db8::7]", "10.0.0.1"])
def test_a_local_endpoint_elsewhere_is_not_connected_to(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import httpcore

    asked: list[object] = []
    monkeypatch.setattr(httpcore.SyncBackend, "connect_tcp", lambda *args: asked.append(args))
    failure(CLIENT.ask(here(f"http://{host}:8080"), PROMPT), "unreachable",
            "is not on this machine")
    assert asked == []


def test_a_name_that_leads_elsewhere_is_not_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name had a loopback address when it was declared local, and has another one now."""
    import socket

    rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.7", 8080))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: rows)
    failure(CLIENT.ask(here("http://model.home:8080"), PROMPT), "unreachable",
            "model.home is not on this machine")


def test_a_client_holds_values_only() -> None:
    assert [one.name for one in dataclasses.fields(Client)] == ["forbidden"]
    assert not hasattr(CLIENT, "__dict__")


def test_a_client_and_a_server_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with serve(["fine", {"reset": True, "times": 2}]) as server:
        for _ in range(2):
            CLIENT.ask(here(server.url), PROMPT)
        assert isinstance(server, Server)
    assert capfd.readouterr() == ("", "")
