"""The text of a heading line after its stars: keyword, priority, COMMENT, title, tags."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container
from functools import lru_cache

_PRIORITY = re.compile(r"\[#([^\]\s]|[0-9]{2})\][ \t]*")
_COOKIE = re.compile(r"[ \t]*\[(?:[0-9]*%|[0-9]*/[0-9]*)\]")
_TAGS = re.compile(r":[\w@#%:]+:")

Headline = tuple[str | None, str | None, bool, str, tuple[str, ...]]
"""(keyword, priority, commented, title with cookies, tags)"""


def parse_headline(text: str, words: Container[str]) -> Headline:
    """Return the parts of `text`, the heading line after the stars and one blank.

    `words` is the file's TODO set. As in Org a keyword needs a space after it, so a bare
    `* TODO` has the title TODO; tags need a blank before them and nothing behind.
    """
    rest = text.strip(" \t")
    todo: str | None = None
    priority: str | None = None
    commented = False
    tags: tuple[str, ...] = ()
    word, gap, tail = rest.partition(" ")
    if word in words and (gap or text[-1:] == " "):
        todo, rest = word, tail.lstrip(" \t")
    first = rest[:1]
    if first == "[" and (match := _PRIORITY.match(rest)) is not None:
        priority, rest = match[1], rest[match.end() :]
        first = rest[:1]
    if first == "C" and rest[:7] == "COMMENT" and rest[7:8] in ("", " ", "\t"):
        commented, rest = True, rest[7:].lstrip(" \t")
    if rest[-1:] == ":":
        cut = rest.rfind(" ") + 1
        if "\t" in rest:
            cut = max(cut, rest.rfind("\t") + 1)
        found = split_tags(rest[cut:])
        if found is not None:
            tags, rest = found, rest[:cut].rstrip(" \t")
    return todo, priority, commented, rest, tags


@lru_cache(maxsize=4096)
def split_tags(cluster: str) -> tuple[str, ...] | None:
    """Return the tags of `cluster` (`:a:b:`), or None if it is no run of tags."""
    return tuple(tag for tag in cluster.split(":") if tag) if is_tags(cluster) else None


def is_tags(cluster: str) -> bool:
    """Return whether `cluster` (`:a:b:`) is a run of tags.

    Org counts marks as alphabetic, Python's `\\w` does not: without them no Devanagari or Thai
    tag could be read.
    """
    if _TAGS.fullmatch(cluster):
        return True
    if cluster.isascii() or len(cluster) < 3 or cluster[0] != ":" or cluster[-1] != ":":
        return False
    return all(
        char in "_@#%:" or char.isalnum() or unicodedata.category(char)[0] == "M"
        for char in cluster
    )


def plain_title(title: str) -> str:
    """Return `title` without statistics cookies: `Pack [1/3] bags` is `Pack bags`."""
    if "[" not in title:
        return title
    return _COOKIE.sub("", title).strip(" \t")
