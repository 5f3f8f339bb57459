"""The client against servers that misbehave below HTTP: sockets that hang, drip, lie or break."""

from __future__ import annotations

import socket
import ssl
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import which

import pytest

from neuro.provider.client import Client, Endpoint
from neuro.provider.messages import Answer, Failure, Prompt
from neuro.provider.scripted import serve

PROMPT = Prompt(system="s", user="u")
CLIENT = Client()
BODY = b'{"choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}]}'
GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
SOON = 0.3
"""Seconds that a call gets where it has to run out of them."""

SLACK = 3.0
"""Seconds that a busy machine may take on top; the servers here would go on for much longer."""

Talk = Callable[[socket.socket, threading.Event], None]


@pytest.fixture(autouse=True)
def _no_long_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neuro.provider.send.PAUSE", 0.01)


class Raw:
    """A listening socket that talks to each client as its test says."""

    def __init__(self, listening: socket.socket, *talks: Talk) -> None:
        self.listening = listening
        self.talks = talks
        self.count = 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._accept, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.listening.getsockname()[1]}/v1"

    def _accept(self) -> None:
        with suppress(OSError):
            while not self.over.is_set():
                connection, _ = self.listening.accept()
                talk = self.talks[min(self.count, len(self.talks) - 1)]
                self.count += 1
                with connection, suppress(OSError):
                    connection.settimeout(5)
                    talk(connection, self.over)


@contextmanager
def raw(*talks: Talk, listening: socket.socket | None = None) -> Iterator[Raw]:
    """Serve the talks one after the other, the last one again and again."""
    listening = listening or socket.create_server(("127.0.0.1", 0))
    listening.settimeout(5)
    server = Raw(listening, *talks)
    server.thread.start()
    try:
        yield server
    finally:
        server.over.set()
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        server.thread.join(2)


def heard(connection: socket.socket) -> bytes:
    """Read one request to its end."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    rows = (line.partition(b":") for line in head.lower().splitlines()[1:])
    length = {name: int(value) for name, _, value in rows if name == b"content-length"}
    while len(body) < length.get(b"content-length", 0):
        body += connection.recv(65536)
    return data


def says(answer: bytes) -> Talk:
    """A server that says `answer` and closes."""

    def talk(connection: socket.socket, over: threading.Event) -> None:
        heard(connection)
        connection.sendall(answer)

    return talk


def drips(answer: bytes, pause: float = 0.1, at_once: int = 0) -> Talk:
    """A server that says `answer` in single bytes, always in time for a patient reader."""

    def talk(connection: socket.socket, over: threading.Event) -> None:
        heard(connection)
        connection.sendall(answer[:at_once])
        for start in range(at_once, len(answer)):
            if over.wait(pause):
                return
            connection.sendall(answer[start : start + 1])
        over.wait()

    return talk


def hangs(connection: socket.socket, over: threading.Event) -> None:
    """A server that reads and never answers."""
    over.wait()


def resets(after: bytes) -> Talk:
    """A server that crashes after it said `after`."""

    def talk(connection: socket.socket, over: threading.Event) -> None:
        heard(connection)
        connection.sendall(after)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return talk


def streams_for_ever(connection: socket.socket, over: threading.Event) -> None:
    heard(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not over.is_set():
        connection.sendall(b"x" * 65536)


def here(url: str, timeout: float = 5.0) -> Endpoint:
    return Endpoint(provider="local", base_url=url, model="m", local=True, timeout=timeout)


def failure(got: object, reason: str, *words: str) -> Failure:
    assert isinstance(got, Failure), got
    assert got.reason == reason, got
    assert all(word in got.message for word in words), got
    return got


def timed_out(endpoint: Endpoint, *, stream: bool = False) -> None:
    """Ask, and expect the failure of a call that ran out of time, in time."""
    begun = time.monotonic()
    on_text = (lambda text: None) if stream else None
    got = failure(CLIENT.ask(endpoint, PROMPT, on_text), "timeout",
                  f"timed out after {endpoint.timeout:g} s")
    assert got.retryable
    assert time.monotonic() - begun < endpoint.timeout + SLACK


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + (
    b'data: {"choices": [{"delta": {"content": "a"}}]}\n\n' * 200
)


@pytest.mark.parametrize(
    "talk",
    [hangs, drips(GOOD), drips(GOOD, at_once=len(GOOD) - 60), drips(STREAM, at_once=200)],
    ids=["hangs", "drips-head", "drips-body", "drips-text"],
)
@pytest.mark.parametrize("stream", [False, True])
def test_the_whole_time_holds_whatever_the_server_does(talk: Talk, stream: bool) -> None:
    with raw(talk) as server:
        timed_out(here(server.url, SOON), stream=stream)
        assert server.count == 1, "what ran out of time is not tried again"


def test_the_whole_time_holds_while_a_large_prompt_is_sent() -> None:
    def reads_nothing(connection: socket.socket, over: threading.Event) -> None:
        over.wait()

    prompt = Prompt(system="", user="x" * 12_000_000)
    with raw(reads_nothing) as server:
        begun = time.monotonic()
        failure(CLIENT.ask(here(server.url, SOON), prompt), "timeout", "0.3 s")
        assert time.monotonic() - begun < SOON + SLACK


def test_the_whole_time_holds_for_the_second_try_and_for_the_tries_without_a_format() -> None:
    refuses = says(b"HTTP/1.1 400 No\r\nContent-Length: 15\r\n\r\nresponse_format")
    with raw(says(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"), hangs) as server:
        timed_out(here(server.url, SOON))
    with raw(refuses, hangs) as server:
        begun = time.monotonic()
        prompt = Prompt(system="", user="u", schema={"type": "object"})
        failure(CLIENT.ask(here(server.url, SOON), prompt), "timeout")
        assert time.monotonic() - begun < SOON + SLACK


def test_an_address_that_never_answers_runs_out_of_time() -> None:
    """A full queue drops what knocks, as an address does that leads nowhere."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        port = full.getsockname()[1]
        knocks = []
        for _ in range(3):
            knock = socket.socket()
            knock.setblocking(False)
            with suppress(BlockingIOError):
                knock.connect(("127.0.0.1", port))
            knocks.append(knock)
        timed_out(here(f"http://127.0.0.1:{port}", SOON))
        for knock in knocks:
            knock.close()


