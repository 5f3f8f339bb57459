"""`pp status`: counts, the queue, and whether the foundation is sufficient."""

from __future__ import annotations

import click

from bridge.cli.common import common, fail, opened, put, put_json, say
from bridge.devices import ChainState
from bridge.overview import Overview, overview
from bridge.settings import Settings


@click.command(name="status")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(settings: Settings, as_json: bool) -> None:
    """Say what is known, what waits for you, and what was lost."""
    with opened(settings, reading=True) as app:
        seen = overview(app, digest=as_json)
    if as_json:
        put_json(seen.json())
    else:
        _print(seen)
    if seen.divergences or any(ChainState.BROKEN in chain.states for chain in seen.chains):
        fail(1)


def _print(seen: Overview) -> None:
    put(seen.status.line)
    queue = ", ".join(f"{count} {state}" for state, count in seen.queue.items() if count)
    put(f"queue: {queue or 'empty'}")
    if seen.failed:
        replies = "1 reply" if seen.failed == 1 else f"{seen.failed} replies"
        put(f"failed: {replies} could not be read (pp propose --failed)")
    conflicts = seen.status.conflicts
    put(f"contradictions: {conflicts.get('open', 0)} open, {conflicts.get('settled', 0)} settled")
    put(f"headings: {seen.status.headings}, journal: {seen.status.events} lines")
    if seen.near is not None:
        near = seen.near
        put(f"near: {near.headings} headings, {near.vectors} vectors, {near.pending} pending, "
            f"model {near.model}")
        for reason, count in sorted(near.held.items()):
            put(f"   {count} pending: {reason}")
    for name in seen.divergences:
        put(f"devices decided differently: {name}; see pp reconcile")
    for rule, count in seen.over.items():
        put(f"rule {rule} derives more than can be kept ({count:,}): nothing follows from it, "
            "nor from what reads it, until its input changes")
    for chain in seen.chains:
        if chain.reasons:
            put(f"chain {chain.text}")
    for lost in seen.lost:
        put(f"lost: {lost.statement} (last at {lost.key})")
    for warning in seen.warnings:
        say(warning)
