"""Parts of words in scripts other than Latin: search finds what a scan of the text finds."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from memex.headings import read_document
from memex.problems import Skipped
from neuro.near.rows import Row
from neuro.near.search import Found, search
from neuro.near.store import Near
from neuro.near.tokens import normal
from tests.neuro.nearby import row

DRAWN = 200
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{2,}")
SCRIPTS = {
    "Hangul": [chr(code) for code in range(0xAC00, 0xD7A4, 97)],
    "Cyrillic": [chr(code) for code in (*range(0x410, 0x450), 0x401, 0x451, 0x457)],
    "Thai": [chr(code) for code in (*range(0xE01, 0xE2F), *range(0xE30, 0xE3B), 0xE40, 0xE48)],
}


def rows_below(folder: Path) -> Iterator[Row]:
    """Yield every heading of the Org files below `folder`."""
    for file in sorted(folder.rglob("*.org")):
        document = read_document(file.relative_to(folder).as_posix(), file.read_bytes())
        if isinstance(document, Skipped):
            continue
        top = document.nodes[0].title
        for node in document.nodes:
            yield Row(
                key=f"{node.path}:{node.line}", path=node.path, line=node.line,
                outline=node.outline or (node.title,), title=node.title, text=node.text,
                text_hash=node.text_hash, file_title=top, is_file=not node.outline,
            )


def indexed(folder: Path, rows: Iterable[Row]) -> Near:
    """Return an index of `rows`."""
    near = Near.open(folder)
    near.apply({"all": ("1", list(rows))})
    return near


class Scan:
    """What a plain substring scan finds; the texts are folded once."""

    def __init__(self, rows: list[Row]) -> None:
        self._own = [(one.key, normal(one.text)) for one in rows]
        self._above = [
            (one.key, normal("\n".join((one.title, *one.ancestors)))) for one in rows
        ]

    def agrees(self, near: Near, part: str) -> None:
        """Search finds every heading of the scan; more only for its title or its ancestors'."""
        found = search(near, part, limit=0)
        assert isinstance(found, Found)
        wanted = normal(part)
        scanned = {key for key, text in self._own if wanted in text}
        assert scanned - {hit.key for hit in found.hits} == set()
        above = {key for key, text in self._above if wanted in text}
        words = {hit.key for hit in found.hits if hit.parts[0].name == "words"}
        assert words - scanned - above == set()


def test_han_runs_of_a_japanese_corpus(corpora: Path, tmp_path: Path) -> None:
    """Every run of two and of three characters among 200 drawn ones, the whole corpus scanned."""
    folder = corpora / "kijimaD-roam"
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}")
    rows = list(rows_below(folder))
    chance = random.Random(20)
    runs = [run for one in rows for run in _HAN.findall(one.text)]
    scan = Scan(rows)
    with indexed(tmp_path, rows) as near:
        for number in range(DRAWN):
            size = 2 + number % 2
            run = chance.choice([run for run in chance.choices(runs, k=50) if len(run) >= size])
            start = chance.randrange(len(run) - size + 1)
            scan.agrees(near, run[start : start + size])


@pytest.mark.parametrize("script", SCRIPTS)
def test_runs_of_generated_headings(script: str, tmp_path: Path) -> None:
    """Parts of words, at their start, inside and at their end, in title and body."""
    chance = random.Random(script)
    letters = chance.sample(SCRIPTS[script], 12)

    def text() -> str:
        words = ("".join(chance.choices(letters, k=chance.randint(1, 7))) for _ in range(9))
        return chance.choice((" ", "、", " org ", "\n", "-")).join(words)

    rows = [
        row(text().replace("\n", " "), text() + "\n", key=str(number), line=number)
        for number in range(150)
    ]
    whole = "".join(map("".join, zip(*[iter(letters)] * 3, strict=True)))
    scan = Scan(rows)
    with indexed(tmp_path, rows) as near:
        for number in range(120):
            size = 1 + number % 4
            part = "".join(chance.choices(letters, k=size))
            scan.agrees(near, part if number % 9 else whole[:size])
