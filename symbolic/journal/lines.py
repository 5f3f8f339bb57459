"""One journal line: canonical JSON, its hashes, and reading it back with every check.

A line is one JSON object in canonical form (UTF-8 unescaped, keys sorted, no spaces, no floats)
and LF. ``body`` carries a random ``salt``; ``body_hash`` covers the canonical body, ``hash`` the
canonical line without ``body`` and ``hash``. So a body may be blanked later and the chain still
verifies, and a short secret cannot be guessed from its hash. Reading encodes what it parsed again
and compares bytes: whatever JSON lets pass twice (duplicate keys, NaN, escapes, spaces) is broken.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NoReturn

from symbolic.journal.kinds import KINDS, problems, require
from symbolic.records import Line

VERSION = 1
FIRST_PREV = "0" * 64
MAX_LINE = 16 * 1024 * 1024
"""Bytes of the longest line; it bounds what a reader takes into memory at once."""

FIELDS = frozenset(
    ("v", "dev", "run", "seq", "at", "seen", "by", "kind", "body", "body_hash", "prev", "hash")
)

_HASH = re.compile(r"[0-9a-f]{64}")
_DEV = re.compile(r"[0-9a-f]{12}")
_RUN = re.compile(r"[0-9a-f]{16}")
_SALT = re.compile(r"[0-9a-f]{32}")
_AT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z", re.ASCII)
_BY = re.compile(r"(?:person|program):[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]*)")

Seen = Mapping[str, tuple[tuple[int, str], ...]]
"""Branch heads of other devices: device -> (seq, hash) of each."""


class FaultKind(StrEnum):
    """What a fault means for its chain."""

    BROKEN = "broken"
    NEWER = "newer"
    WAITING = "waiting"
    TORN = "torn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a line, and all after it in its chain, does not count. `line` is 0 for a whole file."""

    kind: FaultKind
    file: str
    line: int
    message: str
    excerpt: str = ""
    remedy: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message}" + (f"; {self.remedy}" if self.remedy else "")


_REMEDY = {
    FaultKind.BROKEN: "restore the file from another device or a backup; the lines before count",
    FaultKind.NEWER: "update passepartout; until then the memex is read-only",
    FaultKind.WAITING: "wait until the files have all arrived; the lines before count",
    FaultKind.TORN: "",
}

_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
)


def fault(kind: FaultKind, file: str, line: int, message: str, raw: bytes = b"") -> Fault:
    """Return a Fault with the remedy of its kind and the start of the line `raw`."""
    excerpt = raw[:80].decode("utf-8", "backslashreplace").rstrip("\n")
    return Fault(
        kind=kind, file=file, line=line, message=message, excerpt=excerpt, remedy=_REMEDY[kind]
    )


def canonical(value: object) -> bytes:
    """Return the canonical JSON of `value`, without LF.

    Raises UnicodeEncodeError on a lone surrogate and ValueError on NaN; floats are the caller's.
    """
    return _ENCODER.encode(value).encode("utf-8")


def sha256(value: object) -> str:
    """Return the sha256 hex digest of the canonical JSON of `value`."""
    return hashlib.sha256(canonical(value)).hexdigest()


def stamp(moment: datetime) -> str:
    """Return an aware `moment` as a line's `at`. Raises ValueError on a naive one."""
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError("a journal line needs a time with a zone")
    return (moment.replace(tzinfo=None) - offset).isoformat(timespec="microseconds") + "Z"


def encode(
    *,
    dev: str,
    run: str,
    seq: int,
    at: str,
    seen: Seen,
    by: str,
    kind: str,
    body: Mapping[str, object],
    prev: str,
    salt: str | None = None,
) -> bytes:
    """Return the line, LF included. `salt` is drawn unless given. Raises what `check` raises."""
    salted = {**check(by, kind, body), "salt": salt or os.urandom(16).hex()}
    line: dict[str, object] = {
        "v": VERSION,
        "dev": dev,
        "run": run,
        "seq": seq,
        "at": at,
        "seen": dict(seen),
        "by": by,
        "kind": kind,
        "body_hash": sha256(salted),
        "prev": prev,
    }
    whole = {**line, "body": salted, "hash": sha256(line)}
    return canonical(whole) + b"\n"


