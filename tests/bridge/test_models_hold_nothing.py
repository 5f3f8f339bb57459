"""R7: what talks to a model holds no store, journal, queue, index, connection, file or actuator.

The walk starts at the very instances that the app builds and follows attributes, slots, closures,
defaults, bound methods and containers. It stops at modules, classes and a function's globals.
"""

from __future__ import annotations

import functools
import io
import socket
import sqlite3
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from bridge.app import App, open_app
from bridge.egress import Door, VectorDoor, open_door, open_vector_door
from bridge.failures import replies
from bridge.models import load_models
from bridge.proposing import planned
from bridge.settings import load
from bridge.sync import sync
from neuro.propose import Proposer
from neuro.provider.messages import Answer, Failure, Prompt
from symbolic.journal.writer import Writer
from symbolic.records import ProseHeading
from symbolic.store.store import Store
from tests.cli import Memex

FORBIDDEN = (Store, App, Writer, sqlite3.Connection, sqlite3.Cursor, io.IOBase, socket.socket, Path)
FOREIGN = ("httpx", "httpcore")
"""An open client would hold connections: it is made inside a call and closed there."""

ENVIRONMENT = {
    "LOCAL_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "sk-none",
    "EMBEDDING_PROVIDER": "local",
}  # fmt: skip


def held(start: object) -> Iterator[tuple[str, object]]:
    """Yield everything reachable from `start`, each with the way to it."""
    seen: set[int] = set()
    todo: list[tuple[str, object]] = [(type(start).__name__, start)]
    while todo:
        way, thing = todo.pop()
        if id(thing) in seen or isinstance(thing, (types.ModuleType, type)):
            continue
        seen.add(id(thing))
        yield way, thing
        todo += [(f"{way}{step}", part) for step, part in _parts(thing)]


def _parts(thing: object) -> Iterable[tuple[str, object]]:
    if isinstance(thing, (str, bytes, int, float, complex, type(None))):
        return
    if isinstance(thing, Mapping):
        for key, value in thing.items():
            yield f"[{key!r}]", value
            yield ".key", key
    elif isinstance(thing, (list, tuple, set, frozenset)):
        yield from ((f"[{at}]", part) for at, part in enumerate(thing))
    if isinstance(thing, types.MethodType):
        yield ".__self__", thing.__self__
        yield ".__func__", thing.__func__
    if isinstance(thing, functools.partial):
        yield ".args", (thing.func, thing.args, thing.keywords)
    if isinstance(thing, types.FunctionType):
        for cell in thing.__closure__ or ():
            yield " closure", cell.cell_contents
        yield " defaults", thing.__defaults__
        yield " defaults", thing.__kwdefaults__
    for kind in type(thing).__mro__:
        for slot in getattr(kind, "__slots__", ()):
            if hasattr(thing, slot):
                yield f".{slot}", getattr(thing, slot)
    yield from ((f".{name}", value) for name, value in getattr(thing, "__dict__", {}).items())


def faults(start: object) -> list[str]:
    """Return the ways on which `start` reaches what it may not hold."""
    return [
        way for way, thing in held(start)
        if isinstance(thing, FORBIDDEN) or type(thing).__module__.split(".")[0] in FOREIGN
    ]


@pytest.fixture
def app(memex: Memex) -> Iterator[App]:
    memex.write("notes.org", "* Ada\nAda works at Initech.\n")
    memex.init()
    settings = load(str(memex.root), str(memex.state), "2025-06-01T12:00:00Z", {})
    with open_app(settings) as opened:
        sync(opened)
        yield opened


def doors(app: App) -> tuple[Door, VectorDoor]:
    models = load_models(app.settings, ENVIRONMENT)
    vectors = open_vector_door(models)
    assert vectors is not None
    return open_door(models), vectors


def heading(app: App) -> ProseHeading:
    return next(one for one in app.view.headings() if one.outline)


def test_nothing_that_the_app_builds_to_ask_a_model_reaches_store_file_or_connection(
    app: App,
) -> None:
    door, vectors = doors(app)
    model = door.model_for(heading(app))
    plan = planned([heading(app)], app.view, door, replies(app.view), again=True)
    assert plan.questions, "nothing would be asked: the walk would walk through nothing"
    for built in (door, door.client, vectors, model, Proposer(model), plan):
        assert faults(built) == [], type(built).__name__
    assert sum(1 for _ in held(Proposer(model))) > 20, "the walk does not look into what it gets"


def test_still_so_after_a_question_was_asked(app: App) -> None:
    door, _ = doors(app)
    proposer = Proposer(door.model_for(heading(app)))
    plan = planned([heading(app)], app.view, door, replies(app.view), again=True)
    told = proposer.propose(plan.questions[0].ask)
    assert told.failures and told.failures[0].reason == "unreachable"
    assert faults(proposer) == [] and faults(told) == []


def _in_a_closure(app: App, door: Door) -> object:
    def model(prompt: Prompt) -> Answer | Failure:
        raise AssertionError(app.store)

    return Proposer(model)


def _in_a_default(app: App, door: Door) -> object:
    def model(prompt: Prompt, store: Store = app.store) -> Answer | Failure:
        raise AssertionError(store)

    return Proposer(model)


class _Holder:
    def __init__(self, store: Store) -> None:
        self.store = store

    def model(self, prompt: Prompt) -> Answer | Failure:
        raise AssertionError(self.store)


def _in_a_bound_method(app: App, door: Door) -> object:
    return Proposer(_Holder(app.store).model)


def _in_a_container(app: App, door: Door) -> object:
    return replace(door, chain=({"deep": [app.store]},))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "plant", [_in_a_closure, _in_a_default, _in_a_bound_method, _in_a_container]
)
def test_the_walk_finds_a_store_that_is_planted(
    app: App, plant: Callable[[App, Door], object]
) -> None:
    door, _ = doors(app)
    assert faults(plant(app, door))
