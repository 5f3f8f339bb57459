"""What may leave the machine: the one door through which text goes to a model.

::

    heading, prompt ──► Door ── every target in order:
                          │      local ───────────────────────────► asked
                          │      not local ── Egress.refusal? ─no─► asked
                          │                        └─yes─► passed over
                          └──► Answer | Failure

A heading that carries or inherits a privacy tag, or that holds something of the shape of a secret,
goes to local targets only; so does a prompt that holds such a shape anywhere. Texts that are to be
embedded are judged the same. Everything here holds values only, no view and no open file, so that
what is built of it may be handed to code that talks to models.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bridge.targets import Models, chain
from gates.secrets import secret_shapes
from neuro.provider.client import Client, Endpoint
from neuro.provider.messages import Answer, Failure, Model, Prompt
from symbolic.records import ProseHeading

FORBIDDEN = "forbidden"

# A heading line inside an example, quote or source block, its star perhaps escaped by a comma.
_QUOTED_TAGS = re.compile(r"^[ \t]*,?\*+[ \t].*[ \t](:[^\s:]+(?::[^\s:]+)*:)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Withheld:
    """Nobody may be asked about a heading, and why. Not a failure: nothing was tried."""

    reason: str


@dataclass(frozen=True, slots=True)
class Passed:
    """What came back through the door, and what had failed before it."""

    result: Answer | Failure
    before: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Egress:
    """The rule of what may be sent. `tags` are privacy tags as they compare."""

    tags: frozenset[str]

    @classmethod
    def of(cls, tags: Iterable[str]) -> Egress:
        """Return the rule under which these tags, with or without colons, mean private."""
        return cls(frozenset(map(_folded, tags)) - {""})

    def private_tag(self, heading: ProseHeading) -> str | None:
        """Return the privacy tag that a heading carries, inherits or quotes, None if there is none.

        `heading.tags` are its own, its ancestors' and its file's.
        """
        quoted = ":".join(_QUOTED_TAGS.findall(heading.text)).split(":")
        carried = (*heading.tags, *quoted)
        return next((tag for tag in carried if _folded(tag) in self.tags), None)

    def secrets(self, heading: ProseHeading) -> tuple[str, ...]:
        """Return the shapes of secrets in a heading: its text, its path, the titles above it."""
        return _shapes((heading.text, heading.title, heading.path, *heading.outline))

    def holds_back(self, heading: ProseHeading) -> str | None:
        """Return why a heading stays on this machine whatever is asked about it, else None."""
        if (tag := self.private_tag(heading)) is not None:
            return f"it is private (:{tag.strip(':')}:)"
        if shapes := self.secrets(heading):
            return f"it holds what looks like a secret ({', '.join(shapes)})"
        return None

    def refusal(
        self, heading: ProseHeading | None, texts: Iterable[str], endpoint: Endpoint
    ) -> str | None:
        """Return why `texts`, made of a heading, may not go to a target; None if they may.

        `heading` is None where the texts come from nobody's prose, such as a question. The reason
        never holds what was found.
        """
        if endpoint.local:
            return None
        if heading is not None and (why := self.holds_back(heading)) is not None:
            return why
        if shapes := _shapes(texts):
            return f"what would be sent holds what looks like a secret ({', '.join(shapes)})"
        return None


@dataclass(frozen=True, slots=True)
class Door:
    """Where prompts go out. `chain` is the order of asking for text that may go anywhere."""

    egress: Egress
    chain: tuple[Endpoint, ...]
    client: Client

    def targets(self, heading: ProseHeading) -> tuple[Endpoint, ...] | Withheld:
        """Return who may be asked about a heading, in order, or why nobody may."""
        if not self.chain:
            return Withheld("no model is configured")
        why = self.egress.holds_back(heading)
        found = tuple(one for one in self.chain if why is None or one.local)
        return found or Withheld(f"{why}, and {_named(self.chain)} is not local")

    def remote(self, heading: ProseHeading) -> bool:
        """Return whether a prompt about a heading may leave this machine."""
        targets = self.targets(heading)
        return not isinstance(targets, Withheld) and not all(one.local for one in targets)

    def ask(self, heading: ProseHeading, prompt: Prompt) -> Passed:
        """Ask about a heading: everyone who may see the prompt, one after the other."""
        allowed, why = [], "no model is configured"
        for one in self.chain:
            refused = self.egress.refusal(heading, _texts(prompt), one)
            if refused is None:
                allowed.append(one)
            else:
                why = f"{refused}, and {_named((one,))} is not local"
        if not allowed:
            return Passed(Failure(
                reason=FORBIDDEN, message=f"not sent: {why}", model=_named(self.chain[:1]),
            ))
        result, before = self.client.cascade(tuple(allowed), prompt)
        return Passed(result, tuple(before))

    def model_for(self, heading: ProseHeading) -> Model:
        """Return a model that sees prompts about this heading only as far as they may go."""

        def model(prompt: Prompt) -> Answer | Failure:
            return self.ask(heading, prompt).result

        return model


Row = tuple[ProseHeading | None, str]
"""A text to be embedded and the heading it is made of; None for a question."""


@dataclass(frozen=True, slots=True)
class VectorDoor:
    """Where texts to be embedded go out."""

    egress: Egress
    endpoint: Endpoint
    client: Client

    def may_embed(self, rows: Sequence[Row]) -> list[str | None]:
        """Return for each row why it may not be sent, None if it may."""
        return [self.egress.refusal(heading, (text,), self.endpoint) for heading, text in rows]

    def embed(self, rows: Sequence[Row]) -> list[tuple[float, ...] | Failure]:
        """Return a vector for each row, or why there is none; a withheld one is `forbidden`."""
        refused = self.may_embed(rows)
        sent = [text for (_, text), why in zip(rows, refused, strict=True) if why is None]
        came = iter(self.client.embed(self.endpoint, sent) if sent else ())
        return [
            next(came) if why is None else Failure(
                reason=FORBIDDEN, message=f"not sent: {why}", model=_named((self.endpoint,))
            )
            for why in refused
        ]


def open_door(models: Models, name: str | None = None, *, client: Client | None = None) -> Door:
    """Return the door to the model `name`, or to the configured ones.

    Raises ConfigurationError for a name that is unknown, has no key or is not allowed here.
    """
    return Door(
        Egress.of(models.privacy_tags), chain(models, name),
        client or Client(forbidden=models.forbidden),
    )


def open_vector_door(models: Models, *, client: Client | None = None) -> VectorDoor | None:
    """Return the door to the embedding endpoint, None if there is none or it cannot be used."""
    endpoint = models.embedding.endpoint
    if endpoint is None:
        return None
    return VectorDoor(
        Egress.of(models.privacy_tags), endpoint, client or Client(forbidden=models.forbidden)
    )


def _texts(prompt: Prompt) -> tuple[str, ...]:
    """Return everything of a prompt that would be sent."""
    schema = "" if prompt.schema is None else json.dumps(dict(prompt.schema), ensure_ascii=False)
    return (prompt.system, prompt.user, schema)


def _shapes(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(shape for text in texts for shape in secret_shapes(text)))


def _named(endpoints: Sequence[Endpoint]) -> str:
    return ", ".join(f"{one.provider}/{one.model}" for one in endpoints) or "none"


def _folded(tag: str) -> str:
    """Return a tag as it compares: no colons, no case, no width, nothing that is not seen."""
    plain = unicodedata.normalize("NFKC", tag).replace(":", "").casefold()
    return "".join(char for char in plain if unicodedata.category(char) != "Cf").strip()
