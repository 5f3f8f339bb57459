"""Query patterns: three words, plists, short pairs; what is wrong is named and never raised."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic.pattern import BadPattern, Pattern, Variable, Word, parse_pattern, print_pattern
from symbolic.records import NameKind


def read(text: str) -> Pattern:
    found = parse_pattern(text)
    assert isinstance(found, Pattern), found
    return found


def bad(text: str) -> BadPattern:
    found = parse_pattern(text)
    assert isinstance(found, BadPattern), found
    return found


def test_three_words() -> None:
    assert read("nabokov ? ?x") == Pattern(
        entity=Word("nabokov"), relation=Variable(), value=Variable("x")
    )
    assert read('? member-of-class "secret files"').value == Word("secret files")


def test_a_quoted_question_mark_is_a_word() -> None:
    assert read('"?" is what').entity == Word("?")


def test_plist() -> None:
    assert read("(:entity :nabokov :relation ?r)") == Pattern(
        entity=Word("nabokov", named=True), relation=Variable("r")
    )


def test_keys_in_any_case() -> None:
    assert read("(FACT-QUERY :ENTITY :x)") == read("(fact-query :entity :x)")


def test_r28_fact_query() -> None:
    found = read(
        "(fact-query :entity :monorepo :relation :opinion :source :memex :as-of 2024-02-01)"
    )
    assert found.domain == "memex"
    assert found.as_of == "2024-02-01"
    assert isinstance(found.value, Variable)


def test_r28_every_key_is_optional() -> None:
    assert read("(fact-query)") == Pattern()


@pytest.mark.parametrize("key", [":when", ":relations", ":entitty", ":from"])
def test_r28_an_unknown_key_is_an_error_naming_it(key: str) -> None:
    found = bad(f"(fact-query :entity :x {key} :y)")
    assert key in found.message
    assert found.excerpt == key
    assert found.column == len("(fact-query :entity :x ") + 1


def test_seed_forms_with_a_kind_and_a_short_pair() -> None:
    found = read('(:command "rm -rf /" :classified-as ?how)')
    assert found.entity == Word("rm -rf /", NameKind.COMMAND)
    assert found.relation == Word("classified-as", named=True)
    assert found.value == Variable("how")


def test_a_misspelt_key_is_no_relation() -> None:
    assert "did you mean :relation?" in bad("(:entity :x :relatoin ?r)").remedy


def test_negation() -> None:
    assert read("(:entity :x :relation :y :value :z :not t)").polarity is False


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "one", "one two", "a b c d", "(", ")", "()", "(:entity)", "(:entity :x",
        '"open ? ?', "(:entity :x :entity :y)", "(query :entity :x)", "(:entity :x) more",
        "(:entity (x))", '(:entity "")', "(:entity :x :as-of never)", "(:entity :x :not maybe)",
        "(:entity :x :relation :y :likes :z)", "(x y z)", "(:entity :x :source ?d)",
        "(:entity :x :as-of 2024-13)", "a (b) c", '"" b c',
    ],
)  # fmt: skip
def test_every_mistake_says_what_to_write(text: str) -> None:
    found = bad(text)
    assert found.message and found.remedy
    assert found.column >= 1


TEXTS = st.text(
    st.one_of(st.sampled_from('():?"\\ \nabé-_.:'), st.characters(codec="utf-8")), max_size=40
)
KEYS = st.sampled_from(
    [":entity", ":file", ":host", ":relation", ":value", ":source", ":as-of", ":not", ":likes"]
)
VALUES = st.sampled_from(
    [":word", '"two words"', "?x", "?", "5000", "2024-02", "t", '"a \\" b"', "?y"]
)
PLISTS = st.lists(st.tuples(KEYS, VALUES), max_size=4).map(
    lambda pairs: "(" + " ".join(f"{key} {value}" for key, value in pairs) + ")"
)


@given(st.one_of(TEXTS, PLISTS, st.tuples(TEXTS, TEXTS, TEXTS).map(" ".join)))
def test_law_reading_never_raises_and_printing_reads_back(text: str) -> None:
    found = parse_pattern(text)
    if isinstance(found, Pattern):
        assert parse_pattern(print_pattern(found)) == found
    else:
        assert found.remedy
