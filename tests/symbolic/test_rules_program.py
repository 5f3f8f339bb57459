"""Rules under declarations: what runs, in which order, and what is said of what does not."""

from __future__ import annotations

from decimal import Decimal
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbolic.canon import MEMBER, canonical
from symbolic.records import (
    ClassDecl,
    Declarations,
    Name,
    NameKind,
    RelationDecl,
    RuleFile,
    Value,
    ValueKind,
    Written,
)
from symbolic.rules.compare import compare
from symbolic.rules.parse import parse
from symbolic.rules.printing import print_clause, renamed
from symbolic.rules.program import Program, checked, compile
from symbolic.rules.resolve import resolve
from symbolic.rules.shipped import PARENT, TRANSITIVE
from symbolic.rules.syntax import Absent, Atom, Clause, Constant, Operator, Predicate, Rule
from symbolic.values import guess, literal, name
from tests.symbolic.rules_text import SAFE

few = settings(max_examples=settings.default.max_examples // 4)


def relation(name: str, **declared: object) -> RelationDecl:
    return RelationDecl(name=name, written=name, **declared)  # type: ignore[arg-type]


def klass(name: str, *parents: str) -> ClassDecl:
    return ClassDecl(name=name, written=name, parents=parents)


WORDS = Declarations(
    relations={
        "employs": relation("employs", inverse="works at"),
        "works at": relation("works at", inverse="employs"),
        "near": relation("near", symmetric=True, transitive=True),
        "height": relation("height", unit="m"),
        "motto": relation("motto", range=("text",)),
        "born": relation("born", range=("date",)),
        "part of": relation("part of", transitive=True),
    },
    classes={"person": klass("person", "being"), "being": klass("being", "thing")},
    relation_alias={"job at": "works at"},
    class_alias={"human": "person"},
    entity_alias={"nyc": "new york"},
    spelling={"new york": "New York", "person": "Person"},
)


def program(*texts: str, declarations: Declarations = WORDS) -> Program:
    files = [RuleFile(name=f"{chr(97 + n)}.dl", text=text) for n, text in enumerate(texts)]
    return compile(files, declarations)


def own(found: Program) -> list[Rule]:
    return [rule for rule in found.rules if rule.place.file]


def rule(text: str) -> Rule:
    found = program(text)
    assert not found.faults, [str(fault) for fault in found.faults]
    (one,) = [*own(found), *found.constraints]
    return one


def atoms(text: str) -> tuple[Atom, ...]:
    return rule(f"out(X, Y) <= seen(X, Y) & {text}.").positive[1:]


def value(atom: Atom) -> Name | Value:
    assert isinstance(atom.value, Constant)
    return atom.value.term


# --- declarations ---------------------------------------------------------------------------------


def test_the_side_that_facts_are_kept_in_is_asked() -> None:
    (one,) = atoms("job_at(X, Y)")
    kept = canonical(Written(entity="a", relation="works at", value="b"), WORDS)
    assert one.relation == kept.relation.canon == "employs"
    assert one == atoms("employs(Y, X)")[0]


def test_a_head_is_turned_round_too() -> None:
    found = rule("works_at(X, Y) <= seen(X, Y).")
    assert found.head == rule("employs(Y, X) <= seen(X, Y).").head


def test_a_symmetric_relation_matches_both_ways() -> None:
    assert atoms("near(X, Y)")[0].either and not atoms("seen(X, Y)")[0].either
    assert atoms("near(b, a)") == atoms("near(a, b)")


@pytest.mark.parametrize(
    ("written", "relation"),
    [
        ("5000", "height"), ("q(5, 'km')", "height"), ("'Ad astra'", "motto"), ("5000", "motto"),
        ("'2024-02'", "born"), ("2024", "born"), ("'NYC'", "seen"), ("'NYC'", "works at"),
        ("5000", "seen"), ("'Human'", "member of class"), ("path(\"/a\")", "motto"),
        ("text(\"a\")", "seen"), ("true", "motto"),
    ],
)  # fmt: skip
def test_a_constant_is_typed_as_a_fact_is(written: str, relation: str) -> None:
    (clause,) = parse(RuleFile(name="a.dl", text=f"<= '{relation}'(x, {written}).")).clauses
    assert isinstance(clause.body[0], Atom) and isinstance(clause.body[0].value, Constant)
    term = clause.body[0].value.term
    said = canonical(
        Written(entity="x", relation=relation, value=term.written, kind=term.kind.value), WORDS
    )
    (found,) = resolve(clause, WORDS).positive
    assert isinstance(found.entity, Constant)
    assert (found.entity.term, found.relation, value(found)) == (
        said.entity, said.relation.canon, said.value
    )


def test_a_constant_in_a_comparison_takes_the_alias_of_what_it_is_compared_with() -> None:
    found = rule("<= is_a(X, C) & C != 'Human' & X != 'NYC'.")
    assert [str(one) for one in found.body[1:]] != []
    assert [one.right.term.canon for one in found.body[1:]] == ["person", "new york"]  # type: ignore[union-attr]


def test_shipped_rules() -> None:
    found = program()
    assert [one.name for one in found.rules] == [
        f"{PARENT}being/thing", f"{PARENT}person/being", f"{TRANSITIVE}near",
        f"{TRANSITIVE}part of",
    ]
    assert found.rules[0].head is not None
    assert (found.rules[0].head.relation, value(found.rules[0].head).canon) == (MEMBER, "thing")
    assert found.rules[2].head is not None and found.rules[2].head.either


# --- safety ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("p(X, Y) <= q(X, Z).", 1, "Y in the head"),
        ("p(X, _) <= q(X, Z).", 1, "_ in the head"),
        ("p(X, X) <= q(X, Y) & Z < 5.", 22, "Z in a comparison"),
        ("p(X, Y) <= q(X, Y) & ~r(X, Z).", 23, "Z in an absent atom"),
        ("p(X, Y) <= q(X, Y) & ~denied(r, X, _).", 23, "_ in an absent atom"),
        ("p(X, Y) <= q(X, Y)@S & S = Y.", 12, "stands for a spell and for a term"),
        ("p(X, Y) <= q(X, Y)@S & r(X, Y)@S.", 24, "bound by 2 atoms"),
        ("p(X, Y) <= q(X, Y)@S & before(S, T).", 24, "T is bound by no atom"),
        ("p(X, Y)@S <= q(X, Y).", 1, "S is bound by no atom"),
        ("p(a, b) <= ~q(a, b).", 1, "nothing in the body"),
        ("<= 1 < 2.", 1, "nothing in the body"),
    ],
)
def test_an_unsafe_rule_is_told_with_its_place(text: str, column: int, message: str) -> None:
    (fault,) = program(text).faults
    assert message in fault.message and fault.remedy and fault.excerpt == text
    assert (fault.place.file, fault.place.line, fault.place.column) == ("a.dl", 1, column)


