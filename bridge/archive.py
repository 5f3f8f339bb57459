"""A backup's archive: what its manifest says, how one is written, and how one is verified.

::

    manifest.json                         first: who, when, D, R, versions, sha256 of each file
    memex/PATH                            every file of the memex but ignored ones
    config/config.toml                    the user's settings without the values of keys

A tar.gz from elsewhere is not trusted: what is in it is regular files that the manifest names, with
the size and hash it says, at paths that stay where they are put; anything else refuses it whole.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from symbolic.errors import Refused, Usage

MANIFEST = "manifest.json"
MEMEX = "memex/"
CONFIG = "config/config.toml"
SCHEMA = "pp.backup/1"

_LARGEST_MANIFEST = 1 << 26
_BLOCK = 1 << 20
_HASH = re.compile(r"[0-9a-f]{64}")
_ID = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """One file of an archive: its size in bytes, its sha256, its time of change in seconds."""

    size: int
    sha256: str
    mtime: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a backup is of. `d` and `r` are the digests of what it holds, `heads` its chains."""

    memex: str
    made: str
    d: str
    r: str
    heads: Mapping[str, str]
    versions: Mapping[str, object]
    files: Mapping[str, Packed]

    def json(self) -> dict[str, object]:
        """Return the manifest as the JSON document of the archive."""
        files = {name: asdict(packed) for name, packed in sorted(self.files.items())}
        return {
            "schema": SCHEMA, "memex": self.memex, "made": self.made, "D": self.d, "R": self.r,
            "heads": dict(self.heads), "versions": dict(self.versions), "files": files,
        }

    @property
    def bytes(self) -> int:
        """The size of all files unpacked."""
        return sum(packed.size for packed in self.files.values())


# --- writing ------------------------------------------------------------------------------------


