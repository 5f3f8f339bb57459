"""Sync: what changed in the prose and the ontology, taken in; what that owes the journal, written.

::

    files ──memex.sync──► documents ──neuro.extract──► readings ─┐    (rows ► bridge.near)
    ontology.org ──ontology.merge──► declarations ───────────────┼─► store.apply
    system/rules/*.dl ──rules──► rule files ─────────────────────┤        │
    gate tables ──ontology.bootstrap──► rows ────────────────────┘        │
    journal ◄── ontology, gates, anchor, incumbent lines ◄── upkeep ◄─────┘
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bridge.app import LAST_SYNC, App
from bridge.decisions import Body, Entry, written_of
from bridge.devices import redos
from bridge.index import APPLIED, taken
from bridge.records import FileRecord, records_of
from bridge.redact import rewrite
from bridge.report import Report
from bridge.rows import mark_of, rows_of
from bridge.rules import files_digest, rule_files
from bridge.settings import ONTOLOGY
from bridge.vocabulary import unread_patterns
from memex.headings import claims, rekey
from memex.keys import IdClaim, Identities, resolve_ids
from memex.nodes import Document, prose
from memex.problems import Problem, Skipped
from memex.sync import FileChange, KnownFile, Pass, start
from neuro.extract import extract
from ontology.changes import RULES, Snapshot, applied, difference, snapshot
from ontology.changes import Change as Declared
from ontology.merge import load
from symbolic.canon import to_json
from symbolic.journal.disk import replace_file
from symbolic.journal.lines import stamp
from symbolic.records import Declarations, Line, ProseHeading, Reading, RuleFile
from symbolic.rules.program import compile
from symbolic.upkeep import (
    Found,
    Incumbency,
    choices,
    found,
    moved,
    newly_open,
    refused_blocks,
)
from symbolic.world import Change, Conflict

SYSTEM = "system/"
_SINCE = "sync-since"
_SEEN = "sync-seen"
_RULES = "rule-files"
"""Where the store keeps the digest of the rule files that it was given."""
ROUNDS = 4
"""How often upkeep is asked again; the second answer is empty unless lines change keys."""


Progress = Callable[[str], None]


def sync(
    app: App,
    *,
    full: bool = False,
    progress: Progress | None = None,
    also: Collection[str] = (),
) -> Report:
    """Take in what changed. Twice is once: with nothing changed nothing is written.

    The files at the paths `also` are read whether they changed or not: the other index lacks them.
    """
    report = Report()
    with app.writing("sync", person=False), _uncollected():
        again, chains = redos(app)
        if again:
            report.lines += app.append(again)
        conflicts = {conflict.id for conflict in app.view.conflicts()}
        before = _settled(app)
        text, declarations = _declarations(app, report)
        since = _take_in(
            app, report, declarations, text, chains, full=full, progress=progress, also=also
        )
        report.opened = newly_open(app.view, conflicts, since)
        noted = [*_ontology_lines(app, report, declarations), *_gate_lines(app)]
        if noted:
            report.lines += app.append(noted)
        for _ in range(ROUNDS):
            owed = _owed(app, report, since, before)
            if not owed:
                break
            report.lines += app.append(owed)
        app.store.apply(Change(), meta={_SINCE: ""})
        _remember(app, text)
        rewrite(app)
        report.divergences = tuple(one.id for one in app.view.divergences())
        app.keep_declared()
    return report


@contextmanager
def _uncollected() -> Iterator[None]:
    """Put the garbage collector off: it walks all that was read again and again, for a third more.

    What a sync makes holds no cycles, so it goes without a collector.
    """
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def _settled(app: App) -> Found | None:
    """Return where the journal's keys are in the prose that this index holds already.

    None if it holds none, or if a sync before was cut short: then this device's own files are
    compared once with the whole journal.
    """
    if not app.read_in or app.store.meta(_SINCE):
        return None
    return found(app.view)


def _remember(app: App, text: bytes | None) -> None:
    """Keep the ontology file as it was taken in: only a whole sync moves it on."""
    place = app.state / APPLIED
    if text is not None and not (place.exists() and place.read_bytes() == text):
        replace_file(place, text, "sync.applied")


# --- the prose ----------------------------------------------------------------------------------


def _take_in(
    app: App, report: Report, declarations: Declarations, text: bytes | None,
    chains: Mapping[str, str], *, full: bool, progress: Progress | None, also: Collection[str],
) -> str:
    """Apply what changed; return the time before which facts count as standing already."""
    records = records_of(app.store.stats())
    known = {
        path: _forgotten(record.known) if path in also else record.known
        for path, record in records.items()
    }
    begun = time.time_ns()
    under_way = start(
        app.settings.memex, known, last_sync_ns=int(app.store.meta(LAST_SYNC) or 0), full=full
    )
    documents = _documents(under_way, progress)
    _report(report, under_way, len(documents))
    after, documents = _identified(app, report, records, documents, under_way)
    since = app.store.meta(_SINCE) or _moment(app)
    headings: list[ProseHeading] = []
    readings: list[Reading] = []
    stats: dict[str, str] = {}
    for change, document in documents:
        found, said, wrong = _read(document, app.settings.zone)
        rows = rows_of(found, said)
        mark = mark_of(rows)
        if rows:
            report.rows[document.path] = (mark, rows)
        headings += found
        readings += said
        problems = tuple(wrong)
        report.problems += problems
        stats[document.path] = FileRecord(
            known=change.known, claims=tuple(claims(document.nodes)), problems=problems,
            mark=mark,
        ).text()
    for path, stat in under_way.touched:
        record = after[path]
        stats[path] = replace(record, known=replace(record.known, stat=stat)).text()
    paths = (*under_way.removed, *(document.path for _, document in documents))
    rules, mark = _rules(app, report, declarations)
    zone = app.settings.zone
    app.store.apply(
        Change(
            paths=paths, headings=tuple(headings), readings=tuple(readings),
            declarations=declarations if declarations != app.view.declarations else None,
            rows=app.seed.rows, zone=zone if zone != app.view.zone else None, seen_at=since,
            rules=rules,
        ),
        stats=stats,
        meta={
            _SINCE: since, _SEEN: since, LAST_SYNC: str(begun), _RULES: mark, **taken(text),
            **chains,
        },
    )
    return since


def _rules(
    app: App, report: Report, declarations: Declarations
) -> tuple[tuple[RuleFile, ...] | None, str]:
    """Return the rule files, None if they are those that the store has, and their digest."""
    files, unread = rule_files(app.settings.memex)
    report.rules = [*unread, *compile(files, declarations, app.settings.zone).faults]
    mark = files_digest(files)
    return (None if app.store.meta(_RULES) == mark else files), mark


def _forgotten(known: KnownFile) -> KnownFile:
    """Return a record that the file cannot match, so that it is read again."""
    return replace(known, stat=replace(known.stat, mtime_ns=-1, sha256=""))


def _moment(app: App) -> str:
    """Return the record time of what this sync reads: above every line and every sync before.

    With a clock that stands still (`--now`) what was read an hour ago must still be older.
    """
    newest = max(app.store.meta(_SEEN) or "", app.journal.newest)
    now = stamp(app.clock.now().astimezone(UTC))
    if newest < now:
        return now
    return stamp(datetime.fromisoformat(newest) + timedelta(microseconds=1))


def _documents(
    under_way: Pass, progress: Progress | None
) -> list[tuple[FileChange, Document]]:
    found = []
    said = time.monotonic()
    total = len(under_way.found.entries)
    for change in under_way.changes():
        found.append((change, change.document))
        if progress is not None and time.monotonic() - said > 1:
            said = time.monotonic()
            progress(f"read {len(found)} of at most {total} files")
    return found


def _report(report: Report, under_way: Pass, read: int) -> None:
    report.read = read
    report.removed = len(under_way.removed)
    report.unchanged = under_way.unchanged
    report.skipped = sorted(under_way.skipped, key=lambda skip: skip.path)
    documents = {problem for problem in under_way.problems}
    report.problems += [p for p in under_way.found.problems if p in documents]


def _identified(
    app: App, report: Report, records: Mapping[str, FileRecord],
    documents: list[tuple[FileChange, Document]], under_way: Pass,
) -> tuple[dict[str, FileRecord], list[tuple[FileChange, Document]]]:
    """Settle who owns each ID over all files; files that lose or gain one are read again."""
    changed = {document.path for _, document in documents}
    gone = changed | set(under_way.removed)
    after = {path: record for path, record in records.items() if path not in gone}
    before = resolve_ids(_all_claims(records.values()))
    fresh = [claim for _, document in documents for claim in claims(document.nodes)]
    identities = resolve_ids([*_all_claims(after.values()), *fresh])
    report.problems += [p for p in identities.problems if p not in before.problems]
    for path, record in after.items():
        if _differs(record.claims, before, identities):
            again = _again(app, path, record)
            if again is not None:
                documents.append(again)
    return after, [
        (change, replace(document, nodes=rekey(document.nodes, identities)))
        for change, document in documents
    ]


def _all_claims(records: Iterable[FileRecord]) -> list[IdClaim]:
    return [claim for record in records for claim in record.claims]


def _differs(found: Iterable[IdClaim], before: Identities, after: Identities) -> bool:
    return any(
        before.keeps(c.ident, c.path, c.offset) != after.keeps(c.ident, c.path, c.offset)
        for c in found
    )


def _again(app: App, path: str, record: FileRecord) -> tuple[FileChange, Document] | None:
    """Read an unchanged file once more because an ID in it changed hands elsewhere."""
    one = start(app.settings.memex, {})
    one.found.entries = [entry for entry in one.found.entries if entry.path == path]
    change = next(iter(one.changes()), None)
    return None if change is None else (change, change.document)


def _read(document: Document, zone: str) -> tuple[list[ProseHeading], list[Reading], list[Problem]]:
    """Return a file's headings, readings and problems; nothing under system/ is prose."""
    problems = list(document.problems)
    if document.path.startswith(SYSTEM):
        return [], [], problems
    found = extract(document, zone=zone)
    return (
        [prose(node) for node in document.nodes], list(found.readings),
        [*problems, *found.problems],
    )


