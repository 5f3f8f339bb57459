"""What several devices decided in ignorance of one another, listed and answered by a person."""

from __future__ import annotations

from bridge.app import App
from bridge.human import Done
from symbolic.divergence import Divergence
from symbolic.errors import Stale, Usage
from symbolic.names import digest
from symbolic.records import Line
from symbolic.world import View


def decisions(view: View, one: Divergence) -> list[Line]:
    """Return the lines that diverge, in the order."""
    return [line for event in one.events if (line := view.line(event)) is not None]


def shown(one: Divergence) -> str:
    """Return the digest of what a person is shown of a divergence."""
    return digest("shown", one.id, *one.keys, "/", *one.events, "/", *one.stands)[:16]


def named(view: View, name: str) -> Divergence:
    """Return the open divergence whose id starts with `name`.

    Raises Stale if it is closed by now, Usage if none or several are meant.
    """
    found = [one for one in view.divergences() if name and one.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    closed = [
        line for line in view.lines()
        if line.kind == "reconcile" and str(line.body.get("divergence", "")).startswith(name)
    ]
    if closed and not found:
        raise Stale(f"{name} is reconciled already, by {closed[-1].hash[:12]}")
    raise Usage(f"there is no open divergence {name}: see `pp reconcile`")


def reconcile(app: App, name: str, keep: str, digest_shown: str) -> Done:
    """Keep one decision of a divergence; it counts again, now as the answer to all of them.

    Called inside `App.writing(person=True)`. Raises Usage, and Stale if it is not what was shown.
    """
    one = named(app.view, name)
    if shown(one) != digest_shown:
        raise Stale(f"{one.id} is not what was shown: look again with `pp reconcile`")
    kept = [event for event in one.events if keep and event.startswith(keep)]
    if len(kept) != 1:
        raise Usage(f"{keep} is no decision of {one.id}: it has {', '.join(one.events)}")
    lines = app.append([("reconcile", {
        "divergence": one.id, "keys": one.answered(kept[0]), "kept": kept[0], "shown": digest_shown,
    })])
    return Done(tuple(line.hash for line in lines), None, "reconciled")


def divergence_json(view: View, one: Divergence) -> dict[str, object]:
    """Return a divergence as one JSON line."""
    return {
        "schema": "pp.reconcile/1",
        "divergence": one.id,
        "keys": list(one.keys),
        "decisions": [
            {"event": line.hash, "dev": line.dev, "at": line.at, "by": line.by,
             "kind": line.kind, "body": dict(line.body)}
            for line in decisions(view, one)
        ],
        "stands": list(one.stands),
        "shown": shown(one),
    }  # fmt: skip
