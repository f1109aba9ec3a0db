"""What every store promises about whole records, said through the methods of its contract alone."""

from __future__ import annotations

import pytest

from recairn.core.draft import prepare
from recairn.core.fields import NOTHING_EARNED
from recairn.core.ids import new_uid
from recairn.core.model import Draft, Edge, Event, Filter
from recairn.core.words import understand
from recairn.store.share_rows import Share
from recairn.store.tables import BEGINNING, SHAPES, Placement, Position, WholeMemory
from tests.corpus import NOW, PROJECT

EVERYWHERE = Filter(now=NOW)


def row_of(content):
    return prepare(Draft(content=content), project=PROJECT, session=None, allow=(), now=NOW)


def keep(store, *contents):
    ready = [row_of(content) for content in contents]
    with store.transaction():
        return store.put([(each.row, each.keys) for each in ready])


def whole(content, number=None, successor=None, **columns):
    ready = row_of(content)
    earned = {**NOTHING_EARNED, "decayed_at": NOW}
    row = {**ready.row, **earned, "deleted_at": None, "uid": new_uid(NOW), **columns}
    return WholeMemory(number, successor, row, ready.keys)


def put_whole(store, *memories):
    with store.transaction():
        return store.put_whole(memories)


def add(store, noun, *records):
    with store.transaction():
        return store.add_records(noun, records)


def event(memory, name="pinned", at=NOW):
    return Event(0, memory, at, name, "", {}, {}, None, None)


def note(store, memory, at=NOW):
    with store.transaction():
        store.note(event(memory, at=at))


def erase(store, memory):
    with store.transaction():
        store.erase(memory, event(memory, "erased"))


def edge(source, target, maker="user", until=None):
    return Edge(source, target, "affects", 1.0, 1.0, maker, NOW, NOW, until)


def session(name):
    texts = dict.fromkeys(("project", "agent", "directory", "branch", "prompt", "summary"), "")
    times = {"started_at": NOW, "last_seen_at": NOW, "ended_at": None}
    return {"id": name, **texts, "context": {"files": ["pier.py"]}, **times}


def history(memory, number=None, reason="", undo_of=None, **before):
    return {
        "id": number,
        "memory": memory,
        "at": NOW,
        "event": "updated",
        "reason": reason,
        "before": before,
        "after": {},
        "session_id": None,
        "undo_of": undo_of,
        "author": "agent:codex",
    }


# Who is here


def test_every_memory_has_its_number_and_uid_forgotten_or_not(store):
    one, two = keep(store, "gulls on the pier", "tar on a rope")
    with store.transaction():
        store.change(one, {"deleted_at": NOW}, event(one, "forgotten"))
    assert store.all_numbers() == [one, two]
    assert store.uids() == {one: store.get(one).uid, two: store.get(two).uid}


def test_an_erased_memory_keeps_its_uid_and_nobody_gets_its_number(store):
    one, two = keep(store, "gulls on the pier", "tar on a rope")
    uid = store.get(two).uid
    erase(store, two)
    assert store.all_numbers() == [one]
    assert store.uids()[two] == uid
    assert two not in store.new_numbers(3)
    assert two not in put_whole(store, whole("fog at dawn", number=two))


def test_inside_a_snapshot_nothing_changes(open_store):
    reader, writer = open_store(), open_store()
    keep(writer, "gulls on the pier")
    with reader.snapshot():
        before = reader.all_numbers()
        keep(writer, "tar on a rope")
        assert reader.all_numbers() == before
    assert len(reader.all_numbers()) == 2


# What changed


def test_what_changed_after_a_position_comes_once(store):
    one, two = keep(store, "gulls on the pier", "tar on a rope")
    first = store.changed_after(BEGINNING)
    assert first.memories == [one, two]
    assert store.changed_after(first.position).memories == []
    note(store, two, at=NOW + 1)
    note(store, two, at=NOW + 2)
    later = store.changed_after(first.position)
    assert later.memories == [two]
    assert later.position.at == NOW + 2


