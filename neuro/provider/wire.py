"""The wire format of OpenAI-compatible servers, as pure functions: addresses, bodies, replies.

Nothing here connects to anything. What a server answers wrongly is a `Trouble`, which
`neuro/provider.py` turns into a `Failure`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote, urlsplit

from neuro.provider.messages import Prompt, Usage

__all__ = [
    "Address", "Collector", "Shape", "Trouble", "address", "chat_body", "complaint", "embed_body",
    "model_names", "parsed", "tag_names", "vectors_of",
]  # fmt: skip

AGAIN = frozenset({429, 500, 502, 503, 504})
"""Statuses after which asking once more may help."""

CUT = frozenset({"length", "max_tokens", "content_filter", "error"})
"""Finish reasons that leave a reply incomplete."""


class Trouble(Exception):
    """No answer, for `reason` (as in Failure). Caught in this package, never seen outside.

    `broken` means that the connection ended where more was to come; `retryable` that asking again
    may help; `wait` the seconds that the server asks for before that.
    """

    def __init__(
        self, reason: str, message: str, *, retryable: bool = False, broken: bool = False,
        wait: float | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.retryable = retryable
        self.broken = broken
        self.wait = wait


# --- addresses ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A base URL, split: `origin` as http://host:port, `path` as /v1, `socket` a Unix socket's."""

    origin: str
    path: str
    socket: str | None = None

    @property
    def root(self) -> str:
        """The path without its /v1, where Ollama has its own API."""
        return self.path.removesuffix("/v1")


def address(base_url: str, *, local: bool) -> Address:
    """Return a base URL in full: without a scheme it is http here and https elsewhere.

    Without a path it ends in /v1. Raises Trouble bad-url.
    """
    text = base_url.strip()
    if "://" not in text:
        text = f"{'http' if local else 'https'}://{text}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise Trouble("bad-url", f"its base URL cannot be read: {error}") from error
    if parts.scheme == "unix" and parts.path:
        return Address(origin="http://localhost", path="/v1", socket=unquote(parts.path))
    if parts.scheme == "http+unix" and parts.netloc:
        path = parts.path.rstrip("/") or "/v1"
        return Address(origin="http://localhost", path=path, socket=unquote(parts.netloc))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise Trouble("bad-url", "its base URL is no http or https address and no Unix socket")
    if parts.username is not None or parts.query or parts.fragment:
        # They would show up in logs and error messages; a key has its own place.
        raise Trouble("bad-url", "its base URL holds a user, a query or a fragment; leave them out")
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(parts.hostname, parts.hostname)
    host = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    origin = f"{parts.scheme}://{host}" + (f":{port}" if port is not None else "")
    return Address(origin=origin, path=path or "/v1")


# --- requests -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What of the optional parts a request has; some servers refuse some of them."""

    form: str | None
    stream: bool
    counted: bool = True
    cold: bool = True

    def without(self, said: str) -> Shape | None:
        """Return the shape to try after a server refused this one and `said` why, or None."""
        said = said.lower()
        if self.stream and self.counted and "stream_options" in said:
            return replace(self, counted=False)
        if self.form and re.search(r"response.?format|json.?schema|json.?object|schema", said):
            return replace(self, form="json_object" if self.form == "json_schema" else None)
        if self.cold and "temperature" in said:
            return replace(self, cold=False)
        if self.stream and "stream" in said:
            return replace(self, stream=False)
        return None


def chat_body(model: str, prompt: Prompt, shape: Shape) -> bytes:
    """Return the body of a chat request."""
    messages = [{"role": "system", "content": prompt.system}] if prompt.system else []
    body: dict[str, object] = {
        "model": model, "messages": [*messages, {"role": "user", "content": prompt.user}]
    }
    if shape.cold:
        body["temperature"] = 0
    if shape.form == "json_schema":
        body["response_format"] = {
            "type": "json_schema", "json_schema": {"name": "reply", "schema": prompt.schema}
        }
    elif shape.form:
        body["response_format"] = {"type": shape.form}
    if shape.stream:
        body["stream"] = True
        if shape.counted:
            body["stream_options"] = {"include_usage": True}
    return _encoded(body)


