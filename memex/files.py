"""The files of a memex: the walk, the stat that tells a change, and a read that can be trusted.

Paths are relative to the root, NFC, with forward slashes. Whatever a file system holds, the walk
ends and says what it left out: links out of the memex, loops, FIFOs, names that are no text.
"""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memex.ignore import NEVER_SCANNED, PPIGNORE, Ignore, Verdict, ignore, never
from memex.problems import Problem, Skipped

SUFFIXES = (".org", ".org_archive")

_TRIES = 3


@dataclass(frozen=True, slots=True)
class FileStat:
    """What tells one state of a file from another; times in nanoseconds."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    sha256: str

    @property
    def mark(self) -> tuple[int, int, int, int]:
        """The part that is known without reading the file."""
        return (self.size, self.mtime_ns, self.ctime_ns, self.inode)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file to read: its memex path, where it is on disk, and its stat mark at the walk."""

    path: str
    place: str
    mark: tuple[int, int, int, int]


@dataclass(slots=True)
class Walk:
    """What a walk found, sorted by path.

    `unseen` are folders that could not be listed: nothing is known of what lies below them.
    """

    entries: list[Entry] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file and the stat they were read under."""

    data: bytes
    stat: FileStat


def mark_of(info: os.stat_result) -> tuple[int, int, int, int]:
    """Return the change mark of a stat result."""
    return (info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino)


def walk(root: str | Path, *, every: bool = False) -> Walk:
    """List the Org files below `root`. Raises OSError only if `root` itself cannot be listed.

    With `every` all files that no pattern leaves out: attachments, our records, and copies of a
    sync conflict, which may hold a lost edit.
    """
    base = os.path.realpath(root)
    os.scandir(base).close()
    found = Walk()
    rules = _rules(base, found)
    walker = _Walker(base, _every(rules) if every else rules, found, () if every else SUFFIXES)
    walker.run()
    found.entries.sort(key=lambda entry: entry.path)
    found.skipped.sort(key=lambda skip: skip.path)
    return found


def _rules(base: str, found: Walk) -> Ignore:
    """Return the judge of this memex; one that cannot be read is reported, not obeyed by half."""
    try:
        with open(os.path.join(base, PPIGNORE), "rb") as file:
            text = file.read().decode("utf-8-sig")
        return ignore(text)
    except FileNotFoundError:
        return ignore(None)
    except (OSError, ValueError) as error:
        found.problems.append(
            Problem(
                key="ppignore",
                path=PPIGNORE,
                line=0,
                excerpt="",
                message=f"{PPIGNORE} is not read, the built-in patterns alone count: {error}",
                remedy="write it in gitignore syntax, in UTF-8",
            )
        )
        return ignore(None)


def _every(rules: Ignore) -> Ignore:
    """Return a judge that keeps what is left out for being no prose, and no other way."""

    def judge(path: str, folder: bool) -> Verdict:
        ours = path.startswith(tuple(f"{record}/" for record in NEVER_SCANNED))
        if path in NEVER_SCANNED or (ours and not never(path)):
            return Verdict.READ
        verdict = rules(path, folder)
        return Verdict.READ if verdict is Verdict.REPORTED else verdict

    return judge


class _Walker:
    """One walk: real files and folders first, then the links that lead to what was not met.

    `suffixes` are those of the files wanted; with none all are.
    """

    def __init__(
        self, base: str, rules: Ignore, found: Walk, suffixes: tuple[str, ...] = SUFFIXES
    ) -> None:
        self.base, self.rules, self.found, self.suffixes = base, rules, found, suffixes
        self.links: list[tuple[str, str]] = []
        self.met: set[tuple[int, int]] = set()
        self.taken: set[str] = set()

    def run(self) -> None:
        self._folder("", self.base)
        while self.links:
            links, self.links = sorted(self.links), []
            for path, place in links:
                self._link(path, place)

    def _folder(self, path: str, place: str) -> None:
        waiting = [(path, place)]
        while waiting:
            path, place = waiting.pop()
            try:
                info = os.stat(place)
                if (info.st_dev, info.st_ino) in self.met:
                    continue
                self.met.add((info.st_dev, info.st_ino))
                with os.scandir(place) as listing:
                    children = sorted(listing, key=lambda child: child.name)
            except OSError as error:
                self._skip(path or ".", f"the folder cannot be listed: {error.strerror}", True)
                self.found.unseen.append(path)
                continue
            for child in children:
                inner = self._child(path, child)
                if inner is not None:
                    waiting.append((inner, child.path))

    def _child(self, folder: str, child: os.DirEntry[str]) -> str | None:
        """Take one name in; return its path if it is a folder to go into."""
        name = unicodedata.normalize("NFC", child.name)
        path = f"{folder}/{name}" if folder else name
        link, folder_like = child.is_symlink(), _is_folder(child)
        org = self._wanted(name)
        if not (org or link or folder_like):
            return None
        if not _is_text(name):
            shown = os.fsencode(path).decode("utf-8", "replace")
            self._skip(shown, "the name is not UTF-8: rename it")
            return None
        verdict = self.rules(path, folder_like)
        if verdict is not Verdict.READ:
            if verdict is Verdict.REPORTED and org:
                self._skip(path, "a copy left by a sync conflict: merge it by hand, then delete it")
            return None
        if link:
            self.links.append((path, child.path))
            return None
        if folder_like:
            if org and self.suffixes:
                self._skip(path, "a folder with the name of an Org file; the files in it are read")
            return path
        self._file(path, child.path)
        return None

    def _link(self, path: str, place: str) -> None:
        """Follow a symbolic link if it leads to something in the memex not met before."""
        org = self._wanted(path)
        try:
            target = os.path.realpath(place, strict=True)
            info = os.stat(target)
        except OSError as error:
            if org:
                self._skip(path, f"the link leads nowhere: {error.strerror}")
            return
        folder = stat.S_ISDIR(info.st_mode)
        if not (org or folder):
            return
        if target != self.base and not target.startswith(self.base + os.sep):
            self._skip(path, "the link leads out of the memex")
        elif folder and self.rules(path, True) is Verdict.READ:
            self._folder(path, target)
        elif not folder and (info.st_dev, info.st_ino) not in self.met:
            self._file(path, target)

    def _wanted(self, name: str) -> bool:
        return not self.suffixes or name.endswith(self.suffixes)

    def _file(self, path: str, place: str) -> None:
        try:
            info = os.stat(place, follow_symlinks=False)
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                self._skip(path, f"the file cannot be looked at: {error.strerror}", True)
            return
        if not stat.S_ISREG(info.st_mode):
            self._skip(path, "not a regular file")
        elif path in self.taken:
            self._skip(path, "another file has the same name but for its Unicode form: rename one")
        else:
            self.taken.add(path)
            self.met.add((info.st_dev, info.st_ino))
            self.found.entries.append(Entry(path, place, mark_of(info)))

    def _skip(self, path: str, reason: str, kept: bool = False) -> None:
        self.found.skipped.append(Skipped(path, reason, kept))


def _is_text(name: str) -> bool:
    """Return whether a name from the disk is UTF-8; other bytes come as surrogates."""
    return name.isascii() or not any("\ud800" <= char <= "\udfff" for char in name)


def _is_folder(child: os.DirEntry[str]) -> bool:
    try:
        return child.is_dir(follow_symlinks=False)
    except OSError:
        return False


def read_content(path: str, place: str) -> Content | Skipped | None:
    """Read the file at `place`, whole and in one state; None if it is gone.

    The stat is taken before and after the read from the open file: bytes of a file that was
    written meanwhile belong to no state of it, so the read is made again.
    """
    for _ in range(_TRIES):
        try:
            handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            return Skipped(path, f"the file cannot be opened: {error.strerror}", True)
        try:
            before = os.fstat(handle)
            if not stat.S_ISREG(before.st_mode):
                return Skipped(path, "not a regular file")
            data = b"".join(_chunks(handle, before.st_size))
            after = os.fstat(handle)
        except OSError as error:
            return Skipped(path, f"the file cannot be read: {error.strerror}", True)
        finally:
            os.close(handle)
        if mark_of(before) == mark_of(after) and len(data) == after.st_size:
            return Content(data, FileStat(*mark_of(after), hashlib.sha256(data).hexdigest()))
    return Skipped(path, "the file changes while it is read: sync again", True)


def _chunks(handle: int, size: int) -> Iterator[bytes]:
    """Yield the file's bytes, but little more than `size`: one that grows would never end."""
    while size >= 0 and (chunk := os.read(handle, 1 << 20)):
        size -= len(chunk)
        yield chunk


def read_inside(root: str | Path, path: str) -> bytes | str:
    """Return the bytes of the file `path` of the memex, or a sentence why they cannot be had.

    For files that other files name, such as setup files: a link that leads out is refused.
    """
    base = os.path.realpath(root)
    place = os.path.realpath(os.path.join(base, path))
    if not place.startswith(base + os.sep):
        return "it lies outside the memex"
    got = read_content(path, place)
    if got is None:
        return "there is no such file"
    return got.reason if isinstance(got, Skipped) else got.data
