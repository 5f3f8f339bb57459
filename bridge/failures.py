"""Replies as the journal tells them: what was asked, what could not be read and waits.

A reply that was read leaves `propose` lines, one without a candidate if nothing in it was new; one
that was not leaves `failed` lines. Both carry the text asked about by its hash, so a heading that
moves takes its failures along, and one that is rewritten is simply new.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bridge.decisions import Entry
from symbolic.records import Line, ProseHeading
from symbolic.world import View

Asked = tuple[str, str, str]
"""(text hash, model, prompt version): what is not asked twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """One thing that could not be read. `reason` is DESIGN's word, `message` a sentence."""

    key: str
    text_hash: str
    model: str
    prompt: str
    reason: str
    message: str
    reply: str | None
    attempt: int


@dataclass(frozen=True, slots=True)
class Replies:
    """The fold of all replies: what was asked and answered, and the failures that are open."""

    asked: frozenset[Asked]
    open: tuple[Failed, ...]

    def attempts(self, text_hash: str) -> int:
        """Return how often a text failed since a reply about it was last read."""
        return max((f.attempt for f in self.open if f.text_hash == text_hash), default=0)


def replies(view: View) -> Replies:
    """Fold the journal's `propose` and `failed` lines that count."""
    undone = view.undone()
    return fold(line for line in view.lines() if line.hash not in undone)


def fold(lines: Iterable[Line]) -> Replies:
    """Return what `lines`, in their order, leave open."""
    asked: set[Asked] = set()
    failed: dict[str, list[Failed]] = {}
    for line in lines:
        body = line.body
        if line.kind not in ("propose", "failed"):
            continue
        text, prompt = _text(body.get("text_hash")), _text(body.get("prompt"))
        if line.kind == "failed":
            said = _failed(line)
            before = failed.setdefault(text, [])
            # A retry that fails again says all that is wrong anew.
            if before and before[0].attempt != said.attempt:
                before.clear()
            before.append(said)
            continue
        if not text or not prompt:
            continue  # no reply: candidate lines and sentence patterns
        asked.add((text, _text(body.get("model")), prompt))
        # Good items of a reply do not mend its bad ones; another reply does.
        reply = body.get("reply_digest")
        left = [f for f in failed.pop(text, ()) if reply and f.reply == reply]
        if left:
            failed[text] = left
    return Replies(frozenset(asked), tuple(f for found in failed.values() for f in found))


def _failed(line: Line) -> Failed:
    body = line.body
    attempt = body.get("attempt")
    reply = body.get("reply_digest")
    return Failed(
        key=_text(body.get("key")), text_hash=_text(body.get("text_hash")),
        model=_text(body.get("model")), prompt=_text(body.get("prompt")),
        reason=_text(body.get("reason")), message=_text(body.get("message")),
        reply=reply if isinstance(reply, str) else None,
        attempt=attempt if isinstance(attempt, int) else 1,
    )  # fmt: skip


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def standing(found: Replies, view: View) -> list[tuple[Failed, ProseHeading]]:
    """Return the open failures whose text still stands, each with the heading that holds it now."""
    if not found.open:
        return []
    wanted = {failed.text_hash for failed in found.open}
    by_text = {h.text_hash: h for h in view.headings() if h.text_hash in wanted}
    here = []
    for failed in found.open:
        heading = view.heading(failed.key)
        if heading is None or heading.text_hash != failed.text_hash:
            heading = by_text.get(failed.text_hash)
        if heading is not None:
            here.append((failed, heading))
    return here


def failed_line(failed: Failed) -> Entry:
    """Return the journal line of a failure."""
    return "failed", {
        "key": failed.key, "reason": failed.reason, "reply_digest": failed.reply,
        "attempt": failed.attempt, "model": failed.model, "text_hash": failed.text_hash,
        "prompt": failed.prompt, "message": failed.message,
    }


def read_line(heading: ProseHeading, model: str, prompt: str, reply: str | None) -> Entry:
    """Return the line of a reply that was read and held nothing new."""
    return "propose", {
        "candidate": None, "key": heading.key, "quote": None,
        "evidence_date": heading.evidence_date, "grounding": None, "proposer": "llm-proposed",
        "model": model, "reply_digest": reply, "rationale": None, "confidence": None,
        "proposal": None, "text_hash": heading.text_hash, "prompt": prompt,
    }
