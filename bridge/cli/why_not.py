"""`pp why-not`: what single change would let a proposal in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bridge.cli.common import common, opened, put, put_json
from bridge.settings import Settings

if TYPE_CHECKING:
    from bridge.whynot import Tried, WhyNot
    from symbolic.tree import Branch


@click.command(name="why-not")
@click.argument("named", metavar="PROPOSAL", nargs=-1, required=True)
@click.option("--all", "all_", is_flag=True, help="Show the changes that would not do, too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(settings: Settings, named: tuple[str, ...], all_: bool, as_json: bool) -> None:
    """Show what would have to be otherwise for a proposal to be admitted.

    Each change is tried on a copy of the index; those listed let it in, one at a time.
    """
    from bridge.cli.named import known
    from bridge.whynot import why_not  # --help stays quick
    from symbolic.errors import Usage
    from symbolic.target import NoTarget, find
    from symbolic.tree import org_tree
    from symbolic.world import Proposal

    with opened(settings, reading=True) as app:
        text = " ".join(named)
        target = find(app.view, text)
        if not isinstance(target, (Proposal, NoTarget)):
            raise Usage(f"'{text}' is no proposal\n  `pp why {text}` says why it is as it is")
        proposal = known(target)
        copy = app.store.copy()
    with copy:
        found = why_not(copy, proposal, settings.person)
        if as_json:
            put_json(_json(found, all_))
        else:
            put(org_tree(_tree(found, all_)))


def _shown(found: WhyNot, all_: bool) -> tuple[Tried, ...]:
    return found.tried if all_ else found.ways


def _tree(found: WhyNot, all_: bool) -> Branch:
    from symbolic.tree import Branch, statement_text

    said = found.proposal.statement
    text = statement_text(said) if said else "a malformed statement"
    reasons = tuple(Branch(reason) for reason in found.verdict.reasons)
    lines = [Branch("because", reasons)] if reasons else []
    ways = tuple(
        Branch(f"if {one.step.text}: {_outcome(one)}",
               () if one.lets_in else tuple(map(Branch, one.verdict.reasons)))
        for one in _shown(found, all_)
    )  # fmt: skip
    if ways:
        lines.append(Branch("it would be let in" if not all_ else "changes tried", ways))
    if found.tried and not found.ways:
        lines.append(Branch(f"none of {len(found.tried)} single changes lets it in"))
    return Branch(f"{text}: {found.verdict.outcome.value}", tuple(lines))


def _outcome(one: Tried) -> str:
    """Return what would come of a change, and the command that makes it."""
    told = one.verdict.outcome.value
    if one.by_person and one.lets_in and not one.step.by_person:
        told += " when a person admits it"
    return told + (f" (pp {' '.join(one.step.command)})" if one.step.command else "")


def _json(found: WhyNot, all_: bool) -> dict[str, object]:
    return {
        "schema": "pp.why-not/1",
        "proposal": found.proposal.id,
        "outcome": found.verdict.outcome.value,
        "reasons": list(found.verdict.reasons),
        "tried": len(found.tried),
        "changes": [
            {
                "change": one.step.text,
                "command": list(one.step.command),
                "outcome": one.verdict.outcome.value,
                "by_person": one.by_person,
                "lets_in": one.lets_in,
                "reasons": list(one.verdict.reasons),
            }
            for one in _shown(found, all_)
        ],
    }
