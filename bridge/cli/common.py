"""What every verb shares: the three common options, opening the memex, printing."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any, TypeVar

import click

from bridge.app import App, open_app
from bridge.settings import Settings, load
from symbolic.errors import Waiting

F = TypeVar("F", bound=Callable[..., Any])


def common(function: F) -> F:
    """Add --memex, --state and --now, and pass `settings` instead of them."""

    @click.option("--memex", metavar="DIR", help="The folder of Org files (PP_MEMEX).")
    @click.option("--state", metavar="DIR", help="Where the indices live (PP_STATE).")
    @click.option("--now", metavar="T", help="The time instead of the clock's (PP_NOW).")
    @click.pass_context
    @functools.wraps(function)
    def wrapped(
        ctx: click.Context, /, memex: str | None, state: str | None, now: str | None, **rest: Any
    ) -> Any:
        given: Mapping[str, Any] = ctx.obj or {}
        settings = load(
            memex or given.get("memex"), state or given.get("state"), now or given.get("now")
        )
        settings = replace(settings, break_lock=bool(given.get("break_lock")))
        return function(settings=settings, **rest)

    return wrapped  # type: ignore[return-value]  # click's decorators change the signature


@contextmanager
def opened(
    settings: Settings, *, to_read: bool = False, reading: bool = False
) -> Iterator[App]:
    """Open the memex and say on stderr what opening it found, and at the end what came up since.

    `reading` is for verbs that write nothing: all they see is of one moment.

    `to_read` is for verbs that read the prose in; for others an empty index is worth a word.
    """
    with open_app(settings) as app:
        if not to_read and not app.read_in:
            app.notes.append("nothing has been read into the index yet: run `pp sync`")
        _say_all(app.notes)
        try:
            with app.reading() if reading else nullcontext():
                yield app
        finally:
            _say_all(app.notes)


def _say_all(notes: list[str]) -> None:
    for note in notes:
        say(note)
    notes.clear()


def say(text: str) -> None:
    """Talk to the person: on stderr."""
    click.echo(text, err=True)


def put(text: str) -> None:
    """Give data: on stdout."""
    click.echo(text)


def put_json(value: object) -> None:
    """Give one JSON document or line on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, sort_keys=False))


def fail(code: int) -> None:
    """Leave with exit code `code`."""
    raise click.exceptions.Exit(code)


def zone_of(name: str | None) -> str | None:
    """Return the zone that `--tz` names. Raises Usage if there is none of that name."""
    if name is None:
        return None
    from symbolic.errors import Usage  # --help stays quick
    from symbolic.values import BadValue
    from symbolic.zones import zone_named

    try:
        return zone_named(name)
    except BadValue as error:
        raise Usage(str(error)) from error


def may_replace(told: str, yes: bool) -> None:
    """Go on only if a person says so: by `yes`, or by an answer at the terminal.

    Raises Waiting where nobody can be asked.
    """
    if yes:
        return
    if not has_tty():
        raise Waiting(f"{told}: a person has to say --yes")
    click.confirm(f"{told}. Go on?", abort=True, err=True)


def has_tty() -> bool:
    """Return whether a person sits at both ends: only then may a verb ask."""
    return sys.stdin.isatty() and sys.stdout.isatty()
