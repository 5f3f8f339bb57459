"""The scripted server: what a script says, what is recorded, and `pp models serve`."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from memex.problems import Problem
from neuro.provider.client import Client, Endpoint
from neuro.provider.messages import Answer, Failure, Prompt
from neuro.provider.script import Script, Step, Vectors, read_script, script_of
from neuro.provider.scripted import serve, vector
from tests.cli import Memex

CLIENT = Client()
OPEN = build_opener(ProxyHandler({})).open


def ask(url: str, user: str = "u", timeout: float = 5.0) -> Answer | Failure:
    """Ask a scripted server something."""
    endpoint = Endpoint(provider="local", base_url=url, model="m", local=True, timeout=timeout)
    return CLIENT.ask(endpoint, Prompt(system="", user=user))


def said(url: str, user: str = "u") -> str:
    """Return the text of an answer, or the reason why there is none."""
    got = ask(url, user)
    return got.text if isinstance(got, Answer) else got.reason


# --- scripts ------------------------------------------------------------------------------------


def test_steps_answer_in_order_and_by_what_the_prompt_says() -> None:
    script = ["first", {"when": "Ada", "reply": {"candidates": []}},
              {"title": "Trips: Rome", "reply": [7]}, {"when": ["a", "z"], "reply": "both"},
              {"reply": "twice", "times": 2}]
    with serve(script) as server:
        assert said(server.url, "Ada") == "first"
        assert [said(server.url, "Ada") for _ in range(3)] == ['{"candidates": []}'] * 3
        for line in ("Trips: Rome", "** Trips: Rome", "Heading: Trips: Rome", '"Trips: Rome"'):
            assert said(server.url, f"x\n{line}\ny") == "[7]"
        assert said(server.url, "a z") == "both"
        assert [said(server.url, "Trips: Rome in 2024") for _ in range(3)] == [
            "twice", "twice", "http-501"
        ]


def test_everything_is_recorded() -> None:
    with serve(["fine"]) as server:
        request = Request(f"{server.url}/chat/completions", data=b"not json\xff",
                          headers={"X-One": "1"})
        with OPEN(request) as response:
            assert json.load(response)["choices"][0]["message"]["content"] == "fine"
        (asked,) = server.requests
        assert (asked.method, asked.path) == ("POST", "/v1/chat/completions")
        assert (asked.body, asked.parsed, asked.text) == (b"not json\xff", None, "")
        assert asked.headers["x-one"] == "1"
        assert server.connections == 1
        assert server.bytes_received > len(asked.body)


def test_bytes_that_are_no_request_are_counted_as_well() -> None:
    with serve([]) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as raw:
            raw.sendall(b"\x16\x03\x01 private words")
            raw.shutdown(socket.SHUT_WR)
            raw.recv(100)
        assert (server.connections, server.requests) == (1, [])
        assert server.bytes_received == 17


def test_only_this_machine_can_connect_and_the_port_is_free_afterwards() -> None:
    with serve([{"hang": True}]) as server:
        port = server.port
        assert server.url == f"http://127.0.0.1:{port}/v1"
        begun = time.monotonic()
        got = ask(server.url, timeout=0.2)
        assert isinstance(got, Failure) and got.reason == "timeout"
    assert time.monotonic() - begun < 2, "an answer under way does not hold the end up"
    with serve(["fine"], port=port) as again:
        assert said(again.url) == "fine"
        with pytest.raises(OSError), serve([], port=port):
            pass


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/completions", "/v1/chat/completions/x"])
def test_there_is_nothing_elsewhere(path: str) -> None:
    with serve(["fine"]) as server, pytest.raises(HTTPError) as found:
        OPEN(f"http://127.0.0.1:{server.port}{path}")
    assert found.value.code == 404
    found.value.close()


def test_a_vector_is_always_the_same_and_near_for_near_texts() -> None:
    def near(one: str, other: str) -> float:
        return sum(a * b for a, b in zip(vector(one, 256), vector(other, 256), strict=True))

    assert vector("Ada works at Initech", 32) == vector("Ada works at Initech", 32)
    assert near("Ada works at Initech", "Ada worked at Initech") > 0.75
    assert near("Ada works at Initech", "物理") < 0.3
    for text in ("", " ", "x", "\u0000", "長い文"):
        assert abs(near(text, text) - 1) < 1e-9


def test_a_script_is_json_or_json_lines() -> None:
    whole = Script(steps=(Step(reply="a"), Step(reply="[1]", when=("x",), times=None)),
                   models=("m",), vectors=Vectors(dimension=8), refuses=("json_schema",))
    lines = ['"a"', '{"when": "x", "reply": [1]}', "",
             '{"models": "m", "embeddings": {"dimension": 8}, "refuses": ["json_schema"]}']
    one = {"replies": ["a", {"when": "x", "reply": [1]}], "models": ["m"],
           "embeddings": {"dimension": 8}, "refuses": "json_schema"}
    assert read_script("\n".join(lines), "s") == whole
    assert read_script(json.dumps(one, indent=1), "s") == whole
    assert read_script('{"reply": "a"}', "s") == Script(steps=(Step(reply="a"),))
    assert read_script('["a"]', "s") == Script(steps=(Step(reply="a"),))
    assert read_script("[]", "s") == Script()


@pytest.mark.parametrize(("text", "line", "word"), [
    ("", 1, "no JSON"), ("hello", 1, "no JSON"), ('{"reply": }', 1, "no JSON"),
    ('"a"\n{"reply": }', 2, "Expecting"), ('"a"\n{"replay": 1}', 2, "replay"),
    ('{"replay": 1}', 0, "replay"), ("7", 0, "list"), ('{"replies": "x"}', 0, "list"),
    ("[7]", 0, "a step is"), ('[{"status": 99}]', 0, "200"), ('[{"delay": "x"}]', 0, "seconds"),
    ('[{"delay": -1}]', 0, "seconds"), ('[{"cut": true}]', 0, "number"),
    ('[{"on": "x"}]', 0, "chat"), ('[{"usage": [1]}]', 0, "tokens"), ('[{"when": 1}]', 0, "text"),
    ('[{"headers": []}]', 0, "object"), ('[{"hang": 1}]', 0, "true"),
    ('[{"base64": "?"}]', 0, "decoded"), ('{"embeddings": 5}', 0, "object"),
    ('{"embeddings": {"size": 5}}', 0, "dimension"), ("[" * 100_000, 0, "recursion"),
])  # fmt: skip
def test_a_script_that_cannot_be_read_says_where_and_why(text: str, line: int, word: str) -> None:
    got = read_script(text, "script.json")
    assert isinstance(got, Problem), got
    assert (got.path, got.line) == ("script.json", line)
    assert word in got.message and got.remedy


def test_a_bad_script_in_a_test_raises() -> None:
    with pytest.raises(ValueError, match="replay"):
        script_of([{"replay": 1}])


# --- pp models serve ----------------------------------------------------------------------------


def served(script: Path, *flags: str) -> subprocess.Popen[str]:
    """Start `pp models serve` as a shell would."""
    code = "import sys; from bridge.cli.main import main; main(sys.argv[1:])"
    root = str(Path(__file__).resolve().parents[2])
    return subprocess.Popen(
        [sys.executable, "-c", code, "models", "serve", str(script), *flags],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": root},
    )


def test_serve_prints_its_url_first_and_ends_after_so_many_requests(tmp_path: Path) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text('"one"\n{"reply": "two"}\n', encoding="utf-8")
    process = served(script, "--requests", "2", "--for", "30")
    assert process.stdout is not None
    url = process.stdout.readline().strip()
    assert [said(url), said(url)] == ["one", "two"]
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (0, "", "ended after 2 requests\n")
    assert said(url) == "unreachable"


def test_serve_ends_when_it_is_told_to(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text("[]", encoding="utf-8")
    running = [(number, served(script)) for number in (signal.SIGINT, signal.SIGTERM)]
    for number, process in running:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.send_signal(number)
        assert process.communicate(timeout=10) == ("", "stopped\n")
        assert process.returncode == 0


def test_serve_ends_after_its_time_and_refuses_what_it_cannot_serve(memex: Memex) -> None:
    script = memex.base / "script.json"
    script.write_text("[]", encoding="utf-8")
    ended = memex.run("models", "serve", str(script), "--for", "0.05").expect(0)
    assert ended.out.startswith("http://127.0.0.1:") and "0 requests" in ended.err
    with serve([]) as taken:
        ran = memex.run("models", "serve", str(script), "--port", str(taken.port), "--for", "0")
        ran.expect(3).names(f"port {taken.port}")
    script.write_text('"a"\n{"replay": 1}', encoding="utf-8")
    memex.run("models", "serve", str(script)).expect(2).names("script.json:2", "replay", "README")
    script.write_bytes(b"\xff")
    memex.run("models", "serve", str(script)).expect(2).names("script.json")
    memex.run("models", "serve", str(memex.base / "none")).expect(2).names("none")
