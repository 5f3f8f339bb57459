"""The exceptions that reach the command line: a sentence for people, a key for programs.

::

    PpError
    ├── Usage               2   the command does not say what to do
    ├── ConfigurationError  3   the memex or its settings do not allow it
    │   ├── ReadOnly            a journal line is needed and may not be written
    │   └── JournalBroken       the own chain, or a line of a newer version, stops writing
    ├── Refused             4   a contradiction or a gate says no
    ├── Stale               5   what was shown has changed, or somebody else is at it
    │   └── LockHeld            another process holds the writer lock
    ├── Waiting             6   a person has to decide
    ├── IndexBehind         0   the decision is made, the index does not hold it yet
    └── DiskRefused         8   the disk did not take it
        ├── JournalRefused      nothing was written, the file is as before
        └── JournalUnknown      whether it was written is not known

Mistakes in what a user wrote are values, never exceptions; these say that a verb cannot go on.
"""

from __future__ import annotations


class PpError(Exception):
    """A verb cannot go on. `message` is a sentence, `key` stable, `exit_code` the process's."""

    exit_code: int = 1
    key: str = "error"

    def __init__(
        self, message: str, exit_code: int | None = None, key: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        if exit_code is not None:
            self.exit_code = exit_code
        if key is not None:
            self.key = key


class Usage(PpError):
    """The command line does not say what to do."""

    exit_code = 2
    key = "usage"


class ConfigurationError(PpError):
    """The memex or its settings do not allow the verb."""

    exit_code = 3
    key = "configuration"


class ReadOnly(ConfigurationError):
    """A journal line of kind `kind` is needed and the memex may not be written."""

    key = "read-only"

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class JournalBroken(ConfigurationError):
    """Line `line` of `file` stops writing: the own chain is broken, or a newer version wrote it."""

    key = "journal-broken"

    def __init__(self, message: str, file: str, line: int, key: str | None = None) -> None:
        super().__init__(message, key=key)
        self.file = file
        self.line = line


class Refused(PpError):
    """A contradiction or a gate says no."""

    exit_code = 4
    key = "refused"


class Stale(PpError):
    """What was shown has changed since, was decided already, or somebody else is at it."""

    exit_code = 5
    key = "stale"


class LockHeld(Stale):
    """Another process holds the writer lock."""

    key = "locked"


class Waiting(PpError):
    """A person has to decide first."""

    exit_code = 6
    key = "waiting"


class IndexBehind(PpError):
    """The journal holds what was decided; the index does not, and cannot be read on with."""

    exit_code = 0
    key = "index-behind"


class DiskRefused(PpError):
    """The disk did not take what was written."""

    exit_code = 8
    key = "disk"


class JournalRefused(DiskRefused):
    """A journal line could not be written; the file is as it was and nothing was done."""

    key = "journal-refused"


class JournalUnknown(DiskRefused):
    """Whether lines after byte `offset` of `file` were written is not known."""

    key = "unknown"

    def __init__(self, message: str, file: str, offset: int) -> None:
        super().__init__(message)
        self.file = file
        self.offset = offset
