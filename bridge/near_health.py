"""The near index as `pp status`, `pp doctor` and `pp rebuild` tell of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from bridge.app import App
from bridge.embedding import choose_vectors
from bridge.near import NearReport, behind, reported
from neuro.near.schema import DB, VECTORS, NearDamaged
from neuro.near.store import Near

NearState = tuple[NearReport | None, str | None]
"""What the near index holds, and N; None where no sync has made it, or it does not read."""

Finding = tuple[str, bool, str]
"""What was looked at, whether it is sound, and a sentence."""


def near_state(app: App, *, digest: bool) -> NearState:
    """Return the state of the near index; N only if asked, it reads every row."""
    if not (app.state / DB).exists():
        return None, None
    try:
        with Near.open(app.state, mend=False) as near, near.snapshot():
            vectors = choose_vectors(app.settings)
            number = near.digest(vectors.model).digest if digest else None
            return reported(near, vectors), number
    except (NearDamaged, sqlite3.Error):
        return None, None


def near_checks(app: App) -> Iterator[Finding]:
    """Look at near.db and near.f32; mend nothing. Pending vectors are no fault."""
    path = app.state / DB
    if not path.exists():
        # Search and context are poorer without it, the facts are not.
        yield "near index", True, f"{path} is not there yet: `pp sync` makes it"
        return
    try:
        near = Near.open(app.state, mend=False)
    except (NearDamaged, sqlite3.Error) as error:
        yield "near index", False, f"{error}; `pp sync` builds it again"
        return
    with near:
        yield from _sound(app, near)


def _sound(app: App, near: Near) -> Iterator[Finding]:
    vectors = app.state / VECTORS
    size = vectors.stat().st_size if vectors.exists() else 0
    words = (app.state / DB).stat().st_size
    yield "near index", near.note is None, near.note or (
        f"{app.state / DB}: {words} bytes, {VECTORS}: {size} bytes"
    )
    damage = near.check()
    yield "near index sound", damage is None, damage or "ok"
    orphans = near.orphans()
    yield "near index rows", not orphans, f"{orphans} rows belong to no heading"
    late = len(behind(app, near))
    yield "near index at the prose", not late, f"{late} files behind"
    free, held = near.free_floats()
    share = f", {free * 100 // held} %" if held else ""
    yield "near vectors", True, f"{free} of {held} floats are free{share}"
    chosen = choose_vectors(app.settings)
    state = reported(near, chosen)
    why = "".join(f"; {count} {reason}" for reason, count in sorted(state.held.items()))
    yield "near vectors pending", True, (
        f"{state.pending} of {state.headings} await {chosen.model}{why}"
    )
    if chosen.missing is not None:
        yield "near embedder", False, chosen.missing
