"""Near: the neural index, its words and its vectors. Read by search, written by sync.

::

    apply(changed, removed)   rows and words, one transaction    a heading whose embedded text is
    put_vectors(...)          file first, then near.db            new has no vector: it is pending

It holds what search shows, so that search needs nothing else. Raises NearDamaged where near.db
turns out to be broken, OSError where near.f32 is refused by the disk, and sqlite3.OperationalError
where near.db is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from neuro.near import update
from neuro.near.reading import Reading
from neuro.near.rows import Row
from neuro.near.schema import DB, VECTORS, NearDamaged, connect, remove
from neuro.near.vectors import At, VectorFile

if TYPE_CHECKING:
    from neuro.near.vectors import Matrix


WIPED = "wiped"
"""In meta: what had been redacted when the file was last wiped; deletions are secure since."""


def _pass(_: str) -> None:
    """Do nothing: no fail point is armed."""


class Fresh(NamedTuple):
    """A heading a vector was made for: its id, and the mark of the text that was embedded."""

    id: int
    mark: str


class Near(Reading):
    """The near index in a state folder. One `Near` is one connection, used by one thread."""

    def __init__(self, db: sqlite3.Connection, folder: Path, at: At) -> None:
        super().__init__(db, VectorFile(folder / VECTORS, at))
        self.folder = folder
        self.note: str | None = None
        """What opening found to be wrong, as a sentence; None if nothing was."""
        self._at = at

    @classmethod
    def open(cls, folder: Path, *, at: At = _pass, mend: bool = True) -> Near:
        """Open the index in `folder`, made if it is not there; a damaged one is made anew, empty.

        Vectors that near.db names and near.f32 no longer holds are pending again. `note` says what
        was wrong. With `mend` off nothing is changed: NearDamaged is raised, and such vectors are
        only told of. `at` is called at the fail points near.append, near.appended, near.words.
        """
        try:
            return cls._opened(folder, at, mend)
        except NearDamaged as error:
            if not mend:
                raise
            remove(folder)
            near = cls._opened(folder, at, mend)
            near.note = f"{error.path} is damaged ({error.reason}); it is built again by `pp sync`"
            return near

    @classmethod
    def _opened(cls, folder: Path, at: At, mend: bool) -> Near:
        near = cls(connect(folder / DB), folder, at)
        try:
            with near._guarded():
                near._missing(mend)
        except BaseException:
            near._db.close()
            raise
        return near

    def close(self) -> None:
        """Close the connection; a checkpoint goes first, if nobody reads."""
        with suppress(sqlite3.OperationalError):
            self._db.execute("pragma wal_checkpoint(passive)").fetchone()
        self._db.close()

    def __enter__(self) -> Near:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- writing ------------------------------------------------------------------------------

    def apply(
        self,
        changed: Mapping[str, tuple[str, Sequence[Row]]],
        removed: Iterable[str] = (),
    ) -> None:
        """Take in {path: (token, its rows)} and forget the paths in `removed`; all or nothing.

        A heading whose embedded text is as before, be it at another place, keeps its vector.
        """
        with self._writing():
            wiping = self._wiped() is not None
            if wiping:
                self._db.execute("pragma secure_delete = on").fetchone()
            update.replace(self._db, changed, removed)
            if wiping:
                update.forget_words(self._db)
            self._at("near.words")
        if wiping:
            self._truncate()

    def wipe(self, mark: str) -> None:
        """Leave no byte of what was deleted, from here on as well, unless that is done for `mark`.

        `mark` says what was redacted; it is noted once nobody's reading has kept the log from being
        emptied. The words are written anew and with them the whole file.
        """
        with self._guarded():
            if self._wiped() == mark:
                return
            with suppress(sqlite3.OperationalError):
                self._db.execute("pragma secure_delete = on").fetchone()
                update.forget_words(self._db)
                self._db.execute("vacuum")
                if self._truncate():
                    self._db.execute("insert or replace into meta values (?, ?)", (WIPED, mark))

    def _wiped(self) -> str | None:
        row = self._db.execute("select value from meta where key = ?", (WIPED,)).fetchone()
        return None if row is None else str(row[0])

    def _truncate(self) -> bool:
        """Empty the log, unless somebody else is reading; whether it is empty."""
        with suppress(sqlite3.OperationalError):
            return not self._db.execute("pragma wal_checkpoint(truncate)").fetchone()[0]
        return False

    def put_vectors(self, model: str, fresh: Sequence[Fresh], matrix: Matrix) -> int:
        """Keep row i of `matrix` as the vector of `fresh[i]`; return how many were kept.

        A heading that changed meanwhile is passed over. From here on `model` has the dimension of
        `matrix`: its vectors of another one are pending again.
        """
        dim = int(matrix.shape[1])
        with self._writing():
            kept = update.current(self._db, fresh)
            if kept:
                slots = update.slots(self._db, len(kept), dim)
                self._file.write(slots, matrix[kept])
                ids = [fresh[index].id for index in kept]
                update.name_vectors(self._db, model, dim, ids, slots)
        return len(kept)

    def hold(self, model: str, reasons: Mapping[int, str]) -> None:
        """Note why headings (by id) have no vector of `model` yet."""
        with self._writing():
            self._db.executemany(
                "insert or replace into held select ?, ?, ?"
                " where exists (select 1 from heading where id = ?)",
                [(number, model, reason, number) for number, reason in reasons.items()],
            )

    def _missing(self, mend: bool) -> None:
        """Make vectors pending that lie beyond the end of near.f32, or only tell of them."""
        floats = self._file.floats
        beyond = "select count(*) from vector where (slot + 1) * dim > ?"
        last = "select max((slot + 1) * dim) from vector"
        if (self._db.execute(last).fetchone()[0] or 0) <= floats:
            return
        gone = self._db.execute(beyond, (floats,)).fetchone()[0]
        if mend:
            with self._writing():
                self._db.execute("delete from vector where (slot + 1) * dim > ?", (floats,))
        self.note = f"{gone} vectors are missing in {self._file.path}; `pp sync` makes them again"

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: committed at the end, or nothing was done."""
        with self._guarded():
            self._db.execute("begin immediate")
            try:
                yield
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise
            finally:
                self._written += 1


