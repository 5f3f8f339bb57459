"""What every test shares: the corpora, and the Hypothesis profiles.

`quick` is the default. `laws` (HYPOTHESIS_PROFILE=laws, what `make laws` sets) looks ten times as
long. A test states no max_examples of its own, or the profile could not raise it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from neuro.provider.scripted import Server, serve
from tests.cli import Memex, clean_environment
from tests.processes import Processes

REPO = Path(__file__).resolve().parent.parent

# No deadline: the first example of a run pays for imports and a cold disk. The blob of a failure
# is printed, so that it can be played again on another machine with @reproduce_failure. The quick
# profile plays the same histories each time, so that a red run says something about the change;
# `make laws` looks for new ones.
settings.register_profile(
    "quick",
    max_examples=200,
    stateful_step_count=30,
    deadline=None,
    print_blob=True,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "laws", settings.get_profile("quick"), max_examples=2000, derandomize=False
)
# For planted faults (tests/teeth): the same histories each time, and no search for a smaller one.
for _profile, _examples in (("bite", 40), ("chew", 400)):
    settings.register_profile(
        _profile, settings.get_profile("quick"), max_examples=_examples, derandomize=True,
        database=None, phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of test data that is not ours to ship; skip where it is absent."""
    folder = Path(os.environ.get("PP_SHARED") or REPO.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: set PP_SHARED to the one that holds corpora/")
    return folder


LONG = (
    ("test_ontology_machine", "test_order", "test_outcomes", "test_devices_machine"),
    ("test_prose_machine", "test_decisions_machine", "test_kill", "test_store_law"),
)
"""Modules that take minutes. One that starts last is waited for with nothing else left to do."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest, on either half: two workers start with a half each."""
    first, second = ([i for i in items if i.path.stem in names] for names in LONG)
    rest = [item for item in items if item.path.stem not in {*LONG[0], *LONG[1]}]
    half = max(0, len(items) // 2 - len(first))
    items[:] = [*first, *rest[:half], *second, *rest[half:]]


@pytest.fixture(scope="session")
def corpora(shared: Path) -> Path:
    """Return the folder of real Org files; skip where it is absent."""
    folder = shared / "corpora"
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: set PP_SHARED to the one that holds corpora/")
    return folder


@pytest.fixture
def scripted(memex: Memex, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Server]]:
    """Return a function that makes a scripted server the local model of `memex`.

    It is the only model that a test may call: everywhere else PP_NO_MODEL is set.
    """
    with ExitStack() as running:

        def start(script: object) -> Server:
            server = running.enter_context(serve(script))
            monkeypatch.setenv("LOCAL_BASE_URL", server.url)
            monkeypatch.delenv("PP_NO_MODEL", raising=False)
            return server

        yield start


@pytest.fixture(scope="session")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """Return what starts real `pp` processes, with one parent that has loaded everything."""
    with Processes(tmp_path_factory.mktemp("processes")) as running:
        yield running


@pytest.fixture
def memex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memex:
    """Return an empty memex that is driven through `pp`, out of reach of the user's settings."""
    own_environment(tmp_path, monkeypatch)
    return Memex(tmp_path / "memex")


def own_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the user's settings out of reach."""
    environ = clean_environment(home)
    for name in set(os.environ) - set(environ):
        monkeypatch.delenv(name)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
