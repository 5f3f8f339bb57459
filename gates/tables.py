"""Every gate table as plain data, and the one record that holds them all.

Nothing here judges. The gates read these rows, and `ontology.bootstrap` turns them into facts, so
what blocks and what is known about blocking cannot drift apart.
"""

from __future__ import annotations

from dataclasses import dataclass

from gates.action_tables import PERMISSIONS, SHELL_PATTERNS, TOOLS, TRUSTED_HOSTS
from gates.content_tables import CONTENT_CATEGORIES, PRIVACY_TAGS
from gates.path_tables import (
    GUARDED_PLACES,
    PATH_EXCEPTIONS,
    PROTECTED_PATHS,
    SELF_BUILD_PATHS,
)
from gates.policy_tables import (
    CHANNEL_LEVELS,
    INVARIANTS,
    OBJECT_LEVELS,
    PRIORITIES,
    VECTORS,
)
from gates.rows import (
    ContentCategory,
    GuardedPlace,
    Invariant,
    Level,
    PathException,
    Permission,
    Priority,
    PrivacyTag,
    ProtectedPath,
    SeedClass,
    SeedRelation,
    SeedWord,
    SelfBuildPath,
    ShellPattern,
    ToolRow,
    TrustedHost,
    Vector,
)
from gates.seed_tables import (
    SEED_CLASSES,
    SEED_PROVENANCES,
    SEED_QUALITIES,
    SEED_RELATIONS,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """All gate tables. The defaults are the shipped ones; tests and users pass altered ones."""

    vectors: tuple[Vector, ...] = VECTORS
    protected_paths: tuple[ProtectedPath, ...] = PROTECTED_PATHS
    path_exceptions: tuple[PathException, ...] = PATH_EXCEPTIONS
    guarded_places: tuple[GuardedPlace, ...] = GUARDED_PLACES
    self_build_paths: tuple[SelfBuildPath, ...] = SELF_BUILD_PATHS
    content_categories: tuple[ContentCategory, ...] = CONTENT_CATEGORIES
    privacy_tags: tuple[PrivacyTag, ...] = PRIVACY_TAGS
    shell_patterns: tuple[ShellPattern, ...] = SHELL_PATTERNS
    trusted_hosts: tuple[TrustedHost, ...] = TRUSTED_HOSTS
    permissions: tuple[Permission, ...] = PERMISSIONS
    tools: tuple[ToolRow, ...] = TOOLS
    invariants: tuple[Invariant, ...] = INVARIANTS
    priorities: tuple[Priority, ...] = PRIORITIES
    object_levels: tuple[Level, ...] = OBJECT_LEVELS
    channel_levels: tuple[Level, ...] = CHANNEL_LEVELS
    classes: tuple[SeedClass, ...] = SEED_CLASSES
    relations: tuple[SeedRelation, ...] = SEED_RELATIONS
    qualities: tuple[SeedWord, ...] = SEED_QUALITIES
    provenances: tuple[SeedWord, ...] = SEED_PROVENANCES


SHIPPED = Tables()
"""The tables as this program ships them."""
