"""What a scripted server says: a list of steps, read from JSON or JSON lines.

    Script ── steps    the first that matches and is not used up answers
           ── vectors  how texts become vectors, and which ones fail
           ── models   what the model list holds
           ── refuses  request fields and formats that this server does not know

The format for people stands in neuro/provider/README.md.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from memex.problems import Problem

__all__ = ["NO_REPLY", "Script", "Step", "Vectors", "read_script", "script_of"]

DOORS = ("chat", "embeddings", "models", "tags")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One answer and the prompts it is for. `times` None means as often as asked.

    `usage` None says no tokens at all; "count" says a quarter of the bytes.
    """

    on: str = "chat"
    when: tuple[str, ...] = ()
    title: str | None = None
    times: int | None = 1
    reply: str = ""
    body: bytes | None = None
    repeat: int = 1
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    type: str | None = None
    usage: tuple[int, int] | Literal["count"] | None = "count"
    finish: str = "stop"
    delay: float = 0.0
    drip: float = 0.0
    cut: int | None = None
    hang: bool = False
    reset: bool = False
    redirect: str | None = None
    plain: bool = False

    def fits(self, door: str, text: str) -> bool:
        """Return whether this step answers a request at `door` that says `text`."""
        if self.on != door or any(part not in text for part in self.when):
            return False
        return self.title is None or any(_titles(line, self.title) for line in text.splitlines())


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """How a text becomes a vector. The lists hold substrings of the texts that they are about."""

    dimension: int = 64
    refuse: tuple[str, ...] = ()
    null: tuple[str, ...] = ()
    short: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Everything a scripted server knows."""

    steps: tuple[Step, ...] = ()
    models: tuple[str, ...] = ("scripted",)
    vectors: Vectors = Vectors()
    refuses: tuple[str, ...] = ()


NO_REPLY = Step(
    status=501, body=b'{"error": {"message": "the script has no reply for this prompt"}}'
)
"""What answers when no step does: an error that no client takes for an empty reply."""


class _Bad(ValueError):
    """Something in a script that cannot be read."""


def read_script(text: str, path: str) -> Script | Problem:
    """Return the script in `text` (JSON, or one step a line), or what is wrong with it."""
    try:
        return script_of(json.loads(text))
    except json.JSONDecodeError as error:
        whole = Problem(
            key="bad-script", path=path, line=error.lineno, column=error.colno,
            excerpt=_line(text, error.lineno), message=f"no JSON: {error.msg}",
            remedy="write one JSON document, or one JSON object a line",
        )
    except (_Bad, RecursionError) as error:
        return Problem(
            key="bad-script", path=path, line=0, excerpt=text.strip()[:80],
            message=str(error), remedy="neuro/provider/README.md lists the keys",
        )
    return _lines(text, path, whole)


def _lines(text: str, path: str, whole: Problem) -> Script | Problem:
    """Read JSON lines; a file whose first line is no JSON either gets the whole file's problem."""
    if not text.strip():
        return whole
    steps: list[object] = []
    others: dict[str, object] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
            if isinstance(item, dict) and item.keys() & _SCRIPT_KEYS:
                others |= item
            else:
                steps.append(item)
            script_of({**others, "replies": steps[-1:]})
        except (ValueError, RecursionError) as error:
            if number == 1 and isinstance(error, json.JSONDecodeError):
                return whole
            return Problem(
                key="bad-script", path=path, line=number, excerpt=line.strip()[:80],
                message=str(error), remedy="neuro/provider/README.md lists the keys",
            )
    return script_of({**others, "replies": [*_items(others.get("replies", [])), *steps]})


def _line(text: str, number: int) -> str:
    lines = text.splitlines()
    return lines[number - 1].strip()[:80] if 0 < number <= len(lines) else ""


_SCRIPT_KEYS = {"replies", "models", "embeddings", "refuses"}


def script_of(data: object) -> Script:
    """Return the script that plain JSON values say. Raises ValueError where they say none."""
    if not isinstance(data, Mapping):
        data = {"replies": data}
    elif not data.keys() & _SCRIPT_KEYS:
        data = {"replies": [data]}
    _known(data, _SCRIPT_KEYS, "a script")
    vectors = data.get("embeddings", {})
    if not isinstance(vectors, Mapping):
        raise _Bad("embeddings is an object")
    return Script(
        steps=tuple(_step(item) for item in _items(data.get("replies", []))),
        models=_texts(data.get("models", ["scripted"]), "models"),
        vectors=_vectors(vectors),
        refuses=_texts(data.get("refuses", []), "refuses"),
    )


