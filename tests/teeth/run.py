"""Plant one fault after another in a copy of the source; each must be killed by a law or a test.

    python tests/teeth/run.py [-j N] [NAME ...]

A patch begins with two lines, what is broken and which tests have to notice::

    Broken: overlap `maybe` is read as yes
    Killed by: tests/laws/test_decisions_machine.py tests/scenarios/test_s04_exclusive.py

First the tests named run with few examples of a fixed seed, then with many. A patch that does not
apply is an error, and so is a fault that survives.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPO = HERE.parent.parent
PROFILES = ("bite", "chew")
LEFT_OUT = shutil.ignore_patterns(
    ".*", "__pycache__", "node_modules", "build", "dist", "*.egg-info", "benchmarks", "docs"
)
_MEMORY = Path("/dev/shm")


class BadPatch(Exception):
    """A patch does not read, or does not fit the source."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A piece of one file, before and after."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing broken on purpose."""

    name: str
    broken: str
    tests: tuple[str, ...]
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a fault; `by` is the test that noticed, None if none did."""

    fault: Fault
    by: str | None
    seconds: float


def read_fault(path: Path) -> Fault:
    """Return the fault in a patch file. Raises BadPatch."""
    lines = path.read_text(encoding="utf-8").splitlines()
    heads = ("Broken: ", "Killed by: ")
    if len(lines) < 2 or not all(map(str.startswith, lines, heads)):
        raise BadPatch(f"{path.name}: begin with `Broken: ...` and `Killed by: TEST ...`")
    tests = tuple(lines[1].removeprefix(heads[1]).split())
    missing = [test for test in tests if not (REPO / test.partition("::")[0]).is_file()]
    hunks = tuple(_hunks(lines[2:]))
    if not hunks or not tests or missing:
        raise BadPatch(f"{path.name}: no hunk, no test, or no such test: {missing}")
    return Fault(path.stem, lines[0].removeprefix(heads[0]), tests, hunks)


def _hunks(lines: list[str]) -> Iterator[Hunk]:
    target, before, after = "", list[str](), list[str]()
    for line in [*lines, "@@"]:
        if line.startswith(("@@", "--- ")):
            if before or after:
                yield Hunk(target, "".join(before), "".join(after))
            before, after = [], []
        elif line.startswith("+++ "):
            target = line[4:].split("\t")[0].removeprefix("b/")
        else:
            if line[:1] != "+":
                before.append(line[1:] + "\n")
            if line[:1] != "-":
                after.append(line[1:] + "\n")


def plant(fault: Fault, root: Path) -> None:
    """Break the copy at `root`. Raises BadPatch if a piece stands there not once.

    Line numbers do not count, so that a patch survives what happens elsewhere in a file.
    """
    for hunk in fault.hunks:
        place = root / hunk.path
        text = place.read_text(encoding="utf-8") if place.is_file() else ""
        if text.count(hunk.before) != 1:
            found = text.count(hunk.before)
            raise BadPatch(f"{fault.name}: a hunk stands {found} times in {hunk.path}, not once")
        place.write_text(text.replace(hunk.before, hunk.after), encoding="utf-8")


def try_out(fault: Fault) -> Verdict:
    """Plant a fault in a copy and run its tests until one fails."""
    begun = time.monotonic()
    home = Path(tempfile.mkdtemp(prefix="teeth-", dir=_MEMORY if _MEMORY.is_dir() else None))
    try:
        root = home / "source"
        shutil.copytree(REPO, root, ignore=LEFT_OUT)
        plant(fault, root)
        for profile in PROFILES:
            for test in fault.tests:
                if _fails(root, test, profile):
                    return Verdict(fault, f"{test} ({profile})", time.monotonic() - begun)
        return Verdict(fault, None, time.monotonic() - begun)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _fails(root: Path, test: str, profile: str) -> bool:
    """Return whether a test notices. Raises BadPatch if it could not be run at all."""
    environ = {
        **os.environ, "PYTHONPATH": str(root), "PYTHONSAFEPATH": "1", "PYTHONHASHSEED": "0",
        "HYPOTHESIS_PROFILE": profile, "PYTHONDONTWRITEBYTECODE": "1",
        "PP_SHARED": os.environ.get("PP_SHARED", str(REPO.parent / "shared")),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider",
         "--timeout", "900", test],
        cwd=root, env=environ, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise BadPatch(f"{test} does not run on the copy:\n{done.stdout[-2000:]}{done.stderr}")
    return done.returncode == 1


def unsound(test: str) -> str | None:
    """Return `test` if it fails on the source as it is."""
    with tempfile.TemporaryDirectory(dir=_MEMORY if _MEMORY.is_dir() else None) as home:
        root = Path(home) / "source"
        shutil.copytree(REPO, root, ignore=LEFT_OUT)
        return test if _fails(root, test, PROFILES[0]) else None


def main() -> int:
    """Try the faults named, or all; return 1 if one survives, 2 if one could not be tried."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="beginnings of patch names; all without one")
    parser.add_argument("-j", type=int, default=2, help="faults tried at a time")
    chosen = parser.parse_args()
    try:
        faults = [
            read_fault(path) for path in sorted(HERE.glob("*.patch"))
            if not chosen.names or path.stem.startswith(tuple(chosen.names))
        ]
        begun = time.monotonic()
        with ThreadPoolExecutor(chosen.j) as pool:
            survivors = 0
            for done in as_completed([pool.submit(try_out, fault) for fault in faults]):
                verdict = done.result()
                survivors += verdict.by is None
                told = f"killed by {verdict.by}" if verdict.by else "SURVIVED"
                print(f"{verdict.fault.name}: {told}, {verdict.seconds:.0f} s", flush=True)
                if verdict.by is None:
                    print(f"    {verdict.fault.broken}; {' '.join(verdict.fault.tests)}")
            # Nothing is proved by a test that fails without any fault.
            tests = sorted({test for fault in faults for test in fault.tests})
            for failing in pool.map(unsound, tests):
                if failing is not None:
                    raise BadPatch(f"{failing} fails without any fault")
    except BadPatch as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(faults)} faults, {survivors} survived, {time.monotonic() - begun:.0f} s")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
