"""facts.db as bridge holds it: opened without waiting, followed by what the journal holds.

Who reads never waits and takes no lock. What the index lacks of the journal is folded in at once if
nobody else is at it; if somebody is, what he has committed is read: the line that it may lack has
not been reported as done yet. Whatever is settled is settled by writers, under the writer lock.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from bridge import declared
from symbolic.errors import DiskRefused, LockHeld
from symbolic.journal.lock import WriterLock
from symbolic.journal.marks import Mark
from symbolic.records import Declarations, Line
from symbolic.store.schema import StoreDamaged
from symbolic.store.store import Store
from symbolic.world import Change

# Loaded when they are asked for: most reading verbs find what was declared in the index itself,
# and start in two thirds of the time.
if TYPE_CHECKING:
    from gates.tables import Tables
    from ontology.bootstrap import Seed

FACTS = "facts.db"
APPLIED = "ontology.applied"
"""The ontology file as the last whole sync took it in: what changed since is the next one's."""

_TAKEN = "ontology"
"""Where the store keeps the ontology file that its declarations are of. It runs ahead of APPLIED
while a sync is under way, or when one was killed."""

_MARKS = "marks"
_BYTES = "latin-1"
"""Any bytes as a text, and back."""


class Source:
    """The gate tables, None for the shipped ones, and what they say."""

    def __init__(self, tables: Tables | None) -> None:
        self._given = tables

    @property
    def shipped(self) -> bool:
        """Whether they are the program's own."""
        return self._given is None

    @cached_property
    def _tables(self) -> Tables:
        from gates.tables import SHIPPED

        return SHIPPED if self._given is None else self._given

    @cached_property
    def seed(self) -> Seed:
        """What they say."""
        from ontology.bootstrap import seed

        return seed(self._tables)

    @cached_property
    def hash(self) -> str:
        """Their hash."""
        from ontology.bootstrap import tables_hash

        return tables_hash(self._tables)


@dataclass(frozen=True, slots=True)
class Judged:
    """What the index should judge by: the shipped seed, the ontology as last taken in, the zone."""

    seed: Seed
    declarations: Declarations
    zone: str

    def settled(self, store: Store) -> bool:
        """Return whether it is what `store` was last told."""
        return store.current(self.declarations, self.seed.rows, self.zone)

    def settle(self, store: Store, *, wait: bool = True) -> None:
        """Tell `store`, and fold all again where that changes something. Raises as `apply`."""
        if self.settled(store):
            store.assume(self.declarations)
            return
        store.apply(
            Change(declarations=self.declarations, rows=self.seed.rows, zone=self.zone), wait=wait
        )


def judged_by(state: Path, source: Source, zone: str) -> Judged:
    """Return what the index in `state` should judge by now."""
    return Judged(source.seed, _declared(_applied(state), source.seed), zone)


def open_index(state: Path, source: Source, zone: str, notes: list[str]) -> Store:
    """Open facts.db in `state`, for reading at first. A damaged one is begun anew, with a note.

    Raises LockHeld, DiskRefused or ConfigurationError where it cannot even be read.
    """
    path = state / FACTS
    try:
        store = _open(path, zone)
    except StoreDamaged as error:
        notes.append(f"{path} is damaged ({error}); `pp sync` builds it again")
        # Another process may have begun it anew meanwhile, and be writing.
        with WriterLock(state):
            try:
                store = _open(path, zone)
            except StoreDamaged:
                remove_index(path)
                store = _open(path, zone)
    try:
        known = declared.recall(store, state / APPLIED) if source.shipped else None
        if known is not None and store.current(known, None, zone):
            store.assume(known)
        else:
            judged = judged_by(state, source, zone)
            store.assume(judged.declarations)
            _read_as(store, judged, notes)
    except BaseException:
        store.close()
        raise
    return store


def keep_declared(store: Store, state: Path, source: Source) -> None:
    """Let the next opening read back what the index is declared under; see `declared`."""
    mark = declared.made_of(state / APPLIED) if source.shipped else ""
    kept = declared.kept(mark, store)
    if any(store.meta(key) != value for key, value in kept.items()):
        store.apply(Change(), meta=kept)


def _open(path: Path, zone: str) -> Store:
    return Store.open(path, declarations=Declarations(), rows=None, zone=zone, settle=False)


def follow(store: Store, source: Source) -> None:
    """Judge by the declarations that the index was told last, be it by another process."""
    if not store.told(store.declarations):
        _follow(store, source.seed)


def _follow(store: Store, seed: Seed) -> None:
    text = store.meta(_TAKEN)
    if text is not None and not store.told(store.declarations):
        ahead = _declared(text.encode(_BYTES), seed)
        if store.told(ahead):
            store.assume(ahead)


def _read_as(store: Store, judged: Judged, notes: list[str]) -> None:
    """Let a store that was told other things be read by what it was told, or tell it."""
    if judged.settled(store):
        return
    _follow(store, judged.seed)
    if store.current(store.declarations, judged.seed.rows, judged.zone):
        return
    try:
        judged.settle(store, wait=False)
    except LockHeld:
        notes.append("the index is being written: it is read as it is")
    except DiskRefused as error:
        notes.append(f"{error.message}; it is read as it is")


def catch_up(
    store: Store, lines: Sequence[Line], marks: dict[str, Mark], *, whole: bool = False,
    wait: bool = True,
) -> None:
    """Fold journal lines into the store with the marks of the files they stand in.

    `whole` says that they are all that the files hold.
    """
    rows = json.dumps({name: mark.row() for name, mark in sorted(marks.items())})
    if lines or whole or rows != store.meta(_MARKS):
        store.apply(Change(lines=tuple(lines), whole=whole), meta={_MARKS: rows}, wait=wait)


def marks_of(store: Store) -> dict[str, Mark]:
    """Return how far the store has read each journal file."""
    rows = json.loads(store.meta(_MARKS) or "{}")
    return {name: Mark.of_row(tuple(row)) for name, row in rows.items()}


def taken(text: bytes | None) -> dict[str, str]:
    """Return what a sync notes in the store of the ontology file `text` that it applies."""
    return {} if text is None else {_TAKEN: text.decode(_BYTES)}


def remove_index(path: Path) -> None:
    """Remove an index with its WAL: a left-over WAL would bring old rows back."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm", APPLIED):
        path.with_name(name).unlink(missing_ok=True)


def _applied(state: Path) -> bytes | None:
    try:
        return (state / APPLIED).read_bytes()
    except FileNotFoundError:
        return None


def _declared(data: bytes | None, seed: Seed) -> Declarations:
    if data is None:
        return seed.declarations
    from ontology.merge import load

    return load(data, seed.declarations).declarations
