"""The file: transactions, two connections, damage, versions, what sync keeps in it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from symbolic.digest import digest_d
from symbolic.grounding import holds, match_form
from symbolic.names import quote_form
from symbolic.records import Declarations, GateRow
from symbolic.store import update
from symbolic.store.places import Wanted
from symbolic.store.schema import StoreDamaged
from symbolic.store.store import Store
from symbolic.world import Change
from tests.symbolic import build
from tests.symbolic.build import relation, relations, says

ADA = build.heading("Ada", "Ada was born in Rome.", date="2020")
BORN = says("Ada", "born in", "Rome")
CHANGE = Change(
    headings=(ADA,), readings=(build.reading(ADA, BORN, ADA.title),),
    lines=(build.declare(says("Ada", "likes", "tea"), 1),), seen_at="2026-01-01T00:00:00.000000Z",
)  # fmt: skip


def opened(path: Path, declarations: Declarations | None = None) -> Store:
    return Store.open(path / "facts.db", declarations=declarations or Declarations(), rows=())


def test_what_was_committed_is_there_at_the_next_opening(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(CHANGE, {"a.org": '{"size":3}'}, {"watermark": "7"})
        before = digest_d(store, {})
    with opened(tmp_path) as store:
        assert digest_d(store, {}) == before
        assert store.stats() == {"a.org": '{"size":3}'} and store.meta("watermark") == "7"
        assert store.meta("nothing") is None and store.check() is None
        store.apply(Change(paths=("a.org",)))
        assert store.stats() == {}


def test_open_applies_other_declarations_and_rows(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(CHANGE)
        store.apply(Change(lines=(build.declare(says("Ada", "born in", "Oslo"), 2),)))
        assert store.conflicts() == ()
    decls = relations(relation("born in", functional=True))
    rows = [GateRow(source="t:1", written=says("x", "member of class", "y"))]
    with Store.open(tmp_path / "facts.db", declarations=decls, rows=rows) as store:
        assert len(store.conflicts()) == 1 and len(list(store.facts())) == 4
    with opened(tmp_path) as store:
        assert store.conflicts() == () and len(list(store.facts())) == 3


def test_a_failure_half_way_leaves_the_old_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as store:
        before = digest_d(store, {})

        def full(*_: object) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        monkeypatch.setattr(update.groups, "update", full)
        with pytest.raises(sqlite3.OperationalError):
            store.apply(CHANGE, meta={"watermark": "1"})
        assert digest_d(store, {}) == before and store.meta("watermark") is None
        monkeypatch.undo()
        store.apply(CHANGE)
        assert len(list(store.facts())) == 2


_KILLED = """
import os, signal, sys
from pathlib import Path
from symbolic.store import update
from tests.symbolic.test_store_file import CHANGE, opened
store = opened(Path(sys.argv[1]))
update.groups.update = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
store.apply(CHANGE)
"""


def test_killed_between_begin_and_commit_leaves_the_old_state(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(Change(lines=(build.declare(BORN, 5),)))
        before = digest_d(store, {})
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(root)}, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    with opened(tmp_path) as store:
        assert digest_d(store, {}) == before
        store.apply(CHANGE)
        assert len(list(store.facts())) == 2


def test_a_second_connection_reads_while_one_writes(tmp_path: Path) -> None:
    with opened(tmp_path) as writer, opened(tmp_path) as reader:
        with reader.snapshot():
            assert list(reader.facts()) == []
            writer.apply(CHANGE)
            assert list(reader.facts()) == []
        assert digest_d(reader, {}) == digest_d(writer, {})
        with pytest.raises(RuntimeError), reader.snapshot():
            reader.apply(CHANGE)


def test_two_writers_take_turns(tmp_path: Path) -> None:
    with opened(tmp_path) as one, opened(tmp_path) as other:
        one.apply(CHANGE)
        other.apply(Change(lines=(build.declare(says("Ada", "likes", "Rome"), 2),)))
        one.apply(Change(lines=(build.declare(says("Rome", "likes", "tea"), 3),)))
        assert len(list(other.facts())) == 4
        assert digest_d(one, {}) == digest_d(other, {})


@pytest.mark.parametrize(
    "spoil",
    [
        lambda db: db.write_bytes(b"no database at all, but long enough to look at" * 40),
        lambda db: sqlite3.connect(db).execute("pragma user_version=99").connection.close(),
        lambda db: sqlite3.connect(db).execute("pragma application_id=1").connection.close(),
        lambda db: sqlite3.connect(db).execute("drop table place").connection.close(),
        lambda db: db.write_bytes(db.read_bytes()[:100] + b"\0" * 8000),
    ],
)
def test_a_damaged_or_foreign_file_is_said_to_be_so(tmp_path: Path, spoil: object) -> None:
    opened(tmp_path).close()
    db = tmp_path / "facts.db"
    for beside in tmp_path.glob("facts.db-*"):
        beside.unlink()
    spoil(db)  # type: ignore[operator]
    with pytest.raises(StoreDamaged) as caught:
        opened(tmp_path)
    assert str(db) in str(caught.value) and "rebuild" in str(caught.value)


def test_what_reads_moved_keeps_its_row_and_its_time(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(CHANGE)
        lower = build.heading("Ada", "Ada was born in Rome.", date="2020", offset=40)
        moved = build.reading(lower, BORN, ADA.title, start=40)
        touched = store.apply(
            Change(headings=(lower,), readings=(moved,), seen_at="2027-01-01T00:00:00.000000Z")
        )
        assert touched.facts == frozenset()
        (fact,) = store.facts(relation="born in")
        assert fact.assertions[0].start == 40
        assert fact.assertions[0].at == "2026-01-01T00:00:00.000000Z"


def test_one_line_touches_only_its_neighbourhood(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        store.apply(CHANGE)
        touched = store.apply(Change(lines=(build.declare(says("Bob", "likes", "tea"), 9),)))
        assert len(touched.facts) == 1 and touched.conflicts == frozenset()
        assert store.apply(Change()).facts == frozenset()


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Ada was /born/ in [[id:r][Rome]] once", "Ada was born in Rome"),
        ("a  b\n c", "a b c"),
        ("=x= *y* z", "x y z"),
        ("=x= *y* z", "=x= *y*"),
        ("anything", ""),
        ("Case", "case"),
        ("[[u][un]]believable things here", "unbelievable things here"),
    ],
)
def test_the_forms_kept_for_quotes_hold_what_grounding_holds(text: str, quote: str) -> None:
    wanted = Wanted.of(quote)
    assert wanted.stands_in(quote_form(text), match_form(text)) == holds(text, quote)


def test_many_lost_quotes_are_found_in_one_pass(tmp_path: Path) -> None:
    headings = tuple(
        build.heading(f"H{n}", f"sentence number {n} stands here", path="b.org", offset=n)
        for n in range(40)
    )
    lines = tuple(
        build.admit(says(f"E{n}", "is", "x"), f"a.org#H{n}#1", f"number {n} stands", n + 1)
        for n in range(40)
    )
    with opened(tmp_path) as store:
        store.apply(Change(headings=headings, lines=lines))
        assert [t.resolved for t in sorted(store.tracks(), key=lambda t: t.key)] == [
            h.key for h in sorted(headings, key=lambda h: h.key)
        ]
