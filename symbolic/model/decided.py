"""What persons decided on several devices, and who has seen what: docs/fold.md, section 12."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from symbolic.decided import acting, decision
from symbolic.divergence import Board
from symbolic.journal.lines import redone
from symbolic.model.asserted import Speech
from symbolic.model.places import Tracked, body_of, texts_of
from symbolic.records import Line, Statement, Written


def carried(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Return `lines` with what their redo lines carry, each line once."""
    found = {line.hash: line for line in lines}
    for line in list(found.values()):
        old = redone(line) if line.kind == "redo" and line.body else None
        if isinstance(old, Line):
            found.setdefault(old.hash, old)
    return tuple(sorted(found.values(), key=lambda line: line.order))


def legible(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Return `lines` with the bodies of redacted ones empty, and of redos that carry such."""
    known = list(lines)
    named = (texts_of(line.body, "events") for line in known if line.kind == "redact")
    void = {event for events in named for event in events}
    return tuple(
        replace(line, body={}, salt=None)
        if line.hash in void or (line.kind == "redo" and _old(line) in void) else line
        for line in known
    )


def _old(line: Line) -> str:
    return str(body_of(line.body.get("line")).get("hash"))


class Sight:
    """Who has seen what."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines = {line.hash: line for line in lines}
        many = Counter((line.dev, line.seq) for line in self._lines.values())
        self._forked = {dev for (dev, _), count in many.items() if count > 1}
        self._carriers: dict[str, list[str]] = {}
        for line in self._lines.values():
            if line.kind == "redo" and line.body:
                old = body_of(line.body["line"])
                self._carriers.setdefault(str(old["hash"]), []).append(line.hash)

    def seen(self, event: str, other: str) -> bool:
        """Return whether the line `event` has `other` in its `seen`, itself or as a redo."""
        if event == other:
            return False
        return any(self._below(event, one) for one in (other, *self._carriers.get(other, ())))

    def _below(self, event: str, other: str) -> bool:
        line, old = self._lines[event], self._lines.get(other)
        if old is None:
            return False
        heads = line.seen.get(old.dev, ())
        if line.dev == old.dev:
            heads = (*heads, (line.seq - 1, line.prev))
        return any(self._at_or_below(seq, head, old) for seq, head in heads)

    def _at_or_below(self, seq: int, head: str, old: Line) -> bool:
        """Follow `prev` down from a head; what is not here is taken by its number."""
        if old.dev not in self._forked:
            return old.seq <= seq
        while (line := self._lines.get(head)) is not None and line.seq > old.seq:
            seq, head = line.seq - 1, line.prev
        return old.seq <= seq if line is None else line.hash == old.hash


@dataclass(frozen=True, slots=True)
class _Reads:
    """How the reference reads statements and finds keys."""

    speech: Speech

    def canonical(self, written: Written) -> Statement | None:
        """Return today's statement, None if it does not read."""
        return self.speech.canonical(written)

    def place(self, written: Written, key: str, quoted: str, text: str) -> str | None:
        """Return today's heading key, None if it is lost."""
        return self.speech.places.resolve(Tracked(written, key, quoted, text))


def board(speech: Speech, lines: Iterable[Line], undone: Mapping[str, str]) -> Board:
    """Return the board of all decisions of `lines`, played."""
    lines = list(lines)
    reads = _Reads(speech)
    found = [decision(line, reads, line.hash not in undone) for line in lines]
    return Board({one.event: one for one in found if one}, Sight(lines).seen).play()


def speaking(
    counting: Iterable[Line], known: Iterable[Line], played: Board, *, held: bool = False
) -> list[Line]:
    """Return the lines that say something: a reconcile as what it keeps, those `held` if asked."""
    by_hash = {line.hash: line for line in known}
    return [
        acting(line, by_hash.get(played.acts(line.hash) or "")) if line.kind == "reconcile"
        else line
        for line in counting if held or line.hash not in played.held
    ]
