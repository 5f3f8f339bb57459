"""What sentences say by their form alone: candidates for people who use no model.

    heading ──sentences──► form ──lead──► subject ──► a declared saying | the R of Y | a class
                                                         └─ dates beside it ──► bounds

    X is a Y            X member-of-class Y        X は Y です the same
    X is the R of Y     Y R X
    X works at Y        X works-at Y               where ontology.org has the PATTERN or ALIAS

Precision comes before recall: a sentence with a negation, a condition, a possibility or a question
in it is not read at all, and what could be read in two ways is not read. Pronouns are not resolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from memex.dating import dates
from memex.markup import plain
from neuro.prose.bounds import Bounds, Placed, bounds, following, leading
from neuro.prose.forms import Forms, Read
from neuro.prose.phrases import Saying, by_first, sayings
from neuro.prose.sentences import Sentence, quotations, sentences
from neuro.prose.wording import HEDGE, UNSURE
from symbolic.records import (
    UNKNOWN,
    Candidate,
    Declarations,
    Grounding,
    ProseHeading,
    Provenance,
    Written,
)
from symbolic.values import BadValue

MODEL = "patterns"
"""What stands in `Candidate.model`."""

_NOTE = re.compile(r"\[(?:fn|cite)[:/][^\[\]]*\]")
_LEAD = re.compile(
    r"(?:(?:perhaps|maybe|possibly|probably|presumably|apparently|supposedly|reportedly|allegedly|"
    r"i\s+(?:think|believe|guess|assume)(?:\s+that)?|as\s+far\s+as\s+i\s+know|afaik|iirc|however|"
    r"also|currently|now|note\s+that|formerly|previously)\b\s*,?\s*)+",
    re.IGNORECASE,
)
_MARKED = re.compile(
    r"\[\[[^\[\]]+\]\[[^\[\]]{1,80}\]\]|=[^\s=][^=\n]{0,60}=(?!\w)|~[^\s~][^~\n]{0,60}~(?!\w)"
)
_LOWER_WORD = re.compile(r"(?<![\w.-])[a-zß-öø-ÿ][\w-]*")
_WEAKEST = "0.4"


def patterns(heading: ProseHeading, declarations: Declarations) -> tuple[Candidate, ...]:
    """Return what the sentences of `heading` say by their form, in order. Never raises.

    A heading that the program wrote gives nothing. Every candidate is EXTRACTED, quotes its
    sentence as it stands, and tells in its rationale which form was read, hedges, and dates that
    could not be used.
    """
    if heading.agent:
        return ()
    index = by_first(sayings(declarations))
    context = _Context(heading)
    found: dict[tuple[Written, str], Candidate] = {}
    row = sentences(heading)
    for at, sentence in enumerate(row):
        after = row[at + 1].text if at + 1 < len(row) else ""
        reader = _Reader(context, sentence, index, _bare_hedge(after))
        for candidate in reader.read():
            quote = candidate.grounding.quote or ""
            found.setdefault((candidate.written, quote), candidate)
    return tuple(found.values())


def _bare_hedge(text: str) -> str | None:
    """Return a hedge that stands as a sentence of its own: "Please verify." """
    match = HEDGE.search(text) if len(text) <= 40 else None
    return match[0] if match is not None and len(text) <= len(match[0]) + 12 else None


class _Context:
    """What the heading tells about its sentences."""

    def __init__(self, heading: ProseHeading) -> None:
        self.heading = heading
        self.title = " ".join(plain(heading.title).split())

    @cached_property
    def lower(self) -> frozenset[str]:
        """The words that the heading writes in lower case."""
        return frozenset(_LOWER_WORD.findall(self.heading.text))


class _Reader:
    """Reads one sentence in its plain form."""

    def __init__(
        self, context: _Context, sentence: Sentence, index: dict[str, list[Saying]],
        aside: str | None,
    ) -> None:  # fmt: skip
        self.context, self.sentence, self.index, self.aside = context, sentence, index, aside
        self.form = " ".join(_NOTE.sub("", plain(sentence.text)).split())

    def read(self) -> Iterator[Candidate]:
        """Yield at most one candidate."""
        if self.sentence.inside is not None or "?" in self.form or "？" in self.form:
            return
        if UNSURE.search(self.form):
            return
        self.dates = dates(self.form, self.context.heading.evidence_date)
        start, placed = self._lead()
        found = Forms(
            self.form, start, self.dates, self.index, title=self.context.title,
            marked=self._marked() if start == 0 else "", lower=self.context.lower,
        ).statement()
        if found is None or self._in_quotation(found.end):
            return
        made = self._candidate(found, placed)
        if made is not None:
            yield made

    def _lead(self) -> tuple[int, tuple[Placed, ...]]:
        """Step over what may stand before the subject: hedges, adverbs, a date."""
        start, placed = leading(self.form, self.dates)
        match = _LEAD.match(self.form, start)
        if match is None:
            return start, placed
        if not placed:
            return leading(self.form, self.dates, match.end())
        return match.end(), placed

    def _marked(self) -> str:
        """Return what stands in a link, in code or verbatim marks where the sentence begins."""
        match = _MARKED.match(self.sentence.text)
        text = " ".join(plain(match[0]).split()) if match else ""
        return text if any(ch.isalpha() for ch in text) else ""

    def _in_quotation(self, end: int) -> bool:
        return any(span[0] < end for span in quotations(self.form, self.sentence.inside))

    # --- candidates -----------------------------------------------------------------------------

    def _candidate(self, found: Read, lead: tuple[Placed, ...]) -> Candidate | None:
        # A date inside what was read ("a 1962 novel") is a part of it.
        first = max((one.found.end for one in lead), default=0)
        rest = [
            one for one in self.dates
            if one not in found.spent and not first <= one.start < found.end
        ]
        rest = [*(one.found for one in lead), *rest]
        placed = (*lead, *following(self.form, found.end, rest))
        try:
            spell = bounds(placed, rest, self.form, opens=found.opens)
        except BadValue:
            # The end lies before the start: what the sentence means is the writer's to say.
            return None
        end = UNKNOWN if found.former and spell.end is None else spell.end
        hedges = [match[0] for match in HEDGE.finditer(self.form)]
        hedges += [self.aside] if self.aside else []
        return Candidate(
            written=Written(
                entity=found.entity, relation=found.relation, value=found.value,
                valid_from=spell.start, valid_to=end,
            ),
            grounding=Grounding(
                heading=self.context.heading.key,
                path=self.context.heading.path,
                outline=self.context.heading.outline,
                quote=self.sentence.text,
                evidence_date=self.context.heading.evidence_date,
            ),
            proposer=Provenance.EXTRACTED,
            rationale="; ".join([found.how, *_notes(found, spell, end, hedges)]),
            confidence=_confidence(found, spell, end, hedges),
            model=MODEL,
        )  # fmt: skip


def _undated_past(found: Read, spell: Bounds, end: str | None) -> bool:
    return found.past and spell.start is None and end is None


def _notes(found: Read, spell: Bounds, end: str | None, hedges: Sequence[str]) -> Iterator[str]:
    if _undated_past(found, spell, end):
        yield "past tense: when it held is not said"
    for hedge in dict.fromkeys(hedges):
        yield f"hedge: '{hedge}'"
    yield from spell.notes


def _confidence(found: Read, spell: Bounds, end: str | None, hedges: Sequence[str]) -> str:
    if hedges:
        return _WEAKEST
    if not spell.sure:
        return "0.5"
    return "0.6" if _undated_past(found, spell, end) else found.confidence
