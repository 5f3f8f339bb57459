"""A model's reply given by hand: read as if the model had been asked about one heading."""

from __future__ import annotations

from bridge.candidates import Places
from bridge.proposing import here, question
from neuro.propose import Proposal, read_answer
from neuro.provider.messages import Answer
from symbolic.errors import Usage
from symbolic.records import Grounding, ProseHeading
from symbolic.world import View

MODEL = "reply"
"""The name of a model nobody named."""


def about(view: View, named: str) -> ProseHeading:
    """Return the heading that a key, an ID or `path::Title/Title` names. Raises Usage if none."""
    found = Places(view).find(Grounding(heading=named))
    if found is None:
        raise Usage(
            f"--heading {named}: there is no such heading; give its ID, its key or "
            "path::Title/Title, and run `pp sync` after a change"
        )
    return found


def read_reply_about(heading: ProseHeading, text: str, model: str | None) -> Proposal:
    """Return what a raw reply proposes for a heading, and what of it could not be read."""
    reply, failures = read_answer(Answer(text=text, model=model or MODEL), question(heading))
    return here(
        Proposal(key=heading.key, parts=1, replies=(reply,), failures=failures), heading
    )
