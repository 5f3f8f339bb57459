"""What base facts feed rules: a row for each stretch of each spell (docs/fold.md, 13.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from symbolic.deduction.engine import Engine
from symbolic.deduction.tables import BEGINNING, END, Row
from symbolic.records import TRUST, UNKNOWN, Name, NameKind, Provenance
from symbolic.rules.syntax import Predicate
from symbolic.store.assertions import LIVE
from symbolic.store.codec import ALWAYS, unpack_spells
from symbolic.store.facts import STANDING
from symbolic.store.work import Work, joined
from symbolic.values import FOREVER, reach
from symbolic.world import Spell

Stretch = tuple[int, int, int]
"""lo, hi, and 1 where only the reading of a bound as its first instant says that it holds."""

_FACT = "f.id, f.domain, f.e, f.r, f.v, f.polarity, f.start, f.end, f.spells"
_CHANGED = (
    f"select {_FACT} from want cross join fact f on f.id = k where f.standing = '{STANDING}'"
)
OF_RELATION = (
    f"select {_FACT} from fact f where f.r = ? and f.domain = ? and f.polarity = ?"
    f" and f.standing = '{STANDING}'"
)
_SAID = (
    f"select distinct fact, provenance from want cross join assertion on fact = k"
    f" where state = '{LIVE}'"
)


def rows_of(work: Work, engine: Engine, facts: Iterable[int]) -> list[Row]:
    """Return what the standing ones of `facts` feed the rules."""
    return _rows(work, engine, list(joined(work.db, facts, _CHANGED)))


def rows_reading(work: Work, engine: Engine, predicates: Iterable[tuple[str, Predicate]]) -> list[
    Row
]:
    """Return what all facts of some predicates feed the rules."""
    found: list[Sequence[object]] = []
    for domain, predicate in predicates:
        relation = Name(NameKind.NAME, predicate.relation, predicate.relation)
        number = work.terms.find(relation)
        if number is not None:
            asked = (number, domain, int(not predicate.denied))
            found += work.db.execute(OF_RELATION, asked).fetchall()
    return _rows(work, engine, found)


def _rows(work: Work, engine: Engine, facts: Sequence[Sequence[object]]) -> list[Row]:
    places: dict[tuple[object, object, object], int | None] = {}
    read: list[tuple[Sequence[object], int]] = []
    for fact in facts:
        key = (fact[1], fact[3], fact[5])
        if key not in places:
            assert isinstance(fact[3], int)
            relation = work.terms.name(fact[3]).canon
            places[key] = engine.place(str(fact[1]), Predicate(relation, not fact[5]))
        place = places[key]
        if place is not None:
            read.append((fact, place))
    trusts: dict[object, int] = {}
    for number, provenance in joined(work.db, [fact[0] for fact, _ in read], _SAID):
        trust = TRUST[Provenance(str(provenance))]
        trusts[number] = max(trust, trusts.get(number, trust))
    found: list[Row] = []
    for fact, place in read:
        number, _, e, _, v = fact[:5]
        assert isinstance(number, int) and isinstance(e, int) and isinstance(v, int)
        found += [
            Row(number, place, e, v, lo, hi, trusts[number], imprecise)
            for lo, hi, imprecise in stretches(fact[6], fact[7], fact[8], work.zone)
        ]
    return found


def stretches(start: object, end: object, spells: object, zone: str) -> Iterator[Stretch]:
    """Yield when a fact with these stated bounds and stored spells holds, and how surely."""
    vague = UNKNOWN in (start, end)
    if spells == ALWAYS:
        yield BEGINNING, END, int(vague)
        return
    for spell in unpack_spells(spells):
        yield from _stretches(spell, vague, zone)


def _stretches(spell: Spell, vague: bool, zone: str) -> Iterator[Stretch]:
    lo = BEGINNING if spell.start is None else reach(spell.start, zone).lo
    hi = END if spell.end is None else reach(spell.end, zone).lo
    if hi <= lo:
        return
    if vague:
        yield lo, hi, 1
        return
    sure = lo
    if spell.start is not None and "T" not in spell.start:
        sure = reach(spell.start, zone).hi
        yield lo, min(sure, hi), 1
    if sure < min(hi, FOREVER):
        yield sure, hi, 0
