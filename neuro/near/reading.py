"""The read side of Near: rows, words, links, vectors, and the digest N."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from neuro.near import links
from neuro.near.rows import COLUMNS, Row, row_of
from neuro.near.schema import NearDamaged, damage
from neuro.near.tokens import normal
from neuro.near.vectors import VectorFile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from neuro.near.vectors import Matrix

_MANY = 500
"""Ids asked for in one statement."""


_LEFT = (
    "from heading h left join vector v on v.heading = h.id and v.model = :model"
    " and v.dim = (select dim from model where name = :model)"
)
_PENDING = f"{_LEFT} where v.heading is null"


class Pending(NamedTuple):
    """A heading without a vector of a model: its id, the mark of its embedded text, its key."""

    id: int
    mark: str
    key: str


@dataclass(frozen=True, slots=True)
class Nearness:
    """The digest N, over how many headings, and how many of them await a vector."""

    digest: str
    headings: int
    pending: int


class Reading:
    """What the near index knows. Writes nothing."""

    def __init__(self, db: sqlite3.Connection, file: VectorFile) -> None:
        self._db = db
        self._file = file
        self._depth = 0
        self._written = 0
        self._vectors: tuple[object, NDArray[np.int64], Matrix] | None = None

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all calls inside see one state, whatever other processes commit meanwhile."""
        with self._guarded():
            if not self._depth and not self._db.in_transaction:
                self._db.execute("begin")
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if not self._depth and self._db.in_transaction:
                    self._db.execute("commit")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Turn what SQLite says of a broken file into NearDamaged."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            if not damage(error) or isinstance(error, sqlite3.ProgrammingError):
                raise
            path = self._file.path.with_name("near.db")
            raise NearDamaged(str(path), f"it does not read ({error})") from error

    # --- rows ---------------------------------------------------------------------------------

    def files(self) -> dict[str, str]:
        """Return {path: token} of what was taken in."""
        return dict(self._db.execute("select path, token from file").fetchall())

    def count(self) -> int:
        """Return the number of headings."""
        return int(self._db.execute("select count(*) from heading").fetchone()[0])

    def ids(self) -> list[int]:
        """Return the ids of all headings in (path, line) order."""
        return [row[0] for row in self._db.execute("select id from heading order by path, line")]

    def rows(self, ids: Iterable[int]) -> dict[int, Row]:
        """Return the headings with these ids; ids that are gone are left out."""
        return {
            number: row_of(rest)
            for number, *rest in self._in(f"select id, {COLUMNS} from heading where id in", ids)
        }

    def ids_of(self, keys: Iterable[str]) -> dict[str, int]:
        """Return {key: id} of the headings with these keys; of two the first by path and line."""
        found = self._in("select key, path, line, id from heading where key in", keys)
        return {key: number for key, _, _, number in sorted(found, reverse=True)}

    def ids_at(self, path: str) -> list[int]:
        """Return the ids of a file's headings in line order."""
        query = "select id from heading where path = ? order by line, id"
        return [row[0] for row in self._db.execute(query, (path,))]

    def titled(self, folded: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """Return {folded title: ids by path and line} of the headings with these titles.

        Titles are folded as names are (symbolic.names.fold).
        """
        found = self._in("select folded, path, line, id from heading where folded in", folded)
        groups: dict[str, list[int]] = {}
        for title, _, _, number in sorted(found):
            groups.setdefault(title, []).append(number)
        return {title: tuple(numbers) for title, numbers in groups.items()}

    def places(self, ids: Iterable[int]) -> dict[int, tuple[str, int]]:
        """Return {id: (path, line)}."""
        found = self._in("select id, path, line from heading where id in", ids)
        return {number: (path, line) for number, path, line in found}

    def tagged(self, tag: str) -> frozenset[int]:
        """Return the headings that have or inherit a tag; case does not count."""
        wanted = normal(tag)
        rows = self._db.execute("select id, tags from heading where tags <> '[]'")
        return frozenset(
            number for number, tags in rows if wanted in map(normal, json.loads(tags))
        )

    def filed(self, part: str) -> frozenset[int]:
        """Return the headings of files whose path has `part` in it; case does not count."""
        wanted = normal(part)
        paths = [path for path in self.files() if wanted in normal(path)]
        return frozenset(
            number for number, in self._in("select id from heading where path in", paths)
        )

    # --- words --------------------------------------------------------------------------------

    def match(
        self, expression: str, weights: Sequence[float], limit: int | None = None
    ) -> list[tuple[int, float]]:
        """Return (id, score) of the headings an FTS5 expression finds, best first.

        `weights` are of title, ancestors, body, grams. A lower score is better, as in bm25().
        """
        marks = ", ".join("?" * len(weights))
        query = (
            f"select rowid, bm25(words, {marks}) as score from words where words match ?"
            " order by score, rowid limit ?"
        )
        args = (*weights, expression, -1 if limit is None else limit)
        return self._db.execute(query, args).fetchall()

    def matching(self, expression: str) -> list[int]:
        """Return the ids of all headings an FTS5 expression finds, unscored."""
        query = "select rowid from words where words match ? order by rowid"
        return [row[0] for row in self._db.execute(query, (expression,))]

    def documents(self, token: str) -> int:
        """Return in how many headings a token stands, in their own text or title.

        What stands above a heading does not count: the title of a large file is no common word.
        """
        query = "select max(doc) from vocabulary where term = ? and col <> 'ancestors'"
        return int(self._db.execute(query, (token,)).fetchone()[0] or 0)

    # --- links --------------------------------------------------------------------------------

    def links_from(self, ids: Iterable[int]) -> dict[int, frozenset[int]]:
        """Return {id: ids of the headings it links to}: by key, path, or a title that is unique."""
        return links.forward(self._db, ids)

    def links_to(self, ids: Iterable[int]) -> dict[int, frozenset[int]]:
        """Return {id: ids of the headings that link to it}, resolved as in `links_from`."""
        return links.backward(self._db, ids)

    # --- vectors ------------------------------------------------------------------------------

    def dim(self, model: str) -> int | None:
        """Return the dimension of a model's vectors, None if it has given none yet."""
        row = self._db.execute("select dim from model where name = ?", (model,)).fetchone()
        return None if row is None else int(row[0])

    def vectors(self, model: str) -> tuple[NDArray[np.int64], Matrix]:
        """Return (ids, matrix): row i of the mapped matrix is the vector of heading ids[i].

        Where ids[i] is 0 the row is free or another model's: leave it out. Remembered until
        somebody writes.
        """
        import numpy as np  # slow to import: only where vectors are compared

        dim = self.dim(model)
        if dim is None:
            return np.zeros(0, dtype=np.int64), np.zeros((0, 1), dtype=np.float32)
        version = self._db.execute("pragma data_version").fetchone()[0]
        state = (model, version, self._written)
        if self._vectors is None or self._vectors[0] != state:
            named = self._db.execute(
                "select slot, heading from vector where model = ? and dim = ?", (model, dim)
            ).fetchall()
            matrix = self._file.matrix(dim)
            ids = np.zeros(len(matrix), dtype=np.int64)
            if named:
                pairs = np.array(named, dtype=np.int64)
                pairs = pairs[pairs[:, 0] < len(matrix)]
                ids[pairs[:, 0]] = pairs[:, 1]
            self._vectors = (state, ids, matrix)
        return self._vectors[1], self._vectors[2]

    def pending(self, model: str) -> list[Pending]:
        """Return the headings without a vector of `model` and its dimension, by path and line."""
        return [Pending(*row) for row in self._db.execute(
            f"select h.id, h.mark, h.key {_PENDING} order by h.path, h.line", {"model": model}
        )]  # fmt: skip

    def pending_count(self, model: str) -> int:
        """Return how many headings have no vector of `model` and its dimension."""
        query = f"select count(*) {_PENDING}"
        return int(self._db.execute(query, {"model": model}).fetchone()[0])

    def held(self, model: str) -> dict[str, int]:
        """Return {reason: how many headings wait for it} for the pending ones of `model`."""
        query = (
            f"select d.reason {_LEFT} join held d on d.heading = h.id and d.model = :model"
            " where v.heading is null"
        )
        return dict(Counter(row[0] for row in self._db.execute(query, {"model": model})))

    def models(self) -> dict[tuple[str, int], int]:
        """Return {(model, dimension): how many vectors are kept of it}."""
        query = "select model, dim, count(*) from vector group by model, dim"
        return {(model, dim): count for model, dim, count in self._db.execute(query)}

    # --- health -------------------------------------------------------------------------------

    def digest(self, model: str) -> Nearness:
        """Return N: sha256 over the sorted (key, text hash, model) and the pending count."""
        rows = self._db.execute(
            f"select h.key, h.text_hash, v.model {_LEFT}", {"model": model}
        ).fetchall()
        pending = sum(1 for row in rows if row[2] is None)
        whole = hashlib.sha256()
        for row in sorted((key, text, name or "") for key, text, name in rows):
            whole.update(json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass"))
            whole.update(b"\n")
        whole.update(b"%d" % pending)
        return Nearness(whole.hexdigest(), len(rows), pending)

    def check(self) -> str | None:
        """Return what is wrong with near.db, None if it is whole. Reads all of it."""
        try:
            found = self._db.execute("pragma quick_check(1)").fetchone()[0]
            self._db.execute("insert into words(words) values ('integrity-check')")
        except sqlite3.DatabaseError as error:
            return str(error)
        return None if found == "ok" else str(found)

    def orphans(self) -> int:
        """Return how many vectors, links and words belong to no heading: 0 in a sound index."""
        return sum(
            int(self._db.execute(query).fetchone()[0])
            for query in (
                "select count(*) from vector where heading not in (select id from heading)",
                "select count(*) from link where heading not in (select id from heading)",
                "select count(*) from heading where path not in (select path from file)",
                "select abs((select count(*) from words_docsize) - (select count(*) from heading))",
            )
        )

    def free_floats(self) -> tuple[int, int]:
        """Return (floats of near.f32 that no vector uses, floats it holds)."""
        used = self._db.execute("select coalesce(sum(dim), 0) from vector").fetchone()[0]
        return self._file.floats - int(used), self._file.floats

    def _in(self, query: str, wanted: Iterable[object]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of `query` (which ends in `in`) for all that is wanted."""
        every = list(dict.fromkeys(wanted))
        for first in range(0, len(every), _MANY):
            part = every[first : first + _MANY]
            yield from self._db.execute(f"{query} ({', '.join('?' * len(part))})", part)
