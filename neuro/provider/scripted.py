"""A scripted OpenAI-compatible server: the test double of every model, on this machine only.

::

    with serve([{"when": "Ada", "reply": []}]) as server:
        server.url             the base URL, http://127.0.0.1:PORT/v1
        server.requests        what was asked, in order, body and headers included
        server.connections     how often somebody connected
        server.bytes_received  every byte that arrived, of requests that failed as well

It answers what the script says (script.py), faults included: delays, drips, cut streams,
resets, redirects, wrong types. Standard library only.
"""

from __future__ import annotations

import io
import json
import socket
import struct
import threading
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from neuro.provider.script import NO_REPLY, Script, Step, Vectors, script_of

__all__ = ["Recorded", "Server", "serve", "vector"]

PIECE = 24
"""Characters of text in one event of a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One request. Header names are in lower case; `parsed` is None where the body is no JSON."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    parsed: Any

    @property
    def text(self) -> str:
        """The words sent to the model: the messages, or the texts to be embedded."""
        if not isinstance(self.parsed, dict):
            return ""
        said = self.parsed.get("input", self.parsed.get("messages", []))
        parts = said if isinstance(said, list) else [said]
        return "\n".join(str(p.get("content", "")) if isinstance(p, dict) else str(p)
                         for p in parts)


class Server:
    """A running scripted server. Made by `serve`."""

    def __init__(self, script: Script, port: int) -> None:
        self.script = script
        self.requests: list[Recorded] = []
        self.connections = 0
        self.bytes_received = 0
        self.stopping = threading.Event()
        self._used: dict[int, int] = {}
        self._answered = 0
        self._change = threading.Condition()
        self._http = _Http(("127.0.0.1", port), _Handler)
        self._http.owner = self
        self.port: int = self._http.server_address[1]
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.02,), name="scripted", daemon=True
        )

    @property
    def url(self) -> str:
        """The base URL, with its /v1."""
        return f"http://127.0.0.1:{self.port}/v1"

    def wait(self, *, requests: int | None = None, seconds: float) -> None:
        """Return once `requests` were answered in all, or after so many seconds."""
        end = time.monotonic() + seconds
        with self._change:
            while requests is None or self._answered < requests:
                left = end - time.monotonic()
                if left <= 0:
                    return
                self._change.wait(left)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def stop(self) -> None:
        """End: answers under way are let go of, the port is free again."""
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    def heard(self, count: int) -> None:
        """Count bytes that arrived."""
        with self._change:
            self.bytes_received += count

    def connected(self) -> None:
        """Count a connection."""
        with self._change:
            self.connections += 1

    def answered(self) -> None:
        """Count an answer, complete or broken off."""
        with self._change:
            self._answered += 1
            self._change.notify_all()

    def step(self, door: str, asked: Recorded) -> Step | None:
        """Record a request; return the first step for it that is not used up, and use it."""
        with self._change:
            self.requests.append(asked)
            for number, step in enumerate(self.script.steps):
                used = self._used.get(number, 0)
                if (step.times is None or used < step.times) and step.fits(door, asked.text):
                    self._used[number] = used + 1
                    return step
        return None


@contextmanager
def serve(script: Script | object, *, port: int = 0) -> Iterator[Server]:
    """Serve a script (a Script, or the plain JSON values of one) while the context is open.

    Raises ValueError if the values say no script, OSError if the port cannot be had.
    """
    server = Server(script if isinstance(script, Script) else script_of(script), port)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def vector(text: str, dimension: int) -> list[float]:
    """Return the vector of a text: its hashed letter trigrams, of length 1, always the same."""
    sums = [0.0] * dimension
    padded = f"  {text.casefold()} ".encode()
    for start in range(len(padded) - 2):
        sums[zlib.crc32(padded[start : start + 3]) % dimension] += 1.0
    length = sum(value * value for value in sums) ** 0.5
    return [value / length for value in sums]


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    owner: Server

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is a test, not an error."""

    def process_request(self, request: Any, client_address: Any) -> None:
        self.owner.connected()
        super().process_request(request, client_address)


