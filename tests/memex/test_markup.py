"""Inline markup: which links stand in a text, and which characters a reader does not see."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex.markup import Link, plain, scan
from tests.timing import assert_linear

PLAIN = [
    ("*bold* /italic/ _under_ +gone+ =verb= ~code~", "bold italic under gone verb code"),
    ("*/both/* and *bold with /italic/ in it*", "both and bold with italic in it"),
    ("a*b*c and 2*3*4 and snake_case_name", "a*b*c and 2*3*4 and snake_case_name"),
    ("* not* and *not *", "* not* and *not *"),
    ("=*verbatim hides* what is in it= here", "*verbatim hides* what is in it here"),
    ("[[id:42][Vladimir *N*]] wrote", "Vladimir N wrote"),
    ("[[http://a.b]] and <http://a.b/c d>", "http://a.b and http://a.b/c d"),
    ("see [[a][b]", "see [[a][b]"),
    ("[[a][one]] [[b][two]]", "one two"),
    ("(*in brackets*), \"/quoted/\"", "(in brackets), \"quoted\""),
    ("*two\nlines*", "two\nlines"),
    ("*three\nlines\nare too many*", "*three\nlines\nare too many*"),
    ("*no blank\n\nline*", "*no blank\n\nline*"),
    ("*word*-*word*", "word-word"),
    ("/usr/bin/env and ~/notes", "/usr/bin/env and ~/notes"),
]


@pytest.mark.parametrize(("text", "seen"), PLAIN)
def test_what_a_reader_sees(text: str, seen: str) -> None:
    assert plain(text) == seen


LINKS = [
    ("[[id:42][N]]", [("id:42", "N")]),
    ("[[file:a.org::*T]]", [("file:a.org::*T", None)]),
    ("[[a b\nc][d\ne]]", [("a b\nc", "d\ne")]),
    (r"[[a\[1\]][x]]", [(r"a\[1\]", "x")]),
    ("at http://x.y/a(b), http://x.y/z.", [("http://x.y/a(b)", None), ("http://x.y/z", None)]),
    ("<mailto:a@b.c> mailto:d@e.f", [("mailto:a@b.c", None), ("mailto:d@e.f", None)]),
    ("=[[verbatim]]= ~https://example.org~ *[[bold]]*", [("bold", None)]),
    ("[[a][https://example.org]]", [("a", "https://example.org")]),
    ("[[[a]]]", [("a", None)]),
    ("[[]] [[ [a] ] xhttp: profile:x https:", []),
    ("[[a][]]", [("a", "")]),
    ("*https://example.org/x*", [("https://example.org/x", None)]),
]


@pytest.mark.parametrize(("text", "links"), LINKS)
def test_links(text: str, links: list[tuple[str, str | None]]) -> None:
    assert [(link.target, link.label) for link in scan(text).links] == links


SHAPED = st.text(st.sampled_from("*/_=~+[]<>:-'\" .,ab\n\\é\u200b"), max_size=120)


@given(SHAPED)
def test_spans_are_in_order_and_links_select_themselves(text: str) -> None:
    found = scan(text)
    edge = 0
    for start, end in found.hidden:
        assert edge <= start < end <= len(text)
        edge = end
    edge = 0
    for link in found.links:
        assert isinstance(link, Link) and edge <= link.start < link.end
        edge = link.end
        assert link.target in text[link.start : link.end]
        assert (link.label or "") in text[link.start : link.end]


UNITS = (
    ["[", "[[a][", "[[a]", "[[a][b]]", "]]", "\\[", "<http:", "http:", "http://a ", "(*", "*a\n"],
    ["*a ", "=a ", "*a* ", "*/_+=~", "a* ", "[[", "\n", "\n\n*a*"],
)


@pytest.mark.parametrize("unit", [unit for row in UNITS for unit in row])
def test_anything_takes_linear_time(unit: str) -> None:
    assert_linear(lambda size: unit * (size // len(unit)), scan)


@pytest.mark.parametrize("unit", ["[", "[[a][b]]", "*/_+=~"])
def test_a_megabyte_takes_linear_time(unit: str) -> None:
    text = unit * ((1 << 20) // len(unit))
    start = time.process_time()
    scan(text)
    # Quadratic would be hours: the bound can be wide.
    assert time.process_time() - start < 30
