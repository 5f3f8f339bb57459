"""Rows of the near index for tests, and a view of all it holds that no integer id shows in."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from neuro.embed.ngrams import Ngrams
from neuro.near.rows import Link, Row
from neuro.near.store import Fresh, Near
from symbolic.names import digest

MODEL = Ngrams.name


def row(
    title: str, body: str = "", *, path: str = "a.org", key: str | None = None, line: int = 1,
    above: tuple[str, ...] = (), links: tuple[Link, ...] = (), is_file: bool = False,
    file_title: str = "Notes",
) -> Row:
    """Return a row as sync makes them."""
    outline = (*above, title)
    text = body if is_file else f"* {title}\n{body}"
    return Row(
        key=key or f"{path}#{'/'.join(outline)}#1", path=path, line=line, outline=outline,
        title=title, text=text, text_hash=digest(text), file_title=file_title, links=links,
        is_file=is_file,
    )  # fmt: skip


def embed_all(near: Near, model: str = MODEL) -> int:
    """Make all vectors that are missing; return how many."""
    waiting = near.pending(model)
    if not waiting:
        return 0
    rows = near.rows(one.id for one in waiting)
    made = Ngrams().embed([rows[one.id].embedded for one in waiting])
    return near.put_vectors(model, [Fresh(one.id, one.mark) for one in waiting], made.matrix)


def vectors(near: Near, model: str = MODEL) -> dict[str, bytes]:
    """Return {key and path: the bytes of its vector}."""
    ids, matrix = near.vectors(model)
    rows = near.rows(int(number) for number in ids if number)
    return {
        f"{rows[int(number)].path} {rows[int(number)].key}": np.asarray(matrix[at]).tobytes()
        for at, number in enumerate(ids) if number
    }  # fmt: skip


def picture(near: Near, model: str = MODEL) -> dict[str, object]:
    """Return everything the index says, keyed by headings."""
    ids = near.ids()
    rows = near.rows(ids)

    def names(found: dict[int, frozenset[int]]) -> dict[str, list[str]]:
        return {rows[one].key: sorted(rows[o].key for o in others) for one, others in found.items()}

    words = {token for one in rows.values() for token in (one.title + " " + one.text).split()}
    return {
        "files": near.files(),
        "rows": sorted(map(repr, rows.values())),
        "vectors": vectors(near, model),
        "N": near.digest(model),
        "from": names(near.links_from(ids)),
        "to": names(near.links_to(ids)),
        "words": {
            token: sorted(rows[one].key for one in near.matching(f'"{token}"'))
            for token in words if token.isalnum()
        },
        "orphans": near.orphans(),
        "sound": near.check(),
    }  # fmt: skip


def built(folder: Path, state: dict[str, tuple[str, list[Row]]]) -> dict[str, object]:
    """Return the picture of an index made of `state` at once, in a folder of its own."""
    folder.mkdir()
    with Near.open(folder) as near:
        near.apply(state)
        embed_all(near)
        return picture(near)
