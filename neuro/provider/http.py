"""One HTTP exchange with a server: bounded in time and size, never redirected.

The seam to httpx. It is imported only when a model is asked, because httpx is slow to load.
"""

from __future__ import annotations

import logging
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

import httpcore
import httpx

from neuro.provider.net import Call, pool
from neuro.provider.wire import AGAIN, Trouble, complaint

__all__ = ["CAP", "Call", "Reply", "opened"]

# What these two log shows requests and headers, and a server may echo a key in one.
for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).setLevel(logging.WARNING)

CAP = 4_000_000
"""Bytes of a body that are read at most."""

CAP_OF_AN_ERROR = 64_000
"""Bytes of an error's body that are read; the rest is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A good answer that has begun: its type, and its body as it arrives."""

    type: str
    chunks: Iterator[bytes]

    def body(self) -> bytes:
        """Return the whole body."""
        return b"".join(self.chunks)


@contextmanager
def opened(call: Call) -> Iterator[Reply]:
    """Send a request and give the reply to it while the context is open.

    Raises Trouble, also while the body is read: unreachable, timeout, http-N, too-large,
    wrong-type.
    """
    url = call.address.origin + call.path
    with (
        _told(call),
        httpx.Client(
            transport=_Transport(call), trust_env=False, follow_redirects=False,
            timeout=httpx.Timeout(call.read, connect=call.connect),
        ) as client,
        client.stream(
            call.method, url, content=call.body,
            headers={"Accept-Encoding": "identity", "User-Agent": "passepartout",
                     "Connection": "close", **call.headers},
        ) as response,
    ):
        if not 200 <= response.status_code < 300:
            raise _refused(response)
        yield Reply(
            type=response.headers.get("content-type", "").partition(";")[0].strip()[:60],
            chunks=_chunks(response, call),
        )


@contextmanager
def _told(call: Call) -> Iterator[None]:
    """Turn what the network raises into Trouble."""
    try:
        yield
    except (httpcore.TimeoutException, httpx.TimeoutException) as error:
        raise _late(error, call) from error
    except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError) as error:
        raise _unreached(error) from error
    except (httpx.HTTPError, httpx.InvalidURL, httpcore.UnsupportedProtocol) as error:
        raise Trouble("unreachable", f"cannot be asked: {type(error).__name__}") from error


def _chunks(response: httpx.Response, call: Call) -> Iterator[bytes]:
    coding = response.headers.get("content-encoding", "identity").lower()
    if coding not in ("", "identity"):
        raise Trouble("wrong-type", f"it answered in the encoding {coding[:20]}, not asked for")
    size = 0
    with _told(call):
        for chunk in response.iter_raw():
            call.left(None)
            size += len(chunk)
            if size > CAP:
                raise Trouble("too-large", f"its reply is over {CAP // 1_000_000} MB; not read on")
            yield chunk


def _refused(response: httpx.Response) -> Trouble:
    status = response.status_code
    if 300 <= status < 400:
        there = "".join(c for c in response.headers.get("location", "nowhere") if c.isprintable())
        return Trouble(f"http-{status}", f"redirects to {there[:200]}; redirects are not followed")
    said = complaint(_start(response))
    return Trouble(
        f"http-{status}", f"answered {status}" + (f": {said}" if said else ""),
        retryable=status in AGAIN, wait=_wait(response.headers.get("retry-after")),
    )


def _start(response: httpx.Response) -> bytes:
    """Return the beginning of an error's body, or what of it came."""
    data = b""
    try:
        for chunk in response.iter_raw():
            data += chunk
            if len(data) > CAP_OF_AN_ERROR:
                break
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, Trouble):
        pass  # the status is the answer; its body only explains it
    return data[:CAP_OF_AN_ERROR]


def _wait(text: str | None) -> float | None:
    """Return the seconds that a Retry-After asks for: a number, or a date."""
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _late(error: Exception, call: Call) -> Trouble:
    # A wait that was cut to the deadline may end a moment before it.
    if time.monotonic() >= call.deadline - 0.05:
        return call.late()
    if isinstance(error, httpcore.ConnectTimeout | httpx.ConnectTimeout):
        return call.late(f" (no connection within {call.connect:g} s)")
    return call.late(f" (not a byte for {call.read:g} s)")


def _unreached(error: Exception) -> Trouble:
    cause = _beneath(error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return Trouble("unreachable", f"its certificate is not trusted: {cause.verify_message}")
    if isinstance(cause, ssl.SSLError):
        return Trouble(
            "unreachable",
            f"it showed no certificate ({cause.reason or 'TLS failed'}); is it an http:// address?",
        )
    if isinstance(error, httpcore.ProxyError):
        return Trouble("unreachable", "the proxy does not let the call through", retryable=True)
    if isinstance(error, httpcore.LocalProtocolError):
        return Trouble("unreachable", "cannot be asked: a header is not allowed")
    if isinstance(cause, ConnectionRefusedError):
        return Trouble("unreachable", "refuses the connection", retryable=True, broken=True)
    if isinstance(error, httpcore.ConnectError):
        why = getattr(cause, "strerror", None) or "no connection"
        return Trouble("unreachable", f"cannot be reached: {why}", retryable=True)
    if isinstance(error, httpcore.RemoteProtocolError) and not _ended(str(error)):
        return Trouble("wrong-type", "it answered with something that is no HTTP")
    return Trouble("unreachable", "broke the connection off", retryable=True, broken=True)


def _beneath(error: BaseException) -> BaseException | None:
    """Return the operating system's error that httpcore wrapped; it drops the cause itself."""
    under = error.__cause__ or error.__context__
    while under is not None and not isinstance(under, OSError):
        under = under.__cause__ or under.__context__
    return under


def _ended(said: str) -> bool:
    """Return whether a protocol error means that the other side closed too early."""
    return said.startswith(("Server disconnected", "peer ")) or "without sending" in said


class _Transport(httpx.BaseTransport):
    """Hand httpx's requests to a pool whose network we bound."""

    def __init__(self, call: Call) -> None:
        self._pool = pool(call)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        response = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            response.status, headers=response.headers, stream=_Body(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()
