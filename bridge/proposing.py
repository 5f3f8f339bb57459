"""`pp propose` over headings: what is asked of whom, and what the journal keeps of each reply.

::

    heading ─► Ask ─► Door ─► model ─► Proposal ─► weigh ─► propose, refuse, failed lines
       └────────────────────► patterns ──────────► weigh ─► propose, refuse lines

Asking holds no lock and no view: a question is a value, made before. What came back is judged on
the view as it stands when the lock is held, and journalled heading by heading, so that stopping
half-way keeps everything that was answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bridge import decisions
from bridge.app import App
from bridge.egress import FORBIDDEN, Door, Withheld
from bridge.failures import Failed, Replies, failed_line, read_line
from bridge.hints import Hints
from bridge.review import Proposed, enqueue, entries, weigh
from neuro.candidates import Item
from neuro.propose import PROMPT_VERSION, Ask, Proposal, Proposer, prompts, tokens
from neuro.propose import Failed as Unanswered
from neuro.prose.patterns import MODEL, patterns
from symbolic.records import Grounding, ProseHeading
from symbolic.world import View

DEAD = ("unreachable", "timeout", FORBIDDEN)
"""Reasons that will most likely be the next heading's too."""

PATIENCE = 2
"""Headings that a model may leave without an answer, one after the other, before it is let be."""

_BATCH = 200
"""Headings that sentence patterns read under one lock."""

_WORDS = {"wrong-type": "prose", "too-large": "truncated", "missing-key": "unreachable"}
"""What a failure of the wire means for a reply, in the words that the journal keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What one heading gave: candidates judged, failures, tokens as the server counted them."""

    heading: ProseHeading
    proposed: tuple[Proposed, ...] = ()
    failed: tuple[Failed, ...] = ()
    model: str = MODEL
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What will be asked about a heading: values only. `tokens` is an estimate."""

    heading: ProseHeading
    ask: Ask
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run will ask, and what it leaves to the patterns and why."""

    questions: tuple[Question, ...] = ()
    withheld: tuple[tuple[ProseHeading, str], ...] = ()
    known: int = 0
    """Headings that were asked in these words before."""

    @property
    def tokens(self) -> int:
        """The estimate for all questions."""
        return sum(question.tokens for question in self.questions)


# --- before asking ------------------------------------------------------------------------------


def planned(
    headings: Sequence[ProseHeading], view: View, door: Door, replies: Replies, *, again: bool
) -> Plan:
    """Return what is to be asked; `again` asks headings that were answered before as well."""
    hints = Hints(view, door.egress)
    names = [f"{one.provider}/{one.model}" for one in door.chain]
    questions, withheld, known = [], [], 0
    for heading in headings:
        targets = door.targets(heading)
        if isinstance(targets, Withheld):
            withheld.append((heading, targets.reason))
        elif not again and any(
            (heading.text_hash, name, PROMPT_VERSION) in replies.asked for name in names
        ):
            known += 1
        else:
            told = hints.near(heading, remote=door.remote(heading))
            ask = question(heading, told.relations, told.rejected)
            estimate = sum(map(tokens, prompts(ask)))
            questions.append(Question(heading=heading, ask=ask, tokens=estimate))
    return Plan(questions=tuple(questions), withheld=tuple(withheld), known=known)


def question(
    heading: ProseHeading, relations: tuple[str, ...] = (), rejected: tuple[str, ...] = ()
) -> Ask:
    """Return the question about a heading, with the names by which a reply may call it."""
    place = f"{heading.path}::{'/'.join(heading.outline)}"
    named = {heading.key, place, heading.title}
    if heading.ident is not None:
        named |= {heading.ident, f"id:{heading.ident}"}
    return Ask(
        key=heading.key, title=heading.title, path=heading.path, text=heading.text,
        outline=heading.outline, date=heading.evidence_date, relations=relations,
        rejected=rejected, named=frozenset(named),
    )  # fmt: skip


