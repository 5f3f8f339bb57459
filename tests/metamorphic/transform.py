"""The same notes, kept by somebody else, eleven years earlier, on another machine.

    notes, candidates ──Plan──► renamed, shifted in time, CRLF, without IDs ──Plan.back──► answers

A Plan is a bijection and its way back: names, declared relations and files get other names, every
date moves by whole years with its weekday set right, IDs go and links by ID become links by file.
Lines stay lines but for those that held an ID, so line numbers can be mapped back as well.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from memex.keys import encode, encode_path
from symbolic.names import fold

Json = dict[str, object]

ONTOLOGY = "system/ontology.org"

_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_DATE = (
    r"(?<![\w.,-])(?P<year>\d{4})(?P<rest>-\d\d(?:-\d\d)?)?(?!(?!T\d)[\w-]|[.,]\d)"
    rf"(?:(?P<gap>[ \t]+)(?P<day>{'|'.join(f'{d}|{d[:3]}' for d in _DAYS)})\b)?"
)
_YEARS = range(1990, 2036)
"""Four digits in this range are a year, others a number. No note here counts in this range."""

_LINK = re.compile(r"\[\[(?P<target>[^\]]+)\](?:\[(?P<text>[^\]]*)\])?\]")
_HEADING = re.compile(
    r"(?P<stars>\*+ )(?P<todo>(?:TODO|DONE|CANCELLED|APPROVED|PROPOSED|DENIED) )?"
    r"(?P<title>.*?)(?P<tags>\s+:[\w@#%:]+:)?"
)
_PROPERTY = re.compile(r"(?P<head>\s*:)(?P<key>[^\s:]+)(?P<gap>:\s+)(?P<value>.*)")
_ITEM = re.compile(r"(?P<bullet>\s*- )(?P<term>.+?)(?P<mark> :: )(?P<text>.*)")
_KEYWORD = re.compile(r"(?P<head>#\+(?P<key>\w+):\s*)(?P<value>.*)")
_PAIR = re.compile(
    r':(?P<key>[\w-]+)(?P<gap>\s+)(?P<value>"(?:[^"\\]|\\.)*"|:[^\s()"]+|[^\s()":]+)'
)
_TOKEN = re.compile(r'"[^"]*"|[^\s"]+')
_BEGIN = re.compile(r"\s*#\+begin_(?P<name>\w+)(?P<rest>.*)", re.IGNORECASE)
_END = re.compile(r"\s*#\+end_", re.IGNORECASE)

_CLASSES = ("PARENT", "DISJOINT", "DOMAIN", "RANGE")
_RELATIONS = ("INVERSE", "OPPOSITE", "COMPLETE")


class Rewrite:
    """Replaces whole names, the longest first, and moves dates by years, in one pass.

    A line break inside a name stays one. What was put in is not looked at again.
    """

    def __init__(self, names: Mapping[str, str], years: int) -> None:
        self.names, self.years = names, years
        ways = sorted(names, key=len, reverse=True)
        body = "|".join(r"\s+".join(map(re.escape, name.split())) for name in ways)
        known = rf"(?P<name>(?<!\w)(?:{body})(?!\w))|" if names else ""
        self._pattern = re.compile(known + _DATE)

    def __call__(self, text: str) -> str:
        """Return the new text."""
        return self._pattern.sub(self._one, text)

    def _one(self, match: re.Match[str]) -> str:
        if self.names and match["name"] is not None:
            new = self.names[" ".join(match[0].split())]
            return new.replace(" ", "\n", 1) if "\n" in match[0] else new
        return _moved(match, self.years)


def _moved(match: re.Match[str], years: int) -> str:
    """Return a date with its year moved and, if a weekday follows, the right one."""
    year, rest = int(match["year"]), match["rest"] or ""
    if year not in _YEARS:
        return match[0]
    moved = f"{year + years}{rest}"
    if match["day"] is None:
        return moved
    day = match["day"]
    if rest.count("-") == 2:
        full = _DAYS[date.fromisoformat(moved).weekday()]
        day = full if len(day) > 3 else full[:3]
    return moved + match["gap"] + day


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What becomes of whom: `names` and `relations` by spelling, `paths` by file.

    `targets` maps an ID to the (path, title) of its heading; a file's title is empty.
    """

    names: Mapping[str, str]
    relations: Mapping[str, str]
    paths: Mapping[str, str]
    targets: Mapping[str, tuple[str, str]]
    years: int
    text: Callable[[str], str] = field(init=False, compare=False)
    _related: Mapping[str, str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        related = {fold(old): new for old, new in self.relations.items()}
        object.__setattr__(self, "_related", related)
        object.__setattr__(self, "text", Rewrite(self.names, self.years))

    def relation(self, name: str) -> str:
        """Return the new name of a declared relation, any other as it is."""
        return self._related.get(fold(name), name)

    def prose(self, text: str, path: str) -> str:
        """Return running text of the file `path`: names, dates, and links by what they name."""
        out, at = [], 0
        for match in _LINK.finditer(text):
            out += [self.text(text[at : match.start()]), self._link(match, path)]
            at = match.end()
        return "".join([*out, self.text(text[at:])])

    def _link(self, match: re.Match[str], path: str) -> str:
        target = match["target"]
        if target.startswith("id:"):
            place, title = self.targets[target.removeprefix("id:")]
            target = self._file(place, path) + (f"::*{self.text(title)}" if title else "")
        elif target.startswith("file:"):
            place, _, search = target.removeprefix("file:").partition("::")
            whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), place))
            target = self._file(whole, path) + (f"::{self.text(search)}" if search else "")
        else:
            target = self.text(target)
        return f"[[{target}][{self.text(match['text'])}]]" if match["text"] else f"[[{target}]]"

    def _file(self, path: str, source: str) -> str:
        folder = posixpath.dirname(self.paths[source]) or "."
        return f"file:{posixpath.relpath(self.paths[path], folder)}"

    def back(self) -> Callable[[str], str]:
        """Return what turns new words, relations, files and dates of any answer into the old.

        It reads spellings, folded forms and those of keys alike.
        """
        words = {new: old for old, new in self.names.items()}
        words |= {new: old for old, new in self.relations.items()}
        folded = {fold(new): fold(old) for new, old in words.items()}
        for old, new in self.relations.items():
            key, was = _as_key(new), _as_key(old)
            folded |= {key: was, key.lower(): was.lower()}
        paths = {new: old for old, new in self.paths.items()}
        keyed = {encode(new): encode(old) for new, old in words.items()}
        keyed |= {encode_path(new): encode_path(old) for new, old in paths.items()}
        return Rewrite(folded | keyed | words | paths, -self.years)


