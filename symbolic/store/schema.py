"""The tables of facts.db, how the file is opened, and when it is given up.

::

    heading, assertion (raw part), line, rulefile, rows in meta  inputs, as given
    quote, anchor, mention, place, closing, incumbent,          what counting lines say
      settle, refuse, taken
    deed, divergence, beaten                                    decisions of several devices
    term ◄── fact ◄── assertion (computed part)                 facts and who says them
    conflict ── member                                          groups in conflict
    predicate ◄── piece ◄── support ──► rule                    what follows (deduction/tables.py)

Everything but the inputs can be computed again from them. The file is a cache: one that does not
read is thrown away by whoever opened it, never repaired.
"""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

from symbolic.deduction import tables
from symbolic.store.refusal import refused

VERSION = 10
APPLICATION = 0x70706674
"""Marks the file as ours in its header."""

PATIENCE = 30_000
"""Milliseconds that a writer waits for the transaction of another process to end."""

_TABLES = """
create table meta(key text primary key, value text not null) without rowid;
create table stat(path text primary key, value text not null) without rowid;
create table term(id integer primary key, key text not null unique, unit text);

create table heading(
  id integer primary key, path text not null, offset int not null, key text not null,
  ident text, outline text not null, nth int not null, title text not null,
  folded text not null, line int not null, text text not null, text_hash text not null,
  body_hash text not null, evidence_date text, agent int not null, archived int not null,
  commented int not null,
  tags text not null, exact text, bare text);
create index heading_key on heading(key);
create index heading_path on heading(path, offset);
create index heading_folded on heading(folded);
create index heading_body on heading(body_hash);
create index heading_bare on heading(id) where exact is null;

create table line(
  hash text primary key, ord text not null, dev text not null, seq int not null,
  prev text not null, kind text not null, person int not null, undone text,
  void int not null default 0, here int not null, carries text, held int not null default 0,
  acts text, text text not null);
create index line_ord on line(ord);
create index line_prev on line(prev);
create index line_away on line(ord) where here = 0;
create index line_carries on line(carries) where carries is not null;
create index line_held on line(held) where held > 0;
create table run(dev text not null, run text not null, primary key(dev, run)) without rowid;
create table tip(hash text primary key, dev text not null, seq int not null) without rowid;
create index line_kind on line(kind, ord);
create index line_dev on line(dev, seq);
create index line_undone on line(hash) where undone is not null;
create index line_void on line(hash) where void = 1;

create table quote(hash text primary key, text text not null) without rowid;
create table anchor(line text not null, ord text not null, sid text not null,
  key text not null, new_key text);
create index anchor_line on anchor(line);
create index anchor_sid on anchor(sid, key, ord);
create table place(
  id integer primary key, sid text not null, key text not null, quote_hash text not null,
  text_hash text not null, anchored text, resolved text, via int not null, held int not null,
  date text, probe text not null, base text, base_anchored text,
  unique(sid, key, quote_hash, text_hash));
create index place_base on place(base) where base is not null;
create index place_base_anchored on place(base_anchored) where base_anchored is not null;
create index place_key on place(key);
create index place_anchored on place(anchored) where anchored is not null;
create index place_resolved on place(resolved);
create index place_quote on place(quote_hash);
create index place_text on place(text_hash) where text_hash <> '';
create index place_probe on place(probe) where via <> 1;

create table mention(
  id integer primary key, line text not null, n int not null, ord text not null,
  role text not null, kind text not null, key text, quote_hash text not null,
  text_hash text not null, place int, fid text, cls text, at_heading text,
  scope text not null, written text, extra text);
create index mention_line on mention(line);
create index mention_place on mention(place) where place is not null;
create index mention_fid on mention(fid, role);
create index mention_cls on mention(cls, role);
create index mention_at on mention(at_heading) where at_heading is not null;
create index mention_role on mention(role, ord);
create index mention_extra on mention(extra) where role = 'propose';
create table closing(line text not null, ord text not null, old text not null,
  new text not null, bound text not null);
create index closing_line on closing(line);
create index closing_old on closing(old);
create index closing_new on closing(new);
create table incumbent(line text not null, ord text not null, fid text not null,
  kept int not null);
create index incumbent_line on incumbent(line);
create index incumbent_fid on incumbent(fid);
create table settle(line text not null, ord text not null, conflict text not null,
  members text not null);
create index settle_line on settle(line);
create index settle_conflict on settle(conflict, ord);
create table refuse(line text not null, ord text not null, proposal text not null,
  body text not null);
create index refuse_line on refuse(line);
create table taken(line text not null, proposal text not null);
create index taken_line on taken(line);
create index taken_proposal on taken(proposal);
create index refuse_proposal on refuse(proposal, ord);

create table deed(line text not null, grp text not null, place int);
create index deed_line on deed(line);
create index deed_grp on deed(grp);
create index deed_place on deed(place) where place is not null;
create table divergence(id text not null, event text not null, body text not null,
  key int not null, primary key(id, event)) without rowid;
create index divergence_event on divergence(event);
create table beaten(line text not null, fid text not null, key int not null,
  primary key(line, fid, key)) without rowid;
create index line_acts on line(acts) where acts is not null;

create table fact(
  id integer primary key, fid text not null unique, cls text not null, domain text not null,
  e int not null, r int not null, v int not null, polarity int not null,
  start text, end text, standing text, closed_at text, closed_by text, policy text,
  dates text, spells text, trusted int, sig text);
create index fact_spo on fact(e, r, v);
create index fact_pos on fact(r, v);
create index fact_osp on fact(v);
create index fact_cls on fact(cls);
create index fact_domain on fact(domain) where domain <> 'memex';
create index fact_negative on fact(e, r, v) where polarity = 0;

create table assertion(
  id integer primary key, source text not null, kind text not null, path text, line text,
  ord text, place int, heading text, key text, written text not null, quote text,
  quote_hash text not null, provenance text not null, by text not null, at text,
  own_date text, start int, end int, rule text, min_sources int not null, source_id text,
  fact int, at_heading text, said text, spelled text, state text, ended_by text, base text,
  base_ended text, resolved text, date text);
create index assertion_fact on assertion(fact);
create index assertion_path on assertion(path) where path is not null;
create index assertion_line on assertion(line) where line is not null;
create index assertion_place on assertion(place) where place is not null;
create index assertion_heading on assertion(heading) where heading is not null;
create index assertion_quote on assertion(quote_hash) where path is not null;
create index assertion_at on assertion(at_heading) where at_heading is not null;

create table conflict(id text primary key, constrained text not null, domain text not null,
  key text not null, members text not null, policy text not null, overlap text not null)
  without rowid;
create table member(fid text not null, conflict text not null, primary key(fid, conflict))
  without rowid;
create index member_conflict on member(conflict);

create table rulefile(name text primary key, text text not null) without rowid;
"""
_TABLES += tables.TABLES + ";\n".join(text for _, text in tables.SUPPORT_INDICES)

