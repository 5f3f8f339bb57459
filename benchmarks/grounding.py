"""How much of what sentences say grounding accepts, and how much of what they do not say.

    python benchmarks/grounding.py --data DIR [--json]

DIR holds text2kgbench (sentences with the triples they state), itself or below datasets/. Every
sentence is a heading without a title and is the quote. True triples count if their subject shares
a word with the sentence; then one swap each: the object by another object of the same relation,
the subject by another sentence's subject. Exit 1 below a bar; with --json the last line is one
object with the three shares.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from symbolic.names import fold
from symbolic.quotes.sound import Sound, ground
from symbolic.records import (
    Candidate,
    Declarations,
    Grounding,
    ProseHeading,
    Provenance,
    Written,
)

BARS = {"accepted_true": 0.92, "refused_object_swapped": 0.95, "refused_subject_swapped": 0.98}
SEED = 1

_STOP = "a an and as at by for from in is it its of on or s that the this to was were with"
STOP = frozenset(_STOP.split())
"""Words that a subject and a sentence share by chance."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Triple:
    """A triple with the sentence that states it and the names of all triples of that sentence."""

    sentence: str
    subject: str
    relation: str
    object: str
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Score:
    """`good` of `of` triples came out as they should; `wrong` are some of the others."""

    what: str
    good: int
    of: int
    wrong: tuple[Triple, ...]

    @property
    def share(self) -> float:
        """The share that came out right."""
        return self.good / self.of if self.of else 0.0


def find(data: Path) -> list[Path]:
    """Return the files of the development part. Raises SystemExit where there are none."""
    for below in ("", "text2kgbench", "datasets/text2kgbench"):
        files = sorted((data / below).glob("*_dev.jsonl"))
        if files:
            return files
    raise SystemExit(f"{data} holds no text2kgbench: no *_dev.jsonl there or below datasets/")


def load(files: Iterable[Path]) -> list[Triple]:
    """Return the triples of `files` in order."""
    found = []
    for path in files:
        # Not splitlines: sentences hold line separators that JSON does not escape.
        for line in filter(None, path.read_text("utf-8").split("\n")):
            row = json.loads(line)
            names = frozenset(
                fold(name) for one in row["triples"] for name in (one["sub"], one["obj"])
            )
            found += [
                Triple(row["sent"], one["sub"], one["rel"], one["obj"], names)
                for one in row["triples"]
            ]
    return found


def words(text: str) -> set[str]:
    """Return the words of `text` that are not in the stop list."""
    return set(_WORD.findall(text.casefold())) - STOP


def accepted(sentence: str, subject: str, relation: str, value: str) -> bool:
    """Return whether a triple is grounded in the sentence."""
    heading = ProseHeading(
        key="bench.org#", ident=None, path="bench.org", outline=(), nth=1, title="", line=1,
        offset=0, text=sentence, text_hash="", body_hash="", evidence_date=None,
    )  # fmt: skip
    candidate = Candidate(
        written=Written(entity=subject, relation=relation, value=value),
        grounding=Grounding(heading=heading.key, quote=sentence),
        proposer=Provenance.PROPOSED,
    )
    return isinstance(ground(candidate, heading, Declarations()), Sound)


def measure(triples: Sequence[Triple]) -> list[Score]:
    """Return the three scores; the same for the same triples."""
    chance = random.Random(SEED)
    true = [one for one in triples if words(one.subject) & words(one.sentence)]
    objects: dict[str, list[str]] = defaultdict(list)
    for one in true:
        objects[one.relation].append(one.object)
    subjects = [one.subject for one in true]
    swapped_objects, swapped_subjects = [], []
    for one in true:
        others = [name for name in objects[one.relation] if fold(name) not in one.names]
        if others:
            other = chance.choice(others)
            swapped_objects.append(
                Triple(one.sentence, one.subject, one.relation, other, one.names)
            )
        other = chance.choice([name for name in subjects if fold(name) not in one.names])
        swapped_subjects.append(Triple(one.sentence, other, one.relation, one.object, one.names))
    return [
        score("accepted_true", true, True),
        score("refused_object_swapped", swapped_objects, False),
        score("refused_subject_swapped", swapped_subjects, False),
    ]


def score(what: str, triples: Sequence[Triple], wanted: bool) -> Score:
    """Judge `triples`, all of which should be accepted if `wanted`, else refused."""
    wrong = [
        one for one in triples
        if accepted(one.sentence, one.subject, one.relation, one.object) is not wanted
    ]
    return Score(what, len(triples) - len(wrong), len(triples), tuple(wrong))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmark; return 1 if a share is below its bar."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder that holds text2kgbench")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    parser.add_argument("--wrong", type=int, default=0, help="print this many misses a row")
    given = parser.parse_args(argv)
    scores = measure(load(find(given.data)))
    for one in scores:
        for miss in one.wrong[: given.wrong]:
            print(f"{one.what}: {miss.subject} | {miss.relation} | {miss.object}", file=sys.stderr)
            print(f"    {miss.sentence}", file=sys.stderr)
    if given.json:
        print(json.dumps({one.what: round(one.share, 4) for one in scores}))
    else:
        print("| what | right | of | share | bar |")
        print("|---|---|---|---|---|")
        for one in scores:
            print(f"| {one.what} | {one.good} | {one.of} | {one.share:.4f} | {BARS[one.what]} |")
    return 0 if all(one.share >= BARS[one.what] for one in scores) else 1


if __name__ == "__main__":
    sys.exit(main())
