"""The in-buffer settings of a file: TODO sets, tags, title, start-up words, properties."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memex.keywords import Keyword

_SEQUENCES = frozenset({"TODO", "SEQ_TODO", "TYP_TODO"})
_FLAG = re.compile(r"([^(]*)(?:\((.*)\))?$")


@dataclass(frozen=True, slots=True)
class TodoSequence:
    """One `#+TODO` line: `kind` is TODO, SEQ_TODO or TYP_TODO.

    `flags` pairs a keyword with the text between its parentheses, such as `d@/!`.
    """

    kind: str
    active: tuple[str, ...]
    done: tuple[str, ...]
    flags: tuple[tuple[str, str], ...] = ()


DEFAULT_TODO = (TodoSequence("TODO", ("TODO",), ("DONE",)),)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSettings:
    """What the keywords of a file say. `own_title` and `date` are None if the file has none.

    `properties` are the `#+PROPERTY` lines as (name, value); `setupfiles` holds each value with
    the offset of its line.
    """

    todo: tuple[TodoSequence, ...] = DEFAULT_TODO
    filetags: tuple[str, ...] = ()
    own_title: str | None = None
    date: str | None = None
    startup: tuple[str, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    archive: str | None = None
    category: str | None = None
    setupfiles: tuple[tuple[str, int], ...] = ()

    @property
    def active(self) -> tuple[str, ...]:
        """The keywords of tasks that are open."""
        return tuple(word for sequence in self.todo for word in sequence.active)

    @property
    def done(self) -> tuple[str, ...]:
        """The keywords of tasks that are done."""
        return tuple(word for sequence in self.todo for word in sequence.done)

    @property
    def odd(self) -> bool:
        """Whether the file uses odd levels only; the last word on it counts, as in Org."""
        words = [word for word in self.startup if word in ("odd", "oddeven")]
        return bool(words) and words[-1] == "odd"


def todo_sequence(kind: str, value: str) -> TodoSequence | None:
    """Return the sequence a `#+TODO` value spells, or None if it names no keyword.

    Without a bar the last keyword is the done state, as in Org.
    """
    words: list[str] = []
    flags: list[tuple[str, str]] = []
    bar: int | None = None
    for token in value.split():
        if token == "|":
            bar = len(words) if bar is None else bar
            continue
        match = _FLAG.match(token)
        if match is None or not match[1]:
            continue
        words.append(match[1])
        if match[2] is not None:
            flags.append((match[1], match[2]))
    if not words:
        return None
    cut = len(words) - 1 if bar is None else bar
    return TodoSequence(kind, tuple(words[:cut]), tuple(words[cut:]), tuple(flags))


def read_settings(keywords: Iterable[Keyword]) -> FileSettings:
    """Return the settings that `keywords` make, in file order."""
    todo: list[TodoSequence] = []
    tags: dict[str, None] = {}
    titles: list[str] = []
    startup: list[str] = []
    properties: list[tuple[str, str]] = []
    setupfiles: list[tuple[str, int]] = []
    last: dict[str, str] = {}
    for name, value, start, _ in keywords:
        if name in _SEQUENCES:
            sequence = todo_sequence(name, value)
            if sequence is not None:
                todo.append(sequence)
        elif name == "FILETAGS":
            tags.update((tag, None) for word in value.split() for tag in word.split(":") if tag)
        elif name == "TITLE":
            titles.append(value)
        elif name == "STARTUP":
            startup.extend(value.split())
        elif name == "PROPERTY":
            key, _, rest = value.partition(" ")
            if key:
                properties.append((key, rest.strip(" \t")))
        elif name == "SETUPFILE":
            setupfiles.append((_unquoted(value), start))
        else:
            last[name] = value
    return FileSettings(
        todo=tuple(todo) or DEFAULT_TODO,
        filetags=tuple(tags),
        own_title=" ".join(part for part in titles if part) or None,
        date=last.get("DATE"),
        startup=tuple(startup),
        properties=tuple(properties),
        archive=last.get("ARCHIVE"),
        category=last.get("CATEGORY"),
        setupfiles=tuple(setupfiles),
    )


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value


def merged(own: FileSettings, others: Iterable[FileSettings]) -> FileSettings:
    """Return `own` with what its setup files add. Title, date and category stay the file's own."""
    todo = () if own.todo is DEFAULT_TODO else own.todo
    tags = dict.fromkeys(own.filetags)
    startup, properties, archive = own.startup, own.properties, own.archive
    for other in others:
        if other.todo is not DEFAULT_TODO:
            todo = (*todo, *other.todo)
        tags.update(dict.fromkeys(other.filetags))
        # What the file says itself stands last and wins, what it says first is looked up first.
        startup = (*other.startup, *startup)
        properties = (*properties, *other.properties)
        archive = archive or other.archive
    return FileSettings(
        todo=todo or DEFAULT_TODO,
        filetags=tuple(tags),
        own_title=own.own_title,
        date=own.date,
        startup=startup,
        properties=properties,
        archive=archive,
        category=own.category,
        setupfiles=own.setupfiles,
    )
