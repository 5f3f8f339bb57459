"""What a refusal of SQLite means for a verb: somebody writes, the disk is full or read-only."""

from __future__ import annotations

import sqlite3

from symbolic.errors import ConfigurationError, DiskRefused, LockHeld, PpError

_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_DISK = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_CLOSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


def refused(error: sqlite3.Error, name: str) -> PpError | None:
    """Return what a verb that met `error` in the index `name` ends with; None for any other.

    LockHeld, DiskRefused or ConfigurationError; bugs are none of these.
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _BUSY:
        return LockHeld(f"another process is writing {name}: try again")
    if code in _DISK:
        return DiskRefused(f"the disk refuses {name}: {error}")
    if code in _BROKEN:
        return ConfigurationError(f"{name} is damaged ({error}): pp rebuild", key="index-damaged")
    if code in _CLOSED:
        return ConfigurationError(f"{name} cannot be written: {error}", key="state-folder")
    return None
