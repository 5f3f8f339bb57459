"""What leaves the machine: nothing private and nothing secret, whatever fails, embeddings too."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import neuro.provider.send
from bridge import egress as egress_module
from bridge.egress import Door, Egress, VectorDoor, Withheld, open_door, open_vector_door
from bridge.models import load_models
from bridge.settings import load
from bridge.targets import Models
from neuro.provider.client import Client, Endpoint
from neuro.provider.messages import Answer, Failure, Prompt
from neuro.provider.scripted import Server, serve
from symbolic.records import ProseHeading
from tests.bridge.private_notes import MARK, NOTES, PUBLIC, TOKEN, deepest, private, public

KEY = "Zx81-not-a-real-key"
ALL = {"times": None}
ANSWER = {"reply": [], **ALL}
FAILURES: dict[str, list[dict[str, Any]]] = {
    "http 500": [{"status": 500, **ALL}],
    "http 429": [{"status": 429, **ALL}],
    "http 401": [{"status": 401, **ALL}],
    "cut": [{"reply": "[{\"entity\":", "cut": 5, **ALL}],
    "reset": [{"reset": True, **ALL}],
    "empty": [{"reply": "", **ALL}],
    "prose": [{"reply": "I would rather talk about the weather.", **ALL}],
    "wrong type": [{"body": "<html>sign in</html>", "type": "text/html", **ALL}],
    "redirect": [],  # to the cloud, see `local_script`
    "hang": [{"hang": True, **ALL}],
}
MODES = [*FAILURES, "refused", "forbidden", "proxy"]


@dataclass
class World:
    """A memex that allows the cloud, a local server that fails, a cloud that listens."""

    base: Path
    cloud: Server
    local: Server | None
    """None where nobody is to be reached."""
    environ: dict[str, str]

    def models(self, **environ: str) -> Models:
        env = {**self.environ, **environ}
        names = {"localhost": ("203.0.113.7",)}
        # The cloud stands on this machine: only the resolver says that it does not.
        return load_models(
            load(str(self.base / "notes"), environ=env), env, resolve=lambda host: names[host]
        )

    def door(self, name: str | None = None, **environ: str) -> Door:
        return open_door(self.models(**environ), name)


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="module")
def cloud() -> Iterator[Server]:
    with serve([ANSWER]) as server:
        yield server


@pytest.fixture
def world(
    tmp_path: Path, cloud: Server, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    """Return the world in which the local server fails in the way of the parameter."""
    mode = getattr(request, "param", "http 500")
    monkeypatch.setattr(neuro.provider.send, "PAUSE", 0.0)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / ".passepartout.toml").write_text("[models]\ncloud = true\n")
    user = tmp_path / "config" / "passepartout" / "config.toml"
    user.parent.mkdir(parents=True)
    user.write_text(f'[models.openai]\nbase_url = "http://localhost:{cloud.port}/v1"\n')
    script = FAILURES.get(mode, [ANSWER])
    if mode == "redirect":
        script = [{"redirect": cloud.url + "/chat/completions", "status": 307, **ALL}]
    if mode == "proxy":
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{cloud.port}")
    with ExitStack() as stack:
        local = stack.enter_context(serve(script))
        port = closed_port() if mode == "refused" else local.port
        cloud.requests.clear()
        cloud.connections = cloud.bytes_received = 0
        heard = None if mode in ("refused", "forbidden") else local
        yield World(tmp_path, cloud, heard, {
            "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config"), "USER": "tester",
            "LOCAL_BASE_URL": f"http://127.0.0.1:{port}", "OPENAI_API_KEY": KEY,
            "LLM_REQUEST_TIMEOUT": "0.1" if mode == "hang" else "10",
            **({"PP_NO_MODEL": "1"} if mode == "forbidden" else {}),
        })  # fmt: skip


def prompt(heading: ProseHeading) -> Prompt:
    """Return what a proposer would send: the titles above, the path, the text."""
    above = " / ".join(heading.outline)
    return Prompt(
        system="Answer with a JSON array.", user=f"{heading.path}: {above}\n\n{heading.text}",
        schema={"type": "array"},
    )


def rows(headings: list[ProseHeading]) -> list[tuple[ProseHeading | None, str]]:
    return [(one, "\n".join((*one.outline, one.text))) for one in headings]


def doors(world: World) -> list[Door]:
    """Return every way in which somebody may have set up who is asked."""
    return [
        world.door(),
        world.door(PROVIDER_CASCADE="local,openai"),
        world.door(PROVIDER_CASCADE="openai,local"),
        world.door(PP_MODEL="openai"),
        world.door("openai/gpt-4o"),
        world.door("local"),
    ]


# --- the law ------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", MODES, indirect=True)
def test_the_cloud_receives_no_byte_of_what_is_private(world: World) -> None:
    headings = private()
    assert len(headings) >= 20
    # A server that hangs costs time: it gets the door that matters most.
    every = doors(world) if world.environ["LLM_REQUEST_TIMEOUT"] != "0.1" else doors(world)[2:3]
    for door in every:
        for why, heading in headings.items():
            door.model_for(heading)(prompt(heading))
            assert not world.cloud.connections, (why, [one.name for one in door.chain])
    assert world.local is None or world.local.connections >= len(headings), "none was even tried"
    vectors = open_vector_door(world.models(EMBEDDING_PROVIDER="openai"))
    assert vectors is not None and not vectors.endpoint.local
    made = vectors.embed(rows(list(headings.values())))
    assert all(isinstance(one, Failure) and one.reason == "forbidden" for one in made)
    assert (world.cloud.connections, world.cloud.bytes_received) == (0, 0)


@pytest.mark.parametrize("world", ["http 500", "refused", "redirect", "hang"], indirect=True)
def test_a_failing_local_model_sends_nobody_to_the_cloud(world: World) -> None:
    """Public text as well: falling through never crosses from local to remote."""
    came = world.door(PROVIDER_CASCADE="local,openai").ask(public(), prompt(public()))
    assert isinstance(came.result, Failure)
    assert world.cloud.connections == 0


def test_public_text_does_reach_the_cloud_that_is_named(world: World) -> None:
    """The control: the walk above can fail."""
    for door in (world.door("openai"), world.door(PROVIDER_CASCADE="openai,local")):
        world.cloud.requests.clear()
        came = door.ask(public(), prompt(public()))
        assert isinstance(came.result, Answer), came
        assert came.result.model == "openai/gpt-4o-mini"
        assert PUBLIC.splitlines()[-1] in world.cloud.requests[0].text
    vectors = open_vector_door(world.models(EMBEDDING_PROVIDER="openai"))
    assert vectors is not None
    headings = [*list(private().values())[:3], public(), *list(private().values())[3:]]
    made = vectors.embed(rows(headings))
    assert [isinstance(one, tuple) for one in made] == [at == 3 for at in range(len(headings))]
    heard = b"".join(one.body for one in world.cloud.requests)
    assert b"Initech" in heard
    assert MARK.encode() not in heard


def test_without_the_rule_every_one_of_them_would_leave(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same headings through a door without a rule: each is heard, so each tests something."""
    monkeypatch.setattr(egress_module, "secret_shapes", lambda text: ())
    door = replace(world.door("openai"), egress=Egress(frozenset()))
    for number, heading in enumerate(private().values()):
        world.cloud.requests.clear()
        assert isinstance(door.ask(heading, prompt(heading)).result, Answer)
        assert f"{MARK}-{number}" in world.cloud.requests[0].text


