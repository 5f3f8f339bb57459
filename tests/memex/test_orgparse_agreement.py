"""orgparse as the second reader of the corpora: every difference is of a kind that is explained.

docs/reading-org.md says why each kind is accepted; the counts here hold the list complete.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import orgparse
import pytest

from memex.headings import read_document
from memex.nodes import Document, Node

ACCEPTED = {
    "lower-case drawer": 33,
    "drawer Org does not see": 23,
    "key with a colon": 5,
    "tag with # or %": 2,
    "planning keyword below the planning line": 1,
}


def pairs(corpora: Path) -> Iterator[tuple[Node, orgparse.node.OrgBaseNode]]:
    for place in sorted(corpora.rglob("*.org*")):
        if not place.is_file():
            continue
        data = place.read_bytes()
        read = read_document(place.relative_to(corpora).as_posix(), data)
        assert isinstance(read, Document)
        # Text mode, as orgparse itself opens a file; the mark would hide its first heading.
        text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig").read()
        others = orgparse.loads(text).env.nodes
        assert len(read.nodes) == len(others), place
        yield from zip(read.nodes, others, strict=True)


def day(moment: date | None) -> str | None:
    return None if moment is None else moment.isoformat()[:10]


def differences(
    node: Node, other: orgparse.node.OrgBaseNode
) -> Iterator[tuple[str, object, object]]:
    yield "line", node.line, other.linenumber
    yield "level", node.raw.stars, other.level
    yield "properties", properties(node, other), dict(other.properties)
    if node.index == 0:
        yield "tags", set(node.own_tags), set(other.tags)
        return
    title = f"COMMENT {node.raw.title}" if node.raw.commented else node.raw.title
    yield "title", title.strip(), other.get_heading("raw").strip()
    yield "todo", node.todo, other.todo
    yield "priority", node.priority, other.priority
    yield "tags", list(node.own_tags), list(other._tags)
    for keyword in ("scheduled", "deadline", "closed"):
        entry, theirs = getattr(node.planning, keyword), getattr(other, keyword)
        mine = entry.stamp.date if entry is not None and entry.stamp is not None else None
        yield keyword, mine, day(theirs.start if theirs else None)


def properties(node: Node, other: orgparse.node.OrgBaseNode) -> dict[str, object]:
    """Return our properties as orgparse has them: the last of a name, Effort in minutes."""
    found: dict[str, object] = {row.name: row.value for row in node.properties}
    if "Effort" in found and "Effort" in other.properties:
        found["Effort"] = other.properties["Effort"]
    return found


def explain(kind: str, node: Node, mine: object, theirs: object) -> str:
    raw, own = node.raw, node.data[node.raw.start : node.raw.own]
    drawer = node.data[raw.drawer_start : raw.drawer_end].lstrip()
    if kind == "properties" and drawer.startswith(b":properties:") and not theirs:
        return "lower-case drawer"
    if kind == "properties" and theirs and not drawer and b":PROPERTIES:" in own:
        return "drawer Org does not see"
    if kind == "properties" and any(":" in row.name for row in node.properties):
        return "key with a colon"
    if kind in ("tags", "title") and {"#", "%"} & set("".join(node.own_tags)):
        return "tag with # or %"
    if kind in ("scheduled", "deadline", "closed") and raw.plan == raw.head:
        return "planning keyword below the planning line"
    return f"{node.path}:{node.line}: {kind}: {mine!r} against {theirs!r}"


@pytest.mark.filterwarnings("ignore")
def test_every_difference_to_orgparse_is_accepted_and_counted(corpora: Path) -> None:
    found: Counter[str] = Counter()
    headings = 0
    for node, other in pairs(corpora):
        headings += node.index > 0
        for kind, mine, theirs in differences(node, other):
            if mine != theirs:
                found[explain(kind, node, mine, theirs)] += 1
    assert headings > 7000
    assert dict(found) == ACCEPTED
