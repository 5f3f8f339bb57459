"""One client for every OpenAI-compatible server: chat, embeddings, model lists.

What may be sent is decided before, in bridge. Here a prompt goes out and text and usage come
back, or a `Failure`: no exception, no half-read reply taken for a whole one. A `Client` holds only
values; a connection lives within one call. A key appears in nothing that is printed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from neuro.provider.messages import Answer, Failure, Prompt
from neuro.provider.send import Limits, Sender
from neuro.provider.wire import (
    Collector,
    Shape,
    Trouble,
    address,
    chat_body,
    embed_body,
    model_names,
    parsed,
    tag_names,
    vectors_of,
)

if TYPE_CHECKING:
    from neuro.provider.http import Reply

__all__ = ["Client", "Endpoint"]

BATCH = 10
"""Texts in one embedding request."""

OF_THE_BATCH = frozenset({400, 413, 422, 500})
"""Statuses that may be due to one text of a batch; then each text is asked alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model of a server. `key_variable` is where the key was looked for, to name it if missing.

    `base_url` may lack its scheme and its /v1; unix:///path names a Unix socket. `timeout` is the
    seconds a whole call may take, its second try included.
    """

    provider: str
    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)
    local: bool = False
    timeout: float = 30.0
    key_variable: str = ""

    @property
    def name(self) -> str:
        """The model as provider/model."""
        return f"{self.provider}/{self.model}"


@dataclass(frozen=True, slots=True)
class Client:
    """Asks models. `forbidden` refuses every call before a connection is made."""

    forbidden: bool = False

    def ask(
        self, endpoint: Endpoint, prompt: Prompt, on_text: Callable[[str], None] | None = None
    ) -> Answer | Failure:
        """Return a model's answer to a prompt. With `on_text` the text is also given as it comes.

        A schema goes along where the server takes one: what it refuses by name is left out and
        the prompt is sent again.
        """
        t = endpoint.timeout
        shape = Shape(
            form="json_schema" if prompt.schema is not None else None, stream=on_text is not None
        )
        try:
            sender = self._sender(endpoint, Limits(min(10, t), max(10, t - 5), t))
            while True:
                body = chat_body(endpoint.model, prompt, shape)
                try:
                    return sender.send(
                        "POST", "/chat/completions", body,
                        lambda reply: _words(reply, endpoint, on_text),
                    )
                except Trouble as trouble:
                    plainer = shape.without(trouble.message) if _of_the_form(trouble) else None
                    if plainer is None:
                        raise
                    shape = plainer
        except Trouble as trouble:
            return _failure(endpoint, trouble)

    def cascade(
        self, endpoints: Sequence[Endpoint], prompt: Prompt,
        on_text: Callable[[str], None] | None = None,
    ) -> tuple[Answer | Failure, tuple[Failure, ...]]:
        """Return the first answer of the endpoints in order, and the failures before it.

        If none answers, the last failure stands for all: its message lists each.
        """
        failures: list[Failure] = []
        for endpoint in endpoints:
            got = self.ask(endpoint, prompt, on_text)
            if isinstance(got, Answer):
                return got, tuple(failures)
            failures.append(got)
        if not failures:
            nobody = "the cascade is exhausted: it names no model"
            return Failure(reason="unreachable", message=nobody, model=""), ()
        listed = "; ".join(failure.message for failure in failures)
        last = replace(
            failures[-1], message=f"the cascade is exhausted: {listed}",
            retryable=any(failure.retryable for failure in failures),
        )
        return last, tuple(failures[:-1])

    def embed(
        self, endpoint: Endpoint, texts: Sequence[str]
    ) -> list[tuple[float, ...] | Failure]:
        """Return a vector for each text, in order, or a failure for that text alone.

        Texts go in batches of 10. All vectors have one length: those of another are failures.
        """
        try:
            sender = self._sender(endpoint, _short(endpoint, 5, 30))
        except Trouble as trouble:
            return [_failure(endpoint, trouble)] * len(texts)
        blank = Trouble("empty", "an empty text has no vector")
        found: list[tuple[float, ...] | Trouble] = [blank] * len(texts)
        places = [place for place, text in enumerate(texts) if text.strip()]
        for start in range(0, len(places), BATCH):
            batch = places[start : start + BATCH]
            vectors = _batch(sender, endpoint.model, [texts[place] for place in batch])
            for place, vector in zip(batch, vectors, strict=True):
                found[place] = vector
            if _hopeless(vectors):
                for place in places[start + BATCH :]:
                    found[place] = vectors[-1]
                break
        return [
            _failure(endpoint, one) if isinstance(one, Trouble) else one
            for one in _of_one_length(found)
        ]

    def models(self, endpoint: Endpoint) -> tuple[str, ...] | Failure:
        """Return the names of a server's models, in its order: the test of the connection."""
        try:
            sender = self._sender(endpoint, _short(endpoint, 5, 10))
            try:
                return sender.send("GET", "/models", None, lambda r: model_names(_json(r)))
            except Trouble as trouble:
                if not endpoint.local or trouble.reason not in ("http-404", "wrong-type"):
                    raise
                # An Ollama of before its /v1/models.
                tags = replace(sender, root=sender.there.root)
                return tags.send("GET", "/api/tags", None, lambda r: tag_names(_json(r)))
        except Trouble as trouble:
            return _failure(endpoint, trouble)

    def _sender(self, endpoint: Endpoint, limits: Limits) -> Sender:
        """Check what can be checked with no connection. Raises Trouble."""
        if self.forbidden:
            raise Trouble("forbidden", "not asked: model calls are forbidden (PP_NO_MODEL)")
        there = address(endpoint.base_url, local=endpoint.local)
        key = (endpoint.key or "").strip()
        variable = endpoint.key_variable or f"{endpoint.provider.upper()}_API_KEY"
        if not key and not endpoint.local:
            raise Trouble("missing-key", f"no key: set {variable}")
        if not all("!" <= character <= "~" for character in key):
            raise Trouble("missing-key", f"no usable key: {variable} holds a blank, a control "
                                         "character or one beyond ASCII")
        return Sender(there, there.path, key, endpoint.local, limits)


