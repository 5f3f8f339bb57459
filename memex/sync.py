"""Change sets: what is new, changed or gone since the last sync. The caller applies them.

A file is unchanged if its size, mtime, ctime and inode are; one whose mtime or ctime lies near or
after the last sync is hashed again, since it may have been written twice in one tick of the clock.
Hashing comes before parsing. A file that could not be read is not an empty file: what was known
of it stays until it can be read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memex.files import Content, Entry, FileStat, Walk, read_content, read_inside, walk
from memex.headings import read_document
from memex.nodes import Document
from memex.problems import Problem, Skipped

NEAR_NS = 2_000_000_000
"""A time this near the last sync tells nothing: file systems count in steps of up to 2 s."""


@dataclass(frozen=True, slots=True)
class KnownFile:
    """What the last sync recorded of a file; `depends` as in Document."""

    stat: FileStat
    depends: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that is new or changed, read. `before` is None for a new one."""

    path: str
    stat: FileStat
    before: KnownFile | None
    document: Document

    @property
    def known(self) -> KnownFile:
        """What to record of the file once the change is applied."""
        return KnownFile(self.stat, self.document.depends)


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """The difference between a memex and what was recorded of it.

    parsed: files new or changed, in path order. removed: recorded files that are gone, or that
    hold nothing readable any more. unchanged: how many stand as they were, of which `touched` have
    a new stat to record. skipped and problems: what to tell the person.
    """

    parsed: tuple[FileChange, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    skipped: tuple[Skipped, ...] = ()
    problems: tuple[Problem, ...] = ()
    touched: tuple[tuple[str, FileStat], ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to apply."""
        return not (self.parsed or self.removed or self.touched)


@dataclass(slots=True)
class Pass:
    """One sync under way. Iterate `changes` to read; the other fields are whole afterwards.

    Reading file by file lets the caller apply in batches and survive being killed: what it has
    recorded is not read again.
    """

    root: Path
    known: Mapping[str, KnownFile]
    last_sync_ns: int
    full: bool
    found: Walk
    removed: list[str] = field(default_factory=list)
    touched: list[tuple[str, FileStat]] = field(default_factory=list)
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _empty: set[str] = field(default_factory=set)
    _setups: dict[str, bytes | str] = field(default_factory=dict)

    def changes(self) -> Iterator[FileChange]:
        """Read what may have changed, in path order."""
        self.skipped.extend(self.found.skipped)
        self.problems.extend(self.found.problems)
        for entry in self.found.entries:
            before = self.known.get(entry.path)
            if before is not None and self._same(entry, before):
                self.unchanged += 1
                continue
            change = self._read(entry, before)
            if change is not None:
                self.problems.extend(change.document.problems)
                yield change
        self._remove_gone()

    def _same(self, entry: Entry, before: KnownFile) -> bool:
        """Return whether the file needs no look at its bytes."""
        if self.full or entry.mark != before.stat.mark or not self._rests(before):
            return False
        return max(before.stat.mtime_ns, before.stat.ctime_ns) < self.last_sync_ns - NEAR_NS

    def _rests(self, before: KnownFile) -> bool:
        """Return whether every setup file the file rests on is as it was."""
        return all(self._setup_hash(path) == sha for path, sha in before.depends)

    def _setup_hash(self, path: str) -> str | None:
        got = self._setup(path)
        return None if isinstance(got, str) else hashlib.sha256(got).hexdigest()

    def _setup(self, path: str) -> bytes | str:
        if path not in self._setups:
            self._setups[path] = read_inside(self.root, path)
        return self._setups[path]

    def _read(self, entry: Entry, before: KnownFile | None) -> FileChange | None:
        content = read_content(entry.path, entry.place)
        if content is None:
            self._skip(Skipped(entry.path, "the file went away while it was read"))
            return None
        if isinstance(content, Skipped):
            self._skip(content)
            return None
        same = before is not None and content.stat.sha256 == before.stat.sha256
        if before is not None and same and self._rests(before):
            self._unchanged(entry.path, content, before)
            return None
        document = read_document(entry.path, content.data, setup=self._setup)
        if isinstance(document, Skipped):
            self._skip(document)
            return None
        return FileChange(entry.path, content.stat, before, document)

    def _skip(self, skip: Skipped) -> None:
        self.skipped.append(skip)
        if not skip.kept:
            self._empty.add(skip.path)

    def _unchanged(self, path: str, content: Content, before: KnownFile) -> None:
        self.unchanged += 1
        if content.stat != before.stat:
            self.touched.append((path, content.stat))

    def _remove_gone(self) -> None:
        """List the recorded files that hold nothing now; what could not be seen is kept."""
        there = {entry.path for entry in self.found.entries} - self._empty
        kept = {skip.path for skip in self.skipped if skip.kept}
        unseen = tuple(f"{folder}/" if folder else "" for folder in self.found.unseen)
        for path in sorted(self.known):
            if path not in there and path not in kept and not (unseen and path.startswith(unseen)):
                self.removed.append(path)


def start(
    root: str | Path,
    known: Mapping[str, KnownFile],
    *,
    last_sync_ns: int = 0,
    full: bool = False,
) -> Pass:
    """Walk `root` and return the pass that reads what changed against `known`.

    `last_sync_ns` is the clock just before the walk of the last sync. `full` hashes every file.
    Raises OSError if `root` cannot be listed.
    """
    return Pass(Path(root), known, last_sync_ns, full, walk(root))


def changes(
    root: str | Path,
    known: Mapping[str, KnownFile],
    *,
    last_sync_ns: int = 0,
    full: bool = False,
) -> ChangeSet:
    """Return the whole difference between `root` and `known` at once; see `start`."""
    under_way = start(root, known, last_sync_ns=last_sync_ns, full=full)
    parsed = tuple(under_way.changes())
    return ChangeSet(
        parsed=parsed,
        removed=tuple(under_way.removed),
        unchanged=under_way.unchanged,
        skipped=tuple(sorted(under_way.skipped, key=lambda skip: skip.path)),
        problems=tuple(under_way.problems),
        touched=tuple(under_way.touched),
    )


def apply(known: Mapping[str, KnownFile], found: ChangeSet) -> dict[str, KnownFile]:
    """Return what is recorded of the memex once `found` is applied."""
    after = {path: record for path, record in known.items() if path not in set(found.removed)}
    for path, stat in found.touched:
        after[path] = KnownFile(stat, after[path].depends)
    after.update((change.path, change.known) for change in found.parsed)
    return after
