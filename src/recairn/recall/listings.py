"""Memories by the time of their creation: as hits, page by page, and how many a time made."""

from __future__ import annotations

import time

from recairn.core.errors import BadOption
from recairn.core.memory_text import flags_of
from recairn.core.model import Hit, SearchMeta, SearchResult, Term
from recairn.core.record import record
from recairn.core.times import DAY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from recairn.core.model import Filter, Memory
    from recairn.recall.search import Request
    from recairn.store.contract.base import Store
    from recairn.store.memory_rows import Cursor

# Stretches of time that memories are counted by, and their days; a month is as long as it is.
STRETCHES = {"day": 1, "week": 7, "month": 31}
# Bars that a reader can tell apart.
_MOST_BINS = 120
# 1970 began on a Thursday: the first Monday was the fifth day.
_MONDAY = 4


@record
class Page:
    """A part of a listing; `next` is the cursor by which it goes on, None at its end."""

    memories: tuple[Memory, ...]
    next: str | None


@record
class Bin:
    """So many memories were made from `start` on, until the next stretch of time begins."""

    start: int
    count: int


@record
class Histogram:
    """How many memories each `day`, `week` or `month` made, oldest first, without empty ones."""

    by: str
    bins: tuple[Bin, ...]
    total: int


def listed_hits(request: Request, store: Store, order: str) -> SearchResult:
    """The memories that a request lets through, for a question that names no subject, the newest or
    the oldest first: as hits, of which each scores less than the one before."""
    started = time.perf_counter()
    newest = store.listing(request.filter, order=order, limit=request.limit)
    shown = store.shown([memory.id for memory in newest])
    rows = [shown[memory.id] for memory in newest if memory.id in shown]
    hits = [
        Hit(
            memory=row.memory,
            terms={order: Term(1.0 - place / len(rows), 1.0)},
            match="listed",
            source_session=row.session,
            superseded_by=row.successor,
            related_count=row.related,
            flags=flags_of(row.memory),
        )
        for place, row in enumerate(rows)
    ]
    meta = SearchMeta(
        query=request.query,
        profile=request.profile.name,
        mode=request.mode,
        project=request.filter.project,
        candidates=len(hits),
        returned=len(hits),
        duration_ms=round((time.perf_counter() - started) * 1000, 3),
        model=None,
        weights={},
    )
    return SearchResult(tuple(hits), meta)


def page(store: Store, filter: Filter, *, newest: bool, after: str | None, limit: int) -> Page:
    """So many memories from where the page before ended, in the words of the time asked about."""
    cursor = None if after is None else _cursor(after)
    memories = store.page(filter, newest=newest, after=cursor, limit=limit + 1)
    shown = memories[:limit]
    last = shown[-1] if len(memories) > limit else None
    if filter.as_of is not None:
        from recairn.memory.lifecycle import as_of

        past = [as_of(memory, store.history(memory.id), filter.as_of) for memory in shown]
        shown = [memory for memory in past if memory is not None]
    return Page(tuple(shown), None if last is None else f"{last.created_at}-{last.id}")


def _cursor(text: str) -> Cursor:
    from recairn.store.memory_rows import Cursor

    at, _, number = text.rpartition("-")
    digits = at.removeprefix("-") + number
    if not (at and number and digits.isascii() and digits.isdigit() and len(digits) < _LONGEST):
        raise BadOption(
            f"{text!r} is no place in a listing", "take next of the page before, as it is"
        )
    return Cursor(int(at), int(number))


# Digits of a time and of a number together, so that both fit into a column.
_LONGEST = 34


def histogram(store: Store, filter: Filter, by: str | None) -> Histogram:
    """How many memories were made when; without `by`, in as many bins as can be told apart."""
    days = store.made_by_day(filter)
    width = by or _width(days)
    bins: dict[int, int] = {}
    for day, count in days.items():
        start = _beginning(day, width)
        bins[start] = bins.get(start, 0) + count
    listed = tuple(Bin(start * DAY, count) for start, count in sorted(bins.items()))
    return Histogram(width, listed, sum(days.values()))


def _width(days: Mapping[int, int]) -> str:
    if not days:
        return "day"
    span = max(days) - min(days) + 1
    fitting = [name for name, width in STRETCHES.items() if span <= width * _MOST_BINS]
    return fitting[0] if fitting else "month"


def _beginning(day: int, width: str) -> int:
    """The first day of the stretch that a day lies in."""
    if width == "day":
        return day
    if width == "week":
        return day - (day - _MONDAY) % 7
    return day - time.gmtime(day * DAY // 1000).tm_mday + 1
