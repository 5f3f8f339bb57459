"""V24: backup, wipe, restore, doctor; and every archive that must not be let in."""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from bridge import backup as backups
from bridge.archive import MANIFEST, verify
from tests.cli import Memex, candidate, org, relation

Files = dict[str, bytes]


@pytest.fixture
def notes(memex: Memex) -> Memex:
    return lived(memex)


def lived(memex: Memex) -> Memex:
    memex.write("people.org", org("""
        * Ada
        :PROPERTIES:
        :EMPLOYER: Initech
        :END:
        Ada works at Initech. Ada plays the cornet.
        * Bo
        Bo likes herring.
        """))
    memex.write("deep/er/more.org", "* Zoë\nIn ein Haus.\n")
    memex.write("picture.png", b"\x89PNG\0\1\2")
    memex.write(".passepartout.toml", 'zone = "Europe/Oslo"\n')
    memex.ontology(relation("works-at", policy="exclusive"))
    memex.begin()
    memex.take(candidate("Ada", "works-at", "Initech", "Ada works at Initech", path="people.org",
                         outline=["Ada"]))
    memex.declare('(:entity "Bo" :relation :likes :value "herring")')
    memex.decide("reject", memex.fact("Ada employer ?")["id"])
    return memex


def archive(memex: Memex) -> Path:
    return memex.base / "notes.tar.gz"


def made(memex: Memex, *flags: str, code: int = 0) -> dict[str, Any]:
    return memex.run("backup", str(archive(memex)), *flags, "--json").expect(code).one


def wipe(memex: Memex) -> None:
    shutil.rmtree(memex.root)
    shutil.rmtree(memex.state)


def test_v24_backup_wipe_restore_doctor(notes: Memex) -> None:
    prose, journal, digest = notes.snapshot(), notes.journal_bytes(), notes.digest()
    told = made(notes)
    assert (told["D"], told["left_out"]) == (digest, [])
    wipe(notes)
    restored = notes.run("restore", str(archive(notes)), "--json").expect(0).one
    assert all(check["ok"] for check in restored["checks"])
    assert (notes.snapshot(), notes.journal_bytes()) == (prose, journal)
    notes.sync()
    notes.run("doctor").expect(0)
    assert notes.digest() == digest == restored["D"]
    assert notes.rebuild()["result"] == "equal"


def test_v24_a_restore_is_a_new_device(notes: Memex) -> None:
    old = {line["dev"] for line in notes.journal()}
    made(notes)
    shutil.rmtree(notes.root)  # The state folder stays: the device in it is the old one's.
    notes.run("restore", str(archive(notes))).expect(0)
    notes.sync()
    notes.declare('(:entity "Bo" :relation :likes :value "rain")')
    new = {line["dev"] for line in notes.journal()}
    assert len(old) == 1
    assert len(new) == 2
    assert notes.journal("declare")[-1]["dev"] not in old


def test_v24_restore_to_another_folder(notes: Memex, tmp_path: Path) -> None:
    made(notes)
    where = tmp_path / "elsewhere" / "deep"
    argv = ["--state", str(tmp_path / "other"), "restore", str(archive(notes)), "--to", str(where)]
    notes.run(*argv).expect(0)
    copy = {p.relative_to(where).as_posix(): p.read_bytes()
            for p in where.rglob("*") if p.is_file() and "journal" not in p.parts}
    assert copy == notes.snapshot()


def test_the_manifest_names_every_file_with_its_hash(notes: Memex) -> None:
    notes.write("data/left.org", "* Out\n")
    notes.write("people.org~", "* Out\n")
    notes.write("people.sync-conflict-2024.org", "* May hold a lost edit\n")
    notes.sync()
    made(notes)
    manifest = verify(archive(notes))
    whole = {**notes.snapshot(), **notes.journal_bytes()}
    expected = {f"memex/{name}": hashlib.sha256(data).hexdigest() for name, data in whole.items()
                if name not in ("data/left.org", "people.org~")}
    assert {name: said.sha256 for name, said in manifest.files.items()} == expected
    assert manifest.versions["zone"] == "Europe/Oslo"
    with tarfile.open(archive(notes)) as tar:
        assert tar.getnames()[0] == MANIFEST


