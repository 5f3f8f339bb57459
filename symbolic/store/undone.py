"""Which lines count: undo, undo of an undo, and redaction (docs/fold.md, section 1)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from symbolic.store.codec import pack_line, unpack_line

WIPE = "wipe"
"""Set in meta while pages of the file may still hold what was redacted."""


def any_taken_out(db: sqlite3.Connection) -> bool:
    """Return whether any line takes another out: without one all lines count."""
    return bool(db.execute(_ANY).fetchone()[0])


# Two looks into the index: `in` with a list would build a table first.
_ANY = (
    "select exists(select 1 from line where kind = 'undo')"
    " or exists(select 1 from line where kind = 'redact')"
)


def recount(db: sqlite3.Connection, fresh: Iterable[str]) -> tuple[list[str], list[str], bool]:
    """Work out what is undone and what is void. Return (taken out, brought back, any redacted).

    From the last line to the first: one that is not out itself takes the line it names out.
    """
    out: dict[str, str] = {}
    void: set[str] = set()
    for event, kind, text in db.execute(
        "select hash, kind, text from line where kind in ('undo', 'redact') order by ord desc"
    ).fetchall():
        if event in out or event in void:
            continue
        body = json.loads(text)["body"]
        if kind == "redact":
            void.update(name for name in body.get("events", ()) if isinstance(name, str))
        elif isinstance(body.get("event"), str):
            out.setdefault(body["event"], event)
    for event in list(void):
        # A redo is void with the line that it carries.
        rows = db.execute("select hash from line where carries = ?", (event,)).fetchall()
        void.update(row[0] for row in rows)
    before = dict(db.execute("select hash, undone from line where undone is not null").fetchall())
    known = set(fresh)
    here = {event for event in {*out} if _folded(db, event)}
    gone = [event for event in out if event in here and event not in before and event not in known]
    back = [event for event in before if event not in out]
    for event in {*before, *here}:
        if before.get(event) != out.get(event):
            db.execute("update line set undone = ? where hash = ?", (out.get(event), event))
    return gone, back, _revoid(db, void)


def _folded(db: sqlite3.Connection, event: str) -> bool:
    return db.execute("select 1 from line where hash = ?", (event,)).fetchone() is not None


def _revoid(db: sqlite3.Connection, void: set[str]) -> bool:
    before = {row[0] for row in db.execute("select hash from line where void = 1").fetchall()}
    changed = {event for event in before ^ void if _folded(db, event)}
    for event in changed:
        db.execute("update line set void = ? where hash = ?", (int(event in void), event))
    for event in changed & void:
        text = db.execute("select text from line where hash = ?", (event,)).fetchone()[0]
        blank = pack_line(unpack_line(text, void=True))
        db.execute("update line set text = ? where hash = ?", (blank, event))
    if changed & void:
        db.execute("insert or replace into meta values (?, '1')", (WIPE,))
    return bool(changed)
