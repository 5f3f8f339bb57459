"""What a link names: a heading, a file, or a place on the net.

Only the file at hand is looked at, so what a file says does not change when another file does. A
link to a heading of another file therefore names it by title, as `path#Title#1`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symbolic.names import nfc
from symbolic.records import NameKind

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:(?=\S|\Z)")
_FILE = re.compile(r"file(?:\+sys|\+emacs)?:")
_PATHLIKE = ("/", "./", "../", "~/")
_ESCAPED = re.compile(r"\\([\[\]\\])")

Named = tuple[str, NameKind]
"""What a link names, and of which kind that is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """The places of one file that its links can name. `titles` is keyed by `title_form`.

    `heading_key` makes the key of (path, title) for a heading that is known by its title only.
    """

    path: str
    titles: Mapping[str, str]
    custom: Mapping[str, str]
    heading_key: Callable[[str, str], str]


def title_form(title: str) -> str:
    """Return a title as Org compares it in links: case and runs of blanks do not count."""
    return " ".join(nfc(title).casefold().split())


def resolve(raw: str, targets: Targets) -> Named | None:
    """Return what the link target `raw` names, or None if it names nothing of ours."""
    target = " ".join(_ESCAPED.sub(r"\1", raw).split())
    if target.startswith("id:"):
        ident = target[3:].partition("::")[0].strip()
        return (f"id:{ident}", NameKind.HEADING) if ident else None
    if target.startswith(("#", "*")):
        return _search(target, targets.path, targets)
    match = _FILE.match(target)
    if match is not None or target.startswith(_PATHLIKE):
        return _file(target[match.end() :] if match else target, targets)
    scheme = _SCHEME.match(target)
    if scheme is not None:
        # A type with nothing behind it, as in [[kbd:][TAB]], names nothing.
        return (target, NameKind.URL) if scheme.end() < len(target) else None
    if not target or target.startswith("("):
        return None
    key = targets.titles.get(title_form(target))
    return (key, NameKind.HEADING) if key else (target, NameKind.NAME)


def _file(target: str, targets: Targets) -> Named | None:
    place, _, search = target.partition("::")
    path = _inside(place.strip(), targets.path)
    if search.startswith(("#", "*")):
        return _search(search, path, targets) or (path, NameKind.PATH)
    return path, NameKind.PATH


def _inside(place: str, path: str) -> str:
    """Return `place` from the top of the memex; what is absolute stays as it is."""
    if not place:
        return path
    if place.startswith("///"):
        return place[2:]
    if place.startswith(("/", "~")):
        return place
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), place))


def _search(search: str, path: str, targets: Targets) -> Named | None:
    """Return the heading that `*Title` or `#custom-id` names in the file at `path`."""
    word = search[1:].strip()
    if not word:
        return None
    own = path == targets.path
    if search[0] == "#":
        key = targets.custom.get(word) if own else None
        return key or f"{path}::#{word}", NameKind.HEADING
    key = targets.titles.get(title_form(word)) if own else None
    return key or targets.heading_key(path, word), NameKind.HEADING
