"""Time as people say it in a question."""

import pytest

from recairn.core.time_words import span_in
from recairn.core.times import day, parse

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
        "before the release",
        "",
    ],
)
def test_words_that_only_look_like_a_time_are_words(question):
    assert days(question) is None


def test_a_release_is_when_its_tag_was_made():
    released = {"": parse("2026-10-01", 0), "v1.2": parse("2026-06-01", 0)}
    assert days("what did we decide before the release", released.get) == (None, "2026-10-01")
    assert days("what changed since v1.2?", released.get) == ("2026-06-01", None)
    assert days("what changed since v9", released.get) is None


def test_the_words_of_a_span_are_told_as_they_were_written():
    span = span_in("What broke Last Week?", NOW)
    assert span is not None
    assert span.words == "Last Week"
