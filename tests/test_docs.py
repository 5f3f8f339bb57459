"""What the documents say of the tree is true: links resolve, the README's tree equals `ls`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from urllib.parse import unquote

import pytest

REPO = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
BUILT = {"build", "dist", "__pycache__"}


def documents() -> list[Path]:
    """Return every Markdown file of the project."""
    skipped = {".venv", ".git", *BUILT}
    return sorted(
        path
        for path in REPO.rglob("*.md")
        if not any(part in skipped or part.startswith(".") for part in path.relative_to(REPO).parts)
    )


def prose(path: Path) -> str:
    """Return a document without its code blocks and code spans."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", path.read_text(encoding="utf-8")))


def anchors(path: Path) -> set[str]:
    """Return the anchors that a document's headings make."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    titles = (re.sub(r"[^\w\- ]", "", title.lower()) for title in HEADING.findall(text))
    return {title.strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", documents(), ids=lambda p: str(p.relative_to(REPO)))
def test_links_resolve(path: Path) -> None:
    broken = []
    for link in LINK.findall(prose(path)):
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        target, _, anchor = unquote(link).partition("#")
        there = (path.parent / target).resolve() if target else path
        lost = not there.exists() or not there.is_relative_to(REPO)
        if lost or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            broken.append(link)
    assert not broken, f"{path.relative_to(REPO)}: {broken}"


def test_the_readme_tree_equals_ls() -> None:
    text = (REPO / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^```tree\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert found, "README.md has no block ```tree"
    said = [line.split()[0].rstrip("/") for line in found[1].splitlines() if line.strip()]
    there = {p.name for p in REPO.iterdir() if not p.name.startswith(".")} - BUILT
    assert len(said) == len(set(said))
    assert set(said) == there


def test_every_folder_has_a_readme() -> None:
    """Each says what is here, what flows in and out, and what it may import."""
    folders = {p for p in REPO.iterdir() if p.is_dir() and not p.name.startswith(".")}
    # docs/ has the README at the root for its table of contents.
    expected = {p.name for p in folders} - BUILT - {"docs"}
    bare = expected - {p.parent.name for p in REPO.glob("*/README.md")}
    assert not bare


def test_decisions_are_numbered_and_short() -> None:
    """docs/decisions holds 0001, 0002 ... with no gap, each with its three parts."""
    records = sorted((REPO / "docs" / "decisions").glob("[0-9]*.md"))
    numbers = [int(p.name[:4]) for p in records]
    assert numbers == list(range(1, len(numbers) + 1))
    for path in records:
        text = path.read_text(encoding="utf-8")
        for part in ("Context", "Choice", "Why"):
            assert f"**{part}.**" in text, f"{path.name} has no part {part}"
        assert len(text.splitlines()) <= 30, f"{path.name} is long: ten lines are the aim"


def test_make_lists_every_recipe() -> None:
    """`make` alone prints each recipe with one line."""
    text = (REPO / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", text, re.MULTILINE)
    assert phony
    printed = subprocess.run(
        ["make", "--no-print-directory", "-C", str(REPO)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert printed.returncode == 0, printed.stderr
    listed = [line.split()[1] for line in printed.stdout.splitlines()]
    assert listed == phony[1].split()
    assert all(len(line.split()) > 2 for line in printed.stdout.splitlines())
