"""What is said to a model and what comes back: values only.

    Prompt ──Model──► Answer    text, the model, tokens as the server counted them
                 └──► Failure   a reason for programs and a sentence for people

A `Model` is any function of that shape, so a plain function can stand in for a server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

__all__ = ["Answer", "Failure", "Model", "Prompt", "Usage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One question. `schema` is a JSON schema that the reply should follow, where a server can."""

    system: str
    user: str
    schema: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the server counted them; None where it said nothing."""

    prompt: int | None = None
    completion: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A model's words. `model` is "provider/model"; `cut` means that the words stop too early.

    A reply is cut when the server said so (its length limit) or when the stream broke off.
    """

    text: str
    model: str
    usage: Usage = Usage()
    cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """No answer, and why.

    `reason` is one of unreachable, timeout, http-N (N the status), empty, forbidden, wrong-type,
    too-large, missing-key, dimension. `retryable` says whether asking again later may help.
    """

    reason: str
    message: str
    model: str
    retryable: bool = False


Model = Callable[[Prompt], Answer | Failure]
