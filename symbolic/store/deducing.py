"""Deduction as the last stage of a change: rules and rows in, what follows kept up to date.

It runs in the transaction of the change, after spells and conflicts are settled, so that a kill
leaves both or neither.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from symbolic.deduction.components import text_of
from symbolic.deduction.engine import Engine
from symbolic.deduction.reading import Reader
from symbolic.deduction.state import Known, Numbers
from symbolic.deduction.tables import Row
from symbolic.records import Declarations, RuleFile
from symbolic.rules.program import Program, compile
from symbolic.rules.syntax import Rule
from symbolic.store.breaches import flag
from symbolic.store.feeding import rows_of, rows_reading
from symbolic.store.withholding import Withholding
from symbolic.store.work import Terms, Work, joined
from symbolic.world import Change

_BARRING = ("reject", "undo", "reconcile", "redo", "redact")
"""Kinds of lines after which a person's refusal of a deduced fact may be another."""


def _name(file: RuleFile) -> str:
    return file.name


class Deduction:
    """The engine of one store, and the program it runs by."""

    def __init__(self, db: sqlite3.Connection, terms: Terms) -> None:
        self._db, self._terms = db, terms
        self._engine = Engine(db, terms)
        self._compiled: tuple[tuple[object, ...], Program] | None = None

    def forget(self) -> None:
        """Drop what is remembered: the transaction it comes from was rolled back."""
        self._engine.forget()

    def files(self) -> tuple[RuleFile, ...]:
        """Return the rule files last applied, in the order of their names."""
        rows = self._db.execute("select name, text from rulefile order by name").fetchall()
        return tuple(RuleFile(name=str(name), text=str(text)) for name, text in rows)

    def program(self, declarations: Declarations, zone: str) -> Program:
        """Return the program of the files last applied."""
        files = self.files()
        key = (files, zone, id(declarations))
        if self._compiled is None or self._compiled[0] != key:
            self._compiled = (key, compile(files, declarations, zone))
        return self._compiled[1]

    # --- the stage ----------------------------------------------------------------------------

    def play(self, work: Work, change: Change, *, anew: bool) -> None:
        """Bring what follows up to date with the facts that `work` changed."""
        if change.rules is not None and sorted(change.rules, key=_name) == list(self.files()):
            change = replace(change, rules=None)
        if change.rules is not None:
            self._db.execute("delete from rulefile")
            self._db.executemany(
                "insert into rulefile values (?, ?)",
                [(file.name, file.text) for file in change.rules],
            )
        if anew:
            self._compiled = None
        program = self.program(work.declarations, work.zone)
        if anew:
            self._renumber(work)
        self._derive(work, change, program, anew=anew)
        if program.constraints or anew or change.rules is not None:
            reader = self.reader(work.declarations, work.zone)
            flag(work, self._engine if self._engine.ready else None, reader)

    def _derive(self, work: Work, change: Change, program: Program, *, anew: bool) -> None:
        ran = self._db.execute("select 1 from rule limit 1").fetchone() is not None
        if not program.rules and not program.constraints and not ran:
            self._engine.forget()
            return
        again = anew or change.rules is not None or not self._engine.ready
        if again:
            self._engine.numbers.load()
        guard = self._engine.guard = Withholding(work, self._engine.numbers)
        cold = not self._engine.numbers.known
        if again:
            self._engine.use(
                program, self._domains(), work.zone, lambda known: self._read(work, known)
            )
        if cold:
            return
        facts = self._touched(work)
        terms = self._ends(work, facts)
        told = anew or change.rules is not None
        wide = told or any(line.kind in _BARRING for line in change.lines)
        self._engine.change(
            facts, rows_of(work, self._engine, facts),
            list(guard.stale(None if wide else terms)) if facts or wide else (),
        )  # fmt: skip

    def _domains(self) -> list[str]:
        rows = self._db.execute(
            "select 'memex' union select domain from fact where domain <> 'memex'"
        ).fetchall()
        return [str(domain) for domain, in rows]

    def _read(self, work: Work, known: Iterable[Known]) -> list[Row]:
        return rows_reading(work, self._engine, [(one.domain, one.predicate) for one in known])

    def _touched(self, work: Work) -> set[int]:
        found = {
            int(str(number)) for number, in joined(
                self._db, work.changed, "select id from want cross join fact on fid = k"
            )
        }  # fmt: skip
        return found | work.gone.keys()

    def _ends(self, work: Work, facts: Collection[int]) -> set[int]:
        """Return the terms of facts as they are, and of the rows they fed."""
        found = {end for ends in work.gone.values() for end in ends}
        for sql in (
            "select e, v from want cross join fact on id = k",
            "select e, v from want cross join piece indexed by piece_fact on fact = k",
        ):
            for e, v in joined(self._db, facts, sql):
                assert isinstance(e, int) and isinstance(v, int)
                found |= {e, v}
        return found

    def _renumber(self, work: Work) -> None:
        """Give rows the ids that facts have after all of them were made again."""
        db = self._db
        db.execute(
            "update piece set fact = coalesce((select f.id from former o cross join fact f"
            " on f.fid = o.fid where o.id = piece.fact), -piece.fact) where fact is not null"
        )
        work.gone.update(
            (number, (e, v))
            for number, e, v in db.execute("select fact, e, v from piece where fact < 0")
        )
        db.execute("delete from former")

    # --- reading ------------------------------------------------------------------------------

    def reader(self, declarations: Declarations, zone: str) -> Reader:
        """Return what reads the results; it writes nothing, and compiles at most once."""
        texts = {text: number for number, text in self._db.execute("select id, text from rule")}
        rules: Mapping[int, Rule] = {
            texts[text]: rule for rule in self.program(declarations, zone).rules
            if (text := text_of(rule, zone)) in texts
        }  # fmt: skip
        numbers = Numbers(self._db)
        numbers.load()
        return Reader(self._db, numbers, self._terms, rules, self._fid)

    def over(self, declarations: Declarations, zone: str) -> Mapping[str, int]:
        """Return {name of a rule: triples counted} of components that derive too much."""
        names = {text_of(r, zone): r.name for r in self.program(declarations, zone).rules}
        rows = self._db.execute(
            "select r.text, max(s.count) from silent s join rule r on r.id = s.rule"
            " where s.count > 0 group by r.text"
        ).fetchall()
        found = [(names[str(text)], int(count)) for text, count in rows if text in names]
        return dict(sorted(found))

    def _fid(self, number: int) -> str:
        row = self._db.execute("select fid from fact where id = ?", (number,)).fetchone()
        return str(row[0])
