"""Grounding on real notes: 500 statements their sentences make, 500 corrupted in one place.

The candidates are made by plain patterns over the text, seeded, and by nothing that judges them:
two names of one sentence, a name and a number, a name and a date, in English and in Japanese, and
denials where the sentence says "is not". A corruption changes one place and is kept only where the
change does not make another true statement by accident.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memex.scan import RawNode, scan
from symbolic.quotes.sound import Sound, ground
from symbolic.records import (
    Candidate,
    Declarations,
    Grounding,
    ProseHeading,
    Provenance,
    Written,
)

EACH = 100
SHARES = {"names": 200, "numbers": 90, "dates": 30, "japanese": 130, "denials": 50}

_BLOCK = re.compile(r"(?ims)^[ \t]*#\+begin_(\S+).*?^[ \t]*#\+end_\1[^\n]*$")
_DRAWER = re.compile(r"(?ims)^[ \t]*:[\w-]+:[ \t]*\n.*?^[ \t]*:end:[ \t]*$")
_NO_PROSE = re.compile(r"\s*(?:[#|:*]|CLOCK:|SCHEDULED:|DEADLINE:|CLOSED:)")
_SENTENCE = re.compile(r"[^.!?。！？\n][^.!?。！？]*(?:[.!?](?=\s)|[。！？])")
_MARKUP = re.compile(r"[{}<>|\\@$]|\[\[|https?:")
_NAME = r"[A-Z][a-z]{3,}(?: [A-Z][a-z]{2,})*(?![\w-])"
_EN_NAME = re.compile(rf"(?<=[a-z,] ){_NAME}")
_NUMBER = re.compile(r"(?<=[a-z] )\d+(?= [a-z])|(?<=[ぁ-ん])\d+(?=[ぁ-ん一-龥])")
_TITLE = re.compile(r"[^\W\d_][\w-]+(?: [\w-]+){0,4}")
_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
)
_DATE = re.compile(
    rf"\b(?:19|20)\d\d-\d\d-\d\d\b|\b(?:{_MONTHS}) (?:19|20)\d\d\b"
    r"|(?<=\b[Ii]n )(?:19|20)\d\d\b|(?<!\d)(?:19|20)\d\d(?=年)"
)
_JA_NAME = re.compile(
    r"[ァ-ヶー]{3,}|[一-龥]{2,4}(?=[をがはにのと])|(?<=[ぁ-ん])[A-Z][A-Za-z]{2,}"
)
_KANA = re.compile(r"[ぁ-ん]{3,}")
_DOUBT = re.compile(
    r"(?i)\b(?:not|no|never|none|nothing|neither|nor|without|if|whether|unless|whenever|cannot|as"
    r" long as|in case|instead|rather|fail\w*|lack\w*|unable|hardly|den[iy]\w*|refus\w*|suppose|far"
    r" from|wonder\w*|imagine|assuming|\w+n.t)\b|[?？]"
    r"|ない|ません|なかっ|なく|ずに|もし|なら|場合|たら|れば|か。|無い"
)
_IS_NOT = re.compile(
    r"\b(?:is|are|was|were|does|do|did|can|will) not (?!only|just)([a-z]{4,})\b"
)
_OTHER_DOUBT = re.compile(r"(?i)\b(?:if|whether|unless|whenever|until|as long as)\b|[?？]")
_STATES = {
    " is ": " is not ", " are ": " are not ", " was ": " was not ", " has ": " has not ",
    " can ": " cannot ", " will ": " will not ",
}  # fmt: skip
_STATES_JA = {"ます。": "ません。", "する。": "しない。", "である。": "ではない。"}


@dataclass(frozen=True, slots=True)
class Case:
    """A candidate with the heading it quotes; `kind` is what it was made of."""

    kind: str
    heading: ProseHeading
    candidate: Candidate

    @property
    def quote(self) -> str:
        return self.candidate.grounding.quote or ""

    @property
    def written(self) -> Written:
        return self.candidate.written

    def put(self, *, quote: str | None = None, text: str | None = None, **changed: object) -> Case:
        written = replace(self.written, **changed)  # type: ignore[arg-type]
        said = replace(self.candidate.grounding, quote=self.quote if quote is None else quote)
        heading = self.heading if text is None else replace(self.heading, text=text)
        return Case(
            self.kind, heading, replace(self.candidate, written=written, grounding=said)
        )

    @property
    def passes(self) -> bool:
        return isinstance(ground(self.candidate, self.heading, Declarations()), Sound)


def headings(root: Path) -> Iterator[ProseHeading]:
    """Yield the headings of all readable notes."""
    for path in sorted(root.rglob("*.org")):
        data = path.read_bytes()
        try:
            data.decode()
        except UnicodeDecodeError:
            continue
        nodes = scan(data).nodes
        for number, node in enumerate(nodes):
            titles = outline(nodes, number)
            yield ProseHeading(
                key=f"{path}#{number}", ident=None, path=str(path), outline=titles, nth=1,
                title=node.title, line=node.line, offset=node.start,
                text=data[node.start : node.own].decode(), text_hash="", body_hash="",
                evidence_date=None,
            )  # fmt: skip


def outline(nodes: list[RawNode], number: int) -> tuple[str, ...]:
    titles: list[str] = []
    while number > 0:
        titles.insert(0, nodes[number].title)
        number = nodes[number].parent
    return tuple(titles)


def sentences(heading: ProseHeading) -> Iterator[str]:
    """Yield the plain sentences of a heading's body: no markup, no block, no table."""
    body = _DRAWER.sub("\n\n", _BLOCK.sub("\n\n", heading.text))
    lines = [line if not _NO_PROSE.match(line) else "" for line in body.splitlines()]
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines)):
        for match in _SENTENCE.finditer(paragraph):
            text = match[0].strip()
            shortest = 15 if _KANA.search(text) else 40
            if shortest < len(text) < 400 and not _MARKUP.search(text) and text in heading.text:
                yield text


