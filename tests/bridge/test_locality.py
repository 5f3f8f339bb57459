"""What is local: the addresses decide, never the name."""

from __future__ import annotations

import ipaddress
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.locality import base_url, is_local, is_loopback, lookup
from symbolic.errors import ConfigurationError


def local(text: str, *addresses: str) -> bool:
    return is_local(base_url(text, "LOCAL_BASE_URL"), lambda _host: addresses)


@pytest.mark.parametrize(("text", "meant"), [
    ("localhost:8080", "http://localhost:8080/v1"),
    ("http://localhost:8080/", "http://localhost:8080/v1"),
    ("https://models.example/api/", "https://models.example/api"),
    ("http://localhost:8080/v1", "http://localhost:8080/v1"),
    ("  localhost  ", "http://localhost/v1"),
    ("127.0.0.1", "http://127.0.0.1/v1"),
    ("0.0.0.0:8080", "http://127.0.0.1:8080/v1"),
    ("http://[::]:8080", "http://[::1]:8080/v1"),
    ("::1", "http://[::1]/v1"),
    ("[::1]:99", "http://[::1]:99/v1"),
    ("unix:/run/model.sock", "unix:///run/model.sock"),
    ("unix:///run/model.sock", "unix:///run/model.sock"),
])  # fmt: skip
def test_what_a_base_url_means(text: str, meant: str) -> None:
    assert base_url(text, "LOCAL_BASE_URL") == meant
    assert base_url(meant, "LOCAL_BASE_URL") == meant


def test_ollama_names_a_host_alone() -> None:
    assert base_url("localhost", "OLLAMA_HOST", port=11434) == "http://localhost:11434/v1"
    assert base_url("::1", "OLLAMA_HOST", port=11434) == "http://[::1]:11434/v1"
    assert base_url("http://localhost", "OLLAMA_HOST", port=11434) == "http://localhost/v1"


@pytest.mark.parametrize("text", [
    "ftp://localhost", "http://", "http://[bad", "http://localhost:99999", "local host", "unix:",
    "http://localhost:0", "http://localhost/v1?key=a", "http://local\x00host", "http://x:port", ":",
])  # fmt: skip
def test_what_is_no_base_url_is_said_without_repeating_it(text: str) -> None:
    with pytest.raises(ConfigurationError) as told:
        base_url(text, "LOCAL_BASE_URL")
    assert told.value.message.startswith("LOCAL_BASE_URL is no base URL")


def test_a_password_in_a_url_is_refused_and_not_printed() -> None:
    with pytest.raises(ConfigurationError) as told:
        base_url("https://ada:hunter2@models.example", "LOCAL_BASE_URL")
    assert "hunter2" not in told.value.message


@pytest.mark.parametrize(("text", "addresses", "expected"), [
    ("localhost:1", ("127.0.0.1", "::1"), True),
    ("localhost:1", ("203.0.113.7",), False),            # somebody's hosts file
    ("localhost:1", (), False),
    ("models.example:1", ("127.0.0.1",), True),          # a name proves nothing, either way
    ("models.example:1", ("127.0.0.1", "203.0.113.7"), False),
    ("ollama:1", ("172.17.0.2",), False),                # a container is another machine
    ("mybox.local:1", ("192.168.1.5",), False),
    ("127.0.0.1.nip.example", ("203.0.113.7",), False),
    ("127.0.0.1:1", ("203.0.113.7",), True),             # an address is not looked up
    ("127.9.9.9", (), True),
    ("http://[::1]:1", (), True),
    ("http://[::ffff:127.0.0.1]:1", (), True),
    ("http://[::ffff:203.0.113.7]:1", (), False),
    ("http://[fe80::1]:1", (), False),
    ("http://10.0.0.1", (), False),
    ("http://127.1", ("127.0.0.1",), True),
    ("http://2130706433", ("127.0.0.1",), True),
    ("http://3405803783", ("203.0.113.7",), False),
    ("unix:/run/model.sock", (), True),
    ("https://localhost", ("127.0.0.1",), True),
])  # fmt: skip
def test_local_is_what_resolves_to_loopback_alone(
    text: str, addresses: tuple[str, ...], expected: bool
) -> None:
    assert local(text, *addresses) is expected


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "127.0.0.1"])
def test_this_machines_resolver_reads_odd_spellings(host: str) -> None:
    assert all(map(is_loopback, lookup(host)))


def test_a_host_without_addresses_has_none() -> None:
    assert lookup("no-such-host.invalid") == ()
    assert lookup("a" * 300) == ()
    assert lookup("..") == ()


@given(st.ip_addresses())
def test_loopback_is_what_the_standard_says(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    assert is_loopback(str(address)) is address.is_loopback
    assert is_loopback(f"::ffff:{address}") is (address.version == 4 and address.is_loopback)


@given(st.text(max_size=40))
def test_any_text_is_a_base_url_or_a_clear_error(text: str) -> None:
    try:
        meant = base_url(text, "X")
    except ConfigurationError:
        return
    assert base_url(meant, "X") == meant
    is_local(meant, lambda _host: ())


def test_nobody_who_only_queries_loads_models() -> None:
    code = (
        "import sys; from bridge.cli.main import pp; import bridge.cli.query\n"
        "bad = {'bridge.models', 'neuro.provider.client', 'httpx', 'numpy'} & set(sys.modules)\n"
        "sys.exit(str(bad) if bad else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