def test_the_way_out_of_none_at_all_is_itself_safe() -> None:
    (fault,) = program("p(X, Y) <= q(X, Y) & ~r(X, _).").faults
    helper = fault.remedy.partition(": ")[2].partition(". and")[0]
    assert not checked(RuleFile(name="a.dl", text=f"{helper}.")).faults


def chain(length: int) -> str:
    body = " & ".join(f"p{n}(X{n}, X{n + 1})" for n in range(length))
    return f"out(X0, X{length}) <= {body} & X0 != X1."


def test_more_than_eight_atoms_are_refused_with_the_rewrite() -> None:
    assert not program(chain(8)).faults
    (fault,) = program(chain(9)).faults
    assert "9 atoms" in fault.message and fault.place.column > 1
    rewrite = fault.remedy.partition("two rules: ")[2]
    again = program(rewrite)
    assert not again.faults and len(own(again)) == 2
    assert sum(len(one.positive) for one in own(again)) == 10


def test_a_rewrite_hands_no_spell_on_and_needs_an_entity() -> None:
    tangled = " & ".join(f"p{n}(X{n}, Y{n})@S{n}" for n in range(9))
    orders = " & ".join(f"before(S{n}, S{(n + 4) % 9})" for n in range(9))
    (fault,) = program(f"<= {tangled} & {orders}.").faults
    assert "two rules, the first" in fault.remedy


# --- bad files and strata -------------------------------------------------------------------------


def test_none_of_the_rules_of_a_bad_file_run_and_those_of_others_do() -> None:
    found = program("p(X, Y) <= q(X, Y).\nr(X, Y) <= q(X, Z).", "s(X, Y) <= q(X, Y).")
    assert [one.place.file for one in own(found)] == ["b.dl"]
    assert [fault.place.file for fault in found.faults] == ["a.dl"]


