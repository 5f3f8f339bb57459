"""A folder of Org files that somebody tidies: renames, refiles, reorders and retitles at random.

An edit moves whole subtrees and changes titles; the text below a heading line stays as it is.
Files are edited in memory and saved at the end, in any order, as an editor would between two
syncs. Files whose lines do not all end in LF are renamed and otherwise left alone.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from memex.scan import RawNode, scan

_ID = re.compile(rb"(?mi)^[ \t]*:ID:[^\r\n]*(?:\r\n|\r|\n)")
_COLOURS = ("azure", "brass", "cedar", "ember")
_DEEPEST = 40
"""No refile goes below this level: a heading may have any number of stars, people stop early."""


def without_ids(data: bytes) -> bytes:
    """Return a file without its `:ID:` lines."""
    return _ID.sub(b"", data)


class Shelf:
    """The Org files under `root`, in memory. Every other edit is in one of the `busy` files."""

    def __init__(
        self, root: Path, paths: Iterable[str], busy: Iterable[str], rng: random.Random
    ) -> None:
        self._root, self._rng = root, rng
        self._first, self._busy = sorted(paths), sorted(set(busy))
        self.files = {path: (root / path).read_bytes() for path in self._first}
        self._made = 0

    def tidy(self, edits: int) -> None:
        """Make `edits` edits, each kind as often as the others."""
        kinds: tuple[Callable[[], bool], ...] = (
            self._rename, self._refile, self._reorder, self._retitle,
        )
        for number in range(edits):
            edit = kinds[number % len(kinds)]
            while not edit():
                pass

    def save(self) -> None:
        """Write what changed and remove what moved away, in any order."""
        steps = [(path, self.files.get(path)) for path in {*self._first, *self.files}]
        steps.sort()
        self._rng.shuffle(steps)
        for path, data in steps:
            target = self._root / path
            if data is None:
                target.unlink()
            elif not target.exists() or target.read_bytes() != data:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)

    # --- the edits ------------------------------------------------------------------------------

    def _rename(self) -> bool:
        path = self._path()
        folder = self._rng.choice(sorted({p.rpartition("/")[0] for p in self.files}))
        end = ".org_archive" if path.endswith(".org_archive") else ".org"
        new = f"{folder}/{self._fresh('file')}{end}".lstrip("/")
        self.files[new] = self.files.pop(path)
        self._busy = [new if busy == path else busy for busy in self._busy]
        return True

    def _refile(self) -> bool:
        """Move a subtree to the end of a file or below another heading, levels shifted alike."""
        (path, node), (target, below) = self._heading(), self._heading()
        if target == path and node.start <= below.start < node.end:
            return False
        into = self._rng.random() < 0.7
        data = self.files[path]
        shift = (below.stars if into else 0) + 1 - node.stars
        inside = [
            one for one in scan(data).nodes if one.stars and node.start <= one.start < node.end
        ]
        if max(one.stars for one in inside) + shift > _DEEPEST:
            return False
        moved = b"".join(
            b"*" * (one.stars + shift) + data[one.start + one.stars : one.own] for one in inside
        )
        at = below.end if into else len(self.files[target])
        if target == path:
            first, last = sorted(((node.start, node.end, b""), (at, at, moved)))
            self.files[path] = (
                data[: first[0]] + first[2] + data[first[1] : last[0]] + last[2] + data[last[1] :]
            )
        else:
            self.files[path] = data[: node.start] + data[node.end :]
            self.files[target] = self.files[target][:at] + moved + self.files[target][at:]
        return True

    def _reorder(self) -> bool:
        """Exchange two subtrees that stand below the same heading."""
        path, node = self._heading()
        data = self.files[path]
        nodes = scan(data).nodes
        others = [
            one for one in nodes
            if one.stars and one.parent == node.parent and one.start != node.start
        ]
        if not others:
            return False
        one, other = sorted((node, self._rng.choice(others)), key=lambda n: n.start)
        self.files[path] = (
            data[: one.start] + data[other.start : other.end] + data[one.end : other.start]
            + data[one.start : one.end] + data[other.end :]
        )  # fmt: skip
        return True

    def _retitle(self) -> bool:
        """Give a heading a fresh title or that of another heading; keyword and tags stay."""
        path, node = self._heading()
        title = self._fresh("Title") if self._rng.random() < 0.7 else self._heading()[1].title
        data = self.files[path]
        line = data[node.start : node.head].decode()
        if not title.strip() or line.count(node.title) != 1 or not node.title:
            return False
        new = line.replace(node.title, title).encode()
        self.files[path] = data[: node.start] + new + data[node.head :]
        return True

    def _heading(self) -> tuple[str, RawNode]:
        """Return any heading of any file that can be cut and pasted without changing a line."""
        while True:
            path = self._path()
            data = self.files[path]
            if b"\r" in data or not data.endswith(b"\n"):
                continue
            nodes = [node for node in scan(data).nodes if node.stars]
            if nodes:
                return path, self._rng.choice(nodes)

    def _path(self) -> str:
        return self._rng.choice(self._busy if self._rng.random() < 0.5 else sorted(self.files))

    def _fresh(self, kind: str) -> str:
        self._made += 1
        return f"{kind} {self._made} {self._rng.choice(_COLOURS)}"
