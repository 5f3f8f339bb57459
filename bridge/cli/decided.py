"""How a person's decision is printed: its event first, so that it can be undone."""

from __future__ import annotations

from bridge.app import App
from bridge.cli.common import put, put_json
from bridge.human import Done
from bridge.render import fact_text
from symbolic.factjson import fact_json


def show(app: App, verb: str, done: Done, as_json: bool) -> None:
    """Print the events of a decision, and what became of the fact."""
    fact = app.view.fact(done.fact) if done.fact else None
    if as_json:
        put_json({
            "schema": f"pp.{verb}/1",
            "event": done.events[0] if done.events else None,
            "events": list(done.events),
            "outcome": done.outcome,
            "fact": fact_json(app.view, fact, app.now) if fact else None,
        })
        return
    for event in done.events:
        put(f"event {event}")
    put(f"{done.outcome}: {fact_text(fact)}" if fact else done.outcome)
    if not done.events:
        put("nothing to do: it was so already")
