"""One item of a model's reply as a candidate: its spellings, its place, its doubts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from neuro.candidates import MAX_LINE, Item, item_of, unwritable
from neuro.findjson import OPERATION, NoJson, Twice
from neuro.hedges import clipped, parted
from symbolic.names import fold, nfc

SYNONYMS: Mapping[str, str] = {
    "subject": "entity", "sub": "entity", "head": "entity",
    "predicate": "relation", "rel": "relation",
    "object": "value", "obj": "value", "tail": "value",
}  # fmt: skip
"""Other spellings of a triple, as models that were trained on triples write it."""

RATIONALE = (
    "rationale", "explanation", "reason", "note", "notes", "comment", "hedge",
)  # fmt: skip
"""Keys whose text goes to the rationale, in this order."""

_PLACE = ("heading", "path", "outline")
_NOTHING = frozenset(("null", "none", "n/a"))


@dataclass(frozen=True, slots=True, kw_only=True)
class BadItem:
    """An item that is none. `number` counts from 1; `reason` is item-N or wrong-id."""

    number: int
    reason: str
    message: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Asked:
    """The heading that was asked, and whether a text names it."""

    key: str
    named: frozenset[str]

    def names(self, place: object) -> bool:
        """Return whether `place` is its key, its ID with or without `id:`, or path::Title/Title.

        With titles alone (`::Title/Title`) the path is any.
        """
        if not isinstance(place, str):
            return False
        said = place.strip()
        mine = {self.key, *self.named}
        if said in mine or any(_id(said) == _id(own) for own in mine if own.startswith("id:")):
            return True
        path, mark, titles = said.partition("::")
        places = (own.partition("::") for own in mine if "::" in own)
        return bool(mark) and any(
            nfc(path) in ("", nfc(own)) and fold(titles) == fold(its) for own, _, its in places
        )


def _id(name: str) -> str:
    return name.removeprefix("id:").lower()


def says(value: Mapping[str, object]) -> bool:
    """Return whether an object states anything: entity, relation or value."""
    parts = ("entity", "relation", "value", *SYNONYMS)
    return any(part in value for part in parts)


def read_item(raw: object, number: int, asked: Asked, model: str | None) -> Item | BadItem:
    """Read item number `number` of a reply about the heading `asked`."""

    def bad(message: str, reason: str | None = None) -> BadItem:
        return BadItem(
            number=number, reason=reason or f"item-{number}", message=f"item {number}: {message}",
            excerpt=shown(raw),
        )  # fmt: skip

    if isinstance(raw, Twice):
        return bad(f"the key '{clipped(raw.key)}' stands twice")
    if not isinstance(raw, dict):
        return bad("no object: {\"entity\": ..., \"relation\": ..., \"value\": ...}")
    wrong = unwritable(raw) or _unfit(raw)
    if wrong is not None:
        return bad(wrong)
    place = _place(raw)
    if place is not None and not asked.names(place):
        return bad(f"it names another heading than the one asked: {spell(place)}", "wrong-id")
    return _candidate(raw, number, asked.key, model)


def _unfit(raw: Mapping[str, object]) -> str | None:
    if not says(raw):
        return "it names neither entity, relation nor value"
    for value in raw.values():
        if isinstance(value, NoJson):
            return f"{value.word} is no JSON value"
    if sum(len(value) for value in raw.values() if isinstance(value, str)) > MAX_LINE:
        return f"longer than {MAX_LINE} characters"
    return None


def _place(raw: Mapping[str, object]) -> object:
    """Return what an item names as its heading, None if it names none."""
    heading, path, outline = (raw.get(key) for key in _PLACE)
    if heading is not None and heading != "":
        return heading
    if not path and not outline:
        return None
    titles = outline if isinstance(outline, list) else [outline or ""]
    return f"{spell(path or '')}::{'/'.join(map(spell, titles))}"


def _candidate(raw: Mapping[str, object], number: int, key: str, model: str | None) -> Item:
    """Return the item in the spelling of a candidate line, its doubts in its rationale."""
    wrong: list[str] = []
    plain: dict[str, object] = {
        name: value for name, value in raw.items()
        if name not in SYNONYMS and name not in RATIONALE and name not in _PLACE
        and name != "negated" and name.strip().casefold() not in OPERATION
    }  # fmt: skip
    for name, meant in SYNONYMS.items():
        if name in raw and plain.setdefault(meant, raw[name]) != raw[name]:
            wrong.append(f"'{meant}' and '{name}' both stand there and differ")
    _negate(raw.get("negated"), plain, wrong)
    for bound in ("valid_from", "valid_to"):
        word = plain.get(bound)
        if isinstance(word, str) and word.strip().casefold() in _NOTHING:
            plain[bound] = None
    doubts = []
    for part in ("entity", "relation", "value"):
        said = plain.get(part)
        if isinstance(said, str):
            plain[part], doubt = parted(said)
            doubts += [] if doubt is None else [f"{part}: {doubt}"]
    reasons = dict.fromkeys([*told(raw, wrong), *doubts])
    plain["rationale"] = "; ".join(reasons) or None
    item = item_of(plain, number, model=model)
    grounding = replace(item.candidate.grounding, heading=key)
    return replace(
        item, candidate=replace(item.candidate, grounding=grounding), wrong=(*item.wrong, *wrong)
    )


def _negate(negated: object, plain: dict[str, object], wrong: list[str]) -> None:
    """Read `negated` into `polarity`."""
    if negated is None:
        return
    words: Mapping[object, bool] = {True: False, False: True, "true": False, "false": True}
    word = negated.strip().casefold() if isinstance(negated, str) else negated
    meant = words.get(word) if isinstance(word, (bool, str)) else None
    if meant is None:
        wrong.append("'negated' is neither true nor false")
    elif plain.get("polarity") is None:
        plain["polarity"] = meant
    else:
        said = item_of({"polarity": plain["polarity"]}, 1).candidate.written.polarity
        if said is not meant:
            wrong.append("'polarity' and 'negated' contradict each other")


def told(raw: Mapping[str, object], wrong: list[str]) -> list[str]:
    """Return what an object says beside its statement."""
    found = []
    for name in RATIONALE:
        said = raw.get(name)
        if isinstance(said, str) and said.strip():
            found.append(said.strip())
        elif isinstance(said, (bool, list, dict, Twice)) and said:
            wrong.append(f"'{name}' is no text")
    return found


def doubted(item: Item, hedges: tuple[str, ...]) -> Item:
    """Return the item with the doubts around it at the end of its rationale."""
    if not hedges:
        return item
    own = item.candidate.rationale
    reasons = dict.fromkeys([*([own] if own else []), *hedges])
    return replace(item, candidate=replace(item.candidate, rationale="; ".join(reasons)))


# --- for people ---------------------------------------------------------------------------------


def spell(value: object) -> str:
    """Return a JSON value in a few words, bounded however deep and long it is."""
    if isinstance(value, str):
        return clipped(value)
    if isinstance(value, (list, dict)):
        return f"[{len(value)} elements]" if isinstance(value, list) else "{...}"
    return clipped(str(value))


def excerpt(text: str) -> str:
    """Return the beginning of `text` as one line of at most 80 characters."""
    line = clipped(text[:400])
    return line if len(line) <= 80 else line[:77] + "..."


def shown(raw: object) -> str:
    """Return an item, or what stands in its place, as one line of at most 80 characters."""
    if not isinstance(raw, dict):
        return excerpt(spell(raw))
    rows = list(raw.items())[:8]
    return excerpt("{" + ", ".join(f"{key[:20]}: {spell(value)[:40]}" for key, value in rows) + "}")
