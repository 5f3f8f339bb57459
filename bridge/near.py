"""The near index kept at the prose: facts first, then words, then vectors, each of its own.

::

    sync ──rows──► words, one transaction ──► vectors, batch by batch, each kept as it is made
    behind ◄── marks of facts.db against those of near.db: what is read again

The near index is a cache: a disk that refuses it is a warning, the facts are safe.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bridge.app import App
from bridge.embedding import WITHHELD, Item, Vectors, choose_vectors
from bridge.records import marks_of
from bridge.report import Report
from bridge.sync import sync
from neuro.embed.base import EmbedderMissing
from neuro.near.reading import Pending
from neuro.near.schema import DB, NearDamaged, damage, remove
from neuro.near.store import Fresh, Near
from symbolic import faults
from symbolic.names import digest

Progress = Callable[[str], None]

LASTING = ("unreachable", "timeout", "forbidden", "missing-key")
"""Reasons that the next batch would meet as well: the rest stays pending, unasked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearReport:
    """What the near index holds now. `held` counts pending headings by reason."""

    headings: int = 0
    vectors: int = 0
    pending: int = 0
    model: str = ""
    dim: int | None = None
    made: int = 0
    held: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def json(self) -> dict[str, object]:
        """Return the report as JSON."""
        return {
            "headings": self.headings, "vectors": self.vectors, "pending": self.pending,
            "model": self.model, "dimension": self.dim, "held": dict(self.held),
            "warnings": list(self.warnings),
        }


def sync_all(
    app: App, *, full: bool = False, progress: Progress | None = None
) -> tuple[Report, NearReport]:
    """Take in what changed into both indices; the facts whatever becomes of the other one."""
    trouble: list[str] = []
    near = None
    with _told(app.state, trouble):
        near = Near.open(app.state, at=faults.at)
    try:
        also: frozenset[str] = frozenset()
        if near is not None:
            with _told(app.state, trouble):
                also = behind(app, near)
        report = sync(app, full=full, progress=progress, also=also)
        faults.at("index.between")
        found = NearReport()
        if near is not None:
            with _told(app.state, trouble):
                found = nearby_sync(app, near, report, progress, lacks=bool(also))
                _wiped(app, near)
    finally:
        if near is not None:
            near.close()
    return report, replace(found, warnings=(*found.warnings, *trouble))


def wipe(app: App) -> list[str]:
    """Leave no byte in the near index of what went; return what ails it, as sentences."""
    trouble: list[str] = []
    with _told(app.state, trouble), Near.open(app.state, at=faults.at) as near:
        _wiped(app, near)
    return trouble


def _wiped(app: App, near: Near) -> None:
    void = app.store.void()
    if void:
        near.wipe(digest(*sorted(event for events in void.values() for event in events)))


def nearby_sync(
    app: App, near: Near, report: Report, progress: Progress | None = None, *, lacks: bool = True
) -> NearReport:
    """Bring `near` to the prose that `report` read: words in one transaction, vectors after it.

    `lacks` says that `near` may lack more than `report` tells. Raises NearDamaged, OSError and
    sqlite3.Error; what was committed before stays.
    """
    if lacks or report.read or report.removed:
        words_sync(app, near, report)
    vectors = choose_vectors(app.settings)
    warnings = [] if near.note is None else [near.note]
    made = 0
    if near.pending_count(vectors.model):
        made = _Making(app, near, vectors, progress, warnings).run()
    return replace(reported(near, vectors), made=made, warnings=tuple(warnings))


def words_sync(app: App, near: Near, report: Report) -> None:
    """Bring the words of `near` to the prose that `report` read, in one transaction."""
    marks, old = marks_of(app.store.stats()), near.files()
    changed = {
        path: (mark, rows) for path, (mark, rows) in report.rows.items()
        # Another process may have read a file once more meanwhile.
        if old.get(path) != mark and marks.get(path) == mark
    }
    removed = [path for path in old if path not in marks]
    if changed or removed:
        near.apply(changed, removed)


def reported(near: Near, vectors: Vectors) -> NearReport:
    """Return what the near index holds for the chosen embedder."""
    headings, pending = near.count(), near.pending_count(vectors.model)
    return NearReport(
        headings=headings, vectors=headings - pending, pending=pending, model=vectors.model,
        dim=near.dim(vectors.model), held=near.held(vectors.model) if pending else {},
    )


