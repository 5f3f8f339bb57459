"""The plist line: facts in, statements out; what cannot be read says where and why."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuro.pairs import MAX_LINE, BadPlist
from neuro.plist import parse_fact, print_fact
from symbolic.records import NameKind, ValueKind, Written
from symbolic.values import BadValue

LECTURES = Written(
    entity="nabokov", relation="lectures-on", value="kafka", kind="name"
)

FACTS = [
    ("(:entity :nabokov :relation :lectures-on :value :kafka)", LECTURES),
    (":entity :nabokov :relation :lectures-on :value :kafka", LECTURES),
    ("  ( :entity\t:nabokov :lectures-on :kafka )  ", LECTURES),
    ("(:ENTITY :nabokov :Relation :lectures-on :value :kafka)", LECTURES),
    (
        '(:file ".env" :member-of-class :secret-files)',
        Written(
            entity=".env", entity_kind="path", relation="member-of-class", value="secret-files",
            kind="name",
        ),
    ),
    (
        '(:command "rm -rf /" :classified-as :catastrophic)',
        Written(
            entity="rm -rf /", entity_kind="command", relation="classified-as",
            value="catastrophic", kind="name",
        ),
    ),
    (
        '(:domain "api.telegram.org" :classified-as :trusted)',
        Written(
            entity="api.telegram.org", entity_kind="host", relation="classified-as",
            value="trusted", kind="name",
        ),
    ),
    (
        '(:entity "Mount Everest" :relation :height :value 8848 :unit m :from 1954 :to 2019)',
        Written(
            entity="Mount Everest", relation="height", value="8848", unit="m",
            valid_from="1954", valid_to="2020",
        ),
    ),
    (
        '(:entity :ada :relation "born in" :value "London" :not t)',
        Written(entity="ada", relation="born in", value="London", polarity=False),
    ),
    (
        "(:entity :ada :born 1815-12-10 :not nil)",
        Written(entity="ada", relation="born", value="1815-12-10"),
    ),
    (
        "(:entity :ada :works-at :firm :from ? :to 2024-02)",
        Written(
            entity="ada", relation="works-at", value="firm", kind="name", valid_from="?",
            valid_to="2024-03",
        ),
    ),
    (
        '(:entity :x :relation :says :value "a \\"b\\" c:\\\\d" :kind text)',
        Written(entity="x", relation="says", value='a "b" c:\\d', kind="text"),
    ),
    (
        "(:entity :中村 :relation :住所 :value :Москва)",
        Written(entity="中村", relation="住所", value="Москва", kind="name"),
    ),
]


@pytest.mark.parametrize(("line", "written"), FACTS)
def test_a_fact_is_read_as_written(line: str, written: Written) -> None:
    assert parse_fact(line) == written


BAD = [
    ("", 1, "empty"),
    ("()", 1, "empty"),
    ("(:entity :a :relation :b :value :c", 34, "never closed"),
    (":entity :a :relation :b :value :c)", 34, "nothing opened"),
    ('(:entity "a :relation :b :value :c)', 10, "closing quote"),
    ("(:entity :a :relation :b :value (:c))", 33, "a list inside"),
    ("(:entity :a :b :c) (:entity :d :e :f)", 20, "after the plist"),
    ("(:entity :a :relation :b :value :c :value :d)", 36, "stands twice"),
    ("(:entity :a :file \"b\" :c :d)", 13, "two entities"),
    ("(:entity :a :b :c :d :e)", 19, ":d is unknown"),
    ("(:entity :a :relation :b :valeu :c)", 26, "unknown key"),
    ("(:entity :a :relation :b :value :c :source gate-vector-2)", 36, ":source"),
    ("(:entity :a :relation :b :value :c :as-of 2024)", 36, ":as-of"),
    ("(:relation :b :value :c)", 1, "no entity"),
    ("(:entity :a)", 1, "no relation"),
    ("(:entity :a :relation :b)", 13, "no value"),
    ("(:entity :a :relation :b :value)", 26, "has no value"),
    ("(:entity a :relation :b :value :c)", 10, "bare 'a'"),
    ("(:entity \" \" :relation :b :value :c)", 10, "empty"),
    ("(:entity :a :relation \"\" :value :c)", 23, "empty"),
    ("(:entity :a :relation :b :value \"\")", 33, "empty"),
    ("(:entity :a :relation :b :value kafka)", 33, "neither a number nor a date"),
    ("(:entity :a :relation :b :value 1,5)", 33, "neither a number nor a date"),
    ("(:entity :a :relation :b :value ?x)", 33, "variable"),
    ("(:entity :a :relation :b :value 5 m)", 35, "expected a :key"),
    ("(:entity :a :relation :b :value 5 :unit parsec)", 33, "parsec"),
    ("(:entity :a :relation :b :value :c :unit m)", 33, "no unit"),
    ("(:entity :a :relation :b :value :c :kind colour)", 42, "unknown kind"),
    ("(:entity :a :relation :b :value \"soon\" :kind date)", 33, "no date"),
    ("(:entity :a :relation :b :value :c :not maybe)", 41, ":not"),
    ("(:entity :a :b :c :from 2024-02-31)", 25, "no date"),
    ("(:entity :a :b :c :from 2024 :to 2023)", 34, "before the start 2024"),
    ("(:entity :a :b :c :from 2024-02 :to 2024-01)", 37, "before the start 2024-02"),
    ("(:entity :@heading :b :c)", 10, "reserved"),
    ("(:file :env :b :c)", 8, "wants a path"),
    ("(:entity :a :b \"\\q\")", 17, "escape"),
    ("(:entity : :b :c)", 10, "no word"),
    ("(:entity :a\0 :b :c)", 12, "NUL"),
    ("(:entity :a\n:b :c)", 12, "line break"),
    ("(:entity :a :b \ud800)", 16, "surrogate"),
]


@pytest.mark.parametrize(("line", "column", "message"), BAD)
def test_a_bad_fact_names_its_place_and_a_way_out(line: str, column: int, message: str) -> None:
    bad = parse_fact(line)
    assert isinstance(bad, BadPlist), bad
    assert (bad.column, message in bad.message) == (column, True), bad
    assert bad.remedy
    assert bad.excerpt in line


def test_the_limit_of_a_line_is_reported_and_a_long_name_is_not_cut() -> None:
    name = "n" * 3000
    fact = parse_fact(f'(:entity "{name}" :relation :r :value :v)')
    assert isinstance(fact, Written) and fact.entity == name
    bad = parse_fact(f'(:entity "{"n" * MAX_LINE}" :relation :r :value :v)')
    assert isinstance(bad, BadPlist) and str(MAX_LINE) in bad.message


@pytest.mark.parametrize("text", ["(" * 60000, ":a " * 20000, '"' * 60001, "\\" * 60000])
def test_hostile_lines_end_quickly_in_a_report(text: str) -> None:
    assert isinstance(parse_fact(text), BadPlist)


TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=30
).filter(lambda text: bool(text.strip()) and text.strip() != "@heading")
BOUNDS = st.dates().map(lambda day: day.isoformat()).flatmap(
    lambda day: st.sampled_from([day, day[:7], day[:4]])
)
WRITTEN = st.builds(
    Written,
    entity=TEXTS,
    entity_kind=st.sampled_from([kind.value for kind in NameKind]),
    relation=TEXTS,
    value=TEXTS,
    kind=st.sampled_from([None, ValueKind.TEXT.value, *(kind.value for kind in NameKind)]),
    polarity=st.booleans(),
    valid_from=st.none() | st.just("?") | BOUNDS,
    valid_to=st.none() | st.just("?") | BOUNDS,
)


@given(WRITTEN)
def test_a_printed_fact_reads_back(written: Written) -> None:
    try:
        line = print_fact(written)
    except BadValue:
        return  # an end before its start, or inside its start's own unit
    found = parse_fact(line)
    assert isinstance(found, Written), found
    expected = replace(written, valid_from=found.valid_from, valid_to=found.valid_to)
    assert found == expected
    assert print_fact(found) == line


@given(WRITTEN)
def test_what_was_read_prints_as_itself(written: Written) -> None:
    try:
        found = parse_fact(print_fact(written))
    except BadValue:
        return
    assert isinstance(found, Written)
    assert parse_fact(print_fact(found)) == found


@given(st.text(st.sampled_from('(): "\\?abentity-0129\n\t'), max_size=60) | st.text(max_size=40))
def test_any_line_is_a_fact_or_a_report(line: str) -> None:
    found = parse_fact(line)
    if isinstance(found, BadPlist):
        assert 1 <= found.column <= max(len(line), 1)
