"""One month file in a batch: append and fsync it, or put it back as it was."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from symbolic import faults
from symbolic.errors import Stale
from symbolic.journal.disk import sync_folder, write_all
from symbolic.journal.marks import Head, Mark


@dataclass(slots=True)
class Month:
    """A month file, where it ended before, and what a batch adds to it.

    `inode` is the file's once bytes may have been written to it.
    """

    key: str
    path: Path
    before: Mark | None
    data: bytearray = field(default_factory=bytearray)
    lines: int = 0
    head: Head = field(default_factory=Head)
    inode: int | None = None

    @property
    def offset(self) -> int:
        """The length of the file before the batch."""
        return 0 if self.before is None else self.before.end

    @property
    def count(self) -> int:
        """The lines the file will hold."""
        return self.lines + (0 if self.before is None else self.before.lines)

    def append(self) -> os.stat_result:
        """Append the bytes, fsync file and folder, return what the file is then.

        Raises OSError, and Stale if the file is not as long as it was read.
        """
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        descriptor = os.open(self.path, flags, 0o644)
        try:
            stat = os.fstat(descriptor)
            if stat.st_size != self.offset:
                raise Stale(f"{self.key} was changed by another program: run again")
            self.inode = stat.st_ino
            write_all(descriptor, self.data, "journal.write")
            faults.at("journal.fsync")
            os.fsync(descriptor)
            stat = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if self.before is None:
            sync_folder(self.path.parent)
        return stat

    def restore(self) -> None:
        """Put the file back as it was. Raises OSError if that cannot be made sure.

        It is opened anew: a handle whose fsync has failed is never fsynced again.
        """
        if self.inode is None:
            return
        truncate(self.path, self.offset, "journal.truncate", inode=self.inode)
        if self.before is None:
            # An empty month reads as none, so it does no harm if it cannot be removed.
            with suppress(OSError):
                self.path.unlink()
                sync_folder(self.path.parent)

    def mark(self, stat: os.stat_result, digest: str) -> Mark:
        """Return the mark of the file with the batch in it."""
        return Mark(
            stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino,
            self.offset + len(self.data), self.count, digest, self.head,
        )  # fmt: skip


def truncate(
    path: Path, offset: int, point: str, *, size: int | None = None, inode: int | None = None
) -> None:
    """Cut the file at `path` to `offset` bytes and fsync it; passes fail point `point`.

    Raises OSError, and Stale unless it has the `size` and is the `inode` given.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        stat = os.fstat(descriptor)
        if size not in (None, stat.st_size) or inode not in (None, stat.st_ino):
            raise Stale(f"{path.name} was changed by another program: run again")
        faults.at(point)
        os.ftruncate(descriptor, offset)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
