"""Which properties say how Org or this program handles a heading, and so state no fact."""

from __future__ import annotations

_SPECIAL = """
    ALLTAGS BLOCKED CATEGORY CLOCKSUM CLOCKSUM_T CLOSED DEADLINE FILE ITEM PRIORITY SCHEDULED TAGS
    TIMESTAMP TIMESTAMP_IA TODO
"""
"""Org computes these; a drawer cannot set them."""

_BEHAVIOUR = """
    APPT_WARNTIME ARCHIVE ATTACH_DIR ATTACH_DIR_INHERIT ATTACH_METHOD BLOCKER CLOCK_MODELINE_TOTAL
    COLUMNS COOKIE_DATA CREATED CRYPTKEY CTIME CUSTOM_ID DIR EFFORT ID LAST_REPEAT LOGGING
    LOG_INTO_DRAWER MTIME NOBLOCKING ORDERED REPEAT_TO_STATE STYLE TABLE_EXPORT_FILE
    TABLE_EXPORT_FORMAT TRIGGER VISIBILITY
"""
"""Identity, bookkeeping and what Org and its common packages do with the heading."""

_EXPORT = "ALT_TITLE APPENDIX COPYING INDEX OPTIONS TOC UNNUMBERED"
_OURS = "AGENT CRON FACT GARDENER HOOK KIND LEVEL SEMANTIC_SCORE SOURCE TYPE_LEVEL"
_LEFT_OUT = frozenset(" ".join((_SPECIAL, _BEHAVIOUR, _EXPORT, _OURS)).split())
_PREFIXES = ("ARCHIVE_", "BEAMER_", "DRILL_", "EXPORT_", "HEADER-ARGS", "HTML_", "LATEX_", "ROAM_")
_SUFFIX = "_ALL"
"""`KEY_ALL` lists the values that `KEY` may take."""


def base_name(name: str) -> str:
    """Return the property that a line speaks of: `KEY+` adds to `KEY`, and case does not count."""
    return name.removesuffix("+").upper()


def states_fact(name: str) -> bool:
    """Return whether a property line of that name states something of its heading."""
    base = base_name(name)
    if not base or base in _LEFT_OUT:
        return False
    return not (base.startswith(_PREFIXES) or base.endswith(_SUFFIX))
