"""One memex, opened: journal, store and clock wired together.

Reading verbs use `App.view`. Writing verbs hold the writer lock with `App.writing()`, decide on
what the view shows inside, and `append`: the line is fsynced first, the store follows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from bridge import declared
from bridge.settings import Settings
from symbolic.errors import ConfigurationError, Usage
from symbolic.journal.chain import first_open, read_tail
from symbolic.journal.clock import Clock, FixedClock, SystemClock
from symbolic.journal.lines import Fault, FaultKind
from symbolic.journal.marks import JournalState, Mark
from symbolic.records import Line
from symbolic.store.schema import StoreDamaged
from symbolic.store.store import Store
from symbolic.values import reach
from symbolic.world import Change, View

# What follows is loaded by those who write: a reading verb starts in a third of the time without.
if TYPE_CHECKING:
    from bridge.decisions import Entry
    from gates.tables import Tables
    from ontology.bootstrap import Seed
    from symbolic.journal.writer import Opening, Writer

FACTS = "facts.db"
APPLIED = "ontology.applied"
"""The ontology file as the last whole sync took it in: what changed since is the next one's."""

_MARKS = "marks"
LAST_SYNC = "last-sync-ns"
"""Where the store keeps the clock of the last sync that read the prose into it."""


@dataclass(slots=True)
class App:
    """An open memex. Close it, or use it as a context."""

    settings: Settings
    memex_id: str
    state: Path
    store: Store
    clock: Clock
    journal: JournalState
    notes: list[str] = field(default_factory=list)
    _tables: Tables | None = None
    _seed: Seed | None = None
    _inside: Writer | None = None

    @property
    def view(self) -> View:
        """Everything that is known."""
        return self.store

    @property
    def now(self) -> int:
        """The present, or `--now`, in microseconds since year 1."""
        return reach(self.clock.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")).lo

    @property
    def read_in(self) -> bool:
        """Whether a sync has read the prose into this index, be it a memex without any."""
        return self.store.meta(LAST_SYNC) is not None

    @property
    def seed(self) -> Seed:
        """What the gate tables say."""
        if self._seed is None:
            self._seed = _made(self._tables)
        return self._seed

    @property
    def tables(self) -> str:
        """The hash of the gate tables."""
        from ontology.bootstrap import tables_hash

        return tables_hash(_shipped(self._tables))

    def keep_declared(self) -> None:
        """Let the next opening read back what the index is declared under; see `declared`."""
        shipped = self._tables is None
        mark = declared.made_of(self.state / APPLIED) if shipped else ""
        if self.store.meta(declared.FROM) != mark:
            self.store.apply(Change(), meta=declared.kept(mark, self.store.declarations))

    def header(self) -> dict[str, object]:
        """Return the header that D is made under."""
        from importlib.metadata import version

        from symbolic import digest

        return digest.header(self.store, self.tables, version("tzdata"))

    def close(self) -> None:
        """Let go of the index."""
        self.store.close()

    def __enter__(self) -> App:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing --------------------------------------------------------------------------------

    @contextmanager
    def writing(self, verb: str, *, person: bool) -> Iterator[App]:
        """Hold the writer lock; the view is at the journal's head inside.

        `verb` and `person` say who writes. Raises Usage if `--now` is later than the clock.
        """
        fixed = self.settings.now
        if fixed is not None and fixed > datetime.now(UTC):
            raise Usage(f"--now {fixed.isoformat()} lies in the future: nothing is written then")
        from symbolic.journal.writer import Writer

        by = f"person:{self.settings.person}" if person else f"program:{verb}"
        writer = Writer(
            self.settings.journal, self.state, self.clock, by=by,
            opening=opening(self.settings, self.memex_id), known=self.marks(),
        )
        with writer:
            if writer.cut is not None:
                self.notes.append(
                    f"{writer.cut.file}:{writer.cut.line}: a torn last line was cut off: "
                    f"{writer.cut.excerpt}"
                )
            self._fold(writer.news.lines, writer.marks)
            self.journal = writer.news
            self._inside = writer
            try:
                yield self
            finally:
                self._inside = None

    def append(self, entries: Sequence[Entry], by: str | None = None) -> list[Line]:
        """Write journal lines, fsynced, and let the store follow. Inside `writing` only."""
        assert self._inside is not None, "append outside of writing()"
        before = len(self._inside.written)
        lines = self._inside.append([(kind, body, by) for kind, body in entries])
        self._fold(self._inside.written[before:], self._inside.marks)
        return lines

    def marks(self) -> dict[str, Mark]:
        """Return how far the store has read each journal file."""
        return _marks(self.store)

    def _fold(self, lines: Sequence[Line], marks: dict[str, Mark]) -> None:
        catch_up(self.store, lines, marks)


def opening(settings: Settings, memex_id: str | None) -> Opening:
    """Return what an `open` line of this machine says."""
    import socket
    from importlib.metadata import version

    from symbolic.journal.writer import Opening

    return Opening(
        device=socket.gethostname(),
        zone=settings.zone,
        versions={"pp": version("passepartout-memex"), "tzdata": version("tzdata")},
        memex=memex_id,
    )


def _marks(store: Store) -> dict[str, Mark]:
    rows = json.loads(store.meta(_MARKS) or "{}")
    return {name: Mark.of_row(tuple(row)) for name, row in rows.items()}


def catch_up(store: Store, lines: Sequence[Line], marks: dict[str, Mark]) -> None:
    """Fold journal lines into the store with the marks of the files they stand in."""
    rows = json.dumps({name: mark.row() for name, mark in sorted(marks.items())})
    if lines or rows != store.meta(_MARKS):
        store.apply(Change(lines=tuple(lines)), meta={_MARKS: rows})


def memex_id(settings: Settings) -> str:
    """Return the memex's id. Raises ConfigurationError if the folder is no memex."""
    first = first_open(settings.journal)
    if first is None:
        raise ConfigurationError(
            f"{settings.memex} is no memex yet: run `pp init {settings.memex}`, "
            "or name one with --memex or PP_MEMEX",
            key="no-memex",
        )
    return str(first.body["memex"])


def _shipped(tables: Tables | None) -> Tables:
    from gates.tables import SHIPPED

    return SHIPPED if tables is None else tables


def _made(tables: Tables | None) -> Seed:
    from ontology.bootstrap import seed

    return seed(_shipped(tables))


def open_app(settings: Settings, tables: Tables | None = None) -> App:
    """Open the memex of `settings`; the store is at the journal's head afterwards.

    `tables` are the gate tables whose rows are facts, None the shipped ones.

    Raises ConfigurationError for a folder that is no memex or a state folder that cannot be used.
    """
    ident = memex_id(settings)
    state = settings.state or settings.state_home / ident
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ConfigurationError(f"the state folder {state} cannot be made: {error}") from error
    notes: list[str] = list(settings.warnings)
    store = _open_store(state / FACTS, tables, settings, notes)
    journal = read_tail(settings.journal, _marks(store))
    catch_up(store, journal.lines, dict(journal.marks))
    notes.extend(_faults(journal))
    clock: Clock = FixedClock(settings.now) if settings.now else SystemClock()
    return App(settings, ident, state, store, clock, journal, notes, tables)


def _open_store(
    path: Path, tables: Tables | None, settings: Settings, notes: list[str]
) -> Store:
    try:
        return _open_as_declared(path, tables, settings)
    except StoreDamaged as error:
        notes.append(f"{path} is damaged ({error}); `pp sync` builds it again")
        remove_index(path)
        return _open_as_declared(path, tables, settings)


def _open_as_declared(path: Path, tables: Tables | None, settings: Settings) -> Store:
    """Open the store under the declarations of the last sync, made anew if anything changed."""
    applied = path.with_name(APPLIED)
    known = declared.recall(path, applied) if tables is None else None
    if known is not None:
        return Store.open(path, declarations=known, rows=None, zone=settings.zone)
    from ontology.merge import load

    made = _made(tables)
    try:
        found = load(applied.read_bytes(), made.declarations).declarations
    except FileNotFoundError:
        found = made.declarations
    return Store.open(path, declarations=found, rows=made.rows, zone=settings.zone)


def remove_index(path: Path) -> None:
    """Remove an index with its WAL: a left-over WAL would bring old rows back."""
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm", APPLIED):
        path.with_name(name).unlink(missing_ok=True)


def _faults(journal: JournalState) -> list[str]:
    found = [
        f"{name} no longer holds what was read of it; the lines that were folded still count"
        for name in journal.rewound
    ]
    fault: Fault
    for fault in journal.faults:
        kind = "newer" if fault.kind is FaultKind.NEWER else "broken"
        found.append(f"journal {kind}: {fault}")
    return found
