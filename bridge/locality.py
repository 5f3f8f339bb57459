"""Base URLs of models, and whether one is local: what it resolves to counts, not its name.

A target is local if every address of its host is a loopback address, or if it is a Unix socket.
A host that does not resolve is not local.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from urllib.parse import SplitResult, urlsplit

from symbolic.errors import ConfigurationError

Resolver = Callable[[str], Sequence[str]]
"""From a host name to all its addresses; empty if there are none."""

API = "/v1"
"""The path of an OpenAI-compatible server where a base URL names none."""

UNIX = "unix"
"""Scheme of a Unix socket: unix:///run/model.sock."""


def lookup(host: str) -> tuple[str, ...]:
    """Return the addresses of `host` as this machine's resolver gives them."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


def base_url(text: str, source: str, *, port: int | None = None) -> str:
    """Return the base URL that `text` means: with scheme, host and path, no slash at its end.

    `http://` and `/v1` may be left out; `port` stands in where neither scheme nor port is given.
    The address that a server listens on for everybody (0.0.0.0, ::) is called at loopback.

    Raises ConfigurationError, naming `source` and never the URL itself: it may hold a password.
    """
    text = text.strip()
    if text.startswith(f"{UNIX}:"):
        if not (path := text[len(UNIX) + 1 :].strip("/")) or not _visible(path):
            raise _bad(source)
        return f"{UNIX}:///{path}"
    bare = "://" not in text
    parts = _split(f"http://{_bracketed(text)}" if bare else text, source)
    host = parts.hostname or ""
    path = parts.path.rstrip("/") or API
    asked = parts.port or (port if bare else None)
    if (address := _address(host)) is not None and address.is_unspecified:
        host = "127.0.0.1" if address.version == 4 else "::1"
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{'' if asked is None else f':{asked}'}{path}"


def is_local(url: str, resolve: Resolver = lookup) -> bool:
    """Return whether a base URL is a target on this machine.

    It says so of now: the client connects a local target to a loopback address or not at all, so a
    name that means another machine later is not followed there.
    """
    parts = urlsplit(url)
    if parts.scheme == UNIX:
        return True
    host = parts.hostname or ""
    found = (host,) if _address(host) is not None else tuple(resolve(host))
    return bool(found) and all(map(is_loopback, found))


def is_loopback(text: str) -> bool:
    """Return whether an address stays on this machine; one in IPv6 clothes counts as IPv4."""
    address = _address(text)
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return address is not None and address.is_loopback


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _bracketed(text: str) -> str:
    """Return `text` with brackets around an IPv6 address that stands alone."""
    address = _address(text)
    return f"[{text}]" if address is not None and address.version == 6 else text


def _split(url: str, source: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise _bad(source) from error
    if parts.username is not None or parts.password is not None:
        raise ConfigurationError(
            f"{source}: a URL is shown and logged, so it may hold no user and no password; "
            "a key goes into its environment variable"
        )
    if (
        parts.scheme not in ("http", "https") or not parts.hostname or not _visible(url)
        or port == 0 or parts.query or parts.fragment
    ):
        raise _bad(source)
    return parts


def _visible(text: str) -> bool:
    return all(char.isprintable() and not char.isspace() for char in text)


def _bad(source: str) -> ConfigurationError:
    return ConfigurationError(
        f"{source} is no base URL: write it like http://localhost:8080/v1 or unix:/run/model.sock"
    )

