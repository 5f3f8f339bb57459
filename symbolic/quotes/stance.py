"""Whether a quote, where it stands, carries the polarity of a statement.

The sentence around the quote counts against a positive statement (a quote cut out of "is not
allergic to nuts" states nothing); the negation of a negative one must stand in the quote itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from symbolic.names import fold
from symbolic.quotes.mentions import Passage, finds
from symbolic.quotes.page import Page
from symbolic.quotes.polarity import Reading, Stance, read, sentence
from symbolic.quotes.utterance import Mention, Utterance
from symbolic.records import Written

_PLACES = 32
"""Places of a quote in its heading that are looked at: a quote that stands in more says little."""


def unsaid(
    written: Written, page: Page, said_of: Utterance, entity: Mention | None, value: Mention
) -> Stance | None:
    """Return how the quote speaks of `value` instead, None if it carries the polarity."""
    stances: list[Stance] = []
    for reading, inside in _readings(written, page, said_of, entity, value):
        if written.polarity and _states(reading.stance, written):
            return None
        if not written.polarity and inside and reading.stance in (Stance.DENIED, Stance.ENDED):
            return None
        stances.append(reading.stance)
    return stances[0] if stances else Stance.STATED


def _states(stance: Stance, written: Written) -> bool:
    if stance is Stance.ENDED:
        return written.valid_to is not None
    return stance is Stance.STATED


def _readings(
    written: Written, page: Page, said_of: Utterance, entity: Mention | None, value: Mention
) -> Iterator[tuple[Reading, bool]]:
    """Yield how each sentence that mentions the value reads; whether its cue is in the quote."""
    seen = said_of.seen
    own = frozenset(fold(written.relation).split())
    subject = said_of.surfaces(written, entity)
    spans = list(islice(seen.places(value.surface), _PLACES)) if value.surface else []
    whole = page.folded
    asked = seen.folded.strip()
    places = list(islice(finds(whole, asked), _PLACES))
    # Where markup hides the place of the quote, the quote is read alone.
    text = whole if places else asked
    for base in places or [0]:
        low, high = base, base + len(asked)
        for start, end in spans or [(len(asked), len(asked))]:
            first, last = base + start, base + end
            left, right = sentence(text, first, page.breaks(first) if places else ())
            part = text[left:right]
            around = Passage(part)
            subjects = [span for name in subject for span in around.places(name)]
            reading = read(part, (first - left, last - left), subjects, own)
            cue = reading.denial
            inside = cue is not None and low <= cue[0] + left and cue[1] + left <= high
            yield reading, inside
