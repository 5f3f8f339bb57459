"""Journal lines that nobody wrote: what a person could decide next, to see what would follow.

A supposed line is folded into a copy of the index and never gets near the journal. It stands after
every line and has seen them all, as the next real one would.
"""

from __future__ import annotations

from collections.abc import Sequence

from bridge.decisions import Entry
from symbolic.names import digest
from symbolic.records import Line
from symbolic.store.store import Store

_LAST = "9999-12-31T23:59:59.999999Z"
"""The time of a supposed line: after every real one, so that nothing comes between."""


def supposed(store: Store, entries: Sequence[Entry], person: str) -> tuple[Line, ...]:
    """Return `entries` as lines of the device that wrote last, by `person`."""
    tips = store.tips()
    dev, (seq, prev) = max(
        ((dev, head) for dev, heads in tips.items() for head in heads),
        key=lambda one: (one[1][0], one[0]), default=("supposed", (0, "")),
    )  # fmt: skip
    lines: list[Line] = []
    for kind, body in entries:
        seq += 1
        name = digest("supposed", prev, kind, str(seq))
        lines.append(
            Line(
                dev=dev, run="supposed", seq=seq, at=_LAST, seen=tips, by=f"person:{person}",
                kind=kind, body=body, hash=name, prev=prev,
            )
        )
        prev = name
    return tuple(lines)
