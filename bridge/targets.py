"""Which models there are, which may be asked, and in which order.

    Models ──chain──► endpoints, one to ask after the other

Values only. What the settings say becomes Models in bridge/models.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from bridge.settings import OWN_FILE
from neuro.provider.client import Endpoint
from symbolic.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Provider:
    """A row of the table: `variable` registers it, `url` is None where the variable is the URL."""

    name: str
    variable: str
    url: str | None
    model: str


LOCAL = "local"
PROVIDERS: tuple[Provider, ...] = (
    Provider(LOCAL, "LOCAL_BASE_URL", None, "llama3"),
    Provider("openrouter", "OPENROUTER_API_KEY", "https://openrouter.ai/api/v1",
             "openrouter/auto"),
    Provider("openai", "OPENAI_API_KEY", "https://api.openai.com/v1", "gpt-4o-mini"),
    Provider("anthropic", "ANTHROPIC_API_KEY", "https://api.anthropic.com/v1",
             "claude-3-5-sonnet-20241022"),
    Provider("groq", "GROQ_API_KEY", "https://api.groq.com/openai/v1", "llama-3.1-70b-versatile"),
    Provider("gemini", "GEMINI_API_KEY",
             "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-2.0-flash"),
    Provider("deepseek", "DEEPSEEK_API_KEY", "https://api.deepseek.com/v1", "deepseek-chat"),
    Provider("nvidia", "NVIDIA_API_KEY", "https://integrate.api.nvidia.com/v1",
             "meta/llama-3.1-405b-instruct"),
)  # fmt: skip
"""Base URLs of OpenAI-compatible servers; the models are defaults and can be named otherwise."""

@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A provider as it is set up here. `missing` says why it is not registered, else None.

    `key_variable` is None where no key belongs to it; `keyed` is whether that variable is set.
    """

    provider: str
    model: str
    url: str | None = None
    key_variable: str | None = None
    key: str | None = field(default=None, repr=False)
    local: bool = False
    missing: str | None = None

    @property
    def keyed(self) -> bool:
        """Whether a key is at hand."""
        return self.key is not None

    def endpoint(self, model: str | None, timeout: float) -> Endpoint:
        """Return where a registered target is asked; `model` instead of its own one."""
        assert self.url is not None, f"{self.provider} is not registered"
        return Endpoint(
            provider=self.provider, base_url=self.url, model=model or self.model, key=self.key,
            local=self.local, timeout=timeout, key_variable=self.key_variable or "",
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """A step of a cascade: a provider, and a model if not its default one."""

    provider: str
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedding:
    """Who makes the vectors. `endpoint` is None for the built-in ones.

    `missing` says why the endpoint that was asked for cannot be used: vectors then stay pending.
    """

    provider: str
    model: str
    endpoint: Endpoint | None = None
    missing: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """All that the settings say of models. Holds values only; keys are not shown."""

    targets: tuple[Target, ...]
    cascade: tuple[Choice, ...]
    """What was configured, else the local targets; not yet cut to what may be asked."""
    default: str | None
    cloud: bool
    forbidden: bool
    timeout: float
    embedding: Embedding
    privacy_tags: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def target(self, provider: str) -> Target | None:
        """Return the target of a provider, registered or not."""
        return next((one for one in self.targets if one.provider == provider), None)

    def shut(self, target: Target) -> str | None:
        """Return why a target is never asked here, None if it may be."""
        if target.missing is not None:
            return target.missing
        if not target.local and not self.cloud:
            return f"it is not local, and {OWN_FILE} of this memex has no cloud = true in [models]"
        return None


# --- which to ask -------------------------------------------------------------------------------


def chain(
    models: Models, name: str | None = None, *, private: bool = False
) -> tuple[Endpoint, ...]:
    """Return the endpoints to ask one after the other; empty if there is none.

    `name` is `provider/model` or `provider` and stands for itself alone. Without it the configured
    default comes first, then the cascade. After a local endpoint only local ones follow, and of
    `private` text only local ones see anything.

    Raises ConfigurationError for a `name` that is unknown, has no key or is not allowed here.
    """
    if name is not None:
        target, model = _named(models, name, "--model")
        if (why := models.shut(target)) is not None:
            raise ConfigurationError(f"--model {name}: {why}", key="model")
        steps = [(target, model)]
    else:
        steps = _configured(models)
    found: list[Endpoint] = []
    for target, model in steps:
        one = target.endpoint(model, models.timeout)
        crosses = bool(found) and found[-1].local and not one.local
        if not crosses and one not in found and (one.local or not private):
            found.append(one)
    return tuple(found)


def _configured(models: Models) -> list[tuple[Target, str | None]]:
    steps: list[tuple[Target, str | None]] = []
    if models.default is not None:
        target, model = _named(models, models.default, "[models] default")
        if target.missing is not None:
            raise ConfigurationError(f"[models] default: {target.missing}", key="model")
        steps.append((target, model))
    for choice in models.cascade:
        listed = models.target(choice.provider)
        if listed is not None:
            steps.append((listed, choice.model))
    return [step for step in steps if models.shut(step[0]) is None]


def _named(models: Models, name: str, source: str) -> tuple[Target, str | None]:
    provider, _, model = name.partition("/")
    target = models.target(provider)
    if target is None:
        known = ", ".join(one.provider for one in models.targets)
        raise ConfigurationError(
            f"{source} {name}: no provider is called '{provider}'; write provider/model, the "
            f"providers are {known}", key="model",
        )
    return target, model or None
