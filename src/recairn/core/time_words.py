"""Time as people say it in a question: `since March`, `in the last 10 days`, `before the release`.

Pure: words and the present in, a span out.
"""

from __future__ import annotations

from recairn.core.lazy import compiled
from recairn.core.points_in_time import (
    DATE,
    DAY_OF_MONTH,
    MONTH,
    NAMED,
    NUMBER,
    PART_OF_MONTH,
    POINT,
    QUARTER,
    UNIT,
    WEEKDAY,
    YEAR,
    back,
    stretch,
)
from recairn.core.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Days = tuple[int, int]
    Bounds = tuple[int | None, int | None]

_VERSION = r"(?:(?:version |release )?v?\d+(?:\.\d+)+|v\d+)\b"
_RELEASE = rf"(?:(?:the )?(?:last |latest |newest |previous )?release\b(?! v?\d)|{_VERSION})"
_ANY = rf"(?:{POINT}|{_RELEASE})"
# The week before the release is no time before it.
_BESIDE = "(?<!day )(?<!days )(?<!week )(?<!weeks )(?<!weekend )(?<!month )(?<!months )(?<!night )"
_WITHIN = "(?:(?:in|over|within|during|of|from) )?"
_SIDES = ("since", "after", "before", "until", "till")
_NAMES = ("yesterday", "today", "this", "last", "tonight", "weekend", "ago")
# Each with words of which it has one: a pattern is made only where it may match.
_SPANS = (
    (
        ("between", "from"),
        rf"\b(?:between|from) (?P<one>{_ANY}) (?:and|to|until|till) (?P<two>{_ANY})(?!\w)",
    ),
    (_SIDES, rf"{_BESIDE}\b(?P<side>since|after|before|until|till) (?P<point>{_ANY})(?!\w)"),
    ((" than ",), rf"\b(?P<side>older|newer|earlier|later) than (?P<point>{_ANY})(?!\w)"),
    (
        (" than ",),
        rf"\b(?P<age>older|newer|more|less) than (?P<old>{NUMBER}) (?P<unit>{UNIT})\b"
        "(?: ago| old)?",
    ),
    (
        ("last", "past"),
        rf"\b{_WITHIN}(?:the )?(?:last|past) (?P<often>{NUMBER}) (?P<unit>{UNIT})\b",
    ),
    (("the last", "the past"), rf"\b{_WITHIN}the (?:last|past) (?P<unit>{UNIT})\b"),
    (_NAMES, rf"\b(?:over |on |at |{_WITHIN})(?P<when>{NAMED})\b"),
    (("day",), rf"\b(?:on|last) (?P<when>{WEEKDAY})\b"),
    (("on ", "of ", "from "), rf"\b(?:on|of|from) (?P<when>{DATE})(?!\w)"),
    (("q1", "q2", "q3", "q4"), rf"\b(?:in|from|during|of|at) (?P<when>{QUARTER})(?!\w)"),
    (("last ",), rf"\b{_WITHIN}(?P<when>last {MONTH})(?!\w)"),
    (("in ", "during ", "at "), rf"\b(?:in|during|at) (?P<when>{MONTH})(?! ?\d)(?!\w)"),
)
# Dates whose words the memories of that time hold too, as a text is found by its date: a cut says
# no more than their order, but to who names no subject.
_DATES = (
    (tuple("0123456789"), rf"\b(?:on |from |of )?(?P<when>{DAY_OF_MONTH})(?!\w)"),
    (
        (*"12", "early", "late", "mid", " of "),
        rf"\b(?:in |from |of |during )?"
        rf"(?P<when>{MONTH} {YEAR}|{PART_OF_MONTH}|{YEAR}-\d\d)(?![\w-])",
    ),
    (("19", "20"), rf"\b(?:in |from |of |during )?(?P<when>{YEAR})(?![\w.-])"),
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
    return _first_in(_SPANS, question, now, released_at)


def date_in(question: str, now: int) -> Span | None:
    """The day, month or year of a question by whose words memories are found as well."""
    return _first_in(_DATES, question, now, lambda name: None)


def release_in(question: str) -> str:
    """How a question says a time by a release: `before the release`; "" for most."""
    release = compiled(rf"\b(?:since|after|before|until|till) (?:{_RELEASE})(?!\w)")
    match = release.search(question.lower())
    return "" if match is None else question[match.start() : match.end()]


def _first_in(
    patterns: tuple[tuple[tuple[str, ...], str], ...],
    question: str,
    now: int,
    released_at: Callable[[str], int | None],
) -> Span | None:
    text = question.lower()
    for having, pattern in patterns:
        match = compiled(pattern).search(text) if any(word in text for word in having) else None
        if match is None:
            continue
        said = {name: value for name, value in match.groupdict().items() if value}
        bounds = _bounds(said, now, released_at)
        if bounds is not None:
            return Span(*bounds, question[match.start() : match.end()].strip())
    return None


def _bounds(
    said: dict[str, str], now: int, released_at: Callable[[str], int | None]
) -> Bounds | None:
    def at(point: str) -> Days | None:
        if not compiled(_RELEASE).fullmatch(point) or compiled(DATE).fullmatch(point):
            return stretch(point, now)
        moment = _released(point.split()[-1], released_at)
        return None if moment is None else (moment, moment)

    if "one" in said:
        one, two = at(_in_year_of(said["two"], said["one"])), at(said["two"])
        # Whichever was said first.
        return None if one is None or two is None else (min(one[0], two[0]), max(one[1], two[1]))
    if "side" in said:
        point = at(said["point"])
        return None if point is None else _on_one_side(said["side"], point)
    if "age" in said:
        then = back(now, said["old"], said["unit"])
        return (None, then) if said["age"] in ("older", "more") else (then, None)
    if "unit" in said:
        return back(now, said.get("often", "one"), said["unit"]), None
    return stretch(said["when"], now)


def _in_year_of(later: str, earlier: str) -> str:
    """`August 11` with the year of the day that it is named together with."""
    year = compiled(rf"\b{YEAR}$").search(later)
    if year is None or not compiled(rf"{DAY_OF_MONTH}|{MONTH}").fullmatch(earlier):
        return earlier
    return f"{earlier} {year.group()}" if not earlier.endswith(year.group()) else earlier


def _on_one_side(side: str, point: Days) -> Bounds:
    if side == "since":
        return point[0], None
    if side in ("after", "newer", "later"):
        return point[1], None
    return None, point[1] if side in ("until", "till") else point[0]


def _released(name: str, released_at: Callable[[str], int | None]) -> int | None:
    """When a release was made, whether its tag begins with a v or not, and has a zero more."""
    if name == "release":
        return released_at("")
    bare = name.removeprefix("v")
    tags = [sign + bare + zero for zero in ("", ".0") for sign in ("v", "")]
    return next((at for at in map(released_at, tags) if at is not None), None)
