"""What `pp models` shows: every target with its place in the order, and the connection test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from bridge.targets import Models, Target, chain
from neuro.provider.client import Client, Endpoint
from neuro.provider.messages import Failure

SCHEMA = "pp.models/1"


@dataclass(frozen=True, slots=True)
class Row:
    """A target. `place` counts from 1 in the order of asking; `why` says why it has none."""

    target: Target
    model: str
    place: int | None
    why: str | None

    def json(self) -> dict[str, object]:
        """Return the row as JSON; of a key only whether it is set."""
        one = self.target
        return {
            "provider": one.provider, "model": self.model, "base_url": one.url,
            "local": one.local, "cascade": self.place, "reason": self.why,
            "key_variable": one.key_variable, "key_set": one.keyed,
        }  # fmt: skip

    def line(self) -> str:
        """Return the row as a line."""
        one = self.target
        where = "-" if one.missing else "local" if one.local else "remote"
        key = one.key_variable or "no key"
        held = f"{key} {'set' if one.keyed else 'not set'}" if one.key_variable else key
        place = f"asked {self.place}." if self.place else "not asked"
        name = f"{one.provider}/{self.model}" if self.model else one.provider
        why = f": {self.why}" if self.why else ""
        return f"{name:44} {where:7} {held:27} {place}{why}"


@dataclass(frozen=True, slots=True)
class Listing:
    """All targets, and who makes the vectors."""

    models: Models
    rows: tuple[Row, ...]

    def json(self) -> dict[str, object]:
        """Return the listing as one document."""
        made = self.models.embedding
        return {
            "schema": SCHEMA, "cloud": self.models.cloud, "forbidden": self.models.forbidden,
            "default": self.models.default, "timeout": self.models.timeout,
            "privacy_tags": list(self.models.privacy_tags),
            "models": [row.json() for row in self.rows],
            "embedding": {
                "provider": made.provider, "model": made.model,
                "local": made.endpoint is None or made.endpoint.local, "reason": made.missing,
            },
            "warnings": list(self.models.warnings),
        }  # fmt: skip

    def lines(self) -> Iterator[str]:
        """Yield the listing as lines: those that are asked first, in order."""
        yield from (row.line() for row in sorted(self.rows, key=lambda row: row.place or 1000))
        made = self.models.embedding
        there = made.endpoint
        where = "built in" if there is None else "local" if there.local else "remote"
        why = f": {made.missing}" if made.missing else ""
        yield f"vectors: {made.provider}/{made.model} {'not made' if why else where}{why}"
        if self.models.forbidden:
            yield "PP_NO_MODEL is set: no model is called at all"


def listed(models: Models) -> Listing:
    """Return every target with its place. Raises ConfigurationError on a default that is wrong."""
    asked = chain(models)
    return Listing(models, tuple(_row(models, target, asked) for target in models.targets))


def _row(models: Models, target: Target, asked: Sequence[Endpoint]) -> Row:
    for place, endpoint in enumerate(asked, start=1):
        if endpoint.provider == target.provider:
            return Row(target, endpoint.model, place, None)
    why = models.shut(target)
    if why is None:
        ordered = any(choice.provider == target.provider for choice in models.cascade)
        why = "nothing that is not local follows a local one" if ordered else (
            "only where it is named: no cascade lists it"
        )
    return Row(target, target.model, None, why)


@dataclass(frozen=True, slots=True)
class Checked:
    """A connection test. `reason` is set if nobody could be reached, `near` if the model lacks."""

    name: str
    local: bool
    reason: str | None = None
    message: str = ""
    offered: int = 0
    near: tuple[str, ...] | None = None

    @property
    def ok(self) -> bool:
        """Whether the server answers and has the model."""
        return self.reason is None and self.near is None

    def json(self) -> dict[str, object]:
        """Return the test as JSON."""
        return {
            "schema": SCHEMA, "model": self.name, "local": self.local, "ok": self.ok,
            "reason": self.reason or ("no-model" if self.near is not None else None),
            "message": self.message or None, "offered": self.offered,
            "near": list(self.near or ()),
        }  # fmt: skip

    def line(self) -> str:
        """Return the test as a line."""
        if self.reason is not None:
            return f"{self.name}  fail  {self.reason}: {self.message}"
        return f"{self.name}  {'ok' if self.ok else 'fail'}  {self.message}"


def checked(
    models: Models, name: str | None = None, *, client: Client | None = None
) -> Iterator[Checked]:
    """Yield the test of the model `name`, or of everything that may be asked, vectors included.

    Raises ConfigurationError for a name that is unknown, has no key or is not allowed here.
    """
    client = client or Client(forbidden=models.forbidden)
    for endpoint in chain(models, name) if name is not None else _all(models):
        yield _check(endpoint, client)


def _all(models: Models) -> Iterator[Endpoint]:
    for target in models.targets:
        if models.shut(target) is None:
            yield target.endpoint(None, models.timeout)
    if models.embedding.endpoint is not None:
        yield models.embedding.endpoint


def _check(endpoint: Endpoint, client: Client) -> Checked:
    name = f"{endpoint.provider}/{endpoint.model}"
    found = client.models(endpoint)
    if isinstance(found, Failure):
        return Checked(name, endpoint.local, found.reason, found.message)
    if any(_same(endpoint.model, one) for one in found):
        return Checked(name, endpoint.local, message=f"{len(found)} models", offered=len(found))
    near = tuple(get_close_matches(endpoint.model, found, n=3, cutoff=0.3)) or found[:3]
    offers = f"near: {', '.join(near)}" if near else "it lists none"
    return Checked(
        name, endpoint.local, message=f"the server does not list {endpoint.model}; {offers}",
        offered=len(found), near=near,
    )


def _same(wanted: str, listed: str) -> bool:
    """Return whether a listed model is the wanted one; servers add a folder or a tag to names."""
    bare = listed.removeprefix("models/")
    return wanted in (listed, bare) or bare.partition(":")[0] == wanted
