"""`pp search`: headings by words and nearness."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from bridge.cli.common import common, opened, put, put_json, say
from bridge.settings import Settings

if TYPE_CHECKING:
    from bridge.nearby import Answer
    from neuro.near.search import Hit
    from neuro.near.snippet import Snippet

_LISTS = ("words", "titles", "vectors", "links", "facts")


@click.command(
    name="search",
    # -word is a part of the query, so that no short option may catch its letters, -h neither.
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
    epilog="Example: pp search 'org-ql install -windows tag:emacs'",
)
@click.argument("text", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--limit", type=click.IntRange(min=0), default=10, show_default=True,
              help="How many hits; 0 for all.")
@click.option("--why", is_flag=True, help="Each list's rank and share of the score.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def command(
    settings: Settings, text: tuple[str, ...], limit: int, why: bool, as_json: bool
) -> None:
    """Find headings by words, by nearness, and by what links and facts tie to the best of them.

    Any of the words will do; more and rarer ones count more. "Two words" in double quotes must
    stand there, -word must not; tag:NAME and path:PART choose headings. Text in scripts without
    blanks is found inside longer text as well.
    """
    from bridge.nearby import nearby  # --help stays quick
    from neuro.near.query import BadQuery
    from symbolic.errors import Usage

    with opened(settings) as app:
        answer = nearby(app, " ".join(text), limit=limit)
    if isinstance(answer, BadQuery):
        raise Usage(f"{answer.message}: {answer.remedy}")
    if as_json:
        put_json(_json(answer, why))
    else:
        for rank, hit in enumerate(answer.found.hits, 1):
            _print(rank, hit, why)
    for note in _notes(answer):
        say(note)


def _notes(answer: Answer) -> list[str]:
    notes = list(answer.notes)
    if answer.found.left_out:
        words = ", ".join(answer.found.left_out[:10])
        notes.append(f"left out, as over a fifth of the headings have them: {words}")
    if not answer.found.hits:
        notes.append("nothing found")
    if answer.pending:
        notes.append(
            f"{answer.pending} headings have no vector of {answer.model} yet: `pp sync` makes them"
        )
    if answer.stale:
        files = "file has" if answer.stale == 1 else "files have"
        notes.append(f"{answer.stale} {files} changed since the last `pp sync`")
    return notes


def _print(rank: int, hit: Hit, why: bool) -> None:
    put(f"{rank:>3}  {_outline(hit)}  {hit.path}:{hit.line}")
    if hit.snippet.text:
        put(f"     {_shown(hit.snippet)}")
    if why:
        parts = "  ".join(f"{p.name} #{p.rank} +{p.share:.4f}" for p in hit.parts)
        put(f"     {hit.score:.4f} = {parts}")


def _outline(hit: Hit) -> str:
    """Return the titles from the top down as people read them."""
    from memex.markup import plain

    titles = " / ".join(plain(title) for title in hit.outline)
    return click.style(titles, bold=True) if _coloured() else titles


def _coloured() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _shown(snippet: Snippet) -> str:
    """Return a snippet, the words marked where a person looks at a terminal with colours."""
    if not _coloured():
        return snippet.text
    parts: list[str] = []
    at = 0
    for start, end in snippet.marks:
        parts += (snippet.text[at:start], click.style(snippet.text[start:end], fg="yellow"))
        at = end
    return "".join((*parts, snippet.text[at:]))


def _json(answer: Answer, why: bool) -> dict[str, object]:
    found = answer.found
    return {
        "schema": "pp.search/1",
        "hits": [_hit_json(hit, why) for hit in found.hits],
        "lists": {name: found.lists.get(name, 0) for name in _LISTS},
        "left_out": list(found.left_out),
        "model": answer.model,
        "pending": answer.pending,
        "stale": answer.stale,
        "notes": list(answer.notes),
    }


def _hit_json(hit: Hit, why: bool) -> dict[str, object]:
    body: dict[str, object] = {
        "heading": hit.key, "path": hit.path, "line": hit.line, "outline": list(hit.outline),
        "title": hit.title, "snippet": hit.snippet.text, "score": round(hit.score, 6),
    }
    if why:
        body["why"] = [
            {"list": part.name, "rank": part.rank, "share": round(part.share, 6)}
            for part in hit.parts
        ]
    return body