# --- asking -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Asking:
    """Questions asked one after the other; it stops when the model seems to be gone.

    `left` are the headings that were never asked, `why` the last failure before that.
    """

    door: Door
    questions: Sequence[Question]
    left: tuple[ProseHeading, ...] = ()
    why: str = ""

    def run(self) -> Iterator[tuple[Question, Proposal]]:
        """Yield each question with what came back."""
        silent = 0
        for number, asked in enumerate(self.questions):
            proposal = Proposer(self.door.model_for(asked.heading)).propose(asked.ask)
            yield asked, proposal
            dead = [one for one in proposal.failures if one.reason in DEAD]
            silent = silent + 1 if dead and not proposal.replies else 0
            if dead and (silent >= PATIENCE or dead[0].reason == FORBIDDEN):
                self.why = dead[0].message
                self.left = tuple(one.heading for one in self.questions[number + 1 :])
                return


# --- after asking -------------------------------------------------------------------------------


def record(app: App, heading: ProseHeading, proposal: Proposal, replies: Replies) -> Told:
    """Judge what came back about a heading and journal it in one append. Inside `App.writing`."""
    proposal = here(proposal, heading)
    lines: list[decisions.Entry] = []
    weighed: list[Proposed] = []
    for reply in proposal.replies:
        said = decisions.Reply(
            digest=reply.digest, prompt=PROMPT_VERSION, text_hash=heading.text_hash
        )
        unread = any(f.reply_digest == reply.digest and f.item is None for f in proposal.failures)
        if unread:
            continue
        found = list(weigh(reply.items, app.view))
        made = entries(found, said, app.view)
        lines += made or [read_line(heading, reply.model, PROMPT_VERSION, reply.digest)]
        weighed += found
    attempt = replies.attempts(heading.text_hash) + 1
    failed = tuple(_failed(one, heading, attempt) for one in proposal.failures)
    app.append([*lines, *map(failed_line, failed)])
    models = proposal.models or tuple(one.model for one in proposal.failures)
    return Told(
        heading=heading, proposed=tuple(weighed), failed=failed, model=", ".join(models),
        prompt_tokens=proposal.usage.prompt, completion_tokens=proposal.usage.completion,
    )


def here(proposal: Proposal, heading: ProseHeading) -> Proposal:
    """Return what came back with every item grounded in the heading that was asked about."""

    def at(item: Item) -> Item:
        quote = item.candidate.grounding.quote
        place = Grounding(heading=heading.key, quote=quote, evidence_date=heading.evidence_date)
        return replace(item, candidate=replace(item.candidate, grounding=place))

    replies = (replace(reply, items=tuple(map(at, reply.items))) for reply in proposal.replies)
    return replace(proposal, replies=tuple(replies))


def _failed(one: Unanswered, heading: ProseHeading, attempt: int) -> Failed:
    message = one.message if not one.excerpt else f"{one.message}: {one.excerpt}"
    return Failed(
        key=heading.key, text_hash=heading.text_hash, model=one.model, prompt=PROMPT_VERSION,
        reason=_WORDS.get(one.reason, one.reason), message=message, reply=one.reply_digest,
        attempt=attempt,
    )  # fmt: skip


# --- without a model ----------------------------------------------------------------------------


def by_patterns(
    app: App, headings: Sequence[ProseHeading], progress: Callable[[str], None] | None = None
) -> Iterator[Told]:
    """Read headings by sentence patterns and queue what they say, some hundred at a time."""
    for at in range(0, len(headings), _BATCH):
        some = headings[at : at + _BATCH]
        with app.writing("propose", person=False):
            found = [weighed(heading, app.view) for heading in some]
            enqueue(app, [one for told in found for one in told.proposed])
        yield from found
        if progress is not None and at + _BATCH < len(headings):
            progress(f"read {min(at + _BATCH, len(headings))} of {len(headings)} headings")


def weighed(heading: ProseHeading, view: View) -> Told:
    """Return what sentence patterns make of a heading, judged; nothing is written."""
    found = patterns(heading, view.declarations)
    items = [Item(number, candidate) for number, candidate in enumerate(found, start=1)]
    return Told(heading=heading, proposed=tuple(weigh(items, view)))