def _short(endpoint: Endpoint, connect: float, read: float) -> Limits:
    """Return the limits of a quick call: its own, or the endpoint's where those are shorter."""
    t = endpoint.timeout
    return Limits(min(connect, t), min(read, t), min(connect + read, t))


def _failure(endpoint: Endpoint, trouble: Trouble) -> Failure:
    return Failure(
        reason=trouble.reason, message=f"{endpoint.name}: {trouble.message}", model=endpoint.name,
        retryable=trouble.retryable,
    )


def _of_the_form(trouble: Trouble) -> bool:
    return trouble.reason in ("http-400", "http-422")


def _words(
    reply: Reply, endpoint: Endpoint, on_text: Callable[[str], None] | None
) -> Answer:
    """Read a chat reply. A stream that breaks off after some text is an answer that is cut."""
    collector = Collector(on_text, reply.type)
    broken = False
    try:
        for chunk in reply.chunks:
            collector.feed(chunk)
        collector.close()
    except Trouble as trouble:
        if not (trouble.broken and collector.text.strip()):
            raise
        broken = True
    text = collector.text
    if not text.strip():
        why = " before its length limit" if collector.finish == "length" else ""
        raise Trouble("empty", f"answered with no text{why}", retryable=True)
    return Answer(
        text=text, model=endpoint.name, usage=collector.usage, cut=broken or collector.cut
    )


def _json(reply: Reply) -> object:
    return parsed(reply.body(), reply.type)


def _batch(
    sender: Sender, model: str, texts: Sequence[str]
) -> Sequence[tuple[float, ...] | Trouble]:
    """Return the vectors of one batch, asking for each text alone where the batch is refused."""
    # A batch has its own deadline.
    fresh = replace(sender, since=time.monotonic())
    try:
        vectors = fresh.send(
            "POST", "/embeddings", embed_body(model, texts),
            lambda reply: vectors_of(_json(reply), len(texts)),
        )
    except Trouble as trouble:
        if len(texts) > 1 and trouble.reason in {f"http-{status}" for status in OF_THE_BATCH}:
            return [one for text in texts for one in _batch(sender, model, [text])]
        return [trouble] * len(texts)
    none = Trouble("wrong-type", "gave no vector for this text")
    return [none if vector is None else vector for vector in vectors]


def _hopeless(vectors: Sequence[tuple[float, ...] | Trouble]) -> bool:
    """Return whether the server is away or says no to all, so that asking on only takes time."""
    of_a_text = ("http-400", "http-413", "http-422", "wrong-type", "too-large")
    return all(isinstance(one, Trouble) and one.reason not in of_a_text for one in vectors)


def _of_one_length(
    found: Sequence[tuple[float, ...] | Trouble],
) -> list[tuple[float, ...] | Trouble]:
    """Return the vectors of the length that most have; each other one is a failure."""
    lengths = Counter(len(one) for one in found if not isinstance(one, Trouble))
    if len(lengths) < 2:
        return list(found)
    usual = lengths.most_common(1)[0][0]
    return [
        one if isinstance(one, Trouble) or len(one) == usual
        else Trouble("dimension", f"gave {len(one)} numbers here and {usual} elsewhere")
        for one in found
    ]
