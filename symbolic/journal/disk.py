"""Durable small steps: fsync a folder, make one, replace a file, write all bytes."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from symbolic import faults
from symbolic.errors import ConfigurationError, DiskRefused, PpError

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


def sync_folder(folder: Path) -> None:
    """Fsync `folder`, so that a name made in it outlives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Make `folder` and the missing ones above it, each name fsynced."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def write_all(descriptor: int, data: bytes | bytearray, point: str) -> None:
    """Write the whole of `data`; passes fail point `point` before each write."""
    rest = memoryview(data)
    while rest:
        faults.at(point)
        rest = rest[os.write(descriptor, rest) :]


def replace_file(path: Path, data: bytes, point: str) -> None:
    """Put `data` at `path` whole or not at all: temp, fsync, rename, folder fsync.

    One process at a time: the temp has one name, so that what a kill left is written over.
    """
    temp = path.with_name(f".{path.name}.tmp")
    descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        try:
            write_all(descriptor, data, point)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        temp.replace(path)
    except OSError:
        temp.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def state_error(state: Path, error: OSError) -> PpError:
    """Return what to raise where the state folder could not be written."""
    text = f"the state folder {state} cannot be written: {error.strerror}"
    if error.errno in FULL:
        return DiskRefused(text)
    return ConfigurationError(text, key="state-folder")
