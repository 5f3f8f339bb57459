"""The engine: what follows from base facts, kept up to date change by change.

::

    rows of facts ──diff──► pieces gone ──► over-delete ─┐       pieces came ─┐
                                                         ▼                    ▼
    for each component, lowest first:   absences and maximal spells that moved
                                        derive again from kept supports, or backward
                                        rounds of deltas: cand ──► pieces, supports ──► cand
                                        the cap

All of it happens in the caller's transaction, over a connection that the caller owns.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from symbolic.deduction import maximal, retract
from symbolic.deduction.components import Component, Strata, checks, components, stated, text_of
from symbolic.deduction.merge import smooth
from symbolic.deduction.reading import Reader
from symbolic.deduction.rounds import Rounds
from symbolic.deduction.state import (
    MIXED,
    Guard,
    Key,
    Known,
    Numbers,
    Run,
    Terms,
    Touched,
    Unguarded,
    blended,
)
from symbolic.deduction.tables import (
    BEGINNING,
    END,
    KINDS,
    MAXIMAL,
    STATED,
    SUPPORT_INDICES,
    WIDTH,
    Row,
)
from symbolic.records import Name
from symbolic.rules.compare import compare
from symbolic.rules.syntax import Operator, Predicate, Rule
from symbolic.rules.words import RULES_MAX_DERIVED

_MANY = 10_000
"""Rows of facts above which a first derivation leaves indices for its end."""

CAP = 8
"""Supports that are kept of a head, unless more are needed to carry it."""

Breach = tuple[Rule, str, tuple[int, ...], tuple[int, int]]
"""A rule without a head, the domain, the pieces that meet it (0 fills up), and when they do."""

Source = Callable[[Sequence[Known]], Iterable[Row]]
"""Returns the rows of all base facts of some predicates, for when rules begin to read them."""


class Engine:
    """Derives by the rules of a program over the rows of base facts."""

    def __init__(
        self, db: sqlite3.Connection, terms: Terms, *, limit: int | None = None,
        keep: int | None = None,
    ) -> None:  # fmt: skip
        """Take over the tables of `db`: `keep` supports a head, `limit` heads a component at most.

        `tables.TABLES` must be there, and `tables.SCRATCH` of this connection.
        """
        self._db, self._terms = db, terms
        self._zone = "UTC"
        self.guard: Guard = Unguarded()
        """What withholds; the caller may set another one for each change."""
        self.numbers = Numbers(db)
        self._rounds = Rounds(
            db, self.numbers, limit=RULES_MAX_DERIVED if limit is None else limit,
            keep=CAP if keep is None else keep,
        )  # fmt: skip
        self._program: Strata | None = None
        self._rules: dict[str, int] = {}
        self._domains: dict[str, list[Component]] = {}
        self._checks: dict[str, list[Component]] = {}
        self._reading: dict[str, frozenset[Predicate]] = {}
        self._functions()

    def _functions(self) -> None:
        term = self._terms.term

        def compares(operator: str, left: int, right: int) -> bool:
            return compare(Operator(operator), term(left), term(right), self._zone)

        def named(number: int) -> bool:
            return isinstance(term(number), Name)

        def turned(e: int, v: int) -> bool:
            one, other = term(e), term(v)
            if not isinstance(one, Name) or not isinstance(other, Name):
                return False
            return (other.kind.value, other.canon) < (one.kind.value, one.canon)

        self._db.create_function("compares", 3, compares)
        self._db.create_function("named", 1, named)
        self._db.create_function("turned", 2, turned)

    # --- what runs ----------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Whether there is a program to run by."""
        return self._program is not None

    def use(
        self, program: Strata, domains: Iterable[str], zone: str, source: Source
    ) -> Touched:
        """Run by `program` in `domains`; derive what new rules say, drop what old ones said.

        `source` gives the rows of predicates that are read for the first time.
        """
        self.forget()
        self._program, self._zone = program, zone
        self.numbers.load()
        self._rules = {
            str(text): number for number, text in self._db.execute("select id, text from rule")
        }
        wanted = {
            text_of(rule, self._zone) for stratum in program.strata for rule in stratum
            if rule.head is not None
        }  # fmt: skip
        fresh = sorted(wanted - set(self._rules))
        for text in fresh:
            cursor = self._db.execute("insert into rule(text) values (?)", (text,))
            self._rules[text] = int(cursor.lastrowid or 0)
        known = {one.domain for one in self.numbers.known.values()}
        for domain in sorted(known | set(domains)):
            self._enter(domain)
        run = self._begin()
        for text in sorted(set(self._rules) - wanted):
            retract.strike_rule(run, self._rules.pop(text))
            self._db.execute("delete from rule where text = ?", (text,))
        self._reread(run, source)
        self._derive(run, {self._rules[text] for text in fresh} | self._silent(anew=True))
        return self._end(run)

    def _reread(self, run: Run, source: Source) -> None:
        """Feed what rules begin to read, and let go what they no longer read."""
        begun: list[Known] = []
        gone: list[int] = []
        for one in run.numbers.known.values():
            wanted = one.predicate in self._reading[one.domain]
            if wanted and not one.fed:
                begun.append(one)
            elif one.fed and not wanted:
                gone += self._pieces_of(one, "fact is not null")
            one.fed = int(wanted)
        spelled = {
            places for one in self._every() for places in one.spelled
        }
        numbers = {places[0] // KINDS for places in spelled}
        for one in run.numbers.known.values():
            if one.spelled and one.number not in numbers:
                gone += self._pieces_of(one, f"p = {one.number * KINDS + MAXIMAL}")
            elif one.number in numbers and not one.spelled:
                run.note(0, (p for places in spelled for p in places if p // KINDS == one.number))
            one.spelled = int(one.number in numbers)
        if gone:
            retract.remove(run, gone)
        if begun:
            self._state(run, list(source(begun)))

    def _pieces_of(self, one: Known, condition: str) -> list[int]:
        return [row[0] for row in self._db.execute(
            f"select id from piece where p between ? and ? and {condition}",
            (one.number * KINDS, one.number * KINDS + KINDS - 1),
        )]  # fmt: skip

    def enter(self, domain: str) -> None:
        """Make ready for facts of a domain; rules run in each domain by themselves."""
        if domain not in self._domains:
            self._enter(domain)
            for predicate in self._reading[domain]:
                self.numbers.of(domain, predicate).fed = 1

    def _enter(self, domain: str) -> None:
        assert self._program is not None
        self._domains[domain] = components(
            self._program, domain, self.numbers, self._terms, self._rules, self._zone
        )
        self._checks[domain] = checks(self._program, domain, self.numbers, self._terms)
        self._reading[domain] = stated(self._program, domain)

    def reader(self, fid_of: Callable[[int], str]) -> Reader:
        """Return what reads the results back as records; `fid_of` names the base facts."""
        assert self._program is not None
        rules = {
            self._rules[text_of(rule, self._zone)]: rule for stratum in self._program.strata
            for rule in stratum if rule.head is not None
        }  # fmt: skip
        return Reader(self._db, self.numbers, self._terms, lambda: rules, fid_of)

    def forget(self) -> None:
        """Drop what is remembered: the transaction it comes from was rolled back."""
        self._program = None
        self._domains.clear()
        self._checks.clear()
        self._reading.clear()
        self._rules.clear()

    def place(self, domain: str, predicate: Predicate) -> int | None:
        """Return the `piece.p` under which base facts of `predicate` feed rules, None if none."""
        self.enter(domain)
        if predicate not in self._reading[domain]:
            return None
        return self.numbers.of(domain, predicate).number * KINDS + STATED

    # --- changes ------------------------------------------------------------------------------

    def change(
        self, facts: Iterable[int], rows: Iterable[Row], recut: Iterable[Key] = ()
    ) -> Touched:
        """Let `rows` be all that the base facts `facts` feed; return what that took.

        `recut` are triples whose withheld spans may be others.
        """
        run = self._begin()
        now: dict[int, list[Row]] = {fact: [] for fact in facts}
        for row in rows:
            now.setdefault(row.fact, []).append(row)
        gone: list[int] = []
        came: list[Row] = []
        for fact, wanted in now.items():
            left = dict.fromkeys(wanted)
            for number, *cells in self._db.execute(
                "select id, fact, p, e, v, lo, hi, trust, imprecise from piece where fact = ?",
                (fact,),
            ).fetchall():
                if Row(*cells) in left:
                    del left[Row(*cells)]
                else:
                    gone.append(number)
            came += left
        gone += self._cut(recut)
        if gone:
            retract.remove(run, gone)
        self._state(run, came)
        self._derive(run, set())
        return self._end(run)

    def _cut(self, keys: Iterable[Key]) -> Iterator[int]:
        for p, e, v in keys:
            for number, in self._db.execute(
                "select id from piece where p in (?, ? + 4) and e = ? and v = ?"
                " and head is not null", (p, p, e, v),
            ).fetchall():  # fmt: skip
                yield number

    def _state(self, run: Run, rows: Sequence[Row]) -> None:
        if not rows:
            return
        since = run.last
        self._db.executemany(
            "insert into piece(id, fact, p, e, v, lo, hi, trust, imprecise, round)"
            " values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
            [(since + at, *row) for at, row in enumerate(rows, start=1)],
        )
        run.last += len(rows)
        run.touched.stated += len(rows)
        for row in rows:
            known = run.numbers.at(row.p)
            always = (row.lo, row.hi, row.imprecise) == (BEGINNING, END, 0)
            known.stated += 1
            known.trust = blended(known.trust, row.trust if always else MIXED)
        run.note(since, {row.p for row in rows})

    def _begin(self) -> Run:
        if self._program is None:
            raise RuntimeError("a change before a program")
        last = self._db.execute("select coalesce(max(id), 0) from piece").fetchone()[0]
        every = list(self._every())
        watched = {
            p for one in every for p in (*one.absent, *(p for ps in one.spelled for p in ps))
        }
        width = max((len(plan.rule.positive) for one in every for plan in one.plans), default=1)
        return Run(
            db=self._db, numbers=self.numbers, mark=last, last=last,
            watched=frozenset(watched), width=WIDTH if width > WIDTH else width,
        )  # fmt: skip

    def _bulk(self, run: Run) -> None:
        """Leave the indices of supports for the end where there will be many and are none."""
        facts = sum(one.stated for one in run.numbers.known.values())
        if facts > _MANY and self._db.execute("select 1 from support limit 1").fetchone() is None:
            for name, _ in SUPPORT_INDICES:
                self._db.execute(f"drop index {name}")
            run.bulk = True

    def _end(self, run: Run) -> Touched:
        if run.bulk:
            for _, text in SUPPORT_INDICES:
                self._db.execute(text)
        for table in ("lost", "goal", "moved", "touched"):
            self._db.execute(f"delete from {table}")
        self.numbers.save()
        return run.touched

    # --- deriving -----------------------------------------------------------------------------

    def _every(self) -> Iterator[Component]:
        for found in (*self._domains.values(), *self._checks.values()):
            yield from found

    def breaches(self) -> Iterator[Breach]:
        """Yield how rules without a head are met: the rule, the domain, pieces and a stretch."""
        db = self._db
        mute = self._mute()
        for domain, found in self._checks.items():
            for one in found:
                if mute & {p // KINDS for p in one.inputs}:
                    continue
                (plan,) = one.plans
                self._rounds.run(plan.whole, plan, None)
                smooth(db, {plan.number: plan})
                rows = db.execute(
                    "select p1, p2, p3, p4, p5, p6, p7, p8, lo, hi from cand"
                ).fetchall()
                db.execute("delete from cand")
                for row in rows:
                    yield replace(plan.rule, head=None), domain, row[:-2], row[-2:]

    def _mute(self) -> set[int]:
        """Return the predicates of components that are silent."""
        silent = {(row[0], row[1]) for row in self._db.execute("select rule, domain from silent")}
        return {
            p // KINDS for domain, found in self._domains.items() for one in found
            if any((plan.number, domain) in silent for plan in one.plans) for p in one.heads
        }  # fmt: skip

    def _derive(self, run: Run, fresh: set[int]) -> None:
        """Bring every component up to date, lowest first; `fresh` rules are new."""
        self._bulk(run)
        for domain, found in self._domains.items():
            silent = self._silent(domain)
            mute: set[int] = set()
            for one in found:
                numbers = {plan.number for plan in one.plans}
                if mute & {p // KINDS for p in one.inputs}:
                    if not numbers <= silent:
                        self._silence(run, one, 0)
                    mute |= {p // KINDS for p in one.heads}
                    continue
                if numbers & silent:
                    if not one.inputs & run.changed and not numbers & fresh and self._over(one):
                        mute |= {p // KINDS for p in one.heads}
                        continue
                    self._db.executemany(
                        "delete from silent where rule = ? and domain = ?",
                        [(number, domain) for number in numbers],
                    )
                    count = self._rounds.settle(run, one, fresh | numbers, self.guard)
                else:
                    count = self._rounds.settle(run, one, fresh, self.guard)
                if count:
                    self._silence(run, one, count)
                    mute |= {p // KINDS for p in one.heads}
            for places in (places for one in self._checks[domain] for places in one.spelled):
                if run.moved & set(places):
                    maximal.refresh(run, places)

    def _silent(self, domain: str | None = None, *, anew: bool = False) -> set[int]:
        """Return the rules that are silent in `domain`, or in any; `anew` gives them a try."""
        found = {
            row[0] for row in self._db.execute(
                "select rule from silent where ? is null or domain = ?", (domain, domain)
            )
        }  # fmt: skip
        if anew:
            self._db.execute("delete from silent")
        return found

    def _over(self, one: Component) -> bool:
        """Return whether it was this component that derived too much, not one below it."""
        return self._db.execute(
            "select 1 from silent where rule = ? and domain = ? and count > 0",
            (one.plans[0].number, one.domain),
        ).fetchone() is not None

    def _silence(self, run: Run, one: Component, count: int) -> None:
        """Let a component derive nothing: it, or one below it, derived more than the limit."""
        db = self._db
        db.execute("delete from cand")
        for plan in one.plans:
            retract.strike_rule(run, plan.number, one.heads)
        for p in one.heads:
            db.execute("delete from lost where p = ?", (p,))
            db.execute("delete from goal where p = ?", (p,))
        run.lost -= one.heads
        db.execute("delete from touched")
        db.executemany(
            "insert or replace into silent values (?, ?, ?)",
            [(plan.number, one.domain, count) for plan in one.plans],
        )
