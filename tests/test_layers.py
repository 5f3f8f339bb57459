"""The import contracts of pyproject.toml have teeth.

Each case plants one import in a small tree with our folders and our contracts, and the linter has
to name the contract that it breaks. `make lint` runs the same contracts over the real tree.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parent.parent

TREE = {
    "memex/scan.py": "from symbolic.records import Name\n",
    "neuro/extract.py": "import memex.scan\nfrom symbolic.names import fold\n",
    "symbolic/records.py": "Name = str\n",
    "symbolic/names.py": "fold = str.casefold\n",
    "symbolic/values.py": "from symbolic.names import fold\n",
    "symbolic/world.py": "from symbolic.records import Name\n",
    "symbolic/admission.py": "import symbolic.world\n",
    "symbolic/model/__init__.py": "",
    "symbolic/model/fold.py": "import symbolic.world\n",
    "symbolic/model_rules/__init__.py": "",
    "symbolic/model_rules/derive.py": "import symbolic.model.fold\n",
    "symbolic/deduction/__init__.py": "",
    "symbolic/deduction/engine.py": "import symbolic.world\n",
    "symbolic/check.py": "import symbolic.held\n",
    "symbolic/held.py": "import symbolic.world\n",
    "symbolic/store/__init__.py": "",
    "symbolic/store/rows.py": "import symbolic.world\nimport memex.scan\n",
    "gates/tables.py": "import symbolic.store.rows\n",
    "ontology/bootstrap.py": "import gates.tables\n",
    "skills/archivist.py": "import memex.scan\nfrom symbolic.values import fold\n",
    "bridge/app.py": "import skills.archivist, ontology.bootstrap, neuro.extract\n",
}

TALKERS = (
    "provider/client", "propose", "replies", "candidates", "items", "findjson", "hedges",
)  # fmt: skip
TREE |= {f"neuro/{name}.py": "" for name in TALKERS}

LAYERS = "Layers"
DECIDES = "What decides never reaches a model"
SKILLS = "Skills get handles"
STORE = "Store, admission and deduction know nothing"
MODEL = "The specification knows nothing"
CHECKER = "The checker of proofs knows nobody"
TALKS = "What talks to a model has no door"

PLANTED = [
    ("memex/scan.py", "import neuro.extract", LAYERS),
    ("memex/scan.py", "import symbolic.world", LAYERS),
    ("neuro/extract.py", "from symbolic.store import rows", LAYERS),
    ("neuro/extract.py", "import bridge.app", LAYERS),
    ("symbolic/world.py", "from gates import tables", LAYERS),
    ("gates/tables.py", "import ontology.bootstrap", LAYERS),
    ("ontology/bootstrap.py", "import skills.archivist", LAYERS),
    ("skills/archivist.py", "def run():\n    import bridge.app", LAYERS),
    ("symbolic/store/rows.py", "import neuro.extract", DECIDES),
    ("gates/tables.py", "import neuro.extract", DECIDES),
    ("ontology/bootstrap.py", "from neuro import extract", DECIDES),
    ("skills/archivist.py", "import symbolic.world", SKILLS),
    ("skills/archivist.py", "from symbolic.store import rows", SKILLS),
    ("skills/archivist.py", "import neuro.extract", SKILLS),
    ("skills/archivist.py", "from gates.tables import *", SKILLS),
    ("skills/archivist.py", "import ontology.bootstrap", SKILLS),
    ("symbolic/store/rows.py", "from symbolic.model import fold", STORE),
    ("symbolic/admission.py", "from symbolic.model.fold import *", STORE),
    ("symbolic/world.py", "from symbolic import model", STORE),
    ("symbolic/store/rows.py", "from symbolic.model_rules import derive", STORE),
    ("symbolic/deduction/engine.py", "from symbolic.model_rules import derive", STORE),
    ("symbolic/model_rules/derive.py", "import symbolic.store.rows", MODEL),
    ("symbolic/model_rules/derive.py", "import symbolic.deduction.engine", MODEL),
    ("symbolic/check.py", "import symbolic.deduction.engine", CHECKER),
    ("symbolic/check.py", "from symbolic.model_rules import derive", CHECKER),
    ("symbolic/held.py", "import symbolic.store.rows", CHECKER),
    ("symbolic/model/fold.py", "import symbolic.admission", MODEL),
    ("symbolic/model/fold.py", "from symbolic.store.rows import *", MODEL),
    ("neuro/propose.py", "import sqlite3", TALKS),
    ("neuro/provider/client.py", "from pathlib import Path", TALKS),
    ("neuro/replies.py", "def run():\n    import subprocess", TALKS),
    ("neuro/candidates.py", "from os import environ", TALKS),
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small tree of our folders with our contracts."""
    root = tmp_path_factory.mktemp("tree")
    shutil.copy(REPO / "pyproject.toml", root)
    for name, text in TREE.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        for package in {name.split("/")[0], str(Path(name).parent)}:
            (root / package / "__init__.py").touch()
        path.write_text(text, encoding="utf-8")
    return root


def lint(root: Path) -> tuple[int, str]:
    """Run the linter on the tree at `root`; return its exit code and what it printed."""
    code = "import sys; from importlinter.cli import lint_imports_command as main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-cache", "--no-logo"],
        cwd=root,
        # Wide, so that no contract's name is broken over two lines.
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_allowed_imports_are_kept(tree: Path) -> None:
    code, printed = lint(tree)
    assert code == 0, printed
    assert "Contracts: 7 kept, 0 broken." in printed


@pytest.mark.parametrize(("name", "planted", "contract"), PLANTED)
def test_a_planted_import_is_caught(tree: Path, name: str, planted: str, contract: str) -> None:
    path = tree / name
    clean = path.read_text(encoding="utf-8")
    path.write_text(clean + planted + "\n", encoding="utf-8")
    try:
        code, printed = lint(tree)
    finally:
        path.write_text(clean, encoding="utf-8")
    assert code == 1, printed
    broken = [line for line in printed.splitlines() if " BROKEN" in line]
    assert any(line.startswith(contract) for line in broken), printed
