"""What must be true of the divergences that a machine lists, said again apart from the fold.

The fold's two forms share the rules of divergence, so comparing them says nothing of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from symbolic.records import Line
from symbolic.world import View

_SPOKEN = ("declare", "retract")
_CONFLICT = "conflict "


class Aware:
    """What each line has seen, walked line by line."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines = {line.hash: line for line in lines}
        self._seen: dict[str, frozenset[str]] = {}

    def seen(self, event: str) -> frozenset[str]:
        """Return the lines that the line `event` has in its `seen`, those written again too."""
        if event not in self._seen:
            line = self._lines[event]
            found = set(self._below(line.dev, line.seq - 1, line.prev))
            for dev, heads in line.seen.items():
                for seq, head in heads:
                    found |= self._below(dev, seq, head)
            for redo in [self._lines[one] for one in found if self._lines[one].kind == "redo"]:
                old = redo.body.get("line")
                if isinstance(old, Mapping):
                    found.add(str(old["hash"]))
            self._seen[event] = frozenset(found)
        return self._seen[event]

    def _below(self, dev: str, seq: int, head: str) -> set[str]:
        found = set()
        while (line := self._lines.get(head)) is not None:
            found.add(head)
            seq, head = line.seq - 1, line.prev
        return found | {x.hash for x in self._lines.values() if x.dev == dev and x.seq <= seq}

    def apart(self, one: str, other: str) -> bool:
        """Return whether neither line had seen the other."""
        return one != other and one not in self.seen(other) and other not in self.seen(one)


def complaints(view: View) -> list[str]:
    """Return what is wrong with the divergences that `view` lists."""
    lines = list(view.lines())
    by_hash, undone, aware = {x.hash: x for x in lines}, view.undone(), Aware(lines)
    listed = view.divergences()
    found = []
    for one in listed:
        members = [by_hash[event] for event in one.events]
        if not all(x.person and x.body and x.hash not in undone for x in members):
            found.append(f"{one.id} names lines that decide nothing")
        if not all(any(aware.apart(x.hash, y.hash) for y in members) for x in members):
            found.append(f"{one.id} names a line that knew of the others, or they of it")
        if len({_said(x) for x in members}) == 1:
            found.append(f"{one.id}: all of them say the same")
    answered = {
        str(x.body["divergence"]) for x in lines
        if x.kind == "reconcile" and x.body and x.hash not in undone
    }
    found += [f"{one.id} is answered" for one in listed if one.id in answered]
    for group in _plain(lines):
        events = _expected(group, aware)
        mine = {x.hash for x in group}
        got = [
            set(one.events) for one in listed
            if mine & set(one.events) and not one.keys[0].startswith(_CONFLICT)
        ]
        if got != ([events] if events else []):
            found.append(f"of {_said(group[0])}: listed {got}, not {events}")
    return found


def _said(line: Line) -> str:
    if line.kind in ("undo", "reconcile"):
        return line.hash
    parts = ("statement", "old", "new", "from", "conflict", "choice", "kept", "subject", "after")
    return f"{line.kind} {[line.body.get(part) for part in parts]}"


def _plain(lines: list[Line]) -> Iterable[list[Line]]:
    """Yield the lines on each statement of which persons said nothing but declare and retract."""
    groups: dict[str, list[Line]] = {}
    others: list[str] = []
    for line in lines:
        if line.person and line.body and line.kind in _SPOKEN:
            groups.setdefault(repr(line.body["statement"]), []).append(line)
        elif line.body and line.kind not in ("redo", "open", "anchor", "propose"):
            others.append(repr(line.body))
    for said, group in groups.items():
        parts = group[0].body["statement"]
        assert isinstance(parts, Mapping), said
        spots = [line.body.get("keys") for line in group if line.kind == "retract"]
        named = any(
            (repr(parts["entity"]) in other and repr(parts["value"]) in other)
            or any(line.hash in other for line in group)
            for other in others
        )
        if not named and not any(spots):
            yield group


def _expected(group: list[Line], aware: Aware) -> set[str]:
    """Return the lines that diverge: nobody who saw them said otherwise, and some who did not."""
    live = [
        x for x in group
        if not any(x.kind != y.kind and x.hash in aware.seen(y.hash) for y in group)
    ]
    return {
        x.hash for x in live
        if any(x.kind != y.kind and aware.apart(x.hash, y.hash) for y in live)
    }
