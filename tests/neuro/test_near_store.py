"""The near index: any history equals a fresh build; kills, damage and readers do no harm."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuro.near.rows import Link, Row
from neuro.near.schema import DB, VECTORS, NearDamaged
from neuro.near.store import Fresh, Near
from tests.conftest import REPO
from tests.neuro.nearby import MODEL, built, embed_all, picture, row, vectors

# --- the law ------------------------------------------------------------------------------------

PATHS = ("a.org", "b.org", "c.org")
TITLES = ("Ada", "Bo", "東京都", "Анна", "C++")
BODIES = ("", "writes programs", "東京へ行く", "живёт в Москве", "same words, other place")
KEYS = (None, "id:1", "id:2")


@st.composite
def files(draw: st.DrawFn) -> tuple[str, tuple[str, list[Row]]]:
    """Draw a file as sync hands it over; IDs may move between files, and links go anywhere."""
    path = draw(st.sampled_from(PATHS))
    headings = draw(st.lists(
        st.tuples(*map(st.sampled_from, (TITLES, BODIES, KEYS, TITLES))), max_size=4
    ))
    rows, taken = [row("Notes", path=path, is_file=True, key=f"{path}#")], set[str]()
    for line, (title, body, ident, target) in enumerate(headings, start=2):
        one = row(title, body, path=path, line=line, key=ident, links=(
            Link("name", target), Link("heading", "id:1"), Link("path", "b.org"),
            Link("heading", f"c.org#{target}#1"), Link("url", "https://example.org"),
        ))
        if one.key not in taken:
            taken.add(one.key)
            rows.append(one)
    return path, (repr(rows), rows)


STEPS = st.lists(
    st.tuples(st.lists(files(), max_size=2), st.sets(st.sampled_from(PATHS)), st.booleans()),
    max_size=5,
)


@settings(max_examples=settings.default.max_examples // 6)
@given(steps=STEPS)
def test_any_history_equals_a_fresh_build(
    steps: list[tuple[list[tuple[str, tuple[str, list[Row]]]], set[str], bool]]
) -> None:
    """Rows, words, links, vectors and N are those of an index that was made at once."""
    with tempfile.TemporaryDirectory() as folder:
        state: dict[str, tuple[str, list[Row]]] = {}
        (Path(folder) / "one").mkdir()
        with Near.open(Path(folder) / "one") as near:
            for changed, removed, embed in steps:
                near.apply(dict(changed), removed)
                for path in removed:
                    state.pop(path, None)
                state |= dict(changed)
                if embed:
                    embed_all(near)
            embed_all(near)
            assert picture(near) == built(Path(folder) / "two", state)


def test_a_heading_that_only_moves_keeps_its_vector(tmp_path: Path) -> None:
    with Near.open(tmp_path) as near:
        near.apply({"a.org": ("1", [row("Ada", "writes", key="id:1"), row("Bo", "reads")])})
        embed_all(near)
        near.apply({"b.org": ("1", [row("Ada", "writes", key="id:9", path="b.org", line=7)])},
                   ["a.org"])
        assert near.pending(MODEL) == []
        near.apply({"b.org": ("2", [row("Ada", "writes more", key="id:9", path="b.org")])})
        assert [one.key for one in near.pending(MODEL)] == ["id:9"]


def test_a_vector_of_a_text_that_changed_meanwhile_is_passed_over(tmp_path: Path) -> None:
    with Near.open(tmp_path) as near:
        near.apply({"a.org": ("1", [row("Ada", "old")])})
        (old,) = near.pending(MODEL)
        near.apply({"a.org": ("2", [row("Ada", "new")])})
        assert near.put_vectors(MODEL, [Fresh(old.id, old.mark)], np.ones((1, 4), np.float32)) == 0
        assert near.pending_count(MODEL) == 1


def test_rows_that_are_free_are_used_again(tmp_path: Path) -> None:
    """However often all is rewritten, the file does not grow."""
    with Near.open(tmp_path) as near:
        for turn in range(6):
            near.apply({"a.org": (str(turn), [row(f"T{n} {turn}", "x") for n in range(10)])})
            embed_all(near)
        assert near.free_floats() == (0, 10 * 256)


def test_models_and_dimensions_are_never_mixed(tmp_path: Path) -> None:
    with Near.open(tmp_path) as near:
        near.apply({"a.org": ("1", [row(f"T{n}") for n in range(5)])})
        embed_all(near)
        waiting = [Fresh(one.id, one.mark) for one in near.pending("other")]
        assert len(waiting) == 5
        rng = np.random.default_rng(1)
        wide = rng.random((5, 100), dtype=np.float32)
        near.put_vectors("other", waiting[:2], wide[:2])
        assert near.models() == {(MODEL, 256): 3, ("other", 100): 2}
        assert (near.pending_count(MODEL), near.pending_count("other")) == (2, 3)
        near.put_vectors("other", waiting[2:], wide[2:])
        ids, matrix = near.vectors("other")
        held = {int(number): matrix[at] for at, number in enumerate(ids) if number}
        for (number, _), wanted in zip(waiting, wide, strict=True):
            assert np.array_equal(held[number], wanted)
        # The same model with another dimension: what it gave before is pending.
        near.put_vectors("other", waiting[:1], np.ones((1, 8), np.float32))
        assert near.dim("other") == 8
        assert near.pending_count("other") == 4


def test_links_are_found_by_key_path_and_title(tmp_path: Path) -> None:
    with Near.open(tmp_path) as near:
        near.apply({
            "a.org": ("1", [
                row("Start", key="s", links=(
                    Link("heading", "id:1"), Link("path", "b.org"), Link("name", "ada"),
                    Link("heading", "b.org#Deep#1"), Link("name", "Twice"), Link("url", "x:y"),
                )),
                row("Ada", key="ada"), row("Twice", key="t1", line=3), row("Twice", key="t2"),
            ]),
            "b.org": ("1", [
                row("B", key="b", path="b.org", is_file=True), row("One", key="id:1", path="b.org"),
                row("Deep", key="deep", path="b.org", above=("One",)),
            ]),
        })
        ids = near.ids_of(["s", "ada", "id:1", "b", "deep", "t1", "t2"])
        aimed = frozenset(ids[key] for key in ("id:1", "b", "ada", "deep"))
        assert near.links_from([ids["s"]]) == {ids["s"]: aimed}
        assert near.links_to(ids.values()) == {one: frozenset({ids["s"]}) for one in aimed}
        near.apply({}, ["b.org"])
        assert near.links_from([ids["s"]]) == {ids["s"]: frozenset({ids["ada"]})}


# --- kills --------------------------------------------------------------------------------------

CHILD = """
import os, signal, sys
from pathlib import Path
from neuro.near.store import Near
from tests.neuro.nearby import embed_all, row