# --- declarations and gate tables ---------------------------------------------------------------


def _declarations(app: App, report: Report) -> tuple[bytes | None, Declarations]:
    """Return the ontology file's bytes and what it declares; no bytes if it cannot be read."""
    try:
        data = (app.settings.memex / ONTOLOGY).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        data = b""
    except OSError as error:
        # A file that cannot be read declares what it declared before: it is not an empty file.
        report.skipped.append(Skipped(ONTOLOGY, f"cannot be read: {error.strerror}", kept=True))
        return None, app.view.declarations
    parsed = load(data, app.seed.declarations)
    report.declared = [*parsed.problems, *unread_patterns(parsed.declarations)]
    return data, parsed.declarations


def _ontology_lines(app: App, report: Report, declarations: Declarations) -> list[Entry]:
    """Return the difference between the file and the journal's last state, with what it opens.

    Only of what changed in this device's own file since its last sync: what another device noted
    and this file does not say yet is on its way.
    """
    state, now = snapshot(app.seed.declarations), snapshot(declarations)
    undone = app.view.undone()
    for line in app.store.lines_of("ontology"):
        said = str(line.body.get("subject", RULES))
        if line.hash not in undone and not said.startswith(RULES):
            state = applied(state, [_declared(line)])
    own = _own_changes(app, now)
    report.changes = [
        change for change in difference(state, now)
        if own is None or (change.subject, change.field) in own
    ]
    opened = [_opened(conflict, app) for conflict in report.opened]
    return [
        ("ontology", {
            "subject": change.subject, "field": change.field, "before": change.before,
            "after": change.after, "via": "file", "conflicts": opened,
        })
        for change in report.changes
    ]


