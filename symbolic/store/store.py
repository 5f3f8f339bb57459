"""The store: the fold kept in SQLite, one transaction a change, read through `View`.

It is a cache of (prose, journal, gate rows, declarations): what it holds after any history of
changes is what one fold of the whole gives, and a lost or damaged file is rebuilt.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from symbolic import faults
from symbolic.errors import DiskRefused
from symbolic.records import Declarations, GateRow
from symbolic.store import kept
from symbolic.store.codec import fingerprint
from symbolic.store.following import Deduction
from symbolic.store.refusal import refused
from symbolic.store.schema import PATIENCE, StoreDamaged, connect, damage
from symbolic.store.undone import WIPE
from symbolic.store.view import Reading
from symbolic.store.work import Terms
from symbolic.vocabulary import Vocabulary
from symbolic.world import Change, View

_PUT = "insert into {} values (?, ?) on conflict({}) do update set value = excluded.value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """The fids and conflict ids that are not as they were before a change."""

    facts: frozenset[str] = frozenset()
    conflicts: frozenset[str] = frozenset()


class Store(Reading):
    """A `View` over facts.db, and the one door through which it is written.

    One `Store` is one connection: it is used by one thread at a time. Other processes may read
    while it writes; `snapshot` keeps what several calls see from moving under them.
    """

    def __init__(
        self, db: sqlite3.Connection, path: Path | None, declarations: Declarations, zone: str
    ) -> None:
        self._db = db
        self._path = path
        self._terms = Terms(db)
        self._deduction = Deduction(db, self._terms)
        self._words = Vocabulary(declarations)
        self._hashed: tuple[Declarations | None, str] = None, ""
        self._zone = zone
        self._depth = 0
        self._unwiped = True

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        declarations: Declarations,
        rows: Sequence[GateRow] | None,
        zone: str = "UTC",
        settle: bool = True,
    ) -> Store:
        """Open the index at `path`, made if it is not there, under these declarations and rows.

        What differs from those last applied is applied now, unless `settle` is off: then the
        caller asks `current`; `rows` of None are those last applied. Raises StoreDamaged if the
        file is damaged, of another version or not ours; LockHeld, DiskRefused or
        ConfigurationError where it is refused.
        """
        return cls._start(path, declarations, rows, zone, settle)

    @classmethod
    def memory(
        cls,
        *,
        declarations: Declarations | None = None,
        rows: Sequence[GateRow] = (),
        zone: str = "UTC",
    ) -> Store:
        """Return a store that lives in memory and goes with it."""
        return cls._start(None, declarations or Declarations(), rows, zone, True)

    @classmethod
    def _start(
        cls, path: Path | None, declarations: Declarations, rows: Sequence[GateRow] | None,
        zone: str, settle: bool,
    ) -> Store:
        with _guarded(path):
            store = cls(connect(path), path, declarations, zone)
        try:
            with _guarded(path):
                store._wipe()
                if settle and not store.current(declarations, rows, zone):
                    rows = None if rows is None else tuple(rows)
                    store.apply(Change(declarations=declarations, rows=rows, zone=zone))
        except BaseException:
            store._db.close()
            raise
        return store

    def copy(self) -> Store:
        """Return a store in memory that holds what this one holds, for when the disk refuses."""
        db = connect(None)
        with _guarded(self._path):
            self._db.backup(db)
        return Store(db, None, self._words.declarations, self._zone)

    def current(
        self, declarations: Declarations, rows: Sequence[GateRow] | None, zone: str
    ) -> bool:
        """Return whether these are what was last applied, be it by another process.

        `rows` of None are.
        """
        return (
            self.told(declarations)
            and (rows is None or self.meta("rows") == fingerprint(tuple(rows)))
            and self.meta("zone") == zone
        )

    def told(self, declarations: Declarations) -> bool:
        """Return whether these declarations are what was last applied."""
        if declarations is not self._hashed[0]:
            self._hashed = declarations, fingerprint(declarations)
        return self.meta("declarations") == self._hashed[1]

    def assume(self, declarations: Declarations) -> None:
        """Judge by `declarations` from here on: another process has applied them."""
        self._words = Vocabulary(declarations)

    def close(self) -> None:
        """Close the connection; a checkpoint goes first, if nobody reads."""
        if self._path is not None:
            # Somebody else may be at it: then the log is read at the next opening.
            with suppress(sqlite3.OperationalError):
                self._db.execute("pragma wal_checkpoint(passive)").fetchone()
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing ------------------------------------------------------------------------------

    def apply(
        self,
        change: Change,
        stats: Mapping[str, str] | None = None,
        meta: Mapping[str, str] | None = None,
        *,
        wait: bool = True,
    ) -> Touched:
        """Fold `change` in one transaction, with file stats and watermarks of whoever syncs.

        Lines already folded are passed over. `stats` takes the place of the stats of the paths it
        names; a path of the change that it does not name is forgotten. On any error nothing is
        done. Raises StoreDamaged if the file turns out to be damaged; LockHeld while another
        process is in a transaction, at once without `wait`; DiskRefused and ConfigurationError
        where the disk refuses.
        """
        if self._depth:
            raise RuntimeError("apply inside a snapshot: what was read would be old already")
        before = (self._words, self._zone)
        with _guarded(self._path):
            self._begin(wait)
            try:
                wiping = self._wiping()
                touched = self._fold(change)
                self._save(change, stats or {}, meta or {})
                self._pass("index.commit")
                self._db.execute("commit")
                self._pass("index.committed")
                self._terms.trim()
            except BaseException:
                self._words, self._zone = before
                self._terms.forget()
                self._deduction.forget()
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise
            if self._unwiped:
                self._wipe()
            if wiping and change.paths:
                self._truncate()
        return touched

    @contextmanager
    def trial(self, change: Change) -> Iterator[View]:
        """Show what `change` would make of all that is known; nothing of it stays.

        It takes the place of a transaction, so use it on a `copy`: nobody has to wait for that.
        """
        before = (self._words, self._zone)
        with _guarded(self._path):
            self._begin(wait=True)
            self._depth += 1
            try:
                self._fold(change)
                yield self
            finally:
                self._depth -= 1
                self._words, self._zone = before
                self._db.execute("rollback")
                self._terms.forget()
                self._deduction.forget()

    def tips(self) -> dict[str, tuple[tuple[int, str], ...]]:
        """Return the ends of all branches by device: what a line written now would have seen."""
        return kept.tips(self._db)

    def vacuum(self) -> None:
        """Write the file anew without the space that deleted rows left.

        Needs as much free disk as the file takes. Raises sqlite3.OperationalError if it is busy.
        """
        with _guarded(self._path):
            self._db.execute("vacuum")
            self._db.execute("pragma wal_checkpoint(truncate)").fetchone()

    def _wiping(self) -> bool:
        """Whether something is redacted: then what is deleted is overwritten, the log as well.

        What was redacted may still stand in notes, and go with them later.
        """
        if self._db.execute("select 1 from line where void = 1 limit 1").fetchone() is None:
            return False
        self._db.execute("pragma secure_delete = on").fetchone()
        return True

    def _truncate(self) -> bool:
        """Empty the log, unless somebody else is reading; whether it is empty."""
        with suppress(sqlite3.OperationalError):
            return not self._db.execute("pragma wal_checkpoint(truncate)").fetchone()[0]
        return False

    def _wipe(self) -> None:
        """Write the file anew, and empty its log, if pages may still hold what was redacted."""
        self._unwiped = self.meta(WIPE) is not None
        if not self._unwiped:
            return
        # Somebody else may be reading: then the next opening does it.
        with suppress(sqlite3.OperationalError):
            self._db.execute("pragma secure_delete = on").fetchone()
            self._db.execute(
                "delete from term where id not in"
                " (select e from fact union select r from fact union select v from fact"
                " union select e from piece union select v from piece)"
            )
            self._terms.forget()
            self._deduction.forget()
            self._db.execute("vacuum")
            self._db.execute("delete from meta where key = ?", (WIPE,))
            if not self._truncate():
                self._db.execute("insert or replace into meta values (?, '1')", (WIPE,))

    def _fold(self, change: Change) -> Touched:
        # Imported late: reading verbs start quicker without all that folds.
        from symbolic.store.update import fold

        anew = False
        if change.declarations is not None:
            anew = self.meta("declarations") != fingerprint(change.declarations)
            self._words = Vocabulary(change.declarations)
        if change.zone is not None:
            anew = anew or self.meta("zone") != change.zone
            self._zone = change.zone
        if change.rows is not None and self.meta("rows") == fingerprint(change.rows):
            change = replace(change, rows=None)
        if not anew and change.nothing:
            return Touched()
        work = self._work(change.seen_at)
        # What the fold reads through itself must not end the transaction.
        self._depth += 1
        try:
            fold(work, change, self, self._deduction, anew=anew)
        finally:
            self._depth -= 1
        self._unwiped = self._unwiped or work.redacted
        return Touched(facts=frozenset(work.changed), conflicts=frozenset(work.conflicts))

    def _save(
        self, change: Change, stats: Mapping[str, str], meta: Mapping[str, str]
    ) -> None:
        db = self._db
        saved = dict(meta)
        if change.declarations is not None:
            saved["declarations"] = fingerprint(change.declarations)
        if change.rows is not None:
            saved["rows"] = fingerprint(change.rows)
        if change.zone is not None:
            saved["zone"] = change.zone
        for sql, rows in (
            ("delete from stat where path = ?", [(path,) for path in change.paths]),
            (_PUT.format("stat", "path"), list(stats.items())),
            (_PUT.format("meta", "key"), list(saved.items())),
        ):
            if rows:
                db.executemany(sql, rows)

    def _pass(self, point: str) -> None:
        """Pass a fail point; no disk refuses a store in memory."""
        if self._path is not None:
            faults.at(point)

    def _begin(self, wait: bool) -> None:
        if wait:
            self._db.execute("begin immediate")
            return
        self._db.execute("pragma busy_timeout = 0")
        try:
            self._db.execute("begin immediate")
        finally:
            self._db.execute(f"pragma busy_timeout = {PATIENCE}")


@contextmanager
def _guarded(path: Path | None) -> Iterator[None]:
    """Turn what SQLite says of a broken file into StoreDamaged, of a refusal into its PpError."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        name = ":memory:" if path is None else str(path)
        if damage(error) and not isinstance(error, sqlite3.ProgrammingError):
            raise StoreDamaged(name, f"it does not read ({error})") from error
        told = refused(error, name)
        if told is None:
            raise
        raise told from error
    except OSError as error:
        # Only a fail point gets here: SQLite says it in its own words.
        raise DiskRefused(f"the disk refuses {path}: {error.strerror}") from error
