"""Time as people say it in a question."""

import pytest

from recairn.core.time_words import date_in, release_in, span_in
from recairn.core.times import HOUR, day, parse

# A Wednesday.
NOW = parse("2026-11-18T15:00:00Z", 0)


def days(question, released_at=lambda name: None):
    span = span_in(question, NOW, released_at)
    if span is None:
        return None
    return tuple(None if at is None else day(at) for at in (span.since, span.before))


@pytest.mark.parametrize(
    ("question", "since", "before"),
    [
        ("what did we decide today?", "2026-11-18", "2026-11-19"),
        ("what broke yesterday", "2026-11-17", "2026-11-18"),
        ("what did we decide last week?", "2026-11-09", "2026-11-16"),
        ("failures of this week", "2026-11-16", "2026-11-23"),
        ("learned last month", "2026-10-01", "2026-11-01"),
        ("learned last quarter", "2026-07-01", "2026-10-01"),
        ("learned last year", "2025-01-01", "2026-01-01"),
        ("3 days ago", "2026-11-15", "2026-11-16"),
        ("two weeks ago", "2026-11-02", "2026-11-09"),
        ("ten months ago", "2026-01-01", "2026-02-01"),
        ("eleven months ago", "2025-12-01", "2026-01-01"),
        ("in the last 10 days", "2026-11-08", None),
        ("over the past month", "2026-10-19", None),
        ("since Monday", "2026-11-16", None),
        ("what was said on Wednesday", "2026-11-11", "2026-11-12"),
        ("last Friday", "2026-11-13", "2026-11-14"),
        ("retries in March", "2026-03-01", "2026-04-01"),
        ("retries in November", "2026-11-01", "2026-12-01"),
        ("retries in December", "2025-12-01", "2026-01-01"),
        ("before March 2025", None, "2025-03-01"),
        ("after 2026-01-05", "2026-01-06", None),
        ("until last week", None, "2026-11-16"),
        ("between June and August", "2026-06-01", "2026-09-01"),
        ("from June to August", "2026-06-01", "2026-09-01"),
        ("between 2026-11-20 and 2026-11-01", "2026-11-01", "2026-11-21"),
        ("from 2026-06-03 until yesterday", "2026-06-03", "2026-11-18"),
        ("what was said on 2026-11-13", "2026-11-13", "2026-11-14"),
        ("what was said on 2026/11/13", "2026-11-13", "2026-11-14"),
        ("what was said on 13.11.2026", "2026-11-13", "2026-11-14"),
        ("what broke yesterday afternoon", "2026-11-17", "2026-11-18"),
        ("what broke last night", "2026-11-17", "2026-11-18"),
        ("what broke this morning", "2026-11-18", "2026-11-19"),
        ("what broke tonight", "2026-11-18", "2026-11-19"),
        ("the day before yesterday", "2026-11-16", "2026-11-17"),
        ("since the day before yesterday", "2026-11-16", None),
        ("what happened over the weekend", "2026-11-14", "2026-11-16"),
        ("notes from last weekend", "2026-11-14", "2026-11-16"),
        ("a couple of weeks ago", "2026-11-02", "2026-11-09"),
        ("a fortnight ago", "2026-11-02", "2026-11-09"),
        ("in the last few weeks", "2026-10-28", None),
        ("in the last month", "2026-10-19", None),
        ("in the last 48 hours", "2026-11-16", None),
        ("older than two months", None, "2026-09-19"),
        ("more than a year ago", None, "2025-11-18"),
        ("less than a week ago", "2026-11-11", None),
        ("newer than last week", "2026-11-16", None),
        ("older than March", None, "2026-03-01"),
        ("learned in Sept", "2026-09-01", "2026-10-01"),
        ("learned since Oct.", "2026-10-01", None),
        ("since 2026-11", "2026-11-01", None),
        ("since November 3", "2026-11-03", None),
        ("before the 3rd of November 2025", None, "2025-11-03"),
        ("before 2024", None, "2024-01-01"),
        ("decided in Q3", "2026-07-01", "2026-10-01"),
        ("decided in Q4 2025", "2025-10-01", "2026-01-01"),
        ("last November", "2025-11-01", "2025-12-01"),
        ("last March", "2026-03-01", "2026-04-01"),
        ("what we did in early October", "2026-10-01", "2026-11-01"),
        ("between August 11 and August 15 2023", "2023-08-11", "2023-08-16"),
        ("earlier this year", "2026-01-01", "2027-01-01"),
    ],
)
def test_a_span_is_what_the_calendar_says_of_its_words(question, since, before):
    assert days(question) == (since, before)


