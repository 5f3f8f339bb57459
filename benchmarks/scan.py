"""The scanner against orgparse merely loading the same text.

    python benchmarks/scan.py [--data DIR] [--pairs N] [--json]

Both sides get what they want in memory: the scanner bytes, orgparse the decoded text. Files that
are not UTF-8 are left out for both. `--data` adds a folder of real Org files to the generated ones.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import orgparse

from benchmarks.pairs import Row, compare, options, report
from memex.scan import scan

MEGABYTE = 1_000_000
WORDS = [
    "river", "lantern", "ledger", "orchard", "theorem", "violin", "harbour", "winter", "market",
    "signal", "copper", "meadow", "archive", "compass", "granite", "sparrow", "tunnel", "velvet",
]


def generate(size: int) -> bytes:
    """Return about `size` bytes of Org, some 300 a heading, the same for the same size."""
    chance = random.Random(size)
    parts: list[str] = ["#+title: Generated\n\n"]
    written, number = len(parts[0]), 0
    while written < size:
        number += 1
        part = heading(chance, number)
        parts.append(part)
        written += len(part)
    return "".join(parts).encode()


def heading(chance: random.Random, number: int) -> str:
    """Return one heading with a keyword, tags, planning, a drawer and body, each now and then."""
    stars = "*" * chance.randint(1, 4)
    keyword = chance.choice(("", "", "TODO ", "DONE "))
    tags = chance.choice(("", "", " :work:", " :home:read:"))
    title = " ".join(chance.choices(WORDS, k=chance.randint(2, 6)))
    lines = [f"{stars} {keyword}{title}{tags}"]
    if keyword:
        lines.append(f"SCHEDULED: <2024-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}>")
    if number % 2:
        drawer = [f":ID:       generated-{number:08}", f":AUTHOR:   {title}"]
        lines += [":PROPERTIES:", *drawer, ":END:"]
    for _ in range(chance.randint(1, 4)):
        lines.append(" ".join(chance.choices(WORDS, k=chance.randint(5, 12))).capitalize() + ".")
    return "\n".join(lines) + "\n"


def read(folder: Path) -> list[bytes]:
    """Return the Org files below `folder` that are UTF-8."""
    found: list[bytes] = []
    for path in sorted(folder.rglob("*.org")):
        data = path.read_bytes()
        try:
            data.decode()
        except UnicodeDecodeError:
            continue
        found.append(data)
    return found


def scan_all(files: list[bytes]) -> None:
    """Scan every file."""
    for data in files:
        scan(data)


def load_all(texts: list[str]) -> None:
    """Load every text with orgparse."""
    for text in texts:
        orgparse.loads(text)


def against_orgparse(what: str, files: list[bytes], pairs: int, budget: float) -> Row:
    """Compare the two readers on the same files."""
    ours: Callable[[], None] = partial(scan_all, files)
    theirs: Callable[[], None] = partial(load_all, [data.decode() for data in files])
    return compare(what, ours, "orgparse", theirs, pairs=pairs, budget=budget)


def main() -> int:
    """Measure and print; exit 1 if a ratio is over its budget."""
    parser = options("The scanner against orgparse loading the same text.")
    parser.add_argument("--data", type=Path, help="a folder of Org files")
    asked = parser.parse_args()
    rows: list[Row] = []
    if asked.data is not None:
        files = read(asked.data)
        if not files:
            parser.error(f"no Org file below {asked.data}")
        size = sum(map(len, files)) / MEGABYTE
        what = f"{len(files)} files, {size:.1f} MB"
        rows.append(against_orgparse(what, files, asked.pairs, 1 / 15))
    small, large = generate(5 * MEGABYTE), generate(10 * MEGABYTE)
    rows.append(against_orgparse("generated, 5 MB", [small], asked.pairs, 1 / 8))
    rows.append(
        compare(
            "generated, 10 MB",
            partial(scan, large),
            "the scanner, 5 MB",
            partial(scan, small),
            pairs=asked.pairs,
            budget=2.5,
        )
    )
    return report("scan", rows, as_json=asked.json)


if __name__ == "__main__":
    sys.exit(main())
