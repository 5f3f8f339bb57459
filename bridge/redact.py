"""Redaction: what a line says is taken out of the journal and of every index, for good."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bridge.app import App
from bridge.human import Done
from bridge.index import catch_up
from bridge.known import Known, known
from symbolic.canon import from_json, sid
from symbolic.errors import Refused, Stale, Usage
from symbolic.grounding import Holder, quote_hash
from symbolic.journal.blank import blank
from symbolic.journal.chain import read_journal
from symbolic.names import digest, quote_form
from symbolic.records import Line
from symbolic.world import View

_KEPT = frozenset(("open", "redact", "undo", "gates", "reconcile"))
"""Kinds that hold no statement and no quote."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A backup that nobody rewrites, and how many of the lines stand in it."""

    file: str
    made: str
    lines: int


@dataclass(frozen=True, slots=True)
class Redaction:
    """Every line with the statement or the quote of one, and the headings that still hold it.

    `bars` are those of the lines whose decision falls with them, `backups` all that are known.
    """

    lines: tuple[Line, ...]
    headings: tuple[str, ...]
    bars: tuple[Line, ...]
    backups: tuple[Copy, ...] = ()

    @property
    def shown(self) -> str:
        """The digest of what a person is shown."""
        return digest("shown", *(line.hash for line in self.lines), "/", *self.headings)[:16]


def copies(app: App, lines: Iterable[Line]) -> tuple[Copy, ...]:
    """Return the backups made here, with how many of `lines` each holds."""
    lines = tuple(lines)
    return tuple(
        Copy(one.file, one.made, sum(_holds(one, line, app.view) for line in lines))
        for one in known(app.state)
    )


def _holds(one: Known, line: Line, view: View) -> bool:
    """Return whether a backup holds a line; one that ends where nobody knows may hold any."""
    head = one.heads.get(line.dev)
    last = None if head is None else view.line(head)
    return head is not None and (last is None or line.seq <= last.seq)


def proposed(view: View, named: str) -> Redaction:
    """Return what redacting the event whose hash starts with `named` takes along. Raises Usage."""
    found = [line for line in view.lines() if line.hash.startswith(named)]
    if len(found) != 1 or len(named) < 6:
        raise Usage(f"there is no event {named}: decisions print theirs, `pp why` names them")
    line = found[0]
    if line.kind in _KEPT:
        raise Refused(f"{line.hash[:12]} is a '{line.kind}' line: there is no text in it to redact")
    if not line.body:
        raise Stale(f"{line.hash[:12]} is redacted already")
    marks = set(_marks(line.body))
    lines = [one for one in view.lines() if one.hash == line.hash or marks & set(_marks(one.body))]
    quotes = {text for one in lines for text in _quotes(one.body)}
    headings = tuple(
        heading.key for heading in view.headings()
        if any(Holder(heading.text).holds(quote) for quote in quotes)
    )
    bars = tuple(one for one in lines if one.kind in ("reject", "retract"))
    return Redaction(tuple(lines), headings, bars)


def redact(app: App, named: str, shown: str, reason: str | None) -> Done:
    """Void the lines that `proposed` names, wipe them here, rewrite the chains of this machine.

    Called inside `App.writing(person=True)`. Raises Stale if it is not what was shown.
    """
    found = proposed(app.view, named)
    if found.shown != shown:
        raise Stale(f"it is not what was shown: look again with `pp redact {named}`")
    events = [line.hash for line in found.lines]
    lines = app.append([("redact", {"events": events, "reason": reason})])
    rewrite(app)
    return Done(tuple(line.hash for line in lines), None, "redacted")


def rewrite(app: App, gone: str | None = None) -> list[str]:
    """Blank what is void in the chains of this machine, and of `gone`; return the files rewritten.

    Nothing may be appended in the same context afterwards. Raises Usage if `gone` has no chain.
    """
    void = app.store.void()
    mine = set(_former(app)) if void else set[str]()
    if gone is not None:
        if gone not in app.store.tips():
            raise Usage(f"there is no chain of device {gone}: `pp status --json` lists them")
        mine.add(gone)
    done = [
        path for dev in sorted(mine) if dev in void
        for path in blank(app.settings.journal, dev, void[dev])
    ]
    if done:
        journal = read_journal(app.settings.journal)
        catch_up(app.store, journal.lines, dict(journal.marks), whole=True)
    return [f"{path.parent.name}/{path.name}" for path in done]


def _former(app: App) -> Iterator[str]:
    """Yield this device and those that this machine was before."""
    was = {line.dev: line.body.get("was") for line in app.store.lines_of("open")
           if line.body and line.body.get("was")}
    dev, known = app.dev, set[str]()
    while dev is not None and dev not in known:
        yield dev
        known.add(dev)
        before = was.get(dev)
        dev = str(before["dev"]) if isinstance(before, Mapping) else None


def _marks(value: object) -> Iterator[str]:
    """Yield what a body can be found by: its statements and the hashes of its quotes."""
    if isinstance(value, Mapping):
        if all(isinstance(value.get(part), str) for part in ("entity", "relation", "value")):
            yield f"sid {sid(from_json(value))}"
        for name, part in value.items():
            if name == "quote" and isinstance(part, str) and quote_form(part):
                yield f"quote {quote_hash(part)}"
            elif name == "quote_hash":
                for mark in _texts(part):
                    yield f"quote {mark}"
            else:
                yield from _marks(part)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _marks(item)


def _texts(value: object) -> Iterable[str]:
    items = value if isinstance(value, (list, tuple)) else (value,)
    return [item for item in items if isinstance(item, str) and item]


def _quotes(body: Mapping[str, object]) -> Iterator[str]:
    for name in ("quote", "new"):
        part = body.get(name)
        if isinstance(part, str) and quote_form(part):
            yield part
        elif isinstance(part, Mapping):
            yield from _quotes(part)