def test_a_backup_is_taken_of_what_was_not_synced_yet(notes: Memex) -> None:
    notes.write("late.org", "* Cy\n:PROPERTIES:\n:EMPLOYER: Globex\n:END:\n")
    told = made(notes)
    assert told["D"] == notes.digest()
    assert notes.current("Cy employer ?") == ["Cy employer Globex"]


def test_two_backups_of_one_memex_are_the_same_bytes(notes: Memex) -> None:
    made(notes)
    first = verify(archive(notes))
    made(notes, "--yes")
    second = verify(archive(notes))
    assert first.files == second.files
    assert (first.d, first.r) == (second.d, second.r)


def test_the_values_of_keys_stay_at_home(notes: Memex) -> None:
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "passepartout" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(
        'person = "Ada"\n[models.mine]\nbase_url = "https://x.example"\n'
        'key_variable = "MINE_API_KEY"\napi_key = "hunter2hunter2"\n[other]\n'
        'place = {token = "abc def"}\nfree = "sk-proj-abcdefghijklmnopqrstuvwx0123456789"\n'
    )
    made(notes)
    raw = gzip.decompress(archive(notes).read_bytes())
    for secret in (b"hunter2", b"abc def", b"sk-proj"):
        assert secret not in raw
    for kept in (b'person = "Ada"', b"MINE_API_KEY", b"https://x.example"):
        assert kept in raw
    config.unlink()
    wipe(notes)
    notes.run("restore", str(archive(notes))).expect(0).names(str(config))
    assert 'api_key = ""' in config.read_text()
    # Settings that stand are never written over.
    config.write_text('person = "Bo"\n')
    notes.run("restore", str(archive(notes)), "--yes").expect(0)
    assert config.read_text() == 'person = "Bo"\n'


def test_settings_from_which_a_key_cannot_be_taken_are_left_out(notes: Memex) -> None:
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "passepartout" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[x]\napi_key = "h\\u0075nter2"\n')
    told = made(notes, code=0)
    assert [out["path"] for out in told["left_out"]] == [str(config)]
    assert "config/config.toml" not in verify(archive(notes)).files


# --- where and when -----------------------------------------------------------------------------


def test_a_backup_is_not_written_over_without_a_word(notes: Memex) -> None:
    archive(notes).write_bytes(b"mine")
    notes.run("backup", str(archive(notes))).expect(6).names("--yes")
    assert archive(notes).read_bytes() == b"mine"
    made(notes, "--yes")


def test_a_backup_does_not_hold_itself(notes: Memex) -> None:
    notes.run("backup", str(notes.root / "b.tar.gz")).expect(2)
    link = notes.base / "way"
    link.symlink_to(notes.root)
    notes.run("backup", str(link / "b.tar.gz")).expect(2)


def test_a_place_that_is_no_place_is_said(notes: Memex) -> None:
    notes.run("backup", str(notes.base / "none" / "b.tar.gz")).expect(3).names("No such file")


@pytest.mark.parametrize("point", ["backup.write", "backup.fsync"])
@pytest.mark.parametrize("error", ["enospc", "eio"])
def test_a_full_disk_leaves_no_half_backup(notes: Memex, point: str, error: str) -> None:
    ran = notes.spawn("backup", str(archive(notes)), faults=f"{point}:{error}")
    ran.expect(8).names("no backup was made")
    assert not list(notes.base.glob("*.gz*")) + list(notes.base.glob(".*gz*"))


def test_a_kill_leaves_no_half_backup_under_its_name(notes: Memex) -> None:
    assert notes.spawn("backup", str(archive(notes)), faults="backup.fsync:kill").code == -9
    assert not archive(notes).exists()
    made(notes)


@pytest.mark.parametrize(("times", "code"), [(1, 0), (2, 0), (3, 5)])
def test_prose_that_changes_while_it_is_read(
    notes: Memex, monkeypatch: pytest.MonkeyPatch, times: int, code: int
) -> None:
    """An editor saves after the sync: the whole is read again, three times."""
    left = [times]
    whole = backups._is_what_was_synced

    def meddled(*given: Any) -> None:
        if left[0]:
            left[0] -= 1
            notes.write("people.org", f"* Ada\nSaved once more, {left[0]} to go.\n")
        whole(*given)
        # What is hashed now is what was synced, but it is not what will be packed.

    monkeypatch.setattr(backups, "_is_what_was_synced", meddled)
    ran = notes.run("backup", str(archive(notes)), "--json").expect(code)
    if code:
        assert "people.org" in ran.err
        assert not archive(notes).exists()
    else:
        assert ran.one["D"] == notes.digest()
        verify(archive(notes))


