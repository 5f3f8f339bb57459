"""Settings of models: who says what, who is asked, and where a key never goes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.models import load_models
from bridge.settings import Settings, load
from bridge.targets import PROVIDERS, Choice, Embedding, Models, Target, chain
from neuro.provider.client import Endpoint
from symbolic.errors import ConfigurationError
from tests.cli import org

KEY = "Zx81-not-a-real-key"
HERE = {"localhost": ("127.0.0.1", "::1"), "here.example": ("127.0.0.1",)}


class Setup:
    """A memex folder, the user's file and an environment, read together."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.environ: dict[str, str] = {
            "HOME": str(base), "XDG_CONFIG_HOME": str(base / "config"), "USER": "tester",
        }  # fmt: skip
        (base / "notes").mkdir()
        (base / "config" / "passepartout").mkdir(parents=True)

    def memex(self, toml: str) -> Setup:
        (self.base / "notes" / ".passepartout.toml").write_text(org(toml), encoding="utf-8")
        return self

    def user(self, toml: str) -> Setup:
        path = self.base / "config" / "passepartout" / "config.toml"
        path.write_text(org(toml), encoding="utf-8")
        return self

    def env(self, **values: str) -> Setup:
        self.environ.update(values)
        return self

    @property
    def settings(self) -> Settings:
        return load(str(self.base / "notes"), environ=self.environ)

    def read(self, names: Mapping[str, tuple[str, ...]] = HERE) -> Models:
        return load_models(
            self.settings, self.environ, resolve=lambda host: names.get(host, ("203.0.113.7",))
        )


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup(tmp_path)


def named(endpoints: tuple[Endpoint, ...]) -> list[str]:
    return [endpoint.name for endpoint in endpoints]


CLOUD = "[models]\ncloud = true\n"


# --- who is registered --------------------------------------------------------------------------


def test_without_any_variable_there_is_no_model(setup: Setup) -> None:
    models = setup.read()
    assert chain(models) == ()
    assert models.warnings == ()
    assert models.embedding == Embedding(provider="hashing", model="hashing")
    assert models.timeout == 30
    assert set(models.privacy_tags) == {"@personal", "@health", "@finance"}
    assert [target.provider for target in models.targets] == [row.name for row in PROVIDERS]
    assert all(target.missing for target in models.targets)


@pytest.mark.parametrize("row", PROVIDERS[1:], ids=lambda row: row.name)
def test_a_key_registers_its_provider_and_an_empty_one_does_not(
    tmp_path: Path, row: object
) -> None:
    provider = next(one for one in PROVIDERS if one is row)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    empty = Setup(tmp_path / "a").memex(CLOUD).env(**{provider.variable: " "}).read()
    with pytest.raises(ConfigurationError, match=provider.variable):
        chain(empty, provider.name)
    models = Setup(tmp_path / "b").memex(CLOUD).env(**{provider.variable: KEY}).read()
    (one,) = chain(models, provider.name)
    assert (one.base_url, one.model, one.key) == (provider.url, provider.model, KEY)
    assert not one.local
    assert KEY not in repr(models) + repr(one)


def test_the_local_server_is_named_by_three_variables(setup: Setup) -> None:
    setup.env(OLLAMA_HOST="localhost")
    assert chain(setup.read())[0].base_url == "http://localhost:11434/v1"
    setup.env(LLAMA_HOST="localhost:1")
    assert chain(setup.read())[0].base_url == "http://localhost:1/v1"
    setup.env(LOCAL_BASE_URL="localhost:2")
    (one,) = chain(setup.read())
    assert (one.base_url, one.name, one.local) == ("http://localhost:2/v1", "local/llama3", True)


