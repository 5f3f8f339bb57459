"""A multi-hop retrieval set as a memex, and how much of its evidence search finds.

    passages ──► one Org file, titles mentioned become links ──► pp sync's own path ──► questions

The set is a folder with corpus.jsonl ({"title", "text"} a line) and questions*.jsonl ({"question",
"gold_titles"} a line). Weights were chosen on the questions of half A.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bridge.app import open_app
from bridge.embedding import choose_vectors
from bridge.near import sync_all
from bridge.nearby import FactTies
from bridge.settings import load
from bridge.setup import begin
from memex.markup import scan
from neuro.embed.ngrams import Ngrams
from neuro.near.fuse import WEIGHTS, Weights
from neuro.near.search import Found, search
from neuro.near.store import Near
from symbolic.names import fold

Ask = Callable[[str], Sequence[str]]
"""Answers a question with the titles of its first hits."""

FIRST = 5

ALONE = {
    "bm25": replace(WEIGHTS, titles=0, vectors=0, meaning=0, links=0, facts=0),
    "vector": replace(WEIGHTS, words=0, titles=0, links=0, facts=0),
    "plain": replace(WEIGHTS, titles=0, links=0, facts=0),
    "fused": WEIGHTS,
}
"""The tables of weights that are compared: `plain` fuses words and vectors only."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the titles of the passages that answer it."""

    text: str
    evidence: tuple[str, ...]

    @property
    def half(self) -> str:
        """A or B, by a hash of the question."""
        return "AB"[hashlib.sha256(self.text.encode()).digest()[-1] % 2]


def found_in(data: Path) -> Path | None:
    """Return the folder with the set, None if there is none."""
    for folder in (data, data / "2wiki", data / "datasets" / "2wiki"):
        if (folder / "corpus.jsonl").exists():
            return folder
    return None


def read_lines(path: Path) -> list[dict[str, object]]:
    """Return the JSON lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def read_questions(folder: Path) -> list[Question]:
    """Return the questions of every questions*.jsonl, each once."""
    found: dict[str, Question] = {}
    for path in sorted(folder.glob("questions*.jsonl")):
        for line in read_lines(path):
            text, titles = str(line["question"]), line["gold_titles"]
            assert isinstance(titles, list)
            found[text] = Question(text, tuple(map(str, titles)))
    return list(found.values())


class Mentions:
    """Finds titles in running text: the longest first, folded, but a capital stays a capital."""

    def __init__(self, titles: Sequence[str]) -> None:
        self._starts: defaultdict[str, list[tuple[tuple[str, ...], str]]] = defaultdict(list)
        for title in dict.fromkeys(titles):
            words = tuple(word for word, _, _ in self._words(title))
            if words:
                self._starts[words[0]].append((words, title))
        for same in self._starts.values():
            same.sort(key=lambda pair: (-len(pair[0]), pair[1]))

    @staticmethod
    def _words(text: str) -> list[tuple[str, int, int]]:
        found: list[tuple[str, int, int]] = []
        start = 0
        for at, character in enumerate([*text, " "]):
            if character.isalnum():
                continue
            if start < at:
                found.append((fold(text[start:at]), start, at))
            if at < len(text) and not character.isspace():
                found.append((character, at, at + 1))
            start = at + 1
        return found

    def linked(self, text: str, own: str) -> str:
        """Return `text` with the titles in it as links to the headings of the same file."""
        words = self._words(text)
        parts: list[str] = []
        done = at = 0
        while at < len(words):
            found = self._at(text, words, at, own)
            if found is None:
                at += 1
                continue
            title, count = found
            start, end = words[at][1], words[at + count - 1][2]
            said = text[start:end]
            link = f"[[*{title}]]" if said == title else f"[[*{title}][{said}]]"
            parts += (text[done:start], link)
            done, at = end, at + count
        return "".join((*parts, text[done:]))

    def _at(
        self, text: str, words: Sequence[tuple[str, int, int]], at: int, own: str
    ) -> tuple[str, int] | None:
        for wanted, title in self._starts.get(words[at][0], ()):
            there = tuple(word for word, _, _ in words[at : at + len(wanted)])
            same_case = text[words[at][1]].isupper() or not title[0].isupper()
            if there == wanted and title != own and same_case and not set("[]") & set(title):
                return title, len(wanted)
        return None


def written(folder: Path) -> tuple[str, int]:
    """Return the passages as one Org file, and how many links it has."""
    passages = [(str(line["title"]), str(line["text"])) for line in read_lines(
        folder / "corpus.jsonl")]
    mentions = Mentions([title for title, _ in passages])
    parts = ["#+title: Passages\n"]
    for title, text in passages:
        parts.append(f"* {title}\n{mentions.linked(' '.join(text.split()), title)}\n")
    whole = "".join(parts)
    return whole, len(scan(whole).links)


def recall(hits: Sequence[str], question: Question) -> float:
    """Return the share of the evidence among the hits."""
    return sum(title in hits for title in question.evidence) / len(question.evidence)


def judged(ask: Ask, questions: Sequence[Question]) -> dict[str, dict[str, float]]:
    """Return recall, and the share of questions with all their evidence, by half and overall."""
    shares = [(question.half, recall(ask(question.text), question)) for question in questions]
    groups = {"A": [s for h, s in shares if h == "A"], "B": [s for h, s in shares if h == "B"]}
    groups["all"] = [share for _, share in shares]
    return {
        name: {
            "questions": len(group),
            "recall": round(statistics.fmean(group), 4) if group else 0.0,
            "perfect": round(sum(s == 1 for s in group) / len(group), 4) if group else 0.0,
        }
        for name, group in groups.items()
    }


def evidence(folder: Path) -> dict[str, object]:
    """Read the set in, ask every question in every way, and return the figures."""
    questions = read_questions(folder)
    text, links = written(folder)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "memex"
        root.mkdir()
        (root / "passages.org").write_text(text, encoding="utf-8")
        settings = load(str(root), str(Path(place) / "state"), environ={"USER": "bench"})
        begin(settings, None)
        with open_app(settings) as app:
            sync_all(app)
            embedder = choose_vectors(settings).embedder
            ties = FactTies(app.store)
            with Near.open(app.state) as near:

                def asking(weights: Weights) -> Ask:
                    def ask(text: str) -> list[str]:
                        found = search(
                            near, text, limit=FIRST, embedder=embedder, ties=ties, weights=weights
                        )
                        assert isinstance(found, Found), found
                        return [hit.title for hit in found.hits]

                    return ask

                ways = {name: judged(asking(w), questions) for name, w in ALONE.items()}
                headings = near.count()
    return {
        "headings": headings, "links": links, "questions": len(questions),
        "embedder": Ngrams.name, "weights": asdict(WEIGHTS), "ways": ways,
        **{f"{name}_recall_at_5": ways[name]["all"]["recall"] for name in ALONE},
    }  # fmt: skip
