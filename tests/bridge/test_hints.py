"""What a prompt tells of what is known: all of it to a local model, to a remote one far less."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bridge.app import App, open_app
from bridge.egress import Egress
from bridge.hints import REJECTED, RELATIONS, Hints, Known
from bridge.settings import load
from tests.cli import Memex, relation

RULE = Egress.of(("@personal", "@health"))
TOKEN = "ghp_" + "Zx81Qp72" * 5


@contextmanager
def opened(memex: Memex) -> Iterator[App]:
    with open_app(load(str(memex.root), str(memex.state), memex.now)) as app:
        yield app


def said(relation: str, value: str) -> str:
    """Return a knowledge block that speaks of Ada."""
    fact = f'(:entity "Ada" :relation :{relation} :value "{value}")'
    return f"#+begin_src knowledge\n{fact}\n#+end_src"


def fid(memex: Memex, value: str) -> str:
    """Return the id of the one fact whose value begins with `value`."""
    facts = memex.query("? ? ?").facts
    (found,) = (fact["id"] for fact in facts if str(fact["value"]).startswith(value))
    return str(found)


def near(app: App, title: str, *, remote: bool, path: str = "page.org") -> Known:
    heading = next(h for h in app.view.headings() if h.title == title and h.path == path)
    return Hints(app.view, RULE).near(heading, remote=remote)


@pytest.fixture
def known(memex: Memex) -> Memex:
    """Return a memex in which Ada is spoken of in the open and in private."""
    memex.ontology(relation("works-at") + relation("born-in", range="date"))
    memex.write("page.org", """
        * Ada
        - plays :: chess
        ** Work
        - desk :: 12
        * Other
        - colour :: green
        """)
    private = "\n".join((said("takes-medicine", "lithium"), said("plays", "poker")))
    memex.write("diary.org", f"#+FILETAGS: :@Health:\n* Doctor\n{private}\n")
    memex.write("keys.org", f"* Safe\n{said('hides', 'key')}\n{TOKEN}\n")
    return memex.begin()


def test_a_local_prompt_tells_every_relation_near_the_heading(known: Memex) -> None:
    with opened(known) as app:
        told = near(app, "Work", remote=False).relations
    assert told[:1] == ("desk",), "what is said here comes first"
    assert {"plays", "takes-medicine", "hides", "works-at", "born-in"} <= set(told)
    assert "colour" not in told, "nobody says it near here"
    assert "blocked-by" not in told and "contains-secret" not in told, "words of the gates"


def test_a_remote_prompt_tells_what_is_declared_or_said_in_the_open(known: Memex) -> None:
    with opened(known) as app:
        told = near(app, "Work", remote=True).relations
    assert {"desk", "plays", "works-at", "born-in"} <= set(told)
    assert not {"takes-medicine", "hides"} & set(told)


def test_a_name_of_the_shape_of_a_secret_is_not_told(memex: Memex) -> None:
    memex.ontology(relation(TOKEN) + relation("works-at"))
    memex.write("page.org", "* Ada\nShe is here.\n").begin()
    with opened(memex) as app:
        assert TOKEN not in near(app, "Ada", remote=True).relations
        assert TOKEN in near(app, "Ada", remote=False).relations


def test_a_relation_is_told_once_in_its_nearest_spelling(memex: Memex) -> None:
    memex.ontology(relation("works-at"))
    memex.write("page.org", "* Ada\n- Works_At :: Initech\n").begin()
    with opened(memex) as app:
        told = near(app, "Ada", remote=False).relations
    assert sum(name.casefold().replace("_", "-") == "works-at" for name in told) == 1


def test_what_was_rejected_at_the_heading_is_told_and_elsewhere_not(memex: Memex) -> None:
    memex.write("page.org", """
        * Ada
        - likes :: tea
        - likes :: gin
        - weight :: 60 kg
        * Bob
        - likes :: rum
        """).begin()
    for value in ("tea", "rum", "60"):
        memex.decide("reject", fid(memex, value))
    memex.decide("reject", fid(memex, "gin"), "--everywhere")
    memex.write("more.org", "* Talk\nWe met Ada.\n").sync()
    with opened(memex) as app:
        for remote in (True, False):
            refused = set(near(app, "Ada", remote=remote).rejected)
            assert refused == {"Ada likes tea", "Ada likes gin", "Ada weight 60 kg"}
            assert near(app, "Bob", remote=remote).rejected == ("Bob likes rum",)
        talk = [near(app, "Talk", remote=remote, path="more.org") for remote in (False, True)]
    assert [each.rejected for each in talk] == [("Ada likes gin",), ()]


def test_what_is_told_has_a_limit(memex: Memex) -> None:
    items = "".join(f"- r{n} :: {n}\n" for n in range(RELATIONS + 30))
    memex.write("page.org", f"* Ada\n{items}").begin()
    with opened(memex) as app:
        told = near(app, "Ada", remote=False)
    assert len(told.relations) == RELATIONS
    assert len(told.rejected) <= REJECTED