def test_a_name_proves_nothing(setup: Setup) -> None:
    """The provider called local may be elsewhere; one called openai may be here."""
    away = setup.env(LOCAL_BASE_URL="http://box.example:8080", LOCAL_API_KEY=KEY).read()
    assert chain(away) == ()
    with pytest.raises(ConfigurationError, match="cloud = true"):
        chain(away, "local")
    setup.env(OPENAI_API_KEY=KEY).user('[models.openai]\nbase_url = "http://here.example/v1"\n')
    assert chain(setup.read(), "openai")[0].local


def test_no_name_is_looked_up_for_a_provider_of_the_table(setup: Setup) -> None:
    asked: list[str] = []

    def resolve(host: str) -> tuple[str, ...]:
        asked.append(host)
        return ("127.0.0.1",)

    setup.env(**{row.variable: KEY for row in PROVIDERS[1:]}, LOCAL_BASE_URL="http://here:1")
    models = load_models(setup.settings, setup.environ, resolve=resolve)
    assert asked == ["here"]
    assert [target.provider for target in models.targets if target.local] == ["local"]


def test_a_provider_of_ones_own(setup: Setup) -> None:
    setup.user("""
        [models.desk]
        base_url = "http://localhost:9/v1"
        model = "qwen"
        [models.lab]
        base_url = "https://lab.example/v1"
        model = "big"
        key_variable = "LAB_KEY"
        """)
    assert named(chain(setup.read())) == ["desk/qwen"]
    with pytest.raises(ConfigurationError, match="LAB_KEY is not set"):
        chain(setup.read(), "lab/big")
    setup.memex(CLOUD).env(LAB_KEY=KEY)
    (one,) = chain(setup.read(), "lab")
    assert (one.name, one.key, one.local) == ("lab/big", KEY, False)


# --- the order of asking ------------------------------------------------------------------------


def test_cloud_counts_in_the_memex_alone(setup: Setup) -> None:
    setup.env(OPENAI_API_KEY=KEY, PP_CLOUD="true", PP_MODELS_CLOUD="1").user(CLOUD)
    models = setup.read()
    assert not models.cloud
    assert any("cloud does not count here" in warning for warning in models.warnings)
    with pytest.raises(ConfigurationError, match="cloud = true"):
        chain(models, "openai/gpt-4o")
    setup.memex(CLOUD)
    assert named(chain(setup.read(), "openai/gpt-4o")) == ["openai/gpt-4o"]


@pytest.mark.parametrize("value", ['"true"', "1", '"yes"', "[true]", "false"])
def test_anything_but_true_is_no(setup: Setup, value: str) -> None:
    models = setup.env(OPENAI_API_KEY=KEY).memex(f"[models]\ncloud = {value}\n").read()
    assert not models.cloud
    assert bool(models.warnings) is (value != "false")


def test_nothing_remote_is_asked_unless_somebody_lists_it(setup: Setup) -> None:
    setup.memex(CLOUD).env(OPENAI_API_KEY=KEY)
    assert chain(setup.read()) == ()
    assert named(chain(setup.env(PROVIDER_CASCADE="groq,openai").read())) == ["openai/gpt-4o-mini"]


def test_the_cascade_never_crosses_from_local_to_remote(setup: Setup) -> None:
    setup.memex(CLOUD).env(OPENAI_API_KEY=KEY, GROQ_API_KEY=KEY, LOCAL_BASE_URL="localhost:1")
    models = setup.env(PROVIDER_CASCADE="local,openai").read()
    assert named(chain(models)) == ["local/llama3"]
    models = setup.env(PROVIDER_CASCADE="openai,local,groq").read()
    assert named(chain(models)) == ["openai/gpt-4o-mini", "local/llama3"]
    assert named(chain(models, private=True)) == ["local/llama3"]


def test_the_background_cascade_comes_before_the_providers(setup: Setup) -> None:
    setup.memex(CLOUD).env(OPENAI_API_KEY=KEY, OPENROUTER_API_KEY=KEY, PROVIDER_CASCADE="openai")
    for text in (
        "openrouter/meta/small, openai",
        '((:openrouter . "meta/small") (:openai . "gpt-4o-mini"))',
        "(openrouter . meta/small), openai",
    ):
        models = setup.env(MODEL_CASCADE_BACKGROUND=text).read()
        assert named(chain(models)) == ["openrouter/meta/small", "openai/gpt-4o-mini"], text


