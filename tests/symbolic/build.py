"""Headings, readings and journal lines built by hand, without Org and without a journal file.

`World` collects them and turns them into Inputs' parts or Changes; hashes are well formed and
follow from the contents, so the same call gives the same line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symbolic.canon import to_json
from symbolic.grounding import quote_hash
from symbolic.names import digest
from symbolic.records import (
    Declarations,
    Line,
    ProseHeading,
    Provenance,
    Reading,
    RelationDecl,
    Written,
)

DEV = "0123456789ab"
ZEROS = "0" * 64


def says(entity: str, relation: str, value: str, **parts: Any) -> Written:
    """Return a statement as written; `parts` are the other fields of Written."""
    return Written(entity=entity, relation=relation, value=value, **parts)


def heading(
    title: str,
    body: str = "",
    *,
    path: str = "a.org",
    offset: int = 0,
    ident: str | None = None,
    date: str | None = None,
    agent: bool = False,
    key: str | None = None,
) -> ProseHeading:
    """Return a heading whose text is its heading line and `body`."""
    text = f"* {title}\n{body}\n"
    return ProseHeading(
        key=key or (f"id:{ident}" if ident else f"{path}#{title}#1"),
        ident=ident,
        path=path,
        outline=(title,),
        nth=1,
        title=title,
        line=offset + 1,
        offset=offset,
        text=text,
        text_hash=digest("text", text),
        body_hash=digest("body", body),
        evidence_date=date,
        agent=agent,
    )


def reading(
    at: ProseHeading,
    written: Written,
    quote: str | None = None,
    *,
    provenance: Provenance = Provenance.EXTRACTED,
    start: int = 0,
) -> Reading:
    """Return a reading that stands in heading `at`; its quote is the heading line if not given."""
    said = f"* {at.title}" if quote is None else quote
    return Reading(
        heading=at.key, written=written, quote=said, start=start, end=start + len(said),
        provenance=provenance,
    )  # fmt: skip


def line(
    kind: str,
    body: Mapping[str, Any],
    at: int = 1,
    *,
    by: str = "person:ada",
    dev: str = DEV,
    seq: int | None = None,
) -> Line:
    """Return a journal line of `kind`, `at` microseconds into the history."""
    stamp = f"2026-01-01T00:00:{at // 1_000_000:02d}.{at % 1_000_000:06d}Z"
    number = at if seq is None else seq
    return Line(
        dev=dev, run="0" * 16, seq=number, at=stamp, seen={}, by=by, kind=kind, body=dict(body),
        hash=digest("line", kind, repr(sorted(body.items())), stamp, dev, str(number)), prev=ZEROS,
    )  # fmt: skip


def mark(quote: str | None) -> str:
    """Return the hash of a quote, "" for none."""
    return quote_hash(quote) if quote else ""


def admit(
    written: Written,
    key: str | None,
    quote: str | None,
    at: int = 1,
    *,
    provenance: str = "llm-proposed",
    date: str | None = None,
    **more: Any,
) -> Line:
    """Return an admit line."""
    body = {
        "statement": to_json(written), "key": key, "quote": quote, "provenance": provenance,
        "evidence_date": date, "min_sources": 1, "shown": None, "outcome": "admitted",
        "conflicts": [],
    }  # fmt: skip
    return line("admit", body, at, **more)


def propose(
    written: Written | None, key: str | None, quote: str | None, at: int = 1, **more: Any
) -> Line:
    """Return a propose line; its id follows from statement, key and quote."""
    candidate = None if written is None else to_json(written)
    body = {
        "candidate": candidate, "key": key, "quote": quote, "evidence_date": None,
        "grounding": None, "proposer": "llm-proposed", "model": None, "reply_digest": None,
        "rationale": None, "confidence": "0.5",
        "proposal": digest("proposal", repr(candidate), key or "", mark(quote))[:32],
    }  # fmt: skip
    return line("propose", body, at, by="program:propose", **more)


def refuse(
    proposal: str, outcome: str, blockers: Sequence[str] = (), at: int = 1, **more: Any
) -> Line:
    """Return a refuse line of a proposal id."""
    body = {
        "proposal": proposal, "outcome": outcome, "reasons": ["because"],
        "blockers": list(blockers),
    }  # fmt: skip
    return line("refuse", body, at, by="program:propose", **more)


def reject(
    written: Written,
    key: str | None,
    quote: str | None = None,
    at: int = 1,
    *,
    scope: str = "source",
    text_hash: str = "",
    **more: Any,
) -> Line:
    """Return a reject line."""
    body = {
        "statement": to_json(written), "key": key, "quote_hash": mark(quote),
        "text_hash": text_hash, "scope": scope, "reason": None, "shown": None,
    }  # fmt: skip
    return line("reject", body, at, **more)


def declare(written: Written, at: int = 1, **more: Any) -> Line:
    """Return a declare line."""
    return line("declare", {"statement": to_json(written)}, at, **more)


def retract(
    written: Written,
    keys: Sequence[str],
    quotes: Sequence[str | None] = (),
    at: int = 1,
    *,
    subject: str | None = None,
    text_hashes: Sequence[str] = (),
    **more: Any,
) -> Line:
    """Return a retract line of `keys`; quotes and text hashes are parallel to them."""
    body = {
        "statement": to_json(written), "reason": None, "subject": subject,
        **places(keys, quotes, text_hashes),
    }  # fmt: skip
    return line("retract", body, at, **more)


def places(
    keys: Sequence[str], quotes: Sequence[str | None] = (), texts: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the parallel lists of a suppression."""
    return {
        "keys": list(keys),
        "quote_hash": [mark(quotes[i]) if i < len(quotes) else "" for i in range(len(keys))],
        "text_hash": [texts[i] if i < len(texts) else "" for i in range(len(keys))],
    }


