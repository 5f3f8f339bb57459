"""Rule files of a memex: read, judged, approved.

::

    system/rules/*.dl ──rule_files──► RuleFile ──compile──► Program, faults ──► the index
    journal (ontology, rules/FILE) ──approvals──► what may feed gates: this text and no other
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bridge.app import App
from bridge.human import Done
from ontology.changes import RULES
from symbolic.errors import Refused, Stale, Usage
from symbolic.names import digest
from symbolic.records import RuleFile, Standing
from symbolic.rules.estimate import NONE, Count, Estimate, estimate
from symbolic.rules.faults import Fault, shown
from symbolic.rules.findings import findings
from symbolic.rules.parse import Parsed
from symbolic.rules.program import Program, checked, compile
from symbolic.rules.syntax import Place, Predicate, Rule
from symbolic.rules.words import MAX_CHARACTERS
from symbolic.world import View

FOLDER = "system/rules"
SUFFIX = ".dl"
APPROVED = "APPROVED"
"""The field of an approval; its value is the digest of the text that a person was shown."""


# --- reading --------------------------------------------------------------------------------------


def rule_files(root: Path) -> tuple[tuple[RuleFile, ...], tuple[Fault, ...]]:
    """Return the rule files of the memex at `root` by name, and those that cannot be read."""
    files: list[RuleFile] = []
    faults: list[Fault] = []
    try:
        names = sorted(os.listdir(root / FOLDER))
    except (FileNotFoundError, NotADirectoryError):
        return (), ()
    except OSError as error:
        return (), (_unread(".", f"the folder cannot be read: {error.strerror}"),)
    for name in names:
        if name.startswith(".") or not name.endswith(SUFFIX):
            continue
        try:
            found = _read(root / FOLDER / name, name)
        except OSError as error:
            found = _unread(name, f"the file cannot be read: {error.strerror}")
        if isinstance(found, Fault):
            faults.append(found)
        else:
            files.append(found)
    return tuple(files), tuple(faults)


def _read(path: Path, name: str) -> RuleFile | Fault:
    if not stat.S_ISREG(path.stat().st_mode):
        return _unread(name, "this is no regular file")
    with path.open("rb") as stream:
        data = stream.read(4 * MAX_CHARACTERS + 5)  # more is too long whatever the letters
    try:
        return RuleFile(name=name, text=data.decode("utf-8"))
    except UnicodeDecodeError as error:
        if len(data) > 4 * MAX_CHARACTERS:
            return RuleFile(name=name, text=data.decode("latin-1"))  # refused for its length
        before = data[: error.start].decode("utf-8")
        lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        return Fault(
            Place(shown(name), len(lines), len(lines[-1]) + 1),
            f"byte {data[error.start]:#04x} is no UTF-8",
            shown(lines[-1][-60:] + "\ufffd").strip(), "save the file as UTF-8",
        )


def _unread(name: str, message: str) -> Fault:
    return Fault(
        Place(shown(name), 1, 1), message, f"{FOLDER}/{shown(name)}",
        "make it a text file that you may read, or take it away",
    )


def files_digest(files: Sequence[RuleFile]) -> str:
    """Return a digest of the names and texts of all files."""
    return digest("rule-files", *(part for file in files for part in (file.name, file.text)))


# --- approval -------------------------------------------------------------------------------------


def shown_digest(file: RuleFile) -> str:
    """Return the digest of what a person is shown of a file: its name and all of its text."""
    return digest("shown", RULES + file.name, file.text)[:16]


def approvals(view: View) -> Mapping[str, str]:
    """Return {file: digest of the text approved last}.

    While devices approved different texts of one file, none of them counts.
    """
    undone = view.undone()
    lines = [line for line in view.lines() if line.body and line.hash not in undone]
    found: dict[str, str] = {}
    for line in lines:
        if line.kind == "reconcile":
            kept = view.line(str(line.body["kept"]))
            line = kept if kept is not None and kept.body else line
        if line.kind != "ontology" or line.body.get("field") != APPROVED:
            continue
        subject, after = str(line.body["subject"]), line.body["after"]
        if subject.startswith(RULES):
            found[subject.removeprefix(RULES)] = str(after or "")
    open_ = {key for one in view.divergences() for key in one.keys}
    return {
        name: text for name, text in found.items()
        if text and f"ontology {RULES}{name} {APPROVED}" not in open_
    }


def approved_files(view: View, files: Sequence[RuleFile]) -> tuple[RuleFile, ...]:
    """Return the files whose text is the one that a person approved: these may feed gates."""
    known = approvals(view)
    return tuple(file for file in files if known.get(file.name) == shown_digest(file))


def approve(app: App, name: str, digest_shown: str) -> Done:
    """Let a rule file feed gates. Called inside `App.writing(person=True)`.

    Raises Usage, Refused for a file that does not run, and Stale if it is not what was shown.
    """
    files, faults = rule_files(app.settings.memex)
    file = named(files, faults, name)
    if shown_digest(file) != digest_shown:
        raise Stale(f"{FOLDER}/{file.name} is not what was shown: look again with `pp rules list`")
    program = compile(files, app.view.declarations, app.view.zone)
    wrong = [fault for fault in program.faults if fault.place.file == file.name]
    if wrong:
        raise Refused(f"{FOLDER}/{file.name} does not run as it is\n{told(wrong[0])}")
    before = approvals(app.view).get(file.name)
    if before == digest_shown:
        return Done((), None, "approved")
    lines = app.append([("ontology", {
        "subject": RULES + file.name, "field": APPROVED, "before": before, "after": digest_shown,
        "via": "verb", "shown": digest_shown, "conflicts": [],
    })])
    return Done(tuple(line.hash for line in lines), None, "approved")


def named(files: Sequence[RuleFile], faults: Sequence[Fault], name: str) -> RuleFile:
    """Return the file that `name` means, with or without its folder. Raises Usage or Refused."""
    wanted = name.removeprefix(FOLDER + "/")
    for file in files:
        if file.name == wanted:
            return file
    for fault in faults:
        if fault.place.file == wanted:
            raise Refused(told(fault))
    known = ", ".join(file.name for file in files) or "none"
    raise Usage(f"there is no rule file {wanted} in {FOLDER}; those there: {known}")


def told(fault: Fault) -> str:
    """Return a fault as it is printed, with the path from the memex."""
    return f"{FOLDER}/{fault}"


# --- what `pp rules` shows ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listed:
    """A file as `pp rules list` shows it. `approval` is approved, changed or none."""

    file: RuleFile
    parsed: Parsed
    rules: tuple[Rule, ...]
    faults: tuple[Fault, ...]
    approval: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What `pp rules check` found: what does not run, what is odd, and how much may follow."""

    program: Program
    faults: tuple[Fault, ...]
    findings: tuple[Fault, ...]
    estimates: tuple[Estimate, ...]

    @property
    def bad(self) -> bool:
        """Whether a person should look."""
        return bool(self.faults or self.findings) or any(one.over for one in self.estimates)


