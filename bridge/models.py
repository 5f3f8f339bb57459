"""Settings as targets: which models may be asked, in which order, and which of them are local.

    environment, memex's file, user's file ──load_models──► Models

Keys come from the environment alone. Whether anything may leave the machine is said in the memex's
own file alone (`[models] cloud = true`), and where a key is sent is said in the environment or in
the user's file, never in the memex's: a folder that is synced may have another author.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from bridge.layers import Layers, table
from bridge.locality import Resolver, base_url, is_local, lookup
from bridge.settings import OWN_FILE, Settings, files, user_file
from bridge.targets import LOCAL, PROVIDERS, Choice, Embedding, Models, Provider, Target
from gates.content_tables import PRIVACY_TAGS
from neuro.provider.client import Endpoint

TIMEOUT = 30.0
"""Seconds that one question may take."""

OLLAMA_PORT = 11434

_LOCAL_URLS = (("LOCAL_BASE_URL", None), ("LLAMA_HOST", None), ("OLLAMA_HOST", OLLAMA_PORT))
_LOCAL_KEY = "LOCAL_API_KEY"
_EMBEDDING_MODELS = {
    "hashing": "hashing", "wordllama": "wordllama", LOCAL: "nomic-embed-text",
    "openai": "text-embedding-3-small",
}  # fmt: skip


def load_models(
    settings: Settings,
    environ: Mapping[str, str] = os.environ,
    *,
    resolve: Resolver = lookup,
) -> Models:
    """Return what environment, the memex's file and the user's file say of models.

    `resolve` tells the addresses of a host; only a target that could be local is looked up.
    A value that does not parse falls back to its default with a warning. Raises
    ConfigurationError for what has no default: a URL that is none, a table that is none.
    """
    own, user = files(settings.memex, environ)
    mine, theirs = str(settings.memex / OWN_FILE), str(user_file(environ))
    warnings: list[str] = []
    layers = Layers(
        environ, table(own, "models", mine), table(user, "models", theirs), mine, theirs, warnings
    )
    if "cloud" in layers.user:
        warnings.append(
            f"{theirs}: [models] cloud does not count here: each memex says it in its {OWN_FILE}"
        )
    timeout = layers.seconds("LLM_REQUEST_TIMEOUT", "timeout", TIMEOUT)
    targets = _targets(layers, resolve)
    cloud = layers.flag_of_memex("cloud")
    tagged = layers.words("PRIVACY_FILTER_TAGS", "privacy_tags")
    return Models(
        targets=targets,
        cascade=_cascade(layers, targets),
        default=layers.text("PP_MODEL", "default"),
        cloud=cloud,
        forbidden=environ.get("PP_NO_MODEL", "") not in ("", "0"),
        timeout=timeout,
        embedding=_embedding(
            layers.below("embedding"), targets, cloud=cloud, timeout=timeout, resolve=resolve
        ),
        privacy_tags=tuple(row.tag for row in PRIVACY_TAGS) if tagged is None else tagged,
        warnings=tuple(dict.fromkeys(warnings)),
    )


_SCALARS = ("cloud", "default", "timeout", "cascade", "background", "privacy_tags")


def _targets(layers: Layers, resolve: Resolver) -> tuple[Target, ...]:
    rows = {row.name: row for row in PROVIDERS}
    own = [name for name in layers.tables() if name not in (*rows, "embedding")]
    layers.unknown((*_SCALARS, *rows, *own, "embedding"))
    return tuple(
        _target(rows.get(name) or Provider(name, "", None, ""), layers.below(name), resolve)
        for name in (*rows, *own)
    )


def _target(row: Provider, layers: Layers, resolve: Resolver) -> Target:
    """Return a provider's target; one that no table knows is made of its `base_url` alone."""
    known = ("base_url", "model") if row.variable else ("base_url", "model", "key_variable")
    layers.unknown(known)
    variable = _LOCAL_KEY if row.name == LOCAL else row.variable or layers.user_text("key_variable")
    key = layers.environ.get(variable, "").strip() or None if variable else None
    model = layers.text(None, "model") or row.model
    url, missing = _url(row, layers, keyed=key is not None)
    if key is None and variable and row.name != LOCAL:
        missing = f"{variable} is not set"
    elif not model:
        missing = f"[{layers.name}] names no model"
    # The default URL of a provider is somebody else's machine: nothing to look up.
    near = url is not None and missing is None and url != row.url and is_local(url, resolve)
    return Target(
        provider=row.name, model=model, url=url, key_variable=variable, key=key, local=near,
        missing=missing,
    )