def supersede(
    old: Written,
    new: Written,
    at: int = 1,
    *,
    keys: Sequence[str] = ("*",),
    quotes: Sequence[str | None] = (),
    from_: str | None = None,
    key: str | None = None,
    quote: str | None = None,
    **more: Any,
) -> Line:
    """Return a supersede line whose NEW is an admit where `key` is given, else a declare."""
    made: Mapping[str, Any] = (
        {"statement": to_json(new)} if key is None else admit(new, key, quote).body
    )
    body = {"old": to_json(old), "new": dict(made), "from": from_, **places(keys, quotes)}
    return line("supersede", body, at, **more)


def settle(
    conflict: str,
    members: Sequence[tuple[Written, Sequence[str]]],
    at: int = 1,
    *,
    kept: str | None = None,
    **more: Any,
) -> Line:
    """Return a settle line: `keep` where a fid is kept, else `both`."""
    body = {
        "conflict": conflict, "choice": "keep" if kept else "both", "kept": kept,
        "members": [{"statement": to_json(w), **places(keys)} for w, keys in members],
    }  # fmt: skip
    return line("settle", body, at, **more)


def incumbent(
    conflict: str, kept: Written, refused: Sequence[Written], at: int = 1, **more: Any
) -> Line:
    """Return an incumbent line."""
    body = {
        "conflict": conflict, "kept": to_json(kept), "refused": [to_json(w) for w in refused],
    }  # fmt: skip
    return line("incumbent", body, at, by="program:sync", **more)


def anchor(
    written: Written, key: str, new_key: str | None, at: int = 1, **more: Any
) -> Line:
    """Return an anchor line."""
    body = {"statement": to_json(written), "key": key, "new_key": new_key}
    return line("anchor", body, at, by="program:sync", **more)


def undo(event: str, at: int = 1, **more: Any) -> Line:
    """Return an undo line."""
    return line("undo", {"event": event}, at, **more)


def relations(*decls: RelationDecl, **more: Any) -> Declarations:
    """Return declarations of these relations; `more` are other fields of Declarations."""
    return Declarations(relations={decl.name: decl for decl in decls}, **more)


def relation(name: str, **more: Any) -> RelationDecl:
    """Return the declaration of a relation."""
    return RelationDecl(name=name, written=name, **more)
