"""`pp sync`: read what changed."""

from __future__ import annotations

import click

from bridge.cli.common import common, fail, opened, put, put_json, say
from bridge.devices import broken
from bridge.near import NearReport, sync_all
from bridge.report import Report, report_json
from bridge.rules import told
from bridge.settings import Settings
from symbolic.digest import digest_d
from symbolic.records import Standing
from symbolic.world import View


@click.command(name="sync")
@click.option("--full", is_flag=True, help="Hash every file, whatever its times say.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document, with the digest.")
@common
def command(settings: Settings, full: bool, as_json: bool) -> None:
    """Read changed files, the ontology, the rules and the journal. Your files are only read.

    Exit 1 if something needs your eye: a line that does not read, an ID that stands twice, a block
    of yours that an exclusive fact keeps out, a rule file that does not run, devices that decided
    differently. Vectors that cannot be made now are no such thing: they stay pending, and the next
    sync tries again.
    """
    with opened(settings, to_read=True) as app:
        report, near = sync_all(app, full=full, progress=say)
        if as_json:
            standing = sum(1 for f in app.view.facts() if f.standing is Standing.STANDING)
            put_json({
                **report_json(report),
                "facts": {"standing": standing},
                "digest": digest_d(app.view, app.header()),
                "near": near.json(),
            })
        else:
            _print(report, app.view)
            _print_near(near)
        wrong = bool(broken(app.journal))
    if report.findings or wrong:
        fail(1)


def _print(report: Report, view: View) -> None:
    put(f"read {report.read}, gone {report.removed}, unchanged {report.unchanged}, "
        f"skipped {len(report.skipped)}")
    for skip in report.skipped:
        say(f"skipped {skip.path}: {skip.reason}")
    for problem in report.problems:
        say(f"{problem.path}:{problem.line}: {problem.message}\n"
            f"    {problem.excerpt}\n    {problem.remedy}")
    for declared in report.declared:
        mark = "note: " if declared.notice else ""
        say(f"{declared.file}:{declared.line}: {mark}{declared.message}\n"
            f"    {declared.excerpt}\n    {declared.remedy}")
    for fault in report.rules:
        say(told(fault))
    _print_ontology(report)
    for conflict in report.opened:
        put(f"conflict opened: {conflict.id} ({conflict.constraint}); see pp contradictions")
    for key, new in report.anchors:
        put(f"moved: {key} -> {new}" if new else f"lost: {key}")
    for name in report.divergences:
        put(f"devices decided differently: {name}; see pp reconcile")
    for _, kept, refused in report.incumbents:
        _print_refused(kept, refused, view)


def _print_near(near: NearReport) -> None:
    """Vectors are worth a word where some were made or are missing."""
    for warning in near.warnings:
        say(warning)
    if near.made or near.pending:
        put(f"vectors: {near.made} made by {near.model}, {near.pending} pending")
    for reason, count in sorted(near.held.items()):
        say(f"{count} pending: {reason}")


def _print_ontology(report: Report) -> None:
    """A few changes are worth a line each; a whole new file is worth one."""
    if len(report.changes) > 10:
        words = len({change.subject for change in report.changes})
        put(f"ontology: {words} words declared or changed; --json lists every field")
        return
    for change in report.changes:
        put(f"ontology {change.subject} {change.field}: {change.before} -> {change.after}")


def _print_refused(kept: str, refused: tuple[str, ...], view: View) -> None:
    from bridge.render import fact_place, fact_text  # only when there is a refusal to show

    winner = view.fact(kept)
    for fid in refused:
        loser = view.fact(fid)
        if winner is not None and loser is not None:
            put(f"refused {fact_text(loser)} ({fact_place(view, loser)})\n"
                f"   keeps {fact_text(winner)} ({fact_place(view, winner)}); "
                f"pp supersede or pp retract resolves it")
