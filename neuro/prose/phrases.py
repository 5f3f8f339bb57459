"""The sentences that ontology.org teaches: PATTERN and ALIAS of a relation as rows of words.

    :PATTERN: "works at"  "?y employs ?x"  "?xは?yで働いている"
    :ALIAS: employed-by

A phrase without variables stands between the two: `?x works at ?y`; ?x is the entity, ?y the value.
The words have to stand as written, in any case; an alias reads as its words. No word is inflected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from neuro.prose.lexicon import BARE_PREPOSITIONS, OPENING
from symbolic.names import fold
from symbolic.records import Declarations, RelationDecl, ValueKind

_VARIABLE = re.compile(r"\?([xy])(?![A-Za-z0-9])")
_CASELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LITERALS = frozenset(kind.value for kind in ValueKind)
_RUN = r"[^\s、。，,．.！？!?「」『』（）()]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One way to say a relation. `words` stand between the variables, `tail` after the second.

    `turned`: the value comes first. `copula`: it needs a form of "be" before it. `regex` is set
    for scripts without blanks and takes the place of `words`. `literals` are the RANGE's kinds.
    """

    relation: str
    shown: str
    words: tuple[str, ...]
    tail: tuple[str, ...] = ()
    turned: bool = False
    copula: bool = False
    literals: frozenset[str] = frozenset()
    regex: re.Pattern[str] | None = None

    @property
    def opens(self) -> bool:
        """Whether the verb begins something."""
        return self.words[:1] != () and self.words[0] in OPENING


def sayings(declarations: Declarations) -> tuple[Saying, ...]:
    """Return every way to say a declared relation, the longest first."""
    found = [saying for saying in _all(declarations) if saying is not None]
    found.sort(key=lambda one: (-len(one.words), one.relation, one.shown))
    return tuple(found)


_BE = frozenset(("is", "was", "are", "were"))


def unreadable(declarations: Declarations) -> tuple[tuple[str, str], ...]:
    """Return (relation, PATTERN) of each declared pattern that cannot be read.

    A pattern has ?x and ?y once each with words between them, or no variable at all.
    """
    return tuple(
        (decl.written, pattern)
        for decl in declarations.relations.values()
        for pattern in decl.pattern
        if _pattern(decl, pattern) is None
    )


def _all(declarations: Declarations) -> Iterator[Saying | None]:
    for decl in declarations.relations.values():
        for pattern in decl.pattern:
            yield _pattern(decl, pattern)
        # A relation named for the passive (`written-by`) is said so, if its INVERSE says the same.
        if decl.inverse is not None and decl.name.endswith(" by"):
            yield _words(decl, decl.name)
    for alias, name in declarations.relation_alias.items():
        target = declarations.relations.get(name)
        if target is not None:
            yield _words(target, alias)


def _words(decl: RelationDecl, text: str) -> Saying | None:
    words = tuple(fold(text).split())
    return _saying(decl, text, words) if words else None


def _saying(
    decl: RelationDecl, shown: str, words: tuple[str, ...], tail: tuple[str, ...] = (),
    turned: bool = False,
) -> Saying:  # fmt: skip
    # Words that begin with a form of "be" bring their own.
    passive = words[0] not in _BE and (
        words[-1] == "by" or (len(words) == 1 and words[0] in BARE_PREPOSITIONS)
    )
    return Saying(
        relation=decl.written,
        shown=shown,
        words=words,
        tail=tail,
        turned=turned,
        copula=passive,
        literals=_LITERALS & frozenset(decl.range),
    )


def _pattern(decl: RelationDecl, pattern: str) -> Saying | None:
    """Read one PATTERN; None if it says ?x or ?y twice, only one of them, or nothing between."""
    parts = _VARIABLE.split(pattern)
    if len(parts) == 1:
        return _words(decl, pattern)
    if len(parts) != 5 or parts[1] == parts[3] or not parts[2].strip():
        return None
    lead, first, middle, _, tail = parts
    if _CASELESS.search(middle + tail):
        return _caseless(decl, pattern, (lead, first, middle, tail))
    if lead.strip():
        return None
    return _saying(
        decl, pattern, tuple(middle.casefold().split()), tuple(tail.casefold().split()),
        first == "y",
    )  # fmt: skip


def _caseless(decl: RelationDecl, pattern: str, parts: Sequence[str]) -> Saying:
    lead, first, middle, tail = (part.strip() for part in parts)
    second = "y" if first == "x" else "x"
    last = rf"(?P<{second}>{_RUN}{{1,40}}{'?' if tail else ''})"
    regex = re.compile(
        rf"{re.escape(lead)}(?P<{first}>{_RUN}{{1,40}}?){re.escape(middle)}"
        rf"{last}{re.escape(tail)}(?=[、。，．！,.!）)\s]|\Z)"
    )
    return Saying(
        relation=decl.written, shown=pattern, words=(middle,), turned=first == "y", regex=regex,
        literals=_LITERALS & frozenset(decl.range),
    )  # fmt: skip


def by_first(found: Iterable[Saying]) -> dict[str, list[Saying]]:
    """Return sayings by their first word; those that are regular expressions under ""."""
    index: dict[str, list[Saying]] = {}
    for saying in found:
        index.setdefault("" if saying.regex else saying.words[0], []).append(saying)
    return index
