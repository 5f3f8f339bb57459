"""What a sync did and found, as a record and as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from memex.problems import Problem, Skipped
from neuro.near.rows import Row
from ontology.changes import Change as Declared
from ontology.entries import Problem as OntologyProblem
from symbolic.records import Line
from symbolic.rules.faults import Fault
from symbolic.world import Conflict, Fact


@dataclass(slots=True)
class Report:
    """What a sync did and found."""

    read: int = 0
    removed: int = 0
    unchanged: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    declared: list[OntologyProblem] = field(default_factory=list)
    changes: list[Declared] = field(default_factory=list)
    opened: list[Conflict] = field(default_factory=list)
    anchors: list[tuple[str, str | None]] = field(default_factory=list)
    incumbents: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    blocks: list[tuple[Fact, Fact]] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    rows: dict[str, tuple[str, list[Row]]] = field(default_factory=dict)
    """{path: (mark, rows)} of what was read, for the near index."""
    divergences: tuple[str, ...] = ()
    rules: list[Fault] = field(default_factory=list)
    """What does not run of the rule files, by its name in system/rules."""

    @property
    def findings(self) -> bool:
        """Whether a person should look: something is wrong or a person's own block was refused."""
        declared = any(not problem.notice for problem in self.declared)
        return bool(
            self.problems or declared or self.blocks or self.divergences or self.rules
        )


def report_json(report: Report) -> dict[str, object]:
    """Return a sync report as JSON, without the digest."""
    return {
        "schema": "pp.sync/1",
        "files": {
            "read": report.read, "removed": report.removed, "unchanged": report.unchanged,
            "skipped": [{"path": s.path, "reason": s.reason} for s in report.skipped],
        },
        "problems": [
            *(_problem(p) for p in report.problems),
            *({"key": p.key, "path": p.file, "line": p.line, "column": 0, "excerpt": p.excerpt,
               "message": p.message, "remedy": p.remedy, "notice": p.notice}
              for p in report.declared),
            *({"key": "rule", "path": f"system/rules/{f.place.file}", "line": f.place.line,
               "column": f.place.column, "excerpt": f.excerpt, "message": f.message,
               "remedy": f.remedy, "notice": False} for f in report.rules),
        ],
        "ontology": [json.loads(json.dumps(
            {"subject": c.subject, "field": c.field, "before": c.before, "after": c.after}
        )) for c in report.changes],
        "conflicts_opened": [conflict.id for conflict in report.opened],
        "divergences": list(report.divergences),
        "anchors": [{"key": key, "new_key": new} for key, new in report.anchors],
        "incumbents": [
            {"conflict": conflict, "kept": kept, "refused": list(refused)}
            for conflict, kept, refused in report.incumbents
        ],
    }


def _problem(problem: Problem) -> dict[str, object]:
    return {
        "key": problem.key, "path": problem.path, "line": problem.line,
        "column": problem.column, "excerpt": problem.excerpt, "message": problem.message,
        "remedy": problem.remedy, "notice": False,
    }


