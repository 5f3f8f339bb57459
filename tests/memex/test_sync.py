"""Change sets: what is read, what is gone, what is kept; nothing a file system holds is fatal."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex import files, sync
from memex.files import Entry, read_content, read_inside, walk
from memex.problems import Skipped
from memex.sync import ChangeSet, KnownFile, apply, changes

HOUR_AGO = 3_600_000_000_000


class Folder:
    """A memex on disk and what was recorded of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.known: dict[str, KnownFile] = {}
        self.last = 0

    def write(self, path: str, text: str | bytes, *, age_ns: int = HOUR_AGO) -> Path:
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        old = time.time_ns() - age_ns
        os.utime(place, ns=(old, old))
        return place

    def sync(self, *, full: bool = False, later: bool = True) -> ChangeSet:
        found = changes(self.root, self.known, last_sync_ns=self.last, full=full)
        self.known = apply(self.known, found)
        # ctime cannot be set back: `later` plays a sync that ran well after the files were written.
        self.last = time.time_ns() + (HOUR_AGO if later else 0)
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def parsed(found: ChangeSet) -> list[str]:
    return [change.path for change in found.parsed]


def reasons(found: ChangeSet) -> dict[str, str]:
    return {skip.path: skip.reason for skip in found.skipped}


def test_a_sync_reads_new_and_changed_files_and_names_those_gone(folder: Folder) -> None:
    folder.write("b/x.org", "* X\n")
    folder.write("a.org", "* A\n")
    folder.write("old.org_archive", "* O\n")
    folder.write("no.txt", "* N\n")
    first = folder.sync()
    assert parsed(first) == ["a.org", "b/x.org", "old.org_archive"]
    assert first.parsed[2].document.nodes[1].archived
    assert folder.sync().empty
    folder.write("a.org", "* A2\n")
    (folder.root / "b/x.org").unlink()
    second = folder.sync()
    assert (parsed(second), second.removed, second.unchanged) == (["a.org"], ("b/x.org",), 1)
    assert second.parsed[0].before is not None
    assert folder.sync().empty


def test_a_touched_file_is_hashed_and_not_read(folder: Folder) -> None:
    place = folder.write("a.org", "* A\n")
    folder.sync()
    os.utime(place, ns=(1, 1))
    found = folder.sync()
    assert (parsed(found), found.unchanged) == ([], 1)
    assert [path for path, _ in found.touched] == ["a.org"]
    assert folder.sync().empty


def test_a_write_in_the_tick_of_the_last_sync_is_seen(folder: Folder) -> None:
    place = folder.write("a.org", "* A\n", age_ns=0)
    folder.sync(later=False)
    record = folder.known["a.org"]
    place.write_bytes(b"* B\n")
    info = place.stat()
    # The same size and, as a coarse clock would have it, the same times: only the hash differs.
    mark = files.mark_of(info)
    folder.known["a.org"] = KnownFile(files.FileStat(*mark, record.stat.sha256))
    assert parsed(folder.sync(later=False)) == ["a.org"]


def test_a_time_in_the_future_is_hashed_every_time(folder: Folder) -> None:
    folder.write("a.org", "* A\n", age_ns=-2 * HOUR_AGO)
    folder.sync()
    record = folder.known["a.org"]
    folder.known["a.org"] = KnownFile(files.FileStat(*record.stat.mark, "0" * 64))
    assert parsed(folder.sync()) == ["a.org"]


def test_full_hashes_what_no_stat_tells(folder: Folder) -> None:
    folder.write("a.org", "* A\n")
    folder.sync()
    record = folder.known["a.org"]
    folder.known["a.org"] = KnownFile(files.FileStat(*record.stat.mark, "0" * 64))
    assert folder.sync().empty
    assert parsed(folder.sync(full=True)) == ["a.org"]


