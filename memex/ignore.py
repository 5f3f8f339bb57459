"""What is not read: built-in patterns, and `.ppignore` in gitignore syntax on top of them.

`.ppignore` stands at the root of the memex. As in git the last pattern that matches wins, so it
can bring back what a built-in one leaves out (`!data/`); editor locks and our own temporaries
cannot be brought back: they are no prose, and a lock dangles.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum

PPIGNORE = ".ppignore"

BUILT_IN = (
    ".*/",
    "*~",
    r"\#*#",
    ".#*",
    "*.org.gpg",
    ".stversions/",
    "*.sync-conflict-*",
    "data/",
)
"""The built-in patterns. `data/` holds the attachments of org-attach."""

NEVER_SCANNED = ("system/journal", "system/trace")
"""Folders of ours that hold records, not prose; no pattern brings them back."""

_NEVER_NAMES = re.compile(r"\.#|\.pp-.*\.tmp$")
_CONFLICT = re.compile(r"\.sync-conflict-")


class Verdict(StrEnum):
    """Whether a path is read; `REPORTED` is left out and said, since it may hold a lost edit."""

    READ = "read"
    IGNORED = "ignored"
    REPORTED = "reported"


class Role(StrEnum):
    """What a file of the memex may be read for."""

    PROSE = "prose"
    ONTOLOGY = "ontology"
    SYSTEM = "system"


def role(path: str) -> Role:
    """Return what `path` is read for: nothing under `system/` is evidence but the ontology."""
    if path == "system/ontology.org":
        return Role.ONTOLOGY
    return Role.SYSTEM if path.startswith("system/") else Role.PROSE


Ignore = Callable[[str, bool], Verdict]
"""Takes a path relative to the memex and whether it is a folder."""


def ignore(lines: str | None) -> Ignore:
    """Return the judge for a memex whose `.ppignore` holds `lines`; None if there is no such file.

    A pattern that cannot be read raises ValueError naming it.
    """
    if lines is None or not any(_counts(line) for line in lines.splitlines()):
        return _built_in
    # Imported late: most memexes have no .ppignore, and a sync with nothing to do must be quick.
    from pathspec import GitIgnoreSpec

    try:
        spec = GitIgnoreSpec.from_lines([*BUILT_IN, *lines.splitlines()])
    except ValueError as error:
        raise ValueError(f"{PPIGNORE}: {error}") from error

    def judge(path: str, folder: bool) -> Verdict:
        if never(path):
            return Verdict.IGNORED
        if not spec.match_file(path + "/" if folder else path):
            return Verdict.READ
        return _left_out(path)

    return judge


def _counts(line: str) -> bool:
    return bool(line.strip()) and not line.startswith("#")


def never(path: str) -> bool:
    """Return whether no pattern brings `path` back: our records, locks and temporaries."""
    return path in NEVER_SCANNED or _NEVER_NAMES.match(_name(path)) is not None


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def _left_out(path: str) -> Verdict:
    return Verdict.REPORTED if _CONFLICT.search(_name(path)) else Verdict.IGNORED


def _built_in(path: str, folder: bool) -> Verdict:
    """Judge by the built-in patterns alone, without the library."""
    name = _name(path)
    left_out = (
        (folder and (name.startswith(".") or name == "data"))
        or name.startswith(".#")
        or name.endswith(("~", ".org.gpg"))
        or (len(name) > 1 and name[0] == name[-1] == "#")
        or ".sync-conflict-" in name
    )
    if never(path):
        return Verdict.IGNORED
    return _left_out(path) if left_out else Verdict.READ
