"""`pp sync` over real Org files and bad ones: each is read or skipped with a reason."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.cli import Json, Memex

BAD = {
    "bad/latin-1.org": "* Café\n".encode("latin-1"),
    "bad/cut-off.org": "* Zürich".encode()[:-6] + b"\xc3",
}
"""Files that cannot be read as text."""

ODD = {
    "odd/bom.org": b"\xef\xbb\xbf* One\n:PROPERTIES:\n:COLOUR: blue\n:END:\n",
    "odd/cr.org": b"* One\r:PROPERTIES:\r:COLOUR: blue\r:END:\r",
    "odd/nul.org": b"* One\x00\nText\x00\n",
    "odd/empty.org": b"",
    "odd/no-newline.org": b"* One",
    "odd/deep.org": b"".join(b"*" * depth + b" Deep\n" for depth in range(1, 60)),
    "odd/drawer.org": b"* One\n:PROPERTIES:\n:COLOUR: blue\n* Two\n",
    "odd/line.org": b"* " + b"x" * 200_000 + b"\n" + b"[[" * 20_000,
    "odd/knowledge.org": b"#+begin_src knowledge\n(:entity\n(:entity :a :b :c)\n#+end_src\n",
}
"""Files that are text, whatever is wrong with them."""

FOLDER = "odd/folder.org"
"""A folder that is named like a file."""


@pytest.fixture
def real(memex: Memex, corpora: Path) -> Memex:
    """Return a copy of the corpora with some bad and some odd files beside them."""
    shutil.copytree(corpora, memex.root, dirs_exist_ok=True)
    for path, data in (BAD | ODD).items():
        memex.write(path, data)
    (memex.root / FOLDER).mkdir()
    (memex.root / "odd" / ".#lock.org").symlink_to("nobody@nowhere.1")
    return memex


def org_files(root: Path) -> list[str]:
    """Return the paths of all Org files, by a walk of its own."""
    return sorted(
        (Path(folder) / name).relative_to(root).as_posix()
        for folder, _, names in os.walk(root)
        for name in names
        if name.endswith((".org", ".org_archive")) and not name.startswith(".")
    )


def test_every_file_is_read_or_skipped_with_a_reason(real: Memex) -> None:
    """A first sync takes all in and writes the journal only; a second finds nothing to do."""
    prose, paths = real.snapshot(), org_files(real.root)
    first = real.init().run("sync", "--json").expect(1).one
    files = first["files"]
    assert {skip["path"] for skip in files["skipped"]} == {*BAD, FOLDER}
    assert files["read"] == len(paths) - len(BAD)
    assert all(skip["reason"] for skip in files["skipped"])
    for problem in first["problems"]:
        assert located(problem, paths), problem
    assert first["facts"]["standing"] > 10_000
    assert real.snapshot() == prose

    journal = real.journal_bytes()
    second = real.run("sync", "--json").expect(0, 1).one
    assert second["files"] == {**files, "read": 0, "unchanged": files["read"]}
    assert second["digest"] == first["digest"]
    assert (real.journal_bytes(), real.snapshot()) == (journal, prose)

    rebuilt = real.rebuild()
    assert rebuilt["result"] == "equal"
    assert rebuilt["before"] == rebuilt["after"] == first["digest"]
    assert (real.journal_bytes(), real.snapshot()) == (journal, prose)


def located(problem: Json, paths: list[str]) -> bool:
    """Return whether a problem says where it is, what is wrong and what to do about it."""
    said = all(problem[key].strip() for key in ("key", "message", "remedy"))
    return said and problem["path"] in paths and problem["line"] >= 1
