"""The folders are the packages, and their names are generic: what guards that.

docs/decisions/0001-flat-packages.md says why. A folder named like somebody else's distribution
would be shadowed by it without a word; these tests say so.
"""

from __future__ import annotations

import ast
import importlib.metadata
import importlib.util
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPO = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))
DISTRIBUTION: str = PROJECT["project"]["name"]
PACKAGES: list[str] = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
LEAF = ("symbolic.records", "symbolic.names", "symbolic.values")
LINES = 500
"""A module longer than this is a fault; 300 is a lot."""


def modules(*folders: str) -> Iterator[Path]:
    """Yield every Python file below `folders`."""
    for folder in folders:
        yield from sorted((REPO / folder).rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the dotted name of every module that `tree` imports, at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


def imports(path: Path) -> Iterator[str]:
    """Yield the dotted name of every module that the file `path` imports."""
    yield from imported(ast.parse(path.read_bytes()))


def test_one_list_of_packages() -> None:
    """Every tool has the same list, and it is the folders that hold a package."""
    tool = PROJECT["tool"]
    folders = {p.parent.name for p in REPO.glob("*/__init__.py")}
    assert set(PACKAGES) == folders
    assert tool["ruff"]["lint"]["isort"]["known-first-party"] == PACKAGES
    assert tool["importlinter"]["root_packages"] == PACKAGES
    assert sorted(tool["importlinter"]["contracts"][0]["layers"]) == sorted(PACKAGES)
    assert set(PACKAGES) <= set(tool["mypy"]["files"])


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_is_ours(package: str) -> None:
    found = importlib.util.find_spec(package)
    assert found is not None, f"{package} is not importable: run `make install`"
    assert found.origin is not None
    assert Path(found.origin).is_relative_to(REPO), f"{package} comes from {found.origin}"
    owners = importlib.metadata.packages_distributions().get(package, [])
    others = set(owners) - {DISTRIBUTION}
    assert not others, f"{others} own the name {package} too: uninstall them or use a fresh .venv"


def test_every_init_is_free_of_code() -> None:
    """A re-export would load the store where only records are allowed, and no linter would say."""
    for path in modules(*PACKAGES):
        if path.name == "__init__.py":
            body = ast.parse(path.read_bytes()).body
            code = [n for n in body if not isinstance(n, ast.Expr)]
            assert not code, f"{path.relative_to(REPO)} holds code"


def test_every_package_folder_has_an_init() -> None:
    """The import linter does not see a folder without one."""
    bare = {
        str(path.parent.relative_to(REPO))
        for path in modules(*PACKAGES)
        if not (path.parent / "__init__.py").exists()
    }
    assert not bare


def test_the_leaf_is_standard_library_only() -> None:
    allowed = sys.stdlib_module_names | set(LEAF)
    for leaf in LEAF:
        path = REPO / (leaf.replace(".", "/") + ".py")
        foreign = [n for n in imports(path) if n not in LEAF and n.split(".")[0] not in allowed]
        assert not foreign, f"{leaf} imports {foreign}"


def test_imports_are_absolute() -> None:
    """One spelling for every import, so that a reader and a search find all users of a module."""
    relative = [
        f"{path.relative_to(REPO)}: {name}"
        for path in modules(*PACKAGES)
        for name in imports(path)
        if name.startswith(".")
    ]
    assert not relative


LATE = {
    "symbolic/query.py: answer: symbolic.asof",
    "symbolic/store/following.py: engine: symbolic.deduction.engine",
    "symbolic/store/following.py: numbered: symbolic.deduction.components",
    "symbolic/store/following.py: program: symbolic.rules.program",
    "symbolic/store/following.py: reader: symbolic.deduction.reading",
    "symbolic/store/following.py: reader: symbolic.deduction.state",
    "symbolic/store/store.py: _fold: symbolic.store.update",
    "symbolic/store/view.py: _queued: symbolic.store",
}
"""What a question about today does without: together a third of the start-up of `pp query`. None
of these dodges a cycle: each stands as well at the top of its file."""
SEAMS = {"neuro.provider.http"}
"""Modules that are made of a package which is slow to load: httpx, a third of a second."""


def test_no_import_hides_in_a_function() -> None:
    """A function-local import of ours dodges a cycle. `pp` may, for start-up: it loads a verb late.

    Heavy third-party packages may be imported late anywhere, and so may the seam to one and what
    `LATE` lists.
    """
    hidden = set()
    for path in modules(*set(PACKAGES) - {"bridge"}):
        for function in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                ours = {name for name in imported(function) if name.split(".")[0] in PACKAGES}
                ours -= SEAMS
                hidden |= {f"{path.relative_to(REPO)}: {function.name}: {name}" for name in ours}
    assert not hidden - LATE


def test_no_module_is_too_long() -> None:
    long = {
        str(path.relative_to(REPO)): count
        for path in modules(*PACKAGES, "tests", "benchmarks")
        if (count := len(path.read_bytes().splitlines())) > LINES
    }
    assert not long, f"split these, at {LINES} lines: {long}"


def test_the_wheel_holds_our_packages_and_nothing_else(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(build, cwd=REPO, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        infos = [n for n in names if n.split("/")[0].endswith(".dist-info")]
        entry = next(n for n in infos if n.endswith("/entry_points.txt"))
        assert "pp = bridge.cli.main:main" in archive.read(entry).decode()
    assert {n.split("/")[0] for n in names if n not in infos} == set(PACKAGES)
    assert any(n.endswith("/licenses/LICENSE") for n in infos)
    packed = {n for n in names if n.endswith(".py")}
    assert packed == {str(p.relative_to(REPO)) for p in modules(*PACKAGES)}
    assert not [n for n in names if n.endswith(".pyc")]


def closure(requirement: str) -> Iterator[str]:
    """Yield the distributions that `requirement` brings, itself included, as canonical names."""
    todo, done = [Requirement(requirement)], set[tuple[str, str]]()
    while todo:
        wanted = todo.pop()
        name = canonicalize_name(wanted.name)
        yield name
        for extra in ("", *wanted.extras):
            if (name, extra) in done:
                continue
            done.add((name, extra))
            for line in importlib.metadata.requires(name) or ():
                needed = Requirement(line)
                if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                    todo.append(needed)


def test_everything_installed_is_pinned() -> None:
    """constraints.txt pins the whole closure, by name and version alone."""
    pins: dict[str, str] = {}
    for line in (REPO / "constraints.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, equals, version = line.partition("==")
            assert equals and "/" not in line and " " not in line, f"not a pin: {line}"
            pins[canonicalize_name(name)] = version
    needed = set(closure(f"{DISTRIBUTION}[test,embed]")) - {canonicalize_name(DISTRIBUTION)}
    # The peers of benchmarks are installed by `make bench` alone.
    peers = {
        canonicalize_name(wanted.name)
        for line in importlib.metadata.requires(DISTRIBUTION) or ()
        for wanted in [Requirement(line)]
        if wanted.marker is not None and wanted.marker.evaluate({"extra": "bench"})
    }
    assert needed | peers <= set(pins), f"not pinned: {(needed | peers) - set(pins)}"
    moved = {n: (v, pins[n]) for n in needed if (v := importlib.metadata.version(n)) != pins[n]}
    assert not moved, f"installed and pinned differ: {moved}: run `make install`"
