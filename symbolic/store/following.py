"""What rules derive, as a store reads it, and the engine that one store's changes keep warm.

Reading needs neither the engine nor the rules' text, so neither is loaded until it is asked for.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import TYPE_CHECKING

from symbolic.records import Declarations, RuleFile
from symbolic.store.work import Terms

if TYPE_CHECKING:
    from symbolic.deduction.engine import Engine
    from symbolic.deduction.reading import Reader
    from symbolic.rules.program import Program
    from symbolic.rules.syntax import Rule


class Deduction:
    """The program that a store runs by, what reads its results, and its engine."""

    def __init__(self, db: sqlite3.Connection, terms: Terms) -> None:
        self._db, self._terms = db, terms
        self._engine: Engine | None = None
        self._compiled: tuple[tuple[object, ...], Program] | None = None

    @property
    def engine(self) -> Engine:
        """The engine; made when the first change is worked in."""
        if self._engine is None:
            from symbolic.deduction.engine import Engine

            self._engine = Engine(self._db, self._terms)
        return self._engine

    def forget(self) -> None:
        """Drop what is remembered: the transaction it comes from was rolled back."""
        if self._engine is not None:
            self._engine.forget()

    def recompile(self) -> None:
        """Let the program be made again: it was made under other declarations."""
        self._compiled = None

    def files(self) -> tuple[RuleFile, ...]:
        """Return the rule files last applied, in the order of their names."""
        rows = self._db.execute("select name, text from rulefile order by name").fetchall()
        return tuple(RuleFile(name=str(name), text=str(text)) for name, text in rows)

    def program(self, declarations: Declarations, zone: str) -> Program:
        """Return the program of the files last applied."""
        from symbolic.rules.program import compile

        files = self.files()
        key = (files, zone, id(declarations))
        if self._compiled is None or self._compiled[0] != key:
            self._compiled = (key, compile(files, declarations, zone))
        return self._compiled[1]

    def reader(self, declarations: Declarations, zone: str) -> Reader:
        """Return what reads the results; it writes nothing."""
        from symbolic.deduction.reading import Reader
        from symbolic.deduction.state import Numbers

        numbers = Numbers(self._db)
        numbers.load()
        rules = _Rules(self, declarations, zone)
        return Reader(self._db, numbers, self._terms, rules.known, self._fid)

    def over(self, declarations: Declarations, zone: str) -> Mapping[str, int]:
        """Return {name of a rule: triples counted} of components that derive too much."""
        rows = self._db.execute(
            "select s.rule, max(s.count) from silent s where s.count > 0 group by s.rule"
        ).fetchall()
        rules = _Rules(self, declarations, zone).known() if rows else {}
        found = [(rules[n].name, int(count)) for n, count in rows if n in rules]
        return dict(sorted(found))

    def numbered(self, declarations: Declarations, zone: str) -> Mapping[int, Rule]:
        """Return the rules that run by the numbers that supports name them by."""
        from symbolic.deduction.components import text_of

        texts = {text: number for number, text in self._db.execute("select id, text from rule")}
        return {
            texts[text]: rule for rule in self.program(declarations, zone).rules
            if (text := text_of(rule, zone)) in texts
        }

    def _fid(self, number: int) -> str:
        row = self._db.execute("select fid from fact where id = ?", (number,)).fetchone()
        return str(row[0])


class _Rules:
    """Rules by number, made when the first support is read and no sooner."""

    def __init__(self, deduction: Deduction, declarations: Declarations, zone: str) -> None:
        self._asked = (deduction, declarations, zone)
        self._known: Mapping[int, Rule] | None = None

    def known(self) -> Mapping[int, Rule]:
        if self._known is None:
            deduction, declarations, zone = self._asked
            self._known = deduction.numbered(declarations, zone)
        return self._known