def cases(root: Path) -> Iterator[Case]:
    """Yield every statement that the patterns find, a sentence at most once for each kind."""
    seen: set[str] = set()
    for heading in headings(root):
        for quote in sentences(heading):
            if quote in seen:
                continue
            seen.add(quote)
            for kind, entity, value, more in found(quote, heading.title):
                written = Written(entity=entity, relation="goes-with", value=value, **more)  # type: ignore[arg-type]
                yield Case(kind, heading, Candidate(
                    written=written, proposer=Provenance.PROPOSED,
                    grounding=Grounding(heading=heading.key, quote=quote),
                ))  # fmt: skip


def found(quote: str, title: str) -> Iterator[tuple[str, str, str, dict[str, object]]]:
    """Yield what the patterns see in a sentence below `title`: kind, entity, value, the rest."""
    japanese = _KANA.search(quote) is not None
    names = list(dict.fromkeys((_JA_NAME if japanese else _EN_NAME).findall(quote)))
    titled = _TITLE.fullmatch(title) is not None and title not in names
    subject = title if titled else names[0] if names else None
    if subject is None:
        return
    if not japanese and (denied := _IS_NOT.search(quote)) and not _OTHER_DOUBT.search(quote):
        yield "denials", subject, denied[1], {"polarity": False}
    if _DOUBT.search(quote):
        return
    if names and names[-1] != subject:
        yield "japanese" if japanese else "names", subject, names[-1], {}
    if number := _NUMBER.search(quote):
        yield "numbers", subject, number[0], {}
    if date := _DATE.search(quote):
        value = names[-1] if names and names[-1] != subject else date[0]
        yield "dates", subject, value, {"valid_from": date[0]}


def corrupted(kind: str, real: list[Case], chance: random.Random) -> Case:
    """Return one case corrupted in `kind`."""
    while True:
        case, other = chance.sample(real, 2)
        made = globals()[f"_{kind}"](case, other, chance)
        if made is not None:
            return made


def _subject(case: Case, other: Case, chance: random.Random) -> Case | None:
    name = other.written.entity
    around = "\n".join((case.quote, case.heading.title, *case.heading.outline)).casefold()
    return None if name.casefold() in around else case.put(entity=name)