@pytest.mark.parametrize("why", NOTES)
def test_each_is_held_back_for_one_reason_alone(why: str) -> None:
    """A heading with two reasons would hide that one of them is not seen."""
    heading = private()[why]
    rule = Egress.of(("@personal", "@health", "@finance"))
    tag, shapes = rule.private_tag(heading), rule.secrets(heading)
    assert (tag is not None) is ("tag" in why)
    assert bool(shapes) is ("tag" not in why)
    assert TOKEN not in str(rule.holds_back(heading))


# --- the rule -----------------------------------------------------------------------------------

HERE = Endpoint(provider="local", base_url="http://127.0.0.1:1/v1", model="m", local=True)
THERE = Endpoint(provider="openai", base_url="https://api.example/v1", model="m", key=KEY)


@pytest.mark.parametrize("tag", [
    "@personal", ":@personal:", "@PERSONAL", "@Personal", "＠personal", "@per\u200bsonal",
])  # fmt: skip
def test_a_tag_is_compared_without_colons_case_and_width(tag: str) -> None:
    rule = Egress.of((tag,))
    assert rule.private_tag(deepest("* Visit :@personal:\n")) == "@personal"
    assert rule.private_tag(replace(public(), tags=(tag,))) == tag
    assert Egress.of(("@personal",)).private_tag(replace(public(), tags=(tag,))) == tag


