"""S38: whatever is decided, the user's prose is not rewritten, not by a byte."""

from __future__ import annotations

from pathlib import Path

from tests.cli import Memex, candidate, relation

FILES = {
    "plain.org": b"* Ada\nAda was born in London.\nAda was born in Paris.\n",
    "crlf.org": b"\xef\xbb\xbf* Bo\r\nBo was born in Bergen.\r\n\t- town ::  Bergen  \r\n",
    "no-newline.org": b"#+TITLE: x\n*  TODO   Cy\t:tag:\n:properties:\n:Id: abc\n:end:\nCy sings",
    "cr.org": b"* Di\rDi was born in Oslo.\r",
    "nul.org": b"* Eve\nEve \x00 sings.\n",
    "latin.org": b"* F\xfcr\nnot utf-8\n",
    "empty.org": b"",
    "attachment.bin": bytes(range(256)),
    ".passepartout.toml": b"# my settings\n",
    "system/ontology.org": (
        relation("born-in", policy="exclusive", functional="t") + "   \n* odd \n"
    ).encode(),
    "system/notes.txt": b"mine",
    "block.org": (
        b'* G\n#+begin_src knowledge\n(:entity "G" :relation :r :value "x")\nbad\n#+end_src'
    ),
}
ADA = candidate(
    "Ada", "born-in", "London", "Ada was born in London", path="plain.org", outline=["Ada"]
)
PARIS = ADA.replace("London", "Paris")
BO = candidate("Bo", "born-in", "Bergen", "Bo was born in Bergen", path="crlf.org", outline=["Bo"])


def test_s38_no_verb_changes_a_byte_of_the_users_files(memex: Memex) -> None:
    for path, data in FILES.items():
        memex.write(path, data)
    before, times = memex.snapshot(), stamps(memex)

    def unchanged(step: str) -> None:
        assert memex.snapshot() == before, f"{step} changed {changed(before, memex.snapshot())}"
        assert stamps(memex) == times, f"{step} wrote a file anew"

    memex.init()
    unchanged("init")
    memex.run("sync").expect(0, 1)
    unchanged("sync")
    memex.propose(ADA + PARIS + BO)
    unchanged("propose")
    memex.admit_auto()
    unchanged("admit --auto")
    memex.admit(memex.queued("London")["proposal"])
    unchanged("admit")
    memex.decide("reject", memex.queued("Bergen")["proposal"])
    unchanged("reject")
    memex.decide("supersede", memex.fact("Ada born-in ?")["id"], memex.queued("Paris")["proposal"])
    unchanged("supersede")
    done = memex.declare('(:entity "Cy" :relation :sings :value "alto")')
    unchanged("declare")
    memex.decide("retract", done["fact"]["id"])
    unchanged("retract")
    memex.decide("retract", memex.fact("G r ?")["id"])
    unchanged("retract of a block")
    memex.decide("undo", done["event"])
    unchanged("undo")
    memex.declare('(:entity "H" :relation :r :value "x")')
    memex.declare('(:entity "H" :relation :r :value "x" :not t)')
    [conflict] = memex.run("contradictions", "--json").one["conflicts"]
    memex.decide("settle", conflict["id"], "--both")
    unchanged("settle")
    for reading in (
        ("query", "? ? ?", "--all"), ("query", "? ? ?", "--as-of", "2025-01-01"),
        ("timeline", "Ada"), ("contradictions", "--all"), ("status",), ("doctor",),
        ("ontology", "list"), ("audit", "Ada"), ("why", memex.fact("Ada born-in ?")["id"]),
        ("admit", "--list"),
    ):  # fmt: skip
        memex.run(*reading).expect(0, 1)
        unchanged(reading[0])
    memex.rebuild()
    unchanged("rebuild")
    memex.forget().run("sync").expect(0, 1)
    unchanged("sync by a new device")


def test_s38_what_is_written_stands_under_system_journal_alone(memex: Memex) -> None:
    for path, data in FILES.items():
        memex.write(path, data)
    before = set(memex.snapshot())
    memex.init().run("sync").expect(0, 1)
    memex.propose(BO)
    memex.admit_auto()
    everything = {
        p.relative_to(memex.root).as_posix() for p in memex.root.rglob("*") if p.is_file()
    }
    new = everything - before
    assert new and all(name.startswith("system/journal/") for name in new)


def stamps(memex: Memex) -> dict[Path, tuple[int, int]]:
    """Return inode and time of each of the user's files: a rewrite with equal bytes shows too."""
    return {
        path: ((info := path.stat()).st_ino, info.st_mtime_ns)
        for path in memex.root.rglob("*")
        if path.is_file() and "journal" not in path.parts
    }


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    return sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
