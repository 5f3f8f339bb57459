"""The notes of a history: files of headings and an ontology, changed in memory and saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from bridge.settings import ONTOLOGY
from tests.laws.strategies import BASE, Edit, Ontology, Section


class Notes:
    """What a person keeps. Nothing is on disk before `write`.

    Headings are picked by number; too large a number starts again from the first.
    """

    def __init__(
        self, files: Mapping[str, Sequence[Section]], edits: Iterable[Edit] = ()
    ) -> None:
        self.files: dict[str, list[Section]] = {path: list(own) for path, own in files.items()}
        self.ontology: Ontology = {}
        self._on_disk: dict[str, str] = {}
        self.restore()
        for edit in edits:
            self.edit(edit)

    def write(self, root: Path) -> None:
        """Save every file that is not as it was saved last."""
        texts = {path: "".join(s.text() for s in own) for path, own in self.files.items()}
        texts[ONTOLOGY] = self._ontology_text()
        for path in set(self._on_disk) - set(texts):
            (root / path).unlink()
        for path, text in texts.items():
            if self._on_disk.get(path) != text:
                place = root / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
        self._on_disk = texts

    def places(self) -> list[tuple[str, int]]:
        """Return every heading as (path, index)."""
        return [(path, at) for path in sorted(self.files) for at in range(len(self.files[path]))]

    def add(self, path: str, section: Section) -> None:
        """Write one more heading at the end of a file."""
        self.files.setdefault(path, []).append(section)

    def change(self, pick: int, to: Callable[[Section], Section]) -> None:
        """Rewrite a heading."""
        if (found := self._picked(pick)) is not None:
            path, at = found
            self.files[path][at] = to(self.files[path][at])

    def drop(self, pick: int) -> None:
        """Delete a heading."""
        if (found := self._picked(pick)) is not None:
            del self.files[found[0]][found[1]]

    def refile(self, pick: int, path: str, front: bool) -> None:
        """Move a heading to another file, or to another place in its own."""
        if (found := self._picked(pick)) is not None:
            section = self.files[found[0]].pop(found[1])
            target = self.files.setdefault(path, [])
            target.insert(0 if front else len(target), section)

    def copy(self, pick: int, path: str) -> None:
        """Write a heading a second time, its ID with it."""
        if (found := self._picked(pick)) is not None:
            self.files.setdefault(path, []).append(self.files[found[0]][found[1]])

    def rename(self, old: str, new: str) -> None:
        """Rename a file; two that meet are swapped."""
        mine, theirs = self.files.pop(old, None), self.files.pop(new, None)
        if mine is not None:
            self.files[new] = mine
        if theirs is not None:
            self.files[old] = theirs

    def remove(self, path: str) -> None:
        """Delete a file."""
        self.files.pop(path, None)

    def _picked(self, pick: int) -> tuple[str, int] | None:
        places = self.places()
        return places[pick % len(places)] if places else None

    def edit(self, edit: Edit) -> None:
        """Change system/ontology.org; it counts with the next sync."""
        if not edit.field:
            if self.ontology.pop(edit.subject, None) is None:
                self.ontology[edit.subject] = dict(BASE.get(edit.subject, {}))
        elif edit.value:
            self.ontology.setdefault(edit.subject, {})[edit.field] = edit.value
        else:
            self.ontology.setdefault(edit.subject, {}).pop(edit.field, None)

    def restore(self) -> None:
        """Go back to the ontology that every history varies."""
        self.ontology = {name: dict(own) for name, own in BASE.items()}

    def _ontology_text(self) -> str:
        rows = []
        for subject, fields in self.ontology.items():
            kind, _, name = subject.partition("/")
            rows += [f"* {name}", ":PROPERTIES:", f":KIND: {kind}"]
            rows += [*(f":{key}: {value}" for key, value in fields.items()), ":END:"]
        return "\n".join(rows) + "\n"