def test_strata_are_components_lowest_first() -> None:
    found = program(
        "top(X, Y) <= mid(X, Y) & ~low(X, Y).",
        "mid(X, Y) <= low(X, Z) & mid(Z, Y). mid(X, Y) <= back(X, Y). back(X, Y) <= mid(Y, X).",
        "low(X, Y) <= base(X, Y) & ~denied(low, X, Y).",
    )
    heads = [{one.head.relation for one in layer if one.head} for layer in found.strata]
    assert heads.index({"low"}) < heads.index({"mid", "back"}) < heads.index({"top"})
    assert sum(map(len, found.strata)) == len(found.rules)
    assert Predicate("base") in found.reading() and Predicate("top") not in found.reading()


def test_a_negative_cycle_over_two_files_disables_it_and_all_above() -> None:
    found = program(
        "p(X, Y) <= base(X, Y) &\n  ~q(X, Y).\nfree(X, Y) <= base(X, Y).",
        "\nq(X, Y) <= p(X, Y).",
        "above(X, Y) <= q(X, Y).\nfree(Y, X) <= base(X, Y).\n<= above(X, Y).",
    )
    (fault,) = found.faults
    assert (fault.place.file, fault.place.line, fault.place.column) == ("a.dl", 2, 4)
    assert "a.dl:2" in fault.message and "b.dl:2" in fault.message
    assert found.disabled == {Predicate("p"), Predicate("q"), Predicate("above")}
    assert {one.head.relation for one in own(found) if one.head} == {"free"}
    assert not found.constraints


@pytest.mark.parametrize(
    ("text", "circular"),
    [
        ("p(X, Y) <= q(X, Y) & ~p(X, Y).", True),
        ("p(X, Y) <= q(X, Y) & ~denied(p, X, Y).", False),
        ("denied(p, X, Y) <= q(X, Y) & ~denied(p, Y, X).", True),
        ("p(X, Y) <= p(X, Y)@S & q(X, Y)@T & before(S, T).", True),
        ("p(X, Y) <= q(X, Y)@S & p(Y, X).", False),
        ("works_at(X, Y) <= q(X, Y) & ~employs(Y, X).", True),
        ("part_of(X, Y) <= q(X, Y) & ~part_of(Y, X).", True),
        ("is_a(X, 'a') <= q(X, Y) & ~is_a(X, 'b').", True),
    ],
)
def test_what_a_cycle_through_negation_is(text: str, circular: bool) -> None:
    assert bool(program(text).disabled) is circular


def test_a_domain_narrows_a_file() -> None:
    assert rule("% domain: wiki\np(X, Y) <= q(X, Y).").domain == "wiki"
    assert rule("% domain: wiki\np(X, Y) <= q(X, Y).").id != rule("p(X, Y) <= q(X, Y).").id


# --- ids ------------------------------------------------------------------------------------------


def ids(*texts: str) -> set[str]:
    found = program(*texts)
    return {one.id for one in (*found.rules, *found.constraints)}


@given(st.lists(SAFE, min_size=1, max_size=3), st.randoms(use_true_random=False))
@few
def test_layout_order_comments_and_names_of_variables_are_in_no_id(
    written: list[Clause], random: Random
) -> None:
    plain, edited = [], []
    for at, one in enumerate(written):
        plain.append(print_clause(one).partition("\n")[2])
        head, body = renamed(one.head, one.body)
        text = print_clause(Clause(name=f"other-{at}", head=head, body=body))
        edited.append(f"  % why\n{text[:-1]}  % because\r\n.")
    assert not program("\n".join(plain)).faults
    random.shuffle(edited)
    assert ids("\n".join(plain)) == ids("\r".join(reversed(plain))) == ids(*plain)
    assert ids("\n".join(edited)) == ids(*plain)


def test_what_a_rule_says_is_in_its_id() -> None:
    texts = [
        "p(X, Y) <= q(X, Y).", "p(Y, X) <= q(X, Y).", "p(X, Y) <= q(X, Y)@S.",
        "denied(p, X, Y) <= q(X, Y).", "p(X, Y) <= q(X, Y) & X != Y.", "<= q(X, Y).",
        "p(X, Y) <= q(X, Y) & r(X, 5).", "p(X, Y) <= q(X, Y) & r(X, '5').",
        "p(X, Y) <= q(X, Y) & ~r(X, Y).", "p(X, Y) <= q(X, Y) & r(X, Y).",
        "p(X, Y) <= r(X, Y) & q(X, Y).", "near(X, Y) <= q(X, Y).",
    ]  # fmt: skip
    assert len({rule(text).id for text in texts}) == len(texts)


