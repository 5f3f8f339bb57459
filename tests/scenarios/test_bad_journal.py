"""Bad input: journals torn, broken, or of a newer version; folders that are no memex; read-only."""

from __future__ import annotations

import json

import pytest

from tests.cli import Memex, Result, candidate, read_only, relation
from tests.symbolic.journals import sealed

PLIST = '(:entity "Ada" :relation :born-in :value "London")'
OTHER = '(:entity "Ada" :relation :studied :value "mathematics")'
SAID = candidate("Ada", "wrote", "Poem", "Ada wrote Poem", path="note.org", outline=["Ada"])

READING = [
    ("query", "Ada ? ?"), ("timeline", "Ada"), ("contradictions",), ("status",),
    ("admit", "--list"), ("ontology", "list"), ("audit", "Ada"),
]  # fmt: skip
WRITING = [
    ("sync",), ("admit", "--auto"), ("declare", OTHER), ("propose", "--from", "FILE"),
]  # fmt: skip


@pytest.fixture
def notes(memex: Memex) -> Memex:
    memex.write("note.org", "* Ada\n- hat :: red\nAda wrote Poem.\n").begin()
    memex.declare(PLIST)
    (memex.base / "said.jsonl").write_text(SAID, encoding="utf-8")
    return memex


def run(notes: Memex, argv: tuple[str, ...]) -> Result:
    return notes.run(*(str(notes.base / "said.jsonl") if word == "FILE" else word for word in argv))


def owed(notes: Memex, argv: tuple[str, ...]) -> None:
    """Make sure that the verb has a line to write."""
    if argv[0] == "admit":
        run(notes, WRITING[-1])
    elif argv[0] == "sync":
        notes.ontology(relation("likes", policy="temporal"))


# --- torn ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [1, 10, 100], ids=lambda n: f"{n} bytes short")
def test_bad_torn_last_line_is_cut_and_reported(notes: Memex, cut: int) -> None:
    """A line that was never whole was never decided, nor taken in by the index."""
    before, digest = notes.journal_bytes(), notes.digest()
    index = {path: path.read_bytes() for path in notes.state.glob("facts.db*")}
    notes.declare(OTHER)
    [file] = notes.journal_files
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) - cut])
    for path in notes.state.glob("facts.db*"):
        path.unlink()
    for path, data in index.items():
        path.write_bytes(data)

    name = file.relative_to(notes.root / "system" / "journal").as_posix()
    ran = notes.run("sync").expect(0)
    ran.names(name, "torn")
    assert notes.journal_bytes() == before
    assert notes.current("Ada ? ?") == ["Ada born-in London", "Ada hat red"]
    assert notes.digest() == digest
    notes.declare(OTHER)
    assert "Ada studied mathematics" in notes.current("Ada ? ?")
    notes.run("doctor").expect(0)


def test_bad_torn_line_that_the_index_holds_still_counts(notes: Memex) -> None:
    """It was whole once, so it was decided: the index keeps the text of what it took in."""
    notes.declare(OTHER)
    [file] = notes.journal_files
    file.write_bytes(file.read_bytes()[:-10])
    notes.run("sync").expect(0, 1)
    assert "Ada studied mathematics" in notes.current("Ada ? ?")


def test_bad_torn_line_is_read_past_and_left_alone_by_reading_verbs(notes: Memex) -> None:
    [file] = notes.journal_files
    file.write_bytes(file.read_bytes() + b'{"at":"2025')
    torn = notes.journal_bytes()
    for argv in READING:
        run(notes, argv).expect(0)
    assert notes.journal_bytes() == torn


# --- broken -------------------------------------------------------------------------------------