_NAMES = frozenset(re.findall(r"create (?:table|index) (\w+)", _TABLES))

DERIVED = (
    "quote", "anchor", "place", "mention", "closing", "incumbent", "settle", "refuse", "taken",
    "fact", "conflict", "member", "deed", "divergence", "beaten",
)  # fmt: skip
"""The tables that are emptied when all is computed again.

`assertion` keeps its readings, and `term` its ids, which readers in other processes remember.
"""


class StoreDamaged(Exception):
    """The index cannot be used and has to be rebuilt; `reason` is a sentence for people."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}; delete it and rebuild")
        self.path = path
        self.reason = reason


def connect(path: Path | None) -> sqlite3.Connection:
    """Open facts.db at `path` (None: in memory), made if it is not there.

    Raises StoreDamaged if it is no database of ours, of another version, or does not read.
    """
    name = ":memory:" if path is None else str(path)
    try:
        db = sqlite3.connect(
            name, isolation_level=None, cached_statements=256, timeout=PATIENCE / 1000,
            check_same_thread=False,
        )  # fmt: skip
    except sqlite3.OperationalError as error:
        told = refused(error, name)
        if told is not None:
            raise told from error
        raise StoreDamaged(name, f"it cannot be opened ({error})") from error
    try:
        _prepare(db, name)
    except StoreDamaged:
        db.close()
        raise
    except sqlite3.DatabaseError as error:
        db.close()
        if not damage(error):
            raise
        raise StoreDamaged(name, f"it does not read ({error})") from error
    return db


def damage(error: sqlite3.DatabaseError) -> bool:
    """Return whether an error says that the file is broken, and not busy, full or read-only."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _prepare(db: sqlite3.Connection, name: str) -> None:
    for pragma in (
        "journal_mode=wal", "synchronous=normal", "cache_size=-65536", "temp_store=memory",
        "wal_autocheckpoint=20000",
    ):  # fmt: skip
        db.execute(f"pragma {pragma}").fetchone()
    if _number(db, "user_version") == 0 and _number(db, "schema_version") == 0:
        _create(db)
    found = _number(db, "user_version")
    if _number(db, "application_id") != APPLICATION:
        raise StoreDamaged(name, "it is not an index of this program")
    if found != VERSION:
        raise StoreDamaged(name, f"it has format {found}, this version reads {VERSION}")
    here = {row[0] for row in db.execute("select name from sqlite_master where sql is not null")}
    if missing := _NAMES - here:
        raise StoreDamaged(name, f"{', '.join(sorted(missing))} is missing in it")
    db.execute("create temp table want(k primary key) without rowid")
    db.execute("create temp table former(id integer primary key, fid text)")
    tables.script(db, tables.SCRATCH)


def _create(db: sqlite3.Connection) -> None:
    """Make the tables; of two processes at once the second finds them made."""
    db.execute("begin immediate")
    try:
        if _number(db, "user_version") == 0:
            for statement in _TABLES.split(";"):
                if statement.strip():
                    db.execute(statement)
            db.execute(f"pragma application_id={APPLICATION}")
            db.execute(f"pragma user_version={VERSION}")
    except sqlite3.Error:
        db.execute("rollback")
        raise
    db.execute("commit")


def _number(db: sqlite3.Connection, pragma: str) -> int:
    return int(db.execute(f"pragma {pragma}").fetchone()[0])
