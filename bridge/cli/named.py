"""Names that mean nothing, or several things: one message for every verb."""

from __future__ import annotations

from typing import TypeVar

from symbolic.errors import Usage
from symbolic.target import NoTarget

T = TypeVar("T")


def known(found: T | NoTarget) -> T:
    """Return what was found. Raises Usage with the candidates and the remedy."""
    if isinstance(found, NoTarget):
        listed = "".join(f"\n  {candidate}" for candidate in found.candidates)
        raise Usage(f"{found.message}{listed}\n  {found.remedy}")
    return found
