"""What an id means: a fact, a heading, a proposal, a journal line or a conflict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from symbolic.derived import as_fact, known_fact
from symbolic.names import fold
from symbolic.records import Line, ProseHeading
from symbolic.world import Conflict, Fact, Proposal, View

SHORTEST = 6
"""Hex digits of the shortest prefix that may stand for an id."""

_FID = re.compile(r"[0-9a-f]{32}")
_HEX = re.compile(rf"[0-9a-f]{{{SHORTEST},64}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoTarget:
    """Why a text means nothing here, or several things: then `candidates` lists their ids."""

    message: str
    excerpt: str
    remedy: str
    candidates: tuple[str, ...] = ()


Target = Fact | ProseHeading | Proposal | Line | Conflict


def find(view: View, text: str) -> Target | NoTarget:
    """Return what `text` names: an id or a prefix of one, a heading's key, ID, path or title."""
    wanted = text.strip()
    exact = _exact(view, wanted)
    if exact is not None:
        return exact
    if _HEX.fullmatch(wanted.lower()):
        found = list(_prefixed(view, wanted.lower()))
        if found:
            return _only(found, wanted)
    headings = list(_titled(view, wanted))
    if headings:
        return _only([(heading.key, heading) for heading in headings], wanted)
    return NoTarget(
        message=f"'{wanted}' is no fact, heading, proposal, event or conflict known here",
        excerpt=wanted,
        remedy=f"give an id, {SHORTEST} or more of its first digits, or a heading's key or title",
    )


def _exact(view: View, wanted: str) -> Target | None:
    if _FID.fullmatch(wanted) and (fact := known_fact(view, wanted)) is not None:
        return fact
    if (line := view.line(wanted)) is not None:
        return line
    for key in (wanted, f"id:{wanted}"):
        if (heading := view.heading(key)) is not None:
            return heading
    for proposal in view.proposals(id=wanted):
        return proposal
    same = (found for found in view.starting(wanted) if _id(found) == wanted)
    return next(same, None) if _HEX.fullmatch(wanted) else None


def _prefixed(view: View, prefix: str) -> Iterator[tuple[str, Target]]:
    said = False
    for found in view.starting(prefix):
        said = True
        yield _id(found), found
    if not said:
        # What rules derive has no table of ids: it is walked through where nothing else fits.
        for deduced in view.deduced():
            if deduced.triple.statement().fid.startswith(prefix):
                fact = as_fact(view, deduced)
                yield fact.fid, fact


def _id(found: Fact | Line | Proposal | Conflict) -> str:
    match found:
        case Fact():
            return found.fid
        case Line():
            return found.hash
        case _:
            return found.id


def _titled(view: View, wanted: str) -> Iterator[ProseHeading]:
    """Yield the headings with a title, or with an outline written `path::Title/Title`."""
    path, given, outline = wanted.partition("::")
    if given:
        for heading in view.headings(path=path):
            if fold("/".join(heading.outline)) == fold(outline):
                yield heading
    elif wanted:
        yield from view.titled(wanted)


def _only(found: list[tuple[str, Target]], wanted: str) -> Target | NoTarget:
    if len(found) == 1:
        return found[0][1]
    return NoTarget(
        message=f"'{wanted}' may mean {len(found)} things",
        excerpt=wanted,
        remedy="give one of the candidates whole",
        candidates=tuple(ident for ident, _ in found),
    )
