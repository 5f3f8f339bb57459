"""`pp query`: ask for facts, with no model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from bridge.cli.common import common, opened, put, put_json, say, zone_of
from bridge.settings import Settings

if TYPE_CHECKING:
    from symbolic.query import Answer
    from symbolic.world import Fold, View

_RULE = re.compile(r"""[^("]*?[\w'-]\(|\s*<=|\s*~""")
"""How what is written as a rule begins; a pattern has three words, a plist begins with `(`."""


@click.command(name="query")
@click.argument("pattern", nargs=-1, required=True)
@click.option("--at", metavar="T", help="What holds at T instead of now.")
@click.option("--as-of", "as_of", metavar="T", help="What was known at T.")
@click.option("--tz", metavar="ZONE", help="The zone of the days asked for and of times printed.")
@click.option("--all", "all_", is_flag=True, help="Every standing fact, with its labels.")
@click.option("--domain", metavar="NAME", help="Ask one provenance domain only.")
@click.option("--org", "as_org", is_flag=True, help="An Org table, of a question of rules.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(
    settings: Settings, pattern: tuple[str, ...], at: str | None, as_of: str | None, tz: str | None,
    all_: bool, domain: str | None, as_org: bool, as_json: bool,
) -> None:
    """Ask for facts: pp query 'nabokov ? ?' or '(:entity :nabokov :relation ?r)'.

    A word is a name, ? or ?x is open. Answers are verified, unverified, or verified absent.

    What joins facts is written as a rule: pp query "works_at(X, Y) & ~born_in(X, _)", with a head
    to choose columns and to count: "n(Y, count(X)) <= works_at(X, Y)" (count, sum, min, max).
    """
    text = " ".join(pattern)
    if _RULE.match(text):
        from bridge.cli.question import Times, put_answer

        times = Times(at=at, as_of=as_of, tz=zone_of(tz), all_=all_, domain=domain)
        put_answer(settings, text, times, as_org=as_org, as_json=as_json)
        return
    from symbolic.errors import Usage  # --help stays quick
    from symbolic.labels import moment
    from symbolic.pattern import BadPattern, parse_pattern
    from symbolic.query import answer
    from symbolic.values import BadValue
    from symbolic.zones import told

    if as_org:
        raise Usage("--org prints what is asked as a rule: pp query --org 'works_at(X, Y)'")
    asked = parse_pattern(text)
    if isinstance(asked, BadPattern):
        raise Usage(f"{asked.message}\n  {asked.excerpt}\n  {asked.remedy}")
    tz = zone_of(tz)
    fold: Fold | None = None
    if as_of is not None or asked.as_of is not None:
        from symbolic.model.world import fold as whole  # the past is folded from the journal

        fold = whole
    with opened(settings, reading=True) as app:
        zone = tz or app.view.zone
        try:
            found = answer(
                app.view, asked, now=app.now, at=moment(at, zone) if at else None, all_=all_,
                domain=domain, as_of=moment(as_of, zone) if as_of else None, tz=tz, fold=fold,
            )
        except BadValue as error:
            raise Usage(str(error)) from error
        if as_json:
            from symbolic.factjson import answer_json

            put_json(answer_json(app.view, found, tz))
        else:
            _print(app.view, found, tz)
        for note in told(app.view.zone, tz):
            say(note)


def _print(view: View, found: Answer, tz: str | None) -> None:
    from bridge.render import fact_place, fact_text
    from symbolic.factjson import spells_of
    from symbolic.tree import span_text
    from symbolic.zones import bound_in

    prose = found.view or view
    for row in found.rows:
        labels = ", ".join(row.labels)
        put(f"{fact_text(row.fact)}  {labels}  {fact_place(prose, row.fact)}")
        for spell in spells_of(prose, row.fact) if tz else ():
            put(f"    holds {span_text(*(bound_in(bound, prose.zone, tz) for bound in spell))}")
        bound = "  ".join(f"{name} = {term.written}" for name, term in row.bindings.items())
        if bound:
            put(f"    {bound}")
    for row in found.denials:
        put(f"denied: {fact_text(row.fact)}  {fact_place(prose, row.fact)}")
    put(found.status.value if found.status.value != "absent" else "verified absent")
    for note in found.notes:
        say(note)