def behind(app: App, near: Near) -> frozenset[str]:
    """Return the paths of which the near index does not hold what the facts were read from."""
    marks, there = marks_of(app.store.stats()), near.files()
    return frozenset(p for p in (*marks, *there) if marks.get(p) != there.get(p))


@contextmanager
def _told(state: Path, trouble: list[str]) -> Iterator[None]:
    """Turn what ails the near index into a sentence; a broken one is removed."""
    try:
        yield
    except (NearDamaged, sqlite3.DatabaseError, OSError) as error:
        if isinstance(error, NearDamaged) or (
            isinstance(error, sqlite3.DatabaseError) and damage(error)
        ):
            remove(state)
            trouble.append(f"{state / DB} is damaged ({error}); run `pp sync` once more")
            return
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(
            error, sqlite3.OperationalError
        ):
            raise  # a bug of ours, not an ailing disk
        trouble.append(
            f"the near index in {state} was not brought up to date ({error}); the facts are, and "
            "`pp sync` tries again"
        )


class _Making:
    """Makes the vectors that are missing, batch by batch; what is made is kept at once."""

    def __init__(
        self, app: App, near: Near, vectors: Vectors, progress: Progress | None,
        warnings: list[str],
    ) -> None:
        self.app, self.near, self.vectors = app, near, vectors
        self.progress, self.warnings = progress, warnings
        self.made = 0

    def run(self) -> int:
        """Return how many vectors were made."""
        model = self.vectors.model
        if self.vectors.missing is not None:
            self.warnings.append(f"no vectors are made: {self.vectors.missing}")
            self._hold(self.near.pending(model), self.vectors.missing)
            return 0
        dim = self.near.dim(model)
        if self._pass(self.near.pending(model)) and self.near.dim(model) not in (None, dim):
            # The model answers in another dimension than before: its older vectors are pending.
            self._pass(self.near.pending(model))
        return self.made

    def _pass(self, waiting: Sequence[Pending]) -> bool:
        """Go through `waiting` once; return whether the end was reached."""
        said = time.monotonic()
        size = self.vectors.batch
        for first in range(0, len(waiting), size):
            try:
                lasting = self._batch(waiting[first : first + size])
            except EmbedderMissing as error:
                self.warnings.append(f"no vectors are made: {error}")
                self._hold(waiting[first:], str(error))
                return False
            if lasting is not None:
                self.warnings.append(f"no vectors are made by {self.vectors.model}: {lasting}")
                self._hold(waiting[first + size :], lasting)
                return False
            if self.progress is not None and time.monotonic() - said > 1:
                said = time.monotonic()
                self.progress(f"made {self.made} of {len(waiting)} vectors")
        return True

    def _batch(self, batch: Sequence[Pending]) -> str | None:
        """Make and keep a batch; return why to stop, None to go on."""
        rows = self.near.rows(one.id for one in batch)
        batch = [one for one in batch if one.id in rows]
        items: list[Item] = []
        unknown: dict[int, str] = {}
        for one in batch:
            row = rows[one.id]
            heading = None
            if self.vectors.door is not None:
                heading = self.app.view.heading(row.key)
                if heading is None or heading.text_hash != row.text_hash:
                    # What may be sent is judged by the heading: one that is not known stays here.
                    unknown[one.id] = f"{WITHHELD}: the prose of it is not read in"
                    continue
            items.append((heading, row.embedded))
        known = [one for one in batch if one.id not in unknown]
        made = self.vectors.embed(items)
        good = [index for index in range(len(known)) if index not in made.failed]
        if good:
            fresh = [Fresh(known[index].id, known[index].mark) for index in good]
            self.made += self.near.put_vectors(self.vectors.model, fresh, made.matrix[good])
        failed = {known[index].id: reason for index, reason in made.failed.items()}
        if failed or unknown:
            self.near.hold(self.vectors.model, failed | unknown)
        tried = [reason for reason in failed.values() if not reason.startswith(WITHHELD)]
        stop = not good and bool(tried) and all(reason in LASTING for reason in tried)
        return tried[0] if stop else None

    def _hold(self, waiting: Sequence[Pending], reason: str) -> None:
        self.near.hold(self.vectors.model, {one.id: reason for one in waiting})
