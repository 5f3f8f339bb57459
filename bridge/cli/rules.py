"""`pp rules`: rule files; what runs, what is wrong with them, and what may feed gates."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from bridge.cli.common import common, fail, opened, put, put_json, say
from bridge.cli.decided import show
from bridge.rules import FOLDER, approve, check, listed, shown_digest, told
from bridge.settings import Settings
from symbolic.errors import Usage
from symbolic.rules.faults import Fault
from symbolic.rules.printing import clause_text
from symbolic.rules.syntax import Rule
from symbolic.rules.words import RULES_MAX_DERIVED

WORD = {"approved": "approved", "changed": "changed since approved", "none": "not approved"}


@click.group(name="rules")
def command() -> None:
    """Rules in system/rules/*.dl: what follows from what. Queries use every file that reads.

    \b
    Example: system/rules/family.dl
      % name: grandparents
      grandparent(X, Z) <= parent(X, Y) & parent(Y, Z).
    """


@command.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def list_(settings: Settings, as_json: bool) -> None:
    """List the files with their rules, and those that declarations stand for. Exit 1 on faults."""
    with opened(settings, reading=True) as app:
        files, unread, program = listed(app.view, settings.memex)
    shipped = [rule for rule in program.rules if not rule.place.file]
    faults = [*unread, *(fault for one in files for fault in one.faults)]
    if as_json:
        put_json({
            "schema": "pp.rules/1",
            "files": [{
                "file": one.file.name, "domain": one.parsed.domain, "shown": shown_digest(one.file),
                "approval": one.approval, "runs": bool(one.rules) or not one.faults,
                "rules": [_rule(rule) for rule in one.rules],
                "faults": [_fault(fault) for fault in one.faults],
            } for one in files],
            "unread": [_fault(fault) for fault in unread],
            "shipped": [_rule(rule) for rule in shipped],
        })
    else:
        _table(
            ("file", "rules", "gates", "shown"),
            [(one.file.name, str(len(one.rules)) if one.rules or not one.faults else "do not run",
              WORD[one.approval], shown_digest(one.file)) for one in files],
        )
        _table(
            ("rule", "where", "text"),
            [(rule.name, f"{rule.place.file}:{rule.place.line}" if rule.place.file else "shipped",
              clause_text(rule.head, rule.body))
             for rule in (*(r for one in files for r in one.rules), *shipped)],
        )
        for fault in faults:
            say(told(fault))
    if faults:
        fail(1)


@command.command(name="check", epilog="Example: pp rules check family.dl")
@click.argument("file", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def check_(settings: Settings, file: str | None, as_json: bool) -> None:
    """Check rule files: what reads, what is safe, what is circular, and how much may follow.

    Exit 1 if something needs your eye. The estimate is made from counts, before anything is
    derived; a component of rules that derives more than a million facts is given up.
    """
    with opened(settings, reading=True) as app:
        found = check(app.view, settings.memex, file)
    if as_json:
        put_json({
            "schema": "pp.rules-check/1", "max_derived": RULES_MAX_DERIVED,
            "faults": [_fault(fault) for fault in found.faults],
            "findings": [_fault(fault) for fault in found.findings],
            "estimates": [{
                "rule": one.rule.name, "rows": one.rows, "component": one.component,
                "recursive": one.recursive, "over": one.over,
            } for one in found.estimates],
        })
    else:
        for fault in (*found.faults, *found.findings):
            say(told(fault))
        _table(
            ("rule", "may derive", "its component", ""),
            [(one.rule.name, str(one.rows), str(one.component),
              "more than is allowed" if one.over else "")
             for one in found.estimates if one.rule.place.file or one.over],
        )
        for one in found.estimates:
            if one.over:
                say(f"{one.rule.name}: its component may derive about {one.component} facts, "
                    f"{RULES_MAX_DERIVED} are allowed; beyond that it derives nothing\n"
                    "    narrow it: another atom in the body, or % domain: NAME")
        put("nothing wrong" if not found.bad else
            f"{len(found.faults)} faults, {len(found.findings)} findings")
    if found.bad:
        fail(1)


@command.command(name="approve", epilog="Example: pp rules approve family.dl --shown DIGEST")
@click.argument("file")
@click.option("--shown", metavar="DIGEST", help="The digest that `pp rules list` prints.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def approve_(settings: Settings, file: str, shown: str | None, as_json: bool) -> None:
    """Let what follows from a file's rules feed gates, as long as its text stays as shown."""
    if not shown:
        raise Usage("say --shown DIGEST: `pp rules list` prints it beside what you approve")
    with opened(settings) as app:
        with app.writing("rules", person=True):
            done = approve(app, file, shown)
        show(app, "rules-approve", done, as_json)


def _rule(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id, "name": rule.name, "domain": rule.domain,
        "line": rule.place.line or None, "text": clause_text(rule.head, rule.body),
    }


def _fault(fault: Fault) -> dict[str, object]:
    return {
        "path": f"{FOLDER}/{fault.place.file}", "line": fault.place.line,
        "column": fault.place.column, "message": fault.message, "excerpt": fault.excerpt,
        "remedy": fault.remedy,
    }


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows: as a table where a person looks, else a line each with tabs."""
    if not rows:
        return
    if not sys.stdout.isatty():
        for row in rows:
            put("\t".join(row))
        return
    from rich.console import Console  # heavy; only at a terminal
    from rich.table import Table
    from rich.text import Text

    table = Table(*heads, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console().print(table)