def listed(view: View, root: Path) -> tuple[list[Listed], tuple[Fault, ...], Program]:
    """Return the files, those that cannot be read, and the program of all."""
    files, faults = rule_files(root)
    program = compile(files, view.declarations, view.zone)
    known = approvals(view)
    out = []
    for file in files:
        text = known.get(file.name)
        state = "none" if text is None else (
            "approved" if text == shown_digest(file) else "changed"
        )
        out.append(Listed(
            file, checked(file), tuple(
                rule for rule in (*program.rules, *program.constraints)
                if rule.place.file == file.name
            ),
            tuple(fault for fault in program.faults if fault.place.file == file.name), state,
        ))
    return out, faults, program


def check(view: View, root: Path, name: str | None = None) -> Checked:
    """Judge all files, or what concerns one of them. Raises Usage if there is none of that name."""
    files, unread = rule_files(root)
    program = compile(files, view.declarations, view.zone)
    only = None
    if name is not None:
        wanted = name.removeprefix(FOLDER + "/")
        if all(fault.place.file != wanted for fault in unread):
            wanted = named(files, unread, name).name
        only = wanted

    def mine(fault: Fault) -> bool:
        return only is None or fault.place.file == only

    good = [parsed for file in files if not (parsed := checked(file)).faults]
    found = findings(good, view.declarations, view.zone)
    counted = estimate(program, Counted(view)) if program.rules else ()
    return Checked(
        program, tuple(filter(mine, (*unread, *program.faults))), tuple(filter(mine, found)),
        tuple(one for one in counted if only is None or one.rule.place.file == only),
    )


class Counted:
    """The standing facts of a view, counted by predicate in one pass."""

    def __init__(self, view: View) -> None:
        rows: dict[Predicate, int] = {}
        sides: dict[Predicate, tuple[set[object], set[object]]] = {}
        for fact in view.facts():
            if fact.standing is not Standing.STANDING:
                continue
            said = fact.statement
            predicate = Predicate(said.relation.canon, not said.polarity)
            rows[predicate] = rows.get(predicate, 0) + 1
            left, right = sides.setdefault(predicate, (set(), set()))
            left.add(said.entity)
            right.add(said.value)
        self._counts = {
            predicate: Count(count, len(sides[predicate][0]), len(sides[predicate][1]))
            for predicate, count in rows.items()
        }

    def count(self, predicate: Predicate) -> Count:
        """Return the count of a predicate's standing facts."""
        return self._counts.get(predicate, NONE)