def _items(value: object) -> Sequence[object]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _Bad("replies is a list")
    return value


def _step(item: object) -> Step:
    if isinstance(item, str):
        return Step(reply=item)
    if not isinstance(item, Mapping):
        raise _Bad(f"a step is an object or a text, not {json.dumps(item, default=str)[:40]}")
    _known(item, set(_READERS), "a step")
    read = {_FIELDS.get(key, key): _READERS[key](value, key) for key, value in item.items()}
    if "times" not in read:
        read["times"] = None if read.get("when") or read.get("title") else 1
    return Step(**read)  # type: ignore[arg-type]  # each reader returns its field's type


def _vectors(data: Mapping[str, object]) -> Vectors:
    _known(data, {field.name for field in fields(Vectors)}, "embeddings")
    dimension = data.get("dimension", 64)
    return Vectors(
        dimension=_whole(dimension, "dimension") or 1,
        refuse=_texts(data.get("refuse", []), "refuse"),
        null=_texts(data.get("null", []), "null"),
        short=_texts(data.get("short", []), "short"),
    )


def _known(data: Mapping[str, object], keys: set[str], what: str) -> None:
    strange = sorted(str(key) for key in data.keys() - keys)
    if strange:
        raise _Bad(f"{what} has no key {', '.join(strange)}; it has {', '.join(sorted(keys))}")


def _text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise _Bad(f"{key} is a text")
    return value


def _texts(value: object, key: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Sequence) or not all(isinstance(part, str) for part in value):
        raise _Bad(f"{key} is a text or a list of texts")
    return tuple(value)


def _door(value: object, key: str) -> str:
    if value not in DOORS:
        raise _Bad(f"{key} is one of {', '.join(DOORS)}")
    return str(value)


def _reply(value: object, key: str) -> str:
    """A text as it is; any other value as the JSON that a model would write."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _bytes(value: object, key: str) -> bytes:
    return _text(value, key).encode("utf-8", "replace")


def _base64(value: object, key: str) -> bytes:
    try:
        return b64decode(_text(value, key), validate=True)
    except ValueError as error:
        raise _Bad(f"{key} cannot be decoded: {error}") from error


def _whole(value: object, key: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _Bad(f"{key} is a number from 0 on")
    return value


def _times(value: object, key: str) -> int | None:
    return None if value is None else _whole(value, key)


def _status(value: object, key: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 200 <= value <= 599:
        raise _Bad(f"{key} is a number from 200 to 599")
    return value


def _seconds(value: object, key: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
        raise _Bad(f"{key} is a number of seconds")
    return float(value)


def _flag(value: object, key: str) -> bool:
    if not isinstance(value, bool):
        raise _Bad(f"{key} is true or false")
    return value


def _headers(value: object, key: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Mapping):
        raise _Bad(f"{key} is an object")
    return tuple((str(name), str(text)) for name, text in value.items())


def _usage(value: object, key: str) -> tuple[int, int] | None:
    if value is None:
        return None
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise _Bad(f"{key} is [prompt tokens, completion tokens] or null")
    return _whole(value[0], key), _whole(value[1], key)


_READERS: Mapping[str, Callable[[object, str], object]] = {
    "on": _door, "when": _texts, "title": _text, "times": _times, "reply": _reply,
    "body": _bytes, "base64": _base64, "repeat": _whole, "status": _status,
    "headers": _headers, "type": _text, "usage": _usage, "finish": _text, "delay": _seconds,
    "drip": _seconds, "cut": _whole,
    "hang": _flag, "reset": _flag, "redirect": _text, "plain": _flag,
}


_FIELDS = {"base64": "body"}
"""Keys of a step whose field has another name."""


def _titles(line: str, title: str) -> bool:
    """Return whether a line gives `title`: bare, after stars, or after a label and a colon."""
    line = line.strip().lstrip("*# ").strip(' "')
    _, _, labelled = line.partition(":")
    return title in (line, labelled.strip(' "'))