def check(by: str, kind: str, body: Mapping[str, object]) -> dict[str, object]:
    """Return `body` as canonical JSON holds it, in plain dicts and lists.

    Raises BadBody if `kind` does not allow `body`, TypeError on a float or anything JSON does not
    hold, ValueError on text that is no Unicode (a lone surrogate) and on a bad `by`: all are bugs.
    """
    require(kind, body)
    if _BY.fullmatch(by) is None:
        raise ValueError(f"'{by}' is no person:NAME or program:VERB")
    plain = _plain(body, kind)
    assert isinstance(plain, dict)
    canonical(plain)
    return plain


def _plain(value: object, where: str) -> object:
    """Return `value` in dicts and lists. Raises TypeError on what canonical JSON does not hold."""
    if value is None or isinstance(value, (str, int)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item, where) for item in value]
    if not isinstance(value, Mapping):
        raise TypeError(f"{where}: {value!r} may not stand in a journal line; a float goes as text")
    copy: dict[str, object] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise TypeError(f"{where}: key {key!r} is no text")
        copy[key] = _plain(item, f"{where}.{key}")
    return copy


def decode(raw: bytes, path: str, lineno: int) -> Line | Fault:
    """Return the verified line that `raw` (LF included) holds, or why it does not count.

    Everything the line says of itself is checked; its place in the chain is the reader's. A
    redacted line (`body: null`) is valid by its hash alone and has an empty body.
    """
    if len(raw) > MAX_LINE:
        return fault(FaultKind.BROKEN, path, lineno, f"longer than {MAX_LINE} bytes", raw)
    if not raw.endswith(b"\n"):
        return fault(FaultKind.TORN, path, lineno, "torn: the line does not end", raw)
    parsed = _parse(raw)
    if isinstance(parsed, str):
        return fault(FaultKind.BROKEN, path, lineno, parsed, raw)
    version = parsed.get("v")
    if isinstance(version, int) and not isinstance(version, bool) and version > VERSION:
        message = f"written in format {version}, this version reads {VERSION}"
        return fault(FaultKind.NEWER, path, lineno, message, raw)
    if complaint := _envelope(parsed) or _hashes(parsed, raw):
        return fault(FaultKind.BROKEN, path, lineno, complaint, raw)
    if parsed["kind"] not in KINDS:
        message = f"unknown kind '{parsed['kind']}'"
        return fault(FaultKind.NEWER, path, lineno, message, raw)
    body = parsed["body"] or {}
    if parsed["body"] is not None and (found := _body(parsed["kind"], body)):
        return fault(FaultKind.BROKEN, path, lineno, found, raw)
    return _line(parsed, path, lineno)


def redone(line: Line) -> Line | Fault:
    """Return the old line that a `redo` line carries whole, verified by its own hash."""
    old = line.body["line"]
    try:
        raw = canonical(old) + b"\n"
    except ValueError:
        raw = b"\n"
    return decode(raw, line.path, line.lineno)


def _line(parsed: dict[str, object], path: str, lineno: int) -> Line:
    body, seen = parsed["body"], parsed["seen"]
    assert isinstance(seen, dict) and isinstance(parsed["seq"], int)
    assert body is None or isinstance(body, dict)
    return Line(
        dev=str(parsed["dev"]),
        run=str(parsed["run"]),
        seq=parsed["seq"],
        at=str(parsed["at"]),
        seen={dev: tuple((seq, head) for seq, head in heads) for dev, heads in seen.items()},
        by=str(parsed["by"]),
        kind=str(parsed["kind"]),
        body={key: value for key, value in (body or {}).items() if key != "salt"},
        hash=str(parsed["hash"]),
        prev=str(parsed["prev"]),
        path=path,
        lineno=lineno,
        salt=None if body is None else str(body["salt"]),
        body_hash=str(parsed["body_hash"]),
    )


