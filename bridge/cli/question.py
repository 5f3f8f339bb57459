"""`pp query` of a rule: lines, an Org table, a table on a terminal, or JSON."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.cli.common import opened, put, put_json, say
from bridge.settings import Settings
from symbolic.asking.answers import Line, Table, ask
from symbolic.asking.joins import Source
from symbolic.asking.question import parse_question
from symbolic.asking.spans import Span
from symbolic.asof import as_of_view
from symbolic.derived import as_fact, spelt_term
from symbolic.errors import Usage
from symbolic.factjson import QUERY, Json, fact_json
from symbolic.labels import moment
from symbolic.model.world import fold
from symbolic.refer import References
from symbolic.rules.faults import Fault
from symbolic.tree import span_text, term_text
from symbolic.values import BadValue
from symbolic.world import Fact, View
from symbolic.zones import instant_in, told

if TYPE_CHECKING:
    from collections.abc import Sequence

WHEN = "when"


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """What a question is asked of: times as written, the reader's zone, one domain or all."""

    at: str | None
    as_of: str | None
    tz: str | None
    all_: bool
    domain: str | None


def put_answer(
    settings: Settings, text: str, times: Times, *, as_org: bool, as_json: bool
) -> None:
    """Ask what `text` asks and print the answer. Raises Usage if it cannot be read."""
    with opened(settings, reading=True) as app:
        view: View = app.view
        zone = times.tz or view.zone
        try:
            at = moment(times.at, zone) if times.at else None
            as_of = moment(times.as_of, zone) if times.as_of else None
        except BadValue as error:
            raise Usage(str(error)) from error
        notes: tuple[str, ...] = ()
        if as_of is not None:
            past = as_of_view(view, as_of.hi - 1, fold)
            view, notes = past.view, past.notes
        question = parse_question(text, view.declarations, view.zone)
        if isinstance(question, Fault):
            raise Usage(f"{question.message}\n  {question.excerpt}\n  {question.remedy}")
        found = ask(
            view, question, now=app.now, at=at, all_=times.all_, domain=times.domain
        )
        if as_json:
            put_json(table_json(view, found, zone, app.now))
        else:
            put_table(view, found, zone, org=as_org)
        for note in (*notes, *found.notes, *told(view.zone, times.tz)):
            say(note)


def put_table(view: View, table: Table, zone: str, *, org: bool) -> None:
    """Print an answer: an Org table if asked, a table on a terminal, else one line a row."""
    titles = [column.title for column in table.columns]
    rows = [
        [*(term_text(spelt_term(view, term)) for term in line.terms), when(line, zone)]
        for line in table.lines
    ]
    if org:
        put(org_table([*titles, WHEN], rows))
    elif rows and sys.stdout.isatty():
        _drawn([*titles, WHEN], rows)
    else:
        for row in rows:
            pairs = zip(titles, row[:-1], strict=True)
            put("  ".join([*(f"{title} = {text}" for title, text in pairs), row[-1]]))
    if not org:
        put(table.status.value if table.status.value != "absent" else "verified absent")


def when(line: Line, zone: str) -> str:
    """Return when a row holds, as people read it."""
    if line.undated:
        return "undated"
    text = " ".join(span_text(*bounds(span, zone)) for span in line.spans)
    return f"{text} part" if line.part else text


def bounds(span: Span, zone: str) -> tuple[str | None, str | None]:
    """Return a span as a pair of bounds in `zone`."""
    return instant_in(span[0], zone), instant_in(span[1], zone)


def org_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows as an Org table. A bar within a cell is Org's entity for one."""
    cells = [[cell.replace("|", r"\vert{}").replace("\n", " ") for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(titles, *cells, strict=True)]

    def line(row: Sequence[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        return f"| {' | '.join(padded)} |"

    rule = f"|{'+'.join('-' * (width + 2) for width in widths)}|"
    return "\n".join([line(titles), rule, *map(line, cells)])


def _drawn(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console  # slow to load, and only a terminal needs it
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(*titles)
    for row in rows:
        drawn.add_row(*map(Text, row))
    Console().print(drawn)


def _fact(view: View, one: Source) -> Fact | None:
    return view.fact(one) if isinstance(one, str) else as_fact(view, one)


def table_json(view: View, table: Table, zone: str, now: int) -> Json:
    """Return an answer as JSON: bindings by column, spells, and the whole facts it rests on."""
    links = References(view)
    body: Json = {
        "schema": QUERY,
        "status": table.status.value,
        "columns": [column.title for column in table.columns],
        "answers": [
            {
                "bindings": {
                    column.title: spelt_term(view, term).written
                    for column, term in zip(table.columns, line.terms, strict=True)
                },
                "spells": [list(bounds(span, zone)) for span in line.spans],
                "labels": [
                    word for word, told in (("part", line.part), ("undated", line.undated)) if told
                ],
                "verified": line.verified,
                "facts": [
                    fact_json(view, fact, now, links)
                    for one in line.facts if (fact := _fact(view, one)) is not None
                ],
            }
            for line in table.lines
        ],
    }
    if table.notes:
        body["notes"] = list(table.notes)
    return body
