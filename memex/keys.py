"""Keys of headings, and which heading owns an ID that stands twice.

    id:ID                    a heading or file with an ID
    path#                    a file
    path#T1/T2#n             a heading without one: titles from the top, n-th of that outline

Paths use forward slashes and are NFC; `%`, `/` and `#` are percent-encoded in path parts and
titles, so a key can be taken apart again and no title can imitate another key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from memex.problems import Problem
from symbolic.names import nfc

_ENCODED = str.maketrans({"%": "%25", "/": "%2F", "#": "%23"})


def encode(part: str) -> str:
    """Return one path part or title as it stands in a key."""
    if "/" in part or "#" in part or "%" in part:
        return part.translate(_ENCODED)
    return part


def encode_path(path: str) -> str:
    """Return a memex path as it stands in a key: its slashes separate parts and stay."""
    return "/".join(encode(part) for part in nfc(path).split("/"))


def file_key(path: str) -> str:
    """Return the key of a file without an ID."""
    return encode_path(path) + "#"


def outline_key(path: str, outline: Sequence[str], nth: int) -> str:
    """Return the key of the `nth` heading (from 1) of `path` with that outline."""
    return f"{encode_path(path)}#{'/'.join(map(encode, outline))}#{nth}"


def id_key(ident: str) -> str:
    """Return the key of a heading with an ID."""
    return "id:" + ident


class PathKey(NamedTuple):
    """A path key taken apart; a file has no outline and `nth` 0."""

    path: str
    outline: tuple[str, ...]
    nth: int


@lru_cache(maxsize=4096)
def parse_path_key(key: str) -> PathKey | None:
    """Return the parts of a path key, or None if `key` is none (an `id:` key, or no key)."""
    parts = key.split("#")
    path = "/".join(unquote(part) for part in parts[0].split("/"))
    if len(parts) == 2 and parts[0] and not parts[1]:
        return PathKey(path, (), 0)
    if len(parts) == 3 and parts[0] and parts[2].isascii() and parts[2].isdigit():
        return PathKey(path, tuple(unquote(part) for part in parts[1].split("/")), int(parts[2]))
    return None


class IdClaim(NamedTuple):
    """A heading that carries an ID: where it stands. `line` is for the message only."""

    ident: str
    path: str
    offset: int
    line: int = 0


@dataclass(frozen=True, slots=True)
class Identities:
    """Which heading owns each ID, and a problem for every other heading that carries it."""

    owners: Mapping[str, tuple[str, int]]
    problems: tuple[Problem, ...]

    def keeps(self, ident: str | None, path: str, offset: int) -> bool:
        """Return whether the heading at `path` and `offset` is known by its ID."""
        return ident is not None and self.owners.get(ident) == (path, offset)


def resolve_ids(claims: Iterable[IdClaim]) -> Identities:
    """Return who owns each ID: the first in (path, offset) order, whatever order they come in.

    The others fall back to their path keys. Pass the claims of all files: with an incremental
    change the owner may move to or from a file that did not change.
    """
    owners: dict[str, IdClaim] = {}
    problems: list[Problem] = []
    for claim in sorted(claims, key=lambda claim: (claim.path, claim.offset)):
        first = owners.setdefault(claim.ident, claim)
        if first is not claim and first[:3] != claim[:3]:
            problems.append(_duplicate(first, claim))
    return Identities(
        {ident: (claim.path, claim.offset) for ident, claim in owners.items()}, tuple(problems)
    )


def _duplicate(first: IdClaim, second: IdClaim) -> Problem:
    places = [f"{one.path}:{one.line}" if one.line else one.path for one in (first, second)]
    return Problem(
        key="duplicate-id",
        path=second.path,
        line=second.line,
        excerpt=f":ID: {second.ident}",
        message=f"the ID {second.ident} stands twice: in {places[0]} and in {places[1]}",
        remedy=f"{places[0]} keeps it; give the heading in {places[1]} another ID",
    )
