"""Answers to questions: rows of terms with the spans in which they hold, and what that is worth.

verified    a row is there, and every absence it rests on is known
absent      no row, and nothing that could make one can be missing: all relations are complete
unverified  neither
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from symbolic.asking.joins import Joiner, Match, Source, complete
from symbolic.asking.question import Aggregate, Column, Question
from symbolic.asking.spans import ALWAYS, Span, cut, minus, union
from symbolic.canon import term_key
from symbolic.names import fold
from symbolic.query import Status
from symbolic.records import Term, Value, ValueKind
from symbolic.rules.compare import compare
from symbolic.rules.syntax import Operator
from symbolic.values import Reach, number, plain
from symbolic.world import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row: its terms in the order of the columns, when it holds, the facts it rests on.

    `part` is set where it does not hold over all of the time asked for.
    """

    terms: tuple[Term, ...]
    spans: tuple[Span, ...]
    facts: tuple[Source, ...]
    part: bool = False
    undated: bool = False
    verified: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The answer to a question."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    status: Status
    notes: tuple[str, ...] = ()


def ask(
    view: View, question: Question, *, now: int, at: Reach | None = None, all_: bool = False,
    domain: str | None = None,
) -> Table:
    """Return the rows that hold at `now`, at `at`, or with `all_` at any time."""
    joiner = Joiner(view, now=now, domain=domain, undated=at is None)
    matches = list(joiner.matches(question.rule))
    notes: list[str] = []
    if question.aggregated:
        lines = list(_aggregated(view, question, matches, notes))
    else:
        lines = list(_projected(question.columns, matches))
    window = None if all_ else at or Reach(now, now + 1)
    shown = [line for one in lines if (line := _shown(one, window)) is not None]
    shown.sort(key=lambda line: (tuple(map(term_key, line.terms)), line.spans))
    unknown = sorted({name for match in matches for name in match.open})
    if unknown and any(not line.verified for line in shown):
        notes.append(
            f"unverified: that nothing says {', '.join(unknown)} is not known, only not found"
        )
    return Table(
        columns=question.columns, lines=tuple(shown), status=_status(view, question, shown, domain),
        notes=tuple(notes),
    )


def _status(
    view: View, question: Question, shown: Sequence[Line], domain: str | None
) -> Status:
    if shown:
        sure = all(line.verified for line in shown)
        return Status.VERIFIED if sure else Status.UNVERIFIED
    where = question.rule.domain or domain
    positive = {atom.relation for atom in question.rule.positive}
    known = all(complete(view, name, fold(where) if where else None) for name in positive)
    return Status.ABSENT if positive and known else Status.UNVERIFIED


def _shown(line: Line, window: Reach | None) -> Line | None:
    """Return a row as a time asked for sees it, None if it does not hold then."""
    if window is None:
        return line
    asked = (window.lo, window.hi)
    if not any(cut(span, asked) for span in line.spans):
        return None
    part = bool(minus([asked], line.spans))
    return Line(
        terms=line.terms, spans=line.spans, facts=line.facts, part=part, undated=line.undated,
        verified=line.verified,
    )


def _projected(columns: Sequence[Column], matches: Iterable[Match]) -> Iterable[Line]:
    groups: dict[tuple[Term, ...], list[Match]] = {}
    for match in matches:
        terms = tuple(match.bindings[column.variable] for column in columns)
        groups.setdefault(terms, []).append(match)
    for terms, found in groups.items():
        yield _line(terms, found, union(span for match in found for span in match.spans))


def _line(terms: tuple[Term, ...], found: Sequence[Match], spans: tuple[Span, ...]) -> Line:
    return Line(
        terms=terms, spans=spans,
        facts=tuple(dict.fromkeys(one for match in found for one in match.facts)),
        undated=any(match.undated for match in found),
        verified=all(not match.open for match in found),
    )


# --- aggregation ------------------------------------------------------------------------------


def _aggregated(
    view: View, question: Question, matches: Iterable[Match], notes: list[str]
) -> Iterable[Line]:
    """Yield a row for each group and each stretch over which its aggregates stay the same."""
    plain_ = [column for column in question.columns if column.aggregate is None]
    groups: dict[tuple[Term, ...], list[Match]] = {}
    for match in matches:
        key = tuple(match.bindings[column.variable] for column in plain_)
        groups.setdefault(key, []).append(match)
    for key, found in groups.items():
        rows: dict[tuple[Term, ...], list[tuple[Span, list[Match]]]] = {}
        for span in _elementary(found):
            here = [m for m in found if any(cut(one, span) for one in m.spans)]
            made = _made(question.columns, key, here, view.zone, notes) if here else None
            if made is not None:
                rows.setdefault(made, []).append((span, here))
        for terms, parts in rows.items():
            used = [match for _, here in parts for match in here]
            yield _line(terms, used, union(span for span, _ in parts))


def _elementary(found: Iterable[Match]) -> list[Span]:
    edges = sorted({*ALWAYS, *(edge for m in found for span in m.spans for edge in span)})
    return list(pairwise(edges))


def _made(
    columns: Sequence[Column], key: Sequence[Term], here: Sequence[Match], zone: str,
    notes: list[str],
) -> tuple[Term, ...] | None:
    group = iter(key)
    terms: list[Term] = []
    for column in columns:
        if column.aggregate is None:
            terms.append(next(group))
            continue
        values = {term_key(term): term for m in here for term in [m.bindings[column.variable]]}
        made = _aggregate(column.aggregate, list(values.values()), zone)
        if made is None:
            note = f"{column.title}: values that do not compare were left out"
            if note not in notes:
                notes.append(note)
            return None
        terms.append(made)
    return tuple(terms)


def _aggregate(what: Aggregate, values: Sequence[Term], zone: str) -> Term | None:
    """Return what is made of distinct values, None if they are not of one kind."""
    if what is Aggregate.COUNT:
        return _number(Decimal(len(values)), None)
    if what is Aggregate.SUM:
        return _sum(values)
    best = values[0]
    better, worse = (
        (Operator.LT, Operator.GE) if what is Aggregate.MIN else (Operator.GT, Operator.LE)
    )
    for value in values[1:]:
        if compare(better, value, best, zone):
            best = value
        elif not compare(worse, value, best, zone):
            return None
    return best


_NUMBERS = (ValueKind.INTEGER, ValueKind.DECIMAL, ValueKind.QUANTITY)


def _sum(values: Sequence[Term]) -> Term | None:
    total = Decimal(0)
    units = set()
    for value in values:
        amount = number(value.canon.split()[0]) if isinstance(value, Value) else None
        if not isinstance(value, Value) or value.kind not in _NUMBERS or amount is None:
            return None
        units.add(value.unit)
        total += amount
    return _number(total, units.pop()) if len(units) == 1 else None


def _number(amount: Decimal, unit: str | None) -> Value:
    text = plain(amount)
    if unit is not None:
        return Value(ValueKind.QUANTITY, f"{text} {unit}", f"{text} {unit}", unit)
    kind = ValueKind.INTEGER if amount == amount.to_integral_value() else ValueKind.DECIMAL
    return Value(kind, text, text)
