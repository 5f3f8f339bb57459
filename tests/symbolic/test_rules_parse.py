"""The language of rules: what it says, what it prints, and what it answers to nonsense."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic.records import NameKind, RuleFile, ValueKind
from symbolic.rules.faults import Fault
from symbolic.rules.parse import Parsed, parse
from symbolic.rules.printing import print_clause
from symbolic.rules.syntax import Absent, Atom, Clause, Compare, Constant, Operator, Order, Variable
from symbolic.rules.words import MAX_FAULTS
from symbolic.values import literal, name
from tests.symbolic.rules_text import CLAUSES, GARBAGE

few = settings(max_examples=settings.default.max_examples // 4)
some = settings(max_examples=settings.default.max_examples // 2)


def read(text: str, file: str = "my.dl") -> Parsed:
    return parse(RuleFile(name=file, text=text))


def clauses(text: str) -> tuple[Clause, ...]:
    found = read(text)
    assert not found.faults, [str(fault) for fault in found.faults]
    return found.clauses


def fault(text: str) -> Fault:
    found = read(text)
    assert found.faults
    return found.faults[0]


# --- what is written ------------------------------------------------------------------------------


def test_a_rule() -> None:
    (one,) = clauses("grandparent(X, Z) <= parent(X, Y) & parent(Y, Z).")
    x, y, z = Variable("X"), Variable("Y"), Variable("Z")
    assert one.head == Atom(relation="grandparent", entity=x, value=z)
    assert one.body == (
        Atom(relation="parent", entity=x, value=y), Atom(relation="parent", entity=y, value=z)
    )
    assert (one.place.file, one.place.line, one.place.column) == ("my.dl", 1, 1)


def test_relations_fold_and_is_a_is_member_of_class() -> None:
    (one,) = clauses("works_at(X, C) <= 'Works-At'(X, C) & is_a(C, 'Firm').")
    assert [atom.relation for atom in one.body if isinstance(atom, Atom)] == [
        "works at", "member of class"
    ]


def test_the_first_arrow_is_the_arrow_and_later_ones_compare() -> None:
    (one,) = clauses("old(X, Y) <= age(X, Y) & Y <= 5 & 3 =< Y.")
    assert [c.operator for c in one.body if isinstance(c, Compare)] == [Operator.LE, Operator.LE]


def test_a_constraint_has_no_head() -> None:
    (one,) = clauses("<= p(X, Y) & denied(p, X, Y) & ~denied('q', X, Y).")
    assert one.head is None
    assert one.body[1] == Atom(
        relation="p", entity=Variable("X"), value=Variable("Y"), denied=True
    )
    assert isinstance(one.body[2], Absent) and one.body[2].atom.denied


def test_spells() -> None:
    (one,) = clauses("r(X, Y)@S <= p(X, Y)@S & q(X, Y)@T & during(S, T) & 'during'(X, Y).")
    assert isinstance(one.head, Atom) and one.head.spell == "S"
    assert isinstance(one.body[2], Order) and isinstance(one.body[3], Atom)


@pytest.mark.parametrize(
    ("written", "kind", "canon"),
    [
        ("berlin", NameKind.NAME, "berlin"),
        ("'New_York'", NameKind.NAME, "new york"),
        ("'true'", NameKind.NAME, "true"),
        (r"'it\'s \\ \u{e9}'", NameKind.NAME, "it's \\ é"),
        ('path("/a_B")', NameKind.PATH, "/a_B"),
        ('url("https://a.example/x")', NameKind.URL, "https://a.example/x"),
        ('host("a.example")', NameKind.HOST, "a.example"),
        ('command("rm -rf /")', NameKind.COMMAND, "rm -rf /"),
        ('text("a % b\\n")', ValueKind.TEXT, "a % b\n"),
        ("5000", ValueKind.INTEGER, "5000"),
        ("-1.50", ValueKind.DECIMAL, "-1.5"),
        ("q(8, 'km')", ValueKind.QUANTITY, "8000 m"),
        ("date(2024)", ValueKind.DATE, "2024"),
        ("date(2024-02)", ValueKind.DATE, "2024-02"),
        ("date(2024-02-01T10:00:00Z)", ValueKind.DATE, "2024-02-01T10:00:00Z"),
        ("date('12 May 2024')", ValueKind.DATE, "2024-05-12"),
        ("false", ValueKind.BOOLEAN, "false"),
    ],
)
def test_constants(written: str, kind: NameKind | ValueKind, canon: str) -> None:
    (one,) = clauses(f"p(X, {written}) <= p(X, Y).")
    assert isinstance(one.head, Atom) and isinstance(one.head.value, Constant)
    assert (one.head.value.term.kind, one.head.value.term.canon) == (kind, canon)


def test_a_lone_underscore_is_a_fresh_variable_each_time() -> None:
    (one,) = clauses("p(X, X) <= q(X, _) & q(_, X).")
    atoms = [atom for atom in one.body if isinstance(atom, Atom)]
    assert atoms[0].value != atoms[1].entity


def test_directives() -> None:
    first, second = clauses(
        "% domain: wiki\n% name: near-by\n% why it is so\np(X, Y) <= q(X, Y).\nr(X, Y) <= q(X, Y)."
    )
    assert (first.name, first.domain, second.domain) == ("near-by", "wiki", "wiki")
    assert second.name.startswith("my/")


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("% name: two words\np(X, Y) <= q(X, Y).", 1, "no name"),
        ("% name: a\n% name: b\np(X, Y) <= q(X, Y).", 2, "two names"),
        ("% name: a\np(X, Y) <= q(X, Y).\n% name: a\nr(X, Y) <= q(X, Y).", 3, "taken at line 1"),
        ("p(X, Y) <= q(X, Y).\n% name: a\n", 2, "no rule"),
        ("% domain: a\n% domain: b\n", 2, "two domains"),
        ("% domain: a b\n", 1, "no domain"),
    ],
)
def test_directives_that_say_nothing_are_faults(text: str, line: int, word: str) -> None:
    found = fault(text)
    assert word in found.message and found.place.line == line


# --- what is wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "column", "message", "remedy"),
    [
        ("p(X, Y).", 1, 1, "needs a body", "note"),
        ("p(X, Y) <= q(X, Y)", 1, 18, "end of the file", "full stop"),
        ("p(X, Y) <= .", 1, 12, "value is expected", "variable"),
        ("p(X, Y) :- q(X, Y).", 1, 9, "':-'", "head <="),
        ("p(X, Y) <= q(X, Y), r(X, Y).", 1, 19, "full stop", "&"),
        ("p(X) <= q(X, Y).", 1, 4, "','", "p(X, Y)"),
        ("p(X, Y, Z) <= q(X, Y).", 1, 7, "two arguments", "ENTITY"),
        ("p(5, Y) <= q(X, Y).", 1, 3, "entity", "single quotes"),
        ("Works(X, Y) <= q(X, Y).", 1, 6, "'('", "p(X, Y)"),
        ("text(X, Y) <= q(X, Y).", 1, 6, "string", "text"),
        ("\np(X, Y) <= q(X, 'a\n).", 2, 17, "not closed", "close"),
        ("p(X, 'a\\q') <= q(X, Y).", 1, 6, "backslash", "\\\\"),
        ("p(X, \"a\") <= q(X, Y).", 1, 6, "a string 'a'", "text"),
        ("p(X, 2024-02) <= q(X, Y).", 1, 6, "a date", "date(2024-02)"),
        ("p(X, date(2024-13)) <= q(X, Y).", 1, 11, "2024-13", "date(2024-02)"),
        ("p(X, date('2024-02-01 10:00')) <= q(X, Y).", 1, 11, "offset", "date(2024-02)"),
        ("p(X, q(5, 'furlong')) <= q(X, Y).", 1, 8, "furlong", "unit"),
        ("p(X, ' ') <= q(X, Y).", 1, 6, "empty", "names"),
        ("X < 5 <= q(X, Y).", 1, 1, "concluded", "head"),
        ("p(X, Y) <= q(X, Y) & ~X = Y.", 1, 23, "absent", "turn"),
        ("p(X, Y) <= q(X, Y) & ~r(X, Y)@S.", 1, 22, "no spell", "@S"),
        ("p(X, Y) <= q(X, Y)@_.", 1, 20, "spell", "@"),
        ("p(X, Y) <= q(X, Y) & before(S, 5).", 1, 32, "spell", "before"),
        ("p(X, Y) <= stmt(X, Y).", 1, 12, "contradictions.dl", "'stmt'"),
        ("p(X, Y) <= ((q(X, Y))).", 1, 12, "'('", "variable"),
        ("p(X, `ls`) <= q(X, Y).", 1, 6, "'`'", "variable"),
        ("p(X, Y) <= q(X, Y); r(X, Y).", 1, 19, "';'", "&"),
        ("__import__('os').system('rm -rf /').", 1, 11, "'('", "p(X, Y)"),
        ("p(X, Y) <= q(X, Y) & eval('1').", 1, 30, "')'", "p(X, Y)"),
        ("p(X, Y) <= q(X, Y) & Y == 5.", 1, 25, "'='", "..."),
        ("p(X, Y\0) <= q(X, Y).", 1, 7, "'\ufffd'", "p(X, Y)"),
        ("p(X, 00000000000000000000000000" + "1" * 1000 + ") <= q(X, Y).", 1, 6, "digits", "1000"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(
    text: str, line: int, column: int, message: str, remedy: str
) -> None:
    found = fault(text)
    assert (found.place.line, found.place.column) == (line, column), str(found)
    assert message in found.message and remedy in found.remedy, str(found)
    assert found.excerpt and found.excerpt.isprintable()


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_any_line_end_counts_and_ends_a_comment(end: str) -> None:
    text = end.join(["% a comment", "p(X, Y) <= q(X, Y).", "% another", "p(X Y) <= q(X, Y)."])
    found = read(text)
    assert len(found.clauses) == 1
    assert [(f.place.line, f.place.column) for f in found.faults] == [(4, 5)]
    assert found.faults[0].excerpt == "p(X Y) <= q(X, Y)."


def test_clauses_after_a_bad_one_are_looked_at_too() -> None:
    found = read("p(X <= q.\np(X, Y) <= q(X, Y).\nr( <= q.\n")
    assert [f.place.line for f in found.faults] == [1, 3] and len(found.clauses) == 1


def test_faults_of_one_file_have_an_end() -> None:
    assert len(read("p( <= q.\n" * 100).faults) == MAX_FAULTS


def test_a_file_too_large_is_refused_unread() -> None:
    begun = time.process_time()
    found = read("p(X, Y) <= q(X, Y).\n" * 500_000)
    assert not found.clauses and "split" in found.faults[0].remedy
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("unit", ["(", "~", "'", '"', "\\", "p(", "9", "a", "_", "& ", "text("])
def test_deep_or_long_input_takes_linear_time_and_no_stack(unit: str) -> None:
    text = "p(X, Y) <= " + unit * (60_000 // len(unit))
    limit = sys.getrecursionlimit()
    found = read(text)
    assert found.faults and sys.getrecursionlimit() == limit
    assert len(found.faults[0].excerpt) <= 80


def test_a_byte_order_mark_and_an_empty_file_are_no_faults() -> None:
    assert len(clauses("\ufeffp(X, Y) <= q(X, Y).")) == 1
    assert clauses("") == clauses("% nothing\n") == ()


# --- laws -----------------------------------------------------------------------------------------


@given(CLAUSES)
@few
def test_what_is_printed_reads_as_the_same_clause(clause: Clause) -> None:
    (again,) = clauses(print_clause(clause))
    assert again == clause
    assert print_clause(again) == print_clause(clause)


@given(GARBAGE)
@some
def test_garbage_is_a_fault_inside_the_file(text: str) -> None:
    found = read(text)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for one in found.faults:
        assert 1 <= one.place.line <= len(lines)
        assert 1 <= one.place.column <= len(lines[one.place.line - 1]) + 1
        assert one.message and one.remedy and one.excerpt.isprintable()
    for clause in found.clauses:
        assert clauses(print_clause(clause))[0].body == clause.body


@given(st.lists(CLAUSES, max_size=3), st.integers(0, 400), GARBAGE)
@few
def test_an_edit_into_nonsense_is_a_fault_or_a_rule(
    written: list[Clause], at: int, scrap: str
) -> None:
    text = "\n".join(map(print_clause, written))
    edited = read(text[:at] + scrap + text[at:])
    assert isinstance(edited, Parsed)


def test_values_are_the_ones_that_facts_have() -> None:
    (one,) = clauses("p(X, q(8, 'km')) <= p(X, 'A_b').")
    assert isinstance(one.head, Atom) and isinstance(one.body[0], Atom)
    assert one.head.value == Constant(literal("8 km", ValueKind.QUANTITY))
    assert one.body[0].value == Constant(name("a-B"))
