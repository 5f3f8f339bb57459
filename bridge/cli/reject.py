"""`pp reject`: refuse a proposal or a fact for good."""

from __future__ import annotations

import click

from bridge.cli.common import common, opened
from bridge.cli.decided import show
from bridge.human import reject
from bridge.settings import Settings


@click.command(name="reject")
@click.argument("named", metavar="PROPOSAL|FID")
@click.option("--everywhere", is_flag=True, help="From every source, not only this one.")
@click.option("--reason", metavar="TEXT", help="Why; kept in the journal.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(
    settings: Settings, named: str, everywhere: bool, reason: str | None, as_json: bool
) -> None:
    """Refuse a proposal, or a fact that nobody stated. It stays refused under any spelling.

    An independent source that says the same is shown to you with this refusal, never admitted.
    """
    with opened(settings) as app:
        with app.writing("reject", person=True):
            done = reject(app, named, everywhere=everywhere, reason=reason)
        show(app, "reject", done, as_json)
