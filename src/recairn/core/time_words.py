"""Time as people say it in a question: `last week`, `since March`, `before the release`.

Pure: words and the present in, a span out. Days are those of UTC, as everywhere; weeks begin on
Monday. A month with its year is no span: the date of a memory is among its words anyway.
"""

from __future__ import annotations

import time

from recairn.core.lazy import compiled
from recairn.core.record import record
from recairn.core.times import DAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Days = tuple[int, int]

_MONTHS = "january february march april may june july august september october november december"
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"
_MONTH = {name: number for number, name in enumerate(_MONTHS.split(), start=1)}
_WEEKDAY = {name: number for number, name in enumerate(_WEEKDAYS.split())}
_COUNTS = "a one two three four five six seven eight nine ten eleven twelve".split()
_COUNT = {name: max(1, number) for number, name in enumerate(_COUNTS)} | {"an": 1, "few": 3}
_UNITS = ("day", "week", "month", "quarter", "year")
_UNIT = f"(?:{'|'.join(_UNITS)})s?"
_NUMBER = rf"(?:\d{{1,3}}|{'|'.join(_COUNT)})"
_NAMED_DAY = "|".join(_WEEKDAY)
_NAMED_MONTH = "|".join(_MONTH)
_RELEASE = r"(?:the )?(?:last |latest |newest |previous )?release|v\d+(?:\.\d+)*"
_POINT = (
    rf"\d{{4}}-\d\d-\d\d|(?:{_NAMED_MONTH})(?: \d{{4}})?|(?:last )?(?:{_NAMED_DAY})|yesterday|today"
    rf"|(?:last|this) (?:{_UNIT})|{_NUMBER} {_UNIT} ago|{_RELEASE}"
)
_WITHIN = "(?:in |over |within |during )?"
_SPANS = (
    rf"\b(?:between|from) (?P<one>{_POINT}) (?:and|to|until|till) (?P<two>{_POINT})\b",
    rf"\b(?P<side>since|after|before|until|till) (?P<point>{_POINT})\b",
    rf"\b{_WITHIN}(?:the )?(?:last|past) (?P<often>{_NUMBER}) (?P<unit>{_UNIT})\b",
    rf"\b{_WITHIN}the past (?P<past>{_UNIT})\b",
    rf"\b(?P<when>yesterday|today|(?:last|this) (?:{_UNIT})|{_NUMBER} {_UNIT} ago)\b",
    rf"\b(?:on|last) (?P<day>{_NAMED_DAY})\b",
    r"\bon (?P<date>\d{4}-\d\d-\d\d)\b",
    rf"\bin (?P<month>{_NAMED_MONTH})\b(?! \d{{4}})",
)


@record
class Span:
    """From `since` to just below `before`, either open; `words` is how the question says it."""

    since: int | None
    before: int | None
    words: str


def span_in(
    question: str, now: int, released_at: Callable[[str], int | None] = lambda name: None
) -> Span | None:
    """The span that a question asks about, if it names one.

    `released_at` tells when a version was released, `""` being the newest.
    """
    text = question.lower()
    for pattern in _SPANS:
        match = compiled(pattern).search(text)
        if match is None:
            continue
        said = {name: value for name, value in match.groupdict().items() if value}
        bounds = _bounds(said, now, released_at)
        if bounds is not None:
            return Span(*bounds, question[match.start() : match.end()].strip())
    return None


def _bounds(
    said: dict[str, str], now: int, released_at: Callable[[str], int | None]
) -> tuple[int | None, int | None] | None:
    def at(point: str) -> Days | None:
        if point.endswith("release") or point[:1] == "v":
            moment = released_at(point if point[:1] == "v" else "")
            return None if moment is None else (moment, moment)
        return _days(point, now)

    if "one" in said:
        one, two = at(said["one"]), at(said["two"])
        if one is None or two is None:
            return None
        # Whichever was said first.
        return min(one[0], two[0]), max(one[1], two[1])
    if "side" in said:
        point = at(said["point"])
        if point is None:
            return None
        return {
            "since": (point[0], None),
            "after": (point[1], None),
            "before": (None, point[0]),
        }.get(said["side"], (None, point[1]))
    if "often" in said:
        return _back(now, _number(said["often"]), said["unit"].rstrip("s")), None
    if "past" in said:
        return _back(now, 1, said["past"].rstrip("s")), None
    return _days(next(iter(said.values())), now)


def _days(point: str, now: int) -> Days | None:
    """The first moment of what a point in time names, and the first after it."""
    today = now - now % DAY
    words = point.split()
    last = words[-1]
    if point == "today":
        return today, today + DAY
    if point == "yesterday":
        return today - DAY, today
    if last == "ago":
        return _unit(now, words[1].rstrip("s"), -_number(words[0]))
    if last in _WEEKDAY:
        back = (_weekday(today) - _WEEKDAY[last] - 1) % 7 + 1
        return today - back * DAY, today - (back - 1) * DAY
    if last.rstrip("s") in _UNITS:
        return _unit(now, last.rstrip("s"), -1 if words[0] == "last" else 0)
    if words[0] in _MONTH:
        return _named_month(words, now)
    return _date(point)


def _named_month(words: list[str], now: int) -> Days:
    """A month, of the year that is said or else the newest that has begun."""
    at = time.gmtime(now // 1000)
    number = _MONTH[words[0]]
    year = int(words[1]) if len(words) > 1 else at.tm_year - (number > at.tm_mon)
    return _first(year, number), _first(year, number + 1)


def _unit(now: int, unit: str, steps: int) -> Days:
    """The calendar's day, week, month, quarter or year so many steps from now."""
    today, at = now - now % DAY, time.gmtime(now // 1000)
    if unit == "day":
        return today + steps * DAY, today + (steps + 1) * DAY
    if unit == "week":
        monday = today - _weekday(today) * DAY + 7 * steps * DAY
        return monday, monday + 7 * DAY
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    start = (at.tm_mon - 1) // months * months + 1 + steps * months
    return _first(at.tm_year, start), _first(at.tm_year, start + months)


def _back(now: int, count: int, unit: str) -> int:
    """So many days, weeks, months, quarters or years before now."""
    days = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}[unit]
    return now - count * days * DAY


def _number(word: str) -> int:
    return int(word) if word.isdecimal() else _COUNT[word]


def _weekday(day: int) -> int:
    """Monday is 0; the first day of 1970 was a Thursday."""
    return (day // DAY + 3) % 7


def _first(year: int, month: int) -> int:
    """The first moment of a month; months beyond the year lie in others."""
    from calendar import timegm

    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return timegm((year, month, 1, 0, 0, 0)) * 1000


def _date(text: str) -> Days | None:
    from recairn.core.errors import BadInput
    from recairn.core.times import parse

    try:
        start = parse(text, 0)
    except BadInput:
        return None
    return start, start + DAY
