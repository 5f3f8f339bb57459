"""The tables of near.db, how the file is opened, and when it is given up.

::

    file     path and token: what of the prose these rows were made of
    heading  one row a heading (rows.COLUMNS) and the mark of its embedded text
    words    FTS5 over their tokens, without content: tokens are made again from `heading`
    link     who links to what, to be asked backwards
    model    the dimension of each model that has given vectors
    vector   which row of near.f32 is a heading's vector, and of which model
    held     why a heading has no vector yet, where there is a reason

The file is a cache of the prose: one that does not read is thrown away, never repaired.
"""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from neuro.near.tokens import VERSION as TOKENS

VERSION = 2
APPLICATION = 0x7070_6E72
"""Marks the file as ours in its header."""

DB = "near.db"
VECTORS = "near.f32"

_TABLES = """
create table meta(key text primary key, value text not null) without rowid;
create table file(path text primary key, token text not null) without rowid;
create table heading(
  id integer primary key, path text not null, line int not null, key text not null,
  outline text not null, title text not null, text text not null, text_hash text not null,
  file_title text not null, tags text not null, links text not null, is_file int not null,
  folded text not null, mark text not null);
create index heading_key on heading(key);
create index heading_path on heading(path, line);
create index heading_folded on heading(folded);
create table link(value text not null, kind text not null, path text not null,
  heading int not null, primary key(value, kind, path, heading)) without rowid;
create index link_heading on link(heading);
create table model(name text primary key, dim int not null) without rowid;
create table vector(heading integer primary key, model text not null, dim int not null,
  slot int not null);
create unique index vector_slot on vector(dim, slot);
create table held(heading integer primary key, model text not null, reason text not null);
create virtual table words using fts5(title, ancestors, body, grams, content='',
  tokenize='ascii');
create virtual table vocabulary using fts5vocab(words, col);
"""

_NAMES = frozenset(re.findall(r"create (?:unique )?(?:virtual )?(?:table|index) (\w+)", _TABLES))


class NearDamaged(Exception):
    """near.db cannot be used and has to be built again; `reason` is a sentence for people."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


def connect(path: Path) -> sqlite3.Connection:
    """Open near.db at `path`, made if it is not there.

    Raises NearDamaged if it is no database of ours, of another version, or does not read.
    """
    try:
        db = sqlite3.connect(path, isolation_level=None, timeout=30.0, check_same_thread=False)
    except sqlite3.OperationalError as error:
        raise NearDamaged(str(path), f"it cannot be opened ({error})") from error
    try:
        _prepare(db, path)
    except NearDamaged:
        db.close()
        raise
    except sqlite3.DatabaseError as error:
        db.close()
        if not damage(error):
            raise
        raise NearDamaged(str(path), f"it does not read ({error})") from error
    return db


def damage(error: sqlite3.DatabaseError) -> bool:
    """Return whether an error says that the file is broken, and not busy, full or read-only."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def remove(folder: Path) -> None:
    """Remove the near index with its WAL: a left-over WAL would bring old rows back."""
    for name in (DB, f"{DB}-wal", f"{DB}-shm", VECTORS):
        (folder / name).unlink(missing_ok=True)


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    for pragma in (
        "journal_mode=wal", "synchronous=normal", "cache_size=-65536", "temp_store=memory",
        "wal_autocheckpoint=20000",
    ):  # fmt: skip
        db.execute(f"pragma {pragma}").fetchone()
    if _number(db, "user_version") == 0 and _number(db, "schema_version") == 0:
        _create(db)
    found = _number(db, "user_version")
    if _number(db, "application_id") != APPLICATION:
        raise NearDamaged(str(path), "it is not an index of this program")
    if found != VERSION:
        raise NearDamaged(str(path), f"it has format {found}, this version reads {VERSION}")
    here = {row[0] for row in db.execute("select name from sqlite_master where sql is not null")}
    if missing := _NAMES - here:
        raise NearDamaged(str(path), f"{', '.join(sorted(missing))} is missing in it")
    tokens = db.execute("select value from meta where key = 'tokens'").fetchone()
    if tokens != (TOKENS,):
        raise NearDamaged(str(path), f"its words were cut by another version ({tokens})")


def _create(db: sqlite3.Connection) -> None:
    """Make the tables; of two processes at once the second finds them made."""
    db.execute("begin immediate")
    try:
        if _number(db, "user_version") == 0:
            for statement in _TABLES.split(";\n"):
                if statement.strip():
                    db.execute(statement)
            db.execute("insert into meta values ('tokens', ?)", (TOKENS,))
            db.execute(f"pragma application_id={APPLICATION}")
            db.execute(f"pragma user_version={VERSION}")
    except sqlite3.Error:
        db.execute("rollback")
        raise
    db.execute("commit")


def _number(db: sqlite3.Connection, pragma: str) -> int:
    return int(db.execute(f"pragma {pragma}").fetchone()[0])
