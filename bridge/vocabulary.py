"""What `pp ontology list` shows: the seed vocabulary, declared words, and words in use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bridge.app import App
from bridge.settings import ONTOLOGY
from neuro.prose.phrases import unreadable
from ontology.bootstrap import seed
from ontology.entries import Problem
from symbolic.canon import MEMBER
from symbolic.names import fold
from symbolic.query import above
from symbolic.records import Declarations, Name, Policy, Standing
from symbolic.world import View


@dataclass(frozen=True, slots=True)
class Entry:
    """A word. `source` is a gate vector or table, `ontology.org:LINE`, or `use`."""

    name: str
    kind: str
    policy: str
    source: str
    members: tuple[str, ...] = ()

    def json(self) -> dict[str, object]:
        """Return the entry as JSON."""
        return {
            "name": self.name, "kind": self.kind, "policy": self.policy, "source": self.source,
            "members": list(self.members),
        }


def unread_patterns(declarations: Declarations) -> list[Problem]:
    """Return the PATTERNs of ontology.org that no sentence can be read by."""
    return [
        Problem(
            key="bad-pattern", file=ONTOLOGY, line=declarations.relations[fold(relation)].line,
            excerpt=pattern, message=f"the PATTERN of {relation} cannot be read and is left out",
            remedy="write the words between, as in works at, or ?x works at ?y with each once",
        )
        for relation, pattern in unreadable(declarations)
    ]


def seed_entries() -> list[Entry]:
    """Return the seed vocabulary: what the gate tables alone say."""
    return [
        Entry(word.name, word.kind, word.policy.value, word.source, word.members)
        for word in seed().vocabulary
    ]


def entries(app: App) -> list[Entry]:
    """Return all words of a memex: seed, declared, and created by their first fact."""
    view = app.view
    found = {(entry.kind, entry.name): entry for entry in seed_entries()}
    folded = {entry.name.replace("-", " ").casefold() for entry in found.values()}
    used = members(view)
    words: Sequence[tuple[str, Iterable[str]]] = (
        ("class", {*view.declarations.classes, *used}),
        ("relation", {*view.declarations.relations, *_relations(view)}),
    )
    for kind, names in words:
        for name in sorted(names):
            if name not in folded:
                entry = _entry(view, kind, name, used)
                found[kind, entry.name] = entry
    for (kind, name), entry in list(found.items()):
        mine = used.get(name.replace("-", " ").casefold()) if kind == "class" else None
        if mine:
            merged = dict.fromkeys((*entry.members, *mine))
            found[kind, name] = Entry(name, kind, entry.policy, entry.source, tuple(merged))
    return list(found.values())


def _entry(view: View, kind: str, name: str, used: dict[str, tuple[str, ...]]) -> Entry:
    decls = view.declarations
    declared = decls.classes.get(name) if kind == "class" else decls.relations.get(name)
    policy = (declared.policy if declared else None) or Policy.COEXISTENT
    source = "use"
    if declared is not None:
        source = f"ontology.org:{declared.line}" if declared.line else "ontology.org"
    written = declared.written if declared else name.replace(" ", "-")
    return Entry(written, kind, policy.value, source, used.get(name, ()))


def members(view: View) -> dict[str, tuple[str, ...]]:
    """Return the standing members of every class, those of its subclasses included."""
    found: dict[str, dict[str, None]] = {}
    for fact in view.facts(relation=MEMBER):
        said = fact.statement
        if fact.standing is not Standing.STANDING or not said.polarity:
            continue
        if isinstance(said.value, Name):
            for klass in {said.value.canon, *above(said.value.canon, view.declarations)}:
                found.setdefault(klass, {})[said.entity.written] = None
    return {klass: tuple(sorted(names)) for klass, names in found.items()}


def _relations(view: View) -> set[str]:
    return {f.statement.relation.canon for f in view.facts() if f.standing is Standing.STANDING}
