"""ontology.org in, declarations and problems out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.changes import describe
from ontology.declarations import Parsed, parse
from ontology.entries import Problem
from symbolic.canon import canonical
from symbolic.records import Declarations, Policy, Written


def org(*headings: str) -> bytes:
    """Return an ontology file: each heading is a title line and `KEY value` lines."""
    lines = ["#+TODO: PROPOSED | APPROVED DENIED", ""]
    for heading in headings:
        title, *properties = heading.strip().splitlines()
        lines.append(f"* {title}")
        if properties:
            lines.append(":PROPERTIES:")
            lines += [
                ":{}: {}".format(*prop.strip().partition(" ")[::2]) for prop in properties
            ]
            lines.append(":END:")
    return ("\n".join(lines) + "\n").encode()


def decls(*headings: str) -> Declarations:
    """Return what faultless headings declare."""
    parsed = parse(org(*headings))
    assert not parsed.problems, parsed.problems
    return parsed.declarations


def only(parsed: Parsed, key: str) -> Problem:
    """Return the one problem, which is of this kind and says where and what to do."""
    assert [problem.key for problem in parsed.problems] == [key]
    problem = parsed.problems[0]
    assert problem.file == "system/ontology.org"
    assert problem.line
    assert problem.excerpt
    assert problem.message
    assert problem.remedy
    return problem


# --- what counts ------------------------------------------------------------------------------


def test_a_full_file() -> None:
    found = decls(
        'Person\nKIND class\nPOLICY temporal\nALIAS Human "Natural Person"\nLEVEL 2',
        "Author\nKIND class\nPARENT human\nDISJOINT Company",
        "lives-in\nKIND relation\nFUNCTIONAL t\nPOLICY temporal\nDOMAIN Human\nRANGE Place\n"
        'PATTERN "lives in" "is living in"\nMIN_SOURCES 2',
        "height\nKIND relation\nFUNCTIONAL t\nRANGE quantity\nUNIT m\nTOLERANCE 5 cm\n"
        "CARDINALITY 3\nLEVEL 0",
        "wikidata\nKIND domain\nCOMPLETE lives-in height",
        'Vladimir Nabokov\nKIND entity\nALIAS Nabokov "V. Nabokov"',
    )
    person, author = found.classes["person"], found.classes["author"]
    assert (person.policy, person.level, person.written) == (Policy.TEMPORAL, 2, "Person")
    assert author.parents == ("person",)
    assert author.disjoint == ("company",)
    assert found.classes["company"].disjoint == ("author",)
    lives = found.relations["lives in"]
    assert (lives.functional, lives.policy, lives.domain) == (True, Policy.TEMPORAL, ("person",))
    assert (lives.range, lives.min_sources) == (("place",), 2)
    assert lives.pattern == ("lives in", "is living in")
    height = found.relations["height"]
    assert (height.unit, height.tolerance, height.cardinality) == ("m", "5 cm", 3)
    assert (height.level, height.range) == (0, ("quantity",))
    assert found.complete == {"wikidata": frozenset({"lives in", "height"})}
    assert found.class_alias == {"human": "person", "natural person": "person"}
    assert found.entity_alias == {"nabokov": "vladimir nabokov", "v. nabokov": "vladimir nabokov"}
    assert found.spelling["vladimir nabokov"] == "Vladimir Nabokov"
    assert found.spelling["company"] == "Company"


def test_line_numbers_point_at_the_heading() -> None:
    assert decls("Person\nKIND class", "Place\nKIND class").classes["place"].line == 7


@pytest.mark.parametrize(("keyword", "counts"), [
    ("", True), ("APPROVED ", True), ("PROPOSED ", False), ("DENIED ", False),
])
def test_only_approved_or_no_keyword_counts(keyword: str, counts: bool) -> None:
    found = decls(f"{keyword}Person\nKIND class")
    assert set(found.classes) == ({"person"} if counts else set())


def test_a_proposal_is_one_even_without_its_todo_line() -> None:
    data = org("PROPOSED Person\nKIND class").partition(b"\n")[2]
    parsed = parse(data)
    assert (dict(parsed.declarations.classes), parsed.problems) == ({}, ())


def test_another_keyword_does_not_count_and_is_told() -> None:
    data = b"* TODO Person\n:PROPERTIES:\n:KIND: class\n:END:\n"
    parsed = parse(data)
    assert not parsed.declarations.classes
    assert only(parsed, "keyword").line == 1


def test_a_commented_heading_does_not_count() -> None:
    assert not decls("COMMENT Person\nKIND class\nPOLICY nonsense").classes


def test_property_names_ignore_case_and_org_s_own_are_left_alone() -> None:
    found = decls("Person\nkind Class\nPolicy :EXCLUSIVE\nID 1234\nCREATED [2024-01-01]")
    assert found.classes["person"].policy is Policy.EXCLUSIVE


def test_a_plus_line_adds_to_a_list() -> None:
    found = decls('Person\nKIND class\nALIAS human\nALIAS+ "natural person"')
    assert set(found.class_alias) == {"human", "natural person"}


def test_a_heading_that_only_groups_is_no_mistake() -> None:
    data = b"* Classes\n** Person\n:PROPERTIES:\n:KIND: class\n:END:\n"
    parsed = parse(data)
    assert set(parsed.declarations.classes) == {"person"}
    assert not parsed.problems


def test_line_endings_do_not_show() -> None:
    data = org("Person\nKIND class\nPARENT Agent", "lives in\nKIND relation\nLEVEL x")
    for other in (data.replace(b"\n", b"\r\n"), data.replace(b"\n", b"\r"), data[:-1]):
        assert parse(other) == parse(data)


def test_transitive_is_kept() -> None:
    parsed = parse(org("part of\nKIND relation\nTRANSITIVE t"))
    assert parsed.declarations.relations["part of"].transitive
    assert not parsed.problems


# --- closure ----------------------------------------------------------------------------------


def test_inverse_is_said_both_ways_with_all_that_follows() -> None:
    found = decls(
        "Parent-of\nKIND relation\nINVERSE Child-Of\nINVERSE_FUNCTIONAL t\nACYCLIC t\n"
        "DOMAIN Person\nRANGE Child\nPOLICY exclusive\nMIN_SOURCES 2",
    )
    parent, child = found.relations["parent of"], found.relations["child of"]
    assert (parent.inverse, child.inverse) == ("child of", "parent of")
    assert (child.functional, child.inverse_functional, child.acyclic) == (True, False, True)
    assert (child.domain, child.range) == (("child",), ("person",))
    assert (child.policy, child.min_sources) == (Policy.EXCLUSIVE, 2)
    assert (child.written, child.line) == ("Child-Of", None)


def test_one_fact_told_from_either_side_is_one_statement() -> None:
    found = decls("parent of\nKIND relation\nINVERSE child of".replace("child of", '"child of"'))
    one = canonical(Written(entity="Ann", relation="parent of", value="Bob"), found)
    other = canonical(Written(entity="Bob", relation="child of", value="Ann"), found)
    assert one.fid == other.fid


def test_opposite_is_said_both_ways_and_of_the_inverses() -> None:
    found = decls(
        "likes\nKIND relation\nOPPOSITE dislikes\nINVERSE liked-by",
        "dislikes\nKIND relation\nINVERSE disliked-by",
    )
    assert found.relations["dislikes"].opposite == ("likes",)
    assert found.relations["liked by"].opposite == ("disliked by",)
    assert found.relations["disliked by"].opposite == ("liked by",)


def test_opposite_without_an_inverse_on_one_side_is_told() -> None:
    parsed = parse(org("likes\nKIND relation\nOPPOSITE dislikes\nINVERSE liked-by"))
    assert only(parsed, "opposite-direction").notice
    assert parsed.declarations.relations["dislikes"].opposite == ("likes",)


def test_aliases_resolve_in_every_list() -> None:
    found = parse(org(
        "Person\nKIND class\nALIAS human",
        "Robot\nKIND class\nDISJOINT human",
        "Poet\nKIND class\nPARENT HUMAN",
        "knows\nKIND relation\nALIAS is-acquainted-with",
        "ignores\nKIND relation\nOPPOSITE is_acquainted_with\nDOMAIN human\nRANGE text human",
        "met by\nKIND relation\nINVERSE is-acquainted-with",
        "diary\nKIND domain\nCOMPLETE is-acquainted-with",
    )).declarations
    assert found.classes["robot"].disjoint == ("person",)
    assert found.classes["poet"].parents == ("person",)
    assert found.relations["ignores"].opposite == ("knows",)
    assert found.relations["ignores"].domain == ("person",)
    assert found.relations["ignores"].range == ("text", "person")
    assert found.relations["met by"].inverse == "knows"
    assert found.complete["diary"] == {"knows", "met by"}
    assert "human" not in found.classes
    assert "is acquainted with" not in found.relations


def test_range_keeps_its_order_since_kinds_are_tried_in_it() -> None:
    assert decls("r\nKIND relation\nRANGE text integer").relations["r"].range == (
        "text", "integer")
    assert decls("r\nKIND relation\nRANGE integer text").relations["r"].range == (
        "integer", "text")


def test_an_undeclared_class_alone_may_be_a_range() -> None:
    assert decls("r\nKIND relation\nRANGE Place").relations["r"].range == ("place",)


# --- mistakes ---------------------------------------------------------------------------------

GOOD = "Place\nKIND class"
ONE_HEADING: list[tuple[str, str, str | None]] = [
    # heading, key of the problem, name under which the rest of it still counts
    ("Person", "no-kind", None),
    ("Person\nPOLICY exclusive", "no-kind", None),
    ("Person\nKIND thing", "kind", None),
    ("[1/3]\nKIND class", "no-name", None),
    ("Person\nKIND class\nCOLOUR red", "unknown-property", "person"),
    ("Person\nKIND class\nFUNCTIONAL t", "unknown-property", "person"),
    ("Person\nKIND class\nPOLICY strict", "policy", "person"),
    ("Person\nKIND class\nLEVEL high", "number", "person"),
    ("Person\nKIND class\nLEVEL -1", "number", "person"),
    ("Person\nKIND class\nPARENT", "empty", "person"),
    ('Person\nKIND class\nPARENT "Agent', "quote", "person"),
    ('Person\nKIND class\nALIAS ""', "empty-name", "person"),
    ("Person\nKIND class\nALIAS a, b", "comma", "person"),
    ("Person\nKIND class\nPOLICY temporal\nPOLICY exclusive", "twice", "person"),
    ("Person\nKIND class\nPARENT person", "cycle", "person"),
    ("Person\nKIND class\nDISJOINT person", "disjoint-parent", "person"),
    ("Person\nKIND class\nPARENT Agent\nDISJOINT Agent", "disjoint-parent", "person"),
    ("Rome\nKIND entity\nPOLICY temporal", "unknown-property", None),
    ("diary\nKIND domain\nALIAS x", "unknown-property", None),
    ("r\nKIND relation\nCARDINALITY many", "number", "r"),
    ("r\nKIND relation\nCARDINALITY 0", "number", "r"),
    ("r\nKIND relation\nMIN_SOURCES 0", "number", "r"),
    ("r\nKIND relation\nFUNCTIONAL perhaps", "flag", "r"),
    ("r\nKIND relation\nSYMMETRIC t\nASYMMETRIC t", "symmetric", "r"),
    ("r\nKIND relation\nSYMMETRIC t\nACYCLIC t", "symmetric", "r"),
    ("r\nKIND relation\nSYMMETRIC t\nINVERSE s", "inverse", "r"),
    ("r\nKIND relation\nINVERSE r", "inverse", "r"),
    ("r\nKIND relation\nINVERSE is child of", "one-name", "r"),
    ("r\nKIND relation\nOPPOSITE r", "opposite", "r"),
    ("r\nKIND relation\nRANGE integer decmal", "range", "r"),
    ("r\nKIND relation\nUNIT parsec", "unit", "r"),
    ("r\nKIND relation\nRANGE date\nUNIT m", "unit-range", "r"),
    ("r\nKIND relation\nTOLERANCE wide", "tolerance", "r"),
    ("r\nKIND relation\nTOLERANCE 5 parsec", "tolerance", "r"),
    ("r\nKIND relation\nUNIT m\nTOLERANCE 5 kg", "tolerance", "r"),
]


@pytest.mark.parametrize(("heading", "key", "kept"), ONE_HEADING)
def test_a_mistake_costs_its_own_line_alone(heading: str, key: str, kept: str | None) -> None:
    parsed = parse(org(GOOD, heading))
    found = parsed.declarations
    problem = only(parsed, key)
    assert problem.line is not None
    assert problem.line >= 7
    assert "place" in found.classes
    assert kept is None or kept in {*found.classes, *found.relations}


def test_what_a_mistake_leaves_out() -> None:
    found = parse(org(
        "r\nKIND relation\nSYMMETRIC t\nASYMMETRIC t\nFUNCTIONAL t\nRANGE integer decmal",
        "A\nKIND class\nPARENT A B\nPOLICY strict",
    )).declarations
    r, a = found.relations["r"], found.classes["a"]
    assert (r.symmetric, r.asymmetric, r.functional, r.range) == (False, False, True, ())
    assert (a.parents, a.policy) == (("b",), None)


def test_the_problem_points_at_the_property() -> None:
    problem = only(parse(org(GOOD, "Person\nKIND class\nPOLICY strict")), "policy")
    assert (problem.line, problem.excerpt) == (10, ":POLICY: strict")


def test_the_same_thing_twice_is_refused_with_both_lines() -> None:
    parsed = parse(org("Person\nKIND class\nLEVEL 1", "person\nKIND class\nLEVEL 2"))
    problem = only(parsed, "duplicate")
    assert (problem.line, problem.other_line) == (8, 3)
    assert parsed.declarations.classes["person"].level == 1


def test_a_class_and_a_relation_may_share_a_name() -> None:
    found = decls("Colour\nKIND class", "colour\nKIND relation")
    assert (found.classes["colour"].written, found.relations["colour"].written) == (
        "Colour", "colour")


@pytest.mark.parametrize("kind", ["class", "relation", "entity"])
def test_an_alias_of_two_things_is_refused_with_both_lines(kind: str) -> None:
    parsed = parse(org(f"A\nKIND {kind}\nALIAS x y", f"B\nKIND {kind}\nALIAS X"))
    problem = only(parsed, "alias-of-two")
    assert (problem.line, problem.other_line) == (6, 11)
    assert "line 6" in problem.message
    assert "line 11" in problem.message
    found = parsed.declarations
    assert {**found.class_alias, **found.relation_alias, **found.entity_alias} == {"y": "a"}


def test_an_alias_that_is_another_heading_is_refused_with_both_lines() -> None:
    parsed = parse(org("A\nKIND entity\nALIAS b", "B\nKIND entity"))
    problem = only(parsed, "alias-of-two")
    assert (problem.line, problem.other_line) == (6, 8)
    assert not parsed.declarations.entity_alias


def test_a_circle_of_parents_is_cut_and_named_with_its_lines() -> None:
    parsed = parse(org(
        "A\nKIND class\nPARENT B Top", "B\nKIND class\nPARENT C", "C\nKIND class\nPARENT A",
        "D\nKIND class\nPARENT A",
    ))
    problem = only(parsed, "cycle")
    assert all(f"line {line}" in problem.message for line in (3, 8, 13))
    classes = parsed.declarations.classes
    assert (classes["a"].parents, classes["b"].parents, classes["d"].parents) == (
        ("top",), (), ("a",))


def test_a_relation_has_one_inverse() -> None:
    parsed = parse(org(
        "a\nKIND relation\nINVERSE x", "b\nKIND relation\nINVERSE x", "c\nKIND relation\nINVERSE d",
    ))
    assert [problem.key for problem in parsed.problems] == ["inverse", "inverse"]
    assert "x" not in parsed.declarations.relations
    assert parsed.declarations.relations["d"].inverse == "c"


def test_inverses_that_disagree_about_classes_are_told() -> None:
    parsed = parse(org(
        "a\nKIND relation\nINVERSE b\nDOMAIN Person", "b\nKIND relation\nRANGE Place",
    ))
    assert {problem.key for problem in parsed.problems} == {"inverse-classes"}


def test_a_drawer_that_org_does_not_see_is_told() -> None:
    parsed = parse(b"* Person\n\n:PROPERTIES:\n:KIND: class\n:END:\n")
    assert [(p.key, p.line) for p in parsed.problems] == [("no-kind", 1), ("unseen-drawer", 3)]


def test_bytes_that_are_no_text_cost_their_heading() -> None:
    data = org("Pers\xffon\nKIND class".replace("\xff", "@"), GOOD).replace(b"@", b"\xff")
    parsed = parse(data)
    assert set(parsed.declarations.classes) == {"place"}
    assert only(parsed, "not-utf8").line == 3


def test_an_empty_file_declares_nothing_and_is_no_mistake() -> None:
    assert parse(b"") == Parsed(declarations=Declarations(), problems=())


@pytest.mark.parametrize("data", [b"\0" * 100, b"\xff\xfe*\0 \0", b"no heading at all\n" * 9])
def test_nonsense_declares_nothing(data: bytes) -> None:
    assert parse(data).declarations == Declarations()


def test_a_deep_chain_of_parents_is_no_burden() -> None:
    headings = [f"c{n}\nKIND class\nPARENT c{n + 1}" for n in range(3000)]
    assert len(decls(*headings).classes) == 3001


# --- laws -------------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "c", "d", "A", '"two words"', "two-words", "text", "integer"])
LISTS = st.lists(NAMES, min_size=1, max_size=3).map(" ".join)
FLAG = st.sampled_from(["t", "nil", "maybe"])
FIELDS = {
    "POLICY": st.sampled_from(["exclusive", "temporal", "coexistent", "x"]),
    "PARENT": LISTS, "DISJOINT": LISTS, "ALIAS": LISTS, "COMPLETE": LISTS,
    "OPPOSITE": LISTS, "INVERSE": NAMES, "DOMAIN": LISTS, "RANGE": LISTS,
    "LEVEL": st.sampled_from(["0", "3", "x"]), "CARDINALITY": st.sampled_from(["1", "2", "no"]),
    "UNIT": st.sampled_from(["m", "kg", "x"]), "TOLERANCE": st.sampled_from(["1", "2 m", "x"]),
    "MIN_SOURCES": st.sampled_from(["1", "2"]), "SYMMETRIC": FLAG, "ASYMMETRIC": FLAG,
    "FUNCTIONAL": FLAG, "INVERSE_FUNCTIONAL": FLAG, "ACYCLIC": FLAG, "TRANSITIVE": FLAG,
}
PROPERTIES = st.lists(
    st.sampled_from(sorted(FIELDS)), max_size=5, unique=True
).flatmap(lambda keys: st.tuples(*(FIELDS[key].map(f"{key} {{}}".format) for key in keys)))
HEADINGS = st.lists(
    st.tuples(
        st.sampled_from(["class", "relation", "domain", "entity"]),
        st.sampled_from(["a", "b", "c", "d", "two words"]),
        PROPERTIES,
    ),
    max_size=8,
    unique_by=lambda heading: heading[:2],
).map(lambda rows: ["\n".join([name, f"KIND {kind}", *props]) for kind, name, props in rows])


def test_the_strategy_reaches_real_files() -> None:
    assert decls("two words\nKIND class\nALIAS d").class_alias == {"d": "two words"}


@pytest.mark.law
@given(HEADINGS.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
def test_the_order_of_headings_does_not_matter(files: tuple[list[str], list[str]]) -> None:
    one, other = (parse(org(*headings)) for headings in files)
    assert describe(one.declarations) == describe(other.declarations)
    assert one.declarations.spelling == other.declarations.spelling
    assert sorted(p.key for p in one.problems) == sorted(p.key for p in other.problems)


@pytest.mark.law
@given(HEADINGS)
def test_the_closure_holds(headings: list[str]) -> None:
    found = parse(org(*headings)).declarations
    for name, relation in found.relations.items():
        assert relation.name == name
        assert relation.inverse != name
        assert not (relation.symmetric and (relation.asymmetric or relation.inverse))
        if relation.inverse is not None:
            other = found.relations[relation.inverse]
            assert other.inverse == name
            assert relation.functional == other.inverse_functional
        for opposite in relation.opposite:
            assert name in found.relations[opposite].opposite
    for name, klass in found.classes.items():
        assert set(klass.parents) <= set(found.classes)
        assert all(name in found.classes[other].disjoint for other in klass.disjoint)
    for aliases, names in (
        (found.class_alias, found.classes), (found.relation_alias, found.relations),
    ):
        assert not set(aliases) & set(names)
        assert set(aliases.values()) <= set(names)
    assert set(found.spelling) >= {*found.classes, *found.relations}


WORDS = st.sampled_from([
    b"* ", b"** ", b"\n", b"\r", b":PROPERTIES:\n", b":END:\n", b":KIND: class\n",
    b":KIND: relation\n", b":PARENT: ", b":INVERSE: a\n", b'"', b"a", b"\xff", b"\0", b":ALIAS+: ",
    b"#+TODO: a | b\n", b"PROPOSED ", b"COMMENT ", b":A:",
])


@pytest.mark.law
@given(st.one_of(st.binary(), st.lists(WORDS, max_size=40).map(b"".join)))
def test_parse_never_raises(data: bytes) -> None:
    parsed = parse(data)
    assert all(problem.message and problem.remedy for problem in parsed.problems)
