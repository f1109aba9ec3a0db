"""Memories page by page, and how many were made when."""

from __future__ import annotations

import pytest

from recairn.core.errors import BadOption
from recairn.core.times import DAY

# 2026-11-16, a Monday.
MONDAY = 1_794_787_200_000


def test_a_page_says_where_the_next_one_begins_until_the_end(memory):
    for number in range(5):
        memory.remember(f"tide {number}", created_at=MONDAY + number)
    first = memory.page(limit=2)
    assert [each.content for each in first.memories] == ["tide 4", "tide 3"]
    second = memory.page(limit=2, after=first.next)
    last = memory.page(limit=2, after=second.next)
    assert [each.content for each in (*second.memories, *last.memories)] == [
        "tide 2",
        "tide 1",
        "tide 0",
    ]
    assert last.next is None
    oldest = memory.page(limit=1, order="oldest")
    assert [each.content for each in oldest.memories] == ["tide 0"]


def test_what_arrives_meanwhile_moves_no_page(memory):
    for number in range(3):
        memory.remember(f"tide {number}", created_at=MONDAY + number)
    first = memory.page(limit=1)
    memory.remember("the newest", created_at=MONDAY + 9)
    assert memory.page(limit=1, after=first.next).memories[0].content == "tide 1"


@pytest.mark.parametrize("cursor", ["", "5", "-", "5-", "-5", "x-1", "1-x", "9" * 40 + "-1", "²-1"])
def test_what_is_no_cursor_is_refused(memory, cursor):
    with pytest.raises(BadOption, match="no place in a listing"):
        memory.page(after=cursor)


def test_a_page_of_the_past_is_in_the_words_of_that_time(memory, clock):
    memory.remember("The chart is blue")
    before = clock.now
    clock.now += DAY
    memory.edit(1, content="The chart is green")
    (past,) = memory.page(as_of=before).memories
    assert past.content == "The chart is blue"


def test_memories_are_counted_by_day_week_and_month(memory):
    for number, day in enumerate((0, 0, 1, 6, 7, 14, 15)):
        memory.remember(f"chart {number}", created_at=MONDAY + day * DAY, force=True)
    days = memory.histogram("day")
    assert [(each.start, each.count) for each in days.bins] == [
        (MONDAY, 2),
        (MONDAY + DAY, 1),
        (MONDAY + 6 * DAY, 1),
        (MONDAY + 7 * DAY, 1),
        (MONDAY + 14 * DAY, 1),
        (MONDAY + 15 * DAY, 1),
    ]
    weeks = memory.histogram("week")
    assert [((each.start - MONDAY) // DAY, each.count) for each in weeks.bins] == [
        (0, 4),
        (7, 1),
        (14, 2),
    ]
    months = memory.histogram("month")
    # The first of November is fifteen days before; the first of December fifteen after.
    found = [((each.start - MONDAY) // DAY, each.count) for each in months.bins]
    assert found == [(-15, 6), (15, 1)]
    assert {days.total, weeks.total, months.total} == {7}


def test_a_long_time_is_told_in_bins_that_can_be_told_apart(memory):
    memory.remember("the first", created_at=MONDAY)
    assert memory.histogram().by == "day"
    memory.remember("a season later", created_at=MONDAY + 200 * DAY)
    assert memory.histogram().by == "week"
    memory.remember("years later", created_at=MONDAY + 2000 * DAY)
    assert memory.histogram().by == "month"
    assert memory.histogram(kind="rule").bins == ()


def test_counts_follow_every_write_and_are_not_made_anew_without_one(memory, clock):
    memory.remember("The chart is blue")
    assert (memory.count(), memory.stats()["memories"]) == (1, 1)
    state = memory.revision()
    assert memory.count() == 1
    assert memory.revision() == state
    memory.remember("Gulls peck at dawn", expires_at=clock.now + DAY)
    assert (memory.count(), memory.stats()["memories"]) == (2, 2)
    clock.now += 2 * DAY
    assert memory.count() == 1
