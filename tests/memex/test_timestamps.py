"""Timestamps: the quick reader and orgparse agree, and no text raises."""

from __future__ import annotations

from datetime import date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orgparse.date import OrgDate

from memex.timestamps import Cookie, find_stamps, read_planning, read_stamp

days = st.dates(date(1000, 1, 1), date(9999, 12, 31))
clock = st.none() | st.times().map(lambda moment: time(moment.hour, moment.minute))
cookie = st.sampled_from(("", " +1w", " ++2m", " .+3d", " +1y -2d", " -5d"))
names = st.sampled_from(("", " Tue", " Di.", " 火", " mar."))


@st.composite
def stamps(draw: st.DrawFn) -> str:
    day, at, name = draw(days), draw(clock), draw(names)
    inner = f"{day.isoformat()}{name}" + (f" {at:%H:%M}" if at else "") + draw(cookie)
    return f"<{inner}>" if draw(st.booleans()) else f"[{inner}]"


@given(stamps())
def test_a_stamp_reads_as_orgparse_reads_it(text: str) -> None:
    mine, (theirs,) = read_stamp(text), OrgDate.list_from_str(text)
    assert mine is not None
    assert mine.active == theirs.is_active()
    assert mine.date == theirs.start.isoformat()[:10]
    assert (mine.time is not None) == isinstance(theirs.start, datetime)
    if isinstance(theirs.start, datetime):
        assert mine.time == f"{theirs.start:%H:%M}"
    assert mine.end is None
    for own, other in ((mine.repeater, theirs._repeater), (mine.warning, theirs._warning)):
        assert (None if own is None else (own.mark, own.number, own.unit)) == other


@given(stamps(), stamps())
def test_a_range_is_one_finding_and_other_pairs_are_two(one: str, two: str) -> None:
    found = list(find_stamps(f"x {one}--{two} y"))
    if one[0] == two[0]:
        assert [item.raw for item in found] == [f"{one}--{two}"]
        assert found[0].stamp is not None and found[0].stamp.end == two[1:11]
    else:
        assert [item.raw for item in found] == [one, two]


@given(st.text(st.sampled_from("<>[]-: 0123456789+./dwmyTue%(\n"), max_size=60))
def test_no_text_raises(text: str) -> None:
    for found in find_stamps(text):
        assert text[found.start : found.end] == found.raw
    read_planning(text)
    read_planning(f"SCHEDULED: {text}")


@pytest.mark.parametrize("text", [
    "<2024-02-31>", "[2023-02-29 Wed]", "<2024-13-01>", "<0000-01-01>", "<2024-01-01 Mon 25:00>",
    "<2024-01-01 Mon +1w>--<2024-01-32>", "<2024-02-31 Sat +1w>",
])
def test_dates_no_calendar_has_are_found_and_not_read(text: str) -> None:
    (found,) = find_stamps(text)
    assert (found.raw, found.stamp) == (text, None)


def test_times_and_cookies() -> None:
    stamp = read_stamp("<2024-03-05 Tue 9:30-10:15 .+1d/3d --2d>")
    assert stamp is not None
    assert (stamp.date, stamp.time, stamp.end, stamp.end_time) == (
        "2024-03-05", "09:30", "2024-03-05", "10:15")
    assert stamp.repeater == Cookie(".+", 1, "d", (3, "d"))
    assert stamp.warning == Cookie("--", 2, "d")


def test_what_is_no_stamp() -> None:
    for text in ("<2024-3-5>", "2024-03-05", "<<2024-03-05", "<%%(diary-date 1 2)>", "<a>", ""):
        assert list(find_stamps(text)) == []


def test_planning_of_a_diary_expression_is_kept_and_is_no_mistake() -> None:
    (entry,) = read_planning("SCHEDULED: <%%(diary-float t 4 2)>")
    assert (entry.stamp, entry.bad) == (None, False)


def test_a_very_long_stamp_gives_its_date_at_once() -> None:
    stamp = read_stamp(f"<2024-03-05 {'x ' * 50_000}>")
    assert stamp is not None and stamp.date == "2024-03-05"
