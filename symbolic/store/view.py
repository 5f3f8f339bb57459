"""The read side of the store: `View`, and the narrower lookups that indexes make cheap."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from symbolic.deduced import Deduced, Support, Triple
from symbolic.deduction.reading import Reader, size_of
from symbolic.divergence import Divergence
from symbolic.names import fold
from symbolic.records import (
    Declarations,
    Line,
    Name,
    NameKind,
    Policy,
    ProseHeading,
    RuleFile,
    Statement,
    Term,
)
from symbolic.rules.program import Program
from symbolic.store import headings, kept, reading
from symbolic.store.codec import unpack_line, unpack_spells
from symbolic.store.deducing import Deduction
from symbolic.store.reading import classes_of
from symbolic.store.work import Terms, Work
from symbolic.vocabulary import Vocabulary
from symbolic.world import OPEN, Bar, Conflict, Fact, Proposal, Spell, Track

_TRIPLE = (
    "select domain, e, r, v, polarity from fact where fid = ? and start is null and end is null"
)


class Reading:
    """What is known, by indexed lookups. Writes nothing."""

    _db: sqlite3.Connection
    _terms: Terms
    _words: Vocabulary
    _zone: str
    _depth: int
    _deduction: Deduction

    def _work(self, seen_at: str = "") -> Work:
        return Work(
            db=self._db, terms=self._terms, words=self._words, zone=self._zone, seen_at=seen_at
        )

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all calls inside see one state, whatever other processes commit meanwhile."""
        if not self._depth and not self._db.in_transaction:
            self._db.execute("begin")
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth and self._db.in_transaction:
                self._db.execute("commit")

    @property
    def declarations(self) -> Declarations:
        """Today's declarations, seed and own."""
        return self._words.declarations

    @property
    def zone(self) -> str:
        """The memex's zone."""
        return self._zone

    # --- prose --------------------------------------------------------------------------------

    def heading(self, key: str) -> ProseHeading | None:
        """Return the heading with today's key `key`; of two the first in (path, offset) order."""
        row = self._db.execute(headings.ONE, (key,)).fetchone()
        return None if row is None else headings.heading_of(row)

    def headings(self, *, path: str | None = None) -> Iterable[ProseHeading]:
        """Return all headings, or those of one file, in (path, offset) order."""
        selected = (headings.ALL, ()) if path is None else (headings.OF_FILE, (path,))
        return [headings.heading_of(row) for row in self._db.execute(*selected).fetchall()]

    def titled(self, title: str) -> Iterable[ProseHeading]:
        """Return the headings whose title is `title`, folded, in (path, offset) order."""
        rows = self._db.execute(headings.TITLED, (fold(title),)).fetchall()
        return [headings.heading_of(row) for row in rows]

    def starting(self, prefix: str) -> Iterable[Fact | Line | Proposal | Conflict]:
        """Return what has an id that starts with `prefix`, hex digits in lower case."""
        # No hex digit sorts after `f`, so a range of the index holds just these.
        ends = (prefix, f"{prefix}g")
        with self.snapshot():
            facts = self._db.execute(reading.FACTS_BETWEEN, ends).fetchall()
            lines = self._db.execute(
                "select text, void from line where hash >= ? and hash < ? order by ord", ends
            ).fetchall()
            conflicts = self._db.execute(
                f"select {reading.CONFLICT} from conflict c where id >= ? and id < ? order by id",
                ends,
            ).fetchall()
            return [
                *reading.facts(self._db, self._terms, facts),
                *(unpack_line(text, bool(void)) for text, void in lines),
                *self._queued("between", ends),
                *reading.conflicts(self._db, conflicts),
            ]

    # --- facts --------------------------------------------------------------------------------

    def fact(self, fid: str) -> Fact | None:
        """Return a fact by its id."""
        if self._db.execute(reading.FACT_BY_FID, (fid,)).fetchone() is None:
            return None  # what is not there needs no snapshot
        with self.snapshot():
            rows = self._db.execute(reading.FACT_BY_FID, (fid,)).fetchall()
            return next(reading.facts(self._db, self._terms, rows), None)

    def facts(
        self,
        *,
        domain: str | None = None,
        entity: Name | None = None,
        relation: str | None = None,
        value: Term | None = None,
    ) -> Iterable[Fact]:
        """Return the facts with these parts (canonical; relation folded), in fid order."""
        name = None if relation is None else Name(NameKind.NAME, relation, relation)
        if reading.select_facts(self._terms, domain, entity, name, value) is None:
            return []  # what no term names needs no snapshot
        with self.snapshot():
            selected = reading.select_facts(self._terms, domain, entity, name, value)
            if selected is None:
                return []
            rows = self._db.execute(*selected).fetchall()
            return list(reading.facts(self._db, self._terms, rows))

    def facts_at(self, key: str) -> Iterable[Fact]:
        """Return the facts that have a live assertion at today's heading `key`, in fid order."""
        with self.snapshot():
            rows = self._db.execute(reading.FACTS_AT, (key, key)).fetchall()
            return list(reading.facts(self._db, self._terms, rows))

    def headings_naming(self, name: Name, most: int) -> tuple[str, ...]:
        """Return the headings (today's keys) of facts with `name` as entity or value.

        None at all if there are more than `most`, or so many sayings that they are not counted:
        the cost is bounded whatever the store holds.
        """
        number = self._terms.find(name)
        if number is None:
            return ()
        bound = reading.SAYINGS * most
        asked = (number, bound, number, bound, bound + 1)
        rows = self._db.execute(reading.HEADINGS_NAMING, asked).fetchall()
        keys = {str(key) for key, in rows if key is not None}
        return () if len(rows) > bound or len(keys) > most else tuple(sorted(keys))

    def spells(self, fid: str) -> tuple[Spell, ...]:
        """Return when a standing fact holds, in order of start."""
        row = self._db.execute("select spells from fact where fid = ?", (fid,)).fetchone()
        return () if row is None else unpack_spells(row[0])

    def policy(self, statement: Statement) -> Policy:
        """Return the policy that a statement falls under."""
        decl = self._words.relation(statement.relation.canon)
        if (decl and decl.policy is not None) or not self._words.classes_have_policies:
            return self._words.policy(statement.relation.canon, ())
        with self.snapshot():
            number = self._terms.find(statement.entity)
            classes = (
                classes_of(self._work(), statement.domain, number, trusted=True)
                if number is not None
                else ()
            )
        return self._words.policy(statement.relation.canon, classes)

    # --- what follows -------------------------------------------------------------------------

    def deduced(
        self,
        *,
        domain: str | None = None,
        entity: Name | None = None,
        relation: str | None = None,
        value: Term | None = None,
    ) -> Iterable[Deduced]:
        """Return what rules derive of triples with these parts, in fid order."""
        with self.snapshot():
            reader = self._reader()
            selected = reader.select(domain, entity, relation, value)
            found = [] if selected is None else list(reader.deduced(*selected))
        return sorted(found, key=lambda one: one.triple.statement().fid)

    def supports(self, fid: str) -> tuple[Support, ...]:
        """Return the kept supports of the triple of a fact, the smallest first."""
        with self.snapshot():
            reader = self._reader()
            row = self._db.execute(_TRIPLE, (fid,)).fetchone()
            if row is None:
                every = reader.deduced()
                triple = next((d.triple for d in every if d.triple.statement().fid == fid), None)
            else:
                domain, e, r, v, polarity = row
                terms = self._terms
                triple = Triple(
                    str(domain), terms.name(e), terms.name(r), terms.term(v), bool(polarity)
                )
            key = None if triple is None else reader.key(triple)
            return () if key is None else tuple(sorted(reader.supports(key), key=size_of))

    def rules(self) -> tuple[RuleFile, ...]:
        """Return the rule files, in the order of their names."""
        return self._deduction.files()

    def program(self) -> Program:
        """Return the rules that run, and what is wrong with those that do not."""
        return self._deduction.program(self._words.declarations, self._zone)

    def over(self) -> Mapping[str, int]:
        """Return {name of a rule: triples counted} of rules that derive nothing: it was too much.

        What reads what they would derive derives nothing either.
        """
        return self._deduction.over(self._words.declarations, self._zone)

    def _reader(self) -> Reader:
        return self._deduction.reader(self._words.declarations, self._zone)

    # --- conflicts ----------------------------------------------------------------------------

    def conflicts(self) -> tuple[Conflict, ...]:
        """Return all conflicts among standing facts, in id order."""
        with self.snapshot():
            rows = self._db.execute(
                f"select {reading.CONFLICT} from conflict c order by c.id"
            ).fetchall()
            return reading.conflicts(self._db, rows)

    def conflicts_of(self, fid: str) -> tuple[Conflict, ...]:
        """Return the conflicts that a fact is a member of, in id order."""
        with self.snapshot():
            rows = self._db.execute(
                f"select {reading.CONFLICT} from member m cross join conflict c"
                " on c.id = m.conflict where m.fid = ? order by c.id",
                (fid,),
            ).fetchall()
            return reading.conflicts(self._db, rows)

    # --- decisions ----------------------------------------------------------------------------

    def bars(self, cls: str | None = None) -> tuple[Bar, ...]:
        """Return active rejections and suppressions, of one class or all, in journal order."""
        if cls is None:
            rows = self._db.execute(reading.BARS).fetchall()
        else:
            rows = self._db.execute(reading.BARS_OF_CLASS, (cls,)).fetchall()
        if not rows:
            return ()
        return reading.bars(self._work(), rows)

    def proposals(
        self, *, id: str | None = None, fid: str | None = None, key: str | None = None,
        closed: bool = True,
    ) -> tuple[Proposal, ...]:
        """Return every proposal, closed ones included, in journal order; or those of one part."""
        for part, wanted in (("id", id), ("key", key), ("fid", fid)):
            if wanted is not None:
                made = self._queued(part, (wanted,))
                break
        else:
            made = self._queued("all" if closed else "open", ())
        return made if closed else tuple(one for one in made if one.state in OPEN)

    def _queued(self, part: str, args: tuple[str, ...]) -> tuple[Proposal, ...]:
        # Imported late: a question about facts does not pay for reading the queue.
        from symbolic.store import queue

        with self.snapshot():
            rows = self._db.execute(queue.QUERIES[part], args).fetchall()
            return queue.proposals(self._work(), rows)

    def tracks(self) -> tuple[Track, ...]:
        """Return every (statement, key) of the journal with where it is found today."""
        return reading.tracks(self._db.execute(reading.TRACKS).fetchall())

    # --- journal ------------------------------------------------------------------------------

    def line(self, event: str) -> Line | None:
        """Return a journal line by its hash; a redacted one has an empty body."""
        row = self._db.execute(
            "select text, void from line where hash = ?", (event,)
        ).fetchone()
        return None if row is None else unpack_line(row[0], bool(row[1]))

    def lines(self) -> Iterable[Line]:
        """Return all journal lines in the order."""
        rows = self._db.execute("select text, void from line order by ord").fetchall()
        return [unpack_line(text, bool(void)) for text, void in rows]

    def lines_of(self, kind: str) -> list[Line]:
        """Return the journal lines of one kind, in the order."""
        sql = "select text, void from line where kind = ? order by ord"
        rows = self._db.execute(sql, (kind,)).fetchall()
        return [unpack_line(text, bool(void)) for text, void in rows]

    def undone(self) -> Mapping[str, str]:
        """Return {event: hash of the undo line that takes it out of the fold}."""
        return dict(
            self._db.execute("select hash, undone from line where undone is not null").fetchall()
        )

    def runs(self, dev: str) -> Collection[str]:
        """Return the runs of the lines of `dev`."""
        return kept.runs(self._db, dev)

    def lacks(self, dev: str, here: Collection[str] | None) -> bool:
        """Return whether a line of `dev` is not among `here`; None: whether no file holds it."""
        return kept.lacks(self._db, dev, here)

    def tips(self) -> Mapping[str, tuple[tuple[int, str], ...]]:
        """Return {device: (seq, hash) of the ends of its branches}."""
        return kept.tips(self._db)

    def opened(self, dev: str) -> Line | None:
        """Return the last `open` line of the chain of `dev`."""
        return kept.opened(self._db, dev)

    def newest(self) -> str:
        """Return the newest `at` of the journal, "" if it has no line."""
        return kept.newest(self._db)

    def void(self) -> Mapping[str, frozenset[str]]:
        """Return {device: its redacted lines}."""
        found: dict[str, set[str]] = {}
        for dev, event in self._db.execute("select dev, hash from line where void = 1"):
            found.setdefault(dev, set()).add(event)
        return {dev: frozenset(events) for dev, events in found.items()}

    def behind(self) -> list[Line]:
        """Return the lines that count and that no file holds or carries, in the order."""
        return kept.behind(self._db)

    def divergences(self) -> tuple[Divergence, ...]:
        """Return the decisions of several devices that a person has to reconcile, in id order."""
        return reading.divergences(self._db.execute(reading.DIVERGENCES).fetchall())

    # --- what sync keeps here -----------------------------------------------------------------

    def stats(self) -> dict[str, str]:
        """Return {path: JSON text} as saved with the changes."""
        return dict(self._db.execute("select path, value from stat").fetchall())

    def meta(self, key: str) -> str | None:
        """Return a watermark saved with a change, None if there is none."""
        row = self._db.execute("select value from meta where key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def sizes(self) -> dict[str, int]:
        """Return the bytes of every table and index, the largest first.

        `free` is what deleted rows left behind. A SQLite without dbstat tells that alone.
        """
        page = self._db.execute("pragma page_size").fetchone()[0]
        free = self._db.execute("pragma freelist_count").fetchone()[0]
        found = {}
        with suppress(sqlite3.OperationalError):
            found = dict(
                self._db.execute(
                    "select name, sum(pgsize) from dbstat group by name order by 2 desc, 1"
                ).fetchall()
            )
        return {**found, "free": page * free}

    def check(self) -> str | None:
        """Return what is wrong with the file, None if it is whole. Reads all of it."""
        try:
            found = self._db.execute("pragma quick_check(1)").fetchone()[0]
        except sqlite3.DatabaseError as error:
            return str(error)
        return None if found == "ok" else str(found)
