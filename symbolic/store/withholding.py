"""What withholds a deduced triple: base rivals under an exclusive policy, and a person's reject.

Withheld is the part of its time in which such a rival surely holds (docs/fold.md, 13.5).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from symbolic.constraints import opponents
from symbolic.deduced import Triple
from symbolic.deduction.spans import Span
from symbolic.deduction.state import Key, Numbers
from symbolic.deduction.tables import BEGINNING, CLOSED, END, KINDS, STATED, WITHHELD
from symbolic.records import Name, NameKind, Policy
from symbolic.rules.syntax import Predicate
from symbolic.store.codec import unpack_written
from symbolic.store.facts import pack_spells
from symbolic.store.feeding import stretches
from symbolic.store.groups import Lookup
from symbolic.store.spells import Policies
from symbolic.store.work import Work, has, joined
from symbolic.timeline import Case

_BARRED = "from mention where role = 'bar' and kind = 'reject' and scope = 'everywhere'"
_ANYWHERE: Span = (BEGINNING, END)


class Withholding:
    """The guard of the engine over the store, for one transaction."""

    def __init__(self, work: Work, numbers: Numbers) -> None:
        self._work, self._numbers = work, numbers
        self._facts = Lookup(work)
        self._policies = Policies(work)
        self._guards: dict[tuple[str, Predicate], bool] = {}
        self._barred = self._rejected()

    def _rejected(self) -> set[tuple[str, Predicate]]:
        """Return the predicates of what a person rejects everywhere."""
        found = set()
        for (packed,) in self._work.db.execute(f"select distinct written {_BARRED}").fetchall():
            said = self._work.statement(unpack_written(str(packed)))
            if said is not None:
                found.add((said.domain, Predicate(said.relation.canon, not said.polarity)))
        return found

    def guards(self, domain: str, predicate: Predicate) -> bool:
        """Return whether anything of `predicate` may be withheld."""
        found = self._guards.get((domain, predicate))
        if found is None:
            found = self._guards[domain, predicate] = (domain, predicate) in self._barred or (
                self._exclusive(predicate.relation) and self._opposed(predicate)
            )
        return found

    def _exclusive(self, relation: str) -> bool:
        """Return whether a conflict over a relation may fall under an exclusive policy."""
        words = self._work.words
        classes = any(
            decl.policy is Policy.EXCLUSIVE for decl in words.declarations.classes.values()
        )
        for one in (relation, *words.opposites(relation)):
            decl = words.relation(one)
            if decl is None or decl.policy is None:
                if classes:
                    return True
            elif decl.policy is Policy.EXCLUSIVE:
                return True
        return False

    def _opposed(self, predicate: Predicate) -> bool:
        """Return whether a base fact may stand against one of `predicate` at all."""
        if predicate.denied or self._work.words.constrained(predicate.relation):
            return True
        name = Name(NameKind.NAME, predicate.relation, predicate.relation)
        number = self._work.terms.find(name)
        return number is not None and has(
            self._work.db, f"select 1 from fact where r = {number} and polarity = 0"
        )

    # --- spans --------------------------------------------------------------------------------

    def cuts(self, keys: Sequence[Key]) -> Mapping[Key, Sequence[Span]]:
        """Return the spans in which triples may not be deduced, of those that have any."""
        found = {key: self._cut(key) for key in keys}
        return {key: spans for key, spans in found.items() if spans}

    def _cut(self, key: Key) -> list[Span]:
        p, e, v = key
        known = self._numbers.at(p)
        terms = self._work.terms
        relation = known.predicate.relation
        name = Name(NameKind.NAME, relation, relation)
        entity, value = terms.name(e), terms.term(v)
        polarity = not known.predicate.denied
        if (known.domain, known.predicate) in self._barred:
            said = Triple(known.domain, entity, name, value, polarity).statement()
            if self._work.db.execute(f"select 1 {_BARRED} and fid = ?", (said.fid,)).fetchone():
                return [_ANYWHERE]
        policy = self._policies.of(known.domain, e, terms.id_of(name))
        case = Case(
            fid="", domain=known.domain, entity=entity, relation=relation, value=value,
            polarity=polarity, start=None, end=None, policy=policy,
        )  # fmt: skip
        return sorted({
            (lo, hi)
            for rival in opponents(case, self._facts, self._work.words)
            if Policy.EXCLUSIVE in (policy, rival.policy)
            for lo, hi, imprecise in stretches(
                rival.start, rival.end, pack_spells(rival.spells), self._work.zone
            )
            if not imprecise
        })  # fmt: skip

    # --- what is no longer as it was ----------------------------------------------------------

    def stale(self, terms: Iterable[int] | None) -> Iterator[Key]:
        """Yield the derived triples with one of `terms` whose pieces are not cut as they ought.

        All of them where `terms` is None.
        """
        guarded = [one for one in self._numbers.known.values()
                   if one.pieces and self.guards(one.domain, one.predicate)]
        numbers = {one.number for one in guarded} | self._held()
        if not numbers:
            return
        places = ", ".join(
            str(number * KINDS + kind + more) for number in sorted(numbers)
            for kind in (STATED, CLOSED) for more in (0, WITHHELD)
        )  # fmt: skip
        rows: dict[Key, list[tuple[bool, int, int]]] = {}
        db = self._work.db
        for sql in self._texts(places, everywhere=terms is None):
            found = db.execute(sql).fetchall() if terms is None else joined(db, terms, sql)
            for p, e, v, lo, hi in found:
                assert isinstance(p, int) and isinstance(e, int) and isinstance(v, int)
                assert isinstance(lo, int) and isinstance(hi, int)
                key = (p & ~WITHHELD, e, v)
                rows.setdefault(key, []).append((p % KINDS >= WITHHELD, lo, hi))
        cuts = self.cuts(list(rows))
        for key, pieces in rows.items():
            spans = cuts.get(key, ())
            if any(_amiss(held, lo, hi, spans) for held, lo, hi in pieces):
                yield key

    def _held(self) -> set[int]:
        """Return the predicates of which something is withheld today."""
        sql = "select 1 from piece where p in (? + 4, ? + 5) limit 1"
        return {
            number for number, one in self._numbers.known.items()
            if one.pieces and self._work.db.execute(sql, (number * KINDS,) * 2).fetchone()
        }  # fmt: skip

    @staticmethod
    def _texts(places: str, *, everywhere: bool) -> list[str]:
        picked = f"p, e, v, lo, hi from piece where p in ({places}) and head is not null"
        if everywhere:
            return [f"select {picked}"]
        return [
            f"select p, e, v, lo, hi from want cross join piece indexed by piece_p{end}"
            f" where p in ({places}) and {end} = k and head is not null" for end in "ev"
        ]  # fmt: skip


def _amiss(held: bool, lo: int, hi: int, spans: Sequence[Span]) -> bool:
    """Return whether a piece is where it ought not to be: cut and kept, or held and free."""
    if not held:
        return any(start < hi and lo < end for start, end in spans)
    reached = lo
    for start, end in sorted(spans):
        if start > reached:
            break
        reached = max(reached, end)
    return reached < hi


