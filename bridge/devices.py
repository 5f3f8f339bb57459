"""The chains of all devices: what state each is in, and what a sync owes those that lost lines.

A chain is *behind* while a line folded here is in no file. The line still counts here; once the
chain's files have been the same since the sync before, it is written again as a `redo`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from bridge.app import App
from bridge.decisions import Entry
from symbolic.journal.lines import Fault, FaultKind, whole
from symbolic.journal.marks import JournalState, Mark
from symbolic.records import Line

_CHAINS = "sync-chains"
"""Where the store keeps what the files of each chain were at the last sync."""

BROKEN = (FaultKind.BROKEN, FaultKind.NEWER)
"""Faults that time alone does not mend; the others wait for files to arrive."""


class ChainState(StrEnum):
    """What a chain is in; several at once, but for the first."""

    WHOLE = "whole"
    WAITING = "waiting"
    BEHIND = "behind"
    FORKED = "forked"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain:
    """One chain: its device, the host named in its last `open`, its states and why."""

    dev: str
    device: str
    own: bool
    seq: int
    states: tuple[ChainState, ...]
    reasons: tuple[str, ...]

    def json(self) -> dict[str, object]:
        """Return the chain as JSON."""
        return {
            "dev": self.dev, "device": self.device, "own": self.own, "seq": self.seq,
            "states": [state.value for state in self.states], "reasons": list(self.reasons),
        }  # fmt: skip

    @property
    def text(self) -> str:
        """The chain as one line for people."""
        mine = ", this device" if self.own else ""
        why = f": {'; '.join(self.reasons)}" if self.reasons else ""
        return f"{self.dev} ({self.device}{mine}): {', '.join(self.states)}{why}"


def broken(journal: JournalState) -> list[Fault]:
    """Return the faults that are no mere waiting."""
    return [fault for fault in journal.faults if fault.kind in BROKEN]


def chains(app: App) -> list[Chain]:
    """Return every chain that a file or the index holds, by device."""
    journal, behind = app.journal, app.store.behind()
    opens = app.store.lines_of("open")
    opened = {line.dev: str(line.body["device"]) for line in opens if line.body}
    lost: dict[str, list[Line]] = {}
    for line in behind:
        lost.setdefault(line.dev, []).append(line)
    return [
        _chain(dev, ends[-1][0], journal, lost.get(dev, []), opened.get(dev, "?"), app.dev == dev)
        for dev, ends in app.store.tips().items()
    ]


def _chain(
    dev: str, seq: int, journal: JournalState, lost: list[Line], device: str, own: bool
) -> Chain:
    faults = [fault for fault in journal.faults if _dev(fault.file) == dev]
    torn = journal.torn.get(dev)
    ends = journal.branches.get(dev, ())
    found: list[tuple[ChainState, str]] = []
    for fault in faults:
        kind = ChainState.BROKEN if fault.kind in BROKEN else ChainState.WAITING
        found.append((kind, str(fault)))
    if torn is not None:
        found.append((ChainState.WAITING, f"{torn.file}:{torn.line}: the last line does not end"))
    if lost:
        files = sorted({line.path for line in lost})
        text = f"{len(lost)} lines folded here are in no file ({', '.join(files)})"
        found.append((ChainState.BEHIND, text))
    if len(ends) > 1:
        found.append((ChainState.FORKED, f"{len(ends)} branches, all of them count"))
    states = tuple(dict.fromkeys(state for state, _ in found)) or (ChainState.WHOLE,)
    return Chain(
        dev=dev, device=device, own=own, seq=seq, states=states,
        reasons=tuple(reason for _, reason in found),
    )


def _dev(file: str) -> str:
    return file.split("/")[-2]


# --- what a sync writes for them ----------------------------------------------------------------


def redos(app: App) -> tuple[list[Entry], dict[str, str]]:
    """Return a `redo` for every line that is in no file, of chains that have come to rest.

    Called once a sync: the files of a chain count as at rest if they are what they were at the sync
    before, torn or whole: the tail of a device that is gone stays torn for ever. What they are now
    is returned as well, for the store to keep with what this sync takes in.
    """
    before = json.loads(app.store.meta(_CHAINS) or "{}")
    now = {dev: _print(marks) for dev, marks in _by_dev(app.marks()).items()}
    entries: list[Entry] = [
        ("redo", {"line": whole(line)})
        for line in app.store.behind()
        if before and before.get(line.dev) == now.get(line.dev)
    ]
    return entries, {_CHAINS: json.dumps(now, sort_keys=True)}


def _by_dev(marks: Mapping[str, Mark]) -> dict[str, dict[str, Mark]]:
    found: dict[str, dict[str, Mark]] = {}
    for name, mark in marks.items():
        found.setdefault(name.partition("/")[0], {})[name] = mark
    return found


def _print(marks: Mapping[str, Mark]) -> list[str]:
    return [f"{name} {mark.size} {mark.end} {mark.digest}" for name, mark in sorted(marks.items())]
