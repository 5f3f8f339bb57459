"""The seed vocabulary and the user's own declarations, joined.

The seed is what the gates stand on, so a file may add to it and never loosen it: no other policy,
no other direction or type for a seed relation, no rearranging of seed classes among themselves.
What is refused is reported and left out; the rest of that heading counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache

from ontology.class_closure import above
from ontology.declarations import Parsed, parse
from ontology.entries import ONTOLOGY_FILE, Problem
from symbolic.records import ClassDecl, Declarations, Policy, RelationDecl


@dataclass(slots=True)
class _Report:
    file: str
    problems: list[Problem] = field(default_factory=list)

    def refuse(self, decl: ClassDecl | RelationDecl, what: str, remedy: str) -> None:
        self.say(decl.written, decl.line, what, remedy)

    def say(self, excerpt: str, line: int | None, what: str, remedy: str) -> None:
        self.problems.append(Problem(
            file=self.file, line=line, excerpt=excerpt, key="seed",
            message=f"'{excerpt}': {what}", remedy=remedy,
        ))


def merge(
    seed: Declarations, own: Declarations, file: str = ONTOLOGY_FILE
) -> tuple[Declarations, tuple[Problem, ...]]:
    """Return `seed` with what `own` adds, and what of `own` was refused.

    A class under a seed class is one that gates read, so it joins `gate_classes`.
    """
    report = _Report(file)
    classes = _classes(seed, own, report)
    relations = _relations(seed, own, report)
    below = {name for name in classes if seed.gate_classes & above(classes, name)}
    joined = Declarations(
        relations=dict(sorted(relations.items())),
        classes=dict(sorted(classes.items())),
        relation_alias=_aliases(seed, own.relation_alias, seed.relation_alias, report),
        class_alias=_aliases(seed, own.class_alias, seed.class_alias, report),
        entity_alias=_aliases(seed, own.entity_alias, seed.entity_alias, report),
        complete={
            name: seed.complete.get(name, frozenset()) | own.complete.get(name, frozenset())
            for name in sorted({*seed.complete, *own.complete})
        },
        spelling=dict(sorted({**own.spelling, **seed.spelling}.items())),
        gate_classes=seed.gate_classes | own.gate_classes | below,
        gate_relations=seed.gate_relations | own.gate_relations,
    )
    problems = sorted(report.problems, key=lambda p: (p.line or 0, p.message))
    return joined, tuple(problems)


def _aliases(
    seed: Declarations, own: Mapping[str, str], first: Mapping[str, str], report: _Report
) -> dict[str, str]:
    kept = dict(first)
    for alias, name in own.items():
        if alias in seed.spelling or kept.get(alias, name) != name:
            report.say(
                alias, None, f"cannot become an alias of '{name}': the gates use that word",
                "Choose another alias.",
            )
        else:
            kept[alias] = name
    return dict(sorted(kept.items()))


@lru_cache(maxsize=8)
def load(data: bytes, seed: Declarations, file: str = ONTOLOGY_FILE) -> Parsed:
    """Return what the seed and the bytes of an ontology file declare together.

    One command asks this of the same bytes several times: they are read once.
    """
    parsed = parse(data, file=file, reserved=seed.spelling)
    joined, problems = merge(seed, parsed.declarations, file)
    return Parsed(declarations=joined, problems=(*parsed.problems, *problems))


# --- classes ----------------------------------------------------------------------------------


def _classes(seed: Declarations, own: Declarations, report: _Report) -> dict[str, ClassDecl]:
    merged = {**own.classes, **seed.classes}
    for name, base in seed.classes.items():
        if name in own.classes:
            merged[name] = _class(base, own.classes[name], report)
    # From the top down: what is cut above is no longer gained below.
    for name, base in sorted(seed.classes.items(), key=lambda c: len(above(seed.classes, c[0]))):
        gained = (above(merged, name) & set(seed.classes)) - above(seed.classes, name)
        if gained:
            report.refuse(
                own.classes[name],
                f"a class of the gates cannot come under '{min(gained)}', another one",
                "Remove the PARENT that leads there.",
            )
            merged[name] = replace(merged[name], parents=base.parents)
    return _still_apart(seed, merged, report)


def _class(base: ClassDecl, own: ClassDecl, report: _Report) -> ClassDecl:
    return replace(
        base,
        policy=_policy(base, own, report),
        parents=tuple(sorted({*base.parents, *own.parents})),
        disjoint=tuple(sorted({*base.disjoint, *own.disjoint})),
        level=_raised(base, own, report),
        line=own.line,
    )


def _still_apart(
    seed: Declarations, merged: dict[str, ClassDecl], report: _Report
) -> dict[str, ClassDecl]:
    """Drop a DISJOINT between classes of which one lies under the other since the two joined."""
    over = {name: above(merged, name) for name, decl in merged.items() if decl.disjoint}
    for name, decl in merged.items():
        kept = tuple(
            other for other in decl.disjoint
            if other not in over[name] and name not in over.get(other, ())
        )
        if kept != decl.disjoint:
            report.refuse(
                decl, "it cannot exclude a class that it lies under or that lies under it",
                "Remove the PARENT or the DISJOINT.",
            )
            merged[name] = replace(decl, disjoint=kept)
    return merged


def _policy(
    base: ClassDecl | RelationDecl, own: ClassDecl | RelationDecl, report: _Report
) -> Policy | None:
    if own.policy is None or own.policy is base.policy:
        return base.policy
    if base.policy is None and own.policy is Policy.EXCLUSIVE:
        return own.policy
    report.refuse(
        own, f"the gates keep it exclusive, it cannot be {own.policy.value}",
        "Remove the POLICY, or declare a class or relation of your own.",
    )
    return base.policy


def _raised(
    base: ClassDecl | RelationDecl, own: ClassDecl | RelationDecl, report: _Report
) -> int | None:
    if own.level is None or base.level is None or own.level >= base.level:
        return base.level if own.level is None else own.level
    report.refuse(own, f"its level is {base.level} and can only be raised", "Remove the LEVEL.")
    return base.level


# --- relations --------------------------------------------------------------------------------

_FLAGS = ("functional", "inverse_functional", "asymmetric", "irreflexive", "acyclic", "transitive")
_FIXED = ("symmetric", "range", "unit", "tolerance")
"""What says how a statement of the gates reads and which way round it is kept."""


def _relations(
    seed: Declarations, own: Declarations, report: _Report
) -> dict[str, RelationDecl]:
    merged = {
        name: _unhooked(seed, decl, report) if name not in seed.relations else decl
        for name, decl in own.relations.items()
    }
    for name, base in seed.relations.items():
        merged[name] = _relation(base, own.relations[name], report) if name in merged else base
    return merged


def _unhooked(seed: Declarations, decl: RelationDecl, report: _Report) -> RelationDecl:
    """Return an own relation without an INVERSE that would turn the gates' facts round."""
    if decl.inverse not in seed.relations:
        return decl
    report.refuse(
        decl, f"'{decl.inverse}' is a relation of the gates and takes no inverse",
        "Remove the INVERSE.",
    )
    return replace(decl, inverse=None)


