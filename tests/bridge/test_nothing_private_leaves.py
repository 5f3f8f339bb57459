"""The whole way, `pp propose` and `pp sync` included: a cloud hears nothing that is private."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import bridge.models
from neuro.provider.scripted import Server, serve
from tests.bridge.private_notes import MARK, NOTES, PUBLIC
from tests.cli import Memex

ALL = {"times": None}


@pytest.fixture
def cloud(memex: Memex, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Return a server that counts as somebody else's, in a memex that allows the cloud."""
    with serve([{"reply": [], **ALL}]) as server:
        user = Path(memex.base.parent) / "config" / "passepartout" / "config.toml"
        user.parent.mkdir(parents=True)
        user.write_text(f'[models.openai]\nbase_url = "http://localhost:{server.port}/v1"\n')
        memex.write(".passepartout.toml", "[models]\ncloud = true\n")
        monkeypatch.delenv("PP_NO_MODEL")
        monkeypatch.setenv("OPENAI_API_KEY", "Zx81-not-a-real-key")
        # It stands on this machine: only the resolver says that it does not.
        monkeypatch.setattr(bridge.models, "is_local", lambda url, _: "localhost" not in url)
        for number, text in enumerate(NOTES.values()):
            body = text.replace("MARK", f"{MARK}-{number}").encode()
            memex.write(f"n{number}.org", body)
        yield server


def test_private_headings_are_read_here_or_not_at_all(memex: Memex, cloud: Server) -> None:
    memex.write("page.org", PUBLIC.encode()).begin()
    ran = memex.run("propose", "--model", "openai/gpt-4o").expect(0)
    assert "NOT on this machine" in ran.err and "it is private" in ran.err
    assert "what looks like a secret" in ran.err
    heard = b"".join(one.body for one in cloud.requests)
    assert b"Initech" in heard, "nothing was sent at all: the test would pass without the rule"
    assert MARK.encode() not in heard


def test_vectors_of_private_headings_stay_pending(
    memex: Memex, cloud: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDDING_PROVIDER", "openai")
    memex.write("page.org", PUBLIC.encode()).begin()
    heard = b"".join(one.body for one in cloud.requests)
    assert b"Initech" in heard and MARK.encode() not in heard
    assert memex.run("status", "--json").expect(0, 1).one["near"]["pending"] >= len(NOTES)


def test_a_local_model_that_fails_sends_nothing_to_the_cloud(
    memex: Memex, cloud: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("PROVIDER_CASCADE", "local,openai")
    memex.write("page.org", PUBLIC.encode()).begin()
    memex.run("propose").expect(0)
    assert (cloud.connections, cloud.bytes_received) == (0, 0)
