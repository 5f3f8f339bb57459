"""V24: backup, wipe, restore, doctor; and every archive that must not be let in."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge import backup as backups
from bridge.archive import MANIFEST, safe, verify
from symbolic.errors import Refused
from tests.cli import Memex, candidate, org, relation

Files = dict[str, bytes]


@pytest.fixture
def notes(memex: Memex) -> Memex:
    return lived(memex)


@pytest.fixture
def sound(memex: Memex, kept: list[bytes] = []) -> Path:  # noqa: B006 (one archive is enough)
    """Return a sound archive of a memex that is gone."""
    if not kept:
        made(lived(memex))
        kept.append(archive(memex).read_bytes())
        wipe(memex)
    archive(memex).write_bytes(kept[0])
    shutil.rmtree(memex.root, ignore_errors=True)
    return archive(memex)


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


# --- archives that are not ours -----------------------------------------------------------------


def contents(path: Path) -> tuple[dict[str, Any], Files]:
    with tarfile.open(path) as tar:
        files = {m.name: tar.extractfile(m).read() for m in tar}  # type: ignore[union-attr]
    return json.loads(files.pop(MANIFEST)), files


def packed(path: Path, manifest: object, files: Files, *extra: tarfile.TarInfo) -> None:
    raw = manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode()
    with tarfile.open(path, "w:gz") as tar:
        for name, data in {MANIFEST: raw, **files}.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        for info in extra:
            tar.addfile(info, io.BytesIO(b"\0" * info.size))


def listed(manifest: dict[str, Any], name: str, data: bytes) -> dict[str, Any]:
    said = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest(), "mtime": 0}
    return {**manifest, "files": {**manifest["files"], name: said}}


def without(manifest: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in manifest.items() if k != key}


def member(name: str, kind: bytes, size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, "/etc/passwd", size
    return info


Spoil = Callable[[Path, dict[str, Any], Files], None]
NAME = "memex/people.org"

SPOILS: dict[str, Spoil] = {
    "truncated": lambda p, m, f: p.write_bytes(p.read_bytes()[:-200]) and None,
    "half": lambda p, m, f: p.write_bytes(p.read_bytes()[: p.stat().st_size // 2]) and None,
    "empty": lambda p, m, f: p.write_bytes(b"") and None,
    "no archive": lambda p, m, f: p.write_bytes(b"* Not an archive\n" * 99) and None,
    "plain gzip": lambda p, m, f: p.write_bytes(gzip.compress(b"* Not a tar\n")) and None,
    "checksum": lambda p, m, f: p.write_bytes(p.read_bytes()[:-8] + b"\0" * 8) and None,
    "tampered": lambda p, m, f: packed(p, m, {**f, NAME: b"x" + f[NAME][1:]}),
    "longer": lambda p, m, f: packed(p, m, {**f, NAME: f[NAME] + b"x"}),
    "missing": lambda p, m, f: packed(p, m, {k: v for k, v in f.items() if k != NAME}),
    "unlisted": lambda p, m, f: packed(p, m, {**f, "memex/more.org": b"* More\n"}),
    "twice": lambda p, m, f: packed(p, m, f, member(NAME, tarfile.REGTYPE)),
    "no manifest": lambda p, m, f: packed(p, b"", f),
    "manifest is a list": lambda p, m, f: packed(p, [], f),
    "manifest nests": lambda p, m, f: packed(p, b"[" * 100_000, f),
    "another schema": lambda p, m, f: packed(p, {**m, "schema": "pp.backup/2"}, f),
    "no memex": lambda p, m, f: packed(p, {**m, "memex": "../x"}, f),
    "no files": lambda p, m, f: packed(p, without(m, "files"), f),
    "wrong size": lambda p, m, f: packed(
        p, {**m, "files": {**m["files"], NAME: {**m["files"][NAME], "size": -1}}}, f),
    "up": lambda p, m, f: packed(
        p, listed(m, "memex/../../up.org", b"x"), {**f, "memex/../../up.org": b"x"}),
    "absolute": lambda p, m, f: packed(p, listed(m, "/up.org", b"x"), {**f, "/up.org": b"x"}),
    "file and folder": lambda p, m, f: packed(
        p, listed(m, NAME + "/x.org", b"x"), {**f, NAME + "/x.org": b"x"}),
    "link": lambda p, m, f: packed(
        p, listed(m, "memex/l.org", b""), f, member("memex/l.org", tarfile.SYMTYPE)),
    "hard link": lambda p, m, f: packed(
        p, listed(m, "memex/l.org", b""), f, member("memex/l.org", tarfile.LNKTYPE)),
    "device": lambda p, m, f: packed(
        p, listed(m, "memex/l.org", b""), f, member("memex/l.org", tarfile.CHRTYPE)),
    "fifo": lambda p, m, f: packed(
        p, listed(m, "memex/l.org", b""), f, member("memex/l.org", tarfile.FIFOTYPE)),
    "huge header": lambda p, m, f: packed(p, m, f, member("x", tarfile.XHDTYPE, 1 << 29)),
    "huge member": lambda p, m, f: packed(
        p, listed(m, "memex/l.org", b""), f, member("memex/l.org", tarfile.REGTYPE, 1 << 27)),
}  # fmt: skip


@pytest.mark.parametrize("how", SPOILS)
def test_an_archive_that_is_not_sound_writes_nothing(
    memex: Memex, sound: Path, how: str
) -> None:
    manifest, files = contents(sound)
    SPOILS[how](sound, manifest, files)
    ran = memex.run("restore", str(sound)).expect(4).names("nothing was written")
    assert len(ran.said) < 2000
    assert not memex.root.exists()
    assert not memex.state.exists()


@pytest.mark.parametrize("name", ["none.tar.gz", "."])
def test_an_archive_that_is_not_there_is_said(memex: Memex, name: str) -> None:
    memex.run("restore", str(memex.base / name), "--to", str(memex.base / "x")).expect(2)


def test_every_byte_of_an_archive_is_checked(sound: Path) -> None:
    """Whichever byte flips, the archive is refused or says the same."""
    good, raw = verify(sound), sound.read_bytes()
    for at in range(0, len(raw), max(1, len(raw) // 300)):
        sound.write_bytes(raw[:at] + bytes([raw[at] ^ 0x55]) + raw[at + 1 :])
        try:
            assert verify(sound).files == good.files
        except Refused:
            continue


@pytest.mark.parametrize("name", [
    "", "x", "/x", "memex/", "memex//x", "memex/.", "memex/..", "memex/a/../b", "memex/a\0b",
    "config/other", "manifest.json", "memex/\udcff",
])  # fmt: skip
def test_names_that_lead_elsewhere(name: str) -> None:
    assert not safe(name)
