"""Another zone for a reader: bounds printed in it, without moving what they mean.

What is derived, and where a civil bound falls, stays in the memex's zone; a reader's zone says
which local day a question means and how instants are spelt.
"""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from symbolic.records import UNKNOWN
from symbolic.values import FOREVER, BadValue, instant_text, reach


def zone_named(name: str) -> str:
    """Return `name` if it is a zone. Raises BadValue if there is none of that name."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        # OSError: a name that is a folder of the zone data, such as Europe.
        raise BadValue(f"'{name}' is no zone: write one such as Europe/Oslo") from error
    return name


def bound_in(bound: str | None, zone: str, tz: str | None) -> str | None:
    """Return a bound of a memex in `zone` as a reader in `tz` sees it; as it stands without one.

    A civil bound is the instant at which it begins in `zone`.
    """
    if tz is None or bound is None or bound == UNKNOWN:
        return bound
    return instant_text(reach(bound, zone).lo, tz)


def told(zone: str, tz: str | None) -> tuple[str, ...]:
    """Return what an answer says of its zones, nothing where there is but one."""
    if tz is None or tz == zone:
        return ()
    return (f"days asked for and times are those of {tz}; dates in the notes fall in {zone}",)


def instant_in(moment: int, zone: str) -> str | None:
    """Return an instant as a bound in `zone`: a date where it is a midnight; None if open."""
    if abs(moment) >= FOREVER:
        return None
    return instant_text(moment, zone).removesuffix(_offset(moment, zone))


def canonical_bound(moment: int | None, zone: str) -> str | None:
    """Return an instant as a bound is kept: a date if it is a midnight of `zone`, else in UTC."""
    if moment is None:
        return None
    local = instant_in(moment, zone)
    if local is not None and len(local) == len("2024-02-01"):
        return local
    return instant_text(moment, "UTC").removesuffix("+00:00") + "Z"


def _offset(moment: int, zone: str) -> str:
    """Return what a midnight has after its date, and "" of any other time."""
    text = instant_text(moment, zone)
    return text[10:] if text[10:19] == "T00:00:00" and "." not in text else ""