def whole(line: Line) -> dict[str, object]:
    """Return the JSON object that `line` was read from: what a `redo` carries."""
    return {
        "v": VERSION,
        "dev": line.dev,
        "run": line.run,
        "seq": line.seq,
        "at": line.at,
        "seen": {dev: [list(head) for head in heads] for dev, heads in line.seen.items()},
        "by": line.by,
        "kind": line.kind,
        "body": None if line.salt is None else {**line.body, "salt": line.salt},
        "body_hash": line.body_hash,
        "prev": line.prev,
        "hash": line.hash,
    }


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"the number {text} is no whole number")


# Made once: json.loads would make one for each line.
_DECODER = json.JSONDecoder(parse_float=_refuse, parse_constant=_refuse)


def _parse(raw: bytes) -> dict[str, object] | str:
    """Return the object that `raw` holds in canonical form, or what is wrong with it."""
    try:
        parsed = _DECODER.decode(raw.decode("utf-8"))
        if not isinstance(parsed, dict):
            return "is no JSON object"
        same = canonical(parsed) + b"\n" == raw
    except (ValueError, RecursionError) as error:
        return f"is no canonical JSON: {error}"
    return parsed if same else "is no canonical JSON: it was written or changed by another program"


def _envelope(parsed: dict[str, object]) -> str | None:
    """Return what is wrong with the fields around the body, or None."""
    if parsed.keys() != FIELDS:
        names = sorted(parsed.keys() ^ FIELDS)
        return f"fields missing or not known: {', '.join(names)}"
    if parsed["v"] != VERSION or isinstance(parsed["v"], bool):
        return "'v' is no version"
    shapes = {
        "dev": _DEV, "run": _RUN, "at": _AT, "by": _BY, "prev": _HASH, "hash": _HASH,
        "body_hash": _HASH,
    }  # fmt: skip
    for name, shape in shapes.items():
        value = parsed[name]
        if not isinstance(value, str) or shape.fullmatch(value) is None:
            return f"'{name}' does not read"
    try:
        datetime.fromisoformat(str(parsed["at"]))
    except ValueError:
        return "'at' is no time"
    if not _is_seq(parsed["seq"]) or not isinstance(parsed["kind"], str):
        return "'seq' or 'kind' does not read"
    return _seen(parsed["seen"])


def _is_seq(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_head(value: object) -> bool:
    if not isinstance(value, list) or len(value) != 2 or not _is_seq(value[0]):
        return False
    return isinstance(value[1], str) and _HASH.fullmatch(value[1]) is not None


def _seen(seen: object) -> str | None:
    if not isinstance(seen, dict):
        return "'seen' is no object"
    for dev, heads in seen.items():
        if _DEV.fullmatch(dev) is None or not isinstance(heads, list) or not heads:
            return "'seen' does not read"
        if not all(_is_head(head) for head in heads):
            return "'seen' does not read"
    return None


def _hashes(parsed: dict[str, object], raw: bytes) -> str | None:
    """Return which of the line's two hashes is wrong, or None."""
    rest = {name: parsed[name] for name in parsed if name not in ("body", "hash")}
    if sha256(rest) != parsed["hash"]:
        return "its hash is wrong: the line was changed"
    body = parsed["body"]
    if body is None:
        return None
    if not isinstance(body, dict):
        return "'body' is no object"
    if sha256(body) != parsed["body_hash"]:
        return "its body_hash is wrong: the body was changed"
    salt = body.get("salt")
    salted = isinstance(salt, str) and _SALT.fullmatch(salt) is not None
    return None if salted else "the body has no salt of 32 hex digits"


def _body(kind: object, body: object) -> str | None:
    assert isinstance(kind, str) and isinstance(body, dict)
    if found := problems(kind, body):
        return f"the body of this '{kind}' line does not read: {'; '.join(found)}"
    if kind == "redo":
        if body["line"].get("kind") == "redo":
            return "it brings back a redo instead of the line that this carries"
        old = decode(canonical(body["line"]) + b"\n", "", 0)
        if isinstance(old, Fault):
            return f"the old line it brings back is wrong: {old.message}"
    return None
