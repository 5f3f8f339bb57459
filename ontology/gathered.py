"""The headings that count, taken together, and the aliases they agree on.

Every step from here on takes the whole set and drops both sides of a disagreement, so the order
of headings cannot show.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from ontology.entries import Problem
from ontology.fields import Draft
from symbolic.names import fold


@dataclass(slots=True, kw_only=True)
class Gathered:
    """The headings that count, by kind and folded name, and what was found wrong so far."""

    file: str
    drafts: Mapping[str, Mapping[str, Draft]]
    reserved: Collection[str] = ()
    problems: list[Problem] = field(default_factory=list)
    heard: dict[str, set[str]] = field(default_factory=dict)
    """Folded name -> spellings under which lists name it."""

    def report(
        self, draft: Draft, key: str | None, code: str, message: str, remedy: str,
        other: int | None = None, *, notice: bool = False,
    ) -> None:
        """Note a mistake at property `key` of `draft`, or at its heading."""
        stated = draft.stated.get(key) if key else None
        self.problems.append(Problem(
            file=self.file,
            line=stated.line if stated else draft.line,
            excerpt=stated.excerpt if stated else draft.written,
            key=code, message=message, remedy=remedy, other_line=other,
            notice=notice,
        ))

    def resolve(self, names: Iterable[str], aliases: Mapping[str, str]) -> tuple[str, ...]:
        """Return the canonical folded names of a list, in its order and each once."""
        found: dict[str, None] = {}
        for name in names:
            folded = fold(name)
            if folded not in aliases:
                self.heard.setdefault(folded, set()).add(name)
            found[aliases.get(folded, folded)] = None
        return tuple(found)


def aliases(world: Gathered, kind: str) -> dict[str, str]:
    """Return folded alias -> folded name; an alias that names two things names none of them."""
    drafts = world.drafts[kind]
    claims: dict[str, list[tuple[Draft, str]]] = {}
    for draft in drafts.values():
        for alias in draft.names("ALIAS"):
            if fold(alias) != draft.name:
                claims.setdefault(fold(alias), []).append((draft, alias))
    agreed: dict[str, str] = {}
    for folded, claimants in claims.items():
        owners = {draft.name: draft for draft, _ in claimants}
        if folded in drafts:
            owners[folded] = drafts[folded]
        if folded in world.reserved:
            world.report(
                claimants[0][0], "ALIAS", "reserved",
                f"the alias '{claimants[0][1]}' is a word that the gates use",
                "Choose another alias: the words of the seed vocabulary keep their meaning.",
            )
        elif len(owners) > 1:
            _two_things(world, folded, claimants[0][1], sorted(owners.values(), key=place))
        else:
            agreed[folded] = claimants[0][0].name
    return agreed


def place(draft: Draft) -> tuple[int, str]:
    """Return what sorts drafts by where they stand."""
    return (draft.line, draft.name)


def _two_things(world: Gathered, folded: str, alias: str, owners: list[Draft]) -> None:
    def line(owner: Draft) -> int:
        stated = owner.stated.get("ALIAS")
        return stated.line if stated and owner.name != folded else owner.line

    where = " and ".join(f"'{owner.written}' (line {line(owner)})" for owner in owners)
    holder = next(owner for owner in owners if owner.name != folded)
    other = next(owner for owner in owners if owner is not holder)
    world.report(
        holder, "ALIAS", "alias-of-two", f"the alias '{alias}' names two things: {where}",
        "Remove it from all but one; until then it names none of them.", line(other),
    )
