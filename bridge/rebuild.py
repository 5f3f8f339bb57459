"""Rebuilding: both truths, prose and journal, give the same index again, and D proves it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bridge.app import FACTS, App, open_app, remove_index
from bridge.settings import Settings
from bridge.sync import sync
from gates.tables import Tables
from symbolic.digest import digest_d, digest_r, heads
from symbolic.errors import JournalBroken


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The digests before and after, R, and `equal`, `mismatch` or `version`."""

    before: str | None
    after: str
    chains: str
    result: str


def rebuild(
    settings: Settings,
    progress: Callable[[str], None] | None = None,
    *,
    tables: Tables | None = None,
) -> Rebuilt:
    """Sync, note D, drop the index, build it again and compare.

    `tables` are the gates', None the shipped ones.

    The index is synced first, so that what changed since the last sync is no mismatch. Raises
    JournalBroken before anything is dropped if a chain does not verify.
    """
    with open_app(settings, tables) as app:
        _verified(app)
        existed = bool(app.store.stats())
        sync(app, progress=progress)
        before, header, state = digest_d(app.view, app.header()), app.header(), app.state
    remove_index(state / FACTS)
    with open_app(settings, tables) as app:
        sync(app, full=True, progress=progress)
        after = digest_d(app.view, app.header())
        chains = digest_r(heads(app.view.lines()))
        result = "equal" if after == before else "mismatch"
        if app.header() != header:
            result = "version"
    return Rebuilt(before if existed else None, after, chains, result)


def _verified(app: App) -> None:
    for fault in app.journal.faults:
        raise JournalBroken(
            f"the index is kept: the journal does not verify: {fault}", fault.file, fault.line
        )
