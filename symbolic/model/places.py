"""Where the keys that stand in the journal are found today: docs/fold.md section 2."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memex.keys import parse_path_key
from symbolic.canon import from_json, sid
from symbolic.grounding import Holder, quote_hash
from symbolic.records import Line, ProseHeading, Reading, Written
from symbolic.world import Track

JOURNAL_KEY = "*"


@dataclass(frozen=True, slots=True)
class Tracked:
    """One (statement, key) of a journal line, with what it can be found by."""

    written: Written
    key: str
    quote_hash: str
    text_hash: str


def body_of(value: object) -> Mapping[str, object]:
    """Return a JSON object of a journal body; {} for anything else."""
    return value if isinstance(value, Mapping) else {}


def text_of(body: Mapping[str, object], field: str) -> str | None:
    """Return a text field of a body, None where it is missing."""
    value = body.get(field)
    return None if value is None else str(value)


def quote_of(body: Mapping[str, object]) -> str | None:
    """Return the quote of a body, None where it is missing or blank."""
    quote = text_of(body, "quote")
    return quote if quote and quote.strip() else None


def texts_of(body: Mapping[str, object], field: str) -> list[str]:
    """Return a list-of-text field of a body, [] where it is missing."""
    value = body.get(field)
    return [str(item) for item in value] if isinstance(value, (list, tuple)) else []


def parallel(body: Mapping[str, object]) -> Iterator[tuple[str, str, str]]:
    """Yield the (key, quote hash, text hash) of a retract-like body."""
    yield from zip(
        texts_of(body, "keys"), texts_of(body, "quote_hash"), texts_of(body, "text_hash"),
        strict=True,
    )


def tracked_of(line: Line) -> Iterator[Tracked]:
    """Yield what a journal line asks to be found again."""
    body = line.body
    if line.kind in ("admit", "propose"):
        yield from _quoted(body, "candidate" if line.kind == "propose" else "statement")
    elif line.kind == "reject":
        yield Tracked(
            from_json(body_of(body["statement"])), str(body["key"]),
            text_of(body, "quote_hash") or "", text_of(body, "text_hash") or "",
        )
    elif line.kind == "retract":
        yield from _listed(body, "statement")
    elif line.kind == "supersede":
        yield from _listed(body, "old")
        yield from _quoted(body_of(body["new"]), "statement")
    elif line.kind == "settle":
        members = body.get("members")
        for member in members if isinstance(members, (list, tuple)) else ():
            yield from _listed(body_of(member), "statement")


def _quoted(body: Mapping[str, object], field: str) -> Iterator[Tracked]:
    written, key, quote = body.get(field), text_of(body, "key"), quote_of(body)
    if isinstance(written, Mapping) and key is not None:
        yield Tracked(from_json(written), key, quote_hash(quote) if quote else "", "")


def _listed(body: Mapping[str, object], field: str) -> Iterator[Tracked]:
    written = from_json(body_of(body[field]))
    for key, quoted, text in parallel(body):
        yield Tracked(written, key, quoted, text)


class Places:
    """Finds keys in today's prose."""

    def __init__(
        self,
        headings: Iterable[ProseHeading],
        readings: Iterable[Reading],
        lines: Iterable[Line],
        counting: Iterable[Line],
    ) -> None:
        self.headings = {heading.key: heading for heading in headings}
        self._holders = {
            key: Holder(heading.text)
            for key, heading in self.headings.items() if not heading.agent
        }
        self._twins: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
        for key, heading in self.headings.items():
            self._twins[heading.path, heading.outline].append(key)
        self._quoted_at: dict[str, set[str]] = defaultdict(set)
        self._quotes: dict[str, str] = {}
        for reading in readings:
            self._quotes[quote_hash(reading.quote)] = reading.quote
            if not self.headings[reading.heading].agent:
                self._quoted_at[quote_hash(reading.quote)].add(reading.heading)
        for line in lines:
            body = body_of(line.body["new"]) if line.kind == "supersede" else line.body
            quote = quote_of(body)
            if line.kind in ("admit", "propose", "supersede") and quote:
                self._quotes[quote_hash(quote)] = quote
        self._anchors: dict[tuple[str, str], str | None] = {}
        self._all: list[Tracked] = []
        for line in counting:
            if line.kind == "anchor":
                where = (sid(from_json(body_of(line.body["statement"]))), str(line.body["key"]))
                self._anchors[where] = text_of(line.body, "new_key")
            else:
                self._all.extend(t for t in tracked_of(line) if t.key != JOURNAL_KEY)

    def anchored(self, written: Written, key: str) -> str | None:
        """Return where the journal's anchors say the key is, the key itself without one."""
        return self._anchors.get((sid(written), key), key)

    def holds(self, key: str, quoted: str) -> bool:
        """Return whether the heading `key` holds the quote with hash `quoted`."""
        quote = self._quotes.get(quoted)
        if quote is None:
            return key in self._quoted_at[quoted]
        return self.holds_text(key, quote)

    def holds_text(self, key: str, quote: str) -> bool:
        """Return whether the heading `key` holds `quote`."""
        return key in self._holders and self._holders[key].holds(quote)

    def resolve(self, tracked: Tracked) -> str | None:
        """Return today's key of the heading that `tracked` means, None if it is lost."""
        if tracked.key == JOURNAL_KEY:
            return None
        for key in (self.anchored(tracked.written, tracked.key), tracked.key):
            found = self._at(key, tracked) if key is not None else None
            if found is not None:
                return found
        if tracked.quote_hash:
            holding = [key for key in self._holders if self.holds(key, tracked.quote_hash)]
            if len(holding) == 1:
                return holding[0]
        if tracked.text_hash:
            same = [k for k, h in self.headings.items() if h.body_hash == tracked.text_hash]
            if len(same) == 1:
                return same[0]
        return None

    def _at(self, key: str, tracked: Tracked) -> str | None:
        """Return the heading that a key means by its ID, or by path and outline."""
        if key.startswith("id:"):
            return key if key in self.headings else None
        parts = parse_path_key(key)
        twins = self._twins.get((parts.path, parts.outline), []) if parts else []
        standing = [twin for twin in twins if self._stands(twin, tracked)]
        same = [
            twin for twin in standing
            if tracked.text_hash and self.headings[twin].body_hash == tracked.text_hash
        ]
        if len(same) == 1:
            return same[0]
        if key in standing:
            return key
        return standing[0] if len(standing) == 1 else None

    def _stands(self, key: str, tracked: Tracked) -> bool:
        if tracked.quote_hash and self.holds(key, tracked.quote_hash):
            return True
        if tracked.text_hash:
            known = tracked.quote_hash in self._quotes
            same = self.headings[key].body_hash == tracked.text_hash
            return same and not (tracked.quote_hash and known)
        return not tracked.quote_hash

    def tracks(self) -> tuple[Track, ...]:
        """Return each tracked (statement, key) once, resolved as its last line resolves."""
        last: dict[tuple[str, str], Tracked] = {}
        for tracked in self._all:
            last[sid(tracked.written), tracked.key] = tracked
        return tuple(
            Track(
                statement=tracked.written,
                key=tracked.key,
                anchored=self.anchored(tracked.written, tracked.key),
                resolved=self.resolve(tracked),
            )
            for _, tracked in sorted(last.items())
        )