point, passes = sys.argv[2], int(sys.argv[3])
seen = 0

def at(name):
    global seen
    seen += name == point
    if name == point and seen == passes:
        os.kill(os.getpid(), signal.SIGKILL)

with Near.open(Path(sys.argv[1]), at=at) as near:
    near.apply({"a.org": ("2", [row("Ada", "new words"), row("Bo", "stays"), row("Cy", "more")])})
    embed_all(near)
    near.apply({"b.org": ("1", [row("Di", path="b.org")])}, ["a.org"])
    embed_all(near)
"""


@pytest.mark.parametrize("point", ["near.words", "near.append", "near.appended"])
@pytest.mark.parametrize("passes", [1, 2])
def test_a_kill_leaves_the_last_commit(tmp_path: Path, point: str, passes: int) -> None:
    """Killed between the file and the commit, or before either: what was committed stands."""
    state = tmp_path / "near"
    state.mkdir()
    with Near.open(state) as near:
        near.apply({"a.org": ("1", [row("Ada", "old words"), row("Bo", "stays")])})
        embed_all(near)
        before = vectors(near)
    environment = {**os.environ, "PYTHONPATH": str(REPO)}
    killed = subprocess.run(
        [sys.executable, "-c", CHILD, str(state), point, str(passes)], env=environment, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    with Near.open(state) as near:
        assert near.note is None
        assert (near.orphans(), near.check()) == (0, None)
        kept = vectors(near)
        assert {key: kept[key] for key in kept if key.endswith("#Bo#1")}.items() <= before.items()
        last = {"b.org": ("1", [row("Di", path="b.org")])}
        near.apply(last, ["a.org"])
        embed_all(near)
        assert picture(near) == built(tmp_path / "fresh", last)


# --- damage -------------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"no database at all" * 100, b"SQLite format 3\0" + bytes(4096)])
def test_a_damaged_index_is_made_anew_and_said(tmp_path: Path, data: bytes) -> None:
    (tmp_path / DB).write_bytes(data)
    with pytest.raises(NearDamaged):
        Near.open(tmp_path, mend=False)
    assert (tmp_path / DB).read_bytes() == data
    with Near.open(tmp_path) as near:
        assert near.note is not None and "damaged" in near.note
        near.apply({"a.org": ("1", [row("Ada")])})
        assert near.count() == 1


@pytest.mark.parametrize("size", [0, 256 * 4, None])
def test_a_vector_file_that_lost_its_end_makes_vectors_pending(
    tmp_path: Path, size: int | None
) -> None:
    with Near.open(tmp_path) as near:
        near.apply({"a.org": ("1", [row("Ada"), row("Bo"), row("Cy")])})
        embed_all(near)
        whole = vectors(near)
    if size is None:
        (tmp_path / VECTORS).unlink()
    else:
        os.truncate(tmp_path / VECTORS, size)
    with Near.open(tmp_path, mend=False) as near:
        assert near.note is not None
        assert len(vectors(near)) == (size or 0) // 1024
    with Near.open(tmp_path) as near:
        assert near.note is not None and "missing" in near.note
        assert near.pending_count(MODEL) == 3 - (size or 0) // 1024
        embed_all(near)
        assert vectors(near) == whole


# --- two at once --------------------------------------------------------------------------------


def test_a_reader_keeps_its_state_while_a_writer_writes(tmp_path: Path) -> None:
    with Near.open(tmp_path) as writer, Near.open(tmp_path) as reader:
        writer.apply({"a.org": ("1", [row("Ada")])})
        embed_all(writer)
        with reader.snapshot():
            before = (reader.files(), reader.match("ada", (1, 1, 1, 1)))
            writer.apply({"a.org": ("2", [row("Bo")])})
            embed_all(writer)
            assert (reader.files(), reader.match("ada", (1, 1, 1, 1))) == before
        assert reader.files() == {"a.org": "2"}
        assert vectors(reader) == vectors(writer)


def test_a_full_disk_leaves_all_as_it_was(tmp_path: Path) -> None:
    def full(name: str) -> None:
        if name == "near.append":
            raise OSError(28, "No space left on device")

    with Near.open(tmp_path, at=full) as near:
        near.apply({"a.org": ("1", [row("Ada")])})
        with pytest.raises(OSError, match="No space"):
            embed_all(near)
        assert (near.pending_count(MODEL), near.orphans()) == (1, 0)
    with Near.open(tmp_path) as near:
        assert embed_all(near) == 1
