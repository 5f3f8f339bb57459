"""A memex to drive from outside: Org text and candidates in, verdicts and answers out.

Every step is one `pp` command, run in process with its own folder, state and clock, and with
nothing of the user's environment. A test sees what a user sees: exit code, stdout, stderr.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bridge.cli.main import run as pp

NOW = "2025-06-01T12:00:00Z"
"""The present of a scenario, well before any machine's clock."""

Json = dict[str, Any]

_OUT, _ERR = io.StringIO(), io.StringIO()
"""What commands in this process print to. click keeps every stream it met, so there is one pair."""

REFUSED = {"malformed", "ungrounded", "rejected", "blocked"}
"""Outcomes that say no: exit 4."""

OWN = (
    "PP_", "XDG_", "MEMEX_", "SUFFICIENCY_", "LOCAL_", "LLAMA_", "OLLAMA_", "LLM_", "MODEL_",
    "PROVIDER_", "EMBEDDING_", "PRIVACY_",
)  # fmt: skip
KEYS = "_API_KEY"
"""How the names of variables end that hold a key."""


def clean_environment(home: Path) -> dict[str, str]:
    """Return this process's environment without settings of its user; no model may be called."""
    kept = {k: v for k, v in os.environ.items() if not (k.startswith(OWN) or k.endswith(KEYS))}
    return {
        **kept, "HOME": str(home), "USER": "tester", "NO_COLOR": "1", "PYTHONHASHSEED": "0",
        "PP_NO_MODEL": "1",
        "XDG_STATE_HOME": str(home / "state"), "XDG_CONFIG_HOME": str(home / "config"),
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    """What a command left: exit code, stdout (data), stderr (talk)."""

    argv: tuple[str, ...]
    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Everything printed."""
        return self.out + self.err

    @property
    def lines(self) -> list[Json]:
        """The JSON lines of stdout."""
        return [json.loads(line) for line in self.out.splitlines() if line.strip()]

    @property
    def one(self) -> Json:
        """The one JSON document of stdout."""
        body: Json = json.loads(self.out)
        return body

    def expect(self, *codes: int) -> Result:
        """Return this result if it left with one of `codes`, else fail showing what it said."""
        if self.code not in codes:
            pytest.fail(
                f"pp {' '.join(self.argv)}: exit {self.code}, expected "
                f"{' or '.join(map(str, codes))}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"
            )
        return self

    def names(self, *texts: str) -> Result:
        """Return this result if it prints each of `texts`."""
        missing = [text for text in texts if text not in self.said]
        if missing:
            pytest.fail(f"pp {' '.join(self.argv)} does not say {missing}:\n{self.said}")
        return self


def say(fact: Mapping[str, Any]) -> str:
    """Return a fact (or a candidate) as a short sentence: `Ada not works-at Initech`."""
    negative = fact.get("polarity") in ("negative", False)
    unit = fact.get("unit")
    value = str(fact["value"])
    if unit and not value.endswith(str(unit)):
        value = f"{value} {unit}"
    return f"{fact['entity']} {'not ' if negative else ''}{fact['relation']} {value}"


def spells(fact: Mapping[str, Any]) -> str:
    """Return the spells of a fact: `[2022, 2024) [2025, …)`, empty if it has none."""
    return " ".join(f"[{start or '…'}, {end or '…'})" for start, end in fact["spells"])


def paths(fact: Mapping[str, Any]) -> list[str]:
    """Return the files that ground a fact, sorted."""
    return sorted(str(grounding["path"]) for grounding in fact["groundings"])


@dataclass(frozen=True, slots=True)
class Answers:
    """The answer to a query."""

    status: str
    facts: tuple[Json, ...]
    result: Result

    @property
    def says(self) -> list[str]:
        """The facts as sentences, sorted."""
        return sorted(say(fact) for fact in self.facts)

    @property
    def only(self) -> Json:
        """The one fact."""
        assert len(self.facts) == 1, f"one fact expected, got {self.says}"
        return self.facts[0]


class Memex:
    """A folder of Org files with its own state folder and its own present."""

    def __init__(self, base: Path, now: str = NOW) -> None:
        self.base = base
        self.root = base / "notes"
        self.state = base / "state"
        self.now: str | None = now
        self.root.mkdir(parents=True)

    def twin(self, name: str, *, journal: bool = False) -> Memex:
        """Return another memex with the same prose; with `journal` the same decisions too."""
        made = Memex(self.base.parent / name, self.now or NOW)
        own = None if journal else shutil.ignore_patterns("journal")
        shutil.copytree(self.root, made.root, dirs_exist_ok=True, ignore=own, symlinks=True)
        return made

    # --- files ----------------------------------------------------------------------------------

    def write(self, path: str, text: str | bytes) -> Memex:
        """Write an Org file, given as text with the indent of the test taken off."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else org(text).encode())
        return self

    def ontology(self, text: str) -> Memex:
        """Write system/ontology.org."""
        return self.write("system/ontology.org", text)

    def edit(self, path: str, old: str, new: str) -> Memex:
        """Replace `old`, which stands exactly once, as an editor would: by a new file."""
        target = self.root / path
        data = target.read_bytes()
        assert data.count(old.encode()) == 1, f"{old!r} stands {data.count(old.encode())} times"
        fresh = target.with_name(target.name + ".new")
        fresh.write_bytes(data.replace(old.encode(), new.encode()))
        fresh.replace(target)
        return self

    def move(self, old: str, new: str) -> Memex:
        """Rename a file."""
        (self.root / new).parent.mkdir(parents=True, exist_ok=True)
        (self.root / old).rename(self.root / new)
        return self

    def delete(self, path: str) -> Memex:
        """Delete a file."""
        (self.root / path).unlink()
        return self

    def forget(self) -> Memex:
        """Delete the state folder: indices and device."""
        shutil.rmtree(self.state)
        return self

    def snapshot(self) -> dict[str, bytes]:
        """Return the bytes of every file outside system/journal."""
        return {
            name: path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
            and not (name := path.relative_to(self.root).as_posix()).startswith("system/journal/")
        }

    @property
    def journal_files(self) -> list[Path]:
        """The files of the journal, in order."""
        return sorted((self.root / "system" / "journal").rglob("*.jsonl"))

    def journal_bytes(self) -> dict[str, bytes]:
        """Return the bytes of the journal."""
        return {p.relative_to(self.root).as_posix(): p.read_bytes() for p in self.journal_files}

    def journal(self, *kinds: str) -> list[Json]:
        """Return the journal's lines in the order (at, dev, seq), of some kinds or of all."""
        whole = b"".join(path.read_bytes() for path in self.journal_files)
        lines: list[Json] = [json.loads(line) for line in whole.splitlines()]
        lines.sort(key=lambda line: (line["at"], line["dev"], line["seq"], line["hash"]))
        return [line for line in lines if not kinds or line["kind"] in kinds]

    # --- commands -------------------------------------------------------------------------------

    def argv(self, *argv: str, now: str | None = None) -> list[str]:
        """Return the whole command line."""
        clock = now or self.now
        return [
            "--memex", str(self.root), "--state", str(self.state),
            *(("--now", clock) if clock else ()), *argv,
        ]  # fmt: skip

    def run(self, *argv: str, now: str | None = None) -> Result:
        """Run one command in process."""
        for stream in (_OUT, _ERR):
            stream.seek(0)
            stream.truncate()
        with redirect_stdout(_OUT), redirect_stderr(_ERR):
            code = pp(self.argv(*argv, now=now))
        return Result(argv, code, _OUT.getvalue(), _ERR.getvalue())

    def spawn(self, *argv: str, faults: str | None = None, now: str | None = None) -> Result:
        """Run one command in a process of its own, with fail points armed if `faults` is given."""
        environ = clean_environment(self.base)
        environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        if faults:
            environ["PP_FAULTS"] = faults
        done = subprocess.run(
            [sys.executable, "-c", "from bridge.cli.main import main; main()",
             *self.argv(*argv, now=now)],
            env=environ, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        return Result(argv, done.returncode, done.stdout, done.stderr)

    def init(self) -> Memex:
        """Start the journal."""
        self.run("init").expect(0)
        return self

    def sync(self, *flags: str, code: int = 0, now: str | None = None) -> Json:
        """Read what changed."""
        return self.run("sync", *flags, "--json", now=now).expect(code).one

    def begin(self) -> Memex:
        """Init and sync."""
        self.init().sync()
        return self

    def propose(
        self, candidates: str, *, code: int | None = None, now: str | None = None
    ) -> list[Json]:
        """Propose candidates, given as JSON lines; return one line for each.

        The exit code has to be the one its outcomes ask for, and `code` where that is given.
        """
        file = self.base / "candidates.jsonl"
        file.write_text(org(candidates), encoding="utf-8")
        return self._outcomes(self.run("propose", "--from", str(file), "--json", now=now), code)

    def admit_auto(self, *, code: int | None = None, now: str | None = None) -> list[Json]:
        """Let the machine decide what needs no person; return the verdicts."""
        ran = self.run("admit", "--auto", "--json", now=now)
        return self._outcomes(ran, code, waiting=6)

    @staticmethod
    def _outcomes(ran: Result, code: int | None, *, waiting: int = 0) -> list[Json]:
        """Return the verdicts; the exit code is the worst they ask for: 7, 4, `waiting`, 0."""
        outcomes = {line["outcome"] for line in ran.lines}
        asked = 7 if "unreadable" in outcomes else 4 if outcomes & REFUSED else 0
        if asked == 0 and "needs-review" in outcomes:
            asked = waiting
        ran.expect(asked)
        assert code in (None, asked), f"exit {ran.code}, expected {code}: {ran.out}"
        return ran.lines

    def take(
        self, candidates: str, *, code: int | None = None, now: str | None = None
    ) -> list[str]:
        """Propose, let the machine decide, and return the outcomes."""
        self.propose(candidates, now=now)
        return [verdict["outcome"] for verdict in self.admit_auto(code=code, now=now)]

    def queue(self) -> list[Json]:
        """Return the lines of the queue."""
        return self.run("admit", "--list", "--json").expect(0).lines

    def queued(self, value: str) -> Json:
        """Return the queue line whose candidate has `value`."""
        found = [line for line in self.queue() if line["candidate"]["value"] == value]
        assert len(found) == 1, f"{len(found)} lines for {value!r} in {self.queue()}"
        return found[0]

    def admit(self, proposal: str, *, code: int = 0, now: str | None = None) -> Json:
        """Admit as a person, bound to what the queue shows."""
        shown = next(line["shown"] for line in self.queue() if line["proposal"] == proposal)
        ran = self.run("admit", proposal, "--yes", "--shown", shown, "--json", now=now)
        return ran.expect(code).lines[-1]

    def decide(self, verb: str, *argv: str, code: int = 0, now: str | None = None) -> Json:
        """Run a verb by which a person decides; return the event printed (empty if refused)."""
        ran = self.run(verb, *argv, "--json", now=now).expect(code)
        return ran.lines[-1] if ran.out.strip() else {}

    def declare(self, plist: str, *, code: int = 0, now: str | None = None) -> Json:
        """State a fact as a person."""
        return self.decide("declare", plist, code=code, now=now)

    # --- answers --------------------------------------------------------------------------------

    def query(self, pattern: str, *flags: str) -> Answers:
        """Ask; `flags` are `--at T`, `--as-of T`, `--all`, `--domain D`."""
        ran = self.run("query", pattern, *flags, "--json").expect(0)
        body = ran.one
        assert body["schema"] == "pp.query/1"
        return Answers(body["status"], tuple(row["fact"] for row in body["answers"]), ran)

    def current(self, pattern: str, *flags: str) -> list[str]:
        """Return what holds, as sentences."""
        return self.query(pattern, *flags).says

    def fact(self, pattern: str) -> Json:
        """Return the one standing fact that matches."""
        return self.query(pattern, "--all").only

    def timeline(self, *argv: str) -> list[Json]:
        """Return the facts of a timeline in its order, those that no date places last."""
        body = self.run("timeline", *argv, "--json").expect(0).one
        facts = [*(entry["fact"] for entry in body["entries"]), *body["apart"]]
        return list({fact["id"]: fact for fact in facts}.values())

    def history(self, *argv: str) -> list[str]:
        """Return a timeline as sentences with their spells."""
        body = self.run("timeline", *argv, "--json").expect(0).one
        placed = [
            f"{say(entry['fact'])} [{entry['from'] or '…'}, {entry['to'] or '…'})"
            for entry in body["entries"]
        ]
        return placed + [say(fact) for fact in body["apart"]]

    def conflicts(self, *flags: str) -> list[list[str]]:
        """Return the members of each contradiction as sentences."""
        ran = self.run("contradictions", *flags, "--json")
        found = ran.expect(0, 1).one["conflicts"]
        open_ones = [c for c in found if c["state"] == "open"]
        assert ran.code == (1 if open_ones else 0), "exit 1 says that contradictions are open"
        return sorted(sorted(say(fact) for fact in conflict["facts"]) for conflict in found)

    def status(self) -> Json:
        """Return the counts."""
        return self.run("status", "--json").expect(0, 1).one

    def digest(self) -> str:
        """Return the digest D."""
        return str(self.status()["digest"])

    def rebuild(self) -> Json:
        """Throw the index away, build it again and compare."""
        return self.run("rebuild", "--verify", "--json").expect(0).one


def org(text: str) -> str:
    """Return text without the indent of the test and without its first line break."""
    return dedent(text).lstrip("\n")


def candidate(entity: str, relation: str, value: str, quote: str, **more: object) -> str:
    """Return a candidate line; `path`, `outline`, `heading`, bounds and the like go to `more`."""
    body = {"entity": entity, "relation": relation, "value": value, "quote": quote, **more}
    return json.dumps(body, ensure_ascii=False) + "\n"


def relation(name: str, **properties: str) -> str:
    """Return a heading of ontology.org that declares a relation."""
    return _declared(name, {"KIND": "relation", **properties})


def entity(name: str, alias: str) -> str:
    """Return a heading of ontology.org that declares an entity's other names."""
    return _declared(name, {"KIND": "entity", "ALIAS": alias})


def _declared(name: str, properties: Mapping[str, str]) -> str:
    drawer: Iterable[str] = (f":{key.upper()}: {value}" for key, value in properties.items())
    return "\n".join([f"* {name}", ":PROPERTIES:", *drawer, ":END:", ""])


@contextmanager
def read_only(memex: Memex, folder: Path | None = None) -> Iterator[None]:
    """Make the memex, or `folder`, read-only for a while; skip where there is no way to do it.

    Root is not held by file modes, so it gets a read-only bind mount.
    """
    top = folder or memex.root
    if os.geteuid() != 0:
        everything = [top, *top.rglob("*")]
        modes = {path: path.stat().st_mode for path in everything if not path.is_symlink()}
        for path, mode in modes.items():
            path.chmod(mode & ~0o222)
        try:
            yield
        finally:
            for path, mode in modes.items():
                path.chmod(mode)
        return
    root = str(top)
    if not _mount("--bind", root, root):
        pytest.skip("root without the right to mount: nothing here can be made read-only")
    try:
        if not _mount("-o", "remount,ro,bind", root):
            pytest.skip("a bind mount cannot be made read-only here")
        yield
    finally:
        subprocess.run(["umount", root], check=True)


def _mount(*argv: str) -> bool:
    if shutil.which("mount") is None:
        return False
    return subprocess.run(["mount", *argv], capture_output=True, check=False).returncode == 0