def test_what_cannot_be_read_is_told_and_the_rest_is_read(folder: Folder) -> None:
    folder.write("good.org", "* G\n")
    folder.write("latin.org", b"caf\xe9\n")
    folder.write("dir.org/inner.org", "* I\n")
    folder.write("x.sync-conflict-20240101-000000-A.org", "* C\n")
    os.mkfifo(folder.root / "pipe.org")
    (folder.root / "dangling.org").symlink_to("nowhere.org")
    (folder.root / ".#good.org").symlink_to("me@host.1:1")
    (folder.root / "loop.org").symlink_to("loop.org")
    found = folder.sync()
    assert parsed(found) == ["dir.org/inner.org", "good.org"]
    told = reasons(found)
    assert sorted(told) == [
        "dangling.org", "dir.org", "latin.org", "loop.org", "pipe.org",
        "x.sync-conflict-20240101-000000-A.org",
    ]
    assert "not UTF-8 at line 1, byte 3" in told["latin.org"]
    assert "regular" in told["pipe.org"] and "folder" in told["dir.org"]


def test_a_name_that_is_no_text_is_told(folder: Folder) -> None:
    name = os.fsencode(folder.root) + b"/caf\xe9.org"
    try:
        with open(name, "wb") as file:
            file.write(b"* A\n")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    found = folder.sync()
    assert parsed(found) == []
    assert "name" in next(iter(reasons(found).values()))


def test_paths_are_nfc_and_two_forms_of_one_name_are_told(folder: Folder) -> None:
    folder.write("cafe\u0301.org", "* D\n")
    assert parsed(folder.sync()) == ["café.org"]
    folder.write("café.org", "* C\n")
    if len(os.listdir(folder.root)) == 1:
        pytest.skip("this file system keeps one form of a name")
    found = folder.sync()
    assert "Unicode" in reasons(found)["café.org"]
    assert found.removed == ()


def test_links_inside_are_followed_once_and_out_are_told(folder: Folder, tmp_path: Path) -> None:
    inside = Folder(tmp_path / "memex")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "o.org").write_text("* O\n")
    inside.write("sub/a.org", "* A\n")
    inside.write(".hidden/h.org", "* H\n")
    for link, target in (
        ("sub/up", ".."), ("twin", "sub"), ("twin.org", "sub/a.org"), ("h.org", ".hidden/h.org"),
        ("out", outside), ("out.org", outside / "o.org"), ("visible", ".hidden"),
    ):
        (inside.root / link).symlink_to(target)
    found = inside.sync()
    assert parsed(found) == ["h.org", "sub/a.org", "visible/h.org"]
    assert set(reasons(found)) == {"out", "out.org"}
    assert inside.sync().empty


