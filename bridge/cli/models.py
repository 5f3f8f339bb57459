"""`pp models`: the models that may propose, and a scripted one to stand in for them."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from bridge.cli.common import common, fail, put, put_json, say
from bridge.settings import Settings

LIFETIME = 3600.0
"""Seconds that `serve` lives unless --for says otherwise: a forgotten one ends by itself."""


@click.group(name="models")
def command() -> None:
    """Show the models that may propose, test them, or serve a scripted one."""


@command.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
@common
def list_(settings: Settings, as_json: bool) -> None:
    """List the models: local or remote, where in the order of asking, or why not in it.

    Of a key only the name of its variable is shown.
    """
    from bridge.listing import listed  # --help stays quick
    from bridge.models import load_models

    models = load_models(settings)
    for warning in models.warnings:
        say(warning)
    found = listed(models)
    if as_json:
        put_json(found.json())
        return
    for line in found.lines():
        put(line)


@command.command(name="check")
@click.argument("name", metavar="[PROVIDER/MODEL]", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON line a model.")
@common
def check(settings: Settings, name: str | None, as_json: bool) -> None:
    """Ask each server for its models: is it there, does it have the one that is set?

    Sends no text of yours. Exit 7 if the one that was named cannot be reached, 1 if anything else
    is wrong.
    """
    from bridge.listing import checked  # --help stays quick
    from bridge.models import load_models

    models = load_models(settings)
    for warning in models.warnings:
        say(warning)
    found = list(checked(models, name))
    if not found:
        say("no model may be asked here: pp models list says why")
    for one in found:
        if as_json:
            put_json(one.json())
        else:
            put(one.line())
    if name is not None and any(one.reason for one in found):
        fail(7)
    if not all(one.ok for one in found):
        fail(1)


@command.command(epilog="Example: pp models serve replies.json --requests 3 &")
@click.argument("script", metavar="SCRIPT")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 takes a free one.")
@click.option("--requests", type=click.IntRange(min=1), help="End after so many answers.")
@click.option("--for", "seconds", type=click.FloatRange(min=0), default=LIFETIME,
              help=f"End after so many seconds ({LIFETIME:g}).")
def serve(script: str, port: int, requests: int | None, seconds: float) -> None:
    """Answer like an OpenAI-compatible server, on this machine only, from SCRIPT (- is stdin).

    The first line on stdout is the base URL. Ends after --requests, --for or an interrupt with
    exit 0. The script's format stands in neuro/provider/README.md.
    """
    from memex.problems import Problem
    from neuro.provider.script import read_script
    from neuro.provider.scripted import serve as served
    from symbolic.errors import ConfigurationError, Usage

    read = read_script(_text(script), script)
    if isinstance(read, Problem):
        where = f"{read.path}:{read.line}" if read.line else read.path
        raise Usage(f"{where}: {read.message}\n    {read.excerpt}\n    {read.remedy}")
    try:
        with _stopped_by_signals(), served(read, port=port) as server:
            put(server.url)
            sys.stdout.flush()
            server.wait(requests=requests, seconds=seconds)
            count = len(server.requests)
    except _Stopped:
        say("stopped")
        return
    except OSError as error:
        raise ConfigurationError(f"port {port} cannot be had: {error.strerror}") from error
    say(f"ended after {count} request{'' if count == 1 else 's'}")


def _text(script: str) -> str:
    from symbolic.errors import Usage

    try:
        data = sys.stdin.buffer.read() if script == "-" else Path(script).read_bytes()
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise Usage(f"{script} cannot be read: {error}") from error


class _Stopped(Exception):
    """A signal asked the server to end."""


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Turn SIGINT and SIGTERM into _Stopped: a shell ignores SIGINT for what it runs with `&`."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise _Stopped

    # Only the main thread may ask for signals; elsewhere whoever called us stops us.
    main = threading.current_thread() is threading.main_thread()
    wanted = (signal.SIGINT, signal.SIGTERM) if main else ()
    before = {number: signal.signal(number, stop) for number in wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
