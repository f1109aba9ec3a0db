"""What every store promises about replicas, what goes to others, and what others read."""

from __future__ import annotations

from recairn.core.draft import prepare
from recairn.core.model import Act, Draft, Event
from recairn.core.stamps import parsed
from recairn.store.share_rows import Acknowledgement, FeedRow, Kept, Queued, Refusal, Share
from tests.corpus import NOW, PROJECT

SHARE = Share(PROJECT, "tower", "https://hub.example", "", NOW, None)


def keep(store, *contents):
    drafts = [Draft(content=content) for content in contents]
    ready = [prepare(each, project=PROJECT, session=None, allow=(), now=NOW) for each in drafts]
    with store.transaction():
        return store.put([(each.row, each.keys) for each in ready])


def change(store, number, at=NOW, stamps=None, **changes):
    with store.transaction():
        event = Event(0, number, at, "updated", "", {}, {}, None, None)
        store.change(number, changes, event, stamps)


def waiting(store):
    return {(each.noun, each.name) for each in store.outbox(9)}


def test_a_change_is_stamped_by_the_replica_that_makes_it(store):
    one, two = keep(store, "Trim the wick", "Ring the bell")
    with store.transaction():
        replica, incarnation = store.replica(), store.incarnation(NOW)
    assert store.stamps_of([one, two]) == {one: "", two: ""}
    change(store, one, content="Trim the wick daily", pinned=True)
    change(store, one, at=NOW - 9000, category="upkeep")  # a slow clock
    stamps = parsed(store.stamps_of([one])[one])
    assert stamps["vector"] == {incarnation: 1}
    assert stamps["text"] == stamps["pin"] == [NOW + 1, replica]
    assert stamps["sort"] == [NOW + 2, replica]
    change(store, one, stamps='{"text":[7,"x"]}', content="Said elsewhere")
    assert store.stamps_of([one, two]) == {one: '{"text":[7,"x"]}', two: ""}
    with store.transaction():
        assert store.new_replica() == store.replica() != replica


def test_what_was_destroyed_is_known_by_its_uid(store):
    one, two = keep(store, "Trim the wick", "Ring the bell")
    uids = store.uids_of([one, two])
    assert store.numbers_of(uids.values()) == {uids[one]: one, uids[two]: two}
    with store.transaction():
        store.erase(one, Event(0, one, NOW, "erased", "", {}, {}, None, None))
        store.put_erased("0" * 26, 0, PROJECT, (5, "b"))
        store.put_erased("0" * 26, 0, PROJECT, (4, "c"))
    assert store.uids_of([one, two]) == uids
    assert store.numbers_of(uids.values()) == {uids[two]: two}
    stranger, here = store.erased()
    assert (stranger.memory, stranger.stamp) == (0, (5, "b"))
    assert (here.uid, here.memory, here.project) == (uids[one], one, PROJECT)
    assert store.erased([uids[one], uids[two]]) == [here]


def test_what_changes_waits_to_be_sent_once_anything_is_shared(store):
    (one,) = keep(store, "Trim the wick")
    assert store.outbox(9) == []
    with store.transaction():
        store.put_share(SHARE)
        task = {"id": "tx-1", "title": "Paint", "project": PROJECT}
        store.put_task({**task, "created_at": NOW, "updated_at": NOW}, Act(NOW))
        assert store.queue_project(PROJECT) == 2
    uid = store.uids_of([one])[one]
    assert waiting(store) == {("memory", uid), ("task", "tx-1")}
    first = Queued("memory", uid, store.outbox_marks("memory", [uid, "?"])[uid])
    change(store, one, category="upkeep")
    with store.transaction():
        store.unqueue([first])  # it has changed since: it stays
    assert store.outbox_size() == 2
    (two,) = keep(store, "Ring the bell")
    with store.transaction():
        store.unqueue([each for each in store.outbox(9) if each.name != "tx-1"])
        store.queue_name("spell", "s1", PROJECT)
        store.queue_memories([two])
        store.erase(two, Event(0, two, NOW, "erased", "", {}, {}, None, None))
    assert waiting(store) == {
        ("task", "tx-1"),
        ("spell", "s1"),
        ("memory", store.uids_of([two])[two]),
    }
    with store.transaction():
        store.put_share(Share(PROJECT, "tower", "https://hub.example", "e.4", NOW, NOW))
    assert [share.position for share in store.shares()] == ["e.4"]
    with store.transaction():
        store.refuse(Refusal("task", "tx-1", "tower", "too long", NOW))
        store.refuse(Refusal("task", "tx-1", "tower", "still too long", NOW))
        store.refuse(Refusal("task", "tx-2", "tower", "too long", NOW))
        store.unrefuse("task", "tx-2")
    assert store.refusals() == [Refusal("task", "tx-1", "tower", "still too long", NOW)]
    with store.transaction():
        store.drop_share(PROJECT)
    assert (store.shares(), store.outbox(9), store.refusals()) == ([], [], [])


def test_a_feed_has_everything_once_under_the_number_of_its_last_change(store):
    one, two = keep(store, "Trim the wick", "Ring the bell")
    uids = store.uids_of([one, two])
    assert store.feed_last(PROJECT) is None
    with store.transaction():
        store.host(PROJECT)
        store.host(PROJECT)
    assert store.hosted() == [PROJECT]
    rows = store.feed(PROJECT, 0, 9)
    assert [(row.number, row.noun) for row in rows] == [(1, "memory"), (2, "memory")]
    assert {row.name for row in rows} == {*uids.values()}
    change(store, one, category="upkeep")
    (three,) = keep(store, "Paint in May")
    assert store.feed(PROJECT, 2, 9) == [
        FeedRow(3, "memory", uids[one]),
        FeedRow(4, "memory", store.uids_of([three])[three]),
    ]
    assert [row.name for row in store.feed(PROJECT, 0, 1)] == [uids[two]]
    change(store, two, project="another")
    with store.transaction():
        store.note_left(PROJECT, "nowhere")
    assert [row.name for row in store.feed(PROJECT, 4, 9)] == [uids[two], "nowhere"]
    assert store.feed_last(PROJECT) == 6
    assert [store.fed(uid) for uid in (uids[two], "nobody")] == [[PROJECT], []]
    epoch = store.epoch()
    with store.transaction():
        assert store.new_epoch() == store.epoch() != epoch


def test_what_cannot_be_read_is_kept_and_found_by_what_it_waits_for(store):
    spell = Kept("spell", "s1", PROJECT, "", '{"type": "spell"}')
    edge = Kept("edge", "a b affects", PROJECT, "b", "{}")
    with store.transaction():
        store.keep_record(spell)
        store.keep_record(spell)
        store.keep_record(edge)
    assert store.kept_records("spell", ["s1", "s2"]) == [spell]
    assert store.records_waiting_for(["a", "b"]) == [edge]
    with store.transaction():
        store.drop_kept("edge", "a b affects")
    assert store.records_waiting_for(["b"]) == []


def test_devices_acknowledge_that_they_hold_nothing_any_more(store):
    with store.transaction():
        store.put_erased("0" * 26, 0, PROJECT, (5, "b"))
        store.acknowledge_erasures("north", ["0" * 26], NOW)
        store.acknowledge_erasures("north", ["0" * 26], NOW)
        store.put_erased("1" * 26, 0, PROJECT, (6, "b"))
    assert store.erasures(PROJECT) == [
        Acknowledgement("0" * 26, 5, "north"),
        Acknowledgement("1" * 26, 6, ""),
    ]