def _own_changes(app: App, now: Snapshot) -> set[tuple[str, str]] | None:
    """Return the (subject, field) that changed in the file since the last whole sync, if any."""
    try:
        data = (app.state / APPLIED).read_bytes()
    except FileNotFoundError:
        return None
    before = snapshot(load(data, app.seed.declarations).declarations)
    return {(change.subject, change.field) for change in difference(before, now)}


def _declared(line: Line) -> Declared:
    body = line.body
    return Declared(
        subject=str(body["subject"]), field=str(body["field"]),
        before=body["before"], after=body["after"],  # type: ignore[arg-type]  # JSON as written
    )


def _opened(conflict: Conflict, app: App) -> Body:
    members = [fact for fid in conflict.members if (fact := app.view.fact(fid)) is not None]
    return {"id": conflict.id, "members": [to_json(written_of(fact)) for fact in members]}


def _gate_lines(app: App) -> list[Entry]:
    """Note the tables where they are not those that this device, or else the journal, noted last.

    Two devices with different tables would otherwise answer one another for ever.
    """
    noted = [line for line in app.store.lines_of("gates") if line.body]
    own = [line for line in noted if line.dev == app.dev] or noted
    last = str(own[-1].body["hash"]) if own else ""
    return [] if last == app.tables else [("gates", {"hash": app.tables})]


# --- what the journal is owed -------------------------------------------------------------------


def _owed(app: App, report: Report, since: str, before: Found | None) -> list[Entry]:
    entries: list[Entry] = []
    for track in moved(app.view, before):
        report.anchors.append((track.key, track.resolved))
        entries.append(("anchor", {
            "statement": to_json(track.statement), "key": track.key, "new_key": track.resolved,
        }))
    chosen = choices(app.view, since)
    report.blocks += refused_blocks(chosen)
    for choice in chosen:
        entries.append(_incumbent(choice))
        if choice.refused:
            report.incumbents.append((
                choice.conflict.id, choice.kept.fid, tuple(f.fid for f in choice.refused)
            ))
    return entries


def _incumbent(choice: Incumbency) -> Entry:
    return "incumbent", {
        "conflict": choice.conflict.id,
        "kept": to_json(written_of(choice.kept)),
        "refused": [to_json(written_of(fact)) for fact in choice.refused],
    }
