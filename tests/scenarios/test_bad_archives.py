"""Archives that must not be let in: cut off, tampered with, or made to write elsewhere."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge.archive import MANIFEST, safe, verify
from symbolic.errors import Refused
from tests.cli import Memex
from tests.scenarios.test_v24_backup import archive, lived, made, wipe

Files = dict[str, bytes]


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
    "huge header": lambda p, m, f: packed(p, m, f, member("x", tarfile.XHDTYPE, 1 << 27)),
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
