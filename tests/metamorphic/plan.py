"""A random Plan for some notes: which names there are, and a bijection for each kind of them."""

from __future__ import annotations

import json
import posixpath
import random
import re
from collections.abc import Iterable, Mapping

from ontology.bootstrap import seed
from symbolic.names import fold
from symbolic.records import ValueKind
from tests.metamorphic.transform import ONTOLOGY, Json, Plan, Rewrite, entries
from tests.metamorphic.words import Words, renamed

FIXED = ("system", "projects")
"""Folders whose names mean something to the program."""

_TAGS = re.compile(r"(?m)^(?:\*+ .*?[ \t]|#\+FILETAGS:[ \t]*)(:[\w@#%:]+:)[ \t]*$")
_ID = re.compile(r":ID:\s+(\S+)")
_YEAR = re.compile(r"\d{4}")


def make(
    files: Mapping[str, bytes], lines: Iterable[Json], spellings: Iterable[str], years: int,
    rng: random.Random,
) -> Plan:
    """Return a plan for all names, declared relations and files there are.

    `spellings` are names as written, such as the entities of facts; tags and declared names come
    on top. What stays: words of the gates, privacy tags, names with a year in them, which moves,
    and texts with a link in them, which is rewritten.
    """
    texts = {path: data.decode("utf-8") for path, data in files.items()}
    whole = "\n".join([*texts.values(), *texts, json.dumps(list(lines), ensure_ascii=False)])
    words = Words(rng, whole)
    tags = {tag for found in _TAGS.findall(whole) for tag in found.strip(":").split(":")}
    declared = list(entries(texts[ONTOLOGY]))
    names = {word for kind, name, held in declared if kind in ("class", "entity")
             for word in (name, *held.get("ALIAS", ()))}
    names |= {*tags, *spellings}
    related = {word for kind, name, held in declared if kind == "relation"
               for word in (name, *held.get("ALIAS", ()))}
    fixed = {*seed().declarations.spelling, *(kind.value for kind in ValueKind)}
    free = {
        name for name in names
        if fold(name) not in fixed and not _YEAR.search(name)
        and "[[" not in name and not name.startswith("@")
    }
    return Plan(
        names=renamed(free, words, rng, plain=tags),
        relations=renamed(related, words, rng, plain=related),
        paths=_paths(texts, words, years, rng),
        targets=dict(row for path, text in texts.items() for row in _ids(path, text)),
        years=years,
    )


def _ids(path: str, text: str) -> Iterable[tuple[str, tuple[str, str]]]:
    """Yield each ID with (path, title) of its heading; a file's title is empty."""
    title = ""
    for line in text.split("\n"):
        if line.startswith("*"):
            title = line.lstrip("*").strip()
        if (found := _ID.match(line)) is not None:
            yield found[1], (path, title)


# --- files ------------------------------------------------------------------------------------


def _paths(
    texts: Mapping[str, str], words: Words, years: int, rng: random.Random
) -> dict[str, str]:
    """Return a new path for each file: dates are moved, words replaced, endings kept.

    One pair of files in one folder gets `a_b.org` and `a-b.org`, which are two files, though as
    names they would be one; some get Han, a blank or a `#`.
    """
    shift = Rewrite({}, years)
    folders: dict[str, str] = {}
    twins = _twins(texts, rng)
    pair = (words.word("latin"), words.word("latin"))
    made: dict[str, str] = {}
    for path in texts:
        folder, name = posixpath.split(path)
        stem, dot, ending = name.partition(".")
        parts = [
            part if not part or part in FIXED
            else folders.setdefault(part, words.word(rng.choice(("han", "cyrillic", "latin"))))
            for part in folder.split("/")
        ]
        if path in twins:
            stem = pair[0] + twins[path] + pair[1]
        elif path != ONTOLOGY:
            stem = re.sub(r"\d{4}(?:-\d\d-\d\d)?|[^\W\d][\w-]*", lambda match: (
                shift(match[0]) if _YEAR.match(match[0]) else _stem(words, rng)
            ), stem)
        made[path] = "/".join(part for part in (*parts, stem + dot + ending) if part)
    assert len(set(made.values())) == len(made)
    return made


def _stem(words: Words, rng: random.Random) -> str:
    form = rng.choice(("{}", "{}", "{} {}", "{}#", "{}-{}"))
    script = rng.choice(("latin", "greek", "cyrillic", "han"))
    return form.format(*(words.word(script) for _ in range(form.count("{}"))))


def _twins(texts: Mapping[str, str], rng: random.Random) -> dict[str, str]:
    """Choose two files of one folder that have a title of their own."""
    by_folder: dict[str, list[str]] = {}
    for path, text in texts.items():
        folder, name = posixpath.split(path)
        if "#+title:" in text and folder != "system" and not _YEAR.search(name):
            by_folder.setdefault(folder, []).append(path)
    folder = rng.choice([folder for folder, found in by_folder.items() if len(found) > 1])
    one, other = rng.sample(by_folder[folder], 2)
    return {one: "_", other: "-"}