def test_a_name_stands_for_itself_alone(setup: Setup) -> None:
    setup.memex(CLOUD).env(
        OPENAI_API_KEY=KEY, LOCAL_BASE_URL="localhost:1", PROVIDER_CASCADE="local,openai"
    )
    assert named(chain(setup.read(), "openai")) == ["openai/gpt-4o-mini"]
    assert named(chain(setup.read(), "local/qwen3:4b")) == ["local/qwen3:4b"]
    assert chain(setup.read(), "openai", private=True) == ()


def test_the_default_comes_first(setup: Setup) -> None:
    setup.env(LOCAL_BASE_URL="localhost:1", OPENAI_API_KEY=KEY)
    setup.user('[models]\ndefault = "openai/gpt-4o"\n')
    assert named(chain(setup.read())) == ["local/llama3"], "this memex has no cloud"
    setup.memex(CLOUD)
    assert named(chain(setup.read())) == ["openai/gpt-4o", "local/llama3"]
    setup.memex('[models]\ncloud = true\ndefault = "local/phi"\n')
    assert named(chain(setup.read())) == ["local/phi", "local/llama3"]
    assert named(chain(setup.env(PP_MODEL="openai").read())) == [
        "openai/gpt-4o-mini", "local/llama3",
    ]  # fmt: skip


@given(
    st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=6,
             unique_by=lambda row: row[0]),
    st.lists(st.sampled_from("abcdef"), max_size=8), st.booleans(), st.booleans(),
)  # fmt: skip
def test_no_order_lets_text_out_that_was_near_a_local_one(
    rows: list[tuple[str, bool]], order: list[str], cloud: bool, private: bool
) -> None:
    models = Models(
        targets=tuple(
            Target(provider=name, model="m", url="http://x/v1", local=near) for name, near in rows
        ),
        cascade=tuple(Choice(name) for name in order), default=None, cloud=cloud, forbidden=False,
        timeout=1, embedding=Embedding(provider="hashing", model="hashing"), privacy_tags=(),
    )  # fmt: skip
    found = [endpoint.local for endpoint in chain(models, private=private)]
    assert found == sorted(found), "after a local one only local ones follow"
    assert (cloud and not private) or all(found)


# --- layers -------------------------------------------------------------------------------------


def test_flags_over_environment_over_memex_over_user(setup: Setup) -> None:
    setup.user('[models]\ntimeout = 5\n[models.local]\nmodel = "user"\n')
    setup.env(LOCAL_BASE_URL="localhost:1")
    assert (setup.read().timeout, named(chain(setup.read()))) == (5, ["local/user"])
    setup.memex('[models]\ntimeout = 6.5\n[models.local]\nmodel = "memex"\n')
    assert (setup.read().timeout, named(chain(setup.read()))) == (6.5, ["local/memex"])
    setup.env(LLM_REQUEST_TIMEOUT="7", PP_MODEL="local/env")
    assert setup.read().timeout == 7
    assert named(chain(setup.read()))[0] == "local/env"
    assert named(chain(setup.read(), "local/flag")) == ["local/flag"]


@pytest.mark.parametrize("text", ["soon", "0", "-3", "inf", "nan", "1e999", "30s"])
def test_a_timeout_that_is_none_falls_back_with_one_warning(setup: Setup, text: str) -> None:
    models = setup.env(LLM_REQUEST_TIMEOUT=text).read()
    assert models.timeout == 30
    assert len(models.warnings) == 1
    assert "LLM_REQUEST_TIMEOUT" in models.warnings[0]


