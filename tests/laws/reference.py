"""The reference fold of one machine: its files read anew and whole, its lines as it knows them."""

from __future__ import annotations

from dataclasses import replace

from bridge.settings import ONTOLOGY
from memex.headings import claims, rekey
from memex.keys import resolve_ids
from memex.nodes import prose
from neuro.extract import extract
from symbolic.journal.chain import read_journal
from symbolic.model.world import World, fold
from symbolic.world import Inputs
from tests.laws.carrying import JOURNAL
from tests.laws.devices import Machine
from tests.laws.history import _declared, _documents, _seed
from tests.laws.strategies import TABLES


def world(one: Machine) -> World:
    """Return the world of what stands in the files of a machine at rest, and nothing else."""
    documents = list(_documents(one.root))
    identities = resolve_ids([c for document in documents for c in claims(document.nodes)])
    documents = [replace(d, nodes=rekey(d.nodes, identities)) for d in documents]
    zone = one.settings.zone
    place = one.root / ONTOLOGY
    return fold(Inputs(
        headings=tuple(prose(node) for d in documents for node in d.nodes),
        readings=tuple(r for d in documents for r in extract(d, zone=zone).readings),
        lines=read_journal(one.root / JOURNAL).lines,
        rows=_seed(TABLES).rows,
        declarations=_declared(place.read_bytes() if place.exists() else b"", TABLES),
        zone=zone,
    ))  # fmt: skip