def test_a_name_that_is_never_resolved_runs_out_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: over.wait(5) and [])
    timed_out(here("http://model.home", SOON))
    over.set()


def test_an_unknown_name_is_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*args: object, **more: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    got = failure(CLIENT.ask(here("http://model.home"), PROMPT), "unreachable", "model.home")
    assert got.retryable


@pytest.mark.parametrize(
    "broken",
    [resets(b""), resets(b"HTTP/1.1 200 OK\r\nContent-Le"), resets(GOOD[:60]), says(b""),
     says(GOOD[:30]), says(GOOD[:-5])],
    ids=["reset", "reset-head", "reset-body", "closed", "closed-head", "closed-body"],
)
def test_a_connection_that_breaks_is_made_once_more(broken: Talk) -> None:
    with raw(broken, says(GOOD), broken) as server:
        got = CLIENT.ask(here(server.url), PROMPT)
        assert isinstance(got, Answer) and got.text == "fine"
        assert failure(CLIENT.ask(here(server.url), PROMPT), "unreachable", "broke").retryable
        assert server.count == 4


@pytest.mark.parametrize("ended", [resets, says], ids=["reset", "closed"])
def test_a_stream_that_breaks_keeps_its_text(ended: Callable[[bytes], Talk]) -> None:
    # Chunked, so that an end can be told from a break; the reader gets its time to read.
    event = b'data: {"choices": [{"delta": {"content": "part"}}]}\n\n'
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    seen = threading.Event()

    def talk(connection: socket.socket, over: threading.Event) -> None:
        heard(connection)
        connection.sendall(head + b"%x\r\n%s\r\n" % (len(event), event))
        seen.wait(3)
        if ended is resets:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    with raw(talk) as server:
        got = CLIENT.ask(here(server.url), PROMPT, lambda text: seen.set())
        assert isinstance(got, Answer), got
        assert (got.text, got.cut) == ("part", True)
        assert server.count == 1


def test_a_stream_that_ends_with_no_word_of_an_end_is_cut() -> None:
    event = b'data: {"choices": [{"delta": {"content": "part"}}]}\n\n'
    with raw(says(b"HTTP/1.1 200 OK\r\n\r\n" + event)) as server:
        got = CLIENT.ask(here(server.url), PROMPT, lambda text: None)
    assert isinstance(got, Answer), got
    assert (got.text, got.cut) == ("part", True)