@dataclass(frozen=True, slots=True)
class Notes:
    """Notes after a Plan. `lines` holds, by new path, the old line number of each new line."""

    files: Mapping[str, bytes]
    lines: Mapping[str, Sequence[int]]


def apply(plan: Plan, files: Mapping[str, bytes], *, crlf: bool = True) -> Notes:
    """Return all the notes under `plan`."""
    made: dict[str, bytes] = {}
    lines: dict[str, list[int]] = {}
    for path, data in files.items():
        text = data.decode("utf-8")
        assert "\r" not in text, "line numbers are counted by LF"
        rewrite = _declared(plan, text) if path == ONTOLOGY else _Writer(plan, path).run(text)
        kept = [(line, at) for at, line in enumerate(rewrite.split("\n"), 1) if line != _DROPPED]
        end = "\r\n" if crlf else "\n"
        made[plan.paths[path]] = end.join(line for line, _ in kept).encode("utf-8")
        lines[plan.paths[path]] = [at for _, at in kept]
    return Notes(made, lines)


def candidates(plan: Plan, lines: Iterable[Json]) -> list[Json]:
    """Return candidate lines under `plan`."""
    return [{key: _candidate(plan, key, value) for key, value in line.items()} for line in lines]


def _candidate(plan: Plan, key: str, value: object) -> object:
    if key == "path":
        return plan.paths[str(value)]
    if key == "relation":
        return plan.relation(str(value))
    if isinstance(value, list):
        return [plan.text(str(part)) for part in value]
    return plan.text(value) if isinstance(value, str) and key != "confidence" else value


# --- one file ---------------------------------------------------------------------------------

_DROPPED = "\0"
"""Stands for a line that goes."""