def _url(row: Provider, layers: Layers, *, keyed: bool) -> tuple[str | None, str | None]:
    """Return the base URL of a provider, or why there is none."""
    if row.name == LOCAL:
        for variable, port in _LOCAL_URLS:
            if given := layers.environ.get(variable, "").strip():
                return base_url(given, variable, port=port), None
    # Where a key is sent is not for the memex to say.
    text = layers.user_text("base_url") if keyed else layers.text(None, "base_url")
    if text is not None:
        return base_url(text, f"[{layers.name}] base_url"), None
    return row.url, None if row.url is not None else (
        f"{row.variable or f'[{layers.name}] base_url'} is not set"
    )


def _cascade(layers: Layers, targets: Sequence[Target]) -> tuple[Choice, ...]:
    """Return the order of asking: the background cascade, the providers' one, or local targets."""
    for variable, name in (
        ("MODEL_CASCADE_BACKGROUND", "background"), ("PROVIDER_CASCADE", "cascade"),
    ):  # fmt: skip
        words = layers.words(variable, name)
        if words:
            return tuple(_known(map(_choice, words), targets, variable, layers.warnings))
    return tuple(Choice(target.provider) for target in targets if target.local)


def _known(
    choices: Iterable[Choice], targets: Sequence[Target], source: str, warnings: list[str]
) -> Iterable[Choice]:
    names = [target.provider for target in targets]
    for choice in choices:
        if choice.provider in names:
            yield choice
        else:
            warnings.append(
                f"{source}: no provider is called '{choice.provider}' (known: {', '.join(names)})"
            )


_PAIR = re.compile(r"\(*\s*:?([^\s.()]+)\s+\.\s+\"?([^\s()\"]+)\"?\s*\)*")


def _choice(word: str) -> Choice:
    """Return what `provider`, `provider/model` or `(provider . model)` names."""
    pair = _PAIR.fullmatch(word.strip())
    if pair is not None:
        return Choice(pair[1], pair[2])
    provider, _, model = word.strip().lstrip(":").partition("/")
    return Choice(provider, model or None)


def _embedding(
    layers: Layers, targets: Sequence[Target], *, cloud: bool, timeout: float, resolve: Resolver
) -> Embedding:
    layers.unknown(("provider", "model", "base_url"))
    name = layers.text("EMBEDDING_PROVIDER", "provider") or "hashing"
    if name not in _EMBEDDING_MODELS:
        layers.warnings.append(
            f"EMBEDDING_PROVIDER '{name}' is none of {', '.join(_EMBEDDING_MODELS)}; using hashing"
        )
        name = "hashing"
    if name in ("hashing", "wordllama"):
        return Embedding(provider=name, model=_EMBEDDING_MODELS[name])
    model = layers.text("EMBEDDING_MODEL", "model") or _EMBEDDING_MODELS[name]
    target = next(one for one in targets if one.provider == name)
    url, local, missing = target.url, target.local, target.missing
    if name == "openai" and (given := _embedding_url(layers)) is not None:
        url, local = given, is_local(given, resolve)
        # A server on this machine needs no key.
        missing = None if local else missing
    if missing is None and not local and not cloud:
        missing = f"it is not local, and {OWN_FILE} of this memex has no cloud = true in [models]"
    if missing is not None or url is None:
        return Embedding(provider=name, model=model, missing=missing)
    return Embedding(provider=name, model=model, endpoint=Endpoint(
        provider=name, base_url=url, model=model, key=target.key, local=local, timeout=timeout,
        key_variable=target.key_variable or "",
    ))


def _embedding_url(layers: Layers) -> str | None:
    given = layers.environ.get("EMBEDDING_BASE_URL") or layers.user_text("base_url")
    return base_url(given, "EMBEDDING_BASE_URL") if given else None
