"""A question asked once finds what a rule of the same body derives, instant by instant."""

from __future__ import annotations

import os
from collections import Counter

import pytest

from symbolic.asking.joins import Joiner, term_of
from symbolic.asking.spans import Span, union
from symbolic.canon import term_key
from symbolic.deduced import Triple
from symbolic.model.world import World, fold
from symbolic.records import Name
from symbolic.rules.syntax import Rule
from symbolic.values import FOREVER, Reach, name, reach
from symbolic.world import Spell
from tests.laws.rules_programs import SPELLED, TIMED, UNTIMED, Shape, draw

COUNT = 1000 if os.environ.get("HYPOTHESIS_PROFILE") == "laws" else 40


def asked(world: World, rule: Rule) -> dict[Triple, tuple[Span, ...]]:
    """Return what a question with the body of `rule` finds, as the head would say it."""
    found: dict[Triple, list[Span]] = {}
    head = rule.head
    assert head is not None
    joiner = Joiner(world, now=0, domain=None, undated=False, read=first_instants)
    for match in joiner.matches(rule):
        one, other = (term_of(end, match.bindings) for end in (head.entity, head.value))
        if head.either and isinstance(one, Name) and isinstance(other, Name):
            one, other = sorted((one, other), key=lambda term: (term.kind.value, term.canon))
        if isinstance(one, Name) and other is not None:
            assert match.domain is not None
            triple = Triple(match.domain, one, name(head.relation), other, not head.denied)
            found.setdefault(triple, []).extend(match.spans)
    return {triple: union(spans) for triple, spans in found.items()}


def derived(world: World, rule: Rule) -> dict[Triple, tuple[Span, ...]]:
    """Return what the reference says that `rule` supports."""
    found: dict[Triple, list[Span]] = {}
    for one in world.deduced():
        for support in world.supports(one.triple.statement().fid):
            if support.rule == rule.id:
                low = -FOREVER if support.lo is None else support.lo
                high = FOREVER if support.hi is None else support.hi
                found.setdefault(one.triple, []).append((low, high))
    return {triple: union(spans) for triple, spans in found.items()}


def first_instants(spell: Spell, zone: str) -> Reach:
    """Read a spell as rules do; a question reads an end before its start by its last instant."""
    low = -FOREVER if spell.start is None else reach(spell.start, zone).lo
    return Reach(low, FOREVER if spell.end is None else reach(spell.end, zone).lo)


def shown(found: dict[Triple, tuple[Span, ...]]) -> list[tuple[str, tuple[Span, ...]]]:
    return sorted(
        (f"{t.entity.canon} {t.relation.canon} {term_key(t.value)} {t.polarity}", spans)
        for t, spans in found.items()
    )


@pytest.mark.law
@pytest.mark.parametrize("shape", [UNTIMED, TIMED, SPELLED], ids=["untimed", "timed", "spelled"])
def test_a_question_finds_what_its_rule_derives(shape: Shape) -> None:
    seen: Counter[str] = Counter()
    for seed in range(COUNT):
        world = fold(draw(seed, shape).inputs)
        for rule in world.program().rules:
            if rule.head is None or rule.head.spell is not None:
                continue
            mine, theirs = asked(world, rule), derived(world, rule)
            assert shown(mine) == shown(theirs), f"seed {seed}: {rule}"
            seen["rules"] += 1
            seen["found"] += len(mine)
            seen["absent"] += bool(mine) and bool(rule.absent)
    assert seen["found"] > 2 * COUNT and seen["absent"] > 10
