"""The digest: one hash over everything that is known, equal however it came to be known.

D covers facts, spells, conflicts, bars, queue, what is deduced, declarations and headings under a
header of versions; F facts, spells, conflicts and declarations alone. Neither holds record times,
outcomes, integer ids, spellings, confidence, line numbers or now, so a rebuilt index gives the same
D.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from symbolic.canon import term_key
from symbolic.deduced import Deduced
from symbolic.names import digest
from symbolic.records import ClassDecl, Declarations, Line, RelationDecl, Standing
from symbolic.rules.program import RULES_MAX_DERIVED
from symbolic.world import Bar, Conflict, Fact, Proposal, View

SCHEMA = "1"
NORMALISER = "1"
EXTRACTOR = "1"
RULES = "1"
"""The version of the rule language and of what rules mean."""

Row = list[Any]


def header(view: View, tables: str, tzdata: str) -> dict[str, object]:
    """Return the versions D was made under; `tables` is the hash of the gate tables."""
    return {
        "schema": SCHEMA,
        "normaliser": NORMALISER,
        "extractor": EXTRACTOR,
        "tables": tables,
        "rules": rules_version(view),
        "tzdata": tzdata,
        "zone": view.zone,
        "rules_max_derived": RULES_MAX_DERIVED,
    }


def rules_version(view: View) -> str:
    """Return the version of what rules mean, and a hash of those that run, constraints included."""
    program = view.program()
    return f"{RULES}:{digest('rules', *sorted(r.id for r in program.rules + program.constraints))}"


def digest_d(view: View, head: Mapping[str, object]) -> str:
    """Return D, a sha256 hex digest of all that is known under the header `head`."""
    return _hash(head, [
        *_knowledge(view), *_decisions(view), *_prose(view), *map(deduced_row, view.deduced()),
    ])


def digest_f(view: View, head: Mapping[str, object]) -> str:
    """Return F, the digest of facts, spells, conflicts and declarations alone."""
    return _hash(head, list(_knowledge(view)))


def digest_r(heads: Iterable[tuple[str, str]]) -> str:
    """Return R, the digest of the sorted (device, head hash) pairs of the journal."""
    return _hash({}, [["head", dev, head] for dev, head in heads])


def heads(lines: Iterable[Line]) -> list[tuple[str, str]]:
    """Return (device, hash of its last line) of every chain."""
    last: dict[str, Line] = {}
    for line in lines:
        if line.dev not in last or last[line.dev].seq < line.seq:
            last[line.dev] = line
    return sorted((dev, line.hash) for dev, line in last.items())


def _hash(head: Mapping[str, object], rows: Sequence[Row]) -> str:
    whole = hashlib.sha256(_line(dict(head)))
    for row in sorted(_line(row) for row in rows):
        whole.update(row)
    return whole.hexdigest()


def _line(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _knowledge(view: View) -> Iterator[Row]:
    for fact in view.facts():
        yield fact_row(fact)
        if fact.standing is Standing.STANDING:
            for spell in view.spells(fact.fid):
                yield ["spell", fact.fid, spell.start, spell.end, spell.ended_by]
    for conflict in view.conflicts():
        yield conflict_row(conflict)
    yield from declaration_rows(view.declarations)


def _decisions(view: View) -> Iterator[Row]:
    for bar in view.bars():
        yield bar_row(bar)
    for proposal in view.proposals(closed=False):
        yield proposal_row(proposal)


def _prose(view: View) -> Iterator[Row]:
    for heading in view.headings():
        yield ["heading", heading.key, heading.text_hash]


def fact_row(fact: Fact) -> Row:
    """Return the canonical row of a fact: its statement, standing, and who says it where."""
    said = fact.statement
    sources = {(a.provenance.value, a.digest_source, a.quote_hash, a.state.value)
               for a in fact.assertions}
    return [
        "fact", said.fid, said.domain, term_key(said.entity), term_key(said.relation),
        term_key(said.value), said.polarity, said.valid_from, said.valid_to,
        fact.standing.value, list(fact.closed) if fact.closed else None,
        [list(source) for source in sorted(sources)],
    ]


def conflict_row(conflict: Conflict) -> Row:
    """Return the canonical row of a conflict."""
    return [
        "conflict", conflict.id, conflict.constraint, conflict.domain, list(conflict.key),
        sorted(conflict.members), conflict.policy.value, conflict.overlap.value, conflict.state,
    ]


def bar_row(bar: Bar) -> Row:
    """Return the canonical row of a rejection or suppression: no event, no record time."""
    return [
        "bar", bar.kind, bar.statement.fid, bar.at_heading, bar.resolved or f"lost:{bar.key}",
        bar.quote_hash, bar.scope,
    ]


def proposal_row(proposal: Proposal) -> Row:
    """Return the canonical row of an open proposal."""
    return [
        "queue", proposal.id, proposal.statement.fid if proposal.statement else None,
        proposal.resolved or f"lost:{proposal.key}", proposal.state.value,
        list(proposal.blockers) if proposal.state.value == "blocked" else [],
    ]


def deduced_row(one: Deduced) -> Row:
    """Return the canonical row of a deduced fact: when it holds and how surely, what is withheld.

    Instants count from year 1; the zone that makes them of bounds stands in the header.
    """
    said = one.triple.statement()
    return [
        "deduced", said.fid, said.domain, term_key(said.entity), term_key(said.relation),
        term_key(said.value), said.polarity,
        [[part.lo, part.hi, part.trust, part.sure] for part in one.spells],
        [list(span) for span in one.withheld],
    ]


_SILENT = ("written", "line")


@lru_cache(maxsize=4)
def declaration_rows(declarations: Declarations) -> tuple[Row, ...]:
    """Return the canonical rows of the declarations, without spellings and line numbers."""
    return tuple(_declaration_rows(declarations))


def _declaration_rows(declarations: Declarations) -> Iterator[Row]:
    decls: list[tuple[str, RelationDecl | ClassDecl]] = [
        *(("relation", relation) for relation in declarations.relations.values()),
        *(("class", klass) for klass in declarations.classes.values()),
    ]
    for kind, decl in decls:
        fields = {key: value for key, value in asdict(decl).items() if key not in _SILENT}
        yield ["declare", kind, {key: _plain(value) for key, value in fields.items()}]
    for kind, aliases in (
        ("relation", declarations.relation_alias),
        ("class", declarations.class_alias),
        ("entity", declarations.entity_alias),
    ):
        for alias, canon in aliases.items():
            yield ["alias", kind, alias, canon]
    for domain, relations in declarations.complete.items():
        yield ["complete", domain, sorted(relations)]


def _plain(value: object) -> object:
    return sorted(value) if isinstance(value, (tuple, frozenset)) else value
