"""Backup: prose and journal as one sync left them, in one archive, taken under the writer lock.

::

    sync ──► lock ──► hash every file ──► is the prose what was synced? ──► pack ──► rename
               └──────────── no, or a file changed on the way: from the start, 3 times ◄┘
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, BinaryIO

from bridge.app import App
from bridge.archive import CONFIG, MEMEX, Changed, Manifest, Packed, pack
from bridge.keyless import keyless
from bridge.known import remember
from bridge.near import sync_all
from bridge.records import records_of
from bridge.settings import user_file
from memex.files import Entry, mark_of, walk
from memex.problems import Skipped
from symbolic import faults
from symbolic.digest import digest_d, digest_r, heads
from symbolic.errors import ConfigurationError, DiskRefused, Stale, Usage
from symbolic.journal.disk import READ_ONLY, sync_folder
from symbolic.journal.lines import stamp

TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A backup that was made. `left_out` are files that could not be read or are links."""

    file: Path
    manifest: Manifest
    left_out: tuple[Skipped, ...]


def backup(app: App, file: Path, progress: Callable[[str], None] | None = None) -> Made:
    """Write a backup of the memex to `file`, whole or not at all.

    Raises Stale if the prose changes each time it is read, DiskRefused or ConfigurationError where
    `file` cannot be written, Usage if it would lie in what it is a backup of.
    """
    file = file.absolute()
    inside = os.path.realpath(file.parent) + os.sep
    if inside.startswith(os.path.realpath(app.settings.memex) + os.sep):
        raise Usage(f"{file} lies in the memex: a backup would hold itself; name a place outside")
    changed = ""
    for _ in range(TRIES):
        report, _ = sync_all(app, progress=progress)
        mute = {skip.path for skip in report.skipped}
        with app.writing("backup", person=False):
            try:
                return _taken(app, file, mute)
            except Changed as error:
                changed = error.path
    raise Stale(f"{changed.removeprefix(MEMEX)} changes while it is read: try again; "
                "no backup was written")


def _taken(app: App, file: Path, mute: Collection[str]) -> Made:
    """Hash, compare with what was synced, and write. Inside `App.writing`; raises Changed.

    `mute` are the paths of which the sync could read nothing.
    """
    found, prose = walk(app.settings.memex, every=True), walk(app.settings.memex)
    # A link with the name of an Org file is prose, be the file it leads to in the archive or not.
    places = {MEMEX + entry.path: entry for entry in (*found.entries, *prose.entries)}
    left_out = list(found.skipped)
    files: dict[str, Packed] = {}
    for name, entry in places.items():
        packed = _looked_at(name, entry)
        if isinstance(packed, Skipped):
            left_out.append(packed)
        else:
            files[name] = packed
    config = _user_settings()
    if isinstance(config, Skipped):
        left_out.append(config)
    elif config is not None:
        files[CONFIG] = Packed(size=len(config), sha256=hashlib.sha256(config).hexdigest())
    told = {skip.path for skip in left_out}.union(mute)
    _is_what_was_synced(app, files, [entry.path for entry in prose.entries], told)
    lines = heads(app.view.lines())
    manifest = Manifest(
        memex=app.memex_id, made=stamp(datetime.now(UTC)), d=digest_d(app.view, app.header()),
        r=digest_r(lines), heads=dict(lines), versions=app.header(), files=files,
    )

    def content(name: str) -> IO[bytes]:
        if name == CONFIG and isinstance(config, bytes):
            return io.BytesIO(config)
        return _opened(name, places[name])

    _write(file, lambda out: pack(out, manifest, content))
    remember(app.state, file, manifest)
    return Made(file=file, manifest=manifest, left_out=tuple(sorted(left_out, key=_path)))


def _path(skip: Skipped) -> str:
    return skip.path


def _looked_at(name: str, entry: Entry) -> Packed | Skipped:
    """Return what is said of a file, or why it is left out."""
    for _ in range(TRIES):
        try:
            with _opened(name, entry) as file:
                before = os.fstat(file.fileno())
                digest = _digest(file)
                after = os.fstat(file.fileno())
        except OSError as error:
            return Skipped(entry.path, f"it cannot be read: {error.strerror}", True)
        if mark_of(before) == mark_of(after):
            return Packed(size=after.st_size, sha256=digest, mtime=int(after.st_mtime))
    raise Changed(name)


def _digest(file: BinaryIO) -> str:
    digest = hashlib.sha256()
    while chunk := file.read(1 << 20):
        digest.update(chunk)
    return digest.hexdigest()


def _opened(name: str, entry: Entry) -> BinaryIO:
    """Open a file of the memex. Raises Changed if it is gone or is no regular file any more."""
    try:
        handle = os.open(entry.place, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError as error:
        raise Changed(name) from error
    file = os.fdopen(handle, "rb")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        file.close()
        raise Changed(name)
    return file


def _is_what_was_synced(
    app: App, files: Mapping[str, Packed], prose: Iterable[str], told: Collection[str]
) -> None:
    """Raise Changed unless the prose is what D was made of, but for paths the person is told of."""
    records = records_of(app.store.stats())
    for path in sorted({*records, *prose}.difference(told)):
        packed, record = files.get(MEMEX + path), records.get(path)
        if packed is None or record is None or packed.sha256 != record.known.stat.sha256:
            raise Changed(path)


def _user_settings() -> bytes | Skipped | None:
    """Return the user's settings, the values of keys left out; None if there are none."""
    place = user_file()
    try:
        data = keyless(place.read_bytes())
    except OSError:
        return None
    return data if data is not None else Skipped(
        str(place), "it holds a key that cannot be taken out: name a variable instead"
    )


# --- the disk -----------------------------------------------------------------------------------


def _write(file: Path, write: Callable[[IO[bytes]], None]) -> None:
    """Put what `write` writes at `file`, whole or not at all."""
    temp = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        with temp.open("xb") as out:
            os.chmod(out.fileno(), 0o600)
            faults.at("backup.write")
            write(out)
            out.flush()
            faults.at("backup.fsync")
            os.fsync(out.fileno())
        temp.replace(file)
        sync_folder(file.parent)
    except OSError as error:
        _drop(temp)
        text = f"{file} cannot be written: {error.strerror}; no backup was made"
        if error.errno in READ_ONLY or isinstance(error, FileNotFoundError | NotADirectoryError):
            raise ConfigurationError(text, key="backup") from error
        raise DiskRefused(text) from error
    except BaseException:
        _drop(temp)
        raise


def _drop(temp: Path) -> None:
    with suppress(OSError):
        temp.unlink(missing_ok=True)
