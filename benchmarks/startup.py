"""Start-up: `pp --help` and `pp query` against a Python that only imports click.

    python benchmarks/startup.py [--pairs N] [--json]

A person types `pp` many times a day, so no command may pay for what it does not use.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.pairs import compare, options, report

NOTE = "* Ada\n:PROPERTIES:\n:BORN_IN: London\n:END:\n"


def script() -> str | None:
    """Return the path of `pp`: the one beside this Python, else the first on the path."""
    beside = Path(sys.executable).parent / "pp"
    return str(beside) if beside.exists() else shutil.which("pp")


def run(*command: str) -> None:
    """Run a command, its output thrown away; a failing one raises.

    Compiled modules are kept, as they are on everybody's machine.
    """
    told = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=told)


def main() -> int:
    """Measure and print; exit 1 if the ratio is over its budget, 2 without `pp`."""
    asked = options("pp --help against importing click.").parse_args()
    pp = script()
    if pp is None:
        print("pp is not installed here: run `make install`", file=sys.stderr)
        return 2
    peer = "python -c 'import click'"
    theirs = partial(run, sys.executable, "-c", "import click")
    with tempfile.TemporaryDirectory() as scratch:
        root, state = Path(scratch) / "memex", Path(scratch) / "state"
        root.mkdir()
        (root / "note.org").write_text(NOTE, encoding="utf-8")
        common = (pp, "--memex", str(root), "--state", str(state))
        run(*common, "init", str(root))
        run(*common, "sync")
        rows = [
            compare("pp --help", partial(run, pp, "--help"), peer, theirs,
                    pairs=asked.pairs, budget=1.5),
            compare("pp query, one answer", partial(run, *common, "query", "Ada ? ?"), peer, theirs,
                    pairs=asked.pairs, budget=3.0),
        ]  # fmt: skip
    return report("startup", rows, as_json=asked.json)


if __name__ == "__main__":
    sys.exit(main())
