"""`pp query`: ask for facts, with no model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.common import common, opened, put, put_json, say
from bridge.settings import Settings

if TYPE_CHECKING:
    from symbolic.query import Answer
    from symbolic.world import Fold, View


@click.command(name="query")
@click.argument("pattern", nargs=-1, required=True)
@click.option("--at", metavar="T", help="What holds at T instead of now.")
@click.option("--as-of", "as_of", metavar="T", help="What was known at T.")
@click.option("--all", "all_", is_flag=True, help="Every standing fact, with its labels.")
@click.option("--domain", metavar="NAME", help="Ask one provenance domain only.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(
    settings: Settings, pattern: tuple[str, ...], at: str | None, as_of: str | None, all_: bool,
    domain: str | None, as_json: bool,
) -> None:
    """Ask for facts: pp query 'nabokov ? ?' or '(:entity :nabokov :relation ?r)'.

    A word is a name, ? or ?x is open. Answers are verified, unverified, or verified absent.
    """
    from symbolic.errors import Usage  # --help stays quick
    from symbolic.labels import moment
    from symbolic.pattern import BadPattern, parse_pattern
    from symbolic.query import answer
    from symbolic.values import BadValue

    asked = parse_pattern(" ".join(pattern))
    if isinstance(asked, BadPattern):
        raise Usage(f"{asked.message}\n  {asked.excerpt}\n  {asked.remedy}")
    fold: Fold | None = None
    if as_of is not None or asked.as_of is not None:
        from symbolic.model.world import fold as whole  # the past is folded from the journal

        fold = whole
    with opened(settings, reading=True) as app:
        zone = app.view.zone
        try:
            found = answer(
                app.view, asked, now=app.now, at=moment(at, zone) if at else None, all_=all_,
                domain=domain, as_of=moment(as_of, zone) if as_of else None, fold=fold,
            )
        except BadValue as error:
            raise Usage(str(error)) from error
        if as_json:
            from symbolic.factjson import answer_json

            put_json(answer_json(app.view, found))
        else:
            _print(app.view, found)


def _print(view: View, found: Answer) -> None:
    from bridge.render import fact_place, fact_text

    prose = found.view or view
    for row in found.rows:
        labels = ", ".join(row.labels)
        put(f"{fact_text(row.fact)}  {labels}  {fact_place(prose, row.fact)}")
        bound = "  ".join(f"{name} = {term.written}" for name, term in row.bindings.items())
        if bound:
            put(f"    {bound}")
    for row in found.denials:
        put(f"denied: {fact_text(row.fact)}  {fact_place(prose, row.fact)}")
    put(found.status.value if found.status.value != "absent" else "verified absent")
    for note in found.notes:
        say(note)
