"""Which headings a command line means: a file, a folder, a heading, or all worth asking."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from bridge.candidates import Places
from symbolic.errors import Usage
from symbolic.names import nfc
from symbolic.records import Grounding, ProseHeading
from symbolic.world import View


def chosen(view: View, root: Path, targets: Sequence[str]) -> list[ProseHeading]:
    """Return the headings that `targets` name, each once, in their order; all without a target.

    A target is a file or a folder (in the memex, or as seen from here), a heading key, an ID, or
    `path::Title/Title`. Raises Usage for one that names nothing.
    """
    if not targets:
        return [heading for heading in view.headings() if _worth(heading)]
    places = Places(view)
    found: dict[str, ProseHeading] = {}
    for target in targets:
        for heading in _named(view, places, root, target):
            found.setdefault(heading.key, heading)
    return list(found.values())


def _worth(heading: ProseHeading) -> bool:
    """Return whether a heading has words of a person's own under its title."""
    aside = heading.agent or heading.archived or heading.commented
    return not aside and bool(own_words(heading))


def own_words(heading: ProseHeading) -> str:
    """Return a heading's text without its heading line."""
    if not heading.outline:
        return heading.text.strip()
    return heading.text.partition("\n")[2].strip()


def _named(
    view: View, places: Places, root: Path, target: str
) -> Iterable[ProseHeading]:
    for path in _paths(root, target):
        whole = list(view.headings(path=path))
        if whole:
            return [h for h in whole if not (h.agent or h.commented) and own_words(h)]
        prefix = "" if path == "." else f"{path}/"
        if (root / path).is_dir():
            inside = [h for h in view.headings() if h.path.startswith(prefix) and _worth(h)]
            if inside:
                return inside
    heading = places.find(Grounding(heading=target))
    if heading is None:
        raise Usage(
            f"{target}: no file, folder or heading of this memex. Name a file as it stands in the "
            "memex, an ID, a heading key or path::Title/Title; after a change run `pp sync` first"
        )
    return [heading]


def _paths(root: Path, target: str) -> list[str]:
    """Return what `target` may be as a path in the memex: as given, then as seen from here."""
    found = [nfc(os.path.normpath(target))]
    try:
        seen = Path(os.path.abspath(target)).relative_to(root.resolve())
    except (ValueError, OSError):
        return found
    return [*found, nfc(seen.as_posix())]
