"""Who makes the vectors, and which headings may be given to them.

    settings ──► Vectors ── embed(texts and their headings) ──► vectors, and why one has none

A built-in embedder sees everything: it is this process. An endpoint sees what the door of
bridge/egress.py lets through; a heading that it holds back has no vector until an embedder is
chosen that may see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.models import load_models
from bridge.settings import Settings
from neuro.embed.base import Embedded, Embedder, EmbedderMissing
from neuro.embed.ngrams import Ngrams
from neuro.provider.messages import Failure
from symbolic.errors import ConfigurationError
from symbolic.records import ProseHeading

if TYPE_CHECKING:
    from bridge.egress import VectorDoor

HASHING, WORDLLAMA = "hashing", "wordllama"
BUILT_IN = (HASHING, WORDLLAMA)
WITHHELD = "withheld"
"""How a reason begins that no later try changes: the heading may not be sent."""

Item = tuple[ProseHeading | None, str]
"""A text to be embedded, and the heading it is made of; None for a question."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The embedder that the settings choose. `missing` says why there is none, else None.

    `model` is the name kept with each vector, `built_in` whether the same text gives the same
    vector for good.
    """

    model: str
    built_in: bool
    embedder: Embedder | None
    missing: str | None = None
    door: VectorDoor | None = None

    @property
    def batch(self) -> int:
        """How many texts to give at once."""
        return 1 if self.embedder is None else self.embedder.batch

    def embed(self, items: Sequence[Item]) -> Embedded:
        """Return the vectors of texts; one that may not be sent is among `failed`.

        Raises EmbedderMissing if the embedder turns out to be none.
        """
        if self.embedder is None:
            raise EmbedderMissing(self.missing or "there is no embedder")
        if self.door is None:
            return self.embedder.embed([text for _, text in items])
        refused = self.door.may_embed(items)
        sent = [index for index, why in enumerate(refused) if why is None]
        made = self.embedder.embed([items[index][1] for index in sent])
        return _spread(made, sent, refused)


def _spread(made: Embedded, sent: Sequence[int], refused: Sequence[str | None]) -> Embedded:
    """Put the vectors of what was sent back among what was not."""
    import numpy as np  # slow to import: only where vectors are made

    matrix = np.zeros((len(refused), made.matrix.shape[1]), dtype=np.float32)
    matrix[list(sent)] = made.matrix
    failed = {index: f"{WITHHELD}: {why}" for index, why in enumerate(refused) if why is not None}
    failed |= {sent[index]: reason for index, reason in made.failed.items()}
    return Embedded(matrix, failed)


def choose_vectors(settings: Settings) -> Vectors:
    """Return who makes the vectors under these settings; settings that do not read choose nobody.

    They stop no verb that reads facts: vectors stay pending, and the reason is told.
    """
    try:
        models = load_models(settings)
    except ConfigurationError as error:
        return Vectors("", False, None, error.message)
    chosen = models.embedding
    if chosen.provider == HASHING:
        return Vectors(Ngrams.name, True, Ngrams())
    if chosen.provider == WORDLLAMA:
        return _wordllama()
    model = f"{chosen.provider}/{chosen.model}"
    if chosen.endpoint is None:
        return Vectors(model, False, None, chosen.missing or "it is not set up")
    # Only who has an endpoint loads the client and the patterns of secrets.
    from bridge.egress import open_vector_door
    from neuro.embed.endpoint import EndpointEmbedder

    door = open_vector_door(models)
    assert door is not None, "an endpoint has a door"

    def ask(texts: Sequence[str]) -> Sequence[Sequence[float] | Failure]:
        return door.embed([(None, text) for text in texts])

    return Vectors(model, False, EndpointEmbedder(model, ask), door=door)


def _wordllama() -> Vectors:
    from neuro.embed import wordllama  # an extra

    try:
        return Vectors(wordllama.NAME, True, wordllama.Wordllama())
    except EmbedderMissing as error:
        return Vectors(wordllama.NAME, True, None, str(error))
