"""What was remembered around a memory."""

from __future__ import annotations

import pytest

from recairn.core.errors import BadInput, NotFound
from recairn.core.times import MINUTE


@pytest.fixture
def week(memory, clock):
    """Five memories a minute apart, in two sessions; their ids."""
    ids = []
    for number, session in enumerate(["s1", "s1", None, "s2", "s2"]):
        clock.advance(MINUTE)
        ids.append(memory.remember(f"day {number} had its own weather", session=session).id)
    return ids


def shown(timeline):
    return [each.id for each in timeline.before], [each.id for each in timeline.after]


def test_neighbours_come_in_the_order_they_were_made(memory, week):
    assert shown(memory.timeline(week[2])) == (week[:2], week[3:])


def test_as_many_as_asked_for_and_the_nearest(memory, week):
    assert shown(memory.timeline(week[2], before=1, after=1)) == ([week[1]], [week[3]])
    assert shown(memory.timeline(week[2], before=0, after=0)) == ([], [])


def test_the_sessions_of_everything_shown_are_there(memory, week):
    timeline = memory.timeline(week[2], before=1, after=1)
    assert set(timeline.sessions) == {"s1", "s2"}
    assert timeline.session_of == {week[1]: "s1", week[3]: "s2"}
    assert timeline.sessions["s1"].memories == 2


def test_what_was_forgotten_expired_or_is_of_elsewhere_is_left_out(memory, week, clock):
    memory.forget(week[1])
    memory.expire(week[3])
    memory.remember("elsewhere", project="kestrel", created_at=clock() - MINUTE)
    memory.remember("piece", kind="chunk", created_at=clock() - MINUTE)
    assert shown(memory.timeline(week[2])) == ([week[0]], [week[4]])


def test_what_was_replaced_is_part_of_the_story(memory, week):
    memory.supersede(week[1], week[2])
    assert shown(memory.timeline(week[2])) == (week[:2], week[3:])


def test_what_only_another_session_sees_is_left_out(memory, week):
    memory.remember("a secret thought of s9", tier="session", session="s9")
    assert shown(memory.timeline(week[4])) == (week[:4], [])


def test_memories_of_the_same_moment_have_an_order(memory):
    ids = [memory.remember(text).id for text in ("one gull", "two terns", "three auks")]
    assert shown(memory.timeline(ids[1])) == (ids[:1], ids[2:])


def test_an_old_import_stands_where_it_was_learned(memory, week, clock):
    older = memory.remember("imported", created_at=clock() - 30 * MINUTE).id
    assert shown(memory.timeline(week[0])) == ([older], week[1:])


def test_there_must_be_an_anchor(memory):
    with pytest.raises(NotFound):
        memory.timeline(4711)


@pytest.mark.parametrize("depth", [-1, 201, "5"])
def test_depths_lie_between_0_and_200(memory, week, depth):
    with pytest.raises(BadInput, match="between 0 and 200"):
        memory.timeline(week[2], before=depth)


def test_unverified_neighbours_do_not_take_the_places_of_verified_ones(memory, clock):
    names = []
    for number in range(3):
        clock.advance(1000)
        names.append(memory.remember(f"buoy {number} is lit").id)
        clock.advance(1000)
        memory.remember(f"buoy {number} was seen", source_type="run")
    seen = memory.timeline(names[2], before=2, candidates=False)
    assert shown(seen) == (names[:2], [])
    assert len(memory.timeline(names[2], before=2).before) == 2
    assert shown(memory.timeline(names[2], before=2))[0] != names[:2]
