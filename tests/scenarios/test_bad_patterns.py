"""A PATTERN that no sentence can be read by is said, with its line, and the rest is read."""

from __future__ import annotations

from tests.cli import Memex


def test_bad_pattern_is_named_with_its_line(memex: Memex) -> None:
    memex.ontology("""
        #+TODO: PROPOSED | APPROVED DENIED
        * APPROVED works-at
        :PROPERTIES:
        :KIND: relation
        :PATTERN: "?x works at ?x" "is employed by"
        :END:
    """).write("a.org", "* Ada\nAda is employed by Initech.\n")
    memex.init().run("sync").names("system/ontology.org:2", "?x works at ?x", "?y")
    memex.run("propose").expect(0).names("Ada works-at Initech")
