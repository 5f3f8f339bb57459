"""The heading a candidate names: by key, by ID, by path and outline."""

from __future__ import annotations

from dataclasses import replace

from symbolic.grounding import holds
from symbolic.names import fold, nfc
from symbolic.records import Candidate, Grounding, ProseHeading
from symbolic.world import View


class Places:
    """The headings that the candidates of one batch name: each file is listed once, if at all."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._files: dict[str, list[ProseHeading]] = {}

    def _of_file(self, path: str) -> list[ProseHeading]:
        if path not in self._files:
            self._files[path] = list(self._view.headings(path=path))
        return self._files[path]

    def find(self, grounding: Grounding) -> ProseHeading | None:
        """Return the heading a grounding names, None if there is none."""
        named = grounding.heading
        if named is not None:
            for key in (named, f"id:{named.lower()}", f"id:{named}"):
                found = self._view.heading(key)
                if found is not None:
                    return found
            path, mark, titles = named.partition("::")
            outline = tuple(titles.split("/")) if titles else ()
            return self._at(path, outline, grounding.quote) if mark else None
        if grounding.path is None:
            return None
        return self._at(grounding.path, grounding.outline, grounding.quote)

    def _at(self, path: str, outline: tuple[str, ...], quote: str | None) -> ProseHeading | None:
        wanted = tuple(map(fold, outline))
        named = [
            h for h in self._of_file(nfc(path)) if tuple(map(fold, h.outline)) == wanted
        ]
        if quote is not None:
            named.sort(key=lambda h: not holds(h.text, quote))
        return named[0] if named else None


def placed(candidate: Candidate, places: Places) -> Candidate:
    """Return `candidate` with the key and evidence date of the heading it names, if there is one.

    A heading is named by key, by ID with or without `id:`, or as `path::Title/Title`; or by path
    and outline. Of several with one outline the one that holds the quote is meant.
    """
    heading = places.find(candidate.grounding)
    if heading is None:
        return replace(candidate, grounding=replace(candidate.grounding, heading=None))
    return replace(
        candidate,
        grounding=replace(
            candidate.grounding, heading=heading.key, evidence_date=heading.evidence_date
        ),
    )