def test_after_a_position_of_another_history_everything_changed(store):
    numbers = keep(store, "gulls on the pier", "tar on a rope")
    last = store.changed_after(BEGINNING).position
    assert store.changed_after(Position(last.event, last.at + 1)).memories == numbers
    assert store.changed_after(Position(last.event + 9, last.at)).memories == numbers


def test_an_empty_history_ends_where_it_begins(store):
    assert store.changed_after(BEGINNING).position == BEGINNING


# Edges


def test_edges_touching_memories_come_from_both_ends_past_ones_too(store):
    one, two, three = keep(store, "gulls on the pier", "tar on a rope", "fog at dawn")
    edges = [edge(one, two), edge(two, three, until=NOW + 1), edge(three, one)]
    with store.transaction():
        store.put_edges(edges, replace=True)
    touching = store.edges_touching([two])
    assert sorted(touching, key=lambda each: each.source) == edges[:2]
    assert store.edges_touching([]) == []


def test_edges_of_a_maker_are_those_in_force_between_living_memories(store):
    one, two, three = keep(store, "gulls on the pier", "tar on a rope", "fog at dawn")
    edges = [edge(one, two, "sync"), edge(two, one), edge(one, three, "sync", until=NOW + 1)]
    with store.transaction():
        store.put_edges(edges, replace=True)
    assert store.edges_created_by("sync") == edges[:1]
    with store.transaction():
        store.change(two, {"deleted_at": NOW}, event(two, "forgotten"))
    assert store.edges_created_by("sync") == []


# Memories that arrive whole


def test_whole_memories_keep_the_numbers_they_had_where_those_are_free(store):
    (here,) = keep(store, "gulls on the pier")
    numbers = put_whole(
        store, whole("tar on a rope", here), whole("fog at dawn", 40), whole("oil in the lamp")
    )
    assert numbers[1] == 40
    assert len({here, *numbers}) == 4
    assert store.get(here).content == "gulls on the pier"
    assert [store.get(number).content for number in numbers] == [
        "tar on a rope",
        "fog at dawn",
        "oil in the lamp",
    ]


def test_a_whole_memory_brings_what_it_earned_and_no_history(store):
    (number,) = put_whole(store, whole("tar on a rope", usage_count=7, helpful=2.5))
    assert (store.get(number).usage_count, store.get(number).helpful) == (7, 2.5)
    assert store.history(number) == []
    assert store.match_text(understand("rope"), EVERYWHERE, 5)[0][0] == number
    ready = row_of("tar on a rope")
    assert set(store.key_holders(ready.keys)) == set(ready.keys)


def test_a_successor_is_found_by_its_uid_wherever_it_is(store):
    (here,) = keep(store, "gulls on the pier")
    last = whole("fog at dawn")
    numbers = put_whole(
        store,
        whole("tar on a rope", successor=last.row["uid"]),
        last,
        whole("oil in the lamp", successor=store.get(here).uid),
        whole("brass in the lens", successor=new_uid(NOW)),
    )
    successors = [store.get(number).superseded_by for number in numbers]
    assert successors == [numbers[1], None, here, None]


def test_new_numbers_are_nobodys(store):
    assert store.new_numbers(0) == []
    here = keep(store, "gulls on the pier", "tar on a rope")
    numbers = store.new_numbers(3)
    assert len({*here, *numbers}) == 5


# Records


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_every_noun_has_records(store, shape):
    assert list(store.records(shape.name)) == []


def test_records_come_back_as_they_were_added(store):
    (here,) = keep(store, "gulls on the pier")
    add(store, "session", session("watch-2"), session("watch-1"))
    assert list(store.records("session")) == [session("watch-1"), session("watch-2")]
    query = {
        "id": 5,
        "at": NOW,
        "query": "gulls",
        "tool": "cli",
        "mode": "text",
        "profile": "",
        "project": None,
        "session_id": None,
        "results": 1,
        "result_ids": [here],
        "duration_ms": 1.5,
    }
    assert add(store, "query", query) == [Placement(5, new=True)]
    assert list(store.records("query")) == [query]