class _Counted(io.RawIOBase):
    """The bytes of a connection, counted as they arrive."""

    def __init__(self, connection: socket.socket, owner: Server) -> None:
        self._connection = connection
        self._owner = owner

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._connection.recv_into(buffer)
        self._owner.heard(count)
        return count


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30.0
    server: _Http

    def setup(self) -> None:
        super().setup()
        self.rfile = io.BufferedReader(_Counted(self.connection, self.server.owner))

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: what was asked stands in `requests`."""

    def do_GET(self) -> None:
        """Answer a model list, or what the script says."""
        self._answer()

    def do_POST(self) -> None:
        """Answer a chat or an embedding request."""
        self._answer()

    def _answer(self) -> None:
        owner = self.server.owner
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            parsed = json.loads(body) if body else None
        except (ValueError, RecursionError):
            parsed = None
        asked = Recorded(
            method=self.command, path=self.path, body=body, parsed=parsed,
            headers={name.lower(): value for name, value in self.headers.items()},
        )
        door = _door(self.path)
        step = owner.step(door, asked)
        try:
            with suppress(ConnectionError):
                self._give(step, door, asked)
        finally:
            self.close_connection = True
            owner.answered()

    def _give(self, step: Step | None, door: str, asked: Recorded) -> None:
        script = self.server.owner.script
        refused = _refused(script, asked.parsed) if door == "chat" else None
        if refused is not None:
            step = _error(400, f"{refused} is not supported here")
        elif step is None:
            step = _usual(script, door, asked.parsed)
        stopping = self.server.owner.stopping
        if step.hang:
            stopping.wait()
        if step.delay and stopping.wait(step.delay):
            return
        if step.reset:
            self._reset()
            return
        asks = asked.parsed if isinstance(asked.parsed, dict) else {}
        streamed = bool(asks.get("stream")) and not step.plain
        if step.body is not None or step.redirect is not None or step.status != 200:
            pieces, type_ = [(step.body or b"{}") * step.repeat], "application/json"
            streamed = False
        elif streamed:
            pieces, type_ = list(_events(step, asks)), "text/event-stream"
        else:
            pieces, type_ = [_json(_document(step, asks))], "application/json"
        self._head(step, step.type or type_, None if streamed else sum(map(len, pieces)))
        self._pieces(step, pieces, chunked=streamed)

    def _head(self, step: Step, type_: str, length: int | None) -> None:
        status = 302 if step.redirect is not None and step.status == 200 else step.status
        head = {"Content-Type": type_, "Connection": "close"}
        if length is None:
            head["Transfer-Encoding"] = "chunked"
        else:
            head["Content-Length"] = str(length)
        if step.redirect is not None:
            head["Location"] = step.redirect
        self.send_response(status)
        for name, value in {**head, **dict(step.headers)}.items():
            self.send_header(name, value)
        self.end_headers()

    def _pieces(self, step: Step, pieces: Sequence[bytes], *, chunked: bool) -> None:
        """Send the body; a step's `cut` ends it early, its `drip` sends single bytes."""
        left = step.cut
        for piece in pieces:
            part = piece if left is None else piece[:left]
            units = [part[i : i + 1] for i in range(len(part))] if step.drip else [part]
            for unit in units:
                if step.drip and self.server.owner.stopping.wait(step.drip):
                    return
                if unit:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(unit), unit) if chunked else unit)
            if left is not None:
                left -= len(part)
                if left <= 0:
                    return
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _reset(self) -> None:
        """Close so that the other side gets a reset, as from a server that crashed."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


def _door(path: str) -> str:
    path = path.partition("?")[0].rstrip("/")
    for end, door in (("/chat/completions", "chat"), ("/embeddings", "embeddings"),
                      ("/api/tags", "tags"), ("/models", "models")):
        if path.endswith(end):
            return door
    return "elsewhere"


def _refused(script: Script, parsed: object) -> str | None:
    """Return the first field or format of a request that this server does not know."""
    if not isinstance(parsed, dict):
        return None
    form = parsed.get("response_format")
    used = {*parsed, *([str(form.get("type"))] if isinstance(form, dict) else [])}
    return next((name for name in script.refuses if name in used), None)


def _error(status: int, message: str) -> Step:
    return Step(status=status, body=_json({"error": {"message": message}}))


def _usual(script: Script, door: str, parsed: object) -> Step:
    """Return what is said where no step fits."""
    if door == "models":
        rows = [{"id": name, "object": "model"} for name in script.models]
        return Step(body=_json({"object": "list", "data": rows}))
    if door == "tags":
        return Step(body=_json({"models": [{"name": name} for name in script.models]}))
    if door == "embeddings":
        return _embedded(script.vectors, parsed)
    return NO_REPLY if door == "chat" else _error(404, "there is nothing here")


def _embedded(vectors: Vectors, parsed: object) -> Step:
    asks = parsed if isinstance(parsed, dict) else {}
    texts = asks.get("input", [])
    texts = [texts] if isinstance(texts, str) else list(texts)
    rows = []
    for index, text in enumerate(map(str, texts)):
        if any(part in text for part in vectors.refuse):
            return _error(400, f"input[{index}] cannot be embedded")
        short = any(part in text for part in vectors.short)
        made = vector(text, max(1, vectors.dimension // (2 if short else 1)))
        null = any(part in text for part in vectors.null)
        rows.append({"object": "embedding", "index": index, "embedding": None if null else made})
    return Step(body=_json({"object": "list", "data": rows, "model": asks.get("model")}))


def _usage(step: Step, asks: Mapping[str, Any]) -> dict[str, int] | None:
    if step.usage is None:
        return None
    prompt, words = (
        (len(json.dumps(asks.get("messages", []))) // 4, len(step.reply.encode()) // 4)
        if step.usage == "count" else step.usage
    )
    return {"prompt_tokens": prompt, "completion_tokens": words, "total_tokens": prompt + words}


def _document(step: Step, asks: Mapping[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": step.reply}
    document: dict[str, Any] = {
        "id": "scripted", "object": "chat.completion", "model": asks.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": step.finish}],
    }
    usage = _usage(step, asks)
    return {**document, "usage": usage} if usage else document


def _events(step: Step, asks: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the events of a streamed answer."""
    head = {"id": "scripted", "object": "chat.completion.chunk", "model": asks.get("model")}

    def event(delta: Mapping[str, str], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _data({**head, "choices": [choice]})

    yield event({"role": "assistant", "content": ""})
    for start in range(0, len(step.reply), PIECE):
        yield event({"content": step.reply[start : start + PIECE]})
    yield event({}, step.finish)
    options = asks.get("stream_options")
    usage = _usage(step, asks)
    if usage and isinstance(options, dict) and options.get("include_usage"):
        yield _data({**head, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _data(value: object) -> bytes:
    return b"data: " + _json(value) + b"\n\n"


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
