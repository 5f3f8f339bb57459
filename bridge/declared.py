"""What an index was declared under, kept in it, so that a reading verb need not work it out again.

Declarations follow from the gate tables, the code that reads them and the ontology file as it was
taken in. While all of these are byte for byte as they were, what was made of them is read back;
one changed byte and they are made anew. Loading the tables would be a third of a query's time.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import fields
from functools import cache, lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from symbolic.records import ClassDecl, Declarations, Policy, RelationDecl
from symbolic.store.codec import packed
from symbolic.store.store import Store

FROM = "declared-from"
"""Where the store keeps the hash of what the declarations were made of."""
DECLARED = "declared"
"""Where it keeps the declarations themselves."""

_CODE = ("gates", "ontology", "symbolic")


def made_of(applied: Path) -> str:
    """Return one hash of the code and of the ontology file `applied` as it was taken in."""
    whole = sha256(_code())
    with suppress(FileNotFoundError):
        whole.update(b"\0\0" + applied.read_bytes())
    return whole.hexdigest()


@cache
def _code() -> bytes:
    """Return one hash of the code; that of a running program does not change."""
    root = Path(__file__).resolve().parents[1]
    whole = sha256()
    for folder in _CODE:
        for place in sorted((root / folder).glob("*.py")):
            whole.update(place.name.encode() + b"\0" + place.read_bytes())
    return whole.digest()


def kept(mark: str, store: Store) -> dict[str, str]:
    """Return what to save with the index: the hash `mark`, its gate rows, and what was made."""
    return {FROM: f"{mark} {store.meta('rows')}", DECLARED: packed(store.declarations)}


def recall(store: Store, applied: Path) -> Declarations | None:
    """Return the declarations kept in the index if they are still what would be made, else None.

    They are not if the index was told of other gate rows since.
    """
    text = store.meta(DECLARED)
    if text is None or store.meta(FROM) != f"{made_of(applied)} {store.meta('rows')}":
        return None
    return unpack(text)


@lru_cache(maxsize=4)
def unpack(text: str) -> Declarations:
    """Return the declarations that `kept` wrote."""
    whole: dict[str, Any] = json.loads(text)
    return Declarations(
        relations={k: RelationDecl(**_row(v, RelationDecl)) for k, v in whole["relations"].items()},
        classes={k: ClassDecl(**_row(v, ClassDecl)) for k, v in whole["classes"].items()},
        relation_alias=whole["relation_alias"],
        class_alias=whole["class_alias"],
        entity_alias=whole["entity_alias"],
        complete={name: frozenset(found) for name, found in whole["complete"].items()},
        spelling=whole["spelling"],
        gate_classes=frozenset(whole["gate_classes"]),
        gate_relations=frozenset(whole["gate_relations"]),
    )


def _row(row: dict[str, Any], of: type) -> dict[str, Any]:
    found = {f.name: row[f.name] for f in fields(of)}
    for name, value in found.items():
        if isinstance(value, list):
            found[name] = tuple(value)
    if found["policy"] is not None:
        found["policy"] = Policy(found["policy"])
    return found