def test_records_about_some_memories_are_theirs_alone(store):
    first, second, third = keep(store, "gulls on the pier", "fog on the mole", "tar on the rope")
    add(store, "event", history(second, 70, "a"), history(third, 71, "b"), history(second, 72, "c"))
    about = list(store.records_about("event", [second, first]))
    assert {each["memory"] for each in about} == {first, second}
    assert [each for each in store.records("event") if each["memory"] != third] == about
    assert list(store.records_about("private", [first])) == []


def test_what_is_known_by_a_name_is_listed_by_it(store):
    assert store.names("session") == set()
    add(store, "session", session("watch-1"), session("watch-2"))
    assert store.names("session") == {"watch-1", "watch-2"}
    assert store.names("task") == set()


def test_a_record_that_is_here_is_left_alone(store):
    add(store, "session", session("watch-1"))
    changed = {**session("watch-1"), "summary": "another one"}
    assert add(store, "session", changed) == [Placement(0, new=False)]
    assert list(store.records("session")) == [session("watch-1")]


def test_a_number_that_is_taken_is_replaced(store):
    (here,) = keep(store, "gulls on the pier")
    (created,) = store.history(here)
    places = add(store, "event", history(here, created.id, "a"), history(here, 70, "b"))
    assert [place.new for place in places] == [True, True]
    assert places[1].number == 70
    assert places[0].number not in (created.id, 70)
    assert [each.reason for each in store.history(here) if each.id == 70] == ["b"]


def test_a_record_without_a_number_gets_one(store):
    (here,) = keep(store, "gulls on the pier")
    (place,) = add(store, "event", history(here, None, "a"))
    assert store.history(here)[-1].id == place.number


def test_what_happened_twice_is_there_twice_and_comes_only_once_more(store):
    (here,) = keep(store, "gulls on the pier")
    twice = [history(here, 70), history(here, 71)]
    assert [place.new for place in add(store, "event", *twice)] == [True, True]
    again = add(store, "event", *twice, history(here, 72))
    assert again == [Placement(70, new=False), Placement(71, new=False), Placement(72, new=True)]


def test_two_copies_of_one_record_are_one(store):
    (here,) = keep(store, "gulls on the pier")
    places = add(store, "event", history(here, 70), history(here, 70))
    assert places == [Placement(70, new=True), Placement(70, new=False)]
    assert len(store.history(here)) == 2


def test_a_record_that_names_another_of_its_noun_follows_its_new_number(store):
    (here,) = keep(store, "gulls on the pier")
    (created,) = store.history(here)
    first, second, third = add(
        store,
        "event",
        history(here, created.id, "first"),
        history(here, 70, "second", undo_of=created.id),
        history(here, 71, "third", undo_of=999),
    )
    named = {each.id: each.undo_of for each in store.history(here)}
    assert named[second.number] == first.number
    assert named[third.number] is None


def test_what_an_event_changed_is_kept_as_it_is(store):
    (here,) = keep(store, "gulls on the pier")
    add(store, "event", history(here, 70, category="upkeep", weights=[1, 2.5, None]))
    *_, last = store.records("event")
    assert last["before"] == {"category": "upkeep", "weights": [1, 2.5, None]}
    assert store.history(here)[-1].before["category"] == "upkeep"


def test_nothing_is_added_by_a_transaction_that_fails(store):
    def fail():
        with store.transaction():
            store.add_records("session", [session("watch-1")])
            store.put_whole([whole("tar on a rope")])
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert store.names("session") == set()
    assert store.all_numbers() == []


def test_a_setting_that_came_as_a_record_counts_at_once(store):
    assert "keeper.pace" not in store.config()
    add(store, "setting", {"key": "keeper.pace", "value": "slow", "updated_at": NOW})
    assert store.config()["keeper.pace"] == "slow"


def test_what_a_server_told_does_not_wait_to_be_sent_to_it(store):
    with store.transaction():
        store.put_share(Share(PROJECT, "shop", "https://memory.example", "", NOW, None))
        (told,) = store.put_whole([whole("fog at dawn")], is_heard=True)
        store.note_beginnings([event(told, "created"), event(told, "synced")])
        assert store.outbox_size() == 0
        store.put_whole([whole("fog at noon")])
    assert [each.event for each in store.history(told)] == ["created", "synced"]
    assert store.outbox_size() == 1
