"""Rebuilding: prose and journal give the same two indices again; D proves it, N beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from bridge.app import App, open_app
from bridge.devices import broken
from bridge.embedding import choose_vectors
from bridge.index import FACTS, remove_index
from bridge.near import sync_all
from bridge.near_health import NearState, near_state
from bridge.settings import Settings
from gates.tables import Tables
from neuro.near.schema import remove
from symbolic.digest import digest_d, digest_r, heads
from symbolic.errors import JournalBroken
from symbolic.journal.lock import WriterLock


@dataclass(frozen=True, slots=True)
class NearRebuilt:
    """The digests N before and after, and what comparing them says."""

    before: str | None
    after: str | None
    result: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The digests D before and after, R, and `equal`, `mismatch` or `version`.

    `near` is N before and after; its result is `equal`, `mismatch`, or `not compared` where an
    endpoint makes the vectors or some are pending: a model that is away is no loss of knowledge.
    """

    before: str | None
    after: str
    chains: str
    result: str
    near: NearRebuilt


def rebuild(
    settings: Settings,
    progress: Callable[[str], None] | None = None,
    *,
    tables: Tables | None = None,
) -> Rebuilt:
    """Sync, note D and N, drop both indices, build them again.

    `tables` are the gates', None the shipped ones.

    They are synced first, so that what changed since the last sync is no mismatch. Raises
    JournalBroken before anything is dropped if a chain does not verify or lost a line that is
    in the index alone.
    """
    with open_app(settings, tables) as app:
        _verified(app)
        existed = bool(app.store.stats())
        sync_all(app, progress=progress)
        _in_files(app)
        near_before = near_state(app, digest=True)
        before, header, state = digest_d(app.view, app.header()), app.header(), app.state
    with WriterLock(state):
        remove_index(state / FACTS)
        remove(state)
    with open_app(settings, tables) as app:
        _, near = sync_all(app, full=True, progress=progress)
        near_after = near_state(app, digest=True)
        vectors = choose_vectors(app.settings)
        after = digest_d(app.view, app.header())
        chains = digest_r(heads(app.view.lines()))
        result = "equal" if after == before else "mismatch"
        if app.header() != header:
            result = "version"
    compared = _compared(near_before, near_after, vectors.built_in)
    compared = replace(compared, warnings=near.warnings)
    return Rebuilt(before if existed else None, after, chains, result, compared)


def _compared(before: NearState, after: NearState, built_in: bool) -> NearRebuilt:
    states = (before[0], after[0])
    sound = built_in and all(state is not None and not state.pending for state in states)
    result = "equal" if before[1] == after[1] else "mismatch"
    return NearRebuilt(before[1], after[1], result if sound else "not compared")


def _verified(app: App) -> None:
    for fault in broken(app.journal):
        raise JournalBroken(
            f"the index is kept: the journal does not verify: {fault}", fault.file, fault.line
        )


def _in_files(app: App) -> None:
    """Refuse while the index alone holds a line: with it that decision would be lost."""
    for line in app.store.behind():
        raise JournalBroken(
            f"the index is kept: {line.path} lacks line {line.seq} of {line.dev}, which this "
            "index alone holds: run `pp sync` until it is written again, or bring the file back",
            line.path, line.lineno, "journal-behind",
        )