def embed_body(model: str, texts: Sequence[str]) -> bytes:
    """Return the body of an embedding request."""
    return _encoded({"model": model, "input": list(texts)})


def _encoded(body: Mapping[str, object]) -> bytes:
    # A lone surrogate cannot be sent; it becomes a question mark, which no quote matches.
    return json.dumps(body, ensure_ascii=False, default=dict).encode("utf-8", "replace")


# --- replies ------------------------------------------------------------------------------------


def parsed(data: bytes, type_: str = "") -> object:
    """Return the JSON value in `data`. Raises Trouble wrong-type."""
    named = f" ({type_})" if type_ else ""
    try:
        return json.loads(data.decode("utf-8-sig"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise Trouble("wrong-type", f"it answered in bytes that are no UTF-8{named}") from error
    except (ValueError, RecursionError) as error:
        hint = ": a web page, perhaps a sign-in page" if data.lstrip()[:1] == b"<" else ""
        raise Trouble("wrong-type", f"it answered with no JSON{named}{hint}") from error


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON number")


def complaint(data: bytes) -> str:
    """Return what an error body says, as one line; empty if it says nothing."""
    try:
        value = parsed(data)
    except Trouble:
        value = data.decode("utf-8", "replace")
    if isinstance(value, Mapping):
        value = value.get("error", value.get("message", value.get("detail", value)))
    if isinstance(value, Mapping) and value.get("message"):
        value = f"{value['message']} {value.get('param') or ''}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join("".join(c if c.isprintable() else " " for c in text[:2000]).split())


class Collector:
    """Gathers the text of a chat reply from its bytes, however they are cut into chunks.

    A reply is a stream of server-sent events or one JSON document; its first byte tells. Text is
    handed to `on_text` as it comes. Feed it all, then call `close`. Both raise Trouble.
    """

    def __init__(self, on_text: Callable[[str], None] | None = None, type_: str = "") -> None:
        self.usage = Usage()
        self.finish: str | None = None
        self.done = False
        self._texts: list[str] = []
        self._on_text = on_text
        self._type = type_
        self._document: bool | None = None
        self._parts: list[bytes] = []
        self._data: list[bytes] = []
        self._events = 0

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._texts)

    @property
    def cut(self) -> bool:
        """Whether the reply stops too early: its server says so, or its end did not come."""
        if self.finish is not None:
            return self.finish.lower() in CUT
        return not (self.done or self._document)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self._parts.append(chunk)
        if self._document is None:
            first = b"".join(self._parts).lstrip(b" \t\r\n\xef\xbb\xbf")[:1]
            if not first:
                return
            self._document = first in b"{[<"
        if not self._document and (b"\n" in chunk or b"\r" in chunk):
            self._take_lines(last=False)

    def close(self) -> None:
        """Take the end."""
        if self._document:
            self._take(parsed(b"".join(self._parts), self._type), "message")
            return
        strange = b"".join(self._parts).strip()
        self._take_lines(last=True)
        self._dispatch()
        if not self._events and not self.done and strange:
            raise Trouble("wrong-type", f"it answered with no JSON ({self._type or 'no type'})")

    def _take_lines(self, *, last: bool) -> None:
        whole = b"".join(self._parts)
        # A carriage return at the end may be half of a line break.
        held = b"\r" if whole.endswith(b"\r") and not last else b""
        *lines, rest = re.split(rb"\r\n|\n|\r", whole[: len(whole) - len(held)])
        self._parts = [] if last else [rest + held]
        for line in [*lines, rest] if last else lines:
            self._line(line.removeprefix(b"\xef\xbb\xbf"))

    def _line(self, line: bytes) -> None:
        if not line:
            self._dispatch()
        elif line.startswith(b"data:"):
            data = line[5:].removeprefix(b" ")
            # Some servers leave out the empty line that ends an event.
            if self._data and data.startswith((b"{", b"[DONE]")):
                self._dispatch()
            self._data.append(data)

    def _dispatch(self) -> None:
        data, self._data = b"\n".join(self._data).strip(), []
        if not data or self.done:
            return
        if data == b"[DONE]":
            self.done = True
            return
        self._events += 1
        self._take(parsed(data, self._type), "delta")

    def _take(self, value: object, part: str) -> None:
        if not isinstance(value, Mapping):
            raise Trouble("wrong-type", "it answered with JSON of another shape: no object")
        if value.get("error"):
            raise _reported(value)
        usage = value.get("usage")
        if isinstance(usage, Mapping):
            self.usage = Usage(
                prompt=_count(usage.get("prompt_tokens")),
                completion=_count(usage.get("completion_tokens")),
            )
        choices = value.get("choices")
        if not isinstance(choices, list) or (part == "message" and not choices):
            if part == "message":
                raise Trouble("wrong-type", "it answered with JSON of another shape: no choices")
            return
        if choices and isinstance(choices[0], Mapping):
            self._choice(choices[0], part)

    def _choice(self, choice: Mapping[str, object], part: str) -> None:
        finish = choice.get("finish_reason")
        if isinstance(finish, str) and finish:
            self.finish = finish
        said = choice.get(part) or choice.get("message") or choice.get("delta")
        text = _content(said.get("content")) if isinstance(said, Mapping) else ""
        if text:
            self._texts.append(text)
            if self._on_text is not None:
                self._on_text(text)


def _content(content: object) -> str:
    """Return the text of a message: a string, or a list of parts of which text counts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, Mapping))
    return "".join(text for text in texts if isinstance(text, str))


def _count(value: object) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if whole and isinstance(value, int) else None


def _reported(value: Mapping[str, object]) -> Trouble:
    """Return the error that a server reports in a reply that it began as a good one."""
    error = value["error"]
    code = error.get("code") if isinstance(error, Mapping) else None
    status = code if isinstance(code, int) and 400 <= code <= 599 else 200
    said = complaint(json.dumps(value).encode())
    return Trouble(
        f"http-{status}", f"it reports an error: {said}", retryable=status in AGAIN, broken=True
    )


def model_names(value: object) -> tuple[str, ...]:
    """Return the names in an OpenAI model list. Raises Trouble wrong-type."""
    return _named(value, "data", "id")


def tag_names(value: object) -> tuple[str, ...]:
    """Return the names in an Ollama model list. Raises Trouble wrong-type."""
    return _named(value, "models", "name")


def _named(value: object, rows: str, name: str) -> tuple[str, ...]:
    found = value.get(rows) if isinstance(value, Mapping) else None
    if not isinstance(found, list):
        raise Trouble("wrong-type", "it answered with JSON of another shape: no model list")
    names = (row.get(name) for row in found if isinstance(row, Mapping))
    return tuple(dict.fromkeys(text for text in names if isinstance(text, str)))


def vectors_of(value: object, count: int) -> list[tuple[float, ...] | None]:
    """Return the vectors of an embedding reply in the order asked, None for those that lack one.

    Raises Trouble wrong-type where the reply is no list of vectors at all.
    """
    rows = value.get("data") if isinstance(value, Mapping) else None
    if not isinstance(rows, list):
        raise Trouble("wrong-type", "it answered with JSON of another shape: no vectors")
    found: list[tuple[float, ...] | None] = [None] * count
    for position, row in enumerate(rows):
        if isinstance(row, Mapping):
            index = row.get("index", position)
            if isinstance(index, int) and 0 <= index < count:
                found[index] = _vector(row.get("embedding"))
    return found


def _vector(value: object) -> tuple[float, ...] | None:
    if not isinstance(value, list) or not value:
        return None
    try:
        made = tuple(float(x) for x in value if isinstance(x, int | float))
    except OverflowError:
        return None
    return made if len(made) == len(value) and all(map(math.isfinite, made)) else None
