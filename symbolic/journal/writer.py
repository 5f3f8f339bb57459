"""The one device that writes: takes the lock, reads the tail, appends and fsyncs.

A line is written when its fsync has returned, never before; whoever gets `Line`s back may act on
them. On an error the file is put back as it was; where that fails too, nobody knows what the disk
holds, and this process writes no more.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from types import TracebackType

from symbolic import faults
from symbolic.errors import (
    ConfigurationError,
    JournalBroken,
    JournalRefused,
    JournalUnknown,
    ReadOnly,
    Refused,
    Stale,
)
from symbolic.journal.chain import read_tail
from symbolic.journal.clock import Clock
from symbolic.journal.device import Device, new_device, new_run, read_device, write_device
from symbolic.journal.disk import READ_ONLY, make_folder
from symbolic.journal.folder import first_open, label, last_open
from symbolic.journal.lines import MAX_LINE, FaultKind, Seen, check, decode, encode, stamp
from symbolic.journal.lock import WAIT, WriterLock
from symbolic.journal.marks import Head, JournalState, Mark, Torn
from symbolic.journal.month import Month, truncate
from symbolic.journal.own import Folded, is_own
from symbolic.records import Line

MAX_BATCH = 1000
"""Lines of one append and one fsync."""

Entry = tuple[str, Mapping[str, object], str | None]
"""A line to be: kind, body without salt, by (None for the writer's own)."""

Planned = tuple[str, Mapping[str, object], str]
"""An entry with its writer."""

_TICK = timedelta(microseconds=1)

_lost: dict[Path, JournalUnknown] = {}
"""Journals of which this process does not know what the disk holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What an `open` line says. `memex` is the id of a new memex; one that has an id keeps it."""

    device: str
    zone: str
    versions: Mapping[str, str]
    memex: str | None = None


class Writer:
    """Appends lines to this device's chain, as a context that holds the writer lock.

    On entry the tail of the journal is read: `news` is what lies beyond `known` (all without
    `known`). The lines written say that they have seen it, so fold it before `append`. `cut` is a
    torn last line of the own chain that was cut off, else None. `heads` and `marks` are always
    those of the journal as written; `written` holds every line of this context, `open` included.
    `folded` is the index that the lines are folded into: what it keeps counts as seen as well.
    A chain that is no longer this device's own (`own`) is left, and a new device goes on.

    A writer may be entered again and again; its run is drawn before its first line.
    Entering raises LockHeld after `wait` seconds, ConfigurationError if the state folder or its
    device.json cannot be used.
    """

    def __init__(
        self,
        journal: Path,
        state: Path,
        clock: Clock,
        *,
        by: str,
        opening: Opening,
        known: Mapping[str, Mark] | None = None,
        folded: Folded | None = None,
        wait: float = WAIT,
    ) -> None:
        self._journal = journal
        self._state = state
        self._clock = clock
        self._by = by
        self._opening = opening
        self._lock = WriterLock(state, wait)
        self._folded = folded
        self._device: Device | None = None
        self._was: Device | None = None
        self._run: str | None = None
        self._opened: Line | None = None
        self._digest: tuple[str, hashlib._Hash] | None = None
        self._inside = False
        self.marks: dict[str, Mark] = dict(known or {})
        self.heads: dict[str, Head] = {}
        self.written: list[Line] = []
        self.cut: Torn | None = None
        self.news: JournalState

    def __enter__(self) -> Writer:
        self._lock.__enter__()
        try:
            self._take()
        except BaseException:
            self._lock.__exit__(None, None, None)
            raise
        self._inside = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._inside = False
        self._lock.__exit__(kind, error, trace)

    @property
    def dev(self) -> str | None:
        """The device that writes; None until a new device has written its first line."""
        return None if self._device is None else self._device.dev

    def append(self, entries: Sequence[Entry]) -> list[Line]:
        """Append a line per entry, fsynced, and return them; `open` goes first where it is due.

        At most 1,000 lines are one append and one fsync. With no entries only a due `open` is
        written. A bug in a body raises TypeError or ValueError before anything is written.
        Raises JournalBroken, ReadOnly, JournalRefused (nothing of this batch is done; earlier
        batches are in `written`), JournalUnknown, Stale if another program changed the own chain,
        Refused for a line that is too long.
        """
        if not self._inside:
            raise RuntimeError("the writer lock is not held")
        plan = [(kind, body, by or self._by) for kind, body, by in entries]
        for kind, body, by in plan:
            check(by, kind, body)
        needed = plan[0][0] if plan else "open"
        self._permit(needed)
        start = self._ready()
        plan = [*start, *plan]
        done: list[Line] = []
        for at in range(0, len(plan), MAX_BATCH):
            done += self._batch(plan[at : at + MAX_BATCH], needed)
        return done[len(start) :]

    # --- under the lock -----------------------------------------------------------------------

    def _take(self) -> None:
        """Read who we are and what the journal holds beyond what we know."""
        device = read_device(self._state)
        self.cut, self.written, self._was = None, [], None
        self.news = read_tail(self._journal, self.marks)
        if device is not None and device.runs and not self._goes_on(device):
            self._was, device = device, None
        if device is None or self._run not in device.runs:
            self._run = None
        torn = self.news.torn.get(device.dev) if device is not None else None
        if torn is not None and self._cut(torn):
            self.cut = torn
            self.news = read_tail(self._journal, self.marks)
        self._forget(device)
        self._device = device
        self.marks, self.heads = dict(self.news.marks), dict(self.news.heads)

    def _goes_on(self, device: Device) -> bool:
        """Return whether the chain is there and still that of `device` alone."""
        # A chain begun anew under a name that other devices still hold would fork it there.
        there = (self._journal / device.dev).is_dir()
        return there and is_own(device, self.news, self._folded)

    def _forget(self, device: Device | None) -> None:
        """Drop what was remembered of the own chain and is no longer so."""
        if device is None or self.news.whole or device.dev != self.dev:
            self._opened = None
        for line in self.news.lines:
            if device is not None and line.dev == device.dev and line.kind == "open":
                self._opened = line
        if self._digest is not None:
            key = self._digest[0]
            if self.news.marks.get(key) != self.marks.get(key):
                self._digest = None

    def _cut(self, torn: Torn) -> bool:
        """Cut the torn last line off the own chain; False if the memex is read-only."""
        path = self._journal / PurePosixPath(torn.file).parent.name / PurePosixPath(torn.file).name
        try:
            truncate(path, torn.offset, "journal.cut", size=torn.offset + torn.size)
        except OSError as error:
            if error.errno in READ_ONLY:
                return False
            raise JournalRefused(
                f"{torn.file}:{torn.line}: the torn last line cannot be cut: {error.strerror}"
            ) from error
        return True

    def _permit(self, needed: str) -> None:
        """Raise if the journal may not be written at all; `needed` is the kind of line."""
        if self._journal in _lost:
            raise _lost[self._journal]
        for found in self.news.faults:
            owner = self._was.dev if self._was is not None else self.dev
            own = PurePosixPath(found.file).parent.name == owner
            if found.kind is FaultKind.NEWER:
                raise JournalBroken(str(found), found.file, found.line, "journal-newer")
            if own and found.kind is FaultKind.BROKEN:
                raise JournalBroken(f"the own chain is broken: {found}", found.file, found.line)
        folder = self._journal
        while not folder.exists():
            folder = folder.parent
        if not os.access(folder, os.W_OK):
            raise self._read_only(needed, "it is read-only")

    def _read_only(self, needed: str, why: str) -> ReadOnly:
        text = f"a journal line of kind '{needed}' is needed and {self._journal} cannot be written"
        return ReadOnly(f"{text}: {why}", needed)

    def _ready(self) -> list[Planned]:
        """Make device and run durable and return the `open` that is due, if one is."""
        if self._device is None or self._run is None:
            device = new_run(self._device or new_device(self._journal))
            write_device(self._state, device)
            self._device, self._run = device, device.runs[-1]
        dev, opening = self._device.dev, self._opening
        if self._opened is None and dev in self.heads:
            # The index knows it: the months back to it may be many.
            known = self._folded
            self._opened = last_open(self._journal, dev) if known is None else known.opened(dev)
        told = {"zone": opening.zone, "versions": dict(opening.versions)}
        if self._opened is not None and told.items() <= self._opened.body.items():
            return []
        first = first_open(self._journal)
        memex = first.body["memex"] if first is not None else opening.memex
        body = {
            "memex": memex or os.urandom(8).hex(), "device": opening.device,
            "was": self._before(), **told,
        }  # fmt: skip
        check(self._by, "open", body)
        return [("open", body, self._by)]

    def _before(self) -> dict[str, object] | None:
        """Return what an `open` line says of the device that this machine was."""
        if self._was is None:
            return None
        ends = self._seen("").get(self._was.dev, ())
        return {"dev": self._was.dev, "hash": ends[-1][1] if ends else None}

    def _batch(self, plan: Sequence[Planned], needed: str) -> list[Line]:
        """Write one batch: one append and one fsync for each month it touches."""
        assert self._device is not None
        months, lines = self._encoded(self._device.dev, plan)
        marks = {}
        try:
            make_folder(self._journal / self._device.dev)
            for month in months:
                digest = self._prefix(month)
                stat = month.append()
                digest.update(month.data)
                marks[month.key] = month.mark(stat, digest.hexdigest())
                self._digest = (month.key, digest)
            faults.at("journal.synced")
        except (OSError, Stale) as error:
            self._digest = None
            self._undo(months, error, needed)
        self.marks.update(marks)
        self.heads[self._device.dev] = months[-1].head
        self.written += lines
        self._opened = next((line for line in reversed(lines) if line.kind == "open"), self._opened)
        return lines

    def _encoded(
        self, dev: str, plan: Sequence[Planned]
    ) -> tuple[list[Month], list[Line]]:
        """Return the months a batch adds to, with their bytes, and its lines."""
        assert self._run is not None
        moment, seen = self._moment(), self._seen(dev)
        head = self.heads.get(dev, Head())
        months: dict[str, Month] = {}
        lines: list[Line] = []
        for number, (kind, body, by) in enumerate(plan):
            at = stamp(moment + number * _TICK)
            raw = encode(
                dev=dev, run=self._run, seq=head.seq + 1, at=at, seen=seen, by=by, kind=kind,
                body=body, prev=head.hash,
            )  # fmt: skip
            if len(raw) > MAX_LINE:
                raise Refused(
                    f"a '{kind}' line of {len(raw)} bytes is longer than a journal line may be "
                    f"({MAX_LINE})",
                    key="line-too-long",
                )
            name = f"{at[:7]}.jsonl"
            key = f"{dev}/{name}"
            path = self._journal / dev / name
            month = months.setdefault(key, Month(key, path, self.marks.get(key)))
            # Reading back what is about to be written: a line that does not verify is never put
            # on the disk, and callers get exactly what a later reader gets.
            line = decode(raw, label(self._journal, dev, name), month.count + 1)
            assert isinstance(line, Line), str(line)
            month.data += raw
            month.lines += 1
            lines.append(line)
            head = month.head = Head(line.seq, line.hash, line.at)
        return list(months.values()), lines

    def _moment(self) -> datetime:
        """Return the time of the next line: the clock's, but above all that was seen."""
        folded = "" if self._folded is None else self._folded.newest()
        newest = max((folded, *(head.at for head in self.heads.values())))
        moment = self._clock.now().astimezone(UTC)
        try:
            if newest:
                moment = max(moment, datetime.fromisoformat(newest) + _TICK)
            _ = moment + MAX_BATCH * _TICK
        except OverflowError as error:
            text = f"after {newest or stamp(moment)} there is no later time for a journal line"
            raise ConfigurationError(text, key="clock") from error
        return moment

    def _seen(self, dev: str) -> Seen:
        """Return the ends of the branches of all chains but that of `dev`."""
        if self._folded is not None:
            ends = self._folded.tips()
        else:
            found = self.news.branches.items()
            ends = {one: tuple((tip.seq, tip.hash) for tip in tips) for one, tips in found}
        return {other: ends[other] for other in sorted(ends) if other != dev}

    def _prefix(self, month: Month) -> hashlib._Hash:
        """Return the digest state of what `month` holds; Stale if it is not what was read."""
        if self._digest is not None and self._digest[0] == month.key:
            return self._digest[1].copy()
        digest = hashlib.sha256()
        if month.before is not None:
            left = month.offset
            with month.path.open("rb") as file:
                while left and (block := file.read(min(left, 1 << 20))):
                    digest.update(block)
                    left -= len(block)
            if digest.hexdigest() != month.before.digest:
                raise Stale(f"{month.key} was changed by another program: run again")
        return digest

    def _undo(self, months: Sequence[Month], error: OSError | Stale, needed: str) -> None:
        """Put the files of a batch back as they were and raise what that means."""
        for month in reversed(months):
            try:
                month.restore()
            except (OSError, Stale) as second:
                shown = label(self._journal, month.path.parent.name, month.path.name)
                lost = JournalUnknown(
                    f"unknown: {shown} from byte {month.offset} on may or may not hold what was "
                    f"written ({error}; then {second}); this process writes no more, the next "
                    "start reads what is there",
                    shown,
                    month.offset,
                )
                _lost[self._journal] = lost
                raise lost from second
        if isinstance(error, Stale):
            raise error
        if error.errno in READ_ONLY:
            raise self._read_only(needed, str(error.strerror)) from error
        raise JournalRefused(
            f"nothing was done: {self._journal} took no line of kind '{needed}': {error.strerror}"
        ) from error
