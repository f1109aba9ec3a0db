"""Times and their spellings."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recairn.core.errors import BadInput
from recairn.core.times import DAY, HOUR, MINUTE, SECOND, age, check, day, iso, now_ms, parse
from tests.corpus import NOW

# 0001-01-01 to 9999-12-31, the years ISO 8601 spells with four digits.
MOMENTS = st.integers(-62135596800000, 253402300799999)


@pytest.mark.parametrize(
    ("ms", "spelled"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (NOW, "2026-11-15T12:00:00.000Z"),
        (NOW + 7, "2026-11-15T12:00:00.007Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (None, None),
    ],
)
def test_json_times_are_iso_in_utc(ms, spelled):
    assert iso(ms) == spelled


def test_a_day_is_a_date_in_utc():
    assert day(NOW) == "2026-11-15"
    assert day(-1) == "1969-12-31"


@given(MOMENTS)
def test_what_is_spelled_can_be_read_again(ms):
    assert parse(str(iso(ms)), NOW) == ms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", NOW),
        ("today", NOW - 12 * HOUR),
        ("yesterday", NOW - 36 * HOUR),
        ("30s", NOW - 30 * SECOND),
        ("5m", NOW - 5 * MINUTE),
        ("36h", NOW - 36 * HOUR),
        ("7d", NOW - 7 * DAY),
        ("2w", NOW - 14 * DAY),
        ("1.5d", NOW - 36 * HOUR),
        ("7d ago", NOW - 7 * DAY),
        (" 7D ", NOW - 7 * DAY),
        ("1y", NOW - 365 * DAY),
        ("2026-11-15", NOW - 12 * HOUR),
        ("2026-11-15T12:00:00Z", NOW),
        ("2026-11-15T12:00", NOW),
        ("2026-11-15T13:00:00+01:00", NOW),
    ],
)
def test_dates_times_and_ages_are_understood(text, expected):
    assert parse(text, NOW) == expected


@pytest.mark.parametrize(
    "text", ["", " ", "soon", "7", "d", "7x", "-7d", "2026-13-01", "1.2.3d", "٣d"]
)
def test_anything_else_is_bad_input_with_examples(text):
    with pytest.raises(BadInput) as caught:
        parse(text, NOW)
    assert "2026-11-15" in caught.value.hint


@pytest.mark.parametrize("text", ["99999y", "999999999999999d"])
def test_an_age_before_the_calendar_is_bad_input(text):
    with pytest.raises(BadInput):
        parse(text, NOW)


def test_an_absurdly_long_age_is_bad_input():
    with pytest.raises(BadInput):
        parse("9" * 400 + "d", NOW)


@given(st.text())
def test_any_text_is_a_time_or_bad_input(text):
    with suppress(BadInput):
        assert isinstance(parse(text, NOW), int)


def test_seconds_given_for_milliseconds_stay_in_range_but_micros_do_not():
    assert check(NOW) == NOW
    with pytest.raises(BadInput, match="milliseconds"):
        check(NOW * 1000)
    with pytest.raises(BadInput):
        check(-NOW * 1000)


@pytest.mark.parametrize(
    ("gone", "spelled"),
    [
        (0, "just now"),
        (59 * SECOND, "just now"),
        (MINUTE, "1 minute ago"),
        (59 * MINUTE, "59 minutes ago"),
        (HOUR, "1 hour ago"),
        (3 * DAY, "3 days ago"),
        (45 * DAY, "1 month ago"),
        (800 * DAY, "2 years ago"),
        (-30 * SECOND, "just now"),
        (-2 * HOUR, "in 2 hours"),
    ],
)
def test_ages_are_told_as_people_tell_them(gone, spelled):
    assert age(NOW - gone, NOW) == spelled


def test_the_clock_counts_milliseconds():
    assert check(now_ms()) > 1_700_000_000_000