def test_an_unknown_setting_or_provider_is_said(setup: Setup) -> None:
    setup.memex('[models]\nclod = true\n[models.openai]\napi_key = "Zx81"\n')
    models = setup.env(PROVIDER_CASCADE="opnai").read()
    said = "\n".join(models.warnings)
    assert "'clod'" in said
    assert "'api_key'" in said
    assert "'opnai'" in said
    assert "Zx81" not in said


def test_privacy_tags_replace_the_tables(setup: Setup) -> None:
    assert setup.memex('[models]\nprivacy_tags = ["@secret"]\n').read().privacy_tags == ("@secret",)
    setup.env(PRIVACY_FILTER_TAGS="@home, :work:")
    assert setup.read().privacy_tags == ("@home", ":work:")


def test_a_switch_forbids_every_call(setup: Setup) -> None:
    assert not setup.read().forbidden
    assert not setup.env(PP_NO_MODEL="0").read().forbidden
    assert setup.env(PP_NO_MODEL="1").read().forbidden


# --- keys ---------------------------------------------------------------------------------------


def test_the_memex_does_not_say_where_a_key_goes(setup: Setup) -> None:
    """Its folder may be somebody else's: a base URL there would collect the user's key."""
    setup.env(OPENAI_API_KEY=KEY, SSH_SECRET=KEY)
    setup.memex("""
        [models]
        cloud = true
        [models.openai]
        base_url = "https://thief.example/v1"
        [models.thief]
        base_url = "https://thief.example/v1"
        key_variable = "SSH_SECRET"
        model = "m"
        [models.embedding]
        provider = "openai"
        base_url = "https://thief.example/v1"
        """)
    models = setup.read()
    (one,) = chain(models, "openai")
    assert one.base_url == "https://api.openai.com/v1"
    assert chain(models, "thief")[0].key is None
    assert models.embedding.endpoint is not None
    assert models.embedding.endpoint.base_url == "https://api.openai.com/v1"
    assert len([warning for warning in models.warnings if "does not count" in warning]) == 3
    setup.user('[models.openai]\nbase_url = "https://proxy.example/v1"\n')
    assert chain(setup.read(), "openai")[0].base_url == "https://proxy.example/v1"


# --- embeddings ---------------------------------------------------------------------------------


def test_who_makes_the_vectors(setup: Setup) -> None:
    assert setup.env(EMBEDDING_PROVIDER="wordllama").read().embedding.endpoint is None
    away = setup.env(EMBEDDING_PROVIDER="local").read().embedding
    assert (away.endpoint, away.missing) == (None, "LOCAL_BASE_URL is not set")
    here = setup.env(LOCAL_BASE_URL="localhost:1").read().embedding.endpoint
    assert here is not None
    assert (here.name, here.local) == ("local/nomic-embed-text", True)
    there = setup.env(EMBEDDING_PROVIDER="openai").read().embedding
    assert (there.endpoint, there.missing) == (None, "OPENAI_API_KEY is not set")
    there = setup.env(OPENAI_API_KEY=KEY).read().embedding
    assert there.endpoint is None
    assert "cloud = true" in str(there.missing)
    made = setup.memex(CLOUD).env(EMBEDDING_MODEL="small").read().embedding.endpoint
    assert made is not None
    assert (made.name, made.base_url, made.local) == (
        "openai/small", "https://api.openai.com/v1", False
    )


def test_vectors_from_a_server_here_need_no_key(setup: Setup) -> None:
    setup.env(EMBEDDING_PROVIDER="openai", EMBEDDING_BASE_URL="localhost:3")
    made = setup.read().embedding.endpoint
    assert made is not None
    assert (made.base_url, made.local) == ("http://localhost:3/v1", True)


def test_an_unknown_maker_of_vectors_is_hashing_with_a_warning(setup: Setup) -> None:
    models = setup.env(EMBEDDING_PROVIDER="ollamma").read()
    assert models.embedding.provider == "hashing"
    assert "ollamma" in models.warnings[0]