def test_a_file_that_cannot_be_opened_keeps_what_was_read(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("a.org", "* A\n")
    folder.sync()
    folder.write("a.org", "* B\n")
    refuse = Skipped("a.org", "the file cannot be opened: Permission denied", True)
    with monkeypatch.context() as patch:
        patch.setattr(sync, "read_content", lambda path, place: refuse)
        found = folder.sync()
    assert (found.skipped, found.removed, parsed(found)) == ((refuse,), (), [])
    assert parsed(folder.sync()) == ["a.org"]


def test_a_folder_that_cannot_be_listed_keeps_what_is_below(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("sub/a.org", "* A\n")
    folder.write("b.org", "* B\n")
    folder.sync()
    real = os.scandir

    def scandir(place: str) -> object:
        if str(place).endswith("sub"):
            raise PermissionError(13, "Permission denied")
        return real(place)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", scandir)
        found = folder.sync()
    assert found.removed == () and "sub" in reasons(found)
    assert folder.sync().empty


def test_a_file_that_turns_unreadable_for_good_is_removed(folder: Folder) -> None:
    folder.write("a.org", "* A\n")
    folder.sync()
    folder.write("a.org", b"\xff\xfe")
    found = folder.sync()
    assert found.removed == ("a.org",) and "UTF-8" in reasons(found)["a.org"]


def test_a_file_that_vanishes_between_walk_and_read(folder: Folder) -> None:
    place = folder.write("a.org", "* A\n")
    under_way = sync.start(folder.root, {"a.org": KnownFile(files.FileStat(0, 0, 0, 0, ""))})
    place.unlink()
    assert list(under_way.changes()) == []
    assert under_way.removed == ["a.org"]
    assert [skip.path for skip in under_way.skipped] == ["a.org"]


def test_a_file_that_changes_while_it_is_read_is_read_again(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder.write("a.org", "* A\n")
    real, writes = os.read, iter([b"* AB\n"])

    def read(handle: int, size: int) -> bytes:
        got = real(handle, size)
        for text in writes:
            place.write_bytes(text)
            break
        return got

    monkeypatch.setattr(os, "read", read)
    content = read_content("a.org", str(place))
    assert isinstance(content, files.Content) and content.data == b"* AB\n"


def test_a_file_that_never_stops_growing_is_given_up_and_kept(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder.write("a.org", "* A\n")
    real = os.read

    def read(handle: int, size: int) -> bytes:
        with place.open("ab") as file:
            file.write(b"more\n")
        return real(handle, size)

    monkeypatch.setattr(os, "read", read)
    skipped = read_content("a.org", str(place))
    assert isinstance(skipped, Skipped) and skipped.kept


def test_a_setup_file_that_changes_changes_its_readers(folder: Folder) -> None:
    folder.write("a.org", "#+SETUPFILE: set/s.setup\n* WAIT A\n")
    folder.write("b.org", "* B\n")
    first = folder.sync()
    assert [problem.key for problem in first.problems] == ["setupfile"]
    for text, todo in (("#+TODO: WAIT | OK\n", "WAIT"), ("#+TODO: X | OK\n", None)):
        folder.write("set/s.setup", text)
        found = folder.sync()
        assert parsed(found) == ["a.org"]
        assert found.parsed[0].document.nodes[1].todo == todo
        assert folder.sync().empty


def test_a_setup_file_behind_a_link_out_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "memex"
    root.mkdir()
    (tmp_path / "secret").write_text("#+TODO: A | B\n")
    (root / "s.org").symlink_to(tmp_path / "secret")
    assert read_inside(root, "s.org") == "it lies outside the memex"


def test_ppignore_takes_effect_at_the_next_sync(folder: Folder) -> None:
    folder.write("private/a.org", "* A\n")
    folder.write("b.org", "* B\n")
    assert parsed(folder.sync()) == ["b.org", "private/a.org"]
    (folder.root / ".ppignore").write_text("private/\n")
    assert folder.sync().removed == ("private/a.org",)
    (folder.root / ".ppignore").write_bytes(b"\xff")
    found = folder.sync()
    assert [problem.key for problem in found.problems] == ["ppignore"]
    assert parsed(found) == ["private/a.org"]


def test_the_journal_is_never_walked(folder: Folder) -> None:
    folder.write("system/journal/dev/x.org", "* J\n")
    folder.write("system/ontology.org", "* O\n")
    assert parsed(folder.sync()) == ["system/ontology.org"]


def test_a_root_that_is_not_there_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        walk(tmp_path / "gone")


def test_a_pass_that_is_killed_goes_on_where_it_was(folder: Folder) -> None:
    for name in "abc":
        folder.write(f"{name}.org", f"* {name}\n")
    under_way = sync.start(folder.root, {})
    done = next(iter(under_way.changes()))
    folder.known = {done.path: done.known}
    folder.last = time.time_ns() + HOUR_AGO
    assert parsed(folder.sync()) == ["b.org", "c.org"]


def test_every_entry_has_a_place_and_a_mark(folder: Folder) -> None:
    place = folder.write("a.org", "* A\n")
    assert walk(folder.root).entries == [Entry("a.org", str(place), files.mark_of(place.stat()))]


steps = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(("* A\n", "* B\n", None))),
                 max_size=6)


@given(st.lists(steps, max_size=4))
def test_incremental_syncs_end_where_one_sync_of_all_ends(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[tuple[str, str | None]]]
) -> None:
    folder = Folder(tmp_path_factory.mktemp("memex"))
    held: dict[str, str] = {}
    for batch in batches:
        for name, text in batch:
            path = f"{name}.org"
            if text is not None:
                folder.write(path, text)
            else:
                (folder.root / path).unlink(missing_ok=True)
        found = folder.sync()
        for path in found.removed:
            del held[path]
        held.update((change.path, change.document.nodes[1].title) for change in found.parsed)
    fresh = changes(folder.root, {})
    assert held == {change.path: change.document.nodes[1].title for change in fresh.parsed}
    assert folder.known == apply({}, fresh)