@pytest.mark.parametrize(
    "answer", [b"SSH-2.0-OpenSSH_9.2\r\n\r\n", b"\x00\x01\x02\x03\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n",
               b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
)
def test_what_is_no_http_is_a_failure(answer: bytes) -> None:
    with raw(says(answer)) as server:
        failure(CLIENT.ask(here(server.url), PROMPT), "wrong-type", "HTTP")


def test_an_endless_reply_is_left() -> None:
    with raw(streams_for_ever) as server:
        failure(CLIENT.ask(here(server.url), PROMPT), "too-large", "4 MB")
    endless_head = b"HTTP/1.1 200 OK\r\n" + b"X-Filler: " + b"x" * 400_000
    with raw(says(endless_head)) as server:
        failure(CLIENT.ask(here(server.url), PROMPT), "wrong-type")


def test_every_door_runs_out_of_time() -> None:
    with raw(hangs) as server:
        endpoint = here(server.url, SOON)
        failure(CLIENT.models(endpoint), "timeout", "timed out after 0.3 s")
    with raw(hangs) as server:
        begun = time.monotonic()
        got = CLIENT.embed(here(server.url, SOON), ["a"] * 25)
        assert time.monotonic() - begun < SOON + SLACK
    assert [failure(one, "timeout").retryable for one in got] == [True] * 25


# --- certificates -------------------------------------------------------------------------------


def test_https_to_a_server_that_has_no_certificate_is_unreachable() -> None:
    with serve([]) as server:
        url = server.url.replace("http:", "https:")
        got = failure(CLIENT.ask(here(url), PROMPT), "unreachable", "certificate")
    assert not got.retryable


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a certificate for this machine that nobody signed, and its key."""
    if which("openssl") is None:
        pytest.skip("no openssl here to make a certificate with")
    folder = tmp_path_factory.mktemp("certificate")
    made, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", str(key), "-out", str(made), "-days", "2", "-subj", "/CN=test",
         "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    return made, key


def test_a_certificate_that_nobody_trusts_is_unreachable_and_one_that_is_trusted_is_not(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, key = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)

    def talk(connection: socket.socket, over: threading.Event) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            says(GOOD)(secured, over)

    with raw(talk) as server:
        url = server.url.replace("http:", "https:")
        got = failure(CLIENT.ask(here(url), PROMPT), "unreachable", "certificate", "trusted")
        assert not got.retryable
        assert server.count == 1
        monkeypatch.setenv("SSL_CERT_FILE", str(made))
        assert isinstance(CLIENT.ask(here(url), PROMPT), Answer)
        elsewhere = url.replace("127.0.0.1", "localhost")
        failure(CLIENT.ask(here(elsewhere), PROMPT), "unreachable", "certificate")


# --- Unix sockets -------------------------------------------------------------------------------


def test_a_unix_socket_is_a_server_as_well(tmp_path: Path) -> None:
    path = tmp_path / "model.sock"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen()
    asked: list[bytes] = []

    def talk(connection: socket.socket, over: threading.Event) -> None:
        asked.append(heard(connection))
        connection.sendall(GOOD)

    written = [f"unix://{path}", f"http+unix://{str(path).replace('/', '%2F')}/v1"]
    with raw(talk, listening=listening):
        for url in written:
            assert isinstance(CLIENT.ask(here(url), PROMPT), Answer)
    assert len(asked) == 2
    assert all(one.startswith(b"POST /v1/chat/completions HTTP/1.1\r\n") for one in asked)
    path.unlink()
    for url in written:
        failure(CLIENT.ask(here(url), PROMPT), "unreachable", "No such file")


@pytest.mark.parametrize(
    "url", ["", "http://", "ftp://127.0.0.1/", "http://127.0.0.1:port", "http://127.0.0.1:99999",
            "http://user:pass@127.0.0.1/", "http://127.0.0.1/v1?key=x", "http://[::1", "unix://",
            "http://a b/", "http://\x00/", "http://" + "a" * 70 + ".invalid"],
)
def test_an_address_that_is_none_is_a_failure(url: str) -> None:
    got = CLIENT.ask(here(url, SOON), PROMPT)
    assert isinstance(got, Failure), got
    assert got.reason in ("bad-url", "unreachable")
    assert "pass" not in got.message and "key=" not in got.message
