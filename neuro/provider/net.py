"""The network below httpx: bounded by one deadline, and on this machine only for a local call.

- Each wait is cut to what the call's deadline leaves, so a server that drips one byte a second is
  held to it as well.
- A local call connects to a loopback address or a Unix socket, or not at all, and no proxy
  variable carries it away.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore
import httpx

from neuro.provider.wire import Address, Trouble

__all__ = ["Call", "pool"]

SLICE = 16_384
"""Bytes handed to the network at once, so that the deadline is seen between them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request. `deadline` is a monotonic instant; `whole` the seconds it stood for at first."""

    method: str
    address: Address
    path: str
    headers: Mapping[str, str]
    body: bytes | None = None
    local: bool
    connect: float
    read: float
    whole: float
    deadline: float

    def left(self, seconds: float | None) -> float:
        """Return the seconds that a step may take which has `seconds` of its own."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise self.late()
        return left if seconds is None else min(left, seconds)

    def late(self, why: str = "") -> Trouble:
        """Return the failure of a call that took too long."""
        return Trouble("timeout", f"timed out after {self.whole:g} s{why}", retryable=True)


def pool(call: Call) -> httpcore.ConnectionPool:
    """Return the connections of one call, through a proxy where the environment names one."""
    network = _Network(call)
    parts = urlsplit(call.address.origin)
    # Only where it is used: reading the trusted certificates takes a while.
    context = httpx.create_ssl_context() if parts.scheme == "https" else None
    here = call.local or call.address.socket or _is_loopback(parts.hostname or "")
    proxy = None if here else _proxy(parts.scheme, parts.netloc)
    if proxy is None:
        return httpcore.ConnectionPool(
            ssl_context=context, uds=call.address.socket, network_backend=network
        )
    there = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    if there.scheme not in ("http", "https") or not there.hostname:
        raise Trouble("unreachable", f"the proxy is of kind {there.scheme}; only http is known")
    user = (unquote(there.username), unquote(there.password or "")) if there.username else None
    return httpcore.HTTPProxy(
        proxy_url=httpcore.URL(
            scheme=there.scheme, host=there.hostname,
            port=there.port or (443 if there.scheme == "https" else 80), target="/",
        ),
        proxy_auth=user, ssl_context=context, network_backend=network,
    )


def _proxy(scheme: str, host: str) -> str | None:
    """Return the proxy that the environment names for a host, if any."""
    found = getproxies()
    return None if proxy_bypass(host) else found.get(scheme) or found.get("all")


class _Network(httpcore.NetworkBackend):
    """Connects within the call's deadline, and for a local call on this machine only."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._real = httpcore.SyncBackend()

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        end = time.monotonic() + self._call.left(timeout)
        found = _resolved(host, port, end - time.monotonic())
        if self._call.local:
            # Before anything is sent: a name or an address elsewhere gets not even a greeting.
            found = [literal for literal in found if _is_loopback(literal)]
            if not found:
                raise Trouble("unreachable", f"{host} is not on this machine, and the endpoint "
                                             "is declared local")
        last: Exception = httpcore.ConnectTimeout("no address answered")
        for literal in found:
            left = end - time.monotonic()
            if left <= 0:
                break
            try:
                made = self._real.connect_tcp(literal, port, left, local_address, socket_options)
                return _Stream(made, self._call)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
        raise last

    def connect_unix_socket(
        self, path: str, timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        made = self._real.connect_unix_socket(path, self._call.left(timeout), socket_options)
        return _Stream(made, self._call)


class _Stream(httpcore.NetworkStream):
    """A connection whose every wait is cut to what the deadline leaves."""

    def __init__(self, real: httpcore.NetworkStream, call: Call) -> None:
        self._real = real
        self._call = call

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._real.read(max_bytes, self._call.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), SLICE):
            self._real.write(buffer[start : start + SLICE], self._call.left(timeout))

    def close(self) -> None:
        self._real.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._call.left(timeout)
        return _Stream(self._real.start_tls(ssl_context, server_hostname, left), self._call)

    def get_extra_info(self, info: str) -> object:
        return self._real.get_extra_info(info)


def _resolved(host: str, port: int, seconds: float) -> list[str]:
    """Return a host's addresses. A thread asks, because asking has no time limit of its own."""
    if _literal(host) is not None:
        return [host]
    found: list[str] = []
    failed: list[OSError] = []

    def ask() -> None:
        try:
            rows = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)
            found.extend(dict.fromkeys(str(row[4][0]) for row in rows))
        except (OSError, UnicodeError) as error:
            failed.append(error if isinstance(error, OSError) else OSError(0, "no host name"))

    thread = threading.Thread(target=ask, name="resolve", daemon=True)
    thread.start()
    thread.join(seconds)
    if failed:
        raise Trouble("unreachable", f"there is no address for {host}: {failed[0].strerror}",
                      retryable=True) from failed[0]
    if not found:
        raise httpcore.ConnectTimeout("the name was not resolved in time")
    return found


def _literal(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the address that a host is, one in IPv6 clothes as IPv4; None if it is a name."""
    try:
        there = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(there, "ipv4_mapped", None) or there


def _is_loopback(host: str) -> bool:
    there = _literal(host)
    return there is not None and there.is_loopback
