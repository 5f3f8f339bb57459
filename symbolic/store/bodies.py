"""What one journal line says, read from its body: pure, and tolerant of what does not read.

A line that counts yields `Deeds`: the statements it asserts, the keys it tracks, what it bars,
closes, refuses and settles. A part of a body that does not read says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from symbolic.canon import from_json
from symbolic.grounding import quote_hash
from symbolic.names import quote_form
from symbolic.records import HEADING_SUBJECT, Line, Provenance, Written

Ref = Written | str
"""A fact named by its statement or by its fid."""

Body = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A statement with the place a line gives it. Roles: admit, bar, propose, track."""

    role: str
    written: Written | None
    key: str | None = None
    quote_hash: str = ""
    text_hash: str = ""
    scope: str = "source"
    subject: bool = False
    extra: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a line asserts. `place` is the index of its mention; None for a declare."""

    written: Written
    place: int | None = None
    key: str | None = None
    quote: str | None = None
    provenance: str = Provenance.HUMAN.value
    evidence_date: str | None = None
    rule: str | None = None
    min_sources: int = 1


@dataclass(slots=True)
class Deeds:
    """All that one line does."""

    mentions: list[Mention] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    anchors: list[tuple[Written, str, str | None]] = field(default_factory=list)
    closings: list[tuple[Written, Written, str]] = field(default_factory=list)
    kept: list[Ref] = field(default_factory=list)
    refused: list[Ref] = field(default_factory=list)
    settles: list[tuple[str, list[Written]]] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)


def hash_of(quote: str | None) -> str:
    """Return the hash of a quote, "" where there is none."""
    return quote_hash(quote) if quote and not quote.isspace() else ""


def quotes(line: Line) -> Iterator[str]:
    """Return the quotes that a line carries as text."""
    bodies: list[object] = [line.body] if line.kind in ("admit", "propose") else []
    if line.kind == "supersede":
        bodies.append(line.body.get("new"))
    for body in bodies:
        quote = _text(body, "quote") if isinstance(body, Mapping) else None
        if quote and quote_form(quote):
            yield quote


def read(line: Line) -> Deeds:
    """Return what `line` does if it counts."""
    deeds = Deeds()
    reader = _READERS.get(line.kind)
    if reader is not None:
        reader(line.body, deeds)
    return deeds


def written_of(value: object) -> Written | None:
    """Return the statement in a JSON value, None if it is none; it may be wrapped."""
    if not isinstance(value, Mapping):
        return None
    inner = value.get("statement")
    body = inner if isinstance(inner, Mapping) else value
    if not all(isinstance(body.get(part), str) for part in ("entity", "relation", "value")):
        return None
    return from_json(body)


def ref_of(value: object) -> Ref | None:
    """Return the fact that a JSON value names, None if it names none."""
    return value if isinstance(value, str) else written_of(value)


def _text(body: Body, name: str) -> str | None:
    value = body.get(name)
    return value if isinstance(value, str) else None


def _list(body: Body, name: str) -> Sequence[object]:
    value = body.get(name)
    return value if isinstance(value, (list, tuple)) else ()


def _places(body: Body) -> Iterator[tuple[str, str, str]]:
    """Return the parallel (key, quote hash, text hash) of a suppression."""
    lists = [_list(body, name) for name in ("keys", "quote_hash", "text_hash")]
    for at, key in enumerate(lists[0]):
        if isinstance(key, str):
            found = [str(row[at] or "") if at < len(row) else "" for row in lists[1:]]
            yield key, found[0], found[1]


def _take(body: Body, deeds: Deeds) -> None:
    proposal = _text(body, "proposal")
    if proposal is not None:
        deeds.taken.append(proposal)


_PROVENANCES = frozenset(provenance.value for provenance in Provenance)


def _admit(body: Body, deeds: Deeds, written: Written | None = None) -> None:
    _take(body, deeds)
    written = written or written_of(body.get("statement"))
    if written is None:
        return
    key, quote = _text(body, "key"), _text(body, "quote")
    deeds.mentions.append(
        Mention(
            role="admit", written=written, key=key, quote_hash=hash_of(quote),
            text_hash=_text(body, "text_hash") or "",
        )
    )  # fmt: skip
    provenance = _text(body, "provenance")
    least = body.get("min_sources")
    deeds.said.append(
        Said(
            written=written, place=len(deeds.mentions) - 1, key=key, quote=quote,
            provenance=provenance if provenance in _PROVENANCES else Provenance.PROPOSED.value,
            evidence_date=_text(body, "evidence_date"), rule=_text(body, "rule"),
            min_sources=least if isinstance(least, int) else 1,
        )
    )  # fmt: skip


def _declare(body: Body, deeds: Deeds) -> None:
    _take(body, deeds)
    written = written_of(body.get("statement"))
    if written is not None:
        deeds.said.append(Said(written=written))


def _propose(body: Body, deeds: Deeds) -> None:
    candidate, proposal = body.get("candidate"), _text(body, "proposal")
    if not isinstance(candidate, Mapping) or proposal is None:
        return
    deeds.mentions.append(
        Mention(
            role="propose", written=written_of(candidate), key=_text(body, "key"),
            quote_hash=hash_of(_text(body, "quote")), text_hash=_text(body, "text_hash") or "",
            extra=proposal,
        )
    )  # fmt: skip


def _reject(body: Body, deeds: Deeds) -> None:
    written = written_of(body.get("statement"))
    if written is None:
        return
    deeds.mentions.append(
        Mention(
            role="bar", written=written, key=_text(body, "key") or "*",
            quote_hash=_text(body, "quote_hash") or "", text_hash=_text(body, "text_hash") or "",
            scope=_text(body, "scope") or "source", extra=_text(body, "reason"),
        )
    )  # fmt: skip


def _suppress(body: Body, written: Written | None, role: str, deeds: Deeds) -> None:
    if written is None:
        return
    subject = _text(body, "subject") == HEADING_SUBJECT
    for key, quote, text in _places(body):
        deeds.mentions.append(
            Mention(
                role=role, written=written, key=key, quote_hash=quote, text_hash=text,
                subject=subject, extra=_text(body, "reason"),
            )
        )  # fmt: skip


def _retract(body: Body, deeds: Deeds) -> None:
    _suppress(body, written_of(body.get("statement")), "bar", deeds)


def _supersede(body: Body, deeds: Deeds) -> None:
    old, from_ = written_of(body.get("old")), _text(body, "from")
    _suppress(body, old, "track" if from_ else "bar", deeds)
    new = body.get("new")
    said = written_of(new)
    if not isinstance(new, Mapping) or said is None:
        return
    if "quote" in new or "provenance" in new:
        _admit(new, deeds, said)
    else:
        _take(new, deeds)
        deeds.said.append(Said(written=said))
    if old is not None and from_:
        deeds.closings.append((old, said, from_))


def _settle(body: Body, deeds: Deeds) -> None:
    members = [(written_of(member), member) for member in _list(body, "members")]
    conflict = _text(body, "conflict")
    if conflict is not None:
        deeds.settles.append((conflict, [said for said, _ in members if said is not None]))
    kept = ref_of(body.get("kept")) if _text(body, "choice") == "keep" else None
    if kept is not None:
        deeds.kept.append(kept)
    for said, member in members:
        if isinstance(member, Mapping):
            _suppress(member, said, "bar" if kept is not None else "track", deeds)


def _incumbent(body: Body, deeds: Deeds) -> None:
    kept = ref_of(body.get("kept"))
    if kept is not None:
        deeds.kept.append(kept)
        deeds.refused.extend(
            ref for item in _list(body, "refused") if (ref := ref_of(item)) is not None
        )


def _anchor(body: Body, deeds: Deeds) -> None:
    written, key = written_of(body.get("statement")), _text(body, "key")
    if written is not None and key is not None:
        deeds.anchors.append((written, key, _text(body, "new_key")))


def _refuse(body: Body, deeds: Deeds) -> None:
    proposal = _text(body, "proposal")
    if proposal is not None:
        deeds.verdicts.append(proposal)


_READERS = {
    "admit": _admit,
    "declare": _declare,
    "propose": _propose,
    "reject": _reject,
    "retract": _retract,
    "supersede": _supersede,
    "settle": _settle,
    "incumbent": _incumbent,
    "anchor": _anchor,
    "refuse": _refuse,
}
