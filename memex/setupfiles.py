"""`#+SETUPFILE`: local files inside the memex are followed, a URL never is.

What the reader hands back is a value: the bytes, or the sentence why there are none.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from memex.lines import excerpt, line_number
from memex.problems import Problem
from memex.scan import read_outline
from memex.settings import FileSettings, merged

SetupReader = Callable[[str], bytes | str]
"""Takes a path relative to the memex; returns the bytes, or why they cannot be had."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")


def no_setup(path: str) -> str:
    """Read no setup file: for text that stands in no memex."""
    return "there is no memex to read it from"


@dataclass(slots=True)
class _Walk:
    """The files met so far, in order, each once: a loop ends by itself."""

    path: str
    reader: SetupReader
    depends: dict[str, str | None] = field(default_factory=dict)
    found: list[FileSettings] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def follow(self, data: bytes, own: FileSettings) -> None:
        """Read what `own` names and what that names in turn, in the order of the lines."""
        waiting = [(self.path, data, line) for line in reversed(own.setupfiles)]
        while waiting:
            path, data, (value, offset) = waiting.pop()
            target = _target(path, value)
            if target is None:
                self._report(path, data, offset, _refusal(value))
                continue
            if target in self.depends or target == self.path:
                continue
            got = self.reader(target)
            if isinstance(got, str):
                self.depends[target] = None
                self._report(path, data, offset, f"the setup file {target} is not read: {got}")
                continue
            self.depends[target] = hashlib.sha256(got).hexdigest()
            inner = read_outline(got).settings
            self.found.append(inner)
            waiting.extend((target, got, line) for line in reversed(inner.setupfiles))

    def _report(self, path: str, data: bytes, offset: int, message: str) -> None:
        self.problems.append(
            Problem(
                key="setupfile",
                path=path,
                line=line_number(data, offset),
                excerpt=excerpt(data, offset),
                message=message,
                remedy="put the file into the memex and name it by a relative path",
            )
        )


def with_setup(
    path: str, data: bytes, own: FileSettings, reader: SetupReader
) -> tuple[FileSettings, tuple[tuple[str, str | None], ...], tuple[Problem, ...]]:
    """Return `own` with what its setup files add, the files it rests on, and problems."""
    if not own.setupfiles:
        return own, (), ()
    walk = _Walk(path, reader)
    walk.follow(data, own)
    return merged(own, walk.found), tuple(walk.depends.items()), tuple(walk.problems)


def _target(path: str, value: str) -> str | None:
    """Return the memex path that `value` names in the file `path`, or None if it leads out."""
    if not value or _URL.match(value) or value.startswith(("/", "~")):
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), value))
    return None if target == ".." or target.startswith("../") or target == "." else target


def _refusal(value: str) -> str:
    if not value:
        return "the line names no setup file"
    if _URL.match(value):
        return f"the setup file {value} is a URL and is never fetched"
    return f"the setup file {value} lies outside the memex and is not read"
