"""Starting a memex: the journal's first line."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from bridge.app import opening
from bridge.settings import JOURNAL, Settings
from symbolic.errors import ConfigurationError, ReadOnly, Usage
from symbolic.journal.clock import Clock, FixedClock, SystemClock
from symbolic.journal.folder import first_open
from symbolic.journal.writer import Writer


@dataclass(frozen=True, slots=True)
class Begun:
    """A memex, and whether it was made just now."""

    root: Path
    memex_id: str
    new: bool


def begin(settings: Settings, folder: Path | None) -> Begun:
    """Write the first `open` line under system/journal, if there is none yet.

    Raises ConfigurationError if the folder is missing or may not be written.
    """
    root = folder.expanduser().absolute() if folder is not None else settings.memex
    settings = replace(settings, memex=root)
    if not root.is_dir():
        raise ConfigurationError(f"{root} is no folder: make it first, then run pp init again")
    known = first_open(settings.journal)
    if known is not None:
        return Begun(root, str(known.body["memex"]), False)
    if settings.now is not None and settings.now > datetime.now(UTC):
        raise Usage(f"--now {settings.now.isoformat()} lies in the future: nothing is written then")
    try:
        (root / JOURNAL).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReadOnly(
            f"{root / JOURNAL} cannot be made ({error.strerror}): a journal line of kind 'open' "
            "is needed", "open",
        ) from error
    ident = secrets.token_hex(8)
    clock: Clock = FixedClock(settings.now) if settings.now else SystemClock()
    state = settings.state or settings.state_home / ident
    with Writer(
        settings.journal, state, clock, by="program:init", opening=opening(settings, ident)
    ) as writer:
        writer.append([])
    return Begun(root, ident, True)