def test_a_file_that_cannot_be_read_is_named(
    notes: Memex, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = backups._opened

    def refused(name: str, entry: Any) -> Any:
        if name.endswith("picture.png"):
            raise PermissionError(13, "Permission denied", name)
        return opened(name, entry)

    monkeypatch.setattr(backups, "_opened", refused)
    told = made(notes, code=1)
    assert [out["path"] for out in told["left_out"]] == ["picture.png"]


def test_links_are_followed_or_told_and_never_packed(notes: Memex) -> None:
    """What a link with an Org name leads to is prose; after a restore it still is."""
    (notes.root / "linked.org").symlink_to("plain.txt")
    notes.write("plain.txt", "* Di\n:PROPERTIES:\n:EMPLOYER: Hooli\n:END:\n")
    (notes.root / "out.org").symlink_to("/etc/hostname")
    notes.sync()
    digest = notes.digest()
    assert [out["path"] for out in made(notes)["left_out"]] == ["out.org"]
    wipe(notes)
    notes.run("restore", str(archive(notes))).expect(0)
    notes.sync()
    assert notes.digest() == digest


# --- into a folder that is not empty ------------------------------------------------------------


def test_a_folder_that_is_not_empty_needs_a_person(notes: Memex) -> None:
    made(notes)
    notes.write("people.org", "* Changed\n").write("own.org", "* Stays\n")
    before = notes.snapshot()
    notes.run("restore", str(archive(notes))).expect(6).names("--yes", "not empty")
    assert notes.snapshot() == before
    notes.run("restore", str(archive(notes)), "--yes").expect(0)
    assert notes.snapshot()["own.org"] == b"* Stays\n"
    assert b"Ada works at" in notes.snapshot()["people.org"]


def test_decisions_made_since_the_backup_are_kept(notes: Memex) -> None:
    made(notes)
    event = notes.declare('(:entity "Bo" :relation :likes :value "rain")')["event"]
    ran = notes.run("restore", str(archive(notes)), "--yes", "--json").expect(0)
    assert len(ran.one["kept"]) == 1
    assert event in {line["hash"] for line in notes.journal()}
    notes.sync()
    assert "Bo likes rain" in notes.current("Bo likes ?")


def test_another_chain_under_the_same_name_refuses(notes: Memex) -> None:
    made(notes)
    (file,) = notes.journal_files
    other = file.read_bytes().replace(b"herring", b"gherkin")
    file.write_bytes(other)
    before = notes.snapshot()
    notes.run("restore", str(archive(notes)), "--yes").expect(4).names("another chain")
    assert (notes.snapshot(), file.read_bytes()) == (before, other)


@pytest.mark.parametrize("point", ["restore.write", "restore.fsync", "restore.rename"])
def test_a_full_disk_while_restoring_is_said_and_goes_on_later(notes: Memex, point: str) -> None:
    digest = notes.digest()
    made(notes)
    wipe(notes)
    ran = notes.spawn("restore", str(archive(notes)), faults=f"{point}:enospc")
    ran.expect(8)
    assert not notes.root.exists()
    notes.run("restore", str(archive(notes))).expect(0)
    notes.sync()
    assert notes.digest() == digest


def test_a_kill_while_restoring_leaves_no_memex_that_looks_whole(notes: Memex) -> None:
    digest = notes.digest()
    made(notes)
    wipe(notes)
    assert notes.spawn("restore", str(archive(notes)), faults="restore.rename:kill:3").code == -9
    notes.run("status").expect(3)
    notes.run("restore", str(archive(notes)), "--yes").expect(0)
    notes.sync()
    assert notes.digest() == digest
    assert not list(notes.root.glob(".pp-restore*"))


def test_no_room_is_said_before_anything_is_written(
    notes: Memex, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(notes)
    wipe(notes)
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("U", (), {"free": 10}))
    notes.run("restore", str(archive(notes))).expect(8).names("10 are free")
    assert not notes.root.exists()