def test_a_rule_that_stands_twice_runs_once() -> None:
    found = program("p(X, Y) <= q(X, Y).", "p(A, B) <= q(A, B). job_at(X, Y) <= q(X, Y).",
                    "employs(Y, X) <= q(X, Y).")
    assert len(own(found)) == 2


def test_the_order_of_files_and_clauses_is_in_nothing() -> None:
    files = [RuleFile(name="a.dl", text="p(X, Y) <= q(X, Y). r(X, Y) <= p(X, Y)."),
             RuleFile(name="b.dl", text="s(X, Y) <= q(X, Y) & ~p(X, Y).")]
    turned = RuleFile(name="a.dl", text="r(X, Y) <= p(X, Y).\np(X, Y) <= q(X, Y).")
    assert compile(files, WORDS) == compile([files[1], turned], WORDS)


# --- comparison -----------------------------------------------------------------------------------

TERMS = st.one_of(
    st.sampled_from(["5", "5.0", "4.5", "8848 m", "8.848 km", "3 kg", "2024", "2024-01-01", "x"])
    .map(guess),
    st.sampled_from(["2024", "2024-01-01", "2024-02", "2023-12-31T23:00:00Z"]).map(
        lambda text: literal(text, ValueKind.DATE)
    ),
    st.sampled_from(["a", "B"]).map(lambda text: literal(text, ValueKind.TEXT)),
    st.sampled_from(["a", "b"]).map(lambda text: name(text, NameKind.PATH)),
    st.sampled_from(["a", "b"]).map(name),
    st.sampled_from(["true", "false"]).map(lambda text: literal(text, ValueKind.BOOLEAN)),
)


@given(TERMS, TERMS)
@few
def test_one_of_three_holds_of_one_kind_and_none_of_two(
    one: Name | Value, other: Name | Value
) -> None:
    def holds(operator: Operator) -> bool:
        return compare(operator, one, other, "Europe/Berlin")

    less, same, more = map(holds, (Operator.LT, Operator.EQ, Operator.GT))
    assert sum((less, same, more)) in (0, 1)
    alike = less or same or more
    assert holds(Operator.NE) == (alike and not same)
    assert holds(Operator.LE) == (less or same) and holds(Operator.GE) == (more or same)
    assert alike or one != other


@pytest.mark.parametrize(
    ("left", "operator", "right"),
    [
        (literal("8848 m", ValueKind.QUANTITY), "=", literal("8.848 km", ValueKind.QUANTITY)),
        (guess("5"), "=", guess("5.0")),
        (guess("5"), "<", guess("10")),
        (literal("2024", ValueKind.DATE), "=", literal("2024-01-01", ValueKind.DATE)),
        (literal("2024", ValueKind.DATE), ">", literal("2023-12-31T22:30:00Z", ValueKind.DATE)),
        (name("A"), "<", name("b")),
    ],
)
def test_what_compares(left: Name | Value, operator: str, right: Name | Value) -> None:
    assert compare(Operator(operator), left, right, "Europe/Berlin")


def test_a_date_falls_where_the_zone_has_it() -> None:
    day, instant = literal("2024", ValueKind.DATE), literal("2023-12-31T23:30:00Z", ValueKind.DATE)
    assert compare(Operator.LT, day, instant, "Europe/Berlin")
    assert compare(Operator.GT, day, instant, "UTC")


@pytest.mark.parametrize("operator", list(Operator))
def test_different_kinds_compare_false(operator: Operator) -> None:
    for other in (name("5"), literal("5", ValueKind.TEXT), literal("5 m", ValueKind.QUANTITY)):
        assert not compare(operator, guess("5"), other, "UTC")
    assert Decimal(guess("5").canon) == 5


def test_absent_atoms_are_resolved_too() -> None:
    found = rule("out(X, Y) <= seen(X, Y) & ~job_at(X, 'NYC').")
    assert isinstance(found.body[1], Absent)
    assert found.absent[0].relation == "employs"
