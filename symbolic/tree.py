"""Answers as trees of short lines, and the forms in which they are shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symbolic.names import quote_form
from symbolic.records import Statement, Term


@dataclass(frozen=True, slots=True)
class Branch:
    """One line and what belongs below it."""

    text: str
    children: tuple[Branch, ...] = ()


def org_tree(branch: Branch) -> str:
    """Return `branch` as an Org outline, one headline a line, without a final newline."""
    return "\n".join(f"{'*' * depth} {one.text}" for depth, one in walk(branch))


def walk(branch: Branch) -> Iterator[tuple[int, Branch]]:
    """Yield (depth from 1, branch) of a tree from the top down."""
    ahead = [(1, branch)]
    while ahead:
        depth, one = ahead.pop()
        yield depth, one
        ahead.extend((depth + 1, child) for child in reversed(one.children))


def tree_json(branch: Branch) -> dict[str, object]:
    """Return `branch` as nested {"text", "children"}."""
    return {"text": branch.text, "children": [tree_json(child) for child in branch.children]}


def dot(branch: Branch) -> str:
    """Return `branch` as a Graphviz digraph."""
    lines, above = ["digraph audit {", "  node [shape=box];"], list[int]()
    for number, (depth, one) in enumerate(walk(branch)):
        label = one.text.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'  n{number} [label="{label}"];')
        del above[depth - 1 :]
        if above:
            lines.append(f"  n{above[-1]} -> n{number};")
        above.append(number)
    return "\n".join([*lines, "}"])


def statement_text(said: Statement) -> str:
    """Return a statement on one line: who, relation, what, when, and in which domain."""
    text = " ".join(term_text(term) for term in (said.entity, said.relation, said.value))
    if not said.polarity:
        text = f"denied: {text}"
    if said.valid_from is not None or said.valid_to is not None:
        text += f" {span_text(said.valid_from, said.valid_to)}"
    return text if said.domain == "memex" else f"{text} ({said.domain})"


def term_text(term: Term) -> str:
    """Return a term as written, in quotes where it has blanks or is blank."""
    text = quote_form(term.written)
    return f'"{text}"' if " " in text or not text else text


def span_text(start: str | None, end: str | None) -> str:
    """Return a half-open stretch of time; an open side is left blank."""
    if start is None and end is None:
        return "always"
    return f"[{start or ''}, {end or ''})"