class _Writer:
    """Rewrites a file line by line; running text is kept together, for names that wrap."""

    def __init__(self, plan: Plan, path: str) -> None:
        self.plan, self.path = plan, path
        self.out: list[str] = []
        self._head, self._text = "", list[str]()
        self._block: str | None = None

    def run(self, text: str) -> str:
        """Return the new text of the file, with a mark for each line that goes."""
        for line in text.split("\n"):
            self._line(line)
        self._flush()
        return "\n".join(self.out)

    def _line(self, line: str) -> None:
        made = self._structure(line)
        if made is not None:
            self._flush()
            self.out.append(made)
            return
        item = _ITEM.fullmatch(line) if self._block is None else None
        if item is not None or not line.strip() or line.lstrip().startswith("- "):
            self._flush()
        if item is not None:
            self._head = item["bullet"] + self.plan.relation(item["term"]) + item["mark"]
            line = item["text"]
        self._text.append(line)

    def _flush(self) -> None:
        if self._text or self._head:
            self.out.append(self._head + self.plan.prose("\n".join(self._text), self.path))
        self._head, self._text = "", []

    def _structure(self, line: str) -> str | None:
        """Return a line that is no running text, rewritten; None if it is running text."""
        if (begin := _BEGIN.match(line)) is not None:
            self._block = begin["rest"].strip() or begin["name"]
            return line
        if _END.match(line):
            self._block = None
            return line
        if self._block is not None:
            return _plist(self.plan, line) if self._block == "knowledge" else None
        if (heading := _HEADING.fullmatch(line)) is not None:
            title = self.plan.prose(heading["title"], self.path)
            tags = self._tags(heading["tags"] or "")
            return heading["stars"] + (heading["todo"] or "") + title + tags
        if (row := _PROPERTY.fullmatch(line)) is not None:
            return self._property(row)
        if (word := _KEYWORD.fullmatch(line)) is not None:
            return self._keyword(word)
        return None

    def _tags(self, tags: str) -> str:
        return re.sub(r"[^\s:]+", lambda match: self.plan.names.get(match[0], match[0]), tags)

    def _keyword(self, word: re.Match[str]) -> str:
        key, value = word["key"].lower(), word["value"]
        if key == "filetags":
            value = self._tags(value)
        elif key == "title":
            value = self.plan.text(value)
        return word["head"] + value

    def _property(self, row: re.Match[str]) -> str:
        key, value = row["key"], row["value"]
        if key == "ID":
            return _DROPPED
        if key == "FACT":
            value = _plist(self.plan, value)
        elif key == "ARCHIVE_FILE":
            value = self.plan.paths[value]
        else:
            value = self.plan.prose(value, self.path)
        new = self.plan.relation(key)
        return row["head"] + (key if new == key else _as_key(new)) + row["gap"] + value


def _as_key(name: str) -> str:
    """Return a relation's name as the name of a property."""
    return re.sub(r"[\s-]+", "_", name).upper()


def _plist(plan: Plan, line: str) -> str:
    return _PAIR.sub(lambda pair: _pair(plan, pair), line)


def _pair(plan: Plan, pair: re.Match[str]) -> str:
    mark, word = _unquoted(pair["value"])
    made = plan.relation(word) if pair["key"] == "relation" else plan.text(word)
    if mark == ":" and re.search(r'[\s()"]', made):
        mark = '"'
    return f":{pair['key']}{pair['gap']}{mark}{made}{mark if mark == chr(34) else ''}"


def _unquoted(value: str) -> tuple[str, str]:
    if value[0] == '"':
        return '"', value[1:-1]
    return (":", value[1:]) if value[0] == ":" else ("", value)


# --- the ontology -----------------------------------------------------------------------------


def entries(text: str) -> Iterator[tuple[str, str, Mapping[str, Sequence[str]]]]:
    """Yield (kind, name, {PROPERTY: words}) of every heading of an ontology that declares."""
    for chunk in re.split(r"(?m)^(?=\*)", text):
        lines = chunk.split("\n")
        heading = _HEADING.fullmatch(lines[0])
        rows = [row for row in map(_PROPERTY.fullmatch, lines[1:]) if row is not None]
        held = {row["key"]: [_unquoted(w)[1] if w[0] == '"' else w
                             for w in _TOKEN.findall(row["value"])] for row in rows}
        if heading is not None and "KIND" in held:
            yield held["KIND"][0], heading["title"], held


def _declared(plan: Plan, text: str) -> str:
    chunks = re.split(r"(?m)^(?=\*)", text)
    return "".join(_entry(plan, chunk) for chunk in chunks)


def _entry(plan: Plan, chunk: str) -> str:
    kind = next((kind for kind, _, _ in entries(chunk)), None)
    if kind is None:
        return chunk
    first, *rest = chunk.split("\n")
    heading = _HEADING.fullmatch(first)
    assert heading is not None
    title = _named(plan, kind, heading["title"])
    made = [heading["stars"] + (heading["todo"] or "") + title]
    for line in rest:
        row = _PROPERTY.fullmatch(line)
        made.append(line if row is None else _field(plan, kind, row))
    return "\n".join(made)


def _named(plan: Plan, kind: str, name: str) -> str:
    if kind == "relation":
        return plan.relation(name)
    return name if kind == "domain" else plan.names.get(name, name)


def _field(plan: Plan, kind: str, row: re.Match[str]) -> str:
    key = row["key"]
    of = kind if key == "ALIAS" else "class" if key in _CLASSES else "relation"
    if key != "ALIAS" and key not in _CLASSES and key not in _RELATIONS:
        return row[0]

    def word(match: re.Match[str]) -> str:
        text = match[0][1:-1] if match[0][0] == '"' else match[0]
        new = _named(plan, of, text)
        return f'"{new}"' if " " in new else new

    return row["head"] + key + row["gap"] + _TOKEN.sub(word, row["value"])