@pytest.mark.parametrize("text", [
    "* Visit :@personality:\nx\n", "* Visit\nWe spoke of :@personal: and of @personal.\n",
    "* Visit\n:PROPERTIES:\n:TAGS: @personal\n:END:\n", "* Visit @personal\n",
    "* Doctors :@health:\n* Visit\n",
])  # fmt: skip
def test_what_is_no_tag_of_the_heading_holds_nothing_back(text: str) -> None:
    assert Egress.of(("@personal", "@health")).holds_back(deepest(text)) is None


def test_tags_of_ones_own_replace_the_tables() -> None:
    rule = Egress.of((":secret:", "", ":"))
    assert rule.holds_back(deepest("* Visit :@personal:\n")) is None
    assert rule.holds_back(deepest("* Visit :Secret:\n")) == "it is private (:Secret:)"
    assert rule.holds_back(deepest("* Visit\n")) is None


def test_everything_that_would_be_sent_is_looked_at() -> None:
    rule, heading = Egress.of(()), public()
    assert rule.refusal(heading, ("fine",), THERE) is None
    assert "github-token" in str(rule.refusal(heading, ("fine", f"rejected: {TOKEN}"), THERE))
    assert rule.refusal(heading, (TOKEN,), HERE) is None
    assert rule.refusal(None, ("where is Ada?",), THERE) is None
    assert rule.refusal(None, (TOKEN,), THERE) is not None
    assert rule.refusal(deepest(PUBLIC, f"notes/{TOKEN}.org"), ("fine",), THERE) is not None


@pytest.mark.parametrize("part", ["system", "user", "schema"])
def test_no_part_of_a_prompt_is_left_out(part: str) -> None:
    fine = Prompt(system="Answer.", user="Ada works at Initech.")
    hot: Any = {"type": "array", "title": TOKEN} if part == "schema" else f"x {TOKEN}"
    door = Door(Egress.of(()), (THERE,), Client(forbidden=True))
    came = door.ask(public(), replace(fine, **{part: hot})).result
    assert isinstance(came, Failure)
    assert (came.reason, came.message.startswith("not sent")) == ("forbidden", True)
    assert TOKEN not in came.message
    passed = door.ask(public(), fine).result
    assert isinstance(passed, Failure)
    assert "not sent" not in passed.message, "this one got as far as the client"


def test_a_long_heading_is_judged_whole_whatever_part_of_it_is_asked_about() -> None:
    heading = deepest(f"* Visit\n{'Some words. ' * 2000}\n{TOKEN}\n")
    door = Door(Egress.of(()), (THERE,), Client(forbidden=True))
    came = door.ask(heading, Prompt(system="", user="Some words.")).result
    assert isinstance(came, Failure)
    assert came.message.startswith("not sent")


def test_the_door_says_who_may_be_asked_before_anything_is_sent() -> None:
    door = Door(Egress.of(("@personal",)), (THERE, HERE), Client())
    private_one = deepest("* Visit :@personal:\n")
    assert door.targets(public()) == (THERE, HERE)
    assert door.targets(private_one) == (HERE,)
    assert (door.remote(public()), door.remote(private_one)) == (True, False)
    alone = replace(door, chain=(THERE,))
    assert alone.targets(private_one) == Withheld(
        "it is private (:@personal:), and openai/m is not local"
    )
    assert not alone.remote(private_one)
    assert isinstance(replace(door, chain=()).targets(public()), Withheld)


def test_embeddings_keep_the_order_and_send_only_what_may_go() -> None:
    door = VectorDoor(Egress.of(("@personal",)), THERE, Client(forbidden=True))
    mixed: list[tuple[ProseHeading | None, str]] = [
        (public(), "Ada"), (deepest("* V :@personal:\n"), "x"), (None, "who?"), (None, TOKEN),
    ]  # fmt: skip
    assert [why is None for why in door.may_embed(mixed)] == [True, False, True, False]
    made = door.embed(mixed)
    assert ["not sent" in one.message for one in made if isinstance(one, Failure)] == [
        False, True, False, True,
    ]  # fmt: skip
    here = replace(door, endpoint=HERE)
    assert here.may_embed(mixed) == [None] * 4