def _relation(base: RelationDecl, own: RelationDecl, report: _Report) -> RelationDecl:
    opposite = tuple(sorted({*base.opposite, *own.opposite}))
    if own.inverse is not None:
        # What its inverse declares was turned round into `own`: none of it can be told apart.
        if own.line is not None:
            report.refuse(own, "a relation of the gates takes no inverse", "Remove the INVERSE.")
        return replace(base, opposite=opposite, line=own.line)
    default = {f.name: f.default for f in fields(RelationDecl)}
    for key in _FIXED:
        if getattr(own, key) not in (default[key], getattr(base, key)):
            report.refuse(
                own, f"the gates use it as it is; {key.upper()} cannot be declared",
                f"Remove the {key.upper()}, or declare a relation of your own.",
            )
    cardinalities = [n for n in (base.cardinality, own.cardinality) if n is not None]
    return replace(
        base,
        policy=_policy(base, own, report),
        **{key: getattr(base, key) or getattr(own, key) for key in _FLAGS},
        opposite=opposite,
        cardinality=min(cardinalities, default=None),
        domain=base.domain or own.domain,
        pattern=tuple(dict.fromkeys((*base.pattern, *own.pattern))),
        min_sources=max(base.min_sources, own.min_sources),
        level=_raised(base, own, report),
        line=own.line,
    )
