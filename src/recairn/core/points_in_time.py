"""Points in time as people say them, `last week`, `14 November`, `Q3`, and when each is.

Pure: words and the present in, two moments out. Days are those of UTC, as everywhere; weeks begin
on Monday. The morning of a day is that day: when it begins depends on where somebody lives.
"""

from __future__ import annotations

import time

from recairn.core.lazy import compiled
from recairn.core.times import DAY, HOUR, MINUTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Days = tuple[int, int]

_MONTHS = "january february march april may june july august september october november december"
_MONTH = {name: number for number, name in enumerate(_MONTHS.split(), start=1)}
_MONTH |= {name[:3]: number for name, number in _MONTH.items()} | {"sept": 9}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
_WEEKDAY = {name: number for number, name in enumerate(_WEEKDAYS.split())}
_SATURDAY = 5
_COUNTS = "a one two three four five six seven eight nine ten eleven twelve".split()
_COUNT = {name: max(1, number) for number, name in enumerate(_COUNTS)}
_COUNT |= {"an": 1, "few": 3, "a few": 3, "couple of": 2, "a couple of": 2, "several": 5}
# How long each is when it is counted back from now.
_LASTING = {"minute": MINUTE, "hour": HOUR, "day": DAY, "week": 7 * DAY, "fortnight": 14 * DAY}
_LASTING |= {"month": 30 * DAY, "quarter": 91 * DAY, "year": 365 * DAY}


