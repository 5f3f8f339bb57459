"""Is the chain in the folder still this device's own, or has it a twin somewhere?

A run is random and made durable before a process's first line. So a tail of the own chain whose
runs are all known here is what a crash left of our own; an unknown run was written by a clone of
this machine, and a folded line that the months lack means that an old copy came back. Both make
this machine a new device: going on would fork the chain. What only a sync tool's copy of a month
holds counts as lacking, since others may not have that copy.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

from symbolic.journal.device import Device
from symbolic.journal.lines import FaultKind
from symbolic.journal.marks import JournalState
from symbolic.records import Line


class Folded(Protocol):
    """What an index remembers of the lines it folded, whether or not a file still holds them."""

    def runs(self, dev: str) -> Collection[str]:
        """Return the runs of the lines of `dev`."""

    def lacks(self, dev: str, here: Collection[str] | None) -> bool:
        """Return whether a line of `dev` is not among `here`, the hashes that its files hold.

        None stands for the files as they were when they were last folded.
        """

    def tips(self) -> Mapping[str, tuple[tuple[int, str], ...]]:
        """Return the ends (seq, hash) of all branches of every chain."""

    def opened(self, dev: str) -> Line | None:
        """Return the last `open` line of `dev`."""

    def newest(self) -> str:
        """Return the newest `at`, "" if there is no line."""


def is_own(device: Device, state: JournalState, folded: Folded | None) -> bool:
    """Return whether `device` may go on with its chain, of which `state` is the newest reading."""
    dev = device.dev
    mine = [line for line in state.lines if line.dev == dev]
    if len(state.branches.get(dev, ())) > 1 or dev in state.beside:
        return False
    if any(f.kind is FaultKind.WAITING and _of(f.file) == dev for f in state.faults):
        return False
    runs = {line.run for line in mine}
    if folded is None:
        lost = any(name.startswith(f"{dev}/") for name in state.rewound)
    else:
        runs.update(folded.runs(dev))
        lost = folded.lacks(dev, {line.hash for line in mine} if state.whole else None)
    return not lost and runs <= set(device.runs)


def _of(file: str) -> str:
    return file.split("/")[-2]
