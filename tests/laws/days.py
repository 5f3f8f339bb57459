"""A person's days with a memex: a note in the evening, a few edits, a few decisions, one life long.

Every day asks for about as much as any other, so what a day leaves behind may not grow.
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.cli import Memex, candidate, relation

FIRST = datetime(2021, 1, 1, 20, tzinfo=UTC)
PEOPLE = tuple(f"{first} {last}" for first in ("Ines", "Tomas", "Signe", "Runa", "Aksel")
               for last in ("Varga", "Moldrup", "Reve", "Falkvik"))  # fmt: skip
CITIES = ("Oslo", "Bergen", "Rome", "Skarvik", "Halden")
FIRMS = ("Nordlys", "Initech", "Brisling Boatyard", "Hooli")


@dataclass(frozen=True, slots=True)
class Measured:
    """What a memex takes at the end of a day: bytes of its journal and state, and of this process.

    `blocks` are the objects that Python holds after a collection, `resident` the bytes in memory.
    """

    day: int
    journal: int
    state: int
    blocks: int
    resident: int

    @property
    def kept(self) -> int:
        """Bytes on the disk that are not the person's own."""
        return self.journal + self.state


def size(folder: Path) -> int:
    """Return the bytes of all files in `folder`."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _file(who: str) -> str:
    return f"{who.replace(' ', '-').lower()}.org"


def _page(who: str, city: str, text: str) -> str:
    """Return the page about somebody; every second has an ID."""
    ident = f":ID: {_file(who)}\n" if PEOPLE.index(who) % 2 else ""
    return f"* {who}\n:PROPERTIES:\n{ident}:CITY: {city}\n:END:\n{who} plays cornet. {text}\n"


class Life:
    """The memex of somebody who writes every day."""

    def __init__(self, memex: Memex) -> None:
        self.memex = memex
        self.day = 0
        memex.now = self._now()
        self.places = {who: f"people/{_file(who)}" for who in PEOPLE}
        for who, place in self.places.items():
            memex.write(place, _page(who, "Oslo", "New here."))
        memex.ontology(
            relation("works-at", policy="temporal", functional="t")
            + relation("city", policy="temporal", functional="t")
            + relation("born-in", policy="exclusive", functional="t")
        )
        memex.begin()

    @property
    def today(self) -> datetime:
        """The evening of the day."""
        return FIRST + timedelta(days=self.day)

    @property
    def title(self) -> str:
        """The heading of today's note."""
        return f"{self.today:%Y-%m-%d} day {self.day}"

    def _now(self) -> str:
        return f"{self.today:%Y-%m-%dT%H:%M:%SZ}"

    def live(self) -> None:
        """Live one day."""
        self.day += 1
        self.memex.now = self._now()
        chance = random.Random(self.day)
        who, other = chance.sample(PEOPLE, 2)
        firm, city = chance.choice(FIRMS), chance.choice(CITIES)
        note = self._note(who, other, firm)
        self._edit(chance, other, city)
        self.memex.run("sync").expect(0, 1)
        self._decide(chance, note, who, other, firm)
        self.memex.run("query", f'"{who}" ? ?').expect(0)
        if self.day % 7 == 0:
            self.memex.run("search", f"dinner with {other}").expect(0)
            self.memex.run("status").expect(0, 1)

    def _note(self, who: str, other: str, firm: str) -> str:
        """Write today's entry into the month's file; return its path."""
        path = f"diary/{self.today:%Y-%m}.org"
        target = self.memex.root / path
        target.parent.mkdir(exist_ok=True)
        with target.open("a") as file:
            file.write(
                f"* {self.title}\n:PROPERTIES:\n:MOOD: fine\n"
                f":CREATED: [{self.today:%Y-%m-%d %a}]\n:END:\n{who} works at {firm}. "
                f"{other} likes dinner {self.day}. Rain until noon, then {firm} again.\n"
            )
        return path

    def _edit(self, chance: random.Random, other: str, city: str) -> None:
        """Change a person's note: another city, another text, now and then another folder."""
        found = self.places[other]
        self.memex.write(found, _page(other, city, f"Seen at {chance.randrange(10**6)} steps."))
        if self.day % 11 == 0:
            self.places[other] = f"people/{chance.choice(['near', 'far'])}/{_file(other)}"
            self.memex.move(found, self.places[other])

    def _decide(self, chance: random.Random, note: str, who: str, other: str, firm: str) -> None:
        """Let today's note propose, decide one of the queue oneself, and state a fact or two."""
        file = self.memex.base / "candidates.jsonl"
        dinner = f"dinner {self.day}"
        file.write_text(
            candidate(who, "works-at", firm, f"{who} works at {firm}", path=note,
                      outline=[self.title])
            + candidate(other, "likes", dinner, f"{other} likes {dinner}", path=note,
                        outline=[self.title])
        )
        self.memex.run("propose", "--from", str(file), "--json").expect(0, 4)
        line = chance.choice(self.memex.queue())
        if self.day % 5 == 0:
            self.memex.run("reject", line["proposal"]).expect(0)
        else:
            shown = ("--shown", line["shown"])
            self.memex.run("admit", line["proposal"], "--yes", *shown).expect(0, 4)
        self.memex.run("admit", "--auto").expect(0, 4, 6)
        said = self.memex.declare(f'(:entity "{who}" :relation :weighs :value "{self.day}")')
        if self.day % 3 == 0:
            self.memex.run("undo", said["event"]).expect(0)
        elif self.day % 3 == 1:
            self.memex.run("retract", said["fact"]["id"]).expect(0)

    def measured(self) -> Measured:
        """Return what today's memex takes.

        What the C library keeps of memory that was freed is given back first: how much that is
        depends on the order of what was freed, and comes and goes by a tenth.
        """
        gc.collect()
        if sys.platform == "linux":
            ctypes.CDLL(None).malloc_trim(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return Measured(
            self.day, size(self.memex.root / "system" / "journal"), size(self.memex.state),
            sys.getallocatedblocks(), pages * os.sysconf("SC_PAGE_SIZE"),
        )
