"""What is wrong with a file, as a value: where, what stands there, and what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something in a file that could not be read as meant; the rest of the file is read.

    `line` and `column` are 1-based, 0 where the whole file or the whole line is meant. `key` names
    the kind for programs: impossible-date, unseen-drawer, duplicate-id, setupfile, bad-fact.
    """

    key: str
    path: str
    line: int
    excerpt: str
    message: str
    remedy: str
    column: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that was not read, and why.

    `kept` means that nothing is known of its present content, so what was read from it before
    still stands: a file that could not be read is not an empty file.
    """

    path: str
    reason: str
    kept: bool = False
