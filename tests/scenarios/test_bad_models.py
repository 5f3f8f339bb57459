"""Settings of models that are wrong: a clear sentence, the right exit code, no key shown."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from neuro.provider.scripted import serve
from tests.cli import Memex, Result, org

KEY = "Zx81-not-a-real-key-Zx81"
SETTINGS = (
    "LOCAL_BASE_URL", "LLAMA_HOST", "OLLAMA_HOST", "LOCAL_API_KEY", "OPENROUTER_API_KEY",
    "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GROQ_API_KEY", "GEMINI_API_KEY", "DEEPSEEK_API_KEY",
    "NVIDIA_API_KEY", "PROVIDER_CASCADE", "MODEL_CASCADE_BACKGROUND", "LLM_REQUEST_TIMEOUT",
    "EMBEDDING_PROVIDER", "EMBEDDING_MODEL", "EMBEDDING_BASE_URL", "PRIVACY_FILTER_TAGS",
    "PP_MODEL", "PP_NO_MODEL",
)  # fmt: skip


@pytest.fixture
def env(memex: Memex, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Return a way to set variables in an environment that says nothing of models."""
    for name in SETTINGS:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def configured(memex: Memex, toml: str) -> Memex:
    (memex.root / ".passepartout.toml").write_text(org(toml), encoding="utf-8")
    return memex


def shows_no_key(ran: Result) -> Result:
    assert KEY not in ran.said
    return ran


# --- what is wrong ------------------------------------------------------------------------------


def test_a_missing_key_names_its_variable(memex: Memex, env: pytest.MonkeyPatch) -> None:
    configured(memex, "[models]\ncloud = true\n")
    memex.run("models", "check", "openai").expect(3).names("OPENAI_API_KEY is not set")
    configured(memex, '[models]\ncloud = true\ndefault = "groq"\n')
    memex.run("models", "list").expect(3).names("default", "GROQ_API_KEY is not set")


def test_an_unknown_provider_names_those_there_are(memex: Memex, env: pytest.MonkeyPatch) -> None:
    for name in ("opnai/gpt-4o", "llama3", "", "/x"):
        ran = memex.run("models", "check", name).expect(3)
        ran.names("no provider is called", "provider/model", "local, openrouter, openai")


def test_a_remote_one_is_not_asked_without_leave(memex: Memex, env: pytest.MonkeyPatch) -> None:
    env.setenv("OPENAI_API_KEY", KEY)
    ran = shows_no_key(memex.run("models", "check", "openai/gpt-4o").expect(3))
    ran.names("cloud = true", ".passepartout.toml")
    memex.run("models", "check").expect(0).names("pp models list")


@pytest.mark.parametrize("text", ["soon", "-1", "0"])
def test_a_bad_timeout_falls_back_and_says_so(
    memex: Memex, env: pytest.MonkeyPatch, text: str
) -> None:
    env.setenv("LLM_REQUEST_TIMEOUT", text)
    ran = memex.run("models", "list", "--json").expect(0).names("LLM_REQUEST_TIMEOUT", "using 30")
    assert ran.one["timeout"] == 30


@pytest.mark.parametrize(("toml", "said"), [
    ("models = 3\n", "models is no table"),
    ("[models]\nopenai = 3\n", "models.openai is no table"),
    ("[models]\nembedding = []\n", "models.embedding is no table"),
    ("[models\n", "mend the file"),
    ('[models.local]\nbase_url = "ftp://x"\n', "is no base URL"),
    ('[models.local]\nbase_url = "http://ada:pw@x"\n', "no user and no password"),
])  # fmt: skip
def test_what_has_no_default_is_a_mistake_of_configuration(
    memex: Memex, env: pytest.MonkeyPatch, toml: str, said: str
) -> None:
    ran = configured(memex, toml).run("models", "list").expect(3).names(said)
    assert "Traceback" not in ran.said
    assert "pw@" not in ran.said