@pytest.mark.parametrize(
    "question",
    [
        "we may march on",
        "show last resort",
        "in March 2025",
        "retry after 30 seconds",
        "before 2026-13-45",
        "on 2026-13-45",
        "retry from 3 to 5 times",
        "the day the broker died",
        "the week before 3 August 2025",
        "two days after March",
        "before the release",
        "",
    ],
)
def test_words_that_only_look_like_a_time_are_words(question):
    assert days(question) is None


def test_an_hour_is_counted_from_now():
    span = span_in("what failed in the last 2 hours", NOW)
    assert span is not None
    assert (span.since, span.before) == (NOW - 2 * HOUR, None)
    span = span_in("what failed an hour ago", NOW)
    assert span is not None
    assert (span.since, span.before) == (NOW - 2 * HOUR, NOW)


@pytest.mark.parametrize(
    ("question", "since", "before"),
    [
        ("on 14 November", "2026-11-14", "2026-11-15"),
        ("on Nov 14th", "2026-11-14", "2026-11-15"),
        ("on the 14th of November 2025", "2025-11-14", "2025-11-15"),
        ("on December 24", "2025-12-24", "2025-12-25"),
        ("in March 2025", "2025-03-01", "2025-04-01"),
        ("end of October", "2026-10-01", "2026-11-01"),
        ("in 2025", "2025-01-01", "2026-01-01"),
        ("2026-03", "2026-03-01", "2026-04-01"),
    ],
)
def test_a_date_in_words_is_told_apart_from_a_span(question, since, before):
    span = date_in(question, NOW)
    assert span is not None
    assert [day(at or 0) for at in (span.since, span.before)] == [since, before]
    assert span_in(question, NOW) is None


@pytest.mark.parametrize("text", ["2026-00017", "port 2026.4", "31 February", "we may", ""])
def test_numbers_that_are_no_date_are_none(text):
    assert date_in(text, NOW) is None


def test_a_tag_is_found_with_and_without_its_letter_and_its_last_zero():
    tags = {"1.2.0": parse("2026-06-01", 0), "v2.0": parse("2026-08-01", 0)}
    assert days("since v1.2", tags.get) == ("2026-06-01", None)
    assert days("since version 1.2.0", tags.get) == ("2026-06-01", None)
    assert days("before 2.0", tags.get) == (None, "2026-08-01")
    assert days("between v1.2 and v2.0", tags.get) == ("2026-06-01", "2026-08-01")


def test_a_release_that_nobody_knows_is_named_still():
    assert release_in("what failed since the last Release?") == "since the last Release"
    assert release_in("what changed since v9.1") == "since v9.1"
    assert release_in("release the lock") == ""


def test_a_release_is_when_its_tag_was_made():
    released = {"": parse("2026-10-01", 0), "v1.2": parse("2026-06-01", 0)}
    assert days("what did we decide before the release", released.get) == (None, "2026-10-01")
    assert days("what changed since v1.2?", released.get) == ("2026-06-01", None)
    assert days("what changed since v9", released.get) is None


def test_the_words_of_a_span_are_told_as_they_were_written():
    span = span_in("What broke Last Week?", NOW)
    assert span is not None
    assert span.words == "Last Week"
