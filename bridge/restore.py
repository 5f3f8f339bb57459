"""Restore: an archive verified whole, then put into a folder, and a new device begun there.

What stands in the folder and is not in the archive stays. A journal file that goes on where the
archive's ends is kept as it is: the decisions in it were made after the backup.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bridge.archive import CONFIG, MEMEX, Manifest, unpack, verify
from bridge.index import FACTS, remove_index
from bridge.settings import JOURNAL, Settings, user_file
from neuro.near.schema import remove
from symbolic import faults
from symbolic.errors import ConfigurationError, DiskRefused, Refused
from symbolic.journal.device import FILE as DEVICE
from symbolic.journal.disk import FULL, make_folder, sync_folder
from symbolic.journal.lock import WriterLock

_STAGE = ".pp-restore.tmp"
_RECORDS = f"{MEMEX}{JOURNAL.as_posix()}/"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a restore will do: `replaces` files, keeps longer journal files, adds the rest."""

    target: Path
    manifest: Manifest
    replaces: tuple[str, ...]
    kept: tuple[str, ...]
    empty: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore did. `config` is where the user's settings were put, None if they stood."""

    plan: Plan
    config: Path | None


def planned(archive: Path, target: Path) -> Plan:
    """Verify `archive` and look at the folder `target`. Writes nothing.

    Raises Refused if the archive is not sound, or if a journal file of the target is another one.
    """
    manifest = verify(archive)
    target = target.expanduser().absolute()
    if target.exists() and not target.is_dir():
        raise ConfigurationError(f"{target} is no folder: name another one with --to", key="target")
    replaces, kept = [], []
    for name, said in manifest.files.items():
        place = _place(target, name)
        if place is None or not (place.is_symlink() or place.exists()):
            continue
        if not name.startswith(_RECORDS):
            replaces.append(name.removeprefix(MEMEX))
        elif place.is_file() and place.stat().st_size > said.size:
            kept.append(name.removeprefix(MEMEX))
    empty = not target.is_dir() or not any(target.iterdir())
    _room(target, manifest)
    return Plan(
        target=target, manifest=manifest, replaces=tuple(replaces), kept=tuple(kept), empty=empty
    )


def restore(archive: Path, plan: Plan, settings: Settings) -> Restored:
    """Do what `plan` says. On an error before the last step the target is as it was.

    Raises DiskRefused or ConfigurationError where the disk does not take it, Refused if the
    archive is not what was verified, LockHeld if the memex is being written.
    """
    state = settings.state or settings.state_home / plan.manifest.memex
    with WriterLock(state):
        stage = plan.target / _STAGE
        there = plan.target.is_dir()
        try:
            shutil.rmtree(stage, ignore_errors=True)
            make_folder(stage)
            unpack(archive, lambda name: stage / name, _put)
            _same_chains(plan, stage)
            config = _config(stage / CONFIG)
            _move(plan, stage)
        except OSError as error:
            text = f"{plan.target} cannot be written: {error.strerror}; try again elsewhere"
            if error.errno in FULL:
                raise DiskRefused(text) from error
            raise ConfigurationError(text, key="target") from error
        finally:
            shutil.rmtree(stage, ignore_errors=True)
            if not there:
                # Only where nothing came into it.
                with suppress(OSError):
                    plan.target.rmdir()
        # A new device: the chain in the archive may have been written on since, here or elsewhere.
        (state / DEVICE).unlink(missing_ok=True)
        remove_index(state / FACTS)
        remove(state)
    return Restored(plan=plan, config=config)


def _place(target: Path, name: str) -> Path | None:
    return target / name.removeprefix(MEMEX) if name.startswith(MEMEX) else None


def _room(target: Path, manifest: Manifest) -> None:
    """Raise DiskRefused if the disk has less room than the archive unpacked."""
    folder = target
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < manifest.bytes:
        raise DiskRefused(
            f"{target}: {manifest.bytes} bytes are needed and {free} are free; nothing was written"
        )


def _put(place: Path, chunks: Iterator[bytes]) -> None:
    """Write one file of the stage, fsynced."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("xb") as out:
        for chunk in chunks:
            faults.at("restore.write")
            out.write(chunk)
        out.flush()
        faults.at("restore.fsync")
        os.fsync(out.fileno())


def _same_chains(plan: Plan, stage: Path) -> None:
    """Refuse if a journal file of the target is neither a beginning nor a going-on of ours."""
    for name, said in plan.manifest.files.items():
        there = _place(plan.target, name)
        if there is None or not name.startswith(_RECORDS) or not there.is_file():
            continue
        if not _begins_alike(there, stage / name):
            raise Refused(
                f"{there} is another chain than the archive's ({said.size} bytes): decisions would "
                "be lost; restore into an empty folder with --to", key="restore-chain",
            )


def _begins_alike(one: Path, other: Path) -> bool:
    """Return whether the shorter file is the beginning of the longer one."""
    left = min(one.stat().st_size, other.stat().st_size)
    with one.open("rb") as first, other.open("rb") as second:
        while left:
            size = min(left, _BLOCK)
            if first.read(size) != second.read(size):
                return False
            left -= size
    return True


def _config(staged: Path) -> Path | None:
    """Put the user's settings where they belong if none stand there."""
    place = user_file()
    if not staged.is_file() or place.exists():
        return None
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(staged, place)
    return place


def _move(plan: Plan, stage: Path) -> None:
    """Rename every staged file into its place, the journal last: without it there is no memex."""
    names = sorted(
        (name for name in plan.manifest.files if name.startswith(MEMEX)),
        key=lambda name: (name.startswith(_RECORDS), name),
    )
    folders = set()
    for name in names:
        place = _place(plan.target, name)
        assert place is not None, "a file of the memex"
        if name.removeprefix(MEMEX) in plan.kept:
            continue
        said = plan.manifest.files[name]
        os.utime(stage / name, (said.mtime, said.mtime))
        make_folder(place.parent)
        faults.at("restore.rename")
        (stage / name).replace(place)
        folders.add(place.parent)
    for folder in folders:
        sync_folder(folder)