@pytest.mark.parametrize("toml", [
    "[models]\ncloud = 'yes'\n", "[models]\ntimeout = 'x'\n", "[models]\ntimeout = true\n",
    "[models]\ndefault = 5\n", "[models]\ncascade = [1]\n", "[models]\nprivacy_tags = 3\n",
    "[models]\ntimout = 3\n", "[models.local]\nmodel = 3\n", "[models.local]\nbase_url = 3\n",
    "[models.openai]\nurl = 'x'\n", "[models.embedding]\nprovider = 'x'\n",
    "[models]\ncascade = ['x']\n", "[models]\nlocal = {}\nprivacy_tags = ['@a', 2]\n",
])  # fmt: skip
def test_a_value_of_the_wrong_kind_falls_back_and_says_so(
    memex: Memex, env: pytest.MonkeyPatch, toml: str
) -> None:
    ran = configured(memex, toml).run("models", "list", "--json").expect(0)
    assert len(ran.one["warnings"]) == 1, ran.one["warnings"]
    assert ran.one["warnings"][0] in ran.err
    assert (ran.one["cloud"], ran.one["timeout"]) == (False, 30)
    assert ran.one["privacy_tags"] == ["@personal", "@finance", "@health"]


def test_bad_settings_of_models_stop_no_verb_that_asks_none(
    memex: Memex, env: pytest.MonkeyPatch
) -> None:
    configured(memex, "models = 3\n").write("a.org", "* Ada\n- plays :: chess\n")
    memex.run("init").expect(0)
    memex.run("query", ":ada ? ?").expect(0)


# --- what is shown ------------------------------------------------------------------------------


def test_the_list_shows_where_each_stands_and_no_key(
    memex: Memex, env: pytest.MonkeyPatch
) -> None:
    env.setenv("OPENAI_API_KEY", KEY)
    env.setenv("LOCAL_BASE_URL", "127.0.0.1:9")
    rows = shows_no_key(memex.run("models", "list", "--json")).expect(0).one
    assert (rows["schema"], rows["cloud"], rows["forbidden"]) == ("pp.models/1", False, False)
    by_name = {row["provider"]: row for row in rows["models"]}
    assert (by_name["local"]["local"], by_name["local"]["cascade"]) == (True, 1)
    assert by_name["openai"]["key_set"] is True
    assert "cloud = true" in by_name["openai"]["reason"]
    assert (by_name["groq"]["key_variable"], by_name["groq"]["key_set"]) == ("GROQ_API_KEY", False)
    assert by_name["groq"]["reason"] == "GROQ_API_KEY is not set"
    shown = shows_no_key(memex.run("models", "list")).expect(0)
    shown.names("local/llama3", "asked 1.", "OPENAI_API_KEY set", "GROQ_API_KEY is not set")
    configured(memex, '[models]\ncloud = true\ncascade = ["local", "openai"]\n')
    memex.run("models", "list").expect(0).names("nothing that is not local follows a local one")
    env.setenv("PP_NO_MODEL", "1")
    memex.run("models", "list").expect(0).names("PP_NO_MODEL")


# --- the connection test ------------------------------------------------------------------------


@pytest.fixture
def local(env: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield the URL of a server that has two models."""
    with serve({"replies": [], "models": ["qwen3:4b", "llama3.1:8b"]}) as server:
        env.setenv("LOCAL_BASE_URL", server.url)
        yield server.url


def test_a_model_that_is_there_is_ok(memex: Memex, local: str) -> None:
    for name in ("local/qwen3:4b", "local/qwen3"):
        line = memex.run("models", "check", name, "--json").expect(0).one
        assert (line["ok"], line["offered"], line["local"]) == (True, 2, True)


def test_a_model_that_the_server_lacks_is_said_with_near_names(memex: Memex, local: str) -> None:
    ran = memex.run("models", "check", "local/qwen2.5").expect(1)
    ran.names("does not list qwen2.5", "near: qwen3:4b")
    line = memex.run("models", "check", "--json").expect(1).one
    assert (line["ok"], line["reason"]) == (False, "no-model")


def test_a_server_that_is_away_exits_7_where_it_was_named(
    memex: Memex, env: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    env.setenv("LOCAL_BASE_URL", f"127.0.0.1:{port}")
    memex.run("models", "check", "local").expect(7).names("local/llama3", "unreachable")
    memex.run("models", "check").expect(1).names("unreachable")


def test_a_forbidden_call_is_no_call(
    memex: Memex, env: pytest.MonkeyPatch
) -> None:
    with serve([]) as server:
        env.setenv("LOCAL_BASE_URL", server.url)
        env.setenv("PP_NO_MODEL", "1")
        memex.run("models", "check", "local").expect(7).names("forbidden")
        assert server.connections == 0