def _object(case: Case, other: Case, chance: random.Random) -> Case | None:
    value = other.written.value
    if other.kind != case.kind or value.casefold() in case.quote.casefold():
        return None
    return case.put(value=value)


def _date(case: Case, other: Case, chance: random.Random) -> Case | None:
    if case.written.valid_from is None:
        if other.written.valid_from is None or _DATE.search(case.quote):
            return None
        return case.put(valid_from=other.written.valid_from)
    year = re.search(r"\d{4}", case.written.valid_from)
    assert year is not None
    moved = str(int(year[0]) + chance.choice((-7, -3, -1, 1, 2, 5)))
    if moved in case.quote:
        return None
    return case.put(valid_from=case.written.valid_from.replace(year[0], moved))


def _polarity(case: Case, other: Case, chance: random.Random) -> Case | None:
    if chance.random() < 0.3:
        return case.put(polarity=not case.written.polarity)
    start = case.quote.find(case.written.entity) + len(case.written.entity)
    value = case.quote.rfind(case.written.value)
    if case.kind == "japanese":
        for states, denies in _STATES_JA.items():
            if case.quote.endswith(states):
                return _rewritten(case, case.quote.removesuffix(states) + denies)
        return None
    for states, denies in _STATES.items():
        at = case.quote.find(states, start, value + 1)
        between = case.quote[at + len(states) : value]
        if at >= 0 and not re.search(r"[,;:()—]|\b(?:and|but|which|who|because|so)\b", between):
            return _rewritten(case, case.quote[:at] + denies + case.quote[at + len(states) :])
    return None


def _rewritten(case: Case, quote: str) -> Case | None:
    if not case.written.polarity or case.heading.text.count(case.quote) != 1:
        return None
    return case.put(quote=quote, text=case.heading.text.replace(case.quote, quote))


def _quote(case: Case, other: Case, chance: random.Random) -> Case | None:
    how = chance.choice(("drop", "swap", "other", "block"))
    words = case.quote.split()
    if how == "other":
        return None if other.quote in case.heading.text else case.put(quote=other.quote)
    if how == "block":
        text = f"* Notes\n#+begin_example\n{case.quote}\n#+end_example\n"
        return case.put(text=text)
    if len(words) < 5:
        return None
    at = chance.randrange(1, len(words) - 2)
    if how == "drop":
        del words[at]
    elif words[at] == words[at + 1]:
        return None
    else:
        words[at], words[at + 1] = words[at + 1], words[at]
    return case.put(quote=" ".join(words))


def test_real_statements_pass_and_corrupted_ones_do_not(
    corpora: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(1)
    every: dict[str, list[Case]] = {}
    for case in cases(corpora):
        every.setdefault(case.kind, []).append(case)
    real = [
        case for kind, share in SHARES.items()
        for case in chance.sample(every.get(kind, []), min(share, len(every.get(kind, []))))
    ]
    rest = [case for kind in ("names", "japanese") for case in every[kind] if case not in real]
    real += chance.sample(rest, 500 - len(real))
    bad = {
        kind: [corrupted(kind, real, chance) for _ in range(EACH)]
        for kind in ("subject", "object", "date", "polarity", "quote")
    }
    passed = Counter(case.kind for case in real if case.passes)
    refused = {kind: sum(not case.passes for case in made) for kind, made in bad.items()}
    with capsys.disabled():
        _table(Counter(case.kind for case in real), passed, refused)
    assert len(real) == 500
    assert passed.total() >= 0.95 * len(real)
    for kind, count in refused.items():
        assert count >= (0.90 if kind == "polarity" else 0.95) * EACH, kind


def _table(of: Counter[str], passed: Counter[str], refused: dict[str, int]) -> None:
    print("\n| made | of | passed | refused |\n|---|---|---|---|")
    for kind, count in of.items():
        print(f"| real: {kind} | {count} | {passed[kind]} | {count - passed[kind]} |")
    for kind, count in refused.items():
        print(f"| corrupted: {kind} | {EACH} | {EACH - count} | {count} |")
