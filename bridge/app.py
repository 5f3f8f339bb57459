"""One memex, opened: journal, store and clock wired together.

Reading verbs use `App.view`. Writing verbs hold the writer lock with `App.writing()`, decide on
what the view shows inside, and `append`: the line is fsynced first, the store follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.index import (
    Source,
    catch_up,
    follow,
    judged_by,
    keep_declared,
    marks_of,
    open_index,
)
from bridge.settings import Settings
from symbolic.errors import (
    ConfigurationError,
    DiskRefused,
    IndexBehind,
    LockHeld,
    PpError,
    Usage,
)
from symbolic.journal.chain import read_tail
from symbolic.journal.clock import Clock, FixedClock, SystemClock
from symbolic.journal.device import read_device
from symbolic.journal.folder import first_open
from symbolic.journal.lines import Fault
from symbolic.journal.lock import break_lock
from symbolic.journal.marks import JournalState, Mark
from symbolic.records import Line
from symbolic.store.schema import StoreDamaged
from symbolic.store.store import Store
from symbolic.values import reach
from symbolic.world import View

# What follows is loaded by those who write: a reading verb starts in a third of the time without.
if TYPE_CHECKING:
    from bridge.decisions import Entry
    from gates.tables import Tables
    from ontology.bootstrap import Seed
    from symbolic.journal.writer import Opening, Writer

LAST_SYNC = "last-sync-ns"
"""Where the store keeps the clock of the last sync that read the prose into it."""


@dataclass(slots=True)
class App:
    """An open memex. Close it, or use it as a context."""

    settings: Settings
    memex_id: str
    state: Path
    store: Store
    source: Source
    clock: Clock
    journal: JournalState
    notes: list[str] = field(default_factory=list)
    _writer: Writer | None = None
    _inside: Writer | None = None
    _refused: Store | None = None
    """The index on the disk, once that has refused a line: `store` is then a copy in memory."""

    @property
    def view(self) -> View:
        """Everything that is known."""
        return self.store

    @property
    def now(self) -> int:
        """The present, or `--now`, in microseconds since year 1."""
        return reach(self.clock.now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")).lo

    @property
    def dev(self) -> str | None:
        """The device that this machine is; None until it has written a line."""
        if self._inside is not None:
            return self._inside.dev
        device = read_device(self.state)
        return None if device is None else device.dev

    @property
    def seed(self) -> Seed:
        """What the gate tables say."""
        return self.source.seed

    @property
    def tables(self) -> str:
        """The hash of the gate tables."""
        return self.source.hash

    @property
    def read_in(self) -> bool:
        """Whether a sync has read the prose into this index, be it a memex without any."""
        return self.store.meta(LAST_SYNC) is not None

    def header(self) -> dict[str, object]:
        """Return the header that D is made under."""
        from symbolic import digest

        return digest.header(self.store, self.tables, version("tzdata"))

    def close(self) -> None:
        """Let go of the index."""
        self.store.close()
        if self._refused is not None:
            self._refused.close()

    def __enter__(self) -> App:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read_on(self) -> None:
        """Fold in what the journal holds and the index lacks, unless somebody is at it."""
        lines, marks, whole = self.journal.lines, dict(self.journal.marks), self.journal.whole
        try:
            catch_up(self.store, lines, marks, whole=whole, wait=False)
        except LockHeld:
            return
        except (DiskRefused, ConfigurationError, OSError) as error:
            catch_up(self._in_memory(error), lines, marks, whole=whole)

    @contextmanager
    def reading(self) -> Iterator[App]:
        """Let all that is asked inside see one state, whatever other processes commit."""
        with self.store.snapshot():
            follow(self.store, self.source)
            yield self

    def keep_declared(self) -> None:
        """Let the next opening read back what the index is declared under."""
        keep_declared(self.store, self.state, self.source)

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
            opening=opening(self.settings, self.memex_id), known=self.marks(), folded=self.store,
        )
        with writer:
            self._settle()
            if writer.cut is not None:
                self.notes.append(
                    f"{writer.cut.file}:{writer.cut.line}: a torn last line was cut off: "
                    f"{writer.cut.excerpt}"
                )
            self._fold(writer.news.lines, writer.marks, whole=writer.news.whole)
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
        return marks_of(self.store)

    def _settle(self) -> None:
        """Judge by the ontology as it was last taken in, be it by another process a moment ago."""
        judged = judged_by(self.state, self.source, self.settings.zone)
        try:
            judged.settle(self.store)
        except (DiskRefused, OSError) as error:
            judged.settle(self._in_memory(error))

    def _fold(
        self, lines: Sequence[Line], marks: dict[str, Mark], *, whole: bool = False
    ) -> None:
        """Let the store follow the journal. What stands there is made, so the index may refuse."""
        try:
            catch_up(self.store, lines, marks, whole=whole)
        except (DiskRefused, LockHeld, OSError, StoreDamaged) as error:
            catch_up(self._in_memory(error), lines, marks, whole=whole)

    def _in_memory(self, error: Exception) -> Store:
        """Go on with a copy of the index in memory, with a note why. Raises IndexBehind."""
        if self._refused is not None:
            raise error
        try:
            copy = self.store.copy()
        except (PpError, OSError, StoreDamaged) as second:
            raise IndexBehind(
                f"what was written to the journal stands, the index does not hold it ({error}; "
                f"then {second}): `pp sync` builds it again"
            ) from second
        self.notes.append(
            f"the index could not be written ({error}); what was decided stands in the journal, "
            "and the next command takes it in"
        )
        self._refused, self.store = self.store, copy
        return copy


@cache
def version(distribution: str) -> str:
    """Return the installed version of a distribution; looking it up reads files."""
    from importlib import metadata  # slow to load, and no question needs it

    return metadata.version(distribution)


def opening(settings: Settings, memex_id: str | None) -> Opening:
    """Return what an `open` line of this machine says."""
    import socket

    from symbolic.journal.writer import Opening

    return Opening(
        device=socket.gethostname(),
        zone=settings.zone,
        versions={"pp": version("passepartout-memex"), "tzdata": version("tzdata")},
        memex=memex_id,
    )


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
    source = Source(tables)
    notes: list[str] = list(settings.warnings)
    if settings.break_lock and break_lock(state):
        notes.append(f"the lock in {state} was broken, as you say that its holder is gone")
    store = open_index(state, source, settings.zone, notes)
    journal = read_tail(settings.journal, marks_of(store))
    clock: Clock = FixedClock(settings.now) if settings.now else SystemClock()
    app = App(settings, ident, state, store, source, clock, journal, notes)
    try:
        app.read_on()
    except BaseException:
        app.close()
        raise
    notes.extend(_faults(journal))
    return app


def _faults(journal: JournalState) -> list[str]:
    found = [
        f"{name} no longer holds what was read of it; the lines that were folded still count"
        for name in journal.rewound
    ]
    fault: Fault
    for fault in journal.faults:
        found.append(f"journal {fault.kind.value}: {fault}")
    return found
