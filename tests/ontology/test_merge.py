"""What a user's file may add to the seed, and what it may not touch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology.bootstrap import seed
from ontology.changes import applied, difference, snapshot
from ontology.class_closure import above
from ontology.declarations import parse
from ontology.merge import load, merge
from symbolic.canon import canonical
from symbolic.records import Declarations, Policy

SEED = seed()


def org(text: str) -> bytes:
    """Return a file of headings, each `title | KEY value | ...` on a line."""
    out = []
    for line in text.strip().splitlines():
        title, *properties = (part.strip() for part in line.split("|"))
        out += [f"* {title}", ":PROPERTIES:"]
        out += [":{}: {}".format(*prop.partition(" ")[::2]) for prop in properties]
        out.append(":END:")
    return ("\n".join(out) + "\n").encode()


REFUSED = [
    "trusted-domain | KIND class | POLICY coexistent",
    "classified-as | KIND relation | POLICY temporal",
    "member-of-class | KIND relation | POLICY coexistent",
    "classified-as | KIND relation | RANGE text",
    "classified-as | KIND relation | SYMMETRIC t",
    "classified-as | KIND relation | INVERSE class-of",
    "class-of | KIND relation | INVERSE classified-as | INVERSE_FUNCTIONAL t",
    "untrusted-domain | KIND class | PARENT trusted-domain",
    "fine | KIND entity | ALIAS catastrophic",
    "My Files | KIND class | ALIAS env-x secret-files",
    "rates | KIND relation | ALIAS classified-as",
]


@pytest.mark.parametrize("heading", REFUSED)
def test_the_seed_cannot_be_loosened(heading: str) -> None:
    parsed = load(org(heading), SEED.declarations)
    assert len(parsed.problems) == 1
    assert parsed.problems[0].line
    assert parsed.problems[0].remedy
    joined = parsed.declarations
    said = [canonical(row.written, SEED.declarations) for row in SEED.rows]
    assert [canonical(row.written, joined) for row in SEED.rows] == said
    for name, decl in SEED.declarations.classes.items():
        assert joined.classes[name].policy is decl.policy
        assert joined.classes[name].parents == decl.parents
        assert set(joined.classes[name].disjoint) >= set(decl.disjoint)
    for name, relation in SEED.declarations.relations.items():
        assert joined.relations[name].policy is relation.policy
        assert joined.relations[name].functional is relation.functional


def test_a_way_round_through_an_own_class_is_refused_too() -> None:
    parsed = load(org("""
        Between | KIND class | PARENT trusted-domain
        untrusted-domain | KIND class | PARENT Between
        """), SEED.declarations)
    assert [p.key for p in parsed.problems] == ["seed"]
    assert parsed.declarations.classes["untrusted domain"].parents == ()
    assert parsed.declarations.classes["between"].parents == ("trusted domain",)


def test_own_classes_cannot_make_a_circle_through_the_seed() -> None:
    parsed = load(org("""
        Mine | KIND class | PARENT ssh-key-file
        secret-files | KIND class | PARENT Mine
        """), SEED.declarations)
    classes = parsed.declarations.classes
    assert [p.key for p in parsed.problems] == ["seed"]
    assert not [name for name in classes if name in above(classes, name)]


def test_a_file_may_add() -> None:
    parsed = load(org("""
        sensitive-material | KIND class
        secret-files | KIND class | PARENT sensitive-material | ALIAS secrets
        private-content | KIND class | PARENT sensitive-material
        vpn-file | KIND class | PARENT secrets
        classified-as | KIND relation | ALIAS rated | PATTERN "is rated" | MIN_SOURCES 2
        depends-on | KIND relation | ACYCLIC t
        Person | KIND class | POLICY temporal
        """), SEED.declarations)
    assert not parsed.problems
    found = parsed.declarations
    assert found.classes["secret files"].parents == ("sensitive material",)
    assert found.class_alias == {"secrets": "secret files"}
    assert found.classes["vpn file"].parents == ("secret files",)
    assert found.relation_alias == {"rated": "classified as"}
    rated = found.relations["classified as"]
    assert (rated.pattern, rated.min_sources, rated.policy) == (
        ("is rated",), 2, Policy.EXCLUSIVE)
    assert found.relations["depends on"].acyclic
    assert found.spelling["person"] == "Person"
    # Whoever enters a class below one that gates read enters that one too.
    assert "vpn file" in found.gate_classes
    assert "sensitive material" not in found.gate_classes
    assert "person" not in found.gate_classes


def test_merge_refuses_what_was_parsed_without_the_seed() -> None:
    own = parse(org("""
        class-of | KIND relation | INVERSE classified-as | INVERSE_FUNCTIONAL t
        fine | KIND entity | ALIAS catastrophic
        """)).declarations
    joined, problems = merge(SEED.declarations, own)
    assert len(problems) == 2
    assert joined.relations["classified as"].inverse is None
    assert joined.relations["class of"].inverse is None
    assert not joined.entity_alias


def test_merge_with_nothing_changes_nothing() -> None:
    joined, problems = merge(SEED.declarations, Declarations())
    assert not problems
    assert snapshot(joined) == snapshot(SEED.declarations)
    assert joined.gate_classes == SEED.declarations.gate_classes
    assert joined.spelling == SEED.declarations.spelling


SEED_WORDS = st.sampled_from([
    "secret-files", "ssh-key-file", "trusted-domain", "untrusted-domain", "classified-as",
    "member-of-class", "catastrophic", "trusted", "Mine", "Other",
])
SEED_LINES = st.tuples(
    SEED_WORDS,
    st.sampled_from(["class", "relation", "entity", "domain"]),
    st.lists(st.one_of(
        st.tuples(st.sampled_from(["PARENT", "DISJOINT", "ALIAS", "INVERSE", "OPPOSITE", "DOMAIN",
                                   "RANGE", "COMPLETE"]), SEED_WORDS),
        st.tuples(st.just("RANGE"), st.sampled_from(["text", "integer"])),
        st.tuples(st.just("POLICY"), st.sampled_from([policy.value for policy in Policy])),
        st.tuples(st.sampled_from(["SYMMETRIC", "FUNCTIONAL", "INVERSE_FUNCTIONAL", "ACYCLIC"]),
                  st.just("t")),
        st.tuples(st.sampled_from(["LEVEL", "UNIT"]), st.sampled_from(["1", "m"])),
    ), max_size=4),
).map(lambda row: " | ".join([row[0], f"KIND {row[1]}", *map(" ".join, row[2])]))


@pytest.mark.law
@given(st.lists(SEED_LINES, max_size=6))
def test_no_file_changes_what_the_gates_say(lines: list[str]) -> None:
    joined = load(org("\n".join(lines)), SEED.declarations).declarations
    for row in SEED.rows:
        assert canonical(row.written, joined) == canonical(row.written, SEED.declarations)
    for name, decl in SEED.declarations.classes.items():
        after = joined.classes[name]
        assert after.policy is Policy.EXCLUSIVE
        assert set(after.disjoint) >= set(decl.disjoint)
        assert above(joined.classes, name) & set(SEED.declarations.classes) == above(
            SEED.declarations.classes, name)
    classes = joined.classes
    assert not [name for name in classes if name in above(classes, name)]
    assert not [
        name for name, decl in classes.items() if set(decl.disjoint) & above(classes, name)
    ]
    assert all(classes[other].disjoint.count(name) == 1
               for name, decl in classes.items() for other in decl.disjoint)
    for name in classes:
        assert (name in joined.gate_classes) == bool(
            SEED.declarations.gate_classes & {name, *above(classes, name)})


# --- changes ----------------------------------------------------------------------------------


def test_a_difference_names_subject_field_before_and_after() -> None:
    before = snapshot(parse(org("Person | KIND class | POLICY temporal")).declarations)
    after = snapshot(parse(org("Person | KIND class | ALIAS human | LEVEL 0")).declarations)
    assert [(c.subject, c.field, c.before, c.after) for c in difference(before, after)] == [
        ("class/person", "ALIAS", None, ["human"]),
        ("class/person", "LEVEL", None, 0),
        ("class/person", "POLICY", "temporal", None),
    ]


def test_a_bare_heading_is_a_change_of_its_own() -> None:
    after = snapshot(parse(org("Person | KIND class")).declarations)
    assert [(c.field, c.after) for c in difference({}, after)] == [("KIND", "class")]


def test_lines_and_spelling_are_no_change() -> None:
    before = snapshot(parse(org("Works-At | KIND relation")).declarations)
    after = snapshot(parse(b"\n\n" + org("works at | KIND relation")).declarations)
    assert difference(before, after) == ()


VALUES = st.one_of(st.booleans(), st.integers(0, 3), st.sampled_from(["x", "y"]),
                   st.lists(st.sampled_from("ab"), min_size=1, max_size=2))
STATES = st.dictionaries(
    st.sampled_from(["class/a", "relation/b", "entity/c"]),
    st.dictionaries(st.sampled_from(["KIND", "ALIAS", "LEVEL"]), VALUES, min_size=1),
)


@pytest.mark.law
@given(STATES, STATES)
def test_applying_the_difference_gives_the_other_state(before: dict, after: dict) -> None:
    assert applied(before, difference(before, after)) == after
    assert difference(after, after) == ()
