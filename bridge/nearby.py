"""Search over a memex: the near index, the chosen embedder, and facts as neighbours.

The near index answers alone. Where facts.db is gone or empty, search goes by words, vectors and
links, and finds the same as before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bridge.app import App
from bridge.embedding import Vectors, choose_vectors
from bridge.records import records_of
from memex.files import walk
from neuro.embed.base import Embedded, EmbedderMissing
from neuro.near.query import BadQuery
from neuro.near.schema import DB, NearDamaged
from neuro.near.search import Found, search
from neuro.near.store import Near
from symbolic.errors import ConfigurationError
from symbolic.records import Name, NameKind
from symbolic.store.store import Store

NAMES = 200
"""Names of a heading's facts that are followed."""
SHARED = 64
"""A name that more headings have in their facts ties none of them together."""

_LINKED = (NameKind.HEADING, NameKind.PATH)
"""Names that links follow already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What search found, and how far the index lags: headings without a vector, changed files.

    `stale` is None where it cannot be told, `model` is the embedder's.
    """

    found: Found
    model: str
    pending: int
    stale: int | None
    notes: tuple[str, ...] = ()


class FactTies:
    """Headings whose facts have a name in common with the facts of a heading."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __call__(self, key: str) -> list[str]:
        """Return the keys of the headings that facts tie to the one with `key`."""
        found: dict[str, None] = {}
        for name in list(self._names(key))[:NAMES]:
            found.update(dict.fromkeys(self._store.headings_naming(name, SHARED)))
        found.pop(key, None)
        return list(found)

    def _names(self, key: str) -> Iterator[Name]:
        seen: set[Name] = set()
        for fact in self._store.facts_at(key):
            for term in (fact.statement.entity, fact.statement.value):
                if isinstance(term, Name) and term.kind not in _LINKED:
                    name = Name(term.kind, term.canon, term.canon)
                    if name not in seen:
                        seen.add(name)
                        yield name


class _Question:
    """The embedder of the settings, given a question instead of a heading."""

    batch = 1

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self.name = vectors.model

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Return the vectors of `texts`; a question that may not leave the machine has none."""
        return self._vectors.embed([(None, text) for text in texts])


def nearby(app: App, text: str, *, limit: int = 10) -> Answer | BadQuery:
    """Return what search finds in a memex. Writes nothing, to near.db neither.

    Raises ConfigurationError if near.db does not read.
    """
    vectors = choose_vectors(app.settings)
    notes: list[str] = []
    embedder = None
    if vectors.missing is None and vectors.embedder is not None:
        embedder = _Question(vectors)
    else:
        notes.append(f"no vectors: {vectors.missing}")
    near = _open(app)
    if near is None:
        notes.append("there is no search index yet: run `pp sync`")
        return Answer(
            found=Found(hits=()), model=vectors.model, pending=0, stale=None, notes=tuple(notes)
        )
    try:
        with near:
            if near.note is not None:
                notes.append(near.note)
            found = _asked(app, near, text, limit, embedder, notes)
            if isinstance(found, BadQuery):
                return found
            pending = near.pending_count(vectors.model)
    except (NearDamaged, sqlite3.OperationalError) as error:
        raise _unread(error) from error
    return Answer(
        found=found, model=vectors.model, pending=pending, stale=stale(app),
        notes=(*notes, *found.notes),
    )


def _asked(
    app: App, near: Near, text: str, limit: int, embedder: _Question | None, notes: list[str]
) -> Found | BadQuery:
    ties = FactTies(app.store)
    try:
        with app.store.snapshot():
            return search(near, text, limit=limit, embedder=embedder, ties=ties)
    except EmbedderMissing as error:
        notes.append(f"no vectors: {error}")
        with app.store.snapshot():
            return search(near, text, limit=limit, ties=ties)


def _open(app: App) -> Near | None:
    if not (app.state / DB).exists():
        return None
    try:
        return Near.open(app.state, mend=False)
    except (NearDamaged, sqlite3.OperationalError) as error:
        raise _unread(error) from error


def _unread(error: Exception) -> ConfigurationError:
    return ConfigurationError(f"{error}; `pp sync` builds it again", key="near-damaged")


def stale(app: App) -> int | None:
    """Return how many files changed since they were read, by their stats; None if unknown."""
    known = {path: record.known.stat for path, record in records_of(app.store.stats()).items()}
    if not app.read_in:
        return None
    try:
        there = walk(app.settings.memex)
    except OSError:
        return None
    marks = {entry.path: entry.mark for entry in there.entries}
    unseen = tuple(f"{folder}/" if folder else "" for folder in there.unseen)
    skipped = {skip.path for skip in there.skipped}
    gone = sum(
        1 for path in known
        if path not in marks and path not in skipped and not (unseen and path.startswith(unseen))
    )
    new = sum(1 for path, mark in marks.items() if path not in known or known[path].mark != mark)
    return gone + new
