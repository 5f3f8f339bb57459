"""The records of the gate tables: one frozen row type a table, no behaviour.

A row that becomes a fact carries `member_of`, the one seed class its table puts it in.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Vector:
    """One thing the dispatcher looks for; `gate-vector-<id>` is its name in facts."""

    id: int
    name: str
    what: str


@dataclass(frozen=True, slots=True)
class ProtectedPath:
    """A glob over path components, compared with the resolved path."""

    pattern: str
    member_of: str


@dataclass(frozen=True, slots=True)
class PathException:
    """What stands beside the protected paths: where the row's `patterns` do not decide.

    `patterns` are rows of the protected paths, or one glob of its own. With `suffixes` the rows
    step back for these file types only. `decision` is allow, ask or skip; skip means that these
    rows have no opinion, not that the path is free. `effects` are the effect kinds it holds for,
    empty for all.
    """

    patterns: tuple[str, ...]
    decision: str
    what: str
    effects: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GuardedPlace:
    """A place that no proposal changes. `base` says what `pattern` is relative to.

    Bases: anywhere (any component of any path), memex, repository (a `.git`), config, state (the
    user's XDG directories for this program), package (the installed code). `level` is the type
    level of what lies there.
    """

    pattern: str
    base: str
    level: int
    what: str


@dataclass(frozen=True, slots=True)
class SelfBuildPath:
    """A part of this program's own source, by its path from the source root."""

    pattern: str
    member_of: str
    level: int


@dataclass(frozen=True, slots=True)
class ContentCategory:
    """A shape of secret. `pattern` stays within what a linear-time matcher reads.

    `found` and `clean` are texts that it must and must not match; a table that fails them is
    refused as a whole. They are built from parts, so that no scanner takes this file for a leak.
    """

    name: str
    pattern: str
    found: tuple[str, ...]
    clean: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShellPattern:
    """A destructive or injecting form of command, with one example that it matches.

    `pattern` states the form for people and for the facts; the shell gate judges a syntax tree.
    """

    name: str
    pattern: str
    member_of: str
    example: str
    quality: str


@dataclass(frozen=True, slots=True)
class TrustedHost:
    """A host on the network's allow list; it stands for itself and for every host below it."""

    host: str
    member_of: str
    quality: str


@dataclass(frozen=True, slots=True)
class PrivacyTag:
    """An Org tag that marks text as private."""

    tag: str
    member_of: str


@dataclass(frozen=True, slots=True)
class Permission:
    """The shipped permission of a tool. Tier: by-effect (no opinion), allow, ask or deny."""

    tool: str
    member_of: str
    tier: str


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool that an action may name, and the family it belongs to."""

    tool: str
    member_of: str


@dataclass(frozen=True, slots=True)
class Invariant:
    """An invariant of the policy gate. `rank` 1 is the reason shown first."""

    rank: int
    name: str
    verdict: str
    what: str


@dataclass(frozen=True, slots=True)
class Priority:
    """Where a gate or skill stands in the run; a higher number runs first."""

    name: str
    priority: int


@dataclass(frozen=True, slots=True)
class Level:
    """The type level of a kind of object or of a channel."""

    name: str
    level: int


@dataclass(frozen=True, slots=True)
class SeedClass:
    """A class of the seed vocabulary, kept even while no row is in it."""

    name: str
    source: str
    parent: str | None = None
    disjoint: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeedRelation:
    """A relation that the gates speak of.

    `shared` says that people use it for their own things as well: then only what the gates say
    with it is exclusive (by its class), and a note's "X is a Y" keeps the policy of its class.
    """

    name: str
    source: str
    functional: bool = False
    shared: bool = False


@dataclass(frozen=True, slots=True)
class SeedWord:
    """A quality or a provenance that facts of the gates may name."""

    name: str
    source: str