def damaged(notes: Memex, how: str) -> tuple[str, int]:
    """Damage the second line of the own chain; return its file and line."""
    [file] = notes.journal_files
    lines = file.read_bytes().splitlines(keepends=True)
    if how == "a changed word":
        lines[1] = lines[1].replace(b"program:", b"person_:", 1)
    elif how == "a changed body":
        body = json.loads(lines[-1])
        body["body"]["salt"] = "0" * 32
        lines[-1] = json.dumps(body, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    elif how == "a line gone":
        del lines[1]
    elif how == "lines swapped":
        lines[1], lines[2] = lines[2], lines[1]
    elif how == "junk":
        lines[1] = b"junk\n"
    elif how == "a line twice":
        lines.insert(1, lines[1])
    file.write_bytes(b"".join(lines))
    number = len(lines) if how == "a changed body" else 3 if how == "a line twice" else 2
    return file.relative_to(notes.root / "system" / "journal").as_posix(), number


WAYS = ["a changed word", "a changed body", "a line gone", "lines swapped", "junk", "a line twice"]


@pytest.mark.parametrize("argv", WRITING, ids=lambda argv: argv[0])
@pytest.mark.parametrize("how", WAYS)
def test_bad_broken_chain_refuses_to_write_naming_file_and_line(
    notes: Memex, how: str, argv: tuple[str, ...]
) -> None:
    notes.declare('(:entity "Ada" :relation :likes :value "Rain")')
    owed(notes, argv)
    name, line = damaged(notes, how)
    before = notes.journal_bytes()
    run(notes, argv).expect(3).names(f"{name}:{line}")
    assert notes.journal_bytes() == before, "nothing is written behind a break"
    notes.run("doctor").expect(1).names(f"{name}:{line}")
    notes.run("rebuild", "--verify").expect(3).names(f"{name}:{line}")


@pytest.mark.parametrize("how", WAYS)
def test_bad_broken_chain_still_answers(notes: Memex, how: str) -> None:
    damaged(notes, how)
    for argv in READING:
        run(notes, argv).expect(0, 1)
    assert "Ada hat red" in notes.current("Ada ? ?")


def test_bad_chain_restored_goes_on(notes: Memex) -> None:
    before, digest = notes.journal_bytes(), notes.digest()
    damaged(notes, "junk")
    notes.run("declare", OTHER).expect(3)
    for name, data in before.items():
        (notes.root / name).write_bytes(data)
    assert notes.digest() == digest
    notes.declare(OTHER)
    notes.run("doctor").expect(0)


# --- newer --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change", [{"v": 2}, {"kind": "dream"}], ids=["a higher version", "an unknown kind"]
)
@pytest.mark.parametrize("argv", WRITING, ids=lambda argv: argv[0])
def test_bad_newer_journal_is_read_only(
    notes: Memex, change: dict[str, object], argv: tuple[str, ...]
) -> None:
    owed(notes, argv)
    [file] = notes.journal_files
    lines = file.read_bytes().splitlines(keepends=True)
    last = json.loads(lines[-1])
    made = {**last, "seq": last["seq"] + 1, "prev": last["hash"], **change}
    made["at"] = last["at"][:-7] + "999999Z"
    file.write_bytes(b"".join(lines) + sealed(made))
    before = notes.journal_bytes()
    name = file.relative_to(notes.root / "system" / "journal").as_posix()
    run(notes, argv).expect(3).names(f"{name}:{len(lines) + 1}", "update")
    for reading in READING:
        run(notes, reading).expect(0, 1)
    assert "Ada born-in London" in notes.current("Ada ? ?")
    assert notes.journal_bytes() == before


# --- no memex, and one that may not be written ---------------------------------------------------


@pytest.mark.parametrize(
    "argv",
    [argv for argv in (*READING, *WRITING) if argv[0] != "ontology"]
    + [("doctor",), ("rebuild",), ("why", "abcdef"), ("reject", "abcdef"), ("undo", "abcdef")],
    ids=lambda argv: argv[0],
)
def test_bad_folder_that_is_no_memex_names_the_way_out(
    memex: Memex, argv: tuple[str, ...]
) -> None:
    memex.write("note.org", "* Ada\n- hat :: red\n")
    (memex.base / "said.jsonl").write_text(SAID, encoding="utf-8")
    before = memex.snapshot()
    run(memex, argv).expect(3).names("pp init", str(memex.root))
    assert memex.snapshot() == before and not memex.state.exists(), "nothing is made"


def test_bad_folder_that_is_no_memex_still_shows_the_seed(memex: Memex) -> None:
    memex.run("ontology", "list").expect(0).names("secret-files", "gate-vector-2")


def test_bad_folder_that_is_not_there(memex: Memex) -> None:
    memex.root.rmdir()
    memex.run("init").expect(3).names(str(memex.root))
    memex.run("sync").expect(3).names(str(memex.root))


def test_bad_folder_that_is_a_file(memex: Memex) -> None:
    memex.root.rmdir()
    memex.root.write_text("not a folder")
    memex.run("init").expect(2, 3)
    memex.run("sync").expect(3)
    assert memex.root.read_text() == "not a folder"


