"""Deduction as the last stage of a change: rules and rows in, what follows kept up to date.

It runs in the transaction of the change, after spells and conflicts are settled, so that a kill
leaves both or neither.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from symbolic.deduction.state import Known
from symbolic.deduction.tables import Row
from symbolic.records import RuleFile
from symbolic.rules.program import Program
from symbolic.store.breaches import flag
from symbolic.store.feeding import rows_of, rows_reading
from symbolic.store.following import Deduction
from symbolic.store.withholding import Withholding
from symbolic.store.work import Work, joined
from symbolic.world import Change

_BARRING = ("reject", "undo", "reconcile", "redo", "redact")
"""Kinds of lines after which a person's refusal of a deduced fact may be another."""


def _name(file: RuleFile) -> str:
    return file.name


class Stage:
    """Works changes into what one store's rules derive."""

    def __init__(self, deduction: Deduction, work: Work) -> None:
        self._deduction = deduction
        self._engine = deduction.engine
        self._db = work.db

    def play(self, work: Work, change: Change, *, anew: bool) -> None:
        """Bring what follows up to date with the facts that `work` changed."""
        files = self._deduction.files()
        if change.rules is not None and sorted(change.rules, key=_name) == list(files):
            change = replace(change, rules=None)
        if change.rules is not None:
            self._db.execute("delete from rulefile")
            self._db.executemany(
                "insert into rulefile values (?, ?)",
                [(file.name, file.text) for file in change.rules],
            )
        if anew:
            self._deduction.recompile()
        program = self._deduction.program(work.declarations, work.zone)
        if anew:
            self._renumber(work)
        self._derive(work, change, program, anew=anew)
        if program.constraints or anew or change.rules is not None:
            reader = self._deduction.reader(work.declarations, work.zone)
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