def _any(names: Sequence[str]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


UNIT = f"(?:{_any(tuple(_LASTING))})s?"
NUMBER = rf"(?:\d{{1,3}}|{_any(tuple(_COUNT))})"
WEEKDAY = f"(?:{_any(tuple(_WEEKDAY))})"
YEAR = r"(?:19|20)\d\d"
# All of a month where only a part of it is named: who says early November does not count days.
_PART_OF = (
    r"(?:(?:early|late|mid|(?:the )?(?:(?:start|beginning|middle|end)"
    r"|(?:first|second|third|last) (?:week|half)) of)[ -])"
)
_MONTHS_NAMED = rf"(?:{_any(tuple(_MONTH))})\b\.?"
MONTH = f"{_PART_OF}?{_MONTHS_NAMED}"
PART_OF_MONTH = f"{_PART_OF}{_MONTHS_NAMED}"
DATE = r"(?:\d{4}-\d\d-\d\d|\d{4}/\d\d/\d\d|\d\d?\.\d\d?\.\d{4})"
_DAY = r"(?:the )?\d\d?(?:st|nd|rd|th)?"
DAY_OF_MONTH = rf"(?:{_DAY} (?:of )?{MONTH}|{MONTH} {_DAY}\b)(?:,? {YEAR}\b)?"
_PART = r"(?: (?:morning|noon|afternoon|evening|night))"
QUARTER = rf"q[1-4]\b(?: (?:of )?{YEAR}\b)?"
# What says by itself when it is.
NAMED = (
    rf"(?:(?:the )?day before yesterday|yesterday{_PART}?|(?:earlier )?today|this{_PART}|last night"
    rf"|tonight|(?:last|the) weekend|(?:earlier )?(?:last|this) {UNIT}|{NUMBER} {UNIT} ago)"
)
POINT = (
    rf"(?:{DATE}|\d{{4}}-\d\d\b(?!-)|{DAY_OF_MONTH}|(?:last )?{MONTH}(?: {YEAR}\b)?"
    rf"|(?:last )?{WEEKDAY}|{NAMED}|{QUARTER}|{YEAR}\b(?![.-]))"
)


def stretch(point: str, now: int) -> Days | None:
    """The first moment of what a point in time names, and the first after it."""
    words = compiled(r"[a-z]+|\d+").findall(point)
    numbers = [int(word) for word in words if word.isdecimal()]
    if len(numbers) == len(words):
        return _numbered(point, numbers)
    month = next((word for word in words if word in _MONTH), "")
    if month:
        return _in_month(_MONTH[month], numbers, now, ended="last" in words)
    if words[0] == "q":
        return _in_quarter(numbers, now)
    return _named(words, now)


def back(now: int, count: str, unit: str) -> int:
    """So many hours, days, weeks, months, quarters or years before now."""
    return now - _number(count) * _LASTING[unit.rstrip("s")]


def _named(words: list[str], now: int) -> Days:
    """Of `yesterday`, `two weeks ago`, `last Friday` and their like."""
    today, last = now - now % DAY, words[-1]
    if last == "ago":
        return _ago(_number(" ".join(words[:-2])), words[-2].rstrip("s"), now)
    if "yesterday" in words or words == ["last", "night"]:
        back = 2 if "before" in words else 1
        return today - back * DAY, today - (back - 1) * DAY
    if last in _WEEKDAY:
        back = (_weekday(today) - _WEEKDAY[last] - 1) % 7 + 1
        return today - back * DAY, today - (back - 1) * DAY
    if last == "weekend":
        # On a Saturday or Sunday the last one is that of the week before.
        back = (_weekday(today) - _SATURDAY) % 7 + 7 * ("last" in words and _weekday(today) > 4)
        return today - back * DAY, today - (back - 2) * DAY
    unit = last.rstrip("s")
    if unit in _LASTING:
        if "last" in words:
            return _ago(1, unit, now) if _LASTING[unit] >= DAY else (now - _LASTING[unit], now)
        return _unit(now, unit, 0)
    return today, today + DAY


def _ago(count: int, unit: str, now: int) -> Days:
    """The calendar's unit so many before this one; of hours and minutes what lies around."""
    length = _LASTING[unit]
    if length < DAY:
        return now - (count + 1) * length, now - (count - 1) * length
    return _unit(now, unit, -count)


def _unit(now: int, unit: str, steps: int) -> Days:
    """The calendar's day, week, month, quarter or year so many steps from now."""
    today, at = now - now % DAY, time.gmtime(now // 1000)
    if unit in ("minute", "hour"):
        return now - now % _LASTING[unit], now
    if unit == "day":
        return today + steps * DAY, today + (steps + 1) * DAY
    if unit in ("week", "fortnight"):
        weeks = steps * (2 if unit == "fortnight" else 1)
        monday = today - _weekday(today) * DAY + 7 * weeks * DAY
        return monday, monday + 7 * DAY
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    start = (at.tm_mon - 1) // months * months + 1 + steps * months
    return _first(at.tm_year, start), _first(at.tm_year, start + months)


def _in_month(month: int, numbers: list[int], now: int, *, ended: bool) -> Days | None:
    """A month or one of its days, of the year that is said or else the newest that has begun."""
    at = time.gmtime(now // 1000)
    day = next((number for number in numbers if number < 100), 0)
    year = next((number for number in numbers if number >= 100), 0)
    year = year or at.tm_year - (month > at.tm_mon or (ended and month == at.tm_mon))
    if not day:
        return _first(year, month), _first(year, month + 1)
    found = _date(year, month, day)
    if found is not None and found[0] > now and year not in numbers:
        return _date(year - 1, month, day)
    return found


def _in_quarter(numbers: list[int], now: int) -> Days:
    at = time.gmtime(now // 1000)
    month = 3 * numbers[0] - 2
    year = numbers[1] if len(numbers) > 1 else at.tm_year - (month > at.tm_mon)
    return _first(year, month), _first(year, month + 3)


def _numbered(point: str, numbers: list[int]) -> Days | None:
    """Of a date, a month or a year in digits."""
    if len(numbers) == 1:
        return _first(numbers[0], 1), _first(numbers[0], 13)
    if len(numbers) == 2:
        year, month = numbers
        return (_first(year, month), _first(year, month + 1)) if 0 < month <= 12 else None
    return _date(*(reversed(numbers) if "." in point else numbers))


def _date(year: int, month: int, day: int) -> Days | None:
    from recairn.core.errors import BadInput
    from recairn.core.times import parse

    try:
        start = parse(f"{year:04d}-{month:02d}-{day:02d}", 0)
    except BadInput:
        return None
    return start, start + DAY


def _number(words: str) -> int:
    return int(words) if words.isdecimal() else _COUNT[words]


def _weekday(day: int) -> int:
    """Monday is 0; the first day of 1970 was a Thursday."""
    return (day // DAY + 3) % 7


def _first(year: int, month: int) -> int:
    """The first moment of a month; months beyond the year lie in others."""
    from calendar import timegm

    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return timegm((year, month, 1, 0, 0, 0)) * 1000
