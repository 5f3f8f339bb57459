"""One heading's properties, read and checked one by one.

A property that cannot be read is left out and reported; its neighbours load. What two properties
say together is judged in `ontology.declarations`, what two headings say in `ontology.gathered` and
the two closures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ontology.entries import Entry, Problem
from ontology.readers import READERS, Misread
from symbolic.names import fold
from symbolic.records import Policy

KINDS = tuple(READERS)
"""class, relation, domain, entity."""

ACCEPTED = "APPROVED"
SETTLED = frozenset({"PROPOSED", "DENIED"})
"""Keywords under which a heading is known not to count; any other keyword is reported."""

NOT_DECLARED = frozenset({
    "ID", "CUSTOM_ID", "CREATED", "CATEGORY", "EFFORT", "ORDERED", "NOBLOCKING", "LOGGING",
    "LOG_INTO_DRAWER", "ARCHIVE", "LAST_REPEAT", "COOKIE_DATA", "VISIBILITY", "COLUMNS", "STYLE",
    "UNNUMBERED", "HEADER-ARGS", "AGENT", "SOURCE", "RATIONALE", "EVIDENCE", "NOTE", "DESCRIPTION",
})
"""Org's own properties and those that explain a declaration: they declare nothing."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A property that reads: its value and where it stands."""

    value: object
    line: int
    excerpt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A heading that counts, before names are resolved. `name` is folded."""

    kind: str
    name: str
    written: str
    line: int
    stated: Mapping[str, Stated] = field(default_factory=dict)

    def names(self, key: str) -> tuple[str, ...]:
        """Return the names a list property holds, as written."""
        stated = self.stated.get(key)
        return stated.value if stated and isinstance(stated.value, tuple) else ()

    def flag(self, key: str) -> bool:
        """Return whether a flag is set."""
        return key in self.stated and self.stated[key].value is True

    def text(self, key: str) -> str | None:
        """Return a text property."""
        stated = self.stated.get(key)
        return stated.value if stated and isinstance(stated.value, str) else None

    def count(self, key: str) -> int | None:
        """Return a number property; a flag is none."""
        stated = self.stated.get(key)
        found = stated.value if stated else None
        return found if isinstance(found, int) and not isinstance(found, bool) else None

    @property
    def policy(self) -> Policy | None:
        """The policy stated."""
        stated = self.stated.get("POLICY")
        return stated.value if stated and isinstance(stated.value, Policy) else None


def draft(entry: Entry, file: str, *, layout: bool, problems: list[Problem]) -> Draft | None:
    """Return what `entry` states, or None if it does not count; mistakes go to `problems`.

    `layout` says that deeper headings follow: then a heading without properties only groups them.
    """
    if not _counts(entry, file, problems):
        return None
    given = _properties(entry, file, problems)
    written = entry.title.strip()
    kind = given.pop("KIND", None)
    if kind is None:
        if not (layout and not given):
            problems.append(_at_heading(
                entry, file, "no-kind", f"'{written}' has no KIND",
                "Give it :KIND: class, relation, domain or entity.",
            ))
        return None
    word = kind[0].strip().casefold()
    if word not in KINDS:
        problems.append(_at(
            file, kind[1], "KIND", kind[0], "kind", f"'{kind[0]}' is no kind",
            "Write class, relation, domain or entity.",
        ))
        return None
    if not fold(written):
        problems.append(_at_heading(
            entry, file, "no-name", "the heading has no title", "The title is the name: write one."
        ))
        return None
    stated = dict(_stated(word, given, file, problems))
    return Draft(kind=word, name=fold(written), written=written, line=entry.line, stated=stated)


def _counts(entry: Entry, file: str, problems: list[Problem]) -> bool:
    if entry.keyword is None or entry.keyword == ACCEPTED:
        return True
    if entry.keyword not in SETTLED:
        problems.append(_at_heading(
            entry, file, "keyword",
            f"under the keyword {entry.keyword} '{entry.title.strip()}' does not count",
            "Remove the keyword or set it to APPROVED.",
        ))
    return False


def _properties(
    entry: Entry, file: str, problems: list[Problem]
) -> dict[str, tuple[str, int]]:
    """Join `KEY+` lines to their property; a plain line given twice counts once."""
    given: dict[str, tuple[str, int]] = {}
    added: dict[str, list[tuple[str, int]]] = {}
    for name, value, line in entry.properties:
        key = name.strip().upper()
        if key.endswith("+"):
            added.setdefault(key[:-1], []).append((value, line))
        elif key not in given:
            given[key] = (value, line)
        else:
            problems.append(_at(
                file, line, key, value, "twice",
                f"{key} stands twice under '{entry.title.strip()}', first at line {given[key][1]}",
                f"The first counts. Write one line, or :{key}+: for more of a list.",
                other_line=given[key][1],
            ))
    for key, more in added.items():
        parts = [given[key], *more] if key in given else more
        given[key] = (" ".join(value for value, _ in parts), parts[0][1])
    return given


def _stated(
    kind: str, given: Mapping[str, tuple[str, int]], file: str, problems: list[Problem]
) -> Iterator[tuple[str, Stated]]:
    readers = READERS[kind]
    for key, (value, line) in given.items():
        reader = readers.get(key)
        if reader is None:
            if key not in NOT_DECLARED and not key.startswith("ARCHIVE_"):
                problems.append(_at(
                    file, line, key, value, "unknown-property",
                    f"{key} is no property of a {kind}", f"Use {', '.join(readers)}.",
                ))
            continue
        try:
            yield key, Stated(reader(value), line, f":{key}: {value}")
        except Misread as error:
            problems.append(_at(
                file, line, key, value, error.key, f"{key}: {error.message}", error.remedy
            ))


def _at(
    file: str, line: int, name: str, value: str, key: str, message: str, remedy: str,
    *, other_line: int | None = None,
) -> Problem:
    return Problem(
        file=file, line=line, excerpt=f":{name}: {value}", key=key, message=message,
        remedy=remedy, other_line=other_line,
    )


def _at_heading(entry: Entry, file: str, key: str, message: str, remedy: str) -> Problem:
    words = [word for word in (entry.keyword, entry.title.strip()) if word]
    return Problem(
        file=file, line=entry.line, excerpt=" ".join(["*" * entry.level, *words]), key=key,
        message=message, remedy=remedy,
    )
