"""S32: what stands in a block is quoted, not said, unless the block is `knowledge`."""

from __future__ import annotations

import pytest

from tests.cli import Memex

BLOCKS = {
    "src": ("#+begin_src python", "#+end_src"),
    "src without a language": ("#+begin_src", "#+end_src"),
    "src in org": ("#+BEGIN_SRC org :results none", "#+END_SRC"),
    "example": ("#+begin_example", "#+end_example"),
    "quote": ("#+BEGIN_QUOTE", "#+END_QUOTE"),
    "verse": ("#+begin_verse", "#+end_verse"),
    "comment": ("#+begin_comment", "#+end_comment"),
    "export": ("#+begin_export html", "#+end_export"),
    "indented": ("  #+begin_example", "  #+end_example"),
    "knowledge inside example": (
        "#+begin_example\n#+begin_src knowledge", ",#+end_src\n#+end_example",
    ),
}  # fmt: skip
SAID = """
- colour :: green
See [[file:other.org][the other]] and [[https://example.org/x][a page]].
(:entity "Ada" :relation :born-in :value "London")
:FACT: (:entity "Ada" :relation :studied :value "mathematics")
""".lstrip()


def note(before: str, after: str, said: str = SAID) -> str:
    return f"* Note\nSome text.\n{before}\n{said}{after}\nMore text.\n- size :: 3\n"


def facts(memex: Memex) -> list[str]:
    return [
        f"{f['entity']} {f['relation']} {f['value']}"
        for f in memex.query("? ? ?", "--all").facts
        if f["provenance"] in ("extracted", "human-authored")
    ]


@pytest.mark.parametrize(("before", "after"), BLOCKS.values(), ids=BLOCKS.keys())
def test_s32_a_block_says_nothing(memex: Memex, before: str, after: str) -> None:
    empty = memex.twin("empty").write("page.org", note("", "", "")).begin()
    memex.write("page.org", note(before, after)).begin()
    assert facts(memex) == facts(empty) == ["Note size 3"]


@pytest.mark.parametrize(
    "line",
    [
        ": - colour :: green\n: [[file:other.org]]\n",
        "# - colour :: green\n# [[file:other.org]]\n",
        "#+comment: - colour :: green\n",
        "Write =[[file:other.org]]= or ~[[file:other.org]]~ for a link.\n",
        "Write =- colour :: green= for a description.\n",
        "#+begin_comment\n#+begin_src knowledge\n(:entity \"Ada\" :relation :r :value \"x\")\n"
        "#+end_src\n#+end_comment\n",
    ],
    ids=["fixed width", "comment line", "keyword", "verbatim", "verbatim item", "nested comment"],
)
def test_s32_verbatim_and_comments_say_nothing(memex: Memex, line: str) -> None:
    memex.write("page.org", note("", "", line)).begin()
    assert facts(memex) == ["Note size 3"]


@pytest.mark.parametrize(
    "fence", [("#+begin_src knowledge", "#+end_src"), ("#+BEGIN_SRC Knowledge", "#+END_SRC"),
              ("  #+begin_src knowledge :tangle no", "  #+end_src")],
)  # fmt: skip
def test_s32_a_knowledge_block_says_what_it_says(memex: Memex, fence: tuple[str, str]) -> None:
    plist = '(:entity "Ada" :relation :born-in :value "London")\n(:file ".env" :kept-by "Ada")\n'
    memex.write("page.org", note(*fence, plist)).begin()
    assert sorted(facts(memex)) == [".env kept-by Ada", "Ada born-in London", "Note size 3"]
    fact = memex.fact("Ada born-in ?")
    assert fact["provenance"] == "human-authored"
    [grounding] = fact["groundings"]
    assert (grounding["path"], grounding["line"]) == ("page.org", 4)


def test_s32_a_fact_property_outside_a_block_is_one(memex: Memex) -> None:
    memex.write(
        "page.org",
        """
        * Ada
        :PROPERTIES:
        :FACT: (:entity "Ada" :relation :born-in :value "London")
        :END:
        """,
    ).begin()
    assert memex.fact("Ada born-in ?")["provenance"] == "human-authored"


def test_s32_a_block_that_is_never_closed_hides_nothing(memex: Memex) -> None:
    """As in Org, it is no block: the text after it is text."""
    memex.write("page.org", "* Note\n#+begin_example\n- colour :: green\n* Next\n- size :: 3\n")
    memex.init().run("sync").expect(0, 1)
    assert "Next size 3" in facts(memex)


def test_s32_what_the_program_wrote_is_no_evidence(memex: Memex) -> None:
    """A heading under :AGENT: t, inherited, grounds nothing and corroborates nothing."""
    memex.write(
        "agent.org",
        """
        * Digest
        :PROPERTIES:
        :AGENT: t
        :END:
        ** Today
        - colour :: green
        Ada wrote Poem.
        """,
    ).begin()
    assert facts(memex) == []
    [line] = memex.propose(
        '{"entity": "Ada", "relation": "wrote", "value": "Poem", "quote": "Ada wrote Poem", '
        '"path": "agent.org", "outline": ["Digest", "Today"]}',
        code=4,
    )
    assert line["outcome"] == "ungrounded"


def test_s32_nothing_under_system_is_prose(memex: Memex) -> None:
    memex.write("system/notes.org", "* Note\n- colour :: green\n")
    memex.ontology("* Ada\n:PROPERTIES:\n:KIND: entity\n:ALIAS: A.\n:END:\n- colour :: green\n")
    memex.begin()
    assert facts(memex) == []


@pytest.mark.parametrize(
    ("bad", "column"),
    [
        ('(:entity "Ada" :relation :born-in)', None),
        ('(:entity "Ada" :relation :born-in :value "London" :colour)', None),
        ('(:entity "Ada" :relation :born-in :value "London" :source gate-vector-7)', 51),
        ('(:entity "" :relation :born-in :value "London")', 10),
        ("complete nonsense", None),
        ('(:entity "Ada" :relation :born-in :value "London', None),
    ],
)
def test_s32_a_bad_line_is_named_and_the_rest_loads(
    memex: Memex, bad: str, column: int | None
) -> None:
    good = '(:entity "Bo" :relation :born-in :value "Bergen")\n'
    memex.write("page.org", f"* Note\n#+begin_src knowledge\n{bad}\n{good}#+end_src\n").init()
    [problem] = memex.sync(code=1)["problems"]
    assert (problem["path"], problem["line"]) == ("page.org", 3)
    assert problem["column"] == column if column else problem["column"] >= 1
    assert problem["excerpt"] and problem["message"] and problem["remedy"]
    assert facts(memex) == ["Bo born-in Bergen"]