def test_bad_journal_that_is_a_file(memex: Memex) -> None:
    memex.write("system/journal", b"not a folder")
    memex.run("init").expect(3).names("system/journal")
    memex.run("sync").expect(3)
    assert (memex.root / "system" / "journal").read_bytes() == b"not a folder"


def test_bad_read_only_memex_answers_and_names_the_line_it_cannot_write(notes: Memex) -> None:
    """Reading verbs work; what needs a journal line exits 3 and says which."""
    before = notes.journal_bytes()
    with read_only(notes):
        for argv in READING:
            run(notes, argv).expect(0)
        assert notes.current("Ada ? ?") == ["Ada born-in London", "Ada hat red"]
        notes.run("declare", OTHER).expect(3).names("declare", str(notes.root))
        run(notes, ("propose", "--from", "FILE")).expect(3).names("propose")
        notes.run("retract", notes.fact("Ada born-in ?")["id"]).expect(3).names("retract")
        run(notes, ("propose", "--from", "FILE", "--dry-run")).expect(0)
        notes.run("sync").expect(0)
    assert notes.journal_bytes() == before
    notes.declare(OTHER)


def test_bad_read_only_memex_is_read_by_a_new_device(notes: Memex) -> None:
    """No journal line is needed to read: the index lies elsewhere."""
    wanted = notes.current("Ada ? ?")
    notes.forget()
    with read_only(notes):
        notes.run("sync").expect(0, 3)
        assert notes.current("Ada ? ?") == wanted


def test_bad_read_only_folder_is_no_place_to_begin(memex: Memex) -> None:
    with read_only(memex):
        memex.run("init").expect(3).names("open")


def test_bad_state_folder_that_is_a_file(notes: Memex) -> None:
    notes.forget()
    notes.state.write_text("not a folder")
    notes.run("status").expect(3).names(str(notes.state))


@pytest.mark.parametrize("now", ["2999-01-01T00:00:00Z", "tomorrow", "2024-13-01"])
def test_bad_now(notes: Memex, now: str) -> None:
    """A writing verb refuses a time to come; no verb takes what is no time."""
    before = notes.journal_bytes()
    notes.run("declare", OTHER, now=now).expect(2).names(now[:4])
    assert notes.journal_bytes() == before


@pytest.mark.parametrize(
    "argv",
    [("declare", "nonsense"), ("declare", "(:entity"), ("query", "one two"), ("query", "("),
     ("query", "(:colour :green :entity :x :relation :y)"), ("admit",),
     ("admit", "--list", "--auto"), ("admit", "abcdef", "--yes"), ("settle", "abcdef"),
     ("undo", "abcdef"), ("retract", "abcdef"),
     ("query", "a b c", "--at", "someday"), ("syncc",), ("timeline",)],
    ids=" ".join,
)  # fmt: skip
def test_bad_usage_exits_2_and_writes_nothing(notes: Memex, argv: tuple[str, ...]) -> None:
    before = notes.journal_bytes()
    ran = notes.run(*argv).expect(2)
    assert ran.err.strip() and not ran.out.strip()
    assert notes.journal_bytes() == before


def test_bad_digest_of_what_was_shown_exits_5(notes: Memex) -> None:
    """Approval is bound to what was shown: text, verdict, rivals."""
    run(notes, ("propose", "--from", "FILE"))
    [line] = notes.queue()
    notes.run("admit", line["proposal"], "--yes", "--shown", "0" * 16).expect(5)
    notes.edit("note.org", "Ada wrote Poem.", "They say that Ada wrote Poem.").sync()
    notes.run("admit", line["proposal"], "--yes", "--shown", line["shown"]).expect(5)
    assert notes.current("Ada wrote ?") == []
    notes.admit(line["proposal"])
    notes.run("admit", line["proposal"], "--yes", "--shown", line["shown"]).expect(5)


def test_bad_digest_when_a_rival_came_in_between_exits_5(notes: Memex) -> None:
    notes.ontology(relation("wrote", functional="t")).sync()
    run(notes, ("propose", "--from", "FILE"))
    [line] = notes.queue()
    notes.declare('(:entity "Ada" :relation :wrote :value "Novel")')
    notes.run("admit", line["proposal"], "--yes", "--shown", line["shown"]).expect(5)
