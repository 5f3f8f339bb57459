"""What is left out: built-in patterns, `.ppignore` over them, and what never comes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memex.ignore import PPIGNORE, Role, Verdict, ignore, role


@pytest.mark.parametrize(("path", "folder", "verdict"), [
    ("a.org", False, Verdict.READ),
    ("d/.hidden.org", False, Verdict.READ),
    ("d/.git", True, Verdict.IGNORED),
    (".stversions", True, Verdict.IGNORED),
    ("d/data", True, Verdict.IGNORED),
    ("d/data", False, Verdict.READ),
    ("d/x.org~", False, Verdict.IGNORED),
    ("#x.org#", False, Verdict.IGNORED),
    ("d/.#x.org", False, Verdict.IGNORED),
    ("x.org.gpg", False, Verdict.IGNORED),
    ("d/x.sync-conflict-20240101-120000-ABC.org", False, Verdict.REPORTED),
    ("system/journal", True, Verdict.IGNORED),
    ("system/rules", True, Verdict.READ),
    ("d/system/journal", True, Verdict.READ),
])
def test_built_in_patterns(path: str, folder: bool, verdict: Verdict) -> None:
    assert ignore(None)(path, folder) is verdict


names = st.text(st.sampled_from(".#~adorg-sync"), min_size=1, max_size=12) | st.sampled_from((
    "data", ".git", "x.org~", "#x#", ".#x.org", "a.sync-conflict-1.org", "x.org.gpg", "#", "~",
))


@given(names.filter(lambda name: name not in (".", "..")), st.booleans())
def test_the_quick_judge_agrees_with_the_pattern_library(name: str, folder: bool) -> None:
    # A folder left out is never entered, so only the last part of a path is judged.
    library = ignore("never-matches-anything.xyz\n")
    for path in (name, f"d/{name}"):
        assert ignore(None)(path, folder) is library(path, folder)


def test_the_users_patterns_come_after_the_built_in_ones() -> None:
    judge = ignore("# private\nprivate/\n*.log.org\n!data/\n/top.org\n")
    assert judge("a/private", True) is Verdict.IGNORED
    assert judge("a/x.log.org", False) is Verdict.IGNORED
    assert judge("data", True) is Verdict.READ
    assert judge("top.org", False) is Verdict.IGNORED
    assert judge("a/top.org", False) is Verdict.READ


def test_locks_temporaries_and_the_journal_never_come_back() -> None:
    judge = ignore("!.#*\n!system/journal/\n!.pp-*\n")
    for path, folder in ((".#x.org", False), ("system/journal", True), ("d/.pp-1-2.tmp", False)):
        assert judge(path, folder) is Verdict.IGNORED


def test_a_pattern_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ValueError, match=PPIGNORE):
        ignore("!\n")


def test_roles() -> None:
    assert role("notes/system/x.org") is Role.PROSE
    assert role("system/ontology.org") is Role.ONTOLOGY
    assert role("system/flight-plans.org") is Role.SYSTEM
    assert role("ontology.org") is Role.PROSE