class Changed(Exception):
    """The file `path` is not any more what the manifest says of it."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class _Hashed:
    """A file being read, and the hash of what was read of it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes."""
        data = self._file.read(size)
        self.digest.update(data)
        return data


def pack(out: IO[bytes], manifest: Manifest, content: Callable[[str], IO[bytes]]) -> None:
    """Write an archive to `out`; `content` opens a file by its name in the archive.

    Raises Changed if a file is not what the manifest says, OSError where the disk refuses.
    """
    # The time in the gzip header stays out: the same memex gives the same archive.
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=out, compresslevel=6, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        text = json.dumps(manifest.json(), ensure_ascii=False, indent=1).encode() + b"\n"
        tar.addfile(_header(MANIFEST, len(text), 0), io.BytesIO(text))
        for name, said in sorted(manifest.files.items()):
            with content(name) as file:
                size = file.seek(0, io.SEEK_END)
                file.seek(0)
                if size != said.size:
                    raise Changed(name)
                hashed = _Hashed(file)
                tar.addfile(_header(name, said.size, said.mtime), hashed)
            if hashed.digest.hexdigest() != said.sha256:
                raise Changed(name)


def _header(name: str, size: int, mtime: int) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.size, info.mtime, info.mode = size, mtime, 0o644
    return info


# --- reading ------------------------------------------------------------------------------------


class _Bounded(gzip.GzipFile):
    """A gzip stream that is never read in a piece that a header from elsewhere may choose."""

    def read(self, size: int | None = -1) -> bytes:
        """Read up to `size` bytes; more than any of our headers has is refused."""
        if size is None or size < 0 or size > _LARGEST_MANIFEST:
            raise tarfile.ReadError("a header is larger than any that we write")
        return super().read(size)


def verify(path: Path) -> Manifest:
    """Return the manifest of the archive at `path`, of which every byte was checked.

    Raises Refused naming what is wrong, Usage if it cannot be read at all.
    """
    return unpack(path, lambda _: None, lambda _, chunks: None)


def unpack(
    path: Path, place: Callable[[str], Path | None], put: Callable[[Path, Iterator[bytes]], None]
) -> Manifest:
    """Give each file to `put` at the place that `place` names for it; None passes it by.

    Everything is checked once more, since the archive may have changed after `verify`.
    """
    found = None
    for manifest, name, chunks in _members(path):
        found = manifest
        target = place(name)
        if target is not None:
            put(target, chunks)
        for _rest in chunks:
            continue
    if found is None:
        raise _refused(path, "it holds no files")
    return found


def _members(path: Path) -> Iterator[tuple[Manifest, str, Iterator[bytes]]]:
    """Yield (manifest, name, its bytes) of each file; the bytes have to be taken before the next.

    At the end every file of the manifest was there once.
    """
    with _reading(path), path.open("rb") as raw, _Bounded(fileobj=raw, mode="rb") as stream:
        with tarfile.open(fileobj=stream, mode="r:") as tar:
            manifest = _manifest(path, tar)
            missing = dict(manifest.files)
            while (info := tar.next()) is not None:
                said = missing.pop(info.name, None)
                if said is None:
                    shown = info.name[:200]
                    raise _refused(path, f"{shown!r} stands twice in it or not in its manifest")
                _plain(path, info)
                if info.size != said.size:
                    raise _refused(path, f"{info.name} has {info.size} bytes, not {said.size}")
                yield manifest, info.name, _chunks(path, tar, info, said)
        # The end of the stream holds its checksum.
        while stream.read(_BLOCK):
            continue
        if missing:
            raise _refused(path, f"{min(missing)} is missing in it")


def _plain(path: Path, info: tarfile.TarInfo) -> None:
    """Refuse a member that is no regular file: a link would lead writes elsewhere."""
    if info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or info.sparse is not None:
        raise _refused(path, f"{info.name[:200]!r} is no regular file (type {info.type!r})")


def _chunks(
    path: Path, tar: tarfile.TarFile, info: tarfile.TarInfo, said: Packed
) -> Iterator[bytes]:
    file = tar.extractfile(info)
    assert file is not None, "a regular file"
    digest, left = hashlib.sha256(), said.size
    while left:
        # Whoever takes the chunks is not within the `_reading` of `_members`.
        with _reading(path):
            chunk = file.read(min(left, _BLOCK))
            if not chunk:
                raise EOFError("the archive ends within a file")
        digest.update(chunk)
        left -= len(chunk)
        yield chunk
    if digest.hexdigest() != said.sha256:
        raise _refused(path, f"{info.name} is not what the manifest says: its sha256 differs")


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn what a file says that is no archive, or half of one, into a refusal."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile, tarfile.TarError) as error:
        raise _refused(path, f"it is damaged or cut off ({error})") from error
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        if error.filename != str(path):
            raise
        raise Usage(f"{path} cannot be read: {error.strerror}") from error


def _refused(path: Path, why: str) -> Refused:
    return Refused(f"{path}: {why}; nothing was written", key="backup-damaged")


def _manifest(path: Path, tar: tarfile.TarFile) -> Manifest:
    info = tar.next()
    if info is None or info.name != MANIFEST:
        raise _refused(path, f"it is no backup of pp: it does not begin with {MANIFEST}")
    _plain(path, info)
    if info.size > _LARGEST_MANIFEST:
        raise _refused(path, f"its manifest has {info.size} bytes")
    file = tar.extractfile(info)
    assert file is not None, "a regular file"
    try:
        return _read_manifest(json.loads(file.read(info.size)))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise _refused(path, f"its manifest does not read ({error})") from error


def _read_manifest(told: Mapping[str, object]) -> Manifest:
    if told["schema"] != SCHEMA:
        raise ValueError(f"it has schema {told['schema']!r}, this version reads {SCHEMA}")
    memex, files, heads, versions = (told[key] for key in ("memex", "files", "heads", "versions"))
    if not (isinstance(memex, str) and _ID.fullmatch(memex)):
        raise ValueError("its memex id is none")
    if not (isinstance(files, dict) and isinstance(heads, dict) and isinstance(versions, dict)):
        raise ValueError("files, heads or versions is no object")
    found = {name: _packed(name, said) for name, said in files.items()}
    _no_file_is_a_folder(found)
    return Manifest(
        memex=memex, made=str(told["made"]), d=str(told["D"]), r=str(told["R"]),
        heads={str(dev): str(head) for dev, head in heads.items()}, versions=versions, files=found,
    )


def _packed(name: str, said: Mapping[str, object]) -> Packed:
    size, sha256, mtime = said["size"], said["sha256"], said["mtime"]
    if not safe(name):
        raise ValueError(f"the path {name[:200]!r} leads elsewhere")
    if type(size) is not int or size < 0 or type(mtime) is not int:
        raise ValueError(f"{name} has no size or no time")
    if not (isinstance(sha256, str) and _HASH.fullmatch(sha256)):
        raise ValueError(f"{name} has no sha256")
    return Packed(size=size, sha256=sha256, mtime=mtime)


def _no_file_is_a_folder(files: Mapping[str, Packed]) -> None:
    for name in files:
        for folder in PurePosixPath(name).parents:
            if str(folder) in files:
                raise ValueError(f"{folder} is a file and a folder")


def safe(name: str) -> bool:
    """Return whether a name of the archive stays below the folder it is put into."""
    if name != CONFIG and not name.startswith(MEMEX):
        return False
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return all(part not in ("", ".", "..") and "\0" not in part for part in name.split("/"))
