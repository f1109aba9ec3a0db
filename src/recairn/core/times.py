"""Times as integer milliseconds UTC, and their spellings."""

from __future__ import annotations

import time

from recairn.core.errors import BadInput

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

_UNITS = {"s": SECOND, "m": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY, "y": 365 * DAY}

# The years ISO 8601 can spell with four digits; anything else is a unit mix-up, not a date.
_EARLIEST = -62135596800000
_LATEST = 253402300799999


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def iso(ms: int | None) -> str | None:
    """ISO 8601 in UTC with milliseconds and `Z`, the spelling used in all JSON."""
    if ms is None:
        return None
    seconds, rest = divmod(ms, 1000)
    at = time.gmtime(seconds)
    return (
        f"{at.tm_year:04d}-{at.tm_mon:02d}-{at.tm_mday:02d}"
        f"T{at.tm_hour:02d}:{at.tm_min:02d}:{at.tm_sec:02d}.{rest:03d}Z"
    )


def day(ms: int) -> str:
    """The UTC date of a time, e.g. `2026-11-15`."""
    at = time.gmtime(ms // 1000)
    return f"{at.tm_year:04d}-{at.tm_mon:02d}-{at.tm_mday:02d}"


_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_last_day = (0, "")


def date_words(ms: int) -> str:
    """A date as people say it, `15 November 2026 Sunday`, so that it is found by its words."""
    global _last_day
    number = ms // DAY
    if _last_day[0] != number:  # bulk work comes day by day
        at = time.gmtime(number * DAY // 1000)
        spelled = f"{at.tm_mday} {_MONTHS[at.tm_mon - 1]} {at.tm_year} {_WEEKDAYS[at.tm_wday]}"
        _last_day = (number, spelled)
    return _last_day[1]


def parse(text: str, now: int) -> int:
    """Milliseconds of an ISO date or time, or of an age such as `7d`, `36h`, `2w`, `yesterday`."""
    word = text.strip().lower().removesuffix(" ago").strip()
    if word in ("now", "today"):
        return now if word == "now" else now - now % DAY
    if word == "yesterday":
        return now - now % DAY - DAY
    if word[:-1].replace(".", "", 1).isascii() and word[:-1].replace(".", "", 1).isdigit():
        unit = _UNITS.get(word[-1])
        if unit is not None and len(word) <= 16:
            return _reached(now - int(float(word[:-1]) * unit), word)
    return _parse_iso(text.strip())


def _reached(ms: int, span: str) -> int:
    if not _EARLIEST <= ms <= _LATEST:
        raise BadInput(f"{span} leads out of the calendar", "give a shorter span, such as 90d")
    return ms


def _parse_iso(text: str) -> int:
    from datetime import UTC, datetime, timedelta

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(
            f"cannot read {text[:40]!r} as a time",
            "use a date (2026-11-15), a time (2026-11-15T10:30:00Z) or an age (7d, 36h, 2w)",
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def check(ms: int) -> int:
    """The same time, or BadInput when it lies outside the years 1 to 9999."""
    if not isinstance(ms, int) or not _EARLIEST <= ms <= _LATEST:
        raise BadInput(
            f"{str(ms)[:40]} is not a time in milliseconds", "times count milliseconds since 1970"
        )
    return ms


def age(then: int, now: int) -> str:
    """How long ago, in the words a person would use: `just now`, `5 minutes ago`, `3 days ago`."""
    gone = now - then
    if gone < -MINUTE:
        return "in " + _span(-gone)
    return "just now" if gone < MINUTE else _span(gone) + " ago"


def _span(length: int) -> str:
    from recairn.core.words import counted

    for unit, name in ((365 * DAY, "year"), (30 * DAY, "month"), (DAY, "day"), (HOUR, "hour")):
        if length >= unit:
            return counted(length // unit, name)
    return counted(max(1, length // MINUTE), "minute")
